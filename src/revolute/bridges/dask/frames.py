"""A kernel evaluated on the columns of Dask data frames."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.bridges.dask.arrays import RemoteKernel
from revolute.bridges.functions import Foreign
from revolute.errors import DtypeError, ShapeError

if TYPE_CHECKING:
    from revolute.bridges.dask import DaskFunction


def over_columns(function: DaskFunction, frame: Foreign) -> Foreign:
    """The results as columns of a data frame with the same rows; raise if a column is missing or not numeric."""
    import pandas

    inputs, outputs = function.labels
    columns = [_columns(x.name, x.shape, inputs.get(x.name, ())) for x in function.inputs]
    names = [x for name, shape in function.outputs for x in _columns(name, shape, outputs.get(name, ()))]
    there = list(frame.columns)
    for column in itertools.chain.from_iterable(columns):
        if there.count(column) != 1:
            problem = "the data frame has two columns" if column in there else "the data frame has no column"
            raise ShapeError(f"{function.__name__}: {problem} '{column}'; it has: {', '.join(map(str, there[:8]))}")
    used = frame[list(itertools.chain.from_iterable(columns))]
    for column, dtype in used.dtypes.items():
        if getattr(dtype, "kind", "O") not in "fiub":
            raise DtypeError(f"{function.__name__}: column '{column}' must hold real numbers, not {dtype}")
    kernel = function.kernel(*used.dtypes)
    task = _PartitionTask(RemoteKernel(kernel), columns, [x.shape for x in function.inputs], names, kernel.dtype)
    meta = pandas.DataFrame({name: np.zeros(0, kernel.dtype) for name in names}, index=frame._meta.index)
    return used.map_partitions(task, meta=meta)


def _columns(name: str, shape: tuple[int, ...], labels: Sequence[Sequence[str] | None]) -> list[str]:
    """Column names: q.<joint> along joints, x.0 along other axes, M.<joint>.<joint> for matrices."""
    axes = [
        [str(x) for x in (labels[k] if k < len(labels) and labels[k] is not None else range(size)) or ()]
        for k, size in enumerate(shape)
    ]
    return [".".join((name, *entry)) for entry in itertools.product(*axes)]


BLOCK = 16384  # number of rows of a partition that are converted and computed at once; for a UR5 they occupy 2 MB


class _PartitionTask:
    """Evaluate one partition block by block, so that a worker needs little memory beyond the partition and results."""

    def __init__(
        self, kernel: RemoteKernel, columns: list[list[str]], shapes: list[tuple[int, ...]], names: list[str],
        dtype: np.dtype[Any],
    ) -> None:
        self.kernel, self.columns, self.shapes, self.names, self.dtype = kernel, columns, shapes, names, dtype

    def __call__(self, frame: Foreign) -> Foreign:
        import pandas

        n = len(frame)
        given = [[frame[name].to_numpy(self.dtype) for name in group] for group in self.columns]
        columns = np.empty((len(self.names), n), self.dtype)  # pandas and Arrow store each column contiguously
        for begin in range(0, n, BLOCK):
            rows = slice(begin, min(begin + BLOCK, n))
            size = rows.stop - rows.start
            arrays = [
                np.stack([column[rows] for column in group], axis=1).reshape(size, *shape)
                for group, shape in zip(given, self.shapes, strict=True)
            ]
            results = self.kernel(*arrays)
            several = results if isinstance(results, tuple) else (results,)
            columns[:, rows] = np.concatenate([x.reshape(size, -1) for x in several], axis=1).T
        return pandas.DataFrame(columns.T, index=frame.index, columns=self.names, copy=False)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        """Return the same name for the same computation."""
        return self.kernel.__dask_tokenize__(), self.columns
