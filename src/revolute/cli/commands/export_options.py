"""Options of `revolute export`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from revolute.cli.commands import completion
from revolute.cli.commands.options import choice

__all__ = ["ExportOptions"]


@dataclass(frozen=True)
class ExportOptions:
    """Output path and form of the functions."""

    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder, or a file that ends in .c; the others stand beside it.")
    ] = Path()
    frame: Annotated[
        str | None,
        typer.Option(metavar="LINK", help="Link of Jacobians and velocities.", autocompletion=completion.links),
    ] = None
    language: Annotated[str, choice("languages", "c; or c++ for a header with checked sizes too.")] = "c"
    dtype: Annotated[str, choice("dtypes", "float64 or float32.")] = "float64"
    layout: Annotated[str, choice("layouts", "Of matrices: row by row, or column by column.")] = "row"
    sincos: Annotated[str, choice("sincos", "Sines and cosines: of math.h, or own code.")] = "math.h"
    batch: Annotated[bool, typer.Option("--batch", help="Write a loop over states too.")] = False
    casadi: Annotated[bool, typer.Option("--casadi", help="Write functions for casadi.external too.")] = False
    target: Annotated[
        str | None,
        choice("processors", "Write an object file too: cortex-m4, aarch64, wasm32, ...", "PROCESSOR"),
    ] = None
