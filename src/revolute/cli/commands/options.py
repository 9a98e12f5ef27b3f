"""Kinds of options that commands share, and the options of `revolute export`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from revolute.cli.commands import completion

__all__ = [
    "Drawing", "ExportOptions", "TrajectoryFile", "argument", "choice", "flag", "numbers", "on_links", "option",
    "output_file",
]  # fmt: skip


def argument(metavar: str, help: str, offers: Callable[..., list[str]] | None = None) -> Any:
    """An argument of a command; `offers` completes it."""
    return typer.Argument(metavar=metavar, help=help, autocompletion=offers)


def option(help: str, *names: str, metavar: str | None = None, offers: Callable[..., list[str]] | None = None) -> Any:
    """An option, with the name of its parameter unless names are given; `offers` completes it."""
    return typer.Option(*names, metavar=metavar, help=help, autocompletion=offers)


def flag(name: str, help: str) -> Any:
    """An option without a value, and without a form --no-NAME."""
    return typer.Option(name, help=help)


def output_file(help: str) -> Any:
    """The option --output."""
    return typer.Option("--output", "-o", help=help)


def numbers(help: str, metavar: str = "NUMBERS") -> Any:
    """An option for numbers of joints: see `joint_numbers`."""
    return option(help, metavar=metavar, offers=completion.joint_numbers)


def on_links(metavar: str, help: str) -> Any:
    """An option LINK=NUMBERS."""
    return option(help, metavar=metavar, offers=completion.named_number(completion.links))


def choice(kind: str, help: str, metavar: str | None = None) -> Any:
    """An option with one of the library's names of a kind: see `completion.known`."""
    return option(help, metavar=metavar, offers=completion.known(kind))


TrajectoryFile = Annotated[Path | None, output_file("Write the trajectory to this CSV or Parquet file.")]
Drawing = Annotated[Path | None, option("Draw it in this .png, .svg or .pdf (needs the extra plot).")]


@dataclass(frozen=True)
class ExportOptions:
    """Output path and form of the functions."""

    output: Annotated[Path, output_file("Folder, or a file that ends in .c; the others stand beside it.")] = Path()
    frame: Annotated[
        str | None, option("Link of Jacobians and velocities.", metavar="LINK", offers=completion.links)
    ] = None
    language: Annotated[str, choice("languages", "c; or c++ for a header with checked sizes too.")] = "c"
    dtype: Annotated[str, choice("dtypes", "float64 or float32.")] = "float64"
    layout: Annotated[str, choice("layouts", "Of matrices: row by row, or column by column.")] = "row"
    sincos: Annotated[str, choice("sincos", "Sines and cosines: of math.h, or own code.")] = "math.h"
    batch: Annotated[bool, flag("--batch", "Write a loop over states too.")] = False
    casadi: Annotated[bool, flag("--casadi", "Write functions for casadi.external too.")] = False
    target: Annotated[
        str | None, choice("processors", "Write an object file too: cortex-m4, aarch64, wasm32, ...", "PROCESSOR")
    ] = None
