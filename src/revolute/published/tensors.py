"""The Cartesian tensors of BP ch. 3-4: dual operator, angular acceleration, Euler and inertia tensors."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import Matrix, Vector, dot

__all__ = [
    "angular_acceleration",
    "bracket",
    "dual",
    "euler_moment",
    "euler_of_inertia",
    "inertia_of_euler",
    "outer",
    "point_inertia",
    "trace",
    "vect",
]


def outer(u: Sequence[Scalar], v: Sequence[Scalar]) -> Matrix:
    """The tensor product of two vectors, u v^T."""
    return Matrix(tuple(a * b for b in v) for a in u)


def trace(T: Matrix) -> Scalar:
    """Sum of the diagonal."""
    return T[0][0] + T[1][1] + T[2][2]


def bracket(S: Matrix, T: Matrix) -> Matrix:
    """The Lie bracket S T - T S. BP 3.4.21."""
    commutator: Matrix = S @ T - T @ S
    return commutator


def vect(T: Matrix) -> Vector:
    """The vector invariant of a tensor, zero for its symmetric part. BP 3.3.27.

    t_i = 1/2 e_ijk t_kj, so vect(A^T) = -vect(A), as in BP 3.4.31.
    """
    return Vector((T[2][1] - T[1][2], T[0][2] - T[2][0], T[1][0] - T[0][1])) * 0.5


def dual(T: Matrix) -> Vector:
    """The vector of a skew-symmetric tensor, the inverse of `tilde`. BP 3.3.31, 3.3.33.

    It reads three entries, without operations; `vect` extends it to all tensors.
    """
    return Vector((T[2][1], T[0][2], T[1][0]))


def angular_acceleration(w: Sequence[Scalar], wd: Sequence[Scalar]) -> Matrix:
    """Omega = tilde(wd) + tilde(w) tilde(w): rdd = Omega r. BP 4.2.12.

    tilde(w) tilde(w) is symmetric: 6 multiplications and 9 additions in all (BP section 5.3.2).
    """
    xx, yy, zz = (x * x for x in w)
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return Matrix((
        (-(yy + zz), xy - wd[2], xz + wd[1]),
        (xy + wd[2], -(xx + zz), yz - wd[0]),
        (xz - wd[1], yz + wd[0], -(xx + yy)),
    ))


def euler_of_inertia(I: Matrix) -> Matrix:
    """The Euler tensor J = tr(I)/2 1 - I, the integral of r r^T dm. BP 4.3.6."""
    return _isotropic(trace(I) * 0.5) - I


def inertia_of_euler(J: Matrix) -> Matrix:
    """The inertia tensor I = tr(J) 1 - J. BP 4.3.7."""
    return _isotropic(trace(J)) - J


def point_inertia(m: Scalar, r: Sequence[Scalar]) -> Matrix:
    """Inertia tensor of a point mass, -m tilde(r) tilde(r) = m (r.r 1 - r r^T). BP 4.3.8-4.3.9."""
    inertia: Matrix = (_isotropic(dot(r, r)) - outer(r, r)) * m
    return inertia


def euler_moment(Omega: Matrix, J: Matrix) -> Vector:
    """The generalised Euler equation: dual(Omega J - (Omega J)^T). BP 4.3.42, 4.3.44, 5.3.29.

    With the symmetry of J it takes 15 multiplications and 15 additions (BP section 5.3.2).
    """
    O = Omega
    return Vector((
        J[1][1] * O[2][1] - J[2][2] * O[1][2] + J[1][2] * (O[2][2] - O[1][1]) + J[0][1] * O[2][0] - J[0][2] * O[1][0],
        J[2][2] * O[0][2] - J[0][0] * O[2][0] + J[0][2] * (O[0][0] - O[2][2]) + J[1][2] * O[0][1] - J[0][1] * O[2][1],
        J[0][0] * O[1][0] - J[1][1] * O[0][1] + J[0][1] * (O[1][1] - O[0][0]) + J[0][2] * O[1][2] - J[1][2] * O[0][2],
    ))


def _isotropic(x: Scalar) -> Matrix:
    """x 1."""
    return Matrix(((x, 0, 0), (0, x, 0), (0, 0, x)))


def twice_symmetric(a: Vector, b: Vector) -> Matrix:
    """tilde(a) tilde(b) + its transpose: 9 multiplications and 9 additions. BP section 6.4.

    tilde(a) tilde(b) = b a^T - (a.b) 1. BP 3.4.9.
    """
    half = [x * y for x, y in zip(a, b, strict=True)]
    xx, yy, zz = (x + x for x in half)
    xy, xz, yz = (a[i] * b[j] + a[j] * b[i] for i, j in ((0, 1), (0, 2), (1, 2)))
    return Matrix(((-(yy + zz), xy, xz), (xy, -(xx + zz), yz), (xz, yz, -(xx + yy))))
