"""Symbols among a driven robot's arguments, and values for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from revolute.dynamics.drivetrain import Drivetrain
from revolute.machine.driven.couplings import whole_or_float
from revolute.machine.driven.rotors import Rotor
from revolute.model.model import AnyModel, Model
from revolute.model.scalars import by_name
from revolute.model.symbols import substituted as substituted_model
from revolute.model.symbols import values_of

__all__ = ["numeric_drives", "substituted", "symbols"]


def symbols(tree: Model, drives: Drivetrain) -> tuple[Any, ...]:
    """The SymPy symbols of a tree and of how its joints are coupled, by name."""
    free = set(tree.symbols)
    for x in _scalars(drives):
        free |= getattr(x, "free_symbols", set())
    return by_name(free)


def substituted(
    model: AnyModel, arguments: Mapping[str, Any], all_symbols: tuple[Any, ...], values: Mapping[Any, Any]
) -> tuple[AnyModel, dict[str, Any]]:
    """Robot and arguments with values in place of symbols: see `Robot.subs`."""
    table = values_of(f"'{model.name}' with its drives", all_symbols, values)

    def change(x: Any) -> Any:
        return whole_or_float(x.subs(table)) if hasattr(x, "free_symbols") else x

    def rotor(x: Rotor) -> Rotor:
        return replace(x, ratio=change(x.ratio), inertia=change(x.inertia))

    new = dict(arguments)
    for name in ("coupling", "offset"):
        if (entries := arguments[name]) is not None:
            array = np.array(entries.tolist() if hasattr(entries, "tolist") else entries, dtype=object)
            new[name] = np.vectorize(change, otypes=[object])(array) if array.size else array
    if not isinstance(arguments["rotors"], bool):
        new["rotors"] = tuple(map(rotor, arguments["rotors"]))
    return substituted_model(model, {key: value for key, value in table.items() if key in model.symbols}), new


def numeric_drives(drives: Drivetrain) -> Drivetrain:
    """The drivetrain with floats for exact numbers of SymPy."""

    def number(x: Any) -> Any:
        return float(x) if hasattr(x, "free_symbols") else x

    rows = tuple(tuple((k, number(x)) for k, x in row) for row in drives.A)
    return replace(drives, A=rows, b=tuple(map(number, drives.b)))


def _scalars(drives: Drivetrain) -> Iterator[Any]:
    """All entries of A and b."""
    yield from drives.b
    for row in drives.A:
        yield from (x for _, x in row)
