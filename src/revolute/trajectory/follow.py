"""Joint motions that move a frame along a path of poses: resolved-rate control with corrections. Whitney 1969.

At points of a grid, the configuration is corrected until the frame has its pose, and

    qd = J^+ V,    qdd = J^+ (A - dJ/dt qd) + (1 - J^+ J) dJ/dt^T J^+T qd

are velocities and accelerations; the last term contains the time derivative of J^+, and is zero for six joints. Quintic
pieces join the points. The grid is refined until the deviation between points is within tolerance.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, float_copy, instance, positive
from revolute.errors import ShapeError, TrajectoryError
from revolute.trajectory.coordinates import PieceCoordinates
from revolute.trajectory.limits import LimitedMachine, model_of
from revolute.trajectory.polynomials import Polynomials, hermite
from revolute.trajectory.poses import PosePath, errors

CONVERGED, ROUNDING = 1e-11, 1e-9
"""Maximum pose errors [rad, m]: the tolerance of the correction, and the largest error that rounding explains."""
SMALLEST = 1e-6
"""Fraction of the largest singular value of J below which singular values count as zero."""
FIRST, FINEST = 16, 16384
"""Numbers of intervals of the coarsest and of the finest grid."""


class Follower(LimitedMachine, Protocol):
    """A robot with frames: see `Robot` for the methods."""

    def forward_kinematics(self, q: ArrayLike, frame: str, /) -> Array: ...
    def jacobian(self, q: ArrayLike, frame: str, reference: str, /) -> Array: ...
    def jacobian_rate(self, q: ArrayLike, qd: ArrayLike, frame: str, reference: str, /) -> Array: ...
    def integrate(self, q: ArrayLike, d: ArrayLike, /) -> Array: ...
    def inverse_kinematics(
        self, pose: ArrayLike, frame: str, q0: ArrayLike, limits: bool, /, *, restarts: int, tolerance: float
    ) -> Any: ...


class Followed(Polynomials):
    """Joint motions along a path of poses.

    Attributes:
        poses: the path.
        frame: the link frame that moves along it.
        deviation: largest deviation of the frame from the path, measured between points of the grid [rad, m].
    """

    poses: PosePath
    frame: str
    deviation: float


def follow(robot: Follower, frame: str, poses: PosePath, q0: ArrayLike, *, tolerance: float = 1e-6) -> Followed:
    """Joint motion that moves a link frame along a path of poses, starting at a configuration.

    A redundant robot moves with minimum-norm joint velocities. Limits are ignored: see `check`.

    Args:
        robot: a `Robot`, or one with drives.
        frame: name of a link.
        poses: path of the frame in the base frame, from `line`, `arc` or `screw`.
        q0: (nq,) a configuration near the first pose; it is corrected.
        tolerance: largest deviation from the path between points of the grid [rad, m].

    Raises:
        TrajectoryError: a pose is out of reach, or singular.
        InputError, ShapeError, UnknownNameError: arguments do not fit.

    Example:
        >>> import revolute
        >>> from revolute.trajectory import follow, line
        >>> arm, q0 = revolute.robots.ur5(), [0.0, -1.2, 1.3, -0.6, -1.57, 0.4]
        >>> start = arm.forward_kinematics(q0, "tool0")
        >>> end = start.copy()
        >>> end[2, 3] += 0.1
        >>> motion = follow(arm, "tool0", line(start, end, 2.0), q0)
        >>> bool(motion.deviation < 1e-6)
        True
        >>> (arm.forward_kinematics(motion.q(1.0), "tool0") - start)[:3, 3].round(6) + 0.0
        array([0.  , 0.  , 0.05])
    """
    model = model_of("follow", robot)
    instance("follow: poses", poses, PosePath)
    largest = positive("follow: tolerance", tolerance)
    q = float_copy("follow: q0", q0)
    if q.shape != (model.nq,) or not np.isfinite(q).all():
        raise ShapeError(f"follow: q0 must be {model.nq} finite numbers; it has shape {q.shape}")
    robot.forward_kinematics(q, frame)  # raises an error for an unknown frame
    coordinates, count = PieceCoordinates(model), FIRST
    while True:
        motion = _on_grid(robot, coordinates, frame, poses, q, count)
        times = (motion.breaks[:-1, None] + np.diff(motion.breaks)[:, None] * [0.25, 0.5, 0.75]).ravel()
        reached, wanted = robot.forward_kinematics(motion.q(times), frame), poses.pose(times)
        motion.deviation = float(np.abs(errors(reached, wanted)).max())
        if motion.deviation <= largest:
            return motion
        if count >= FINEST:
            raise TrajectoryError(
                f"follow: '{frame}' deviates by {motion.deviation:.3g} between {count} points; the path passes near a "
                "singular configuration, or allow a larger tolerance"
            )
        count *= 4


def _on_grid(
    robot: Follower, coordinates: PieceCoordinates, frame: str, poses: PosePath, q: Array, count: int
) -> Followed:
    breaks = poses.law.breaks
    parts = [np.linspace(a, b, max(1, round(count * (b - a) / breaks[-1])) + 1)[:-1] for a, b in pairwise(breaks)]
    t = np.append(np.concatenate(parts), breaks[-1])
    wanted, twists, rates = poses(t)
    states = []
    for k in range(len(t)):
        q = corrected(robot, frame, wanted[k], q, float(t[k]))
        qd, qdd = _rates(robot, frame, q, twists[k], rates[k])
        states.append((q, qd, qdd))
        if k + 1 < len(t):
            h, before = t[k + 1] - t[k], states[-2] if k else states[-1]
            growth = (qdd - before[2]) / (t[k] - t[k - 1] if k else 1.0)
            q = robot.integrate(q, qd * h + qdd * (h * h / 2) + growth * (h**3 / 6))
    path, velocities, accelerations = (np.array(x) for x in zip(*states, strict=True))
    *sides, base = coordinates.ends(path, velocities, accelerations)
    motion = Followed(coordinates, t, hermite(np.diff(t), *sides), base)
    motion.poses, motion.frame = poses, frame
    return motion


def _rates(robot: Follower, frame: str, q: Array, twist: Array, rate: Array) -> tuple[Array, Array]:
    """The minimum-norm joint velocities for a twist of the frame, and their time derivatives."""
    J = robot.jacobian(q, frame, "aligned")
    inverse = np.linalg.pinv(J, SMALLEST)
    qd = inverse @ twist
    Jd = robot.jacobian_rate(q, qd, frame, "aligned")
    turned = Jd.T @ (inverse.T @ qd)
    return qd, inverse @ (rate - Jd @ qd) + turned - inverse @ (J @ turned)


def corrected(robot: Follower, frame: str, wanted: Array, q: Array, t: float) -> Array:
    """The configuration near q in which a frame has a pose; `TrajectoryError` if none is found."""
    found = robot.inverse_kinematics(wanted, frame, q, False, restarts=0, tolerance=CONVERGED)
    error = float(np.abs(found.error).max())
    if error <= ROUNDING:
        return np.asarray(found.q)
    singular = np.linalg.svd(robot.jacobian(found.q, frame, "aligned"), compute_uv=False)
    raise TrajectoryError(
        f"follow: '{frame}' does not reach its pose at t={t:.5g} s: the error is {error:.3g} [rad, m], where the "
        f"smallest singular value of its Jacobian is {singular[-1]:.3g}; the pose is out of reach, or singular"
    )
