"""Assign the columns of a log's tables to quantities, coordinates, and wrenches on links."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from revolute.errors import InputError, TrajectoryError, UnknownNameError, advice
from revolute.identification.forces.floating_bases import floating
from revolute.identification.log.sources import QUANTITIES, SourcePart
from revolute.io.plain import listed
from revolute.io.trajectory.columns import TIME, time_column
from revolute.model.model import Model

WORDS = {
    "q": "q|pos|position|positions", "qd": "qd|dq|vel|velocity|velocities",
    "qdd": "qdd|ddq|acc|acceleration|accelerations", "tau": "tau|torque|torques|effort|efforts|force",
}  # fmt: skip
"""Words that denote each quantity in column names, in addition to the joint's name or number."""


@dataclass(frozen=True)
class Place:
    """The columns of a quantity in table number `part`, one for each coordinate; None where it was not measured."""

    part: int
    columns: tuple[str | None, ...]


def places_of(model: Model, parts: Sequence[SourcePart], columns: Mapping[str, Any] | None) -> dict[str, Place]:
    """The columns of time, positions, velocities, accelerations and forces, from the argument `columns` of `read_log`.

    Quantities not in `columns` are found by their usual names. Numbers start at 0 if any column has number 0.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError("read_log: columns must be a mapping from t, q, qd, qdd and tau to names of columns")
    columns = dict(columns or {})
    if unknown := [name for name in columns if name not in QUANTITIES]:
        raise InputError(f"{_ours()}: unknown quantity {unknown[0]!r}; available: {', '.join(QUANTITIES)}")
    places: dict[str, Place] = {}
    usual = [(x, part.table.columns) for part in parts for x in part.quantities if x in WORDS and x not in columns]
    first = 0 if any(_matches(quantity, ("0",), names, False)[0] for quantity, names in usual) else 1
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


def _columns(
    model: Model, quantity: str, part: SourcePart, columns: Mapping[str, Any], first: int
) -> tuple[str | None, ...] | None:
    names = model.position_names if quantity == "q" else model.coordinate_names
    where = str(part.table.path)
    if quantity not in columns:
        if quantity == "t":
            time = time_column([name for name in part.table.columns if name not in model.position_names], where)
            return None if time is None else (time,)
        # most logs lack the forces of floating bases
        bases = zip(names, floating(model), strict=True) if quantity == "tau" else ()
        return _usual(quantity, names, part, {name for name, x in bases if x}, first)
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
            raise InputError(f"{_ours()}: unknown coordinate {unknown[0]!r}; available: {listed(names, 12)}")
        choice = [choice.get(name) for name in names]
    if not isinstance(choice, Sequence) or len(choice) != len(names):
        raise InputError(f"{_ours()}: {quantity} needs {len(names)} columns, for {listed(names, 12)}")
    if quantity == "q" and None in choice:
        k = list(choice).index(None)
        raise InputError(f"{_ours()}: no positions for '{names[k]}'; {_lock(names[k])}")
    if repeated := [name for name in choice if name is not None and list(choice).count(name) > 1]:
        raise InputError(f"{_ours()}: {quantity} has the duplicate column {repeated[0]!r}")
    return tuple(choice)


def _usual(
    quantity: str, names: Sequence[str], part: SourcePart, unmoved: set[str], first: int
) -> tuple[str | None, ...] | None:
    """Columns by names of joints, otherwise by numbers of coordinates from `first` on; None for missing ones."""
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
                    f"{part.table.path}: columns '{match[0]}' and '{match[1]}' may both be {quantity} of '{names[k]}'; "
                    f"select one with {_chosen_by(quantity)}"
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


def unread(parts: Sequence[SourcePart], places: Mapping[str, Place], known: Sequence[str]) -> list[str]:
    """Columns of unknown joints: of other numbers, or of names not in `known` with both positions and forces."""
    cores: dict[str, dict[str, str]] = {}
    for quantity in ("q", "tau"):
        part, word = parts[places[quantity].part], f"(?:{WORDS[quantity]})"
        alone = "|(.+)" if part.quantities == ("t", quantity) else ""
        pattern = rf"[\W_]*{word}[\W_]*(\d+|(?<=[\W_]).+?)[\W_]*|[\W_]*(.+?)[\W_]+{word}[\W_]*{alone}"
        matches = {column: re.fullmatch(pattern, column.lower()) for column in part.table.columns}
        cores[quantity] = {column: next(filter(None, match.groups())) for column, match in matches.items() if match}
    both = {*cores["q"].values()} & {*cores["tau"].values()} - {*TIME, *(name.lower() for name in known)}
    found = []
    for quantity, names in cores.items():
        used = places[quantity].columns
        numbered = any(names.get(column or "", "").isdigit() for column in used)
        others = both | {core for core in names.values() if core.isdigit() and numbered}
        found += [column for column, core in names.items() if column not in used and core in others]
    return [*dict.fromkeys(found)]


def _lock(name: str) -> str:
    how = advice(f"robot.lock({{'{name}': position}})", "--joints NAMES of the others")
    return f"to omit a joint that did not move, give {how}"


def _ours() -> str:
    return advice("read_log: columns", "--columns")


def _chosen_by(quantity: str) -> str:
    return advice(f"columns={{'{quantity}': [...]}}", f"--columns {quantity}=COLUMN,COLUMN,... or a pattern with {{n}}")


def _missing(model: Model, quantity: str, parts: Sequence[SourcePart]) -> TrajectoryError:
    names = [name for part in parts for name in part.table.columns]
    what = {"q": "positions", "tau": "forces"}[quantity]
    wanted = (model.position_names if quantity == "q" else model.coordinate_names)[0]
    return TrajectoryError(
        f"{parts[0].table.path}: no columns of {what}, such as '{quantity}.{wanted}' or '{quantity}1'; available: "
        f"{listed(names, 12)}. Name them with {_chosen_by(quantity)}"
    )


AXES = ("mx", "my", "mz", "fx", "fy", "fz")
"""Names of the components of a wrench, which replace {axis} in a column pattern."""


def wrench_places(
    links: Sequence[str], parts: Sequence[SourcePart], chosen: object
) -> tuple[tuple[str, ...], Place | None]:
    """The links with measured wrenches, and their columns, six for each; None for no columns.

    `chosen`: `{link: columns}`, where columns are a list of six, or a pattern with {axis}.
    """
    if not isinstance(chosen, Mapping):
        raise InputError("read_log: columns: wrench must be {link: columns}, empty if nothing touches the robot")
    for link in chosen:
        if link not in links:
            raise UnknownNameError(
                f"read_log: columns: wrench: there is no link '{link}'; available: {listed(links, 12)}"
            )
    columns = [name for link, given in chosen.items() for name in _six(link, given)]
    if not columns:
        return (), None
    missing = [[name for name in columns if name not in part.table.columns] for part in parts]
    if all(missing):
        part, lost = parts[-1], missing[-1]
        raise InputError(
            f"read_log: columns: wrench: {part.table.path} has no column {lost[0]!r}; it has: "
            f"{listed(part.table.columns, 12)}"
        )
    return tuple(chosen), Place(missing.index([]), tuple(columns))


def _six(link: str, given: Any) -> list[str]:
    if isinstance(given, str):
        if "{axis}" not in given:
            raise InputError(
                f"read_log: columns: the pattern {given!r} for the wrench on '{link}' needs {{axis}} in it"
            )
        return [given.replace("{axis}", axis) for axis in AXES]
    if isinstance(given, Sequence) and len(given) == 6 and all(isinstance(name, str) for name in given):
        return list(given)
    raise InputError(
        f"read_log: columns: the wrench on '{link}' needs six columns, {', '.join(AXES)}, or a pattern with {{axis}}"
    )
