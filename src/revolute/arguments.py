"""Checks of arguments, where Python itself would fail far from the cause or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from revolute.errors import DtypeError, InputError, ShapeError
from revolute.plain_numbers import plain_number

__all__ = [
    "broadcast_shapes",
    "float_copy",
    "instance",
    "instances",
    "is_scalar",
    "mapping",
    "number",
    "random_generator",
    "real_array",
    "scalar",
    "scalars",
    "whole_number",
    "wrenches_by_link",
]

T = TypeVar("T")


def is_scalar(x: Any) -> bool:
    """Whether x can be multiplied, as numbers, arrays, symbols and graph nodes can."""
    return hasattr(x, "__mul__") and not isinstance(x, (str, bytes, bytearray, list, tuple, type))


def scalar(what: str, x: Any) -> Any:
    """A number or symbol, or `InputError`."""
    if not is_scalar(x):
        raise InputError(f"{what} must be a number, not {x!r}")
    return x


def scalars(what: str, x: Any, count: int) -> tuple[Any, ...]:
    """`count` numbers or symbols, or `InputError`."""
    values = tuple(x) if isinstance(x, Iterable) and not isinstance(x, (str, bytes)) else ()
    if len(values) != count or not all(map(is_scalar, values)):
        raise InputError(f"{what} must be {'three' if count == 3 else count} numbers, not {x!r}")
    return values


def number(what: str, x: Any) -> float:
    """A real number, or `InputError`."""
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)):
        raise InputError(f"{what} must be a number, not {x!r}")
    try:
        return float(x)
    except OverflowError:
        raise InputError(f"{what} is too large a number for a float") from None


def whole_number(what: str, x: Any, least: int) -> int:
    """An integer of at least `least`, or `InputError`."""
    if isinstance(x, bool) or not isinstance(x, (int, np.integer)) or x < least:
        raise InputError(f"{what} must be a whole number, {least} or more, not {x!r}")
    return int(x)


def instance(what: str, x: Any, kind: type[T] | tuple[type[T], ...]) -> T:
    """An object of a class, or `InputError`."""
    if not isinstance(x, kind):
        name = kind.__name__ if isinstance(kind, type) else " or ".join(each.__name__ for each in kind)
        raise InputError(f"{what} must be of the type {name}, not {x!r}")
    return x


def instances(what: str, x: Any, kind: type[T]) -> tuple[T, ...]:
    """Objects of a class, or `InputError`."""
    if not isinstance(x, Iterable) or isinstance(x, (str, bytes)):
        raise InputError(f"{what} must be a sequence, not {x!r}")
    return tuple(instance(f"{what}: each", each, kind) for each in x)


def mapping(what: str, x: Any) -> Mapping[Any, Any]:
    """A dict or another mapping, or `InputError`."""
    if not isinstance(x, Mapping):
        raise InputError(f"{what} must be a dict, {{name: value}}, not {x!r}")
    return x


def wrenches_by_link(wrenches: Any) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Link names and their wrenches, from a mapping or None; else `InputError`."""
    if wrenches is None:
        return (), ()
    if not isinstance(wrenches, Mapping):
        raise InputError(f"wrenches must be {{link name: (..., 6) array}}, not {type(wrenches).__name__}")
    return tuple(wrenches), tuple(wrenches.values())


def real_array(what: str, x: Any) -> NDArray[Any]:
    """An array of real numbers, or `InputError`."""
    try:
        array = np.asarray(x)
    except ValueError:
        raise InputError(f"{what} is ragged: its rows must have equal lengths") from None
    if array.dtype.kind not in "fiu":
        raise InputError(f"{what} must be real numbers, not {x!r}")
    return array


def float_copy(what: str, x: Any) -> NDArray[np.float64]:
    """A new float64 array of real numbers.

    Raises:
        DtypeError: x is complex, or holds no numbers.
        ShapeError: its rows have different lengths.
    """
    try:
        array = np.asarray(x)
    except ValueError:
        raise ShapeError(f"{what} is ragged: its rows must have equal lengths") from None
    except (TypeError, OverflowError):
        raise DtypeError(f"{what} must be real numbers, not {x!r}") from None
    if array.dtype.kind == "O":
        array = _of_exact_numbers(array)
    if array.dtype.kind not in "fiub":
        raise DtypeError(f"{what} must be real numbers, not {array.dtype if array.ndim else repr(x)}")
    with np.errstate(over="ignore"):  # numbers of higher precision may become infinite
        return np.array(array, dtype=np.float64)


def _of_exact_numbers(array: NDArray[Any]) -> NDArray[Any]:
    """Fractions, decimals and SymPy numbers as floats; the same array if it holds anything else."""
    numbers = [float(x) if getattr(x, "is_number", False) and x.is_real else plain_number(x) for x in array.ravel()]
    if not all(type(x) is float or (type(x) is int and abs(x) < 1 << 1023) for x in numbers):
        return array
    return np.array(numbers, dtype=float).reshape(array.shape)


def broadcast_shapes(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The common broadcast shape of any number of shapes: NumPy's own function takes 32 at most.

    Raises:
        ValueError: they do not broadcast.
    """
    axes = max(map(len, shapes))
    result = []
    for extents in zip(*((1,) * (axes - len(shape)) + shape for shape in shapes), strict=True):
        sizes = set(extents) - {1}
        if len(sizes) > 1:
            raise ValueError(f"shapes do not broadcast: {', '.join(map(str, shapes))}")
        result.append(sizes.pop() if sizes else 1)
    return tuple(result)


def random_generator(what: str, rng: Any) -> np.random.Generator:
    """The generator, or a new one from a seed; else `InputError`."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InputError(f"{what}: rng must be a NumPy generator or a seed, a whole number, not {rng!r}") from None
