"""The moving load of a joint: its inertia, and the operator B of velocity-dependent forces."""

from __future__ import annotations

from revolute.records import dataclass
from revolute.spatial import ZERO, Inertia, Matrix, Scalar, Transform, Twist, Vector, Wrench, cross, outer, tilde


@dataclass(frozen=True)
class MovingLoad:
    """A load of mass points x with velocities xd: its inertia I, D = sum xd x^T dm and P = sum xd dm.

    B S is the wrench of the accelerations ang(S) x xd of all mass points. It does not depend on the linear part of S:

        B (a, b) = ((tr(D) 1 - D) a, a x P),    B^T (a, b) = ((tr(D) 1 - D^T) a + P x b, 0)

    B + B^T is the time derivative of the inertia.
    """

    inertia: Inertia = Inertia()
    D: Matrix = tilde(ZERO)
    P: Vector = ZERO

    @classmethod
    def of(cls, inertia: Inertia, V: Twist, times: int = 1) -> MovingLoad:
        """The load of a rigid body with twist V; B is multiplied by `times`, the inertia is not."""
        w, v, m, h = V.ang, V.lin, inertia.m * times, inertia.h * times
        return cls(inertia, tilde(w) @ (inertia.euler() * times) + outer(v, h), v * m + cross(w, h))

    def __add__(self, other: MovingLoad) -> MovingLoad:
        return MovingLoad(self.inertia + other.inertia, self.D + other.D, self.P + other.P)

    def seen(self, X: Transform) -> MovingLoad:
        """This load expressed in the parent's frame."""
        P = X.R @ self.P
        return MovingLoad(X @ self.inertia, X.R.conjugate(self.D) + outer(P, X.p), P)

    def wrench(self, S: Twist) -> Wrench:
        """The wrench B S."""
        return Wrench(S.ang * self._trace - self.D @ S.ang, cross(S.ang, self.P))

    def couple(self, S: Twist) -> Vector:
        """The angular part of B^T S; its linear part is zero."""
        couple: Vector = S.ang * self._trace - self.D.T @ S.ang + cross(self.P, S.lin)
        return couple

    @property
    def _trace(self) -> Scalar:
        return self.D[0][0] + self.D[1][1] + self.D[2][2]
