"""Recursions of motions with closed loops: projected states, rates, steps and energies."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from revolute.dynamics.coordinate_rates import coordinate_rates, retracted
from revolute.dynamics.driven import driven_kinetic_energy, driven_lagrangian_partials, driven_potential_energy
from revolute.dynamics.energy import kinetic_energy as kinetic_energy_of_tree
from revolute.dynamics.energy import potential_energy as potential_energy_of_tree
from revolute.dynamics.hamilton import lagrangian_partials
from revolute.dynamics.implicit_steps import solver
from revolute.dynamics.linear_models import total
from revolute.dynamics.mechanics import Mechanics
from revolute.dynamics.mobility import dot
from revolute.machine.functions import closures
from revolute.machine.functions.closures import Loops
from revolute.machine.functions.constrained_partials import forward_dynamics_partials, scaled
from revolute.model.model import Model
from revolute.model.reduce import reduced
from revolute.spatial.loop import Tree, converged
from revolute.spatial.scalar import Scalar, Scalars, Wrenches, select

NEWTON = 1e-7
"""Length of a Newton step [rad, m] after which loops are closed: the error that remains is about its square."""

MOST = 5
"""Maximum number of Newton steps of a projection."""


def closed_state(model: Model, loops: Loops, q: Scalars, qd: Scalars) -> Tree:
    """The nearest state that closes the loops, in the metric of the kinetic energy; NaN if none is found."""

    def step(q: Scalars, _: Scalars) -> tuple[Any, Any, Any]:
        d = closures.least_velocity(model, loops, q, [-e for e in closures.error(model, loops, q)])
        size = sum(x * x for x in d)
        return retracted(model, q, d), (size,), size > NEWTON**2

    q, (size,) = converged(step, [*q], (math.inf,), most=MOST)
    found = size <= NEWTON**2
    return [select(found, x, math.nan) for x in q], _allowed(model, loops, q, qd)


def _allowed(model: Model, loops: Loops, q: Scalars, qd: Scalars) -> list[Scalar]:
    """The nearest velocity that keeps the loops closed."""
    opening = [dot(row, qd) for row in closures.jacobian(model, loops, q)]
    return [v - x for v, x in zip(qd, closures.least_velocity(model, loops, q, opening), strict=True)]


def state_rate(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, closing: str = "steps",
    wrenches: Wrenches = None, stabilization: float = 0,
) -> Tree:
    """dq/dt and qdd. `closing` "stages": those of the projected state, as stages of a solver open the loops."""
    if closing == "stages":
        near = closures.newton(model, loops, q)
        return state_rate(model, loops, near, _allowed(model, loops, near, qd), tau, "steps", wrenches, stabilization)
    qdd = closures.forward_dynamics(model, loops, q, qd, tau, wrenches=wrenches, stabilization=(stabilization,))
    return coordinate_rates(model, q, qd), qdd


def step(method: Callable[..., Any]) -> Callable[..., Any]:
    """A recursion for the state after one step of length h from a closed state."""

    def next_state(
        model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, h: Scalars, closing: str = "steps",
        wrenches: Wrenches = None, stabilization: float = 0,
    ) -> Tree:
        mechanics = _mechanics(model, loops, q, tau, closing, wrenches, stabilization)
        end = method(mechanics, q, qd, h[0])
        return end if closing == "never" else closed_state(model, loops, *end)

    return next_state


def _mechanics(
    model: Model, loops: Loops, start: Scalars, tau: Scalars, closing: str, wrenches: Wrenches, stabilization: float
) -> Mechanics:
    same, drives = reduced(model), loops.drives

    def accelerate(q: Scalars, qd: Scalars) -> Tree:
        stages = "steps" if closing == "never" or q is start else "stages"
        return state_rate(model, loops, q, qd, tau, stages, wrenches, stabilization)[1]

    def missing(q: Scalars, qd: Scalars, qdd: Scalars) -> Tree:
        return [a - b for a, b in zip(qdd, accelerate(q, qd), strict=True)]

    def midpoint_solver(q: Scalars, qd: Scalars, h: Scalar) -> Any:
        by_q, by_qd, _ = forward_dynamics_partials(model, loops, q, qd, tau, wrenches)
        unit = [[int(i == j) for j in range(model.nv)] for i in range(model.nv)]
        return solver(total(unit, scaled(by_q, h * h * -0.25), scaled(by_qd, h * -0.5)))

    def partials(q: Scalars, qd: Scalars) -> Tree:
        arrays = (q, qd, wrenches)
        p, f = driven_lagrangian_partials(same, drives, *arrays) if drives else lagrangian_partials(same, *arrays)
        return p, [a + b for a, b in zip(f, tau, strict=True)]

    def velocities(q: Scalars, momenta: Scalars) -> Tree:
        return closures.constraints(model, loops, q).factors.solve(momenta)

    def held(q: Scalars, h: Scalar) -> Any:
        rows = closures.constraints(model, loops, q)

        def errors(end: Scalars) -> Tree:
            return [e / h for e in closures.error(model, loops, end)]

        return errors, lambda missing: rows.solve(missing[: model.nv], missing[model.nv :])[0]

    return Mechanics(model, accelerate, missing, partials, velocities, True, midpoint_solver, held)


def kinetic_energy(model: Model, loops: Loops, q: Scalars, qd: Scalars) -> Scalar:
    """T of links and rotors."""
    if loops.drives:
        return driven_kinetic_energy(model, loops.drives, q, qd)
    return kinetic_energy_of_tree(model, q, qd)


def potential_energy(model: Model, loops: Loops, q: Scalars) -> Scalar:
    """U of gravity and springs."""
    return driven_potential_energy(model, loops.drives, q) if loops.drives else potential_energy_of_tree(model, q)
