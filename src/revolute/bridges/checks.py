"""Checks of arrays of other libraries: shapes, types, batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from revolute.arguments import broadcast_shapes, swap_hint
from revolute.arguments.foreign import require_plain_entries, require_unmasked
from revolute.compiler.signature import Signature
from revolute.errors import DtypeError, InputError, ShapeError

__all__ = ["Checks"]

Take = Callable[[str, Any], Any]


class Checks:
    """Checks of the arguments of one function.

    Args:
        form: the function.
    """

    def __init__(self, form: Signature) -> None:
        self._name, self._inputs = form.name, form.inputs

    def checked(self, arrays: tuple[Any, ...], take: Take | None = None) -> list[Any]:
        """The arrays; lists and numbers as NumPy arrays.

        Args:
            arrays: one for each input.
            take: `take(label, array)` returns the library's array for any of them.

        Raises:
            InputError: the number of arrays is wrong.
            ShapeError: an array does not fit, or leading axes do not broadcast.
            DtypeError: an array does not contain real numbers.
        """
        self.require_count(arrays)
        name = self._name
        given, batches = [], []
        for x, array in zip(self._inputs, arrays, strict=True):
            value = self.array(x.name, array) if take is None else take(x.name, array)
            shape, axes = tuple(value.shape), len(value.shape) - len(x.shape)
            if axes < 0 or shape[axes:] != x.shape:
                labels, sizes = [y.name for y in self._inputs], [y.shape for y in self._inputs]
                hint = swap_hint(labels, [tuple(getattr(a, "shape", ())) for a in arrays], sizes)
                core = ", ".join(map(str, ("...", *x.shape)))
                raise ShapeError(f"{name}: {x.name} has shape {shape}, but ({core}) is needed{hint}")
            given.append(value)
            batches.append(shape[:axes])
        if any([batch != batches[0] for batch in batches]):
            try:
                broadcast_shapes(batches)
            except ValueError:
                listed = ", ".join(f"{x.name} {shape}" for x, shape in zip(self._inputs, batches, strict=True))
                raise ShapeError(f"{name}: leading axes do not broadcast: {listed}") from None
        return given

    def require_count(self, arrays: tuple[Any, ...]) -> None:
        """Raise `InputError` unless there is one array per input."""
        if len(arrays) != len(self._inputs):
            listed = ", ".join(x.name for x in self._inputs)
            raise InputError(f"{self._name} takes {len(self._inputs)} arrays ({listed}), not {len(arrays)}")

    def array(self, label: str, given: Any) -> Any:
        """An array of any library, unchanged; lists and numbers as NumPy arrays.

        Raises:
            DtypeError: the numbers are not real, or masked.
        """
        what = f"{self._name}: {label}"
        if hasattr(given, "shape") and hasattr(given, "dtype"):
            require_unmasked(what, given)
            return given
        require_plain_entries(what, given)
        try:
            array = np.asarray(given)
        except (ValueError, TypeError) as error:
            raise DtypeError(f"{what} must hold real numbers: {error}") from None
        self.require_real(label, array.dtype, array.dtype.kind in "fiub")
        return array

    def require_real(self, label: str, kind: Any, is_real: bool) -> None:
        """Raise `DtypeError` unless a type is real."""
        if not is_real:
            raise DtypeError(f"{self._name}: {label} must hold real numbers, not {kind}")
