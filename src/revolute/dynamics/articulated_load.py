"""The load of a moving body together with all its outboard bodies, for any scalar type."""

from __future__ import annotations

from revolute.dynamics.articulated_body import inverse, over
from revolute.dynamics.articulated_inertia import ArticulatedInertia
from revolute.dynamics.moving_load import MovingLoad
from revolute.records import dataclass
from revolute.spatial import IDENTITY, Matrix, Scalar, Transform, Twist, Vector, Wrench, outer, tilde


@dataclass(frozen=True)
class FreedColumn:
    """A column S of a joint that is free to move: K = U / D, G = BA^T S / D and 1 / D."""

    place: int
    S: Twist
    K: Wrench
    G: Vector
    share: Scalar


@dataclass(frozen=True)
class ArticulatedLoad:
    """The operators IA and BA of a body and its outboard bodies, at constant joint forces.

    If a rigid acceleration field A is added to the body and its outboard bodies, and 2 w x xd to every mass point, the
    joints yield, and the body needs the additional wrench IA A + BA w. A single body has 2 B of `MovingLoad` as its BA.
    """

    IA: ArticulatedInertia  # see `ArticulatedInertia`
    # moments, forces: the two 3x3 blocks of BA
    moments: Matrix
    forces: Matrix

    @classmethod
    def of(cls, load: MovingLoad) -> ArticulatedLoad:
        """The load of a single body, whose B is doubled."""
        columns = [load.wrench(Twist(e)) for e in IDENTITY]
        moments, forces = Matrix(F.ang for F in columns).T, Matrix(F.lin for F in columns).T
        return cls(ArticulatedInertia.of(load.inertia), moments, forces)

    def __add__(self, other: ArticulatedLoad) -> ArticulatedLoad:
        return ArticulatedLoad(self.IA + other.IA, self.moments + other.moments, self.forces + other.forces)

    def wrench(self, A: Twist, w: Vector) -> Wrench:
        """The wrench IA A + BA w."""
        return self.IA @ A + Wrench(self.moments @ w, self.forces @ w)

    def freed(self, place: int, S: Twist) -> tuple[FreedColumn, ArticulatedLoad]:
        """The column, and the apparent load through a joint that is free along S.

            U = IA S,   D = S . U,   IA <- IA - U U^T / D,   BA <- BA - U (BA^T S)^T / D
        """
        U = self.IA @ S
        share = inverse(S.power(U))
        K, b = over(U, share, S), self.moments.T @ S.ang + self.forces.T @ S.lin
        load = ArticulatedLoad(self.IA.less(S, U, K), self.moments - outer(K.ang, b), self.forces - outer(K.lin, b))
        return FreedColumn(place, S, K, b * share, share), load

    def moved(self, X: Transform) -> ArticulatedLoad:
        """This load expressed in the frame in which the body frame has the pose X."""
        forces = X.R.conjugate(self.forces)
        return ArticulatedLoad(self.IA.moved(X), X.R.conjugate(self.moments) + tilde(X.p) @ forces, forces)
