"""Newton-Euler inverse dynamics, on the whole tree, for any scalar type."""

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.spatial import ZERO, Matrix, Scalar, Scalars, Transform, Twist, Vector, Wrench, Wrenches, cross, tilde


def newton_euler(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, wrenches: Wrenches = None,
    base_twist: Scalars = (0, 0, 0, 0, 0, 0), base_acceleration: Scalars = (0, 0, 0, 0, 0, 0),
) -> list[Scalar]:
    """Inverse dynamics: the joint forces that produce `qdd`. LP 9.53-9.57; BP Alg. 5.6, 5.3.5-5.3.8.

        tau = M(q) qdd + C(q, qd) qd + g(q) - sum_i J_i(q)^T wrench_i

    The recursion uses the acceleration of each body's origin instead of LP's spatial acceleration, so it needs no
    linear velocities. Gravity enters as an upward acceleration of the base: a_0 = -g. LP prints the start value (0, g),
    but its own text requires -g. LP describes F_tip as applied to the last link; in 9.56 it is the wrench that the link
    applies. Here the environment applies the wrenches to the links.

    Args:
        model: kinematic tree.
        q: (nq,) joint positions [rad, m].
        qd: (nv,) joint velocities [rad/s, m/s].
        qdd: (nv,) joint accelerations [rad/s^2, m/s^2].
        wrenches: {link name: (m, f)} from the environment, in the link's frame [N m, N].
        base_twist: (w, v) of the base, expressed in the base frame.
        base_acceleration: time derivatives of the components of `base_twist`.

    Returns:
        nv joint forces [N m, N].
    """
    return inward(model, *outward(model, q, qd, qdd, wrenches, base_twist, base_acceleration))


def bias_forces(model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
    """Bias forces C qd + g: tau at zero acceleration. LP 9.83-9.84."""
    return newton_euler(model, q, qd, (0,) * model.nv)


def gravity_forces(model: Model, q: Scalars) -> list[Scalar]:
    """Gravity forces g: tau at rest. LP 9.84."""
    zeros = (0,) * model.nv
    return newton_euler(model, q, zeros, zeros)


def outward(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, wrenches: Wrenches = None,
    base_twist: Scalars = (0, 0, 0, 0, 0, 0), base_acceleration: Scalars = (0, 0, 0, 0, 0, 0),
) -> tuple[list[Transform], list[Wrench]]:
    """Outward pass: the pose of every body in its parent's frame, and the wrench of its own motion.

    Arguments are those of `newton_euler`.

    Returns:
        for each body, its pose in the parent's frame, and the wrench that its own acceleration needs in addition to
        gravity and `wrenches`, expressed in the body frame.
    """
    n = len(model.bodies)
    X = [Transform()] * n
    w, wd, a = [ZERO] * n, [ZERO] * n, [ZERO] * n
    Omega: list[Matrix] = [tilde(ZERO)] * n
    F: list[Wrench] = [Wrench(ZERO, ZERO)] * n

    V0 = Twist(Vector(base_twist[:3]), Vector(base_twist[3:]))
    A0 = Twist(Vector(base_acceleration[:3]), Vector(base_acceleration[3:]))
    w[0], wd[0] = V0.ang, A0.ang
    a[0] = A0.lin + cross(V0.ang, V0.lin) - model.gravity
    Omega[0] = tilde(wd[0]) + tilde(w[0]) @ tilde(w[0])
    F[0] = model.bodies[0].inertia.momentum_rate(Omega[0], a[0])

    for i, body in enumerate(model.bodies[1:], 1):
        parent, at = body.parent, model.v_index[i]
        V = body.joint.velocity(qd[at])
        A = body.joint.acceleration(qd[at], qdd[at])
        X[i] = body.placement @ body.joint.transform(q[model.q_index[i]])
        before, last = X[i].parts()
        RT, p = X[i].R.T, before.p
        w_parent = RT @ w[parent]
        w[i] = w_parent + V.ang
        wd[i] = RT @ wd[parent] + cross(w_parent, V.ang) + A.ang
        Omega[i] = tilde(wd[i]) + tilde(w[i]) @ tilde(w[i])
        a[i] = RT @ (a[parent] + Omega[parent] @ p) + cross(w_parent * 2 + V.ang, V.lin) + A.lin
        if last.p is not ZERO:
            a[i] += Omega[i] @ last.p  # a point on the joint's axis moves with both bodies
        F[i] = body.inertia.momentum_rate(Omega[i], a[i])

    relieve(model, F, wrenches)
    return X, F


def inward(model: Model, X: Sequence[Transform], F: list[Wrench]) -> list[Scalar]:
    """Inward pass: joint forces, from the wrenches of `outward`, which are summed in place."""
    tau: list[Scalar] = [0] * model.nv
    for i in range(len(model.bodies) - 1, 0, -1):
        body = model.bodies[i]
        tau[model.v_index[i]] = body.joint.force(F[i])
        F[body.parent] += X[i] @ F[i]
    return tau


def relieve(model: Model, F: list[Wrench], wrenches: Wrenches) -> None:
    """Subtract external wrenches from the body forces."""
    for name, wrench in (wrenches or {}).items():
        frame = model.frame(name)
        F[frame.body] -= frame.placement @ Wrench(Vector(wrench[:3]), Vector(wrench[3:]))
