"""Recursions of motions with closed loops: projected states, rates, steps and energies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from revolute.dynamics.constrained import by_rows
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
from revolute.machine.functions.closures import Loops, Switches
from revolute.machine.functions.constrained_partials import forward_dynamics_partials, scaled
from revolute.model import Model, reduced
from revolute.spatial import Scalar, Scalars, Tree, Wrenches, converged, select

Targets = Mapping[str, Scalars]
"""Targets of e, of its rate and of its acceleration, by the names of `accelerated`; none if they are zero."""

NEWTON = 1e-7
"""Length of a Newton step [rad, m] below which loops are closed: the remaining error is about its square."""

FOUND = 1e-5  # length of the last Newton step up to which a state is found: roundings of float32 are above `NEWTON`
MOST = 5  # maximum number of Newton steps of a projection


def led(path: Scalars | None, s: Scalar = 0) -> dict[str, list[Scalar]]:
    """Targets at a time s after the start of a step; `path`: values, rates, accelerations and jerks at the start."""
    if path is None:
        return {}
    m = len(path) // 4
    rows = [*zip(*(path[k * m : (k + 1) * m] for k in range(4)), strict=True)]
    return {
        "target": [x + s * (v + s * (a * 0.5 + s * j * (1 / 6))) for x, v, a, j in rows],
        "target_rate": [v + s * (a + s * j * 0.5) for _, v, a, j in rows],
        "target_acceleration": [a + s * j for _, _, a, j in rows],
    }


def closed_state(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, active: Switches = None, path: Scalars | None = None,
    h: Scalar = 0,
) -> Tree:
    """The nearest state that closes the loops, in the metric of the kinetic energy; NaN if none is found."""
    target = led(path, h)

    def step(q: Scalars, _: Scalars) -> tuple[Any, Any, Any]:
        d = closures.least_velocity(model, loops, q, closures.ahead(model, loops, q, target.get("target")), active)
        size = sum(x * x for x in d)
        return retracted(model, q, d), (size,), size > NEWTON**2

    q, (size,) = converged(step, [*q], (math.inf,), most=MOST)
    found = size <= FOUND**2
    return [select(found, x, math.nan) for x in q], allowed_velocity(model, loops, q, qd, active, target)


def allowed_velocity(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, active: Switches, target: Targets
) -> list[Scalar]:
    """The nearest velocity that keeps the loops closed, in the metric of the kinetic energy."""
    J = closures.jacobian(model, loops, q)
    opening = [x - dot(row, qd) for x, row in zip(target.get("target_rate", (0,) * len(J)), J, strict=True)]
    return [v + x for v, x in zip(qd, closures.least_velocity(model, loops, q, opening, active), strict=True)]


def state_rate(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, closing: str = "steps",
    wrenches: Wrenches = None, stabilization: float = 0, active: Switches = None, path: Scalars | None = None,
    s: Scalar = 0,
) -> Tree:
    """dq/dt and qdd; with closing="stages" those of the projected state, as stages of a solver open the loops."""
    target = led(path, s)
    if closing == "stages":
        q = closures.newton(model, loops, q, active, target.get("target"))
        qd = allowed_velocity(model, loops, q, qd, active, target)
    options: dict[str, Any] = {"wrenches": wrenches, "stabilization": (stabilization,), "active": active, **target}
    return coordinate_rates(model, q, qd), closures.forward_dynamics(model, loops, q, qd, tau, **options)


def step(method: Callable[..., Any]) -> Callable[..., Any]:
    """A recursion for the state after one step of length h from a closed state.

    With targets, the stages use the targets at the middle of the step, and are not projected.
    """

    def next_state(
        model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, h: Scalars, closing: str = "steps",
        wrenches: Wrenches = None, stabilization: float = 0, active: Switches = None, path: Scalars | None = None,
    ) -> Tree:
        moving = wrenches, stabilization, active, path
        mechanics = _mechanics(model, loops, q, tau, h[0], closing if path is None else "never", *moving)
        q, qd = method(mechanics, q, qd, h[0])
        return (q, qd) if closing == "never" else closed_state(model, loops, q, qd, active, path, h[0])

    return next_state


def _mechanics(
    model: Model, loops: Loops, start: Scalars, tau: Scalars, h: Scalar, closing: str, wrenches: Wrenches,
    stabilization: float, active: Switches, path: Scalars | None,
) -> Mechanics:
    same, drives = reduced(model), loops.drives

    def accelerate(q: Scalars, qd: Scalars) -> Tree:
        stages = "steps" if closing == "never" or q is start else "stages"
        return state_rate(model, loops, q, qd, tau, stages, wrenches, stabilization, active, path, h * 0.5)[1]

    def missing(q: Scalars, qd: Scalars, qdd: Scalars) -> Tree:
        return [a - b for a, b in zip(qdd, accelerate(q, qd), strict=True)]

    def midpoint_solver(q: Scalars, qd: Scalars, h: Scalar) -> Any:
        # stages are projected by P M, so the slopes B of states that open the loops have no effect: J = (M^-1 + B P) M
        by_q, by_qd, P = forward_dynamics_partials(model, loops, q, qd, tau, wrenches, active=active)
        factors = closures.constraints(model, loops, q, active).factors
        B = total(scaled(by_q, h * h * -0.25), scaled(by_qd, h * -0.5))
        BP = by_rows(lambda row: [dot(p, row) for p in P], len(P) ** 2, B)
        solve = solver(total(factors.inverse(), BP))
        return lambda b: factors.solve(solve(b))

    def partials(q: Scalars, qd: Scalars) -> Tree:
        arrays = (q, qd, wrenches)
        p, f = driven_lagrangian_partials(same, drives, *arrays) if drives else lagrangian_partials(same, *arrays)
        return p, [a + b for a, b in zip(f, tau, strict=True)]

    def velocities(q: Scalars, momenta: Scalars) -> Tree:
        return closures.constraints(model, loops, q).factors.solve(momenta)

    def held(q: Scalars, h: Scalar) -> Any:
        rows = closures.constraints(model, loops, q, active)

        def errors(end: Scalars) -> Tree:
            missing = closures.ahead(model, loops, end, led(path, h).get("target"))
            return loops.held([-x / h for x in missing], active)

        return errors, lambda missing: rows.solve(missing[: model.nv], missing[model.nv :])[0]

    return Mechanics(model, accelerate, missing, partials, velocities, True, midpoint_solver, held)


def kinetic_energy(model: Model, loops: Loops, q: Scalars, qd: Scalars) -> Scalar:
    """Kinetic energy T of links and rotors."""
    if loops.drives:
        return driven_kinetic_energy(model, loops.drives, q, qd)
    return kinetic_energy_of_tree(model, q, qd)


def potential_energy(model: Model, loops: Loops, q: Scalars) -> Scalar:
    """Potential energy U of gravity and springs."""
    return driven_potential_energy(model, loops.drives, q) if loops.drives else potential_energy_of_tree(model, q)
