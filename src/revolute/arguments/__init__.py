"""Checks of arguments for which Python itself fails late or not at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from revolute.arguments.foreign import require_plain, require_plain_entries
from revolute.arguments.nearest import nearest
from revolute.errors import DtypeError, GraphError, InputError, RevoluteError, ShapeError, one_line
from revolute.plain_numbers import are_plain, plain_number

__all__ = [
    "MOST_SHOWN", "UNLABELLED", "Array", "broadcast_shapes", "broadcasts_to", "by_names", "column_labels",
    "common_batch", "evenly_chosen", "finite_array", "finite_rows", "float_copy", "instance", "instances",
    "is_scalar", "mapping", "nearest", "number", "positive", "random_generator", "real_array", "require_out",
    "scalar", "scalars", "swap_hint", "user_scalars", "whole_number", "with_tuples", "wrenches_by_link",
]  # fmt: skip

T = TypeVar("T")
Array = NDArray[Any]
LARGEST = float(np.finfo(np.float64).max)
MOST_SHOWN = 24  # maximum number of configurations that a picture or an interactive view draws from one batch


def is_scalar(x: object) -> bool:
    """Whether x supports multiplication: numbers, arrays, symbols and graph nodes do."""
    return hasattr(x, "__mul__") and not isinstance(x, (str, bytes, bytearray, list, tuple, type))


def scalar(what: str, x: Any) -> Any:
    """Return x if it is a number or symbol; otherwise raise `InputError`."""
    if not is_scalar(x):
        raise InputError(f"{what} must be a number, not {x!r}")
    return x


def scalars(what: str, x: Any, count: int) -> tuple[Any, ...]:
    """Return `count` numbers or symbols as a tuple; otherwise raise `InputError`."""
    is_row = isinstance(x, tuple) or (isinstance(x, Iterable) and not isinstance(x, (str, bytes)))
    values = tuple(x) if is_row else ()
    if len(values) != count or not (are_plain(values) or all(map(is_scalar, values))):
        raise InputError(f"{what} must be {'three' if count == 3 else count} numbers, not {x!r}")
    return values


def user_scalars(what: str, f: Callable[..., Any], *arguments: Any, also: type = float) -> list[Any]:
    """The scalars, or instances of `also`, that a user's function of a model and lists of scalars returns."""
    try:
        x = f(*arguments)
    except Exception as error:
        if isinstance(error, RevoluteError) and not isinstance(error, GraphError):
            raise
        sizes = ", ".join(str(len(x)) for x in arguments[1:])
        raise InputError(
            f"{what} failed with {type(error).__name__}: {error}. It receives a model and lists of {sizes} scalars, "
            "and must support any scalar type: import sin, cos, sqrt, atan2, select from revolute.spatial.scalar"
        ) from error
    is_list = isinstance(x, (list, tuple, np.ndarray)) and len(x) > 0
    if not is_list or not all(is_scalar(y) or isinstance(y, also) for y in x):
        raise InputError(f"{what} must return a list of scalars, not {x!r}")
    return list(x)


def number(what: str, x: object) -> float:
    """Return a real number as a float; otherwise raise `InputError`."""
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)):
        raise InputError(f"{what} must be a number, not {x!r}")
    try:
        return float(x)
    except OverflowError:
        raise InputError(f"{what} is too large a number for a float") from None


def positive(what: str, x: object, kind: str = "number") -> float:
    """Return a positive, finite number as a float; otherwise raise `InputError`. `kind` describes it: "time [s]"."""
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)) or not 0 < x <= LARGEST:
        raise InputError(f"{what} must be a positive {kind}, not {x!r}")
    return float(x)


def whole_number(what: str, x: object, least: int) -> int:
    """Return an integer of at least `least` as an int; otherwise raise `InputError`."""
    if isinstance(x, bool) or not isinstance(x, (int, np.integer)) or x < least:
        raise InputError(f"{what} must be a whole number, {least} or more, not {x!r}")
    return int(x)


def instance(what: str, x: object, kind: type[T] | tuple[type[T], ...]) -> T:
    """Return x if it is an instance of `kind`; otherwise raise `InputError`."""
    if not isinstance(x, kind):
        name = kind.__name__ if isinstance(kind, type) else " or ".join(dict.fromkeys(each.__name__ for each in kind))
        raise InputError(f"{what} must be of the type {name}, not {one_line(repr(x))}")
    return x


def instances(what: str, x: object, kind: type[T] | tuple[type[T], ...]) -> tuple[T, ...]:
    """Return the items of x as a tuple if all are instances of `kind`; otherwise raise `InputError`."""
    if not isinstance(x, Iterable) or isinstance(x, (str, bytes)):
        raise InputError(f"{what} must be a sequence, not {x!r}")
    values = tuple(x)
    for each in values:
        if not isinstance(each, kind):
            instance(f"{what}: each", each, kind)
    return values


def mapping(what: str, x: object) -> Mapping[Any, Any]:
    """Return x if it is a mapping; otherwise raise `InputError`."""
    if not isinstance(x, Mapping):
        raise InputError(f"{what} must be a dict, {{name: value}}, not {x!r}")
    return x


def wrenches_by_link(wrenches: object) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Return link names and their wrenches, from a mapping or None; otherwise raise `InputError`."""
    if wrenches is None:
        return (), ()
    if not isinstance(wrenches, Mapping):
        raise InputError(f"wrenches must be {{link name: (..., 6) array}}, not {type(wrenches).__name__}")
    return tuple(wrenches), tuple(wrenches.values())


def real_array(what: str, x: object) -> NDArray[Any]:
    """Return x as an array of real numbers; otherwise raise `InputError`, or see `require_plain`."""
    require_plain_entries(what, x)
    try:
        array = np.asarray(x)
    except ValueError:
        raise InputError(f"{what} is ragged: its rows must have equal lengths") from None
    if array.dtype.kind not in "fiu":
        raise InputError(f"{what} must be real numbers, not {x!r}")
    return array


# --- tables with named columns ---------------------------------------------------------------

_FLOAT64 = np.dtype(np.float64)
UNLABELLED = frozenset({np.ndarray, np.float64, list, tuple, float, int})
"""Types of arrays that never have column labels, so that one look-up skips the search for labels."""


def column_labels(x: object) -> tuple[Any, ...] | None:
    """Labels along the last axis of a table of pandas, polars or pyarrow; None for arrays and labels 0, 1, 2 ...

    For a pandas Series these are the labels of its index.
    """
    if type(x) in UNLABELLED:
        return None
    labels = getattr(x, "column_names", None)  # pyarrow
    if labels is None:
        labels = getattr(x, "columns", None)
    if labels is None and hasattr(x, "iloc"):
        labels = getattr(x, "index", None)
    if labels is None or not isinstance(labels, Iterable):
        return None
    listed = tuple(labels)
    return None if listed == tuple(range(len(listed))) else listed


def by_names(what: str, x: Any, names: Sequence[str] | None, prefix: str = "") -> Any:
    """The columns of a table as an array, in the order of `names`; x itself if its columns have no names.

    Columns are never matched by position. `names` is None if x must not have labels; all labels may begin with
    `prefix`. Raise `ShapeError` if the labels differ from `names` or one occurs twice, and `DtypeError` for an array of
    another library that is not a plain array: see `require_plain`.
    """
    if type(x) in UNLABELLED:
        return x
    require_plain(what, x)
    if (labels := column_labels(x)) is None:
        return x
    if names is None:
        raise ShapeError(f"{what} has labels, but must not have any; pass its to_numpy()")
    if prefix and all(isinstance(label, str) and label.startswith(prefix) for label in labels):
        labels = tuple(label.removeprefix(prefix) for label in labels)
    missing, others = [x for x in names if x not in labels], [x for x in labels if x not in names]
    if missing or others or len(set(labels)) < len(labels):
        faults = [f"no {_listed(missing)}"] if missing else []
        faults += [f"{_listed(others)} besides"] if others else []
        faults += [] if faults else ["a duplicate label"]
        raise ShapeError(
            f"{what} is a table with labels, and has {', and '.join(faults)}; its labels must be the coordinates, in "
            f"any order: {_listed(names)}; or pass numbers without labels, in that order: to_numpy()"
        )
    return np.asarray(x)[..., [labels.index(name) for name in names]]


def _listed(labels: Sequence[Any], most: int = 8) -> str:
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(f"'{x}'" for x in labels[:most]) + more


def float_copy(what: str, x: object) -> NDArray[np.float64]:
    """A new float64 array of real numbers.

    Raise `DtypeError` for other entries, and `ShapeError` for rows of different lengths or a table with labels.
    """
    by_names(what, x, None)
    require_plain_entries(what, x)
    try:
        array = np.asarray(x)
    except ValueError:
        raise ShapeError(f"{what} is ragged: its rows must have equal lengths") from None
    except (TypeError, OverflowError):
        raise DtypeError(f"{what} must be real numbers, not {x!r}") from None
    if array.dtype is _FLOAT64:
        return np.array(array)
    if array.dtype.kind == "O":
        array = _of_exact_numbers(array)
    if array.dtype.kind not in "fiub":
        raise DtypeError(f"{what} must be real numbers, not {array.dtype if array.ndim else repr(x)}")
    with np.errstate(over="ignore"):  # converting a number from a higher precision may overflow to infinity
        return np.array(array, dtype=np.float64)


def finite_array(what: str, x: object) -> NDArray[np.float64]:
    """A new float64 array of finite numbers. Raise `InputError` for others; for further errors see `float_copy`."""
    array = float_copy(what, x)
    if not np.isfinite(array).all():
        place = f" at {np.argwhere(~np.isfinite(array))[0].tolist()}" if array.ndim > 1 else ""
        raise InputError(f"{what} is not finite{place}")
    return array


def finite_rows(what: str, name: str, x: object, size: int, labels: Sequence[str] | None = None) -> NDArray[np.float64]:
    """A new (..., size) array of finite numbers; a table's columns are selected by their `labels`.

    `what` is the caller, and `name` the argument. Raise `DtypeError` for entries that are not real numbers,
    `ShapeError` for wrong labels, a wrong number of columns or no row, and `InputError` for NaN and infinite numbers.
    """
    array = float_copy(f"{what}: {name}", by_names(f"{what}: {name}", x, labels, f"{name}."))
    if array.shape[-1:] != (size,):
        raise ShapeError(f"{what}: {name} has shape {array.shape}, but (..., {size}) is needed")
    if not math.prod(array.shape[:-1]):
        raise ShapeError(f"{what}: {name} has no row")
    if not np.isfinite(array).all():
        finite = np.isfinite(array).all(axis=-1)
        place = f", in row {int(np.argmin(finite.ravel()))}" if finite.ndim else ""
        raise InputError(f"{what}: {name} has a number that is not finite{place}")
    return array


def require_out(what: str, out: object, shape: tuple[int, ...], dtype: Any) -> None:
    """Raise an error unless `out` is a writable array of this shape and type."""
    if not isinstance(out, np.ndarray):
        raise DtypeError(f"{what} must be a NumPy array, not {type(out).__name__}")
    if out.dtype != dtype:
        raise DtypeError(f"{what} must be {np.dtype(dtype)}, not {out.dtype}")
    if out.shape != shape:
        raise ShapeError(f"{what} must have shape {shape}, not {out.shape}")
    if not out.flags.writeable:
        raise InputError(f"{what} is read-only")


def evenly_chosen(count: int, most: int) -> NDArray[np.intp]:
    """Indices of at most `most` of `count` rows, evenly spaced, including the first and the last."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))


def _of_exact_numbers(array: NDArray[Any]) -> NDArray[Any]:
    """Convert fractions, decimals and SymPy numbers to floats; return an array with any other entry unchanged."""
    numbers = [float(x) if getattr(x, "is_number", False) and x.is_real else plain_number(x) for x in array.ravel()]
    if not all(type(x) is float or (type(x) is int and abs(x) < 1 << 1023) for x in numbers):
        return array
    return np.array(numbers, dtype=float).reshape(array.shape)


def broadcast_shapes(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The common broadcast shape, or `ValueError`. Any number of shapes is allowed; NumPy's accepts at most 32."""
    axes = max(map(len, shapes))
    result = []
    for extents in zip(*((1,) * (axes - len(shape)) + tuple(shape) for shape in shapes), strict=True):
        size = next((x for x in extents if x != 1), 1)
        if any([x != 1 and x != size for x in extents]):  # sizes that PyTorch traces are not hashable
            raise ValueError(f"shapes do not broadcast: {', '.join(map(str, shapes))}")
        result.append(size)
    return tuple(result)


def common_batch(what: str, names: Iterable[str], shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The common broadcast shape of named arrays; otherwise raise `ShapeError`."""
    try:
        return broadcast_shapes(shapes)
    except ValueError:
        listed = ", ".join(f"{name} {shape}" for name, shape in zip(names, shapes, strict=False))
        raise ShapeError(f"{what} do not broadcast: {listed}") from None


def broadcasts_to(leading: tuple[int, ...], batch: tuple[int, ...]) -> bool:
    """Whether the leading axes broadcast to the shape of a batch without enlarging the batch."""
    try:
        return broadcast_shapes([leading, batch]) == batch
    except ValueError:
        return False


def swap_hint(names: Sequence[str], shapes: Sequence[tuple[int, ...]], needed: Sequence[tuple[int, ...]]) -> str:
    """A hint for a shape error, if two of the arguments seem to be swapped; otherwise "".

    `needed` contains the last axes of correct shapes.
    """
    fits = [[shape[max(len(shape) - len(core), 0) :] == core for core in needed] for shape in shapes]
    for i in range(len(names)):
        for j in range(i):
            if fits[i][j] and fits[j][i] and not (fits[i][i] and fits[j][j]):
                return f"; {names[j]} and {names[i]} seem to be swapped"
    return ""


def with_tuples(options: Mapping[str, Any]) -> dict[str, Any]:
    """Replace lists in options by tuples, because lists are not hashable."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}


def random_generator(what: str, rng: Any) -> np.random.Generator:
    """Return the generator, or a new one from a seed; otherwise raise `InputError`."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InputError(f"{what}: rng must be a NumPy generator or a seed, a whole number, not {rng!r}") from None
