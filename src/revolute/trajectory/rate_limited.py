"""The fastest motions from waypoint to waypoint within limits of rates, at rest at each.

    trapezoid      constant acceleration, constant speed, constant deceleration: Lynch & Park 2017, 9.2.2.2
    jerk_limited   limited jerk, by Ruckig: Berscheid & Kröger 2021, https://github.com/pantor/ruckig
"""

from __future__ import annotations

import contextlib
import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array
from revolute.errors import InputError, TrajectoryError, extra
from revolute.model.model import Model
from revolute.trajectory.check import within_joints
from revolute.trajectory.coordinates import PieceCoordinates
from revolute.trajectory.law import TimeLaw, trapezoid_law
from revolute.trajectory.limits import LimitedMachine, LimitsLike, model_of, rate_limits, required_limits, way
from revolute.trajectory.polynomials import Polynomials, merged


def trapezoid(
    robot: LimitedMachine, waypoints: ArrayLike, *, velocity: LimitsLike = None, acceleration: LimitsLike,
    synchronised: bool = True, wrap: bool = False,
) -> Polynomials:
    """The fastest motion with constant accelerations from waypoint to waypoint, at rest at each.

    Synchronised joints move along a straight line in joint space. Otherwise each joint moves in its own minimum time,
    and waits at the next waypoint. The motion is C1: accelerations jump.

    Speeds of joints that follow several coordinates are also limited; coordinates that are not synchronised are slowed
    down so that all may reach their maximum speeds at once.

    The coordinates of a free or planar joint move together. Limits of its linear velocity apply to the speed; its
    acceleration in the rotating frame can be larger, so `check` the result.

    Args:
        robot: a `Robot`, or one with drives.
        waypoints: (k, nq) joint positions [rad, m].
        velocity: limits: one number, (nv,), or {joint: number}; by default those of the robot's description.
        acceleration: limits, in the same forms as `velocity`.
        synchronised: whether joints reach each waypoint together; otherwise each in its own minimum time.
        wrap: see `cubic`.

    Raises:
        InputError: a joint has no limit; a limit is not positive.
        ShapeError, TrajectoryError: a waypoint does not fit, or is outside the robot's limits; a joint that follows
            several unsynchronised coordinates exceeds a limit between waypoints.

    Example:
        >>> import revolute
        >>> from revolute.trajectory import trapezoid
        >>> arm = revolute.robots.planar(2)
        >>> motion = trapezoid(arm, [[0.0, 0.0], [2.0, 1.0]], velocity=1.0, acceleration=1.0)
        >>> motion.duration, motion.qd([0.5, 1.5]), motion.breaks
        (3.0, array([[0.5 , 0.25],
               [1.  , 0.5 ]]), array([0., 1., 2., 3.]))
    """
    model = model_of("trapezoid", robot)
    q = way("trapezoid", robot, waypoints, wrap)
    speeds = required_limits("trapezoid", model, "velocity", velocity)
    joints = rate_limits("trapezoid", robot, model, "velocity", velocity)
    if not synchronised:
        speeds = joints.alone(speeds)
    ramps = required_limits("trapezoid", model, "acceleration", acceleration)
    coordinates = PieceCoordinates(model)
    ends, base = coordinates.linked(q)
    pieces, bases = [], []
    for (start, end), s in zip(ends, base, strict=True):
        turn = end - start
        together = joints.share(turn) if synchronised else math.inf
        laws = _laws(model, turn, speeds, ramps, synchronised, together)
        duration = max(law.duration for law in laws)
        if duration == 0:
            continue  # the waypoint equals the previous one
        scaled = ((law, law.coefficients * d, y) for law, d, y in zip(laws, turn, start, strict=True))
        pieces.append(merged([(law.breaks, np.hstack([c[:, :1] + y, c[:, 1:]])) for law, c, y in scaled], duration))
        bases.append(np.repeat(s[None], len(pieces[-1][0]) - 1, axis=0))
    return within_joints("trapezoid", robot, joined("trapezoid", coordinates, pieces, bases))


def joined(
    what: str, coordinates: PieceCoordinates, pieces: list[tuple[Array, Array]], bases: list[Array]
) -> Polynomials:
    """Concatenated trajectories: (m + 1,) breaks from 0, (m, degree + 1, nv) coefficients, and bases of each."""
    if not pieces:
        raise TrajectoryError(f"{what}: all waypoints are equal: nothing moves")
    starts = np.cumsum([0.0, *(breaks[-1] for breaks, _ in pieces)])
    breaks = np.concatenate([[0.0], *(at + own[1:] for at, (own, _) in zip(starts[:-1], pieces, strict=True))])
    return Polynomials(coordinates, breaks, np.concatenate([c for _, c in pieces]), np.concatenate(bases))


def _laws(model: Model, turn: Array, speeds: Array, ramps: Array, synchronised: bool, together: float) -> list[TimeLaw]:
    """A law for each coordinate; `together` limits the rate of their common fraction."""
    joints = zip(model.bodies[1:], model.v_index[1:], strict=True)
    limits = np.array([[_share(body.joint, turn[to], x[to]) for x in (speeds, ramps)] for body, to in joints])
    if synchronised:
        limits[:] = np.minimum(limits.min(axis=0), [together, math.inf])
    by_joint = [trapezoid_law(*x) if np.isfinite(x).all() else TimeLaw(np.zeros(2), np.zeros((1, 3))) for x in limits]
    return [law for law, body in zip(by_joint, model.bodies[1:], strict=True) for _ in range(body.joint.nv)]


def _share(joint: Any, turn: Array, limits: Array) -> float:
    """The largest rate of a joint's fraction of its displacement; infinite if it does not move.

    Coordinates of a joint are lengths, then angles; velocities are angular, then linear.
    """
    lengths = sum(joint.linear)
    moved, largest = np.abs(turn[lengths:]), limits[: len(turn) - lengths]
    shares = [x / d for x, d in zip(largest, moved, strict=True) if d > 0]
    distance = float(np.linalg.norm(turn[:lengths]))
    if distance > 0:
        shares.append(float(limits[len(turn) - lengths :].min()) / distance)
    return min(shares, default=math.inf)


def jerk_limited(
    robot: LimitedMachine, waypoints: ArrayLike, *, velocity: LimitsLike = None, acceleration: LimitsLike,
    jerk: LimitsLike, synchronised: bool = True, wrap: bool = False,
) -> Polynomials:
    """The fastest motion with limited jerk from waypoint to waypoint, at rest at each. Needs Ruckig. C2.

    Coordinates that share a joint are slowed down so that all of them may reach their maximum speeds at once.

    Args:
        robot: a `Robot`, or one with drives, whose joints have one axis.
        waypoints: (k, nq) joint positions [rad, m].
        velocity, acceleration: see `trapezoid`.
        jerk: limits, in the same forms as `velocity`.
        synchronised: whether joints reach each waypoint together; otherwise each in its own minimum time.
        wrap: see `cubic`.

    Raises:
        InputError: a joint has no limit, or several axes; a limit is not positive.
        ShapeError, TrajectoryError: a waypoint does not fit, or is outside the robot's limits; Ruckig finds no motion;
            a joint that follows several coordinates exceeds a limit between waypoints.
        MissingExtraError: Ruckig is not installed.

    Example:
        >>> import revolute
        >>> arm, limits = revolute.robots.planar(1), {"velocity": 1.0, "acceleration": 2.0}
        >>> way = [[0.0], [1.0]]
        >>> motion = revolute.trajectory.jerk_limited(arm, way, **limits, jerk=10.0)
        >>> round(motion.duration, 9), motion.jerk([0.1, 0.3, 0.6]).ravel()
        (1.7, array([ 10.,   0., -10.]))
    """
    what = "jerk_limited"
    model = model_of(what, robot)
    coordinates = PieceCoordinates(model)
    if not coordinates.trivial:
        name = next(body.joint_name for body in model.bodies if body.joint.nv > 1)
        raise InputError(f"{what}: joint '{name}' has several axes; jerks can be limited only for joints with one")
    q = way(what, robot, waypoints, wrap)
    given = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk}
    limits = [required_limits(what, model, name, x) for name, x in given.items()]
    limits[0] = rate_limits(what, robot, model, "velocity", velocity).alone(limits[0])
    pieces = [_piece(start, end, limits, synchronised) for start, end in pairwise(q) if (start != end).any()]
    motion = joined(what, coordinates, pieces, [np.zeros((len(breaks) - 1, 0, 4)) for breaks, _ in pieces])
    return within_joints(what, robot, motion)


def _piece(start: Array, end: Array, limits: list[Array], synchronised: bool) -> tuple[Array, Array]:
    """Breaks and coefficients of the motion between two waypoints."""
    with extra("jerk limits need Ruckig", "control"):
        import ruckig
    n = len(start)
    given, found = ruckig.InputParameter(n), ruckig.Trajectory(n)
    given.current_position, given.target_position = start.tolist(), end.tolist()
    given.max_velocity, given.max_acceleration, given.max_jerk = (x.tolist() for x in limits)
    given.synchronization = ruckig.Synchronization.Time if synchronised else ruckig.Synchronization.No
    result = None
    with contextlib.suppress(Exception):  # Ruckig may raise errors or return unknown codes
        result = ruckig.Ruckig(n).calculate(given, found)
    if result not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise TrajectoryError(
            f"jerk_limited: Ruckig found no motion from {start.tolist()} to {end.tolist()}; check the limits' units"
        )
    return merged([_law(profile) for profile in found.profiles[0]], found.duration)


def _law(profile: Any) -> tuple[Array, Array]:
    """A joint's phases of constant jerk, at most seven, without those of zero length."""
    t = np.array(profile.t)
    c = np.column_stack([profile.p[:7], profile.v[:7], np.array(profile.a[:7]) / 2, np.array(profile.j) / 6])
    long = t > 1e-12 * max(t.sum(), 1e-300)
    if not long.any():
        return np.array([0.0, 1e-9]), np.array([[profile.p[0], 0.0, 0.0, 0.0]])
    return np.concatenate([[0.0], np.cumsum(t[long])]), c[long]
