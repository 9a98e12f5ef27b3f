"""Coulomb friction with exact sticking, for any scalar type: complementarity in every step. Moreau 1988.

    M v = b - lambda,    -lower <= lambda <= upper
    v > 0: lambda = upper,    v < 0: lambda = -lower,    v = 0: any lambda between

In a time step, v is the new velocity, b = M v0 + h (all forces except friction), and the bounds are impulses. At one
instant, v is an acceleration and the bounds are forces.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from revolute.dynamics.coordinate_rates import euler_step, parent_axes_rates
from revolute.dynamics.drive_forces import DRY, dry_friction_bounds
from revolute.dynamics.driven import driven_bias_forces, driven_mass_matrix
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.sparse_factorization import factors_of, filled, is_zero
from revolute.model.model import Model, derived
from revolute.spatial.loop import converged
from revolute.spatial.scalar import Rows, Scalar, Scalars, Wrenches, select

ROUNDS = 8
"""Maximum number of rounds that switch joints between slipping and sticking. A step that needs more becomes NaN."""

ROUNDING = 1e-12
"""Tolerance of the sticking condition, relative to the forces: it prevents rounding errors from switching a joint."""


def sticking_step(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, h: Scalar, wrenches: Wrenches = None
) -> tuple[Scalars, Scalars]:
    """Semi-implicit Euler with dry friction at the new velocity, by Moreau's time stepping. Order 1.

    A joint comes to rest within a step, and then sticks while the force needed to hold it is less than its friction.
    The Stribeck term is evaluated at the old velocity: at rest it has its full value.
    """
    M, forces, upper, lower = _problem(model, drives, q, qd, tau, wrenches)
    qd = [v + h * rate for v, rate in zip(qd, parent_axes_rates(drives.space, qd, [0] * len(qd)), strict=True)]
    b = [sum(m * v for m, v in zip(row, qd, strict=True)) + h * force for row, force in zip(M, forces, strict=True)]
    bounds = [h * x for x in upper], [h * x for x in lower]
    qd = _slip_or_stick(M, b, *bounds, qd, [0] * len(qd))
    return euler_step(drives.space, q, qd, qd, h)


def sticking_accelerations(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> list[Scalar]:
    """Accelerations qdd: joints at rest stick or begin to slip; moving joints have the friction of their direction."""
    M, forces, upper, lower = _problem(model, drives, q, qd, tau, wrenches)
    return _slip_or_stick(M, forces, upper, lower, qd, qd)


def _problem(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches
) -> tuple[Rows, list[Scalar], list[Scalar], list[Scalar]]:
    """M, all forces except dry friction, and the bounds of dry friction at positive and at negative velocities.

    Every joint with dry friction follows one coordinate.
    """
    smooth = replace(drives, smoothing=1.0)  # without dry friction, smoothing has no effect
    without: Any = dict.fromkeys(DRY, ())
    dryless = derived(model, bodies=tuple(replace(body, drive=replace(body.drive, **without)) for body in model.bodies))
    bias = driven_bias_forces(dryless, smooth, q, qd, wrenches)
    upper: list[Scalar] = [0] * len(qd)
    lower: list[Scalar] = [0] * len(qd)
    for row, forward, backward in zip(drives.A, *dry_friction_bounds(model, drives.rates(qd)), strict=True):
        if is_zero(forward) and is_zero(backward):
            continue
        ((k, f),) = row
        first, second = (forward, backward) if f > 0 else (backward, forward)
        upper[k], lower[k] = upper[k] + abs(f) * first, lower[k] + abs(f) * second
    forces = [force - x for force, x in zip(tau, bias, strict=True)]
    return driven_mass_matrix(model, drives, q), forces, upper, lower


def _slip_or_stick(
    M: Rows, b: Scalars, upper: Scalars, lower: Scalars, rates: Scalars, moving: Scalars
) -> list[Scalar]:
    """v of the problem in this module's docstring, by an active-set method. Hintermueller, Ito & Kunisch 2003.

    A round solves for v with some coordinates sticking, v = 0, and the others slipping with a known lambda. Then
    lambda + v / (M^-1)_ii above `upper` or below -`lower` is slipping in the next round: 1 / (M^-1)_ii is the inertia
    that the coordinate's own force sees. If nothing changes, the problem is solved, and sticking coordinates have v = 0
    exactly. Arms need about three rounds. The signs of `rates` are the first guess; a coordinate with a nonzero entry
    in `moving` keeps that sign.
    """
    n = len(b)
    dry = [not (is_zero(x) and is_zero(y)) for x, y in zip(upper, lower, strict=True)]
    coupled = filled(M)
    W = factors_of(coupled, M).inverse()
    felt = [1 / W[i][i] for i in range(n)]
    rough = [i for i in range(n) if dry[i]]

    def turn(_: Scalars, memory: tuple[Scalars, Scalars, Scalar]) -> tuple[Scalars, Scalars, Scalar]:
        """One round: v, indicators of coordinates that slip up and down in the next round, and the amount of change."""
        up, down = dict(zip(rough, memory[0], strict=True)), dict(zip(rough, memory[1], strict=True))
        slips = [up[i] + down[i] if dry[i] else 1 for i in range(n)]
        known = [up[i] * upper[i] - down[i] * lower[i] if dry[i] else 0 for i in range(n)]
        masked = [
            [M[i][j] if i == j else 0 if is_zero(M[i][j]) else M[i][j] * slips[i] * slips[j] for j in range(n)]
            for i in range(n)
        ]
        v = factors_of(coupled, masked).solve([(b[i] - known[i]) * slips[i] for i in range(n)])
        changes: Scalar = 0.0
        for i in rough:
            needed = b[i] - sum(M[i][j] * v[j] for j in range(n) if not is_zero(M[i][j]))  # force that holds v
            reach = select(slips[i] > 0.5, known[i] + felt[i] * v[i], needed)
            slack = (abs(b[i]) + upper[i] + lower[i]) * ROUNDING
            above = select(reach > upper[i] + slack, 1.0, 0.0)
            below = select(reach < -(lower[i] + slack), 1.0, 0.0)
            if not is_zero(moving[i]):
                above = select(moving[i] > 0, 1.0, select(moving[i] < 0, 0.0, above))
                below = select(moving[i] < 0, 1.0, select(moving[i] > 0, 0.0, below))
            changes = changes + abs(above - up[i]) + abs(below - down[i])
            up[i], down[i] = above, below
        return v, (list(up.values()), list(down.values()), changes), changes > 0

    up = [select(rates[i] > 0, 1.0, 0.0) for i in rough]
    down = [select(rates[i] < 0, 1.0, 0.0) for i in rough]
    v, (_, _, changes) = converged(turn, [0.0] * n, (up, down, 0.0), most=ROUNDS)
    return [select(changes <= 0, x, math.nan) for x in v]
