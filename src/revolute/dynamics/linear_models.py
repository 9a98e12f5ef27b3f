"""Linear models of a robot about a state, for any scalar type."""

from revolute.dynamics.forward_dynamics_partials import forward_dynamics_partials
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.mobility import Coordinates, Mobility
from revolute.dynamics.sparse_factorization import is_zero
from revolute.dynamics.task_space import dynamically_consistent_inverse
from revolute.model.model import Model
from revolute.spatial.scalar import Rows, Scalars, Wrenches


def linearize(model: Model, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None) -> tuple[Rows, Rows]:
    """A and B of d/dt (dq, dqd) = A (dq, dqd) + B dtau. BP 7.2.2, 7.2.3.

        A = | -ad        1        |    B = | 0    |
            | dqdd/dq    dqdd/dqd |        | M^-1 |

    BP has zero in place of -ad, which is correct if velocities are time derivatives of positions. A small motion dq of
    a free joint is a twist expressed in the body frame, q exp(dq), and this frame rotates: the variation of q' = q V
    gives d/dt dq = dV - V x dq.
    """
    return state_matrices(model, qd, *forward_dynamics_partials(model, q, qd, tau, wrenches))


def state_matrices(model: Model, qd: Scalars, by_q: Rows, by_qd: Rows, by_tau: Rows) -> tuple[Rows, Rows]:
    """A and B of `linearize`, from the partial derivatives of the accelerations with respect to q, qd and tau."""
    n = len(by_q)
    A = [[-x for x in row] + [int(i == j) for j in range(n)] for i, row in enumerate(brackets(model, qd))]
    A += [[*left, *right] for left, right in zip(by_q, by_qd, strict=True)]
    return A, [[0 for _ in row] for row in by_tau] + by_tau


def linearize_task(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, task: Coordinates, wrenches: Wrenches = None
) -> tuple[Rows, Rows, Rows, Mobility]:
    """D, V, P of dtau = D d2/dt2 dx + V d/dt dx + P dx, where dx = J dq. BP 7.4.8-7.4.18.

        D = D_q J^-1,    V = (V_q - 2 D Jd) J^-1,    P = (P_q - V Jd - D Jdd) J^-1

    with D_q, V_q, P_q of joint space (7.2.1). D_q multiplies changes of the components of qdd, V_q of qd. Since dV =
    d/dt dq + V x dq for a free joint (see `linearize`), the matrices that multiply time derivatives of dq are

        V_q + D_q ad(qd),    P_q + V_q ad(qd) + D_q ad(qdd)

    J is square, so J^-1 is the dynamically consistent inverse, and D = J^T Lambda. The mobility is returned last.
    """
    partials = inverse_dynamics_partials(model, q, qd, qdd, wrenches)
    inverse, task_mobility = dynamically_consistent_inverse(model, q, task)
    Jd = task.jacobian_rate(model, q, qd)
    Jdd = task.jacobian_second_rate(model, q, qd, qdd)
    of_axes = brackets(model, qd), brackets(model, qdd)
    return *task_matrices(partials, of_axes, inverse, Jd, Jdd), task_mobility


def task_matrices(
    partials: tuple[Rows, Rows, Rows], of_axes: tuple[Rows, Rows], inverse: Rows, Jd: Rows, Jdd: Rows
) -> tuple[Rows, Rows, Rows]:
    """D, V and P of `linearize_task`, from the partials of forces, ad(qd), ad(qdd), J^-1 and J's time derivatives."""
    (by_q, by_qd, M), (ad, ad_rate) = partials, of_axes
    P_q = total(by_q, product(by_qd, ad), product(M, ad_rate))
    V_q = total(by_qd, product(M, ad))
    D = product(M, inverse)
    D_Jd = product(D, Jd)
    V = product(_less(_less(V_q, D_Jd), D_Jd), inverse)
    P = product(_less(_less(P_q, product(V, Jd)), product(D, Jdd)), inverse)
    return D, V, P


def brackets(model: Model, qd: Scalars) -> Rows:
    """The block-diagonal matrix ad of all joints, nv rows of nv scalars: see `JointType.bracket`."""
    ad: Rows = [[0] * model.nv for _ in range(model.nv)]
    for body, at in zip(model.bodies, model.v_index, strict=True):
        for k, row in enumerate(body.joint.bracket(qd[at]), at.start):
            ad[k][at] = row
    return ad


def product(A: Rows, B: Rows) -> Rows:
    """The product A B, without structurally zero terms."""
    columns = [*zip(*B, strict=True)]
    return [
        [sum(x * y for x, y in zip(row, column, strict=True) if not (is_zero(x) or is_zero(y))) for column in columns]
        for row in A
    ]


def total(*matrices: Rows) -> Rows:
    """The sum of matrices."""
    return [[sum(parts) for parts in zip(*rows, strict=True)] for rows in zip(*matrices, strict=True)]


def _less(A: Rows, B: Rows) -> Rows:
    return [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(A, B, strict=True)]
