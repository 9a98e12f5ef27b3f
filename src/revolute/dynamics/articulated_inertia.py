"""The inertia of a body together with all its outboard bodies, for any scalar type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from revolute.records import dataclass
from revolute.spatial import Inertia, Matrix, Scalar, Transform, Twist, Vector, Wrench, dot, tilde


@dataclass(frozen=True)
class ArticulatedInertia:
    """The symmetric matrix that maps a body's acceleration to its wrench, stored as three blocks. RBDA 7.

        | I   H |
        | H^T M |       of a rigid body:  H = tilde(h), M = m 1

    Of the symmetric blocks I and M only the upper triangles are computed.
    """

    I: Matrix
    H: Matrix
    M: Matrix

    @classmethod
    def of(cls, inertia: Inertia) -> ArticulatedInertia:
        """The inertia of a single body."""
        m = inertia.m
        return cls(inertia.I, tilde(inertia.h), Matrix(((m, 0, 0), (0, m, 0), (0, 0, m))))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.I + other.I, self.H + other.H, self.M + other.M)

    def __matmul__(self, A: Twist) -> Wrench:
        """Return the wrench that produces an acceleration."""
        return Wrench(self.I @ A.ang + self.H @ A.lin, self.H.T @ A.ang + self.M @ A.lin)

    def less(self, S: Twist, U: Wrench, UD: Wrench) -> ArticulatedInertia:
        """The apparent inertia through a joint that is free along S: IA - U U^T / D, with U = IA S.

        It is zero along S itself; if S is a coordinate axis, these entries are exact zeros.
        """
        turns, slides = along(S)
        return ArticulatedInertia(
            _symmetric(_less(self.I, U.ang, UD.ang, turns, turns)),
            _less(self.H, U.ang, UD.lin, turns, slides),
            _symmetric(_less(self.M, U.lin, UD.lin, slides, slides)),
        )

    def moved(self, X: Transform) -> ArticulatedInertia:
        """This inertia expressed in the frame in which the body frame has the pose X = (R, p).

            H' = R H R^T + tilde(p) M',    I' = R I R^T + tilde(p) (R H R^T)^T - H' tilde(p)
        """
        moved = self
        for step in reversed(X.steps):
            moved = moved._moved(step)
        return moved

    def _moved(self, X: Transform) -> ArticulatedInertia:
        turned, t = X.R.conjugate, tilde(X.p)
        M, before = _symmetric(turned(self.M)), turned(self.H)
        H = before + t @ M
        I, both = turned(self.I), before + H
        upper = I + t @ before.T - H @ t
        diagonal = [I[k][k] + dot(t[k], both[k]) for k in range(3)]
        return ArticulatedInertia(
            _symmetric(tuple(diagonal[i] if i == j else upper[i][j] for j in range(3)) for i in range(3)), H, M
        )


def along(S: Twist) -> tuple[list[bool], list[bool]]:
    """For each component of a twist, angular then linear, whether it is the only nonzero component.

    A screw has two nonzero components: the result is false for all.
    """
    nonzero = [not (isinstance(x, (int, float)) and x == 0) for x in (*S.ang, *S.lin)]
    only = [x and sum(nonzero) == 1 for x in nonzero]
    return only[:3], only[3:]


def _symmetric(A: Iterable[Iterable[Scalar]]) -> Matrix:
    """The symmetric matrix with the upper triangle of A."""
    A = Matrix(A)
    return Matrix(tuple(A[min(i, j)][max(i, j)] for j in range(3)) for i in range(3))


def _less(A: Matrix, u: Vector, v: Vector, rows: Sequence[bool], columns: Sequence[bool]) -> Matrix:
    """A - u v^T, with the selected rows and columns set to zero."""
    return Matrix(tuple(0 if rows[i] or columns[j] else A[i][j] - u[i] * v[j] for j in range(3)) for i in range(3))
