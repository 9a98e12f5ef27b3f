"""Functions of robots that have more terms with drives: rotors, friction and springs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from revolute.compiler.signature import flat
from revolute.dynamics import driven, driven_task_space
from revolute.dynamics import driven_regressor as regressors
from revolute.dynamics.drive_forces import friction_slopes
from revolute.dynamics.driven_parameter_partials import driven_forward_dynamics_parameter_partials
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.manipulability import squared_manipulability
from revolute.dynamics.mobility import ALL, Task
from revolute.errors import GraphError
from revolute.graph import Node, pushforward
from revolute.machine.function import Function
from revolute.machine.functions.coordinates import in_coordinates, over_drives
from revolute.machine.functions.derivatives import inverse_dynamics_second_partials as of_links
from revolute.machine.functions.drives import coriolis_matrix, equations_of_motion
from revolute.machine.functions.joint_space import with_transpose
from revolute.machine.functions.manipulability import gradient, numbers
from revolute.machine.functions.observers import driven_momentum_and_rate, driven_momentum_observer_step
from revolute.machine.functions.regressors import OF_KINDS
from revolute.machine.functions.tangents import along, along_motion
from revolute.machine.functions.task_space import check_square
from revolute.model.model import Model
from revolute.model.reduce import reduced
from revolute.spatial.scalar import Scalar, sqrt

__all__ = ["inputs_of", "require_decided", "with_drives"]

Scalars = Sequence[Scalar]
Rows = tuple[int, ...]


def require_decided(function: Function) -> None:
    """Refuse a function of which nobody has said whether drives add terms to it: without them it would be wrong.

    Raises:
        GraphError: it is not declared with `of_links`, and has no `_TERMS`.
    """
    if not function.of_links and function.name not in _TERMS:
        raise GraphError(
            f"robots with drives inherit '{function.name}': declare it with of_links=True if drives add no term to it; "
            "else give it its terms in machine/functions/driven.py"
        )


def with_drives(function: Function) -> Function:
    """A function that is declared for robots, for those with drives: with their terms, if it has any.

    It has the options that the recursion with drives takes.
    """
    require_decided(function)
    terms = _TERMS.get(function.name)
    if terms is None:
        return in_coordinates(function)
    if terms.at_joints:
        return in_coordinates(function, terms.recursion, smooth=terms.smooth)
    taken = {*inspect.signature(terms.recursion).parameters}
    options = tuple(x for x in function.options if taken.issuperset(inputs_of(function, x)))
    changes = {"check": terms.check} if terms.check else {}
    return over_drives(function, recursion=terms.recursion, smooth=terms.smooth, options=options, **changes)


def inputs_of(function: Function, option: str) -> tuple[str, ...]:
    """The arguments that an option brings to a recursion: itself, or arrays."""
    return tuple(x for x, _ in function.optional[option].inputs) if option in function.optional else (option,)


@dataclass(frozen=True)
class _Terms:
    """A recursion over a tree, its drives and arrays of p, or of its joints; `smooth` and `check` as of `Function`."""

    recursion: Callable[..., Any]
    smooth: bool = False
    at_joints: bool = False
    check: Callable[..., None] | None = None


# --- energies ------------------------------------------------------------------------------


def _lagrangian(tree: Model, drives: Drivetrain, p: Scalars, pd: Scalars) -> Scalar:
    return driven.driven_kinetic_energy(tree, drives, p, pd) - driven.driven_potential_energy(tree, drives, p)


def _total_energy(tree: Model, drives: Drivetrain, p: Scalars, pd: Scalars) -> Scalar:
    return driven.driven_kinetic_energy(tree, drives, p, pd) + driven.driven_potential_energy(tree, drives, p)


def _hamiltonian(tree: Model, drives: Drivetrain, p: Scalars, momenta: Scalars) -> Scalar:
    pd = driven.driven_factors(tree, drives, p).solve(momenta)
    kinetic = sum(a * b for a, b in zip(momenta, pd, strict=True)) / 2
    return kinetic + driven.driven_potential_energy(tree, drives, p)


def _hamiltons_equations(tree: Model, drives: Drivetrain, p: Scalars, momenta: Scalars, tau: Scalars) -> Any:
    """pd, and the rate of M pd: M pdd + (C + C^T) pd = tau - g - friction - springs + C^T pd."""
    pd = driven.driven_factors(tree, drives, p).solve(momenta)
    _, beta = driven_momentum_and_rate(tree, drives, p, pd)
    return pd, [force + x for force, x in zip(tau, beta, strict=True)]


def _power(tree: Model, drives: Drivetrain, p: Scalars, pd: Scalars, pdd: Scalars) -> Scalar:
    tau = driven.driven_inverse_dynamics(tree, drives, p, pd, pdd)
    return sum(v * force for v, force in zip(pd, tau, strict=True))


# --- matrices ------------------------------------------------------------------------------


def _cholesky(tree: Model, drives: Drivetrain, p: Scalars) -> Any:
    return driven.driven_factors(tree, drives, p).cholesky()


def _mass_matrix_rate(tree: Model, drives: Drivetrain, p: Scalars, pd: Scalars) -> Any:
    return with_transpose(coriolis_matrix(tree, drives, p, pd))


def _equations_of_motion_rates(
    tree: Model, drives: Drivetrain, p: Scalars, pd: Scalars, pdd: Scalars, kind: str = "christoffel"
) -> Any:
    M, C, g = equations_of_motion(tree, drives, p, pd, kind=kind)
    rates, size = along_motion(drives.space, [*flat(C), *g], p, pd, pdd), len(g) ** 2
    return M, C, g, with_transpose(C), rates[:size], rates[size:]


# --- derivatives of forces -----------------------------------------------------------------


def _inverse_dynamics_rates(
    tree: Model, drives: Drivetrain, p: Scalars, pd: Scalars, pdd: Scalars, pddd: Scalars, pdddd: Scalars
) -> Any:
    tau = driven.driven_inverse_dynamics(reduced(tree), drives, p, pd, pdd)
    taud = along_motion(drives.space, tau, p, pd, pdd, pddd)
    return tau, taud, along_motion(drives.space, taud, p, pd, pdd, pddd, pdddd)


def _inverse_dynamics_differential(
    tree: Model, drives: Drivetrain, p: Scalars, pd: Scalars, pdd: Scalars, dp: Scalars, dpd: Scalars, dpdd: Scalars
) -> Any:
    tau = driven.driven_inverse_dynamics(reduced(tree), drives, p, pd, pdd)
    return along(drives.space, tau, (p, pd, pdd), (dp, dpd, dpdd))


def _friction_curvatures(tree: Model, qd: Scalars, smoothing: float) -> list[list[list[Scalar]]]:
    """Second derivatives of friction: each joint's by its own velocity."""
    n = range(tree.nv)
    curvatures: list[list[list[Scalar]]] = [[[0] * tree.nv for _ in n] for _ in n]
    for k, (v, slope) in enumerate(zip(qd, friction_slopes(tree, qd, smoothing), strict=True)):
        if isinstance(v, Node) and isinstance(slope, Node):
            curvatures[k][k][k] = pushforward([slope], {v: {0: 1}})[0].get(0, 0)
    return curvatures


def _second_partials_at_joints(tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, qdd: Scalars) -> Any:
    by_q, by_q_qd, by_qd, by_qdd = of_links(tree, q, qd, qdd)
    of_friction = flat(flat(rows) for rows in _friction_curvatures(tree, qd, drives.smoothing))
    return by_q, by_q_qd, [x + y for x, y in zip(by_qd, of_friction, strict=True)], by_qdd


# --- regressors ----------------------------------------------------------------------------


def _slotine_li_regressor(
    tree: Model,
    drives: Drivetrain,
    p: Scalars,
    pd: Scalars,
    pdr: Scalars,
    pddr: Scalars,
    kind: str = "christoffel",
) -> Any:
    return regressors.driven_slotine_li_regressor(tree, drives, p, pd, pdr, pddr, OF_KINDS[kind])


def _coriolis_matrix_regressor(
    tree: Model, drives: Drivetrain, p: Scalars, pd: Scalars, kind: str = "christoffel"
) -> Any:
    return regressors.driven_coriolis_matrix_regressor(tree, drives, p, pd, OF_KINDS[kind])


# --- task space ----------------------------------------------------------------------------


def _task_space_dynamics(
    tree: Model,
    drives: Drivetrain,
    p: Scalars,
    pd: Scalars,
    frame: str,
    reference: str = "body",
    rows: Rows = ALL,
    damping: Scalars = (0,),
    wrenches: Mapping[str, Scalars] | None = None,
) -> Any:
    task = Task(frame, reference, rows)
    *results, mobility = driven_task_space.driven_task_space_dynamics(
        tree, drives, p, pd, task, damping[0], wrenches
    )
    return *results, mobility.check()


def _task_space_forces(
    tree: Model,
    drives: Drivetrain,
    p: Scalars,
    pd: Scalars,
    acceleration: Scalars,
    frame: str,
    reference: str = "body",
    rows: Rows = ALL,
    damping: Scalars = (0,),
    wrenches: Mapping[str, Scalars] | None = None,
) -> Any:
    task = Task(frame, reference, rows)
    arrays = (p, pd, acceleration)
    *results, mobility = driven_task_space.driven_task_space_forces(
        tree, drives, *arrays, task, damping[0], wrenches
    )
    return *results, mobility.check()


def _dynamically_consistent_inverse(
    tree: Model,
    drives: Drivetrain,
    p: Scalars,
    frame: str,
    reference: str = "body",
    rows: Rows = ALL,
    damping: Scalars = (0,),
) -> Any:
    task = Task(frame, reference, rows)
    inverse, mobility = driven_task_space.driven_dynamically_consistent_inverse(tree, drives, p, task, damping[0])
    return inverse, mobility.check()


def _linearize_task(
    tree: Model,
    drives: Drivetrain,
    p: Scalars,
    pd: Scalars,
    pdd: Scalars,
    frame: str,
    reference: str = "body",
    rows: Rows = ALL,
    wrenches: Mapping[str, Scalars] | None = None,
) -> Any:
    task = Task(frame, reference, rows)
    *matrices, mobility = driven_task_space.driven_linearize_task(tree, drives, p, pd, pdd, task, wrenches)
    return *matrices, mobility.check()


def _manipulability(
    tree: Model, drives: Drivetrain, p: Scalars, frame: str, reference: str = "body", rows: str | Rows = "all"
) -> Any:
    task = Task(frame, reference, numbers(rows))
    return sqrt(squared_manipulability(driven_task_space.driven_task_rows(tree, drives, p, task)))


def _manipulability_gradient(
    tree: Model, drives: Drivetrain, p: Scalars, frame: str, reference: str = "body", rows: str | Rows = "all"
) -> Any:
    task = Task(frame, reference, numbers(rows))
    return gradient(drives.space, p, driven_task_space.driven_task_rows(tree, drives, p, task))


def _check_square(tree: Model, drives: Drivetrain, **options: Any) -> None:
    check_square(tree, freedoms=drives.space.nv, **options)


_TERMS = {
    "bias_forces": _Terms(driven.driven_bias_forces),
    "generalized_momentum": _Terms(driven.driven_generalized_momentum),
    "lagrangian": _Terms(_lagrangian),
    "total_energy": _Terms(_total_energy),
    "hamiltonian": _Terms(_hamiltonian),
    "hamiltons_equations": _Terms(_hamiltons_equations, smooth=True),
    "power": _Terms(_power),
    "momentum_observer_step": _Terms(driven_momentum_observer_step),
    "centrifugal_and_coriolis_forces": _Terms(driven.driven_centrifugal_and_coriolis_forces),
    "cholesky": _Terms(_cholesky),
    "mass_matrix_rate": _Terms(_mass_matrix_rate),
    "equations_of_motion_rates": _Terms(_equations_of_motion_rates),
    "inverse_dynamics_rates": _Terms(_inverse_dynamics_rates, smooth=True),
    "inverse_dynamics_differential": _Terms(_inverse_dynamics_differential, smooth=True),
    "inverse_dynamics_second_partials": _Terms(_second_partials_at_joints, smooth=True, at_joints=True),
    "forward_dynamics_parameter_partials": _Terms(driven_forward_dynamics_parameter_partials, smooth=True),
    "manipulability": _Terms(_manipulability),
    "manipulability_gradient": _Terms(_manipulability_gradient),
    "task_space_dynamics": _Terms(_task_space_dynamics),
    "task_space_forces": _Terms(_task_space_forces),
    "dynamically_consistent_inverse": _Terms(_dynamically_consistent_inverse),
    "linearize_task": _Terms(_linearize_task, smooth=True, check=_check_square),
    "slotine_li_regressor": _Terms(_slotine_li_regressor),
    "gravity_regressor": _Terms(regressors.driven_gravity_regressor),
    "momentum_regressor": _Terms(regressors.driven_momentum_regressor),
    "mass_matrix_regressor": _Terms(regressors.driven_mass_matrix_regressor),
    "coriolis_matrix_regressor": _Terms(_coriolis_matrix_regressor),
    "energy_regressor": _Terms(regressors.driven_energy_regressor),
}
"""By the names of functions. All others are those of the tree, in other coordinates."""
