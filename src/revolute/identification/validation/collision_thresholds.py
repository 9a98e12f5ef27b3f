"""Thresholds of sensorless collision detection, from residuals of motions without collisions.

Haddadin, De Luca & Albu-Schaeffer 2017 for the residual; Rice 1944 for the rate at which noise crosses a level.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instances, positive
from revolute.control import MomentumObserver
from revolute.errors import InputError
from revolute.identification.samples import Array, Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

UNEVEN, SETTLED = 1e-3, 5.0
"""Maximum relative deviation of a time step from the median; and settling time of the observer in time constants."""


@dataclass(frozen=True, eq=False, repr=False)
class CollisionThresholds:
    """Thresholds of a momentum observer for each joint, and statistics of the residuals that determine them.

    Attributes:
        thresholds: (nv,) thresholds of the residuals [N m, N].
        bias, deviations: (nv,) mean and standard deviation of the residuals.
        crossings: (nv,) rate at which residuals cross their mean upwards [1/s].
        largest: (nv,) largest magnitude of a residual in the log.
        time_constant: (nv,) time constants of the observer [s].
        dt: time step of the observer [s].
        seconds: duration of the log [s].
        robot: the robot whose model the observer uses.
    """

    thresholds: Array
    bias: Array
    deviations: Array
    crossings: Array
    largest: Array
    time_constant: Array
    dt: float
    seconds: float
    robot: Robot | DrivenRobot

    def observer(self) -> MomentumObserver:
        """The observer, with these thresholds."""
        return MomentumObserver(self.robot, self.time_constant, self.dt, thresholds=self.thresholds)

    def __repr__(self) -> str:
        return f"<CollisionThresholds: {', '.join(f'{x:.3g}' for x in self.thresholds)} N m, N>"


def collision_thresholds(
    robot: Robot | DrivenRobot, log: Samples | Iterable[Samples], time_constant: ArrayLike, *,
    false_alarms: float = 1.0,
) -> CollisionThresholds:
    """Thresholds for `MomentumObserver` with a chosen rate of false alarms, from motions without collisions.

    The residual of a momentum observer contains sensor noise and model errors. If it is normal noise with mean b,
    standard deviation s and n upward crossings of its mean per second, its magnitude crosses a level u at most at the
    rate (Rice 1944)

        2 n exp(-(u - |b|)^2 / (2 s^2))

    The thresholds are the levels with the chosen rate, but at least the largest residual in the log. So a worse model
    leads to higher thresholds. The log should cover all motions and temperatures of the task, for some minutes.

    Args:
        robot: the identified robot, with its drives.
        log: samples without collisions, at equal time steps: one log, or several.
        time_constant: time constant of the observer [s]; (nv,), or one for all joints. Longer time constants
            lead to lower thresholds and later alarms.
        false_alarms: accepted false alarms of one joint per hour.

    Raises:
        InputError: time steps are uneven, logs have different steps or are shorter than the settling time, forces were
            not measured, or the rate is not positive.
        ShapeError: the samples do not fit the robot.

    Example:
        >>> from revolute.identification import Samples, collision_thresholds
        >>> arm = revolute.robots.planar(2)
        >>> rng = np.random.default_rng(1)
        >>> t = np.arange(3000) * 1e-3
        >>> still = np.zeros((3000, 2))
        >>> tau = arm.gravity_forces(still) + rng.normal(0, 0.1, (3000, 2))
        >>> found = collision_thresholds(arm, Samples(t, still, still, still, tau), 0.02)
        >>> bool((found.thresholds > 0.05).all() and (found.thresholds < 0.2).all())
        True
        >>> found.observer().thresholds is not None
        True
    """
    positive("collision_thresholds: false_alarms", false_alarms, "rate per hour")
    logs = [log] if isinstance(log, Samples) else [*instances("collision_thresholds: log", log, Samples)]
    dt = _step(logs)
    observer = MomentumObserver(robot, time_constant, dt)
    first = int(np.ceil(SETTLED * observer.time_constant.max() / dt)) + 1
    if short := [len(x) for x in logs if len(x) < first + 2]:
        raise InputError(
            f"collision_thresholds: a log has {short[0]} samples, and the observer needs {first} to settle; use longer "
            "logs, or a shorter time_constant"
        )
    residuals = [observer.run(x.q, x.qd, x.tau)[first:] for x in logs]
    every = np.concatenate(residuals)
    bias, deviations, largest = every.mean(axis=0), every.std(axis=0), np.abs(every).max(axis=0)
    upwards = sum(np.sum((r[:-1] <= bias) & (r[1:] > bias), axis=0) for r in residuals)
    crossings = np.maximum(upwards, 1) / (seconds := len(every) * dt)
    chance = np.maximum(2 * crossings * 3600 / false_alarms, 1.0)
    thresholds = np.maximum(np.abs(bias) + deviations * np.sqrt(2 * np.log(chance)), largest)
    constant = np.asarray(observer.time_constant)
    return CollisionThresholds(thresholds, bias, deviations, crossings, largest, constant, dt, seconds, robot)


def _step(logs: list[Samples]) -> float:
    """The time step of all logs."""
    steps = np.concatenate([np.zeros(0), *(np.diff(x.t) for x in logs)])
    if not len(steps):
        raise InputError("collision_thresholds: no log has two samples; give longer logs")
    dt = float(np.median(steps))
    if not dt > 0 or np.abs(steps - dt).max() > UNEVEN * dt:
        worst = int(np.argmax(np.abs(steps - dt)))
        raise InputError(
            f"collision_thresholds: time steps differ: most are {dt:.6g} s, and one is {steps[worst]:.6g} s; resample "
            "the log to even steps"
        )
    for x in logs:
        if not np.isfinite(x.tau).all():
            raise InputError("collision_thresholds: forces are missing (NaN); the observer needs all of them")
    return dt
