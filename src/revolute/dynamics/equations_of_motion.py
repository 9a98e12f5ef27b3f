"""Mass matrix, Coriolis matrix and gravity forces, on the whole tree, for any scalar type."""

from revolute.dynamics.kinematics import in_child
from revolute.dynamics.moving_load import MovingLoad
from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial import ZERO, Rows, Scalar, Scalars, Transform, Twist, Vector, dot


def equations_of_motion(model: Model, q: Scalars, qd: Scalars) -> tuple[Rows, Rows, list[Scalar]]:
    """M, C and g of M(q) qdd + C(q, qd) qd + g(q) = tau. LP 9.81-9.88; GOA 6a, 6c.

    C is the matrix of Christoffel symbols: Mdot = C + C^T, and C(q, x) y = C(q, y) x for joints with one coordinate.
    With S_j the column of joint j, and I and B the inertia and the operator of the load of joint i, for every j on the
    path from i to the base:

        M_ji = S_j . I S_i
        C_ji = S_j . (I Sd_i + B S_i)
        C_ij = S_i . (I Sd_j + B S_j) = Sd_j . I S_i + S_j . B^T S_i
        g_i  = -S_i . I (0, gravity)

    Sd_j = V x S_j, and B S is the wrench of the accelerations ang(S) x xd of all mass points
    x: see `MovingLoad`, and `motions.reference_accelerations`.

    GOA 6b has another C, also with Mdot = C + C^T: see `goa_difference`. The velocities of a free joint are not time
    derivatives of coordinates and have no Christoffel symbols: for them, this sum over mass points defines C.
    """
    X, columns, carried, up = _outward(model, q, qd)
    M, C = ([[0] * model.nv for _ in range(model.nv)] for _ in range(2))
    g: list[Scalar] = [0] * model.nv
    for i in range(len(model.bodies) - 1, 0, -1):
        load, parent = carried[i], model.bodies[i].parent
        for S in columns[i]:
            k = S.place
            p, c = load.inertia.momentum(S.now), load.couple(S.now)
            f = load.inertia.momentum(S.rate) + load.wrench(S.now)
            g[k] = dot(p.lin, up[i])
            # the diagonal block of this joint
            for T in columns[i]:
                M[k][T.place] = T.now.power(p)
                C[T.place][k] = T.now.power(f)
            # propagate the wrenches to the base, and project them on the axes of each joint passed
            j = i
            while (above := model.bodies[j].parent) > 0:
                p, f, c, j = X[j] @ p, X[j] @ f, X[j].R @ c, above
                for T in columns[j]:
                    M[k][T.place] = M[T.place][k] = T.now.power(p)
                    C[T.place][k] = T.now.power(f)
                    C[k][T.place] = T.rate.power(p) + dot(T.now.ang, c)
        if parent > 0:
            carried[parent] += load.seen(X[i])
    return M, C, g


@dataclass(frozen=True)
class _Column:
    """A column S of a joint and its time derivative Sd, expressed in the frame of the joint's body."""

    place: int
    now: Twist
    rate: Twist


def _outward(
    model: Model, q: Scalars, qd: Scalars
) -> tuple[list[Transform], list[list[_Column]], list[MovingLoad], list[Vector]]:
    """For every body: pose in its parent, joint columns, load of the body alone, and minus gravity in its frame."""
    n = len(model.bodies)
    X = [Transform()] * n
    V, up = [Twist(ZERO, ZERO)] * n, [-model.gravity] * n
    columns: list[list[_Column]] = [[] for _ in range(n)]
    loads = [MovingLoad()] * n
    for i, body in enumerate(model.bodies[1:], 1):
        parent, at, joint = body.parent, model.v_index[i], body.joint
        X[i] = body.placement @ joint.transform(q[model.q_index[i]])
        before = in_child(X[i], V[parent])
        V[i] = before + joint.velocity(qd[at])
        up[i] = X[i].R.T @ up[parent]
        for place, S in enumerate(joint.columns(), at.start):
            columns[i].append(_Column(place, S, (before if joint.nv == 1 else V[i]).cross(S)))
        loads[i] = MovingLoad.of(body.inertia, V[i])
    return X, columns, loads, up
