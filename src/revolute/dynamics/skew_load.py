"""The skew operator D: the difference of GOA's Coriolis matrix from that of the Christoffel symbols."""

from __future__ import annotations

from revolute.records import dataclass
from revolute.spatial import Force, Inertia, Motion, Transform
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import IDENTITY, ZERO, Matrix, Vector, cross, dot, tilde

__all__ = ["Moments", "SkewLoad"]


@dataclass(frozen=True)
class Moments:
    """The moments of an inertia in D: m = sum dm, h = sum x dm, and kappa = sum x . x dm = tr(I) / 2."""

    m: Scalar = 0
    h: Vector = ZERO
    kappa: Scalar = 0

    @classmethod
    def of(cls, inertia: Inertia) -> Moments:
        """Of a body, about its origin."""
        I = inertia.I
        return cls(inertia.m, inertia.h, (I[0][0] + I[1][1] + I[2][2]) * 0.5)

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.m + other.m, self.h + other.h, self.kappa + other.kappa)

    def seen(self, X: Transform) -> Moments:
        """The same moments about the parent's origin."""
        h, p = X.R @ self.h, X.p
        return Moments(self.m, h + p * self.m, self.kappa + dot(p, h) * 2 + dot(p, p) * self.m)


@dataclass(frozen=True)
class SkewLoad:
    """D = V x* I - B of a body with twist V, with B as in `MovingLoad`. GOA 6b minus LP 9.87.

        D (a, b) = (s x a + E b, l x b - E^T a)
        s = kappa w + h x v,    E = h w^T - (h . w) 1 + m tilde(v),    l = m w

    D is skew, and D V = 0: T . D S changes sign when two of the three motions S, T and V are
    exchanged. It is linear in V, and D of a tree is the sum over its bodies.
    """

    s: Vector = ZERO
    E: Matrix = tilde(ZERO)
    l: Vector = ZERO

    @classmethod
    def of(cls, load: Moments, V: Motion) -> SkewLoad:
        """A rigid body with twist V."""
        w, v, m, h = V.ang, V.lin, load.m, load.h
        return cls(w * load.kappa + cross(h, v), _reduced_outer(h, w) + tilde(v * m), w * m)

    def __add__(self, other: SkewLoad) -> SkewLoad:
        return SkewLoad(self.s + other.s, self.E + other.E, self.l + other.l)

    def seen(self, X: Transform) -> SkewLoad:
        """The same load in the parent's frame."""
        E, l, p = X.R.conjugate(self.E), X.R @ self.l, X.p
        trace = E[0][0] + E[1][1] + E[2][2]
        return SkewLoad(X.R @ self.s + E.T @ p - p * (trace - dot(p, l)), E + _reduced_outer(l, p), l)

    def wrench(self, S: Motion) -> Force:
        """D S."""
        return Force(cross(self.s, S.ang) + self.E @ S.lin, cross(self.l, S.lin) - self.E.T @ S.ang)


def _reduced_outer(a: Vector, b: Vector) -> Matrix:
    """a b^T - (a . b) 1 = tilde(b) tilde(a)."""
    outer: Matrix = Matrix(tuple(x * y for y in b) for x in a) - IDENTITY * dot(a, b)
    return outer
