"""The mass matrix by composite rigid bodies, for any scalar type."""

from revolute.dynamics.kinematics import poses_in_parents
from revolute.model.model import Model
from revolute.spatial import Rows, Scalars, Transform, Twist


def mass_matrix(model: Model, q: Scalars) -> Rows:
    """M(q) with T = qd^T M qd / 2. BP 6.3.1-6.3.7, section 6.2; LP 9.61, 9.82; GOA 6a.

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


def mass_matrix_in_base(model: Model, q: Scalars) -> Rows:
    """M(q) with T = qd^T M qd / 2. RBDA 6.2, Table 6.2; Featherstone, IJRR 24 (2005) 487.

        M_ji = S_j . F_i,    F_i = I_i S_i          for every joint j on the path from i to the base

    F_i is the momentum of the load of joint i at unit velocity. S_j and F_i are expressed in the base frame, about its
    origin. So an entry is a scalar product of 11 operations, whereas `mass_matrix` transforms F_i from body to body.
    But each S_j and F_i must be transformed to the base, which pays off only on long paths. The rounding error of an
    entry is relative to the moment of momentum about the base's origin.
    """
    bodies = model.bodies
    X = poses_in_parents(model, q)
    T = [Transform()]
    S: list[list[Twist]] = [[]]
    for i, body in enumerate(bodies[1:], 1):
        T.append((T[body.parent] @ X[i]).merged())
        S.append([T[i] @ column for column in body.joint.columns()])
    I = [body.inertia for body in bodies]
    M: Rows = [[0] * model.nv for _ in range(model.nv)]
    for i in range(len(bodies) - 1, 0, -1):
        for column, S_i in enumerate(bodies[i].joint.columns(), model.v_index[i].start):
            F = I[i].momentum(S_i)
            for row, entry in enumerate(bodies[i].joint.force(F), model.v_index[i].start):
                M[row][column] = M[column][row] = entry
            F, j = T[i] @ F, bodies[i].parent
            while j > 0:
                for row, S_j in enumerate(S[j], model.v_index[j].start):
                    M[row][column] = M[column][row] = S_j.power(F)
                j = bodies[j].parent
        if bodies[i].parent > 0:
            I[bodies[i].parent] += X[i] @ I[i]
    return M
