"""Checks of what other libraries' arrays have: shapes, types, batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from revolute.arguments import broadcast_shapes, swap_hint
from revolute.compiler.signature import Signature
from revolute.errors import DtypeError, InputError, ShapeError

__all__ = ["Checks"]


class Checks:
    """Of the arguments of one function.

    Args:
        form: the function.
    """

    def __init__(self, form: Signature) -> None:
        self._name, self._inputs = form.name, form.inputs

    def checked(self, arrays: tuple[Any, ...]) -> list[Any]:
        """The arrays; lists and numbers as arrays of NumPy.

        Raises:
            InputError: another number of arrays.
            ShapeError: an array does not fit, or leading axes do not broadcast.
            DtypeError: an array does not hold real numbers.
        """
        name = self._name
        if len(arrays) != len(self._inputs):
            listed = ", ".join(x.name for x in self._inputs)
            raise InputError(f"{name} takes {len(self._inputs)} arrays ({listed}), not {len(arrays)}")
        given, batches = [], []
        for x, array in zip(self._inputs, arrays, strict=True):
            value = array if hasattr(array, "shape") and hasattr(array, "dtype") else self._array(x.name, array)
            shape, axes = tuple(value.shape), len(value.shape) - len(x.shape)
            if axes < 0 or shape[axes:] != x.shape:
                labels, sizes = [y.name for y in self._inputs], [y.shape for y in self._inputs]
                hint = swap_hint(labels, [tuple(getattr(a, "shape", ())) for a in arrays], sizes)
                core = ", ".join(map(str, ("...", *x.shape)))
                raise ShapeError(f"{name}: {x.name} has shape {shape}, but ({core}) is needed{hint}")
            given.append(value)
            batches.append(shape[:axes])
        if batches.count(batches[0]) != len(batches):
            try:
                broadcast_shapes(batches)
            except ValueError:
                listed = ", ".join(f"{x.name} {shape}" for x, shape in zip(self._inputs, batches, strict=True))
                raise ShapeError(f"{name}: leading axes do not broadcast: {listed}") from None
        return given

    def require_real(self, label: str, kind: Any, is_real: bool) -> None:
        """`DtypeError` unless a type is one of real numbers."""
        if not is_real:
            raise DtypeError(f"{self._name}: {label} must hold real numbers, not {kind}")

    def _array(self, label: str, given: Any) -> Any:
        try:
            array = np.asarray(given)
        except ValueError as error:
            raise DtypeError(f"{self._name}: {label} must hold real numbers: {error}") from None
        self.require_real(label, array.dtype, array.dtype.kind in "fiub")
        return array
