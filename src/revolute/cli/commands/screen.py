"""How commands print lines and tables: control characters are escaped, and no text is taken for markup."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from revolute.printable import printable

__all__ = ["cell", "new_table", "say"]


def say(console: Console, line: str = "", end: str = "\n") -> None:
    """Print a line of any length: brackets and colons in it are no markup, line breaks in names are escaped."""
    console.print(cell(line), soft_wrap=True, end=end)


def cell(text: str) -> Text:
    """A cell of a table."""
    return Text(printable(text))


def new_table(title: str) -> Table:
    """A table without rows, in the style of all."""
    heading = Text(printable(title), style="bold")
    return Table(title=heading, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
