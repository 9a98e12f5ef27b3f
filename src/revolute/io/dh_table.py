"""Denavit-Hartenberg tables from arrays, named rows and files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from revolute.arguments import instances
from revolute.errors import InputError, ModelError
from revolute.io.dh import CONVENTIONS, DHRow, DHTable
from revolute.io.dh_files import read_rows
from revolute.io.dh_rows import named_row, prismatic, value
from revolute.model.body import Drive, Limits
from revolute.spatial import Inertia

__all__ = ["dh_table"]


def dh_table(
    table: object, convention: str, joints: str | Sequence[str] | None, inertias: Iterable[Inertia] | None,
    limits: Iterable[Limits] | None, drives: Iterable[Drive] | None,
) -> DHTable:
    """A table from the arguments of `Robot.from_dh`."""
    if isinstance(table, DHTable):
        return table if drives is None else replace(table, rows=_driven(table.rows, drives))
    if not isinstance(convention, str) or convention not in CONVENTIONS:
        raise InputError(f"convention must be one of {', '.join(map(repr, CONVENTIONS))}, not {convention!r}")
    where = "DH table"
    if isinstance(table, (str, os.PathLike)):
        where = os.fspath(table)
        rows = read_rows(where)
    else:
        rows = [_row(f"{where}: row {k}", figures) for k, figures in enumerate(_as_list(table), 1)]
    if not rows:
        raise ModelError(f"{where}: it has no rows; give one per joint")
    if joints is not None:
        kinds = joints if isinstance(joints, str) else instances("joints", joints, object)
        slides = [prismatic(f"joints: number {k}", kind) for k, kind in enumerate(kinds, 1)]
        rows = [replace(row, prismatic=slide) for row, slide in _paired(rows, slides, "joints")]
    if inertias is not None:
        rows = [replace(row, inertia=_typed(Inertia, x, "inertias")) for row, x in _paired(rows, inertias, "inertias")]
    if limits is not None:
        rows = [replace(row, limits=_typed(Limits, x, "limits")) for row, x in _paired(rows, limits, "limits")]
    return DHTable(convention, tuple(rows) if drives is None else _driven(rows, drives))


def _driven(rows: Sequence[DHRow], drives: Iterable[Drive]) -> tuple[DHRow, ...]:
    return tuple(replace(row, drive=_typed(Drive, x, "drives")) for row, x in _paired(rows, drives, "drives"))


def _as_list(table: object) -> list[Any]:
    try:
        return list(table)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise InputError(
            "a DH table is the path of a CSV or TOML file, a DHTable, or rows of a [m], alpha [rad], d [m], theta "
            f"[rad], not {type(table).__name__}"
        ) from None


def _paired(rows: Sequence[DHRow], items: Iterable[Any], name: str) -> Iterable[tuple[DHRow, Any]]:
    values = list(instances(name, items, object))
    if len(values) != len(rows):
        raise InputError(f"{name}: {len(values)} for a table of {len(rows)} rows; give one per row")
    return zip(rows, values, strict=True)


def _typed(kind: type, x: Any, name: str) -> Any:
    if not isinstance(x, kind):
        raise InputError(f"{name}: each must be of the type {kind.__name__}, not {type(x).__name__}")
    return x


def _row(where: str, figures: Any) -> DHRow:
    """A row from four numbers, or from names: the columns of a file."""
    if isinstance(figures, DHRow):
        return figures
    if isinstance(figures, Mapping):
        return named_row(where, figures)
    try:
        numbers = [value(x) for x in figures]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 4:
        raise InputError(f"{where}: it must have four finite numbers a, alpha, d, theta (or names), not {figures!r}")
    a, alpha, d, theta = numbers
    return DHRow(a, alpha, d, theta)
