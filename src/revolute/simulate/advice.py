"""Advice on fixed steps: why a motion diverges or gains energy, and a step that is stable."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.dynamics.implicit_steps import TOLERANCE
from revolute.dynamics.steps import IMPLICIT
from revolute.errors import SimulationError, SimulationWarning
from revolute.simulate.adaptive import differences
from revolute.simulate.forced_machine import ForcedMachine
from revolute.simulate.record import Diverged
from revolute.simulate.request import MotionTask
from revolute.simulate.result import Simulation
from revolute.simulate.torque import Table

PART = 0.25
"""Allowed unexplained energy gain, relative to the exchanged energy; large, because coarse steps may be intended."""

FEW, MOST = 5.0, 0.9
"""The allowed part in N steps is FEW / N, but at most MOST: N Euler steps from rest have an error of 1 / N."""

SLACK = 0.01
"""Allowed growth per stable step, in addition to the growth of the motion itself."""

HALVINGS = 20


Gain = tuple[tuple[int, ...], int, float]
"""Energy gain [J] that forces do not explain: (row of the batch, step in which it is largest, gain)."""


def explained(machine: ForcedMachine, error: Diverged) -> SimulationError:
    """The error to raise, with the motion so far as `partial`; if the step was too long, the message says so."""
    motion, method, times = error.partial, machine.task.request.method, machine.task.times
    h = error.t - float(times[np.searchsorted(times, error.t) - 1])
    if not isinstance(motion, Simulation) or not len(motion.t) or not math.isfinite(h):
        return error
    if method in IMPLICIT:
        return SimulationError(
            f"simulate: {method} did not solve its equations in the step to t={error.t:g} s{_row(error.row)}: "
            f"the last correction was larger than {TOLERANCE:g} of the velocity; use smaller steps "
            f"than {h:g} s, or check the forces",
            motion,
        )
    if "sticking" in machine.step_options:  # such friction has no rate
        return error
    if advice := _stable_steps(machine, motion, error.row, [0], h):
        found = f"steps of {h:g} s are too long. At t={motion.t[0]:g} s the fastest rate of the motion is {advice}"
        return SimulationError(f"{str(error).partition(';')[0]}: {found}", motion)
    return error


def warn_of_gain(task: MotionTask, motion: Simulation, advice: Callable[[Simulation, Gain], str]) -> None:
    """Issue a `SimulationWarning` if a motion with fixed steps gains energy that forces do not explain."""
    # Only motions are checked that store all instants, without wrenches, elastic joints or controllers with a state.
    if len(motion.t) < 3 or task.request.every > 1 or task.loads or motion.controller or motion.theta is not None:
        return
    rise = motion.energy.max(axis=-1) - motion.energy[..., 0]
    if not (rise > PART * motion.kinetic_energy.max(axis=-1)).any():  # most motions gain no significant energy
        return
    if gain := _gain_of_motion(task, motion):
        row, k, unexplained = gain
        energy = motion.energy[row]
        warnings.warn(
            f"simulate: the motion{_row(row)} gains {unexplained:.3g} J that no force explains: its energy is "
            f"{energy[0]:.3g} J at the start and up to {energy.max():.3g} J. The steps are too long for the forces, "
            f"most of all at t={motion.t[k]:g} s: {advice(motion, gain)}",
            SimulationWarning,
            stacklevel=4,
        )


@np.errstate(all="ignore")
def _gain_of_motion(task: MotionTask, motion: Simulation) -> Gain | None:
    """The largest energy gain beyond the work of joint forces; work of force functions is found by Simpson's rule."""
    space, t, q, qd, tau = task.space, motion.t, motion.q, motion.qd, motion.tau
    balance, power = (motion.energy, motion.kinetic_energy), np.einsum("...n,...n->...", tau, qd)
    if not task.held and not unexplained_gain(np.diff(t) * (power[..., :-1] + power[..., 1:]) / 2, *balance):
        return None  # the trapezoidal rule suffices, so Simpson's rule need not evaluate functions again
    moves, forces = space.difference(q[..., :-1, :], q[..., 1:, :]), tau[..., :-1, :]
    if not task.held:
        q, qd = space.integrate(q[..., :-1, :], moves / 2), (qd[..., :-1, :] + qd[..., 1:, :]) / 2
        times = enumerate(((t[:-1] + t[1:]) / 2).tolist())
        middle = [task.forces(k, time, q[..., k, :], qd[..., k, :]) for k, time in times]
        forces = (forces + 4 * np.stack(middle, axis=-2) + tau[..., 1:, :]) / 6
    return unexplained_gain(np.einsum("...n,...n->...", moves, forces), *balance)


def unexplained_gain(work: Array, energy: Array, kinetic: Array) -> Gain | None:
    """The largest gain of (..., T) energies beyond the (..., T - 1) work, if they are too large."""
    gains = np.diff(energy, axis=-1) - work
    total = np.cumsum(gains, axis=-1).max(axis=-1)
    to_and_fro = np.abs(work).sum(axis=-1) + kinetic.max(axis=-1)
    part = max(PART, min(FEW / work.shape[-1], MOST))
    excess = np.where(np.isfinite(total), total - part * to_and_fro, -np.inf)
    if not excess.size or excess.max() <= 0:
        return None
    row = tuple(map(int, np.unravel_index(int(np.argmax(excess)), excess.shape)))
    return row, int(np.argmax(gains[row])), float(total[row])


def suitable_steps(machine: ForcedMachine, motion: Simulation, gain: Gain) -> str:
    """The end of a message: steps that are stable at both ends of the step with the largest gain."""
    row, k, _ = gain
    h = float(motion.t[k + 1] - motion.t[k])
    advice = _stable_steps(machine, motion, row, [k, k + 1], h)
    return f"the fastest rate there is {advice}" if advice else f"use steps shorter than {h:g} s, or an adaptive method"


def _stable_steps(
    machine: ForcedMachine, motion: Simulation, row: tuple[int, ...], instants: list[int], h: float
) -> str | None:
    """The end of a message: the fastest rate at some instants, and stable steps; None if none are found."""
    found = [x for k in instants if (x := _stable_step(machine, motion, (*row, k), h))]
    if not found:
        return None
    (step, rate), method = min(found), machine.task.request.method
    return f"{rate:.3g} /s, and steps of {step:.3g} s are stable with {method}; use these, or an adaptive method"


@np.errstate(all="ignore")
def _stable_step(
    machine: ForcedMachine, motion: Simulation, place: tuple[int, ...], h: float
) -> tuple[float, float] | None:
    """A stable step [s], found by halving h, and the fastest rate [1/s], at an instant (*row, k) of a motion."""
    # Steps are linearised, with the law or function of joint forces, and without wrenches. None if h is stable, or no
    # step is.
    task, space, n, (*row, k) = machine.task, machine.task.space, machine.task.space.nv, place
    q, qd = (
        np.concatenate([x[place] for x in parts if x is not None])
        for parts in ((motion.q, motion.theta), (motion.qd, motion.thetad))
    )
    parameters = [np.broadcast_to(x, (*task.batch, *x.shape[-2:]))[*row] for x in machine.regrouped]

    def forces(*state: Array) -> Any:
        source: Any = task.sources[0]
        if isinstance(source, Table):
            return motion.tau[place]
        whole = [np.broadcast_to(x, (*task.batch, len(x))) for x in state]
        found = (source.evaluated if task.feedback else source)(k, float(motion.t[k]), *whole)
        return (found[0] if task.feedback else found)[*row]

    def slopes(name: str, *step: float) -> Array:
        """Derivatives of the results of a kernel, with positions as tangent vectors at q."""
        kernel = machine.mechanism.machine.kernel(name, **machine.acting)

        def results(move: Array) -> Array:
            state = space.integrate(q, move[:n]), qd + move[n:]
            first, second = kernel(*state, forces(*state), *step, *parameters)
            return np.concatenate([space.difference(q, first), second]) if step else second

        return differences(results, np.zeros(2 * n))

    A = np.block([[np.zeros((n, n)), np.eye(n)], [slopes("state_rate")]])  # d(q, qd)/dt for fixed axes
    rates = np.linalg.eigvals(A) if np.isfinite(A).all() else np.array([np.inf])
    for halving in range(HALVINGS if np.isfinite(rates).all() else 0):
        step = h / 2**halving
        G = slopes(f"{task.request.method}_step", step)
        allowed = math.exp(min(max(float(rates.real.max()), 0.0) * step, 700.0)) + SLACK
        if np.isfinite(G).all() and abs(np.linalg.eigvals(G)).max() <= allowed:
            return (step, float(abs(rates).max())) if halving else None
    return None


def _row(row: tuple[int, ...]) -> str:
    return f" of row {', '.join(map(str, row))} of the batch" if row else ""
