"""A trajectory along the path of another one, with a different time law."""

from __future__ import annotations

import math

import numpy as np

from revolute.arguments import Array, number
from revolute.errors import InputError
from revolute.trajectory.law import TimeLaw
from revolute.trajectory.trajectory import Trajectory

__all__ = ["Retimed", "at_speed"]


class Retimed(Trajectory):
    """q(t) = path.q(s(t)): with p for the path,

        qd = p' sd,    qdd = p'' sd^2 + p' sdd,    jerk = p''' sd^3 + 3 p'' sd sdd + p' sddd

    where p', p'' are the path's velocities and accelerations, so that the formulas also hold for twists of free joints.

    Attributes:
        path: the other trajectory.
        law: s(t), from 0 to the path's duration, not decreasing. Breaks of the path are breaks of the law.
    """

    def __init__(self, path: Trajectory, law: TimeLaw) -> None:
        self.path, self.law, self.model = path, law, path.model
        self.breaks, self.duration, self.periodic = law.breaks, law.duration, path.periodic

    def _rows(self, t: Array) -> tuple[Array, Array, Array]:
        s, sd, sdd, _ = (x[:, None] for x in self.law(t))
        sd = np.maximum(sd, 0.0)  # rounding at an end at rest would reverse friction
        q, qs, qss = self.path._rows(self._within(s[:, 0]))
        return q, qs * sd, qss * sd**2 + qs * sdd

    def _jerks(self, t: Array) -> Array:
        s, sd, sdd, sddd = (x[:, None] for x in self.law(t))
        at = self._within(s[:, 0])
        _, qs, qss = self.path._rows(at)
        jerks: Array = self.path._jerks(at) * sd**3 + 3 * qss * sd * sdd + qs * sddd
        return jerks

    def _within(self, s: Array) -> Array:
        return np.clip(s, 0.0, self.path.duration)


def at_speed(path: Trajectory, factor: float) -> Retimed:
    """See `Trajectory.at_speed`."""
    k = number("at_speed: factor", factor)
    if not 0 < k < math.inf or not 0 < path.duration / k < math.inf:
        raise InputError(f"at_speed: the factor must be a positive number, not {factor!r}")
    starts = path.breaks[:-1]
    return Retimed(path, TimeLaw(path.breaks / k, np.column_stack([starts, np.full(len(starts), k)])))
