"""`Trajectory`: a motion of a robot's joints as functions of time."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, float_copy, positive
from revolute.errors import InputError
from revolute.io import trajectory as tables
from revolute.model.model import Model

if TYPE_CHECKING:
    from revolute.plot.figures import Figure
    from revolute.trajectory.check import Report
    from revolute.trajectory.limits import LimitedMachine, LimitsLike

MOST = 20_000_000  # maximum number of rows of `sample`; a larger number is probably due to a mistyped dt


class Trajectory(ABC):
    """Positions, velocities and accelerations of a robot's joints, from time 0 to `duration`.

    `trajectory(t)` returns all three, for a number or an array of any shape. Before the start, the robot is at rest at
    the first position, and after the end at the last one. A periodic trajectory repeats.

    Attributes:
        model: the robot.
        duration: seconds from start to end.
        breaks: (m + 1,) times from 0 to `duration` [s]; between breaks the motion is smooth.
        periodic: whether the motion repeats.
    """

    model: Model
    duration: float
    breaks: Array
    periodic: bool = False

    # --- values ------------------------------------------------------------------------------

    @abstractmethod
    def _rows(self, t: Array) -> tuple[Array, Array, Array]:
        """(n, nq), (n, nv) and (n, nv) q, qd and qdd at (n,) times within the trajectory."""

    @abstractmethod
    def _jerks(self, t: Array) -> Array:
        """(n, nv) time derivatives of qdd, for joints with one axis."""

    def __call__(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations.

        Args:
            t: (...) times [s].

        Returns:
            (..., nq) positions [rad, m], (..., nv) velocities, (..., nv) accelerations.

        Raises:
            InputError: a time is not finite.
        """
        times, outside, shape = self._times(t)
        q, qd, qdd = self._rows(times)
        if outside.any():
            qd, qdd = (np.where(outside[:, None], 0.0, x) for x in (qd, qdd))
        return q.reshape(*shape, self.model.nq), qd.reshape(*shape, self.model.nv), qdd.reshape(*shape, self.model.nv)

    def q(self, t: ArrayLike) -> Array:
        """(..., nq) joint positions [rad, m] at (...) times [s]."""
        return self._derivative(t, 0)

    def qd(self, t: ArrayLike) -> Array:
        """(..., nv) joint velocities [rad/s, m/s] at (...) times [s]; body twists for free joints."""
        return self._derivative(t, 1)

    def qdd(self, t: ArrayLike) -> Array:
        """(..., nv) joint accelerations at (...) times [s]: time derivatives of the components of `qd`."""
        return self._derivative(t, 2)

    def _derivative(self, t: ArrayLike, order: int) -> Array:
        return self(t)[order]

    def jerk(self, t: ArrayLike) -> Array:
        """(..., nv) time derivatives of `qdd` at (...) times [s], without its jumps at breaks.

        Raises:
            InputError: the robot has joints with several axes, or a time is not finite.
        """
        for body in self.model.bodies:
            if body.joint.nv > 1:
                raise InputError(f"jerk: joint '{body.joint_name}' has several axes; jerks need joints with one axis")
        times, outside, shape = self._times(t)
        return np.where(outside[:, None], 0.0, self._jerks(times)).reshape(*shape, self.model.nv)

    def _times(self, t: ArrayLike) -> tuple[Array, Array, tuple[int, ...]]:
        """Flat times, clipped to the trajectory or modulo its period; a mask of times outside; and the shape of t."""
        given = float_copy("trajectory: t [s]", t)
        if not np.isfinite(given).all():
            raise InputError("trajectory: times t must be finite")
        times = given.ravel()
        if self.periodic:
            return times % self.duration, np.zeros(len(times), bool), given.shape
        return np.clip(times, 0.0, self.duration), (times < 0) | (times > self.duration), given.shape

    # --- what people do with it --------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of '{self.model.name}': {self.duration:g} s, {len(self.breaks) - 1} pieces>"

    def instants(self, dt: float) -> Array:
        """(n,) times 0, dt, 2 dt, ..., duration; the last step may be shorter.

        Raises:
            InputError: dt is not positive, or there are too many times.
        """
        step = positive("trajectory: dt", dt, "number of seconds")
        if self.duration / step > MOST:
            raise InputError(f"trajectory: dt={step:g} s gives more than {MOST:,} rows")
        return np.append(step * np.arange(math.ceil(self.duration / step * (1 - 1e-12))), self.duration)

    def sample(self, dt: float) -> tables.StateRows:
        """Arrays t, q, qd, qdd at the times 0, dt, 2 dt, ... and `duration`.

        Raises:
            InputError: dt is not a positive number of seconds.

        Example:
            >>> arm, way = revolute.robots.planar(1), [[0.0], [1.0]]
            >>> swing = revolute.trajectory.quintic(arm, way, 2.0)
            >>> swing.sample(0.5).q.ravel().round(4)
            array([0.    , 0.1035, 0.5   , 0.8965, 1.    ])
        """
        t = self.instants(dt)
        return tables.StateRows(t, *self(t))

    def save(self, path: str | os.PathLike[str], dt: float = 0.001) -> None:
        """Write t, q, qd and qdd of all joints as CSV or Parquet, for `revolute torque` and `revolute.trajectory.load`.

        Args:
            path: the file; its suffix determines the format: .csv, .parquet, .pq.
            dt: seconds between rows.

        Raises:
            TrajectoryError: the suffix is unknown, or the file cannot be written.
            InputError: dt is not positive.
        """
        tables.check_output(path)
        rows = self.sample(dt)
        assert rows.t is not None
        rated = [name for rate in ("qd", "qdd") for name in tables.rate_names(self.model, rate)]
        tables.write(path, ["t", *tables.position_names(self.model), *rated], rows.t, rows.q, rows.qd, rows.qdd)

    def at_speed(self, factor: float) -> Trajectory:
        """The same path at a different speed: q(k t), k qd, k^2 qdd. Hollerbach 1984.

        Args:
            factor: k; 2 halves the duration.

        Raises:
            InputError: the factor is not a positive number.

        Example:
            >>> from revolute.trajectory import quintic
            >>> quintic(revolute.robots.planar(1), [[0.0], [1.0]], 2.0).at_speed(4).duration
            0.5
        """
        from revolute.trajectory.law import at_speed  # avoids a circular import

        return at_speed(self, factor)

    def check(
        self, robot: LimitedMachine | None = None, *, velocity: LimitsLike = None, acceleration: LimitsLike = None,
        jerk: LimitsLike = None, torque: LimitsLike = None, samples: int = 2000,
    ) -> Report:
        """Check positions, velocities, accelerations, jerks and joint forces against limits.

        All pieces are sampled, also on both sides of every break, and extrema between samples are located.

        Args:
            robot: a `Robot`, or one `with_drives()` for forces with friction; without it, forces are not checked.
            velocity, acceleration, jerk, torque: limits: a number for all joints, (nv,), or {joint: number}. By default
                these are the robot's limits of velocity and torque; acceleration and jerk are not checked.
            samples: minimum number of sample times.

        Returns:
            a `Report`: true if all limits are satisfied; `print` shows the largest values.

        Raises:
            InputError, UnknownNameError: a limit does not fit the robot.

        Example:
            >>> arm = revolute.robots.ur5()
            >>> report = revolute.trajectory.quintic(arm, [[0.0] * 6, [1.0] * 6], 0.5).check(arm)
            >>> report.ok
            False
            >>> print(report.excesses[0])
            velocity of 'shoulder_pan_joint' is 3.75 rad/s at 0.25 s; the limit is 3.15 rad/s
        """
        from revolute.trajectory.check import check  # avoids a circular import

        limits = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk, "torque": torque}
        return check(self, robot, limits, samples)

    def plot(self, robot: LimitedMachine | None = None, *, title: str | None = None) -> Figure:
        """Plot positions, velocities and accelerations of all joints; with a robot, also the joint forces.

        Args:
            robot: see `check`.
            title: title of the figure.

        Raises:
            MissingExtraError: Matplotlib is not installed.
        """
        from revolute.plot import trajectory as picture  # Matplotlib is an optional dependency
        from revolute.trajectory.check import same_joints  # avoids a circular import

        if robot is not None:
            same_joints("plot", self, robot)
        t = np.unique(np.concatenate([np.linspace(0.0, self.duration, 1001), self.breaks]))
        states = self(t)
        tau = None if robot is None else robot.inverse_dynamics(*states)
        return picture(self.model, t, states, tau, title or f"{self.model.name}: a trajectory of {self.duration:.4g} s")
