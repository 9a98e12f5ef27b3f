"""Output of commands as lines and tables, with control characters and markup escaped."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from revolute.errors import printable

if TYPE_CHECKING:
    from revolute.plot.figures import Figure


def say(console: Console, line: str = "", end: str = "\n") -> None:
    """Print one line, without wrapping or markup; line breaks in names are escaped."""
    console.print(cell(line), soft_wrap=True, end=end)


def print_json(data: Mapping[str, Any]) -> None:
    """Print data for programs, as one JSON object; numbers that are not finite become null."""
    print(json.dumps(_finite(data), indent=2, allow_nan=False))


def _finite(x: Any) -> Any:
    if isinstance(x, Mapping):
        return {key: _finite(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [_finite(value) for value in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x


def cell(text: str) -> Text:
    """The text of a table cell, with control characters and markup escaped."""
    return Text(printable(text))


def new_table(title: str, *headings: str) -> Table:
    """An empty table in the common style of all commands: a column of names, then columns of numbers."""
    table = Table(
        title=Text(printable(title), style="bold"), title_justify="left", box=SIMPLE_HEAD, pad_edge=False,
        collapse_padding=True,
    )  # fmt: skip
    table.add_column(Text(headings[0]), overflow="fold")
    for heading in headings[1:]:
        table.add_column(Text(heading), justify="right", no_wrap=True)
    return table


def draw(console: Console, path: Path | None, figure: Callable[[], Figure]) -> None:
    """Draw a figure and print the name of its file; do nothing if no file is given."""
    if path is not None:
        from revolute.plot import save

        save(figure(), path)
        say(console, f"Drawn in {path}")
