"""Assign the columns of a log's tables to quantities and coordinates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from revolute.errors import InputError, TrajectoryError, advice
from revolute.identification.log.sources import QUANTITIES, SourcePart
from revolute.io.plain import listed
from revolute.io.trajectory import time_column
from revolute.model.joints import Free
from revolute.model.model import Model

__all__ = ["Place", "places_of"]

WORDS = {
    "q": "q|pos|position|positions",
    "qd": "qd|dq|vel|velocity|velocities",
    "qdd": "qdd|ddq|acc|acceleration|accelerations",
    "tau": "tau|torque|torques|effort|efforts|force",
}
"""Names of quantities in column names, next to the name or number of the joint."""


@dataclass(frozen=True)
class Place:
    """The columns of a quantity in table number `part`, one for each coordinate; None where it was not measured."""

    part: int
    columns: tuple[str | None, ...]


def places_of(model: Model, parts: Sequence[SourcePart], columns: Mapping[str, Any] | None) -> dict[str, Place]:
    """The columns of time, positions, velocities, accelerations and forces.

    Args:
        model: coordinates of the robot.
        parts: tables of the log.
        columns: as of `read_log`. Other quantities are found by their usual names. Numbers in these start at 0 if any
            column has the number 0.

    Raises:
        TrajectoryError: a quantity has columns for some coordinates only, or there are no positions or forces.
        InputError: `columns` names columns that do not exist.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError("read_log: columns must be a mapping from t, q, qd, qdd and tau to names of columns")
    columns = dict(columns or {})
    if unknown := [name for name in columns if name not in QUANTITIES]:
        raise InputError(f"{_ours()}: {unknown[0]!r} is no quantity; there are {', '.join(QUANTITIES)}")
    places: dict[str, Place] = {}
    first = 0 if any(_has_zero(part, columns) for part in parts) else 1
    for quantity in QUANTITIES:
        for k, part in enumerate(parts):
            if quantity in part.quantities and quantity not in places:
                chosen = _columns(model, quantity, part, columns, first)
                if chosen is not None:
                    places[quantity] = Place(k, chosen)
    for quantity in ("q", "tau"):
        if quantity not in places:
            raise _missing(model, quantity, parts)
    return places


def _has_zero(part: SourcePart, columns: Mapping[str, Any]) -> bool:
    """Whether any column with a usual name has the number 0."""
    usual = [quantity for quantity in part.quantities if quantity in WORDS and quantity not in columns]
    return any(_matches(quantity, ("0",), part.table.columns, False)[0] for quantity in usual)


def _columns(
    model: Model, quantity: str, part: SourcePart, columns: Mapping[str, Any], first: int
) -> tuple[str | None, ...] | None:
    names = model.position_names if quantity == "q" else model.coordinate_names
    where = str(part.table.path)
    if quantity not in columns:
        if quantity == "t":
            time = time_column([name for name in part.table.columns if name not in model.position_names], where)
            return None if time is None else (time,)
        unmoved = _unmoved(model) if quantity == "tau" else frozenset()
        return _usual(quantity, names, part, unmoved, first)
    if columns[quantity] is None:
        return None
    chosen = (columns[quantity],) if quantity == "t" else _chosen(quantity, names, columns[quantity])
    for name in chosen:
        if name is not None and name not in part.table.columns:
            raise InputError(
                f"{_ours()}: {where} has no column {name!r} for {quantity}; it has: "
                f"{listed(part.table.columns, 12)}"
            )
    return chosen


def _chosen(quantity: str, names: Sequence[str], choice: Any) -> tuple[str | None, ...]:
    if isinstance(choice, str):
        if not any(mark in choice for mark in ("{n}", "{n0}", "{name}")):
            raise InputError(
                f"{_ours()}: the pattern {choice!r} for {quantity} needs {{n}} (from 1), {{n0}} (from 0) or "
                "{name} in it"
            )
        return tuple(
            choice.replace("{n}", str(k + 1)).replace("{n0}", str(k)).replace("{name}", name)
            for k, name in enumerate(names)
        )
    if isinstance(choice, Mapping):
        if unknown := [name for name in choice if name not in names]:
            raise InputError(f"{_ours()}: {unknown[0]!r} is no coordinate; they are {listed(names, 12)}")
        choice = [choice.get(name) for name in names]
    if not isinstance(choice, Sequence) or len(choice) != len(names):
        raise InputError(f"{_ours()}: {quantity} needs {len(names)} columns, for {listed(names, 12)}")
    if quantity == "q" and None in choice:
        k = list(choice).index(None)
        raise InputError(f"{_ours()}: no positions for '{names[k]}'; {_lock(names[k])}")
    if repeated := [name for name in choice if name is not None and list(choice).count(name) > 1]:
        raise InputError(f"{_ours()}: {quantity} has column {repeated[0]!r} twice")
    return tuple(choice)


def _unmoved(model: Model) -> frozenset[str]:
    """Coordinates of floating bases: few logs have their forces."""
    names = iter(model.coordinate_names)
    of_bodies = [(body, [next(names) for _ in range(body.joint.nv)]) for body in model.bodies]
    return frozenset(name for body, own in of_bodies if isinstance(body.joint, Free) for name in own)


def _usual(
    quantity: str, names: Sequence[str], part: SourcePart, unmoved: frozenset[str], first: int
) -> tuple[str | None, ...] | None:
    """Columns by names of joints, otherwise by numbers of coordinates from `first` on; None where there are none."""
    alone = part.quantities == ("t", quantity) or quantity == "q"
    counted = tuple(str(k) for k in range(first, first + len(names)))
    by_name, by_number = (_matches(quantity, words, part.table.columns, alone) for words in (names, counted))
    for found in (by_name, by_number):
        if not any(found):
            continue
        if missing := [names[k] for k, match in enumerate(found) if not match and names[k] not in unmoved]:
            raise TrajectoryError(
                f"{part.table.path}: no column of {quantity} for {listed(missing, 8)}; the file has: "
                f"{listed(part.table.columns, 12)}. Give {_chosen_by(quantity)}; {_lock(missing[0])}"
            )
        for k, match in enumerate(found):
            if len(match) > 1:
                raise TrajectoryError(
                    f"{part.table.path}: columns '{match[0]}' and '{match[1]}' both may be {quantity} of '{names[k]}'; "
                    f"say which, by {_chosen_by(quantity)}"
                )
        return tuple(match[0] if match else None for match in found)
    return None


def _matches(quantity: str, names: Sequence[str], columns: Sequence[str], alone: bool) -> list[list[str]]:
    word = f"(?:{WORDS[quantity]})"
    found = []
    for name in names:
        core = re.escape(name.lower())
        spellings = [rf"{word}[\W_]*{core}", rf"{core}[\W_]*{word}"] + ([core] if alone and not name.isdigit() else [])
        pattern = re.compile(rf"[\W_]*(?:{'|'.join(spellings)})[\W_]*")
        found.append([column for column in columns if pattern.fullmatch(column.lower())])
    return found


def _lock(name: str) -> str:
    how = advice(f"robot.lock({{'{name}': position}})", "--joints NAMES of the others")
    return f"a joint that did not move is left out by {how}"


def _ours() -> str:
    return advice("read_log: columns", "--columns")


def _chosen_by(quantity: str) -> str:
    return advice(f"columns={{'{quantity}': [...]}}", f"--columns {quantity}=COLUMN,COLUMN,... or a pattern with {{n}}")


def _missing(model: Model, quantity: str, parts: Sequence[SourcePart]) -> TrajectoryError:
    names = [name for part in parts for name in part.table.columns]
    what = {"q": "positions", "tau": "forces"}[quantity]
    wanted = (model.position_names if quantity == "q" else model.coordinate_names)[0]
    return TrajectoryError(
        f"{parts[0].table.path}: no columns of {what}, such as '{quantity}.{wanted}' or '{quantity}1'; there are: "
        f"{listed(names, 12)}. Say which they are, by {_chosen_by(quantity)}"
    )
