"""Parquet, through PyArrow: https://arrow.apache.org/docs/python/parquet.html"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from revolute.arguments import Array
from revolute.errors import TrajectoryError, extra
from revolute.io.trajectory.table import BLOCK, TableFile, Writer

LARGE, BUFFER = 2**25, 2**16
"""Minimum size of a large file, and size of the read buffer of each of its columns, in bytes. Small files are read
without a buffer, by whole row groups: a damaged file may make PyArrow's buffer grow to gigabytes."""

REMEDY = "write it again, or use another copy"
DAMAGED = f"the file is damaged; {REMEDY}"


def _arrow() -> tuple[Any, Any]:
    with extra("Parquet files need PyArrow", "trajectory"):
        import pyarrow.parquet
    return pyarrow, pyarrow.parquet


class ParquetTable(TableFile):
    """A Parquet file. Checksums of pages are verified where present."""

    def __init__(self, path: Path) -> None:
        _, parquet = _arrow()
        self.path = path
        with self._naming_file(f"not a Parquet file, or a damaged one; {REMEDY}"):
            size = BUFFER if path.stat().st_size > LARGE else 0
            self._file = parquet.ParquetFile(path, page_checksum_verification=True, pre_buffer=False, buffer_size=size)
            self.columns = tuple(self._file.schema_arrow.names)

    def blocks(self, names: Sequence[str], rows: int = BLOCK, missing: bool = False) -> Iterator[tuple[float, Array]]:
        """See `TableFile.blocks`."""
        done, total = 0, self._file.metadata.num_rows
        with self._naming_file(DAMAGED):
            batches = self._file.iter_batches(batch_size=rows, columns=list(names))
        while True:
            with self._naming_file(DAMAGED):
                if (batch := next(batches, None)) is None:
                    break
                columns = [batch.column(name) for name in names]
            values = np.column_stack([self._numbers(*column) for column in zip(names, columns, strict=True)])
            finite = np.isfinite(values)
            if missing:
                values[~finite] = np.nan
            elif not finite.all():
                row, column = np.argwhere(~finite)[0]
                raise TrajectoryError(
                    f"{self.path}: row {done + row + 1}, column '{names[column]}': the cell is empty or not finite"
                )
            done += len(values)
            yield done / max(total, 1), values
        if done != total:
            raise TrajectoryError(f"{self.path}: {DAMAGED}: it has {done} rows, but its header declares {total}")

    def _numbers(self, name: str, column: Any) -> Array:
        arrow, _ = _arrow()
        try:
            cells = column.cast(arrow.float64())
        except arrow.ArrowException as error:
            raise TrajectoryError(f"{self.path}: column '{name}' must be numbers: {error}") from None
        return np.asarray(cells.to_numpy(zero_copy_only=False), dtype=float)

    @contextlib.contextmanager
    def _naming_file(self, what: str) -> Iterator[None]:
        """Convert errors of PyArrow to errors that name the file. A damaged file can cause any type of error."""
        arrow, _ = _arrow()
        try:
            yield
        except (arrow.ArrowException, OSError, ValueError, LookupError, MemoryError, OverflowError) as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(": ")
            raise TrajectoryError(f"{self.path}: {what}: {reason}") from None


class ParquetWriter(Writer):
    """Writes a Parquet file."""

    def __init__(self, stream: BinaryIO, columns: tuple[str, ...]) -> None:
        self._arrow, parquet = _arrow()
        self._schema = self._arrow.schema([(name, self._arrow.float64()) for name in columns])
        self._file = parquet.ParquetWriter(stream, self._schema, write_page_checksum=True)

    def add(self, rows: Array) -> None:
        """See `Writer.add`."""
        columns = [self._arrow.array(column) for column in rows.T]
        self._file.write_table(self._arrow.table(columns, schema=self._schema))

    def close(self) -> None:
        """See `Writer.close`."""
        self._file.close()
