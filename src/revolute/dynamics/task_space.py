"""The equations of motion in the coordinates of a link frame, for any scalar type."""

from __future__ import annotations

from dataclasses import replace

from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.mobility import Coordinates, Mobility, dot, mobility
from revolute.dynamics.newton_euler import bias_forces, gravity_forces, newton_euler
from revolute.model.model import Model
from revolute.spatial import ZERO, Rows, Scalar, Scalars, Wrenches


def task_space_dynamics(
    model: Model, q: Scalars, qd: Scalars, task: Coordinates, damping: Scalar = 0, wrenches: Wrenches = None
) -> tuple[Rows, list[Scalar], list[Scalar], list[Scalar], Mobility]:
    """Lambda, mu, p and e of F = Lambda Vd + mu + p + e, with tau = J^T F. LP 9.90-9.99; BP 7.4.4.

        Lambda = (J M^-1 J^T)^-1
        mu     = Lambda (J M^-1 C qd - Jd qd),    p = Lambda J M^-1 g,    eta = mu + p + e
        e      = -Lambda J M^-1 sum_i J_i^T wrench_i

    For square J, Lambda and eta are J^-T M J^-1 and J^-T b - Lambda Jd J^-1 V of LP. For a redundant arm the equation
    holds if tau = J^T F alone drives the arm. (LP 9.95 has J^-T b instead of b.)

    Args:
        damping: lambda in Lambda = (J M^-1 J^T + lambda^2 1)^-1.

    Returns:
        Lambda, m rows of m scalars; mu, p and e, m scalars each; the mobility.
    """
    still = (0,) * model.nv
    weightless = replace(model, gravity=ZERO)
    moving, weight = bias_forces(weightless, q, qd), gravity_forces(model, q)
    task_mobility = mobility(model, q, task, damping)
    push = newton_euler(weightless, q, still, still, wrenches) if wrenches else ()
    return *dynamics_of(task_mobility, moving, weight, task.drift(model, q, qd), push), task_mobility


def dynamics_of(
    task_mobility: Mobility, moving: Scalars, weight: Scalars, rate: Scalars, push: Scalars = ()
) -> tuple[Rows, list[Scalar], list[Scalar], list[Scalar]]:
    """Lambda, mu, p and e, from the joint forces due to velocities, gravity and wrenches, and from Jd qd."""
    Lambda = task_mobility.damped.inverse()
    run = [a - b for a, b in zip(task_mobility.accelerated(moving), rate, strict=True)]
    fall = task_mobility.accelerated(weight)
    pushed = task_mobility.accelerated(push) if push else ()
    mu, p, e = ([dot(row, x) for row in Lambda] if x else [0] * len(Lambda) for x in (run, fall, pushed))
    return Lambda, mu, p, e


def task_inertia(model: Model, q: Scalars, task: Coordinates, damping: Scalar = 0) -> tuple[Rows, Mobility]:
    """Lambda of `task_space_dynamics`."""
    task_mobility = mobility(model, q, task, damping)
    return task_mobility.damped.inverse(), task_mobility


def task_gravity_forces(
    model: Model, q: Scalars, task: Coordinates, damping: Scalar = 0
) -> tuple[list[Scalar], Mobility]:
    """p of `task_space_dynamics`."""
    task_mobility = mobility(model, q, task, damping)
    return task_mobility.damped.solve(task_mobility.accelerated(gravity_forces(model, q))), task_mobility


def task_equations_of_motion(
    model: Model, q: Scalars, qd: Scalars, task: Coordinates, damping: Scalar = 0
) -> tuple[Rows, Rows, list[Scalar], Mobility]:
    """Lambda, C_x and p of F = Lambda xdd + C_x xd + p, where xd = J qd. BP 7.4.2, 7.4.4.

        C_x = Jbar^T C Jbar - Lambda Jd Jbar,    p = Jbar^T g,    Jbar = M^-1 J^T Lambda

    With the C of the Christoffel symbols, dLambda/dt - 2 C_x is skew-symmetric. BP's vector C_chi is C_x xd for square
    J. For a redundant arm, C_x xd + p equals eta if qd = Jbar xd.

    Returns:
        Lambda and C_x, m rows of m scalars; p, m scalars; the mobility.
    """
    _, C, g = equations_of_motion(model, q, qd)
    inverse, task_mobility = dynamically_consistent_inverse(model, q, task, damping)
    Lambda = task_mobility.damped.inverse()
    Jd = task.jacobian_rate(model, q, qd)
    columns = [*zip(*inverse, strict=True)]  # columns of Jbar

    def by_inverse(rows: Rows) -> Rows:
        return [[dot(row, column) for column in columns] for row in rows]

    moved = [*zip(*by_inverse(C), strict=True)]  # columns of the matrix C Jbar
    turned = [*zip(*by_inverse(Jd), strict=True)]  # columns of Jd Jbar
    C_x = [
        [dot(column, c) - dot(row, t) for c, t in zip(moved, turned, strict=True)]
        for column, row in zip(columns, Lambda, strict=True)
    ]
    return Lambda, C_x, [dot(column, g) for column in columns], task_mobility


def dynamically_consistent_inverse(
    model: Model, q: Scalars, task: Coordinates, damping: Scalar = 0
) -> tuple[Rows, Mobility]:
    """M^-1 J^T Lambda, the inverse of J with minimum kinetic energy, as nv rows; and the mobility. Khatib 1987."""
    task_mobility = mobility(model, q, task, damping)
    return inverse_of(task_mobility), task_mobility


def inverse_of(task_mobility: Mobility) -> Rows:
    """The dynamically consistent inverse M^-1 J^T Lambda, as nv rows."""
    Lambda = task_mobility.damped.inverse()
    columns = task_mobility.factors.solve_columns(task_mobility.J)  # columns of M^-1 J^T
    return [[dot(row, column) for column in Lambda] for row in zip(*columns, strict=True)]


def task_space_forces(
    model: Model, q: Scalars, qd: Scalars, acceleration: Scalars, task: Coordinates,
    damping: Scalar = 0, wrenches: Wrenches = None,
) -> tuple[list[Scalar], list[Scalar], Mobility]:
    """tau = J^T F with F = Lambda Vd + eta. LP 9.97; BP 7.4.2-7.4.5.

    Arguments are those of `task_space_dynamics`; `acceleration` is Vd, the derivative of the components of the task's
    twist. Results are tau, nv scalars; F, m scalars; the mobility.
    """
    bias = newton_euler(model, q, qd, (0,) * model.nv, wrenches)
    task_mobility = mobility(model, q, task, damping)
    return *forces_of(task_mobility, bias, acceleration, task.drift(model, q, qd)), task_mobility


def forces_of(
    task_mobility: Mobility, bias: Scalars, acceleration: Scalars, rate: Scalars
) -> tuple[list[Scalar], list[Scalar]]:
    """tau and F, from the joint forces at zero acceleration (`bias`), Vd (`acceleration`) and Jd qd (`rate`)."""
    parts = (acceleration, task_mobility.accelerated(bias), rate)
    F = task_mobility.damped.solve([a + b - c for a, b, c in zip(*parts, strict=True)])
    return [dot(column, F) for column in zip(*task_mobility.J, strict=True)], F
