"""Matrices of any size over any scalar, as tuples of rows, for formulations in matrix form."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.published.serial import Arm, SerialLink
from revolute.spatial import Inertia, Transform
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import IDENTITY, Matrix, tilde

__all__ = [
    "Rows",
    "adjoint",
    "blocks",
    "derivatives",
    "dot",
    "joint_derivative",
    "less",
    "plus",
    "product",
    "pseudo_inertia",
    "scaled",
    "spatial_inertia",
    "times",
    "trace_product",
    "transpose",
]

Rows = tuple[tuple[Scalar, ...], ...]


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """a . b; zero for vectors of length zero."""
    total: Scalar = a[0] * b[0] if a else 0
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def product(A: Rows, B: Rows) -> Rows:
    """A B."""
    columns = transpose(B)
    return tuple(tuple(dot(row, column) for column in columns) for row in A)


def times(A: Rows, x: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """A x."""
    return tuple(dot(row, x) for row in A)


def transpose(A: Rows) -> Rows:
    """A^T."""
    return tuple(zip(*A, strict=True))


def plus(*matrices: Rows) -> Rows:
    """The sum of matrices."""
    first, *others = matrices
    for other in others:
        first = tuple(tuple(a + b for a, b in zip(r, s, strict=True)) for r, s in zip(first, other, strict=True))
    return first


def less(A: Rows, B: Rows) -> Rows:
    """A - B."""
    return tuple(tuple(a - b for a, b in zip(r, s, strict=True)) for r, s in zip(A, B, strict=True))


def scaled(A: Rows, x: Scalar) -> Rows:
    """A x, for a scalar x."""
    return tuple(tuple(a * x for a in row) for row in A)


def trace_product(A: Rows, B: Rows) -> Scalar:
    """tr(A B^T), the sum of the products of their entries."""
    return dot([a for row in A for a in row], [b for row in B for b in row])


def joint_derivative(link: SerialLink, W: Rows) -> Rows:
    """W Q: the derivative with respect to the link's joint, for a 4x4 matrix W whose last factor is the link's pose.

    A joint's motion about or along z commutes with its generator Q.
    """
    if link.prismatic:
        return tuple((0, 0, 0, row[2]) for row in W)
    return tuple((row[1], -row[0], 0, 0) for row in W)


def pseudo_inertia(link: SerialLink) -> Rows:
    """The pseudo-inertia tensor, the integral of (r, 1) (r, 1)^T dm. BP 5.2.3."""
    J, n = link.J_o, link.n
    return (*((*J[k], n[k]) for k in range(3)), (*n, link.m))


def blocks(a: Matrix, b: Matrix, c: Matrix, d: Matrix) -> Rows:
    """The 6x6 matrix of four 3x3 blocks: (a, b) above (c, d)."""
    return (*((*x, *y) for x, y in zip(a, b, strict=True)), *((*x, *y) for x, y in zip(c, d, strict=True)))


def adjoint(X: Transform) -> Rows:
    """Ad of a pose: maps twists (w, v) from the child frame to the parent frame. LP 9.54."""
    R = X.R.matrix()
    return blocks(R, tilde((0, 0, 0)), tilde(X.p) @ R, R)


def spatial_inertia(body: Inertia) -> Rows:
    """The 6x6 inertia about the body's origin: maps a twist (w, v) to a momentum (m, f). LP 9.40."""
    h = tilde(body.h)
    return blocks(body.I, h, h.T, IDENTITY * body.m)


def derivatives(arm: Arm, q: Sequence[Scalar]) -> tuple[list[Rows], list[dict[int, Rows]]]:
    """4x4 matrices W_j of the links in the base frame, and dW_j/dq_i for i <= j, by link j.

    Entry 0 is the base.
    """
    W: list[Rows] = [Transform().rows()]
    D: list[dict[int, Rows]] = [{}]
    for j in range(1, arm.n + 1):
        A = arm.links[j].pose(q[j - 1]).rows()
        W.append(product(W[-1], A))
        D.append({i: product(before, A) for i, before in D[-1].items()})
        D[j][j] = joint_derivative(arm.links[j], W[j])
    return W, D
