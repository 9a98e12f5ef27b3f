"""Test whether a motion's energy changes by exactly the work of its joint forces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import broadcast_shapes, number, real_array
from revolute.errors import InputError, ShapeError
from revolute.machine.machine import Array
from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.machine.robot import Robot

_INSTANTS = 50


@dataclass(frozen=True, eq=False)
class Passivity:
    """The energy balance H(t) - H(0) = integral of qd^T tau at T times.

    Attributes:
        holds: (...) whether all of `residual` is within `allowed`, and `skewness` is within rounding error.
        energy: (..., T) kinetic and potential energy H [J].
        work: (..., T) work of the joint forces since the first time [J].
        residual: (..., T) energy gained beyond the work [J]; losses are negative.
        allowed: (..., T) tolerance plus the uncertainty of `work` between the times [J].
        skewness: (...) maximum |qd^T (Mdot - 2 C) qd| at some of the times, relative to the size of its terms.
        beta: (...) maximum energy extracted by the forces: work >= -beta [J].
    """

    holds: Array
    energy: Array
    work: Array
    residual: Array
    allowed: Array
    skewness: Array
    beta: Array


def passivity_check(
    robot: Robot, t: ArrayLike, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, held: bool, tolerance: float
) -> Passivity:
    """See `Robot.passivity_check`."""
    times, q, qd, tau = _arrays(robot, t, q, qd, tau, tolerance)
    kinetic = np.asarray(robot.kinetic_energy(q, qd))
    energy = kinetic + robot.potential_energy(q)
    work, uncertainty, turnover = _work(robot, times, q, qd, tau, held)
    residual = energy - energy[..., :1] - work
    allowed = tolerance * np.maximum(turnover[..., -1:], kinetic.max(axis=-1, keepdims=True)) + uncertainty
    skewness = _skewness(robot, q, qd)
    holds = (np.abs(residual) <= allowed).all(axis=-1) & (skewness <= 1e-9)
    return Passivity(holds, energy, work, residual, allowed, skewness, -work.min(axis=-1))


def _work(robot: Robot, t: Array, q: Array, qd: Array, tau: Array, held: bool) -> tuple[Array, Array, Array]:
    """Work since the start, its uncertainty, and the sum of the absolute values of its increments."""
    #     W <- W + h (P0 + P1) / 2 + h^2 (P0' - P1') / 12,    P = qd^T tau
    # The last term takes the trapezoidal rule from order 2 to 4; its size is also the uncertainty. P' comes from
    # differences of P; where forces are held, from forward dynamics, on both sides of their jumps.
    h = np.diff(t)
    if held:
        forces, ends = tau[..., :-1, :], (slice(None, -1), slice(1, None))
        start, end = (np.sum(qd[..., k, :] * forces, axis=-1) for k in ends)
        start_rate, end_rate = (
            np.sum(robot.forward_dynamics(q[..., k, :], qd[..., k, :], forces) * forces, axis=-1) for k in ends
        )
    else:
        power = np.sum(qd * tau, axis=-1)
        rate = np.gradient(power, t, axis=-1, edge_order=2)
        start, end, start_rate, end_rate = power[..., :-1], power[..., 1:], rate[..., :-1], rate[..., 1:]
    correction = h**2 * (start_rate - end_rate) / 12
    parts = h * (start + end) / 2 + correction
    return _sums(parts), _sums(np.abs(correction)), _sums(np.abs(parts))


def _sums(parts: Array) -> Array:
    """Cumulative sums along time, starting at zero."""
    return np.concatenate([np.zeros((*parts.shape[:-1], 1)), np.cumsum(parts, axis=-1)], axis=-1)


def _skewness(robot: Robot, q: Array, qd: Array) -> Array:
    """Maximum |qd^T (Mdot - 2 C) qd| at some times, relative to its terms: Mdot from dM/dq, C qd from the bias."""
    instants = np.unique(np.linspace(0, q.shape[-2] - 1, _INSTANTS).astype(int))
    q, qd = q[..., instants, :], qd[..., instants, :]
    M_rate = np.einsum("...ijk,...k->...ij", robot.mass_matrix_partials(q), qd)
    coriolis = robot.bias_forces(q, qd) - robot.gravity_forces(q)
    a = np.einsum("...i,...ij,...j->...", qd, M_rate, qd)
    b = 2 * np.sum(qd * coriolis, axis=-1)
    kinetic = np.einsum("...i,...ij,...j->...", np.abs(qd), np.abs(M_rate), np.abs(qd))
    size = kinetic + 2 * np.sum(np.abs(qd * coriolis), axis=-1)
    skewness: Array = np.divide(np.abs(a - b), size, out=np.zeros_like(size), where=size > 0).max(axis=-1)
    return skewness


def _arrays(
    robot: Robot, t: ArrayLike, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, tolerance: float
) -> tuple[Array, Array, Array, Array]:
    times = real_array("passivity_check: t", t)
    if times.ndim != 1 or len(times) < 3 or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise InputError("passivity_check: t must be three or more finite, increasing times (T,) [s]")
    if not (np.isfinite(number("tolerance", tolerance)) and tolerance >= 0):
        raise InputError(f"passivity_check: tolerance must be zero or more, not {tolerance!r}")
    arrays = []
    for name, value, size in (("q", q, robot.nq), ("qd", qd, robot.nv), ("tau", tau, robot.nv)):
        array = real_array(f"passivity_check: {name}", value)
        if array.shape[-2:] != (len(times), size):
            wanted = f"(..., {len(times)}, {size})"
            raise ShapeError(f"passivity_check: {name} has shape {array.shape}, but t and the robot need {wanted}")
        if not np.isfinite(array).all():
            row = int(np.argwhere(~np.isfinite(array))[0, -2])
            raise InputError(f"passivity_check: {name} is not finite at t={times[row]:g} s")
        arrays.append(array)
    try:
        batch = broadcast_shapes([array.shape[:-2] for array in arrays])
    except ValueError:
        shapes = ", ".join(str(array.shape[:-2]) for array in arrays)
        raise ShapeError(f"passivity_check: batches of q, qd and tau do not broadcast: {shapes}") from None
    q, qd, tau = (np.broadcast_to(array, (*batch, *array.shape[-2:])) for array in arrays)
    return times, q, qd, tau
