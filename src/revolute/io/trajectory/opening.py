"""Open tables for reading and writing: the suffix of a file determines its format."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from revolute.arguments import Array
from revolute.errors import TrajectoryError
from revolute.io.trajectory.csv import CsvTable, CsvWriter
from revolute.io.trajectory.parquet import ParquetTable, ParquetWriter
from revolute.io.trajectory.table import TableFile, Writer
from revolute.whole_file import check_target, whole_file

PARQUET = (".parquet", ".pq")
WRITTEN = (".csv", *PARQUET)  # file suffixes of tables that can be written. Files with any other suffix are read as CSV


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() in PARQUET


def check_output(path: str | os.PathLike[str]) -> None:
    """Check in advance, by suffix and folder, that a table can be written.

    Raises:
        TrajectoryError: the suffix is not a table format, or the folder does not exist.
    """
    check_target(path, "tables", WRITTEN, TrajectoryError)


def open_table(path: str | os.PathLike[str]) -> TableFile:
    """Open the table in a file: Parquet for the suffixes .parquet and .pq, otherwise CSV.

    Raises:
        TrajectoryError: the file cannot be read, is empty, or does not name its columns.
    """
    file = Path(path)
    if not file.is_file():
        raise TrajectoryError(f"{file}: {'not a file' if file.exists() else 'no such file'}")
    table: TableFile = ParquetTable(file) if _is_parquet(file) else CsvTable(file)
    if repeated := sorted({name for name in table.columns if table.columns.count(name) > 1}):
        raise TrajectoryError(f"{file}: duplicate column '{repeated[0]}'; names of columns must be unique")
    return table


@contextlib.contextmanager
def open_writer(path: str | os.PathLike[str], columns: Sequence[str]) -> Iterator[Writer]:
    """Open a writer for a table; the complete file appears when the block ends without an error.

    The suffix determines the format: .csv, .parquet or .pq.

    Raises:
        TrajectoryError: the suffix is unknown, or the file cannot be written.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from revolute.io.trajectory import open_writer
        >>> path = Path(tempfile.mkdtemp()) / "a.csv"
        >>> with open_writer(path, ["t", "q.a"]) as writer:
        ...     writer.add(np.array([[0.0, 0.5]]))
        >>> print(path.read_text().strip())
        t,q.a
        0.0,0.5
    """
    file = Path(path)
    kind = ParquetWriter if _is_parquet(file) else CsvWriter
    check_output(file)
    try:
        with whole_file(file) as stream, _closing(kind(stream, tuple(columns))) as writer:
            yield writer
    except OSError as error:
        raise TrajectoryError(f"{file}: cannot be written: {error.strerror or error}") from None


@contextlib.contextmanager
def _closing(writer: Writer) -> Iterator[Writer]:
    """Close the writer at the end. After an error in the block, errors on closing are ignored."""
    try:
        yield writer
    except BaseException:
        with contextlib.suppress(Exception):
            writer.close()
        raise
    writer.close()


def write(path: str | os.PathLike[str], columns: Sequence[str], *arrays: Array) -> None:
    """Write arrays side by side: an (n,) array is one column, an (n, k) array is k columns.

    Example:
        >>> import tempfile, os
        >>> from revolute.io.trajectory import open_table, write
        >>> path = os.path.join(tempfile.mkdtemp(), "a.csv")
        >>> write(path, ["t", "a", "b"], np.arange(2.0), np.ones((2, 2)))
        >>> open_table(path).columns
        ('t', 'a', 'b')
    """
    with open_writer(path, columns) as writer:
        writer.add(np.column_stack(arrays))
