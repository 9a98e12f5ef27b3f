"""The mass matrix by composite rigid bodies, over any scalar."""

from __future__ import annotations

from revolute.dynamics.kinematics import poses_in_parents
from revolute.model.model import Model
from revolute.spatial.scalar import Rows, Scalars

__all__ = ["mass_matrix"]


def mass_matrix(model: Model, q: Scalars) -> Rows:
    """M(q) with T = qd^T M qd / 2. BP 6.2, 6.3.1-6.3.7; LP 9.61, 9.82; GOA 6a.

        M_ji = S_j . I_i S_i          for every joint j on the path from i to the base

    I_i is the composite inertia of the load of joint i. Its momentum at unit velocity of joint i is passed to the base
    and projected on each joint of the path. Entries of joints on different branches are zero and need no operations.
    """
    bodies = model.bodies
    X = poses_in_parents(model, q)
    I = [body.inertia for body in bodies]
    M: Rows = [[0] * model.nv for _ in range(model.nv)]
    for i in range(len(bodies) - 1, 0, -1):
        for column, S in enumerate(bodies[i].joint.columns(), model.v_index[i].start):
            F, j = I[i].momentum(S), i
            while True:
                for row, entry in enumerate(bodies[j].joint.force(F), model.v_index[j].start):
                    M[row][column] = M[column][row] = entry
                if bodies[j].parent == 0:
                    break
                F, j = X[j] @ F, bodies[j].parent
        if bodies[i].parent > 0:
            I[bodies[i].parent] += X[i] @ I[i]
    return M
