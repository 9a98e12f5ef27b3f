"""Parquet, through PyArrow: https://arrow.apache.org/docs/python/parquet.html"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import MissingExtraError, TrajectoryError
from revolute.trajectory.table import BLOCK, Table, Writer

__all__ = ["ParquetTable", "ParquetWriter"]


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("Parquet files need PyArrow", "trajectory") from None
    return pyarrow, pyarrow.parquet


class ParquetTable(Table):
    """A Parquet file."""

    def __init__(self, path: Path) -> None:
        arrow, parquet = _arrow()
        self.path = path
        try:
            self._file = parquet.ParquetFile(path)
        except (arrow.ArrowException, OSError) as error:
            raise TrajectoryError(f"{path}: not a Parquet file: {str(error).splitlines()[0]}") from None
        self.columns = tuple(self._file.schema_arrow.names)

    def blocks(self, names: Sequence[str], rows: int = BLOCK) -> Iterator[tuple[float, NDArray[Any]]]:
        """See `Table.blocks`."""
        done, total = 0, max(self._file.metadata.num_rows, 1)
        for batch in self._file.iter_batches(batch_size=rows, columns=list(names)):
            values = np.column_stack([self._column(batch, name) for name in names])
            wrong = np.argwhere(~np.isfinite(values))
            if len(wrong):
                row, column = wrong[0]
                raise TrajectoryError(
                    f"{self.path}: row {done + row + 1}, column '{names[column]}': the cell is empty or not finite"
                )
            done += len(values)
            yield done / total, values

    def _column(self, batch: Any, name: str) -> NDArray[Any]:
        arrow, _ = _arrow()
        try:
            cells = batch.column(name).cast(arrow.float64())
        except arrow.ArrowException as error:
            raise TrajectoryError(f"{self.path}: column '{name}' is not numbers: {error}") from None
        return np.asarray(cells.to_numpy(zero_copy_only=False), dtype=float)


class ParquetWriter(Writer):
    """A Parquet file in the making."""

    def __init__(self, path: Path, columns: tuple[str, ...]) -> None:
        self._arrow, parquet = _arrow()
        self._schema = self._arrow.schema([(name, self._arrow.float64()) for name in columns])
        self._file = parquet.ParquetWriter(path, self._schema)

    def add(self, rows: NDArray[Any]) -> None:
        """See `Writer.add`."""
        columns = [self._arrow.array(column) for column in rows.T]
        self._file.write_table(self._arrow.table(columns, schema=self._schema))

    def close(self) -> None:
        """See `Writer.close`."""
        self._file.close()
