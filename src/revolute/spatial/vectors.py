"""Three-vectors and 3x3 matrices over any scalar type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from numbers import Real
from typing import Any

from revolute.arguments import scalars
from revolute.errors import InputError
from revolute.plain_numbers import are_plain, plain_all
from revolute.spatial.scalar import Scalar, Scalars

_new = tuple.__new__  # constructor of vectors and matrices of three entries without checks, for the speed of recursions


class Vector(tuple[Any, Any, Any]):
    """Three scalars with the operations of a vector space."""

    __slots__ = ()

    def __new__(cls, items: Iterable[Scalar]) -> Vector:
        self = _new(cls, items)
        if len(self) != 3:
            raise InputError(f"a vector has 3 components, not {len(self)}")
        return self

    def __add__(self, other: Vector) -> Vector:  # type: ignore[override]  # sums, not concatenation
        return _new(Vector, (self[0] + other[0], self[1] + other[1], self[2] + other[2]))

    def __sub__(self, other: Vector) -> Vector:
        return _new(Vector, (self[0] - other[0], self[1] - other[1], self[2] - other[2]))

    def __neg__(self) -> Vector:
        return _new(Vector, (-self[0], -self[1], -self[2]))

    def __mul__(self, s: Scalar) -> Vector:
        return _new(Vector, (self[0] * s, self[1] * s, self[2] * s))

    __rmul__ = __mul__


ZERO = Vector((0, 0, 0))


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Scalar product a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """Vector product a x b."""
    return _new(Vector, (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))


def perpendicular(axis: Sequence[Scalar]) -> Vector:
    """A unit vector perpendicular to a unit axis, and to the coordinate axis that is farthest from it."""
    numbers = all(isinstance(x, Real) for x in axis)
    least = min(range(3), key=lambda k: abs(axis[k]) if numbers else axis[k] != 0)
    x = cross([int(k == least) for k in range(3)], axis)
    return x if axis[least] == 0 else x * (1 / dot(x, x) ** 0.5)


class Matrix(tuple[Vector, Vector, Vector]):
    """A 3x3 matrix: three rows."""

    __slots__ = ()

    def __new__(cls, rows: Iterable[Iterable[Scalar]]) -> Matrix:
        self = _new(cls, [_new(Vector, row) for row in rows])
        if [*map(len, self)] != [3, 3, 3]:
            _ = [*map(Vector, self)]  # raises an error if a row is not a vector
            raise InputError(f"a matrix has 3 rows, not {len(self)}")
        return self

    @property
    def T(self) -> Matrix:
        """Transpose."""
        a, b, c = self
        return _new(Matrix, [_new(Vector, column) for column in zip(a, b, c, strict=True)])

    def __add__(self, other: Matrix) -> Matrix:  # type: ignore[override]
        return _new(Matrix, (self[0] + other[0], self[1] + other[1], self[2] + other[2]))

    def __sub__(self, other: Matrix) -> Matrix:
        return _new(Matrix, (self[0] - other[0], self[1] - other[1], self[2] - other[2]))

    def __neg__(self) -> Matrix:
        return _new(Matrix, (-self[0], -self[1], -self[2]))

    def __mul__(self, s: Scalar) -> Matrix:
        return _new(Matrix, (self[0] * s, self[1] * s, self[2] * s))

    __rmul__ = __mul__

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Matrix):
            x, y, z = other.T
            return _new(Matrix, [_new(Vector, (dot(row, x), dot(row, y), dot(row, z))) for row in self])
        x, y, z = other[0], other[1], other[2]
        return _new(Vector, [a * x + b * y + c * z for a, b, c in self])


def vector(what: str, x: Scalars) -> Vector:
    """An argument of three numbers as a vector; raise `InputError` for anything else."""
    return x if type(x) is Vector and are_plain(x) else _new(Vector, scalars(what, x, 3))


def matrix(what: str, x: Sequence[Scalars]) -> Matrix:
    """An argument of three rows of three numbers as a matrix; raise `InputError` for anything else."""
    rows = tuple(x) if isinstance(x, Iterable) else ()
    if len(rows) != 3:
        raise InputError(f"{what} must be three rows of three numbers, not {x!r}")
    what = f"{what}: a row"
    return _new(Matrix, [vector(what, row) for row in rows])


def plain_vector(what: str, x: Scalars) -> Vector:
    """Three scalars as a vector of plain Python numbers; a plain vector is returned unchanged."""
    components = x if type(x) is Vector else vector(what, x)
    numbers = plain_all(components)
    return components if numbers is components else Vector(numbers)


def plain_matrix(what: str, x: Sequence[Scalars]) -> Matrix:
    """Three rows as a matrix of plain Python numbers; a plain matrix is returned unchanged."""
    entries = x if type(x) is Matrix else matrix(what, x)
    return entries if are_plain(chain(*entries)) else Matrix([plain_vector(what, row) for row in entries])


IDENTITY = Matrix(((1, 0, 0), (0, 1, 0), (0, 0, 1)))


def outer(a: Sequence[Scalar], b: Sequence[Scalar]) -> Matrix:
    """The outer product a b^T."""
    return Matrix(tuple(x * y for y in b) for x in a)


def tilde(a: Sequence[Scalar]) -> Matrix:
    """The skew-symmetric matrix of the vector product, tilde(a) b = a x b. BP section 3.4."""
    rows = (0, -a[2], a[1]), (a[2], 0, -a[0]), (-a[1], a[0], 0)
    return _new(Matrix, [_new(Vector, row) for row in rows])
