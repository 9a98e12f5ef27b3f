"""Advice for a diverging motion: whether the step is too long for its fastest rate, and a stable step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.dynamics.implicit_steps import ITERATIONS, TOLERANCE
from revolute.dynamics.steps import IMPLICIT
from revolute.dynamics.sticking_friction import ROUNDS
from revolute.errors import SimulationError
from revolute.model.configurations import difference, integrate
from revolute.model.model import Model
from revolute.simulate.feedback import Feedback
from revolute.simulate.record import Diverged
from revolute.simulate.result import Simulation
from revolute.simulate.torque import Table, Torque

Map = Callable[[Array, Array], tuple[Array, Array]]
"""Map of states in a batch: (q, qd) -> two arrays."""

STEP = 1e-6
"""Step of finite differences [rad, m, rad/s, m/s]."""

SLACK = 0.01
"""Allowed growth per stable step, in addition to the growth of the motion itself."""

HALVINGS = 20


@dataclass(frozen=True, eq=False)
class FixedSteps:
    """Fixed steps of a machine, which may be too long for its motion.

    `kernel` returns a compiled function of the machine by its name and options; wrenches are ignored. `regrouped` has
    (..., n, 10) inertial parameters, if the steps take them as an input. If the joint forces tau are a law or function,
    the linearised motion includes it; other forces are constant.
    """

    kernel: Callable[..., Callable[..., Any]]
    space: Model
    method: str
    options: Mapping[str, Any]
    regrouped: tuple[Array, ...]
    tau: Torque

    def explained(self, error: Diverged, times: Array) -> SimulationError:
        """The error with the motion as `partial`, and with its cause if the step is too long."""
        motion, method = error.partial, self.method
        if not isinstance(motion, Simulation) or not len(motion.t):
            return error
        h = error.t - float(times[np.searchsorted(times, error.t) - 1])
        if not math.isfinite(h):
            return error
        if method in IMPLICIT:
            row = f" of row {', '.join(map(str, error.row))} of the batch" if error.row else ""
            return SimulationError(
                f"simulate: {method} did not solve its equations in the step to t={error.t:g} s{row}: correction "
                f"{ITERATIONS} of {ITERATIONS} was larger than {TOLERANCE:g} of the velocity; use smaller steps than "
                f"{h:g} s, or check the forces",
                motion,
            )
        found = self.longest_stable(motion, error.row, 0, h)
        if found is not None:
            return SimulationError(
                f"{str(error).partition(';')[0]}: steps of {h:g} s are too long. At t={motion.t[0]:g} s the fastest "
                f"rate of the motion is {self.stability(found)}",
                motion,
            )
        if "sticking" in self.options:
            return SimulationError(f"{error}; or the set of sticking joints was not found in {ROUNDS} rounds", motion)
        return error

    def stability(self, found: tuple[float, float]) -> str:
        """The end of a message about a result of `longest_stable`."""
        rate, step = found
        stable = f"steps of {step:.3g} s are stable with {self.method}"
        return f"{rate:.3g} /s, and {stable}; use these, or an adaptive method"

    def longest_stable(self, motion: Simulation, row: tuple[int, ...], k: int, h: float) -> tuple[float, float] | None:
        """The fastest rate at instant k of a row [1/s], and a stable step [s]: h, halved until it is stable.

        None if h is stable, or no step is stable.
        """
        q, qd = (
            np.concatenate([x[(*row, k)] for x in parts if x is not None])
            for parts in ((motion.q, motion.theta), (motion.qd, motion.thetad))
        )
        plain = {name: x for name, x in self.options.items() if name != "wrenches"}
        batch = motion.q.shape[:-2]
        own = tuple(np.broadcast_to(x, (*batch, *x.shape[-2:]))[row] for x in self.regrouped)
        forces = self._forces(k, float(motion.t[k]), motion.tau[(*row, k)], batch, row)

        def rate(q: Array, qd: Array) -> Any:
            return self.kernel("state_rate", **plain)(q, qd, forces(q, qd), *own)

        def step(h: float) -> Map:
            return lambda q, qd: self.kernel(f"{self.method}_step", **plain)(q, qd, forces(q, qd), h, *own)

        with np.errstate(all="ignore"):
            return _stable_step(self.space, q, qd, h, rate, step)

    def _forces(
        self, k: int, time: float, held: Array, batch: tuple[int, ...], row: tuple[int, ...]
    ) -> Callable[[Array, Array], Array]:
        """The joint forces at states near a given state: from a law, from a function, or constant."""
        tau = self.tau
        if isinstance(tau, Table):
            return lambda q, qd: held

        def forces(q: Array, qd: Array) -> Array:
            shape = (len(q), *([1] * len(batch)), -1)
            rows = [np.broadcast_to(x.reshape(shape), (len(x), *batch, x.shape[-1])) for x in (q, qd)]
            if isinstance(tau, Feedback):
                return np.moveaxis(tau.evaluated(k, time, *rows)[0], 0, -2)[row]  # type: ignore[no-any-return]
            return np.stack([tau(k, time, *state)[row] for state in zip(*rows, strict=True)])

        return forces


def _stable_step(
    space: Model, q: Array, qd: Array, h: float, rate: Map, step: Callable[[float], Map]
) -> tuple[float, float] | None:
    """The largest |eigenvalue| of the linearised motion, and h halved until the linearised step is stable.

    None if h is stable, or no step is stable.
    """

    def along_velocities(positions: Array, velocities: Array) -> tuple[Array, Array]:
        """Positions as tangent vectors at q, and velocities."""
        return difference(space, np.broadcast_to(q, positions.shape), positions), velocities

    n = space.nv
    slopes = _differences(space, q, qd, rate)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [slopes[-n:]]])  # d(q, qd)/dt for fixed axes
    if not np.isfinite(A).all():
        return None
    rates = np.linalg.eigvals(A)
    growth, fastest, stable = max(float(rates.real.max()), 0.0), float(abs(rates).max()), h
    for halving in range(HALVINGS):
        G = _differences(space, q, qd, lambda *state: along_velocities(*step(stable)(*state)))  # noqa: B023
        allowed = math.exp(min(growth * stable, 700.0)) + SLACK
        if np.isfinite(G).all() and abs(np.linalg.eigvals(G)).max() <= allowed:
            return (fastest, stable) if halving else None
        stable /= 2
    return None


def _differences(space: Model, q: Array, qd: Array, f: Map) -> Array:
    """df/d(q, qd) at a state by central differences; q varies along tangent vectors."""
    n = space.nv
    moves = STEP * np.concatenate([np.eye(2 * n), -np.eye(2 * n)])
    there, back = np.split(np.concatenate(f(integrate(space, q, moves[:, :n]), qd + moves[:, n:]), axis=-1), 2)
    return np.transpose(there - back) / (2 * STEP)
