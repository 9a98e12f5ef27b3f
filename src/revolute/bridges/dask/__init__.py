"""Functions of machines on Dask arrays and data frames, and on xarray arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from revolute.bridges.dask.arrays import RemoteKernel, lazy, require_known, stands_for
from revolute.bridges.dask.frames import over_columns
from revolute.bridges.dask.labelled import labelled
from revolute.bridges.functions import BridgeFunction, Foreign, Functions
from revolute.compiler.kernel import Kernel

__all__ = ["DaskFunction", "DaskFunctions", "Labels"]

Labels = Mapping[str, Sequence[Sequence[str] | None]]
"""Names of the entries along each axis, by the name of the array; None for an axis without names."""


class DaskFunctions(Functions["DaskFunction"]):
    """Functions of one machine for Dask and xarray."""

    package, library = "dask", "Dask"

    def _make(self, function: str, **options: Any) -> DaskFunction:
        kernel = self._machine.kernel(function, **options)
        single = cache(lambda: self._machine.kernel(function, dtype=np.float32, **options))
        return DaskFunction(kernel, single, *self._machine.axis_labels(function, options))


class DaskFunction(BridgeFunction):
    """A lazy function of Dask arrays, xarray arrays, or the columns of a Dask data frame.

    Leading axes broadcast. The function computes in float32 if all arrays are float32, otherwise in float64. Several
    results are returned as a tuple; for a data frame, as columns of one data frame.

    Each core axis must be in one chunk; the axis over joints is the dimension "joint" of a `DataArray`. A Dask data
    frame replaces all arguments; it has columns `q.<joint>`, `qd.<joint>` ...

    Attributes:
        labels: names of the entries of inputs and outputs.
    """

    _library = "Dask"

    def __init__(self, kernel: Kernel, single: Callable[[], Kernel], inputs: Labels, outputs: Labels) -> None:
        super().__init__(kernel.form)
        self.labels, self._double, self._single = (inputs, outputs), kernel, single

    def _evaluate(self, *arrays: Foreign) -> Foreign:
        """The lazy results: Dask arrays, `DataArray`s if any argument is one, or a Dask `DataFrame`."""
        if len(arrays) == 1 and stands_for(arrays[0], "DataFrame"):
            return over_columns(self, arrays[0])
        if any(stands_for(x, "DataArray") for x in arrays):
            return labelled(self, arrays)
        require_known(self.__name__, self.inputs, arrays)
        return self.blocks(self.checks.checked(arrays))

    def blocks(self, given: Sequence[Any]) -> Foreign:
        """Results for arrays whose shapes were checked."""
        for x, array in zip(self.inputs, given, strict=True):
            self.checks.require_real(x.name, array.dtype, array.dtype.kind in "fiub")
        kernel = self.kernel(*[x.dtype for x in given])
        return lazy(RemoteKernel(kernel), self.__name__, self.inputs, self.outputs, kernel.dtype, given)

    def kernel(self, *dtypes: Any) -> Kernel:
        """The kernel for inputs of these types."""
        return self._single() if all(x == np.float32 for x in dtypes) else self._double
