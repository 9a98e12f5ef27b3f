"""Recursions of closed loops: errors, their derivatives, and inverse kinematics."""

from typing import Any

from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.constrained import Constraints, moved
from revolute.dynamics.coordinate_rates import coordinate_rates, retracted
from revolute.dynamics.driven import driven_factors, driven_inverse_dynamics, driven_inverse_dynamics_partials
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.linear_models import brackets
from revolute.dynamics.mobility import dot
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.sparse_factorization import Factors
from revolute.errors import InputError
from revolute.machine.functions import inverse_kinematics as poses_of_trees
from revolute.machine.functions.inverse_kinematics import Frames, Rows
from revolute.machine.functions.traced import along_motion, by_positions, by_rates
from revolute.model.model import Closure, Model
from revolute.model.reduce import aligned, reduced
from revolute.records import dataclass
from revolute.spatial.loop import Tree
from revolute.spatial.scalar import Scalar, Scalars, Wrenches


@dataclass(frozen=True)
class Loops:
    """What closes the loops of a tree, and the drives of its joints, if the dynamics include them."""

    closures: tuple[Closure, ...]
    drives: Drivetrain | None = None


def error(model: Model, loops: Loops, q: Scalars) -> list[Any]:
    """Errors e of all closures."""
    same = reduced(model)
    return [x for closure in loops.closures for x in closure.error(same, q)]


def jacobian(model: Model, loops: Loops, q: Scalars) -> list[list[Any]]:
    """Rows of J with de/dt = J qd; those of a closure that has only `error` by derivatives of the graph."""
    same = reduced(model)
    parts = ((closure.jacobian(same, q), closure) for closure in loops.closures)
    return [row for J, closure in parts for row in (J or by_positions(model, closure.error(same, q), q))]


def drift(model: Model, loops: Loops, q: Scalars, qd: Scalars) -> list[Any]:
    """dJ/dt qd."""
    same, rates = reduced(model), list[Any]()
    for closure in loops.closures:
        known = closure.drift(same, q, qd)
        rates += known or along_motion(model, along_motion(model, closure.error(same, q), q, qd), q, qd)
    return rates


def partials(model: Model, loops: Loops, q: Scalars, qd: Scalars, qdd: Scalars, forces: Scalars) -> Tree:
    """d(J^T f)/dq, d(J qd)/dq, derivatives of J qdd + dJ/dt qd by q and qd, and ad(qd) of all joints."""
    J, rates = jacobian(model, loops, q), drift(model, loops, q, qd)
    slopes = [by_positions(model, row, q) for row in J]  # dJ_rj / dq_k
    loads_q = [[dot([H[j][k] for H in slopes], forces) for k in range(model.nv)] for j in range(model.nv)]
    speeds_q, turns_q = ([[dot(x, v) for x in zip(*H, strict=True)] for H in slopes] for v in (qd, qdd))
    rates_q = by_positions(model, rates, q)
    rows_q = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(turns_q, rates_q, strict=True)]
    return loads_q, speeds_q, rows_q, by_rates(rates, qd), brackets(model, qd)


def jacobian_arrays(frames: Frames = ("",), rows: Rows = ((0, 1, 2, 3, 4, 5),)) -> str:
    """Arrays of `chord_error`."""
    return f"{poses_of_trees.jacobian_arrays(frames, rows)}; loops: rows; loops_q: rows nv"


def pose_error(model: Model, loops: Loops, q: Scalars, poses: Scalars, frames: Frames, rows: Rows) -> Tree:
    """The chosen rows of the errors of all frames."""
    return poses_of_trees.pose_error(aligned(model), q, poses, frames, rows)


def chord_error(model: Model, loops: Loops, q: Scalars, poses: Scalars, frames: Frames, rows: Rows) -> Tree:
    """The chosen rows of the chord errors of all frames and of J; then the errors of the loops and their J."""
    e, J = poses_of_trees.chord_error(aligned(model), q, poses, frames, rows)
    return e, J, error(model, loops, q), jacobian(model, loops, q)


def forward_dynamics(model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, **options: Any) -> Tree:
    """qdd of the closed loops."""
    return _accelerated(model, loops, q, qd, tau, **options)[0]


def forward_dynamics_partials(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> Tree:
    """dqdd/dq, dqdd/dqd and dqdd/dtau, by variation of the equations at constant tau.

        M dqdd - J^T df = -(dID/dq - d(J^T f)/dq) dq - dID/dqd dqd
        J dqdd = -d(J qdd + Jd qd)/dq dq - d(Jd qd)/dqd dqd
    """
    qdd, forces = _accelerated(model, loops, q, qd, tau, wrenches)
    loads_q, _, rows_q, rows_qd, _ = partials(model, loops, q, qd, qdd, forces)
    same, arrays = reduced(model), (q, qd, qdd, wrenches)
    drives = loops.drives
    ID_q, ID_qd, _ = (
        driven_inverse_dynamics_partials(same, drives, *arrays) if drives else inverse_dynamics_partials(same, *arrays)
    )
    P, N = Constraints(jacobian(model, loops, q), _factors(model, loops, q)).inverse()
    loads = [[[b - a for a, b in zip(*rows, strict=True)] for rows in zip(ID_q, loads_q, strict=True)], negated(ID_qd)]
    by_q, by_qd = (moved(P, N, load, negated(rows)) for load, rows in zip(loads, (rows_q, rows_qd), strict=True))
    return by_q, by_qd, P


def negated(rows: list[list[Any]]) -> list[list[Any]]:
    """-rows."""
    return [[-x for x in row] for row in rows]


def multipliers(model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, **options: Any) -> Tree:
    """Forces f of the closures."""
    return _accelerated(model, loops, q, qd, tau, **options)[1]


def check_motors(model: Model, loops: Loops, motors: tuple[str, ...] | None = None) -> None:
    """Raise `InputError` unless the motors are different coordinates."""
    indices(model, motors or ())


def indices(model: Model, names: tuple[str, ...]) -> list[int]:
    """Indices of coordinates, without duplicates."""
    known = model.coordinate_names
    for name in names:
        if name not in known:
            raise InputError(f"robot '{model.name}' has no coordinate '{name}'; available: {', '.join(known)}")
    if len(set(names)) < len(names):
        raise InputError(f"a coordinate of '{model.name}' is named more than once: {', '.join(names)}")
    return [known.index(name) for name in names]


def inverse_dynamics(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, qdd: Scalars, motors: tuple[str, ...] | None = None,
    wrenches: Wrenches = None,
) -> Tree:
    """tau of the motors, the joint forces of the open tree, and those that motors and closures cannot exert; the
    accelerations of the closures by which qdd opens the loops, and the sizes of their terms."""
    J, rates = jacobian(model, loops, q), drift(model, loops, q, qd)
    motored = [*range(model.nv)] if motors is None else indices(model, motors)
    wanted = _forces(model, loops, q, qd, qdd, wrenches)
    felt = [[*(int(k == i) for i in motored), *(row[k] for row in J)] for k in range(model.nv)]
    forces = _least(felt, wanted)
    tau = dict(zip(motored, forces, strict=False))
    missing = [force - dot(row, forces) for row, force in zip(felt, wanted, strict=True)]
    opening = _least(J, [x + dot(row, qdd) for row, x in zip(J, rates, strict=True)])
    sizes = [abs(x) + sum(abs(a * b) for a, b in zip(row, qdd, strict=True)) for row, x in zip(J, rates, strict=True)]
    return [tau.get(k, 0) for k in range(model.nv)], wanted, missing, [dot(row, opening) for row in J], sizes


def _least(rows: list[list[Any]], required: Scalars) -> list[Scalar]:
    """The least numbers x with rows x = required."""
    n = len(rows[0])
    return Constraints(rows, Factors(({},) * n, (1,) * n, (1,) * n)).solve((0,) * n, required)[0]


def least_velocity(model: Model, loops: Loops, q: Scalars, change: Scalars) -> Tree:
    """The velocity v of minimum kinetic energy with J v = change."""
    return Constraints(jacobian(model, loops, q), _factors(model, loops, q)).solve((0,) * model.nv, change)[0]


def newton(model: Model, loops: Loops, q: Scalars) -> Tree:
    """Positions nearer to closed loops, by one Newton step in the metric of the kinetic energy."""
    return retracted(model, q, least_velocity(model, loops, q, [-x for x in error(model, loops, q)]))


def state_rate(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, projected: bool = False, **options: Any
) -> Tree:
    """dq/dt and qdd; `projected`: qdd after a Newton step, because stages of an integration step open the loops."""
    near = newton(model, loops, q) if projected else q
    return coordinate_rates(model, q, qd), forward_dynamics(model, loops, near, qd, tau, **options)


def mobility(model: Model, loops: Loops, q: Scalars) -> Tree:
    """J M^-1 J^T."""
    A = Constraints(jacobian(model, loops, q), _factors(model, loops, q)).mobility
    return [[A[max(i, j)][min(i, j)] for j in range(len(A))] for i in range(len(A))]


def _accelerated(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None,
    stabilization: Scalars = (0,),
) -> tuple[list[Scalar], list[Scalar]]:
    """qdd and f of M qdd + b = tau + J^T f, J qdd + dJ/dt qd = -2 a J qd - a^2 e with the rate a of Baumgarte."""
    J, (a,) = jacobian(model, loops, q), stabilization
    off = zip(drift(model, loops, q, qd), J, error(model, loops, q), strict=True)
    required = [-(x + 2 * a * dot(row, qd) + a * a * e) for x, row, e in off]
    bias = _forces(model, loops, q, qd, (0,) * model.nv, wrenches)
    load = [t - b for t, b in zip(tau, bias, strict=True)]
    return Constraints(J, _factors(model, loops, q)).solve(load, required)


def _factors(model: Model, loops: Loops, q: Scalars) -> Factors:
    """L and D of M, with rotors."""
    same = reduced(model)
    return driven_factors(same, loops.drives, q) if loops.drives else mass_matrix_factors(same, q)


def _forces(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, qdd: Scalars, wrenches: Wrenches
) -> list[Scalar]:
    """Joint forces of a motion of the open tree, with rotors, friction and springs of drives."""
    same = reduced(model)
    if loops.drives:
        return driven_inverse_dynamics(same, loops.drives, q, qd, qdd, wrenches)
    return newton_euler(same, q, qd, qdd, wrenches)
