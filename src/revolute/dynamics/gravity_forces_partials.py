"""Partial derivatives of the gravity forces, over any scalar."""

from __future__ import annotations

from revolute.model.model import Model
from revolute.spatial import Motion, Transform
from revolute.spatial.scalar import Rows, Scalars
from revolute.spatial.vectors import Vector, cross, dot

__all__ = ["gravity_forces_partials"]


def gravity_forces_partials(model: Model, q: Scalars) -> Rows:
    """dg/dq, the Hessian of the potential energy. GOA 24d.

    Rotating joint j changes the upward acceleration a = -g, expressed in the frame of its load, by a x ang(S_j). So the
    force of an outboard joint i changes by

        dg_i/dq_j = (m lin(S_i) + ang(S_i) x h) . (a x ang(S_j))

    with m and h of the load of joint i. The first factor is the momentum for the velocity S_i; it only has to be
    rotated to joint j's axes. Small motions of different joints commute, so dg_j/dq_i is the same. Small motions of one
    free body do not commute, and its block is not symmetric.

    Returns:
        nv rows of nv scalars; columns are directional derivatives along joint velocities.
    """
    n = len(model.bodies)
    X, a = [Transform()] * n, [-model.gravity] * n
    columns: list[list[tuple[int, Motion]]] = [[]]
    m, h = ([getattr(body.inertia, part) for body in model.bodies] for part in ("m", "h"))
    for i, body in enumerate(model.bodies[1:], 1):
        X[i] = body.placement @ body.joint.transform(q[model.q_index[i]])
        a[i] = X[i].R.T @ a[body.parent]
        columns.append(list(enumerate(body.joint.columns(), model.v_index[i].start)))

    partials: Rows = [[0] * model.nv for _ in range(model.nv)]
    for i in range(n - 1, 0, -1):
        for k, S in columns[i]:
            # dg_i/dq_j: the joint's own block, then that of each joint on the way to the base
            momentum: Vector = S.lin * m[i] + cross(S.ang, h[i])
            for place, T in columns[i]:
                partials[k][place] = dot(momentum, cross(a[i], T.ang))
            j = i
            while (above := model.bodies[j].parent) > 0:
                momentum, j = X[j].R @ momentum, above
                for place, T in columns[j]:
                    partials[k][place] = partials[place][k] = dot(momentum, cross(a[j], T.ang))
        parent = model.bodies[i].parent
        m[parent], h[parent] = m[parent] + m[i], h[parent] + X[i].R @ h[i] + X[i].p * m[i]
    return partials
