"""The centre of mass of the moving bodies, its motion and its Jacobian, for any scalar type."""

from revolute.dynamics.kinematics import poses_in_parents
from revolute.errors import ModelError
from revolute.model.model import Model
from revolute.spatial import ZERO, Rotation, Scalar, Scalars, Transform, Vector, cross


def center_of_mass(
    model: Model, q: Scalars, qd: Scalars | None = None, qdd: Scalars | None = None
) -> tuple[Vector, Vector, Vector]:
    """Centre of mass of bodies 1 ... n, its velocity and acceleration. GOA 7.

    First moments h of subtrees are summed towards the base, with their first and second
    time derivatives. A point x of the child is at p + R x in the parent's frame, so

        h' = p m + R h
        dh'/dt = R (hd + w x h + v m)
        d2h'/dt2 = R (hdd + w x hd + w x (hd + w x h + v m) + wd x h + vd m)

    with (w, v) the joint's twist and (wd, vd) its time derivative, expressed in the child frame.

    Args:
        qd: (nv,) joint velocities [rad/s, m/s]; zero by default.
        qdd: (nv,) time derivatives of the components of `qd`; zero by default.

    Returns:
        position [m], velocity [m/s] and acceleration [m/s^2], expressed in the base frame.

    Raises:
        ModelError: if no moving body has mass.
    """
    still = [0] * model.nv
    qd, qdd = still if qd is None else qd, still if qdd is None else qdd
    m, h = _shares(model)
    hd, hdd = [ZERO] * len(m), [ZERO] * len(m)
    for i in range(len(m) - 1, 0, -1):
        body, at = model.bodies[i], model.v_index[i]
        X = body.placement @ body.joint.transform(q[model.q_index[i]])
        V, A = body.joint.velocity(qd[at]), body.joint.acceleration(qd[at], qdd[at])
        rate = hd[i] + cross(V.ang, h[i]) + V.lin * m[i]
        hdd[body.parent] += X.R @ (hdd[i] + cross(V.ang, hd[i] + rate) + cross(A.ang, h[i]) + A.lin * m[i])
        hd[body.parent] += X.R @ rate
        h[body.parent] += X.R @ h[i] + X.p * m[i]
        m[body.parent] += m[i]
    return h[0], hd[0], hdd[0]


def com_jacobian(model: Model, q: Scalars) -> list[Vector]:
    """The nv columns J_j with cd = sum_j J_j qd_j, where c is the centre of mass in the base frame. GOA 7.

    A joint moves its subtree as one rigid body: J_j = R (S.ang x h + S.lin m). Here m and h are the mass and the first
    moment of the subtree, divided by the total mass, and R is the rotation of the joint's body.
    """
    X, (m, h) = poses_in_parents(model, q), _shares(model)
    for i in range(len(X) - 1, 0, -1):
        parent = model.bodies[i].parent
        h[parent] += X[i].R @ h[i] + X[i].p * m[i]
        m[parent] += m[i]
    R = [Rotation()]  # traverse the bodies from the tips to the base
    columns = []
    for i, body in enumerate(model.bodies[1:], 1):
        R.append(Transform(R[body.parent] @ X[i].R).merged().R)
        for S in body.joint.columns():
            columns.append(R[i] @ (cross(S.ang, h[i]) + S.lin * m[i]))
    return columns


def _shares(model: Model) -> tuple[list[Scalar], list[Vector]]:
    """Masses and first moments of all bodies, divided by the total moving mass; zero for the base."""
    total = sum(body.inertia.m for body in model.bodies[1:])
    if isinstance(total, (int, float)) and total == 0:
        raise ModelError(f"robot '{model.name}' has no centre of mass: none of its moving bodies has mass")
    bodies = [body.inertia for body in model.bodies[1:]]
    return [0, *(I.m * (1 / total) for I in bodies)], [ZERO, *(I.h * (1 / total) for I in bodies)]
