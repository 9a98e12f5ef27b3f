"""Recursions of robots with their drives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from revolute.dynamics import driven
from revolute.dynamics.coordinate_rates import coordinate_rates
from revolute.dynamics.driven_parameter_partials import driven_slopes
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.goa_coriolis import goa_difference
from revolute.dynamics.linear_models import total
from revolute.dynamics.mechanics import Mechanics
from revolute.dynamics.sparse_factorization import elimination_count
from revolute.dynamics.sticking_friction import sticking_accelerations, sticking_step
from revolute.machine.functions.cost import cost
from revolute.machine.functions.joint_space import with_transpose
from revolute.model.model import Model
from revolute.model.reduce import aligned, reduced, reduced_in_place
from revolute.spatial.scalar import Scalar

__all__ = [
    "coriolis_matrix",
    "equations_of_motion",
    "forward_dynamics",
    "positions",
    "sensitivity_rate",
    "state_rate",
    "step",
    "velocities",
]

Scalars = Sequence[Scalar]


def positions(tree: Model, drives: Drivetrain, p: Scalars) -> Any:
    """Positions of the robot's own joints, which come before those of rotors."""
    return drives.positions(tree, p)[: tree.nq - len(drives.rotors)]


def velocities(tree: Model, drives: Drivetrain, pd: Scalars) -> Any:
    """Velocities of the robot's own joints."""
    return drives.rates(pd)[: tree.nv - len(drives.rotors)]


def coriolis_matrix(tree: Model, drives: Drivetrain, p: Scalars, pd: Scalars, kind: str = "christoffel") -> Any:
    """C."""
    return _of_kind(driven.driven_coriolis_matrix(_same_forces(tree, kind), drives, p, pd), tree, drives, p, pd, kind)


def equations_of_motion(
    tree: Model,
    drives: Drivetrain,
    p: Scalars,
    pd: Scalars,
    mass_matrix_rate: bool = False,
    kind: str = "christoffel",
) -> Any:
    """M, C, g, and dM/dt on request."""
    M, C, g = driven.driven_equations_of_motion(_same_forces(tree, kind), drives, p, pd)
    C = _of_kind(C, tree, drives, p, pd, kind)
    return (M, C, g, with_transpose(C)) if mass_matrix_rate else (M, C, g)


def _same_forces(tree: Model, kind: str) -> Model:
    """The tree reduced; with frames that it shares with `aligned` where a sum has both."""
    return reduced(tree) if kind == "christoffel" else reduced_in_place(tree)


def _of_kind(C: Any, tree: Model, drives: Drivetrain, p: Scalars, pd: Scalars, kind: str) -> Any:
    """C, or with A^T (C_GOA - C) A added."""
    if kind == "christoffel":
        return C
    difference = goa_difference(aligned(tree), drives.positions(tree, p), drives.rates(pd))
    return total(C, drives.projected_matrix(difference))


def forward_dynamics(
    tree: Model,
    drives: Drivetrain,
    p: Scalars,
    pd: Scalars,
    tau: Scalars,
    wrenches: Mapping[str, Scalars] | None = None,
    **base: Scalars,
) -> Any:
    """By articulated bodies or by the mass matrix, whichever takes fewer operations; `base` may move."""
    if not drives.uncoupled:
        return driven.driven_forward_dynamics(tree, drives, p, pd, tau, wrenches, **base)
    bodies = driven.driven_articulated_body(tree, drives, p, pd, tau, wrenches, **base)
    if elimination_count(tree) > cost(bodies):
        return bodies
    return min(bodies, driven.driven_forward_dynamics(tree, drives, p, pd, tau, wrenches, **base), key=cost)


def state_rate(
    tree: Model,
    drives: Drivetrain,
    p: Scalars,
    pd: Scalars,
    tau: Scalars,
    wrenches: Mapping[str, Scalars] | None = None,
    sticking: bool = False,
) -> Any:
    """dp/dt and pdd."""
    accelerations = sticking_accelerations if sticking else forward_dynamics
    return coordinate_rates(drives.space, p, pd), accelerations(tree, drives, p, pd, tau, wrenches)


def sensitivity_rate(
    tree: Model,
    drives: Drivetrain,
    p: Scalars,
    pd: Scalars,
    tau: Scalars,
    wrenches: Mapping[str, Scalars] | None = None,
) -> Any:
    """dp/dt, pdd, and A and dpdd/dpi of the rate of sensitivities, A S + (0, dpdd/dpi)."""
    arrays, same_forces = (p, pd, tau, wrenches), reduced(tree)
    A, _ = driven.driven_linearize(same_forces, drives, *arrays)
    pdd = driven.driven_forward_dynamics(same_forces, drives, *arrays)
    by_parameters = driven_slopes(same_forces, tree, drives, *arrays)
    return coordinate_rates(drives.space, p, pd), pdd, A, by_parameters


def step(method: Callable[..., Any]) -> Callable[..., Any]:
    """A recursion for the state after one step of length h; `sticking` is for semi-implicit Euler alone."""

    def next_state(
        tree: Model,
        drives: Drivetrain,
        p: Scalars,
        pd: Scalars,
        tau: Scalars,
        h: Scalars,
        wrenches: Mapping[str, Scalars] | None = None,
        sticking: bool = False,
    ) -> Any:
        if sticking:
            return sticking_step(tree, drives, p, pd, tau, h[0], wrenches)
        return method(_mechanics(tree, drives, tau, wrenches), p, pd, h[0])

    return next_state


def _mechanics(tree: Model, drives: Drivetrain, tau: Scalars, wrenches: Mapping[str, Scalars] | None) -> Mechanics:
    """The robot with its drives under the forces tau."""

    def accelerate(p: Scalars, pd: Scalars) -> Any:
        recursion = driven.driven_articulated_body if drives.uncoupled else driven.driven_forward_dynamics
        return recursion(tree, drives, p, pd, tau, wrenches)

    def missing_forces(p: Scalars, pd: Scalars, pdd: Scalars) -> Any:
        needed = driven.driven_inverse_dynamics(tree, drives, p, pd, pdd, wrenches)
        return [a - b for a, b in zip(needed, tau, strict=True)]

    def partials(p: Scalars, pd: Scalars) -> Any:
        momenta, forces = driven.driven_lagrangian_partials(tree, drives, p, pd, wrenches)
        return momenta, [a + b for a, b in zip(forces, tau, strict=True)]

    return Mechanics(
        drives.space, accelerate, missing_forces, partials, partial(driven.driven_velocities, tree, drives)
    )
