"""Arguments of the tensor functions: vectors and tensors of any scalar type, and tensors of numbers."""

from collections.abc import Iterable, Mapping, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError
from revolute.spatial.scalar import Expression, Scalars
from revolute.spatial.vectors import Matrix, Vector, vector


def as_vector(name: str, u: Scalars | Expression) -> Vector:
    """The vector of three scalars, or of a SymPy row or column; raise `InputError` for anything else."""
    if type(u) is Vector:
        return u
    if isinstance(u, (Mapping, Set)):
        raise InputError(f"{name} must be three numbers in a list or tuple, not {u!r}")
    if not isinstance(u, Iterable) and has_shape(u, (3, 1), (1, 3)):
        u = [x for row in u.tolist() for x in row]
    return vector(name, u)


def as_tensor(name: str, T: Sequence[Scalars] | Expression) -> Matrix:
    """The tensor of three rows of three scalars, or of a SymPy matrix; raise `InputError` for anything else."""
    if type(T) is Matrix:
        return T
    rows = T.tolist() if not isinstance(T, Iterable) and has_shape(T, (3, 3)) else T
    rows = tuple(rows) if isinstance(rows, Iterable) and not isinstance(rows, (Mapping, Set)) else ()
    if len(rows) != 3:
        raise InputError(f"{name} must be three rows of three numbers, not {T!r}")
    return Matrix(as_vector(f"{name}: a row", row) for row in rows)


def as_numbers(name: str, T: Sequence[Scalars] | Expression) -> NDArray[np.float64]:
    """A tensor of finite real numbers as a (3, 3) array; raise `InputError` for anything else."""
    rows = as_tensor(name, T)
    for x in (x for row in rows for x in row):
        if np.iscomplexobj(x) or getattr(x, "is_extended_real", None) is False:
            raise InputError(f"{name} must have real entries, not {x!r}")
    try:
        numbers = np.array(rows, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} must have numbers as entries, not symbols; substitute values first") from None
    except OverflowError:
        raise InputError(f"{name} has an entry that is too large for a float") from None
    if numbers.shape != (3, 3):
        raise InputError(f"{name} must have numbers as entries, not arrays; give one tensor at a time")
    if not np.isfinite(numbers).all():
        raise InputError(f"{name} must have finite entries, not {T!r}")
    return numbers


def has_shape(x: object, *shapes: tuple[int, ...]) -> bool:
    """Whether x is a matrix, such as a SymPy matrix, with one of these shapes and a method `tolist`."""
    shape = getattr(x, "shape", None)
    return hasattr(x, "tolist") and isinstance(shape, tuple) and shape in shapes
