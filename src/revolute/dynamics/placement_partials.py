"""Partial derivatives of inverse dynamics with respect to the placements of joints, for any scalar type."""

from revolute.dynamics.inverse_dynamics_partials import moving_columns
from revolute.model import Model, reduced_in_place
from revolute.model.displaced import displaced
from revolute.spatial import Rows, Scalars, dot


def inverse_dynamics_placement_partials(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> Rows:
    """Derivatives of tau with respect to rotations and translations of each joint in its parent, in the joint's axes.

    These are columns of dtau/dq in `inverse_dynamics_partials` for a robot with a free joint, at rest, before every
    joint: body 2 i is body i, and the massless body 2 i - 1 displaces it. Only entries for pairs of a joint and a
    displacement are computed. For the letters see that function.
    """
    moved = displaced(model)
    tree = reduced_in_place(moved.model)
    X, columns, carried, F = moving_columns(tree, moved.positions(q), moved.rates(qd), moved.rates(qdd))
    by_q: Rows = [[0] * tree.nv for _ in range(tree.nv)]
    for i in range(len(tree.bodies) - 1, 0, -1):
        load, parent = carried[i], tree.bodies[i].parent
        for S in columns[i]:
            j, f, c = i, load.inertia.momentum(S.now), load.couple(S.now)
            if i % 2:
                f = load.inertia.momentum(S.second) + load.wrench(S.first) + S.now.cross_force(F[i])
            # propagate the wrench to the base: of a displacement past all joints, of a joint past all displacements
            while (above := tree.bodies[j].parent) > 0:
                f, c, j = X[j] @ f, c if i % 2 else X[j].R @ c, above
                for T in columns[j] if (i + j) % 2 else ():
                    if i % 2:
                        by_q[T.place][S.place] = T.now.power(f)
                    else:
                        by_q[S.place][T.place] = T.second.power(f) + dot(T.first.ang, c)
        if parent > 0:
            carried[parent] += load.seen(X[i])
            F[parent] += X[i] @ F[i]
    return [[by_q[i][k] for k in moved.displacements] for i in moved.joints]
