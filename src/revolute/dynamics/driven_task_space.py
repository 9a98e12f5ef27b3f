"""The equations of motion of a robot with its drives in the coordinates of a link frame, for any scalar type.

As in `task_space`, but with the Jacobian J A with respect to the coordinates, and with M of links and rotors.
Velocity-dependent forces include friction, and position-dependent forces include springs.
"""

from revolute.dynamics.driven import (
    driven_bias_forces,
    driven_factors,
    driven_friction_forces,
    driven_gravity_forces,
    driven_inverse_dynamics_partials,
    driven_spring_forces,
)
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.jacobian import jacobian
from revolute.dynamics.linear_models import brackets, task_matrices
from revolute.dynamics.mobility import ALL, Mobility, TwistRows, mobility_of, plus
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.task_space import dynamics_of, forces_of, inverse_of
from revolute.model.edit import with_gravity
from revolute.model.model import Model
from revolute.spatial.scalar import Rows, Scalar, Scalars, Wrenches


def driven_task_space_dynamics(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, task: TwistRows, damping: Scalar = 0,
    wrenches: Wrenches = None,
) -> tuple[Rows, list[Scalar], list[Scalar], list[Scalar], Mobility]:
    """Lambda, mu with friction, p with springs, and e: see `task_space_dynamics`."""
    phi, phid, still = drives.positions(model, q), drives.rates(qd), (0,) * model.nv
    weightless = with_gravity(model, (0, 0, 0))
    links = drives.projected(newton_euler(weightless, phi, phid, still))
    moving = plus(links, driven_friction_forces(model, drives, qd))
    weight = plus(driven_gravity_forces(model, drives, q), driven_spring_forces(model, drives, q))
    push = drives.projected(newton_euler(weightless, phi, still, still, wrenches)) if wrenches else ()
    mobility = _mobility(model, drives, q, task, damping)
    return *dynamics_of(mobility, moving, weight, task.drift(model, phi, phid), push), mobility


def driven_task_space_forces(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, acceleration: Scalars, task: TwistRows,
    damping: Scalar = 0, wrenches: Wrenches = None,
) -> tuple[list[Scalar], list[Scalar], Mobility]:
    """tau and F: see `task_space_forces`."""
    bias = driven_bias_forces(model, drives, q, qd, wrenches)
    mobility = _mobility(model, drives, q, task, damping)
    rate = task.drift(model, drives.positions(model, q), drives.rates(qd))
    return *forces_of(mobility, bias, acceleration, rate), mobility


def driven_dynamically_consistent_inverse(
    model: Model, drives: Drivetrain, q: Scalars, task: TwistRows, damping: Scalar = 0
) -> tuple[Rows, Mobility]:
    """M^-1 J^T Lambda: see `dynamically_consistent_inverse`."""
    mobility = _mobility(model, drives, q, task, damping)
    return inverse_of(mobility), mobility


def driven_linearize_task(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, qdd: Scalars, task: TwistRows, wrenches: Wrenches = None
) -> tuple[Rows, Rows, Rows, Mobility]:
    """D, V and P: see `linearize_task`."""
    phi, phid, phidd = drives.positions(model, q), drives.rates(qd), drives.rates(qdd)
    partials = driven_inverse_dynamics_partials(model, drives, q, qd, qdd, wrenches)
    inverse, mobility = driven_dynamically_consistent_inverse(model, drives, q, task)
    Jd = [drives.projected(row) for row in task.jacobian_rate(model, phi, phid)]
    Jdd = [drives.projected(row) for row in task.jacobian_second_rate(model, phi, phid, phidd)]
    of_axes = brackets(drives.space, qd), brackets(drives.space, qdd)
    return *task_matrices(partials, of_axes, inverse, Jd, Jdd), mobility


def driven_task_rows(model: Model, drives: Drivetrain, q: Scalars, task: TwistRows) -> Rows:
    """The task's rows of J A."""
    columns = jacobian(model, drives.positions(model, q), task.frame, task.reference)
    return [drives.projected(row) for row in task.of(columns)]


def _mobility(model: Model, drives: Drivetrain, q: Scalars, task: TwistRows, damping: Scalar) -> Mobility:
    J = driven_task_rows(model, drives, q, TwistRows(task.frame, task.reference, ALL))
    return mobility_of(*task.chosen(J), driven_factors(model, drives, q), damping)
