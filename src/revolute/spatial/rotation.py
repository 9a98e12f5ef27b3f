"""Rotations as products of sparse factors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from revolute.arguments import scalar, scalars
from revolute.errors import InputError
from revolute.records import dataclass
from revolute.spatial import vectors
from revolute.spatial.scalar import Scalar, cos, sin
from revolute.spatial.vectors import IDENTITY, Matrix

__all__ = ["Rotation"]


@dataclass(frozen=True)
class Rotation:
    """A rotation, kept as the product of the factors it was built from.

    `R @ x` takes coordinates in the child frame to coordinates in the parent frame. Two
    planar rotations, applied one after the other, cost 8 multiplications and 4 additions.
    Their product costs 8 and 5, and 4 more to form. So factors stay apart, except
    neighbours about the same coordinate axis, whose product is planar again.
    """

    factors: tuple[Matrix, ...] = ()

    def __post_init__(self) -> None:
        if type(self.factors) is not tuple:
            raise InputError(f"Rotation: factors must be a tuple of matrices, not {self.factors!r}; see Rotation.of")

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Rotation):
            return Rotation(_joined(self.factors, other.factors))
        for factor in reversed(self.factors):
            other = factor @ other
        return other

    @property
    def T(self) -> Rotation:
        """The inverse rotation."""
        return Rotation(tuple(factor.T for factor in reversed(self.factors)))

    def conjugate(self, A: Matrix) -> Matrix:
        """R A R^T: a matrix along the child's axes, written along the parent's."""
        for factor in reversed(self.factors):
            A = _conjugate(factor, A)
        return A

    def matrix(self) -> Matrix:
        """The product of the factors: columns are the child's axes in the parent frame."""
        product = IDENTITY
        for k, factor in enumerate(self.factors):
            product = product @ factor if k else factor
        return product

    @classmethod
    def of(cls, matrix: Iterable[Iterable[Scalar]]) -> Rotation:
        """The rotation with this matrix; an exact identity has no factor at all."""
        rows = vectors.matrix("a rotation's matrix", matrix)
        return cls() if _is_identity(rows) else cls((rows,))

    @classmethod
    def about(cls, axis: Sequence[Scalar], c: Scalar, s: Scalar) -> Rotation:
        """Rotation about a unit axis by the angle with cosine c and sine s. Rodrigues.

        About a coordinate axis it is planar: it costs four multiplications and two
        additions to apply.
        """
        x, y, z = scalars("axis", axis, 3)
        scalar("c", c), scalar("s", s)
        if (y, z) == (0, 0) and x in (1, -1):
            return cls((Matrix(((1, 0, 0), (0, c, -s * x), (0, s * x, c))),))
        if (x, z) == (0, 0) and y in (1, -1):
            return cls((Matrix(((c, 0, s * y), (0, 1, 0), (-s * y, 0, c))),))
        if (x, y) == (0, 0) and z in (1, -1):
            return cls((Matrix(((c, -s * z, 0), (s * z, c, 0), (0, 0, 1))),))
        t = 1 - c
        return cls((
            Matrix((
                (c + t * (x * x), t * (x * y) - s * z, t * (x * z) + s * y),
                (t * (x * y) + s * z, c + t * (y * y), t * (y * z) - s * x),
                (t * (x * z) - s * y, t * (y * z) + s * x, c + t * (z * z)),
            )),
        ))

    @classmethod
    def from_rpy(cls, roll: Scalar, pitch: Scalar, yaw: Scalar) -> Rotation:
        """Fixed-axis rotations: roll about x, then pitch about y, then yaw about z (URDF).

        An angle within 1e-11 rad of a multiple of pi/2 counts as that multiple: files print
        pi/2 with twelve digits, and exact zeros cost nothing at run time.
        """
        for name, angle in (("roll", roll), ("pitch", pitch), ("yaw", yaw)):
            if np.ndim(scalar(name, angle)) or (isinstance(angle, Real) and not math.isfinite(angle)):
                raise InputError(f"{name} must be a finite angle [rad], not {angle!r}")
        factors = [
            cls.about(axis, *_exact_cos_sin(angle)).matrix()
            for axis, angle in (((0, 0, 1), yaw), ((0, 1, 0), pitch), ((1, 0, 0), roll))
            if angle != 0
        ]
        return cls.of(Rotation(tuple(factors)).matrix())


def _joined(left: tuple[Matrix, ...], right: tuple[Matrix, ...]) -> tuple[Matrix, ...]:
    """The factors of a product; two planar neighbours about the same axis become one."""
    axes = _planar(left[-1]) & _planar(right[0]) if left and right else set()
    if not axes:
        return left + right
    product = left[-1] @ right[0]  # keep its zeros and ones exact, for `_planar`
    merged = Matrix(
        tuple(IDENTITY[i][j] if {i, j} & axes else product[i][j] for j in range(3)) for i in range(3)
    )
    return (*left[:-1], merged, *right[1:])


def _planar(R: Matrix) -> set[int]:
    """The coordinate axes that a rotation matrix does not move, judged by its exact zeros and ones."""
    return {k for k in range(3) if all(map(_exactly, (*R[k], *R.T[k]), (*IDENTITY[k], *IDENTITY[k])))}


def _is_identity(R: Matrix) -> bool:
    return all(all(map(_exactly, row, unit)) for row, unit in zip(R, IDENTITY, strict=True))


def _conjugate(R: Matrix, A: Matrix) -> Matrix:
    """R A R^T for one factor R, a planar one by the double angle. BP section 6.4.

    This takes 8 multiplications for a symmetric A, and equal entries stay the same expression. By
    products with R it takes 20, and xy and yx become different sums. A quarter turn costs nothing by products.
    """
    axes = _planar(R)
    if len(axes) != 1 or _quarter_turns(R):
        product: Matrix = R @ A @ R.T
        return product
    (z,) = axes
    x, y = (z + 1) % 3, (z + 2) % 3
    c, s = R[x][x], R[y][x]
    ss, cs = s * s, c * s
    e, t = A[y][y] - A[x][x], A[x][y] + A[y][x]
    along, across = ss * e - cs * t, ss * t + cs * e
    B = [list(row) for row in A]
    B[x][x], B[y][y] = A[x][x] + along, A[y][y] - along
    B[x][y], B[y][x] = A[x][y] - across, A[y][x] - across
    B[x][z], B[y][z] = c * A[x][z] - s * A[y][z], s * A[x][z] + c * A[y][z]
    B[z][x], B[z][y] = c * A[z][x] - s * A[z][y], s * A[z][x] + c * A[z][y]
    return Matrix(B)


def _quarter_turns(R: Matrix) -> bool:
    """Whether all entries are exactly 0, 1 or -1."""
    return all(any(_exactly(x, value) for value in (0, 1, -1)) for row in R for x in row)


def _exactly(x: Scalar, value: int) -> bool:
    """Whether x is a number equal to `value`; arrays, symbols and graph nodes are not."""
    return isinstance(x, (int, float)) and x == value


def _exact_cos_sin(angle: Scalar) -> tuple[Scalar, Scalar]:
    """cos and sin of an angle [rad], exact within 1e-11 of a multiple of pi/2."""
    if not isinstance(angle, Real):
        c, s = (int(x) if getattr(x, "is_Integer", False) else x for x in (cos(angle), sin(angle)))
        return c, s
    angle = float(angle)
    quarter = round(angle / (math.pi / 2))
    if abs(angle - quarter * (math.pi / 2)) < 1e-11:
        return ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter % 4]
    return math.cos(angle), math.sin(angle)
