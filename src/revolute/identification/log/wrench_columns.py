"""Columns of a log with wrenches on links, such as those on feet on the ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from revolute.errors import InputError, UnknownNameError
from revolute.identification.log.columns import Place
from revolute.identification.log.sources import SourcePart
from revolute.io.plain import listed

__all__ = ["AXES", "wrench_places"]

AXES = ("mx", "my", "mz", "fx", "fy", "fz")
"""Components of a wrench, values of {axis}."""


def wrench_places(
    links: Sequence[str], parts: Sequence[SourcePart], chosen: Any
) -> tuple[tuple[str, ...], Place | None]:
    """The links with measured wrenches, and their columns, six for each; None for no columns.

    `chosen`: `{link: columns}`, where columns are a list of six, or a pattern with {axis}.
    """
    if not isinstance(chosen, Mapping):
        raise InputError("read_log: columns: wrench must be {link: columns}, empty if nothing touches the robot")
    for link in chosen:
        if link not in links:
            raise UnknownNameError(
                f"read_log: columns: wrench: no link is called '{link}'; there are {listed(links, 12)}"
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
