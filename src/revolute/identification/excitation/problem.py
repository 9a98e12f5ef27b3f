"""The optimization problem of an exciting motion, and its settings: curves, information, a criterion and limits."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import positive, whole_number
from revolute.errors import InputError, advice
from revolute.identification.excitation.curves import Basis, Curves
from revolute.identification.excitation.information import CRITERIA, UNSCALED, Criterion, Information, information_of
from revolute.identification.excitation.limits import (
    Box,
    Limit,
    joint_limits,
    motion_limits,
    places,
    position_range,
    torques,
)  # fmt: skip
from revolute.identification.excitation.smooth_regressor import SmoothRegressor
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array
from revolute.machine.robot import Robot
from revolute.trajectory.fourier import require_single_axes
from revolute.trajectory.limits import LimitsLike

PER_WAVE, INFORMATION, FINER = 8, 20, 10
"""Samples per period of the fastest harmonic: for limits, and for the criterion; and refinement of the limit check."""
SMOOTHING = 0.02
"""Speed over which friction changes its sign smoothly during the search, as a fraction of the median joint speed."""


@dataclass(frozen=True, eq=False)
class ExcitationLimits:
    """Limits of an exciting motion.

    Attributes:
        position: {joint: (lowest, highest)} [rad, m] within the robot's own limits.
        velocity, acceleration, torque: limits: a number for all joints, (nv,), or {joint: number}. By default those of
            the robot apply to velocity and torque, and acceleration has no limit.
        box: {link: (lowest, highest)}: corners (3,) [m] of a box in the base frame that contains the link's origin;
            infinite where there is no limit.
        height: lower limit of the origins of all moving link frames [m], such as the height of a table.
    """

    position: Mapping[str, tuple[float, float]] | None = None
    velocity: LimitsLike = None
    acceleration: LimitsLike = None
    torque: LimitsLike = None
    box: Box | None = None
    height: float | None = None


@dataclass(frozen=True, eq=False)
class ExpectedLog:
    """The expected log of an exciting motion, and the prior of the parameters.

    Attributes:
        rate: samples per second, for standard errors.
        noise: one or (nv,) standard deviations of the noise of measured forces [N m, N]; by default 1 % of the robot's
            effort limits, or 1 for all joints if a limit is missing.
        prior: (p,) prior standard deviations of the model's parameters, infinite for unknown ones; None: no prior.
    """

    rate: float = 100.0
    noise: ArrayLike | None = None
    prior: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise a criterion of the information over a space of curves, within limits.

    The order of the limits: positions, velocities, accelerations and forces, then coupled joints and frames.
    """

    curves: Curves
    information: Information
    criterion: Criterion
    limits: tuple[Limit, ...]

    def instants(self, per_wave: int) -> Array:
        """(T,) equidistant times of a period, `per_wave` of them in each period of the fastest harmonic."""
        count = per_wave * self.curves.harmonics
        return np.arange(count) * (self.curves.duration / count)

    def objective(self, x: Array, basis: Basis) -> tuple[float, Array]:
        """The criterion and its gradient with respect to x."""
        value, slopes = self.information.gradient(self.criterion, *self.curves.motion(x, basis))
        return value, self.curves.pulled(basis, slopes)

    def excesses(self, x: Array, basis: Basis) -> list[Array]:
        """The (T, 2, r) excesses of each limit: see `Limit.excess`."""
        motion = self.curves.motion(x, basis)
        return [limit.excess(motion) for limit in self.limits]


def problem_of(
    model: ForceModel, duration: float, harmonics: int, criterion: str, at_rest: bool, given: ExcitationLimits,
    log: ExpectedLog,
) -> Problem:
    """The problem for the parameters of a model; for its arguments see `excite`."""
    if criterion not in CRITERIA:
        raise InputError(f"excite: criterion must be one of {', '.join(CRITERIA)}, not {criterion!r}")
    duration = positive("excite: duration", duration, "time [s]")
    rows = duration * positive("excite: rate", log.rate, "number of rows per second")
    N = whole_number("excite: harmonics", harmonics, 2 if at_rest else 1)
    driven, space = model.robot, model.robot.space
    require_single_axes("excite", space)
    low, high = position_range(space, given.position)
    motions = motion_limits(space, (low, high), velocity=given.velocity, acceleration=given.acceleration)
    frequencies = 2 * math.pi / duration, 2 * math.pi * N / duration
    speeds, _ = _fastest(space, motions, frequencies)
    smooth = SmoothRegressor(model, SMOOTHING * float(np.median(speeds)))
    forces = torques(driven, smooth.robot, given.torque)
    limits = (*motions, forces, *joint_limits(driven), *places(driven, given.box, given.height))
    usual, scaled = _usual(space, motions, frequencies), criterion != UNSCALED
    information = information_of(model, smooth, usual, log.noise, log.prior, scaled, rows / (INFORMATION * N))
    reach = np.where(np.isfinite(high - low), (high - low) / 2, math.pi)
    curves = Curves(driven, duration, N, bool(at_rest), reach, speeds / math.sqrt(N))
    return Problem(curves, information, CRITERIA[criterion], limits)


def _fastest(space: Robot, motions: Sequence[Limit], frequencies: tuple[float, float]) -> tuple[Array, Array]:
    """(nv,) speeds and accelerations that motions between two frequencies [rad/s] reach within limits."""
    position, velocity, acceleration = motions
    (slow, fast), reach = frequencies, (position.upper - position.lower) / 2
    speeds = np.minimum(np.minimum(velocity.upper, fast * reach), acceleration.upper / slow)
    for name, speed in zip(space.coordinate_names, speeds, strict=True):
        if not math.isfinite(speed):
            raise InputError(
                f"excite: '{name}' has no limits of position, velocity or acceleration; give "
                + advice(f"velocity={{'{name}': ...}}", f"--limits {name}.velocity=...")
            )
    return speeds, np.minimum(acceleration.upper, speeds * fast)


def _usual(space: Robot, motions: Sequence[Limit], frequencies: tuple[float, float]) -> tuple[Array, Array]:
    """(nv,) speeds and accelerations from the robot's limits, or from `motions` where the robot has none."""
    own = motion_limits(space, position_range(space, None), velocity=None, acceleration=None)
    finite = [
        replace(
            mine, lower=np.where(np.isfinite(mine.lower), mine.lower, given.lower),
            upper=np.where(np.isfinite(mine.upper), mine.upper, given.upper),
        )
        for mine, given in zip(own, motions, strict=True)
    ]
    return _fastest(space, finite, frequencies)
