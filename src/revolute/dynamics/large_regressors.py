"""Regressors of large robots in loops over joints or pairs of joints, for any scalar type."""

from collections.abc import Callable, Iterator, Sequence

from revolute.dynamics.kinematics import poses_in_parents, twists
from revolute.dynamics.motions import Acceleration, symmetric_product
from revolute.model.model import Model
from revolute.spatial import ZERO, Rotation, Scalar, Scalars, Transform, Twist, Vector, cross, mapped

LARGE = 1_000
"""Number of pairs of joints that carry the same body, summed over all bodies, from which loops limit compile time."""

Column = list[Vector]
"""Vectors of a joint that carries a body, in the body's frame: both parts of the column of the body's Jacobian; wd_r
and a of `reference_accelerations` for unit reference velocity of this joint, without gravity."""


def is_large(model: Model) -> bool:
    """Whether the regressor and partial derivatives of C, and the regressor of dqdd/dpi, are computed in loops."""
    return sum(len(places) ** 2 for places in paths(model)) >= LARGE


def regressor_in_loops(
    model: Model, X: Sequence[Transform], A: Sequence[Acceleration], powers: Callable[[Twist, Acceleration], Scalars]
) -> list[Scalar]:
    """`regressor.regressor`, from poses in the parents and accelerations of all bodies; `powers` returns V^T A."""
    width = 10 * (len(model.bodies) - 1)
    Y: list[Scalar] = [0] * (model.nv * width)
    for i, (places, J) in enumerate(zip(paths(model)[1:], _columns(model, X, [ZERO] * len(X)), strict=True)):
        for k, row in zip(places, mapped(lambda V, A_i=A[i + 1]: [*powers(Twist(*V), A_i)], J), strict=True):
            Y[k * width + 10 * i : k * width + 10 * i + 10] = row
    return Y


def coriolis_matrix_regressor_in_loops(
    model: Model, q: Scalars, qd: Scalars, powers: Callable[[Twist, Acceleration], Scalars]
) -> list[Scalar]:
    """`regressor.coriolis_matrix_regressor` for the C of the Christoffel symbols; `powers` returns V^T A."""
    X = poses_in_parents(model, q)
    w = [V.ang for V in twists(model, X, qd)]
    n, width = model.nv, 10 * (len(model.bodies) - 1)
    dC: list[Scalar] = [0] * (n * n * width)
    for i, (places, columns, w_i) in enumerate(zip(paths(model)[1:], _columns(model, X, w, qd), w[1:], strict=True)):
        J = [column[:2] for column in columns]

        def of_joint(column: Column, J: Sequence[Column] = J, w_i: Vector = w_i) -> list[Scalar]:
            s, _, wd, a = column
            A = Acceleration(wd + cross(w_i, s) * 0.5, symmetric_product(w_i, s), a)
            return [x for row in mapped(lambda V: [*powers(Twist(*V), A)], J) for x in row]

        for k, row in zip(places, mapped(of_joint, columns), strict=True):
            for place, j in enumerate(places):
                at = (j * n + k) * width + 10 * i
                dC[at : at + 10] = row[10 * place : 10 * place + 10]
    return dC


def _columns(model: Model, X: Sequence[Transform], w: Sequence[Vector], qd: Scalars = ()) -> Iterator[list[Column]]:
    """For every body but the base, the columns of the joints that carry it, from all poses and angular velocities."""
    # Without qd, columns have only the parts of the Jacobian.
    found: list[list[Column]] = [[]]
    for i, body in enumerate(model.bodies[1:], 1):
        joint, at, R, p, w_p, w_i = body.joint, model.v_index[i], X[i].R, X[i].p, w[body.parent], w[i]
        V, n = joint.velocity(qd[at]) if qd else Twist(), range(joint.nv)

        def carried(column: Column, R: Rotation = R, p: Vector = p, w_p: Vector = w_p, V: Twist = V) -> Column:
            s, v, *rates = column
            turned = R.T @ s
            if rates:
                wd, a = rates
                moved = R.T @ (a + cross(wd, p) + cross(w_p, cross(s, p)))
                rates = [R.T @ wd + cross(turned, V.ang), moved + cross(turned, V.lin)]
            return [turned, R.T @ (v + cross(s, p)), *rates]

        still = [joint.acceleration([int(j == k) for j in n], [0] * joint.nv) for k in n]
        own = [[S.ang, S.lin, A.ang, cross(w_i, S.lin) + A.lin] for S, A in zip(joint.columns(), still, strict=True)]
        before = found[body.parent]
        found.append([*(mapped(carried, before) if before else ()), *(own if qd else [x[:2] for x in own])])
        yield found[i]


def paths(model: Model) -> list[list[int]]:
    """For every body, the indices in qd of the joints that carry it."""
    found: list[list[int]] = [[]]
    for body, at in zip(model.bodies[1:], model.v_index[1:], strict=True):
        found.append([*found[body.parent], *range(at.start, at.stop)])
    return found
