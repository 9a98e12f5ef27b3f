"""Reference accelerations of all bodies, from which regressors are formed, for any scalar type."""

from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial import ZERO, Matrix, Scalar, Scalars, Transform, Vector, cross, tilde


@dataclass(frozen=True)
class Acceleration:
    """The acceleration field Omega x + a of a body, with Omega split into its skew and symmetric parts.

        Omega = tilde(e) + B - tr(B) 1                                     BP section 4.2
    """

    e: Vector = ZERO  # vector of Omega's skew part; the angular acceleration if w = w_r
    B: Matrix = tilde(ZERO)  # symmetric part of w w_r^T; B - tr(B) 1 is Omega's symmetric part
    a: Vector = ZERO  # acceleration of the body's origin

    @property
    def Omega(self) -> Matrix:
        """The angular-acceleration tensor."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.B
        return tilde(self.e) + Matrix(((-(yy + zz), xy, xz), (xy, -(xx + zz), yz), (xz, yz, -(xx + yy))))


def reference_accelerations(
    model: Model, q: Scalars, qd: Scalars, qdr: Scalars, qddr: Scalars
) -> tuple[list[Transform], list[Acceleration]]:
    """The accelerations that the forces M qddr + C(q, qd) qdr + g produce. LP 9.53-9.55.

    The point x of a body has the reference velocity u = v_r + w_r x x. C is the matrix of Christoffel symbols if every
    mass point dm needs the force dm du/dt, with the material derivative along the true motion (w, v):

        Omega = tilde(wd_r) + tilde(w) tilde(w_r),    a = vd_r + w x v_r

    with wd_r, vd_r the time derivatives of components. For a particle C is unique, and a body is a sum
    of particles; GOA 6b and 15 have another C, also with Mdot - 2C skew: see `goa_regressor`. For
    qdr = qd these are the accelerations of `newton_euler`.

    Returns:
        for every body, the base first: its pose in its parent, and its acceleration minus gravity, in its frame.
    """
    n = len(model.bodies)
    X = [Transform()] * n
    w, wr, wdr = [ZERO] * n, [ZERO] * n, [ZERO] * n
    A = [Acceleration(a=-model.gravity)] * n
    for i, body in enumerate(model.bodies[1:], 1):
        parent, at = body.parent, model.v_index[i]
        V, Vr = body.joint.velocity(qd[at]), body.joint.velocity(qdr[at])
        Ar = body.joint.acceleration(qdr[at], qddr[at])
        X[i] = body.placement @ body.joint.transform(q[model.q_index[i]])
        RT, p = X[i].R.T, X[i].p
        w_parent, wr_parent = RT @ w[parent], RT @ wr[parent]
        w[i], wr[i] = w_parent + V.ang, wr_parent + Vr.ang
        wdr[i] = RT @ wdr[parent] + cross(wr_parent, V.ang) + Ar.ang
        a = RT @ (A[parent].a + A[parent].Omega @ p) + cross(wr_parent, V.lin) + cross(w[i], Vr.lin) + Ar.lin
        A[i] = Acceleration(wdr[i] + cross(w[i], wr[i]) * 0.5, symmetric_product(w[i], wr[i]), a)
    return X, A


def symmetric_product(a: Vector, b: Vector) -> Matrix:
    """(a b^T + b a^T) / 2."""
    return Matrix(tuple(_mean(a[i] * b[j], a[j] * b[i]) for j in range(3)) for i in range(3))


def _mean(x: Scalar, y: Scalar) -> Scalar:
    return x if x is y else (x + y) * 0.5
