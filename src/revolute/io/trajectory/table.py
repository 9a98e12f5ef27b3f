"""The interface of tables of numbers with named columns, read and written in blocks of rows."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from revolute.arguments import Array

BLOCK = 32768  # rows per block: enough for several threads, but only a few megabytes for any robot


class TableFile(ABC):
    """A file with a table of named columns.

    Attributes:
        path: path of the file.
        columns: names of its columns, in order.
    """

    path: Path
    columns: tuple[str, ...]

    @abstractmethod
    def blocks(self, names: Sequence[str], rows: int = BLOCK, missing: bool = False) -> Iterator[tuple[float, Array]]:
        """Read the columns `names` in blocks: (fraction of the file read so far, (k, len(names)) numbers).

        Args:
            names: columns to read.
            rows: maximum number of rows per block.
            missing: read empty cells, and cells that are not finite, as NaN.

        Raises:
            TrajectoryError: a cell is not a number, or, unless `missing`, is empty or not finite; the message names its
                line and column.
        """

    def rows(self, names: Sequence[str]) -> Array:
        """All rows of the columns `names`, (k, len(names)); raise `TrajectoryError` as `blocks` does."""
        return np.concatenate([np.empty((0, len(names))), *(block for _, block in self.blocks(names))])

    def _place(self, row: int) -> str:
        """Name of a row, counted from 1, for messages."""
        return f"row {row}"


class Writer(ABC):
    """Writes a table of named columns to a stream, which it does not close."""

    @abstractmethod
    def add(self, rows: Array) -> None:
        """Append (k, columns) numbers."""

    @abstractmethod
    def close(self) -> None:
        """Finish the table."""
