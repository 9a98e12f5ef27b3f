"""Arguments, gains and costs of linear-quadratic regulators about a point and along a trajectory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, instance
from revolute.control.checks import coordinates, machine, positive_definite, positive_semidefinite
from revolute.control.deviations import deviation, feedback_law
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

__all__ = ["LinearQuadratic"]


class LinearQuadratic:
    """A regulator of deviations x = (difference(q_ref, q), qd - qd_ref) with the cost x^T Q x + u^T R u.

    Args:
        robot: a `Robot`, or a `DrivenRobot`.
        Q: (2 nv,) the diagonal, or (2 nv, 2 nv).
        R: (m,) the diagonal, or (m, m).
        actuated: names of the m coordinates with a force; all by default.
        wrap: deviations of continuous joints are within -pi ... pi.
    """

    def __init__(
        self, robot: Robot | DrivenRobot, Q: ArrayLike, R: ArrayLike, actuated: Sequence[str] | None, wrap: bool
    ) -> None:
        what = type(self).__name__
        self.robot = machine(what, robot)
        self._driven = coordinates(f"{what}: actuated", actuated, robot.coordinate_names)
        self.actuated = tuple(robot.coordinate_names[k] for k in self._driven)
        self._Q = positive_semidefinite(f"{what}: Q", Q, 2 * robot.nv)
        self._R = positive_definite(f"{what}: R", R, len(self._driven))
        self.wrap = instance(f"{what}: wrap", wrap, bool)
        self._law = feedback_law(robot, self.wrap)

    def _joint_gains(self, K: Array) -> Array:
        """(2, ..., nv, nv) position and velocity gains, from (..., m, 2 nv): zero without an actuator."""
        nv = self.robot.nv
        gains = np.zeros((2, *K.shape[:-2], nv, nv))
        for part, own in zip(gains, np.split(K, 2, axis=-1), strict=True):
            part[..., self._driven, :] = own
        return gains

    def _cost(self, P: Array, q_ref: Array, qd_ref: Array, q: ArrayLike, qd: ArrayLike) -> Array:
        """(...) x^T P x."""
        x = deviation(self.robot, q_ref, qd_ref, q, qd, self.wrap)
        return np.asarray(np.einsum("...i,ij,...j", x, P, x))
