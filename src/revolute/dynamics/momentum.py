"""Generalized and centroidal momentum, for any scalar type."""

from collections.abc import Sequence
from dataclasses import replace

from revolute.dynamics.energy import first_moment
from revolute.dynamics.kinematics import poses_in_parents
from revolute.dynamics.motions import reference_accelerations
from revolute.dynamics.newton_euler import newton_euler
from revolute.model.model import Model
from revolute.spatial import ZERO, Rows, Scalar, Scalars, Transform, Vector, Wrench, cross


def generalized_momentum(model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
    """p = M(q) qd = dT/dqd, in O(n). SHV ex. on Hamilton's equations.

    At rest and without gravity, M qd are the forces that produce the acceleration `qd`: so the recursion of
    `newton_euler` computes them by propagating velocities and momenta.
    """
    return newton_euler(replace(model, gravity=ZERO), q, [0] * model.nv, qd)


def centroidal_momentum(model: Model, q: Scalars, qd: Scalars) -> list[Scalar]:
    """Angular and linear momentum (k, l) of moving bodies, k about their centre of mass. LP 9.25; Orin & Goswami 2008.

    Returns:
        6 scalars, expressed in the base frame [kg m^2/s, kg m/s].
    """
    return centroidal_momentum_rate(model, q, [0] * model.nv, qd)


def centroidal_momentum_rate(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
    """Time derivative of `centroidal_momentum`: the wrench on all moving bodies, weight included.

    The wrenches that produce the motion are summed towards the base and moved to the centre
    of mass c: kd = n - c x f, because the momentum is parallel to the velocity of c.

    Returns:
        6 scalars, expressed in the base frame [N m, N].
    """
    X, A = reference_accelerations(replace(model, gravity=ZERO), q, qd, qd, qdd)
    F = [Wrench(ZERO, ZERO)] * len(X)
    for i in range(len(X) - 1, 0, -1):
        body = model.bodies[i]
        F[i] += body.inertia.momentum_rate(A[i].Omega, A[i].a)
        F[body.parent] += X[i] @ F[i]
    return [*(F[0].ang - cross(_center_of_mass(model, X), F[0].lin)), *F[0].lin]


def centroidal_momentum_matrix(model: Model, q: Scalars) -> list[Scalar]:
    """A(q) with (k, l) = A qd: column j is the momentum of joint j's subtree. Orin & Goswami 2008.

    Subtrees are first summed to composite bodies. Each column is then transformed to the base in one step.

    Returns:
        6 rows of nv scalars, one after the other.
    """
    X = poses_in_parents(model, q)
    I = [body.inertia for body in model.bodies]
    for i in range(len(X) - 1, 0, -1):  # inertias of the composite bodies
        I[model.bodies[i].parent] += X[i] @ I[i]
    poses = [Transform(p=-_center_of_mass(model, X))]  # moment of momentum relative to the centre of mass
    columns: Rows = []
    for i, body in enumerate(model.bodies[1:], 1):
        poses.append((poses[body.parent] @ X[i]).merged())
        for V in body.joint.columns():
            momentum = Wrench(I[i].I @ V.ang + cross(I[i].h, V.lin), V.lin * I[i].m + cross(V.ang, I[i].h))
            P = poses[i] @ momentum
            columns.append([*P.ang, *P.lin])
    return [x for row in zip(*columns, strict=True) for x in row]


def _center_of_mass(model: Model, X: Sequence[Transform]) -> Vector:
    """Centre of mass of the moving bodies in the base frame; the origin if they are massless."""
    m, h = first_moment(model, X)
    return ZERO if isinstance(m, (int, float)) and m == 0 else h * (1 / m)
