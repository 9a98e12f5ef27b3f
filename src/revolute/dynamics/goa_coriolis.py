"""GOA's Coriolis matrix, as a difference from the matrix of Christoffel symbols, and its regressor. GOA 6b, 24c."""

from __future__ import annotations

from revolute.dynamics.inverse_dynamics_partials import numbered_columns
from revolute.dynamics.kinematics import in_child, poses_in_parents, twists
from revolute.model import Model, from_vector
from revolute.records import dataclass
from revolute.spatial import IDENTITY, ZERO, Inertia, Matrix, Transform, Twist, Vector, Wrench, cross, dot, outer, tilde
from revolute.spatial.scalar import Cube, Rows, Scalar, Scalars


def goa_difference(model: Model, q: Scalars, qd: Scalars) -> Rows:
    """C of GOA 6b minus C of `equations_of_motion`. It is skew-symmetric, and its product with qd is zero.

        C = sum_k J_k^T ((Lambda_k adj_k - adj_k^T Lambda_k) J_k + Lambda_k Jd_k)         GOA 6b

    By GOA 28 column j of Jd_k is (V_j - V_k) x J_kj, with V_j the twist of joint j's body.
    The term Lambda_k adj_k cancels, and with Sd_j = V_j x S_j

        C_ij = sum_k S_i . (Lambda_k Sd_j + V_k x* Lambda_k S_j)

    The sum is over the bodies k that joints i and j both carry. In the C of the Christoffel symbols, the operator B_k
    of `MovingLoad` takes the place of V_k x* Lambda_k. So the difference is S_i . D S_j, with D of the load of the
    outer joint: see `SkewLoad`.

    C depends on how mass is distributed among bodies: `regrouped` preserves M and Christoffel's C, but not this C.
    """
    X, columns = poses_in_parents(model, q), numbered_columns(model)
    moving = zip(model.bodies[1:], twists(model, X, qd)[1:], strict=True)
    carried = [SkewLoad(), *(SkewLoad.of(Moments.of(body.inertia), V) for body, V in moving)]
    D: Rows = [[0] * model.nv for _ in range(model.nv)]
    for i in range(len(model.bodies) - 1, 0, -1):
        for k, S in columns[i]:
            f, j = carried[i].wrench(S), i
            while j > 0:
                for place, T in columns[j]:
                    if place < k:
                        D[place][k] = T.power(f)
                        D[k][place] = -D[place][k]
                f, j = X[j] @ f, model.bodies[j].parent
        carried[model.bodies[i].parent] += carried[i].seen(X[i])
    return D


def goa_symbols_difference(model: Model, q: Scalars) -> Cube:
    """dC/dqd of GOA 6b minus the Christoffel symbols. GOA 24c.

    C is linear in qd: entry ijk is S_i . D S_j with D for unit velocity of joint k. It changes sign when two of its
    indices are exchanged. So only one of six entries is computed, with k the outermost joint and D of its load.
    """
    X, columns, nv = poses_in_parents(model, q), numbered_columns(model), model.nv
    carried = [Moments.of(body.inertia) for body in model.bodies]
    cube: Cube = [[[0] * nv for _ in range(nv)] for _ in range(nv)]
    for last in range(len(model.bodies) - 1, 0, -1):
        for k, S in columns[last]:
            D, middle = SkewLoad.of(carried[last], S), last
            while middle > 0:
                for j, T in columns[middle]:
                    f, inner = D.wrench(T), middle
                    while inner > 0 and j < k:
                        for i, U in columns[inner]:
                            if i < j:
                                x = U.power(f)
                                cube[i][j][k] = cube[j][k][i] = cube[k][i][j] = x
                                cube[j][i][k] = cube[i][k][j] = cube[k][j][i] = -x
                        f, inner = X[inner] @ f, model.bodies[inner].parent
                D, middle = D.seen(X[middle]), model.bodies[middle].parent
        carried[model.bodies[last].parent] += carried[last].seen(X[last])
    return cube


UNITS = [from_vector([int(h == p) for h in range(10)]) for p in range(10)]
"""Unit inertias: the h-th has parameter h equal to one and the others zero, and its momentum is A(V)^h. GOA 8."""


def goa_regressor(model: Model, q: Scalars, qd: Scalars, qdr: Scalars, qddr: Scalars) -> list[Scalar]:
    """The Slotine-Li regressor for the C of GOA 6b. GOA 15-16.

        Y pi = M(q) qddr + C(q, qd) qdr + g(q) = sum_k J_k^T (A(alpha_k) - adj_k^T A(J_k qdr)) pi_k
        alpha_k = J_k qddr + adj_k J_k qdr + Jd_k qdr + gamma_k

    By (28) times qdr, added to adj_k times (27), this is

        alpha_k = Ad_pk^-1 alpha_p + Xi_k qddr + V_k x Xi_k qdr,    alpha_0 = gamma_0

    Returns:
        nv rows of 10 n scalars, one after the other, for n bodies without the base.
    """
    width = 10 * (len(model.bodies) - 1)
    Y: list[Scalar] = [0] * (model.nv * width)
    still = Twist(ZERO, ZERO)
    V, Vr, alpha = [still], [still], [Twist(ZERO, -model.gravity)]
    J: list[dict[int, Twist]] = [{}]
    for k, body in enumerate(model.bodies[1:], 1):
        p, at, joint = body.parent, model.v_index[k], body.joint
        X = body.placement @ joint.transform(q[model.q_index[k]])
        xi = joint.velocity(qdr[at])
        V.append(in_child(X, V[p]) + joint.velocity(qd[at]))
        Vr.append(in_child(X, Vr[p]) + xi)
        alpha.append(in_child(X, alpha[p]) + joint.acceleration(qdr[at], qddr[at]) + V[k].cross(xi))
        moved = {j: in_child(X, S) for j, S in J[p].items()}
        J.append(moved | dict(enumerate(joint.columns(), at.start)))
        wrenches = [unit.momentum(alpha[k]) + V[k].cross_force(unit.momentum(Vr[k])) for unit in UNITS]
        for j, S in J[k].items():
            start = j * width + 10 * (k - 1)
            Y[start : start + 10] = [S.power(f) for f in wrenches]
    return Y


@dataclass(frozen=True)
class Moments:
    """The moments of an inertia that D contains: m = sum dm, h = sum x dm, and kappa = sum x . x dm = tr(I) / 2."""

    m: Scalar = 0
    h: Vector = ZERO
    kappa: Scalar = 0

    @classmethod
    def of(cls, inertia: Inertia) -> Moments:
        """Moments of a body about its frame's origin."""
        I = inertia.I
        return cls(inertia.m, inertia.h, (I[0][0] + I[1][1] + I[2][2]) * 0.5)

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.m + other.m, self.h + other.h, self.kappa + other.kappa)

    def seen(self, X: Transform) -> Moments:
        """These moments about the origin of the parent frame, and expressed in it."""
        h, p = X.R @ self.h, X.p
        return Moments(self.m, h + p * self.m, self.kappa + dot(p, h) * 2 + dot(p, p) * self.m)


@dataclass(frozen=True)
class SkewLoad:
    """D = V x* I - B of a body with twist V, with B as in `MovingLoad`. GOA 6b minus LP 9.87.

        D (a, b) = (s x a + E b, l x b - E^T a)
        s = kappa w + h x v,    E = h w^T - (h . w) 1 + m tilde(v),    l = m w

    D is skew-symmetric, and D V = 0: T . D S changes sign when two of the three twists S, T and V are
    exchanged. D is linear in V, and for a tree it is the sum over its bodies.
    """

    s: Vector = ZERO
    E: Matrix = tilde(ZERO)
    l: Vector = ZERO

    @classmethod
    def of(cls, load: Moments, V: Twist) -> SkewLoad:
        """The load of a rigid body with twist V."""
        w, v, m, h = V.ang, V.lin, load.m, load.h
        return cls(w * load.kappa + cross(h, v), _reduced_outer(h, w) + tilde(v * m), w * m)

    def __add__(self, other: SkewLoad) -> SkewLoad:
        return SkewLoad(self.s + other.s, self.E + other.E, self.l + other.l)

    def seen(self, X: Transform) -> SkewLoad:
        """This load expressed in the parent's frame."""
        E, l, p = X.R.conjugate(self.E), X.R @ self.l, X.p
        trace = E[0][0] + E[1][1] + E[2][2]
        return SkewLoad(X.R @ self.s + E.T @ p - p * (trace - dot(p, l)), E + _reduced_outer(l, p), l)

    def wrench(self, S: Twist) -> Wrench:
        """The wrench D S."""
        return Wrench(cross(self.s, S.ang) + self.E @ S.lin, cross(self.l, S.lin) - self.E.T @ S.ang)


def _reduced_outer(a: Vector, b: Vector) -> Matrix:
    """a b^T - (a . b) 1 = tilde(b) tilde(a)."""
    reduced: Matrix = outer(a, b) - IDENTITY * dot(a, b)
    return reduced
