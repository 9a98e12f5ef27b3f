"""Joint motions that move a frame along a path of poses: resolved-rate control with corrections. Whitney 1969.

At the points of a time grid, the configuration is corrected until the frame has its pose. With the frame's twist V and
its time derivative A, the joint velocities and accelerations there are

    qd = J^+ V,    qdd = J^+ (A - dJ/dt qd) + (1 - J^+ J) dJ/dt^T J^+T qd

The last term is due to the time derivative of J^+, and is zero for six joints. Quintic pieces join the points. The grid
is refined until the deviation between points is within tolerance.

Near a singular configuration, qd grows without bounds, and joints would jump. So an error is raised where a joint would
exceed its velocity limit. Another start configuration with the same first pose may avoid the singularity: one on
another branch or, for a redundant robot, another of infinitely many solutions.
"""

import contextlib
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, finite_array, instance, positive
from revolute.errors import ShapeError, TrajectoryError
from revolute.trajectory.check import instants, largest
from revolute.trajectory.coordinates import PieceCoordinates
from revolute.trajectory.limits import ROUNDING as SLACK
from revolute.trajectory.limits import LimitedMachine, LimitsLike, RateLimits, model_of, rate_limits
from revolute.trajectory.polynomials import Polynomials, hermite
from revolute.trajectory.poses import PosePath, errors

CONVERGED, ROUNDING = 1e-11, 1e-9
"""Maximum pose errors [rad, m]: the tolerance of the correction, and the largest error that rounding explains."""
SMALLEST = 1e-6  # fraction of the largest singular value of J below which singular values count as zero
FIRST, SURE, FINEST = 16, 256, 16384
"""Numbers of intervals: of the coarsest grid, of a grid too fine to miss a change of branch, of the finest grid."""
STARTS, APART, COARSE, TRIES = 64, 0.2, 64, 4
"""Number of random searches for other starts; their minimum distance [rad, m]; number of coarse steps along the path
from each; maximum number of starts that are then followed."""


class Follower(LimitedMachine, Protocol):
    """A robot with frames: see `Robot` for the methods."""

    def forward_kinematics(self, q: ArrayLike, frame: str, /) -> Array: ...
    def jacobian(self, q: ArrayLike, frame: str, reference: str, /) -> Array: ...
    def jacobian_rate(self, q: ArrayLike, qd: ArrayLike, frame: str, reference: str, /) -> Array: ...
    def integrate(self, q: ArrayLike, d: ArrayLike, /) -> Array: ...
    def inverse_kinematics(
        self, pose: ArrayLike, frame: str, q0: ArrayLike, limits: bool, /, *, restarts: int, tolerance: float,
        path: bool | ArrayLike = False,
    ) -> Any: ...
    def random_configuration(self, batch: int, /, *, rng: int) -> Array: ...


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


def follow(
    robot: Follower, frame: str, poses: PosePath, q0: ArrayLike, *, tolerance: float = 1e-6,
    velocity: LimitsLike = None, around: bool = False,
) -> Followed:
    """Joint motion that moves a link frame along a path of poses, starting at a configuration.

    A redundant robot moves with minimum-norm joint velocities. Joints keep their velocity limits, so they cannot
    jump where the path passes a singular configuration. Without `around`, position limits are ignored: see `check`.

    Args:
        robot: a `Robot`, or one with drives.
        frame: name of a link.
        poses: path of the frame in the base frame, from `line`, `lines`, `arc` or `screw`.
        q0: (nq,) a configuration near the first pose; it is corrected.
        tolerance: largest deviation from the path between points of the grid [rad, m].
        velocity: velocity limits of joints: see `Trajectory.check`; infinite for none.
        around: whether other configurations with the first pose, the nearest first, are tried if the path cannot be
            followed from `q0`. A motion from such a start also keeps position limits; its `q(0)` differs from `q0`.

    Raises:
        TrajectoryError: a pose is out of reach, or singular, or a joint would exceed its velocity limit; the message
            names the joint, the time and the frame's position.
        InputError, ShapeError, UnknownNameError: arguments do not fit.

    Example:
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
    most = positive("follow: tolerance", tolerance)
    q = finite_array("follow: q0", q0)
    if q.shape != (model.nq,):
        raise ShapeError(f"follow: q0 must be {model.nq} finite numbers in one dimension; its shape is {q.shape}")
    others = instance("follow: around", around, bool)
    robot.forward_kinematics(q, frame)  # raises an error for an unknown frame
    path = _Path(robot, frame, poses, most, rate_limits("follow", robot, model, "velocity", velocity), others)
    try:
        return path.followed(q)
    except TrajectoryError as error:
        if not others:
            raise
        first = error
    for start in path.other_starts(q):
        with contextlib.suppress(TrajectoryError):
            motion = path.followed(start)
            if not any(row.kind == "position" for row in motion.check(robot, samples=200).excesses):
                return motion
    raise TrajectoryError(f"{first}; no other start was found from which the path can be followed") from None


class _Path:
    """A path of a frame of a robot, with the largest permitted deviation and the velocity limits."""

    def __init__(
        self, robot: Follower, frame: str, poses: PosePath, tolerance: float, speeds: RateLimits, around: bool
    ) -> None:
        self.advice = "" if around else ", or other starts: around=True"
        self.robot, self.frame, self.poses, self.tolerance, self.speeds = robot, frame, poses, tolerance, speeds
        self.coordinates = PieceCoordinates(model_of("follow", robot))

    def followed(self, q: Array) -> Followed:
        """The joint motion along the path from a start configuration."""
        count = FIRST
        while True:
            try:
                motion = self._on_grid(q, count)
            except TrajectoryError:
                if count >= SURE:
                    raise
                count *= 4  # shorter steps may find the way
                continue
            times = (motion.breaks[:-1, None] + np.diff(motion.breaks)[:, None] * [0.25, 0.5, 0.75]).ravel()
            reached, wanted = self.robot.forward_kinematics(motion.q(times), self.frame), self.poses.pose(times)
            motion.deviation = float(np.abs(errors(reached, wanted)).max())
            if motion.deviation <= self.tolerance:
                self._check_speeds(motion)
                return motion
            if count >= FINEST:
                raise TrajectoryError(
                    f"follow: '{self.frame}' deviates by {motion.deviation:.3g} between {count} grid points; the path "
                    "may pass near a singular configuration; if not, use a larger tolerance"
                )
            count *= 4

    def other_starts(self, q: Array) -> list[Array]:
        """Configurations with the first pose, nearest to q first, from which coarse steps can follow the path."""
        solve, t = self.robot.inverse_kinematics, np.linspace(0, self.poses.duration, COARSE + 1)
        random, pose = self.robot.random_configuration(STARTS, rng=0), self.poses.pose(t)
        found = solve(pose[0], self.frame, random, True, restarts=0, tolerance=CONVERGED)
        apart = np.where(found.converged, np.abs(found.q - q).max(axis=1), np.inf)
        starts: list[Array] = []
        for row in found.q[np.argsort(apart)][: found.converged.sum()]:
            if all(np.abs(row - other).max() > APART for other in (*starts, q)):
                starts.append(row)
        if not starts:
            return []
        largest_steps = 2 * t[1] * self.speeds.limits[: self.coordinates.model.nv]
        along = solve(pose, self.frame, np.array(starts), True, restarts=0, tolerance=1e-6, path=largest_steps)
        return [row for row, passes in zip(starts, along.converged.all(axis=-1), strict=True) if passes][:TRIES]

    def _on_grid(self, q: Array, count: int) -> Followed:
        robot, frame, breaks = self.robot, self.frame, self.poses.law.breaks
        parts = [np.linspace(a, b, max(1, round(count * (b - a) / breaks[-1])) + 1)[:-1] for a, b in pairwise(breaks)]
        t = np.append(np.concatenate(parts), breaks[-1])
        wanted, twists, rates = self.poses(t)
        states = []
        for k in range(len(t)):
            q = corrected(robot, frame, wanted[k], q, float(t[k]))
            qd, qdd = _rates(robot, frame, q, twists[k], rates[k])
            if count >= SURE and (self._shares(qd) > 1 + SLACK).any():
                raise self._too_fast(float(t[k]), q, qd)
            states.append((q, qd, qdd))
            if k + 1 < len(t):
                h, before = t[k + 1] - t[k], states[-2] if k else states[-1]
                growth = (qdd - before[2]) / (t[k] - t[k - 1] if k else 1.0)
                q = robot.integrate(q, qd * h + qdd * (h * h / 2) + growth * (h**3 / 6))
        path, velocities, accelerations = (np.array(x) for x in zip(*states, strict=True))
        *sides, base = self.coordinates.ends(path, velocities, accelerations)
        motion = Followed(self.coordinates, t, hermite(np.diff(t), *sides), base)
        motion.poses, motion.frame = self.poses, frame
        return motion

    def _shares(self, qd: Array) -> Array:
        """(..., n) speeds of coordinates and joints as fractions of their limits."""
        return np.abs(self.speeds.of(qd) / self.speeds.limits)

    def _check_speeds(self, motion: Followed) -> None:
        """Raise `TrajectoryError` for the first joint above its velocity limit, also between points of the grid."""
        t = instants(motion, 2000)
        shares = self._shares(motion.qd(t)).max(axis=1)
        when, most = largest(lambda at: self._shares(motion.qd(at)).max(axis=1), t, shares)
        if most > 1 + SLACK:
            at = float(t[np.argmax(shares > 1)]) if (shares > 1).any() else when
            raise self._too_fast(at, motion.q(at), motion.qd(at))

    def _too_fast(self, t: float, q: Array, qd: Array) -> TrajectoryError:
        k, speeds = int(self._shares(qd).argmax()), self.speeds
        place = ", ".join(f"{x:.4g}" for x in self.poses.pose(t)[:3, 3])
        singular = np.linalg.svd(self.robot.jacobian(q, self.frame, "aligned"), compute_uv=False)[-1]
        return TrajectoryError(
            f"follow: '{speeds.names[k]}' would move at {abs(speeds.of(qd)[k]):.4g} {speeds.units[k]} at t={t:.5g} s, "
            f"where '{self.frame}' is at ({place}) m; its limit is {speeds.limits[k]:.4g}. The smallest singular value "
            f"of the Jacobian is {singular:.2g} there; take more time{self.advice}"
        )


def _rates(robot: Follower, frame: str, q: Array, twist: Array, rate: Array) -> tuple[Array, Array]:
    """Minimum-norm joint velocities, and their derivatives, for the frame's twist with the derivative `rate`."""
    J = robot.jacobian(q, frame, "aligned")
    U, s, V = np.linalg.svd(J, full_matrices=False)
    inverse = V.T / np.where(s > SMALLEST * s[0], s, np.inf) @ U.T
    qd = inverse @ twist
    Jd = robot.jacobian_rate(q, qd, frame, "aligned")
    turned = Jd.T @ (inverse.T @ qd)
    return qd, inverse @ (rate - Jd @ qd) + turned - inverse @ (J @ turned)


def corrected(robot: Follower, frame: str, wanted: Array, q: Array, t: float) -> Array:
    """The configuration near q in which the frame has the pose `wanted`; `TrajectoryError` if none is found."""
    found = robot.inverse_kinematics(wanted, frame, q, False, restarts=0, tolerance=CONVERGED)
    error = float(np.abs(found.error).max())
    if error <= ROUNDING:
        return np.asarray(found.q)
    singular = np.linalg.svd(robot.jacobian(found.q, frame, "aligned"), compute_uv=False)
    raise TrajectoryError(
        f"follow: '{frame}' does not reach its pose at t={t:.5g} s: the error is {error:.3g} [rad, m], where the "
        f"smallest singular value of its Jacobian is {singular[-1]:.3g}; the pose is out of reach, or singular"
    )
