"""Advice for a motion that diverges: is the step too long for its fastest rate, and which one would do?"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from revolute.dynamics.newton_iteration import ITERATIONS, TOLERANCE
from revolute.dynamics.steps import IMPLICIT
from revolute.errors import SimulationError
from revolute.model.configurations import difference, integrate
from revolute.model.model import Model
from revolute.simulate.record import Diverged
from revolute.simulate.result import Simulation

__all__ = ["explained"]

Array = NDArray[np.float64]
Map = Callable[[Array, Array], tuple[Array, Array]]
"""(q, qd) -> two arrays, for a batch of states."""

STEP = 1e-6
"""Of differences [rad, m, rad/s, m/s]."""

SLACK = 0.01
"""A step may add so much to what a motion grows by itself."""

HALVINGS = 20


def explained(
    error: Diverged,
    motion: Simulation,
    method: str,
    space: Model,
    times: Array,
    rate: Map,
    step: Callable[[float], Map],
) -> SimulationError:
    """The error with its cause, if the step is one.

    Args:
        error: of the motion.
        motion: up to there.
        method: of fixed step.
        space: a model with the motion's coordinates.
        times: all instants.
        rate: dq/dt and qdd of states, under the forces at the first instant.
        step: of length h, the states after one step.
    """
    h = error.t - float(times[np.searchsorted(times, error.t) - 1])
    if not math.isfinite(h):
        return error
    if method in IMPLICIT:
        row = f" of row {', '.join(map(str, error.row))} of the batch" if error.row else ""
        return SimulationError(
            f"simulate: {method} did not solve its equations in the step to t={error.t:g} s{row}: correction "
            f"{ITERATIONS} of {ITERATIONS} was larger than {TOLERANCE:g} of the velocity; take smaller steps than "
            f"{h:g} s, or look at the forces",
            motion,
        )
    q, qd = (
        np.concatenate([x[(*error.row, 0)] for x in parts if x is not None])
        for parts in ((motion.q, motion.theta), (motion.qd, motion.thetad))
    )
    with np.errstate(all="ignore"):
        found = _stable_step(space, q, qd, h, rate, step)
    if found is None:
        return error
    fastest, stable = found
    return SimulationError(
        f"{str(error).partition(';')[0]}: steps of {h:g} s are too long. At t={motion.t[0]:g} s the fastest rate of "
        f"the motion is {fastest:.3g} /s, and steps of {stable:.3g} s are stable with {method}; take these, or an "
        "adaptive method",
        motion,
    )


def _stable_step(
    space: Model, q: Array, qd: Array, h: float, rate: Map, step: Callable[[float], Map]
) -> tuple[float, float] | None:
    """The largest |eigenvalue| of the linearised motion at a state, and h halved until the linearised step is stable.

    None if it is stable at h, or at no step.
    """
    n = space.nv
    slopes = _differences(space, q, qd, rate)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [slopes[-n:]]])  # d(q, qd)/dt, but for turns of the axes
    if not np.isfinite(A).all():
        return None
    rates = np.linalg.eigvals(A)
    growth, fastest, stable = max(float(rates.real.max()), 0.0), float(abs(rates).max()), h
    for halving in range(HALVINGS):
        G = _differences(space, q, qd, _along_velocities(space, q, step(stable)))
        allowed = math.exp(min(growth * stable, 700.0)) + SLACK
        if np.isfinite(G).all() and abs(np.linalg.eigvals(G)).max() <= allowed:
            return (fastest, stable) if halving else None
        stable /= 2
    return None


def _along_velocities(space: Model, q: Array, step: Map) -> Map:
    """A step with positions as small motions from its end at (q, .)."""
    def ends(positions: Array, velocities: Array) -> tuple[Array, Array]:
        found, rates = step(positions, velocities)
        return difference(space, np.broadcast_to(q, found.shape), found), rates

    return ends


def _differences(space: Model, q: Array, qd: Array, f: Map) -> Array:
    """df/d(q, qd) at a state by central differences, q along velocities."""
    n = space.nv
    moves = STEP * np.concatenate([np.eye(2 * n), -np.eye(2 * n)])
    found = np.concatenate(f(integrate(space, q, moves[:, :n]), qd + moves[:, n:]), axis=-1)
    slopes: Array = ((found[: 2 * n] - found[2 * n :]) / (2 * STEP)).T
    return slopes
