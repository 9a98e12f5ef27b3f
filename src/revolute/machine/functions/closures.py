"""Recursions of closed loops: errors, their derivatives, accelerations, forces, projections, inverse kinematics."""

from typing import Any

from revolute.arguments import instances
from revolute.dynamics.closures import AxisClosure, FrameClosure, JointClosure, PointClosure
from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.constrained import Constraints
from revolute.dynamics.coordinate_rates import retracted
from revolute.dynamics.driven import driven_factors, driven_inverse_dynamics
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.mobility import dot
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.sparse_factorization import Factors
from revolute.errors import InputError
from revolute.machine.functions import inverse_kinematics as poses_of_trees
from revolute.machine.functions.inverse_kinematics import Frames
from revolute.machine.functions.inverse_kinematics import Rows as RowsOfFrames
from revolute.machine.functions.traced import along_motion, by_positions
from revolute.model import Closure, Model, aligned, reduced
from revolute.records import dataclass
from revolute.spatial import Rows, Scalar, Scalars, Tree, Wrenches, transposed

Switches = Scalars | None  # 1 for every closure that holds, and 0 for every open one; None if all hold


@dataclass(frozen=True)
class Loops:
    """The closures of a tree, and the drives of its joints if the dynamics include them."""

    closures: tuple[Closure, ...]
    drives: Drivetrain | None = None

    @property
    def forces_turn(self) -> bool:
        """Whether rows can exert forces that turn with their links; user-defined types of closures may be unable to."""
        return all(isinstance(x, (AxisClosure, FrameClosure, JointClosure, PointClosure)) for x in self.closures)

    def held(self, values: Scalars, active: Switches) -> list[Any]:
        """Values of all rows; zero for closures that are open."""
        if active is None:
            return list(values)
        factors = [x for x, closure in zip(active, self.closures, strict=True) for _ in closure.row_names()]
        return [factor * x for factor, x in zip(factors, values, strict=True)]


def error(model: Model, loops: Loops, q: Scalars) -> list[Any]:
    """Errors e of all closures."""
    same = reduced(model)
    return [x for closure in loops.closures for x in closure.error(same, q)]


def jacobian(model: Model, loops: Loops, q: Scalars, active: Switches = None) -> Rows:
    """Rows of J with de/dt = J qd; for a closure that defines only `error`, by differentiating the graph."""
    same, J = reduced(model), list[list[Any]]()
    for closure in loops.closures:
        J += closure.jacobian(same, q) or by_positions(model, closure.error(same, q), q)
    return J if active is None else transposed(loops.held(column, active) for column in zip(*J, strict=True))


def drift(model: Model, loops: Loops, q: Scalars, qd: Scalars) -> list[Any]:
    """dJ/dt qd."""
    # q and qd may depend on each other: zero accelerations say that they are independent here
    same, rates, still = reduced(model), list[Any](), (0,) * model.nv
    for closure in loops.closures:
        known = closure.drift(same, q, qd)
        rates += known or along_motion(model, along_motion(model, closure.error(same, q), q, qd), q, qd, still)
    return rates


def slopes_of(model: Model, J: Rows, q: Scalars) -> list[Rows]:
    """dJ_rj / dq_k."""
    return [by_positions(model, row, q) for row in J]


def contracted(slopes: list[Rows], x: Scalars) -> Rows:
    """d(J x)/dq."""
    return [[dot(column, x) for column in zip(*H, strict=True)] for H in slopes]


def pulled(slopes: list[Rows], f: Scalars) -> Rows:
    """d(J^T f)/dq."""
    return [[dot(x, f) for x in zip(*rows, strict=True)] for rows in zip(*slopes, strict=True)]


def jacobian_arrays(frames: Frames = ("",), rows: RowsOfFrames = ((0, 1, 2, 3, 4, 5),)) -> str:
    """Declaration of the arrays of `chord_error`."""
    return f"{poses_of_trees.jacobian_arrays(frames, rows)}; loops: rows; loops_q: rows nv"


def pose_error(model: Model, loops: Loops, q: Scalars, poses: Scalars, frames: Frames, rows: RowsOfFrames) -> Tree:
    """The chosen rows of the pose errors of all frames."""
    return poses_of_trees.pose_error(aligned(model), q, poses, frames, rows)


def chord_error(model: Model, loops: Loops, q: Scalars, poses: Scalars, frames: Frames, rows: RowsOfFrames) -> Tree:
    """The chosen rows of the frames' chord errors and of their Jacobian; the errors of the loops and their Jacobian."""
    e, J = poses_of_trees.chord_error(aligned(model), q, poses, frames, rows)
    return e, J, error(model, loops, q), jacobian(model, loops, q)


def forward_dynamics(model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, **options: Any) -> Tree:
    """Accelerations qdd that keep the loops closed."""
    return accelerated(model, loops, q, qd, tau, **options)[1]


def multipliers(model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, **options: Any) -> Tree:
    """Multipliers f of the rows of the closures."""
    return accelerated(model, loops, q, qd, tau, **options)[2]


def check_motors(model: Model, loops: Loops, motors: tuple[str, ...] | None = None) -> None:
    """Raise `InputError` unless the motors are distinct coordinates of the tree."""
    indices(model, motors or ())


def check_independent(model: Model, loops: Loops, independent: tuple[str, ...]) -> None:
    """Raise `InputError` unless the coordinates exist and are distinct."""
    indices(model, independent)


def indices(model: Model, names: tuple[str, ...]) -> list[int]:
    """Indices of the named coordinates. Raise `InputError` for unknown or repeated names."""
    known = model.coordinate_names
    for name in instances("names of coordinates", names, str):
        if name not in known:
            raise InputError(f"robot '{model.name}' has no coordinate '{name}'; available: {', '.join(known)}")
    if len(set(names)) < len(names):
        raise InputError(f"a coordinate of '{model.name}' is named more than once: {', '.join(names)}")
    return [known.index(name) for name in names]


def inverse_dynamics(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, qdd: Scalars, motors: tuple[str, ...] | None = None,
    wrenches: Wrenches = None, active: Switches = None,
) -> Tree:
    """(nv,) tau of the motors; joint forces of the open tree; their part that motors and closures cannot exert;
    accelerations of the rows by which qdd opens the loops; and the sum of the absolute terms of each acceleration."""
    J = jacobian(model, loops, q, active)
    rates = loops.held(drift(model, loops, q, qd), active)
    felt, motored = exerted(model, J, motors)
    wanted = forces(model, loops, q, qd, qdd, wrenches)
    given = least(felt).solve((0,) * len(felt[0]), wanted)[0]
    tau = dict(zip(motored, given, strict=False))
    missing = [force - dot(row, given) for row, force in zip(felt, wanted, strict=True)]
    opening = least(J).solve((0,) * model.nv, [x + dot(row, qdd) for row, x in zip(J, rates, strict=True)])[0]
    sizes = [abs(x) + sum(abs(a * b) for a, b in zip(row, qdd, strict=True)) for row, x in zip(J, rates, strict=True)]
    return [tau.get(k, 0) for k in range(model.nv)], wanted, missing, [dot(row, opening) for row in J], sizes


def exerted(model: Model, J: Rows, motors: tuple[str, ...] | None) -> tuple[Rows, list[int]]:
    """The matrix from forces of motors and closures to joint forces; the indices of coordinates with motors."""
    motored = [*range(model.nv)] if motors is None else indices(model, motors)
    return [[*(int(k == i) for i in motored), *(row[k] for row in J)] for k in range(model.nv)], motored


def least(rows: Rows) -> Constraints:
    """Equations `rows` x = required, in a form that solves them for the x of minimum norm."""
    n = len(rows[0])
    return Constraints(rows, Factors(({},) * n, (1,) * n, (1,) * n))


def least_velocity(model: Model, loops: Loops, q: Scalars, change: Scalars, active: Switches = None) -> Tree:
    """The velocity v of minimum kinetic energy with J v = change."""
    return constraints(model, loops, q, active).solve((0,) * model.nv, loops.held(change, active))[0]


def newton(model: Model, loops: Loops, q: Scalars, active: Switches = None, target: Scalars | None = None) -> Tree:
    """Positions nearer to closed loops, by one Newton step in the metric of the kinetic energy."""
    return retracted(model, q, least_velocity(model, loops, q, ahead(model, loops, q, target), active))


def ahead(model: Model, loops: Loops, q: Scalars, target: Scalars | None = None) -> list[Any]:
    """Targets of e minus e: the changes of e that close the loops."""
    errors = error(model, loops, q)
    return [x - e for x, e in zip(target or (0,) * len(errors), errors, strict=True)]


def accelerated(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None,
    stabilization: Scalars = (0,), active: Switches = None, target: Scalars | None = None,
    target_rate: Scalars | None = None, target_acceleration: Scalars | None = None,
) -> tuple[Constraints, list[Scalar], list[Scalar]]:
    """The constraints, qdd and f of M qdd + b = tau + J^T f, J qdd + dJ/dt qd = -2 a J qd - a^2 e, with Baumgarte's
    rate a; e and its rates are relative to a target that may move."""
    (a,), rows = stabilization, constraints(model, loops, q, active)
    still = (0,) * len(rows.J)
    speeds = [dot(row, qd) - x for row, x in zip(rows.J, target_rate or still, strict=True)]
    errors = [e - x for e, x in zip(error(model, loops, q), target or still, strict=True)]
    off = zip(target_acceleration or still, drift(model, loops, q, qd), speeds, errors, strict=True)
    required = loops.held([led - (x + 2 * a * v + a * a * e) for led, x, v, e in off], active)
    bias = forces(model, loops, q, qd, (0,) * model.nv, wrenches)
    return rows, *rows.solve([t - b for t, b in zip(tau, bias, strict=True)], required)


def constraints(model: Model, loops: Loops, q: Scalars, active: Switches = None) -> Constraints:
    """The constraints: J, and the factors L and D of the mass matrix with rotors."""
    same = reduced(model)
    factors = driven_factors(same, loops.drives, q) if loops.drives else mass_matrix_factors(same, q)
    return Constraints(jacobian(model, loops, q, active), factors)


def forces(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, qdd: Scalars, wrenches: Wrenches = None
) -> list[Scalar]:
    """Joint forces of a motion of the open tree, with rotors, friction and springs of drives."""
    same = reduced(model)
    if loops.drives:
        return driven_inverse_dynamics(same, loops.drives, q, qd, qdd, wrenches)
    return newton_euler(same, q, qd, qdd, wrenches)
