"""Sources of a log as tables with named columns: a file, several files, a data frame or arrays."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from revolute.errors import InputError, TrajectoryError
from revolute.identification.samples import Array
from revolute.io.trajectory import TableFile, open_table
from revolute.io.trajectory.table import BLOCK

QUANTITIES = ("t", "q", "qd", "qdd", "tau")  # symbols of time, positions, velocities, accelerations and forces


class ArrayTable(TableFile):
    """Columns in memory."""

    def __init__(self, columns: Mapping[str, Any], what: str) -> None:
        self.path = Path(what)
        self._data = {str(name): self._column(str(name), values) for name, values in columns.items()}
        self.columns = tuple(self._data)
        lengths = {name: len(values) for name, values in self._data.items()}
        if len(set(lengths.values())) > 1:
            (a, n), (b, m) = sorted(lengths.items(), key=lambda item: item[1])[:: len(lengths) - 1]
            raise TrajectoryError(f"{what}: column '{a}' has {n} rows, and '{b}' has {m}")

    def blocks(self, names: Sequence[str], rows: int = BLOCK, missing: bool = False) -> Iterator[tuple[float, Array]]:
        """See `TableFile.blocks`; numbers that are not finite count as missing."""
        columns = [self._numbers(name) for name in names]
        total = max((len(column) for column in columns), default=0)
        for start in range(0, total, rows):
            values = np.column_stack([column[start : start + rows] for column in columns])
            yield min((start + rows) / total, 1.0), np.where(np.isfinite(values), values, np.nan)

    def _column(self, name: str, values: Any) -> Array:
        array = _array(name, values)
        if array.ndim != 1:
            raise TrajectoryError(f"{self.path}: column '{name}' must be a list of numbers; its shape is {array.shape}")
        if array.dtype.kind in "mMc":  # NumPy would convert dates to nanoseconds, and drop imaginary parts
            hint = "; give seconds: (t - t[0]) / np.timedelta64(1, 's')" if array.dtype.kind in "mM" else ""
            raise TrajectoryError(f"{self.path}: column '{name}' must be real numbers, not {array.dtype}{hint}")
        return array

    def _numbers(self, name: str) -> Array:
        try:
            return np.asarray(self._data[name], dtype=float)
        except (TypeError, ValueError) as error:
            raise TrajectoryError(f"{self.path}: column '{name}' must be numbers: {error}") from None


@dataclass(frozen=True, eq=False)
class SourcePart:
    """A table, and the quantities that it may contain."""

    table: TableFile
    quantities: tuple[str, ...] = QUANTITIES


def parts_of(source: Any) -> tuple[SourcePart, ...]:
    """The tables of a log, from the `source` of `read_log`."""
    if isinstance(source, (str, os.PathLike)):
        return (SourcePart(open_table(source)),)
    if isinstance(source, Mapping) and source:
        return _parts_of_mapping(source)
    if hasattr(source, "columns") and hasattr(source, "__getitem__"):
        return (SourcePart(ArrayTable({name: source[name] for name in source.columns}, "data frame")),)
    raise InputError(
        "a log is a path, a mapping of quantities (t, q, qd, qdd, tau) to paths or arrays, or a data frame, not "
        f"{type(source).__name__}"
    )


def _parts_of_mapping(source: Mapping[Any, Any]) -> tuple[SourcePart, ...]:
    are_paths = {isinstance(value, (str, os.PathLike)) for value in source.values()}
    if are_paths == {True, False}:
        raise InputError("a log must have paths for all quantities, or arrays for all")
    if are_paths == {False}:
        return (SourcePart(ArrayTable(_columns_of_arrays(source), "log")),)
    if unknown := [name for name in source if name not in QUANTITIES]:
        raise InputError(f"a log: unknown quantity {unknown[0]!r}; available: {', '.join(QUANTITIES)}")
    files: dict[str, list[str]] = {}
    for quantity, path in source.items():
        files.setdefault(os.fspath(path), []).append(quantity)
    return tuple(SourcePart(open_table(path), ("t", *quantities)) for path, quantities in files.items())


def _columns_of_arrays(source: Mapping[Any, Any]) -> dict[str, Any]:
    """Columns by name; an array of several columns, such as `q`, becomes `q1`, `q2`, ..."""
    columns: dict[str, Any] = {}
    for name, values in source.items():
        array = _array(str(name), values)
        if array.ndim == 2:
            more = {f"{name}{k + 1}": column for k, column in enumerate(array.T)}
        else:
            more = {f"{name}1" if name in QUANTITIES[1:] else str(name): array}
        if repeated := [column for column in more if column in columns]:
            raise InputError(f"a log: column '{repeated[0]}' is a duplicate; names of columns must be unique")
        columns |= more
    return columns


def _array(name: str, values: Any) -> Array:
    """Replace masked cells of an array by NaN."""
    try:
        masked = isinstance(values, np.ma.MaskedArray)
        return np.ma.filled(values.astype(float), np.nan) if masked else np.asarray(values)
    except (TypeError, ValueError) as error:
        raise TrajectoryError(f"log: column '{name}' must be numbers: {error}") from None


def in_step(tables: Sequence[TableFile], names: Sequence[Sequence[str]], rows: int) -> Iterator[list[Array]]:
    """Columns of several tables side by side, in blocks of `rows` rows; the last block may be shorter."""
    streams = [_exact(table.blocks(used, rows, missing=True), rows) for table, used in zip(tables, names, strict=True)]
    start = 0
    while True:
        blocks = [next(stream, None) for stream in streams]
        lengths = [0 if block is None else len(block) for block in blocks]
        if min(lengths) != max(lengths):
            k, m = int(np.argmin(lengths)), int(np.argmax(lengths))
            raise TrajectoryError(
                f"{tables[k].path} has {start + lengths[k]} rows, but {tables[m].path} has more: files that are read "
                "together must have equally many rows; merge them into one table with common times"
            )
        if not lengths[0]:
            return
        start += lengths[0]
        yield [block for block in blocks if block is not None]


def _exact(blocks: Iterator[tuple[float, Array]], rows: int) -> Iterator[Array]:
    """The rows in blocks of `rows`: readers return shorter blocks at empty lines and ends of row groups."""
    waiting: list[Array] = []
    for _, block in blocks:
        waiting.append(block)
        while sum(map(len, waiting)) >= rows:
            whole = waiting[0] if len(waiting) == 1 else np.concatenate(waiting)
            yield whole[:rows]
            waiting = [whole[rows:]] if len(whole) > rows else []
    if waiting and sum(map(len, waiting)):
        yield np.concatenate(waiting)
