"""The regressors of GOA's Coriolis matrix in the inertial parameters, over any scalar. GOA 13b, 15-16."""

from __future__ import annotations

from revolute.dynamics.kinematics import in_child
from revolute.model.model import Model
from revolute.model.parameters import from_vector
from revolute.spatial import Motion
from revolute.spatial.scalar import Scalar, Scalars
from revolute.spatial.vectors import ZERO

__all__ = ["goa_regressor"]

UNITS = [from_vector([int(h == p) for h in range(10)]) for p in range(10)]
"""Inertias with one parameter equal to one: A(V)^h is the momentum of the h-th. GOA 8."""


def goa_regressor(model: Model, q: Scalars, qd: Scalars, qdr: Scalars, qddr: Scalars) -> list[Scalar]:
    """The Slotine-Li regressor for the C of GOA 6b. GOA 15-16.

        Y pi = M(q) qddr + C(q, qd) qdr + g(q) = sum_k J_k^T (A(alpha_k) - adj_k^T A(J_k qdr)) pi_k
        alpha_k = J_k qddr + adj_k J_k qdr + Jd_k qdr + gamma_k

    Adding (28) times qdr to adj_k times (27) leaves

        alpha_k = Ad_pk^-1 alpha_p + Xi_k qddr + V_k x Xi_k qdr,    alpha_0 = gamma_0

    Args:
        model: kinematic tree; its inertias are not used.
        qdr, qddr: (nv,) reference velocities and accelerations.

    Returns:
        nv rows of 10 n scalars, one after the other; n bodies without the base.
    """
    width = 10 * (len(model.bodies) - 1)
    Y: list[Scalar] = [0] * (model.nv * width)
    still = Motion(ZERO, ZERO)
    V, Vr, alpha = [still], [still], [Motion(ZERO, -model.gravity)]
    J: list[dict[int, Motion]] = [{}]
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
