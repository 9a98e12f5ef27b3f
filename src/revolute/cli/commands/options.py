"""Kinds of options that commands share, options from dataclasses, and the options of `revolute export`."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_origin, get_type_hints

import typer

from revolute.cli.commands import completion

Declaration = Any  # an option or argument as Typer declares it


def argument(metavar: str, help: str, offers: Callable[..., list[str]] | None = None) -> Declaration:
    """An argument of a command; `offers` is its completion function."""
    return typer.Argument(metavar=metavar, help=help, autocompletion=offers)


def option(
    help: str, *names: str, metavar: str | None = None, offers: Callable[..., list[str]] | None = None
) -> Declaration:
    """An option, by default named as its parameter; `offers` is its completion function."""
    return typer.Option(*names, metavar=metavar, help=help, autocompletion=offers)


def flag(name: str, help: str) -> Declaration:
    """An option without a value, which has no form --no-NAME."""
    return typer.Option(name, help=help)


def output_file(help: str) -> Declaration:
    """The option --output."""
    return typer.Option("--output", "-o", help=help)


def numbers(help: str, metavar: str = "NUMBERS") -> Declaration:
    """An option with one number per joint coordinate: see `joint_numbers`."""
    return option(help, metavar=metavar, offers=completion.joint_numbers)


def on_links(metavar: str, help: str) -> Declaration:
    """An option LINK=NUMBERS."""
    return option(help, metavar=metavar, offers=completion.named_number(completion.links))


def choice(kind: str, help: str, metavar: str | None = None) -> Declaration:
    """An option whose value is one of the library's names of a kind: see `completion.known`."""
    return option(help, metavar=metavar, offers=completion.known(kind))


def with_records(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with its dataclass arguments replaced by options, one per field with an `Annotated` type."""
    hints = get_type_hints(command, include_extras=True)
    records = {name: _options(kind) for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for name, own in inspect.signature(command).parameters.items():
        parameters += records.get(name) or [own.replace(annotation=hints[name], kind=own.KEYWORD_ONLY)]

    @wraps(command)
    def with_options(**given: Any) -> None:
        made = {name: hints[name](**{x.name: given.pop(x.name) for x in own}) for name, own in records.items()}
        command(**made, **given)

    with_options.__annotations__ = {x.name: x.annotation for x in parameters}
    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return with_options


def _options(record: Any) -> list[inspect.Parameter]:
    """One parameter for each field that is an option."""
    hints, kind = get_type_hints(record, include_extras=True), inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(x.name, kind, default=_default(x), annotation=hints[x.name])
        for x in fields(record)
        if get_origin(hints[x.name]) is Annotated
    ]


def _default(field: Any) -> Declaration:
    return inspect.Parameter.empty if field.default is MISSING else field.default


TrajectoryFile = Annotated[Path | None, output_file("Write the trajectory to this CSV or Parquet file.")]
Drawing = Annotated[Path | None, option("Draw it in this .png, .svg or .pdf (needs the extra plot).")]


@dataclass(frozen=True)
class ExportOptions:
    """Output path and form of the functions."""

    output: Annotated[Path, output_file("Folder, or a file that ends in .c; others are written beside it.")] = Path()
    frame: Annotated[
        str | None, option("Link for Jacobians and velocities.", metavar="LINK", offers=completion.links)
    ] = None
    language: Annotated[str, choice("languages", "c; or c++ to add a header with checked sizes.")] = "c"
    dtype: Annotated[str, choice("dtypes", "float64 or float32.")] = "float64"
    layout: Annotated[str, choice("layouts", "Order of matrices: row by row, or column by column.")] = "row"
    sincos: Annotated[str, choice("sincos", "Sines and cosines: from math.h, or generated code.")] = "math.h"
    batch: Annotated[bool, flag("--batch", "Also write a loop over states.")] = False
    casadi: Annotated[bool, flag("--casadi", "Also write functions for casadi.external.")] = False
    target: Annotated[
        str | None, choice("processors", "Also write an object file: cortex-m4, aarch64, wasm32, ...", "PROCESSOR")
    ] = None
