"""Kinds of options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from revolute.cli.commands import completion

__all__ = ["Drawing", "TrajectoryFile", "choice", "numbers", "on_links"]

TrajectoryFile = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the trajectory to this CSV or Parquet file.")
]
Drawing = Annotated[Path | None, typer.Option(help="Draw it in this .png, .svg or .pdf (needs the extra plot).")]


def numbers(help: str, metavar: str = "NUMBERS") -> Any:
    """An option for numbers of joints: see `joint_numbers`."""
    return typer.Option(metavar=metavar, help=help, autocompletion=completion.joint_numbers)


def on_links(metavar: str, help: str) -> Any:
    """An option LINK=NUMBERS."""
    return typer.Option(metavar=metavar, help=help, autocompletion=completion.named_number(completion.links))


def choice(kind: str, help: str, metavar: str | None = None) -> Any:
    """An option with one of the library's names of a kind: see `completion.known`."""
    return typer.Option(metavar=metavar, help=help, autocompletion=completion.known(kind))
