"""Recursions of simulation: steps, the rate of the state, and observers of momenta."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from revolute.dynamics import driven
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.composite_body import composite_body
from revolute.dynamics.coordinate_rates import coordinate_rates
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.forward_dynamics_partials import forward_dynamics_partials
from revolute.dynamics.hamilton import lagrangian_partials, momentum_and_rate, observed, velocities
from revolute.dynamics.linear_models import state_matrices
from revolute.dynamics.mechanics import Mechanics
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.parameter_partials import slopes
from revolute.model.columns import drive_column
from revolute.model.model import Model
from revolute.model.reduce import reduced, reduced_for_slopes
from revolute.spatial import Scalars, Tree, Wrenches


def step(method: Callable[..., Any]) -> Callable[..., Any]:
    """A recursion for the state after one step of length h."""

    def next_state(
        model: Model, q: Scalars, qd: Scalars, tau: Scalars, h: Scalars, damping: bool = False,
        wrenches: Wrenches = None,
    ) -> Tree:
        return method(_mechanics(model, tau, damping, wrenches), q, qd, h[0])

    return next_state


def state_rate(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, damping: bool = False, wrenches: Wrenches = None
) -> Tree:
    """dq/dt and qdd."""
    return coordinate_rates(model, q, qd), _mechanics(model, tau, damping, wrenches).accelerate(q, qd)


def sensitivity_rate(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, damping: bool = False, wrenches: Wrenches = None
) -> Tree:
    """dq/dt, qdd, A and dqdd/dpi: the time derivative of sensitivities S is A S + (0, dqdd/dpi)."""
    net_forces = less_friction(model, qd, tau, damping)
    same = reduced_for_slopes(model)
    by_q, by_qd, inverse_M = forward_dynamics_partials(same, q, qd, net_forces, wrenches)
    if damping:
        coefficients = drive_column(model, "damping").tolist()
        by_qd = [
            [x - y * d for x, y, d in zip(*rows, coefficients, strict=True)]
            for rows in zip(by_qd, inverse_M, strict=True)
        ]
    A, _ = state_matrices(model, qd, by_q, by_qd, inverse_M)
    by_parameters = slopes(same, model, q, qd, net_forces, wrenches)
    return coordinate_rates(model, q, qd), composite_body(same, q, qd, net_forces, wrenches), A, by_parameters


def _mechanics(model: Model, tau: Scalars, damping: bool, wrenches: Wrenches) -> Mechanics:
    same = reduced(model)

    def accelerate(q: Scalars, qd: Scalars) -> Tree:
        return articulated_body(same, q, qd, less_friction(model, qd, tau, damping), wrenches)

    def missing_forces(q: Scalars, qd: Scalars, qdd: Scalars) -> Tree:
        needed = newton_euler(same, q, qd, qdd, wrenches)
        return [a - b for a, b in zip(needed, less_friction(model, qd, tau, damping), strict=True)]

    def partials(q: Scalars, qd: Scalars) -> Tree:
        p, forces = lagrangian_partials(same, q, qd, wrenches)
        return p, [a + b for a, b in zip(forces, less_friction(model, qd, tau, damping), strict=True)]

    return Mechanics(model, accelerate, missing_forces, partials, partial(velocities, same))


def less_friction(model: Model, qd: Scalars, tau: Scalars, damping: bool) -> Scalars:
    """The joint forces, minus viscous friction on request."""
    if not damping:
        return tau
    coefficients = drive_column(model, "damping").tolist()
    return [t - d * v for t, d, v in zip(tau, coefficients, qd, strict=True)]


def momentum_observer_step(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, decay: Scalars, h: Scalars, p: Scalars, beta: Scalars,
    r: Scalars, damping: bool = False,
) -> Tree:
    """The momenta, their rates and the residual at the end of a step; `damping` includes viscous friction."""
    momenta, rate = momentum_and_rate(reduced(model), q, qd)
    after = momenta, less_friction(model, qd, rate, damping)
    return *after, observed(after, (p, beta), tau, decay, h[0], r)


def driven_momentum_and_rate(tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars) -> tuple[Any, Any]:
    """M qd, and C^T qd - g - friction - springs, the rate of M qd without other forces."""
    momenta = driven.driven_generalized_momentum(tree, drives, q, qd)
    _, C, g = driven.driven_equations_of_motion(tree, drives, q, qd)
    losses = driven.driven_friction_forces(tree, drives, qd), driven.driven_spring_forces(tree, drives, q)
    turning = [sum(x * v for x, v in zip(column, qd, strict=True)) for column in zip(*C, strict=True)]
    return momenta, [x - w - a - b for w, a, b, x in zip(g, *losses, turning, strict=True)]


def driven_momentum_observer_step(
    tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, decay: Scalars, h: Scalars, p: Scalars,
    beta: Scalars, r: Scalars,
) -> Tree:
    """`momentum_observer_step` with rotors, friction and springs; q and qd are independent coordinates."""
    after = driven_momentum_and_rate(tree, drives, q, qd)
    return *after, observed(after, (p, beta), tau, decay, h[0], r)
