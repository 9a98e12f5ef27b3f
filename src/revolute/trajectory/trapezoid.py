"""The fastest motions with limited velocity and acceleration from waypoint to waypoint. Lynch & Park 2017, 9.2.2.2.

A coordinate accelerates from v0 to a peak velocity vp, keeps vp, and accelerates to v1, with the acceleration a. If vp
is at least v0 and v1, and is not kept for any time, the displacement d determines vp:

    2 vp^2 = 2 a d + v0^2 + v1^2

If d is shorter than the distance needed to change from v0 to v1, the same equation holds for -d, -v0 and -v1: the
coordinate is too fast to stop in time, overshoots and returns. For a common duration T, d increases with vp, piecewise:

    vp below, between and above v0 and v1:  +- vp^2 + ..., linear, and vp (a T + v0 + v1) - vp^2 = a d + (v0^2 + v1^2)/2
"""

import math
from collections.abc import Iterable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, instance
from revolute.errors import InputError, TrajectoryError
from revolute.model.model import Model
from revolute.trajectory.check import within_joints
from revolute.trajectory.coordinates import PieceCoordinates
from revolute.trajectory.limits import ROUNDING, LimitedMachine, LimitsLike, model_of, rate_limits, required_limits, way
from revolute.trajectory.moving_ends import RatesLike, end_rates, one_axis
from revolute.trajectory.polynomials import Polynomials, side_by_side

EQUAL, PAUSE = 1e-12, 1e-15
"""Relative differences due to rounding: of times and distances; of squares of velocities."""


def trapezoid(
    robot: LimitedMachine, waypoints: ArrayLike, *, velocity: LimitsLike = None, acceleration: LimitsLike,
    start_velocity: RatesLike = None, end_velocity: RatesLike = None, synchronised: bool = True, wrap: bool = False,
) -> Polynomials:
    """The fastest motion with piecewise constant acceleration, at rest at intermediate waypoints.

    Synchronised joints move along a straight line in joint space, if the motion starts and ends along it or at rest.
    Otherwise they reach the waypoint together, but on a curve. A joint that is too fast to stop at a waypoint
    overshoots and returns. Joints that are not synchronised move in their own minimum time, and wait at the next
    waypoint. The motion is C1: accelerations jump.

    Speeds of joints that follow several coordinates are also limited; coordinates that are not synchronised are slowed
    down so that all may reach their maximum speeds at once.

    The coordinates of a free or planar joint move together. Limits of linear velocity apply to the joint's speed. Its
    acceleration in the rotating frame can exceed the limits, so `check` the result.

    Args:
        robot: a `Robot`, or one with drives.
        waypoints: (k, nq) joint positions [rad, m].
        velocity: limits: one number, (nv,), or {joint: number}; by default those of the robot's description.
        acceleration: limits, in the same forms as `velocity`.
        start_velocity, end_velocity: (nv,) velocities at the first and the last waypoint, or {joint: number}; by
            default at rest. Joints must have one axis.
        synchronised: whether joints reach each waypoint together; otherwise each in its own minimum time.
        wrap: see `cubic`.

    Raises:
        InputError: a joint has no limit, or starts or ends above its limit; a limit is not positive; joints that
            are not synchronised move at the end.
        ShapeError, TrajectoryError: a waypoint does not fit, or is outside the robot's limits; a joint cannot stop
            within its limits; a joint that follows several unsynchronised coordinates exceeds a limit between
            waypoints.

    Example:
        >>> from revolute.trajectory import trapezoid
        >>> arm = revolute.robots.planar(2)
        >>> motion = trapezoid(arm, [[0.0, 0.0], [2.0, 1.0]], velocity=1.0, acceleration=1.0)
        >>> motion.duration, motion.qd([0.5, 1.5]), motion.breaks
        (3.0, array([[0.5 , 0.25],
               [1.  , 0.5 ]]), array([0., 1., 2., 3.]))
        >>> fast = trapezoid(
        ...     arm, [[0, 0], [0.5, 0]], velocity=2, acceleration=1, start_velocity=[2, 0]
        ... )
        >>> fast.q(2.0)  # 2 s and 2 m to stop
        array([2., 0.])
    """
    what = "trapezoid"
    model = model_of(what, robot)
    q = way(what, robot, waypoints, wrap)
    speeds = required_limits(what, model, "velocity", velocity)
    joints = rate_limits(what, robot, model, "velocity", velocity)
    given = {"start_velocity": start_velocity, "end_velocity": end_velocity}
    if start_velocity is not None or end_velocity is not None:
        one_axis(what, model, "start and end velocities are")
    rates = np.array(end_rates(what, model, given, [speeds.tolist()] * 2))
    require_common_end(what, synchronised, rates[1])
    if not synchronised or rates.any():
        speeds = np.maximum(joints.alone(speeds), np.abs(rates).max(axis=0))
    ramps = required_limits(what, model, "acceleration", acceleration)
    coordinates = PieceCoordinates(model)
    ends, base = coordinates.linked(q)
    pieces, bases = [], []
    for k, ((start, end), s) in enumerate(zip(ends, base, strict=True)):
        v, turn = rates * [[k == 0], [k == len(ends) - 1]], end - start
        shares = _shares(model, turn, speeds, ramps)
        if np.isinf(shares[1]).all() and not v.any():
            continue  # the waypoint equals the previous one
        if synchronised:
            most = min(shares[0].min(), joints.share(turn)), shares[1].min()
            shares = [np.where(np.isinf(x), x, y) for x, y in zip(shares, most, strict=True)]
        piece = _piece(start, _Law(turn, v[0], v[1], speeds, ramps), shares, synchronised)
        if piece[0][-1] == 0:
            continue  # the same, and it ends with the velocity with which it starts
        pieces.append(piece)
        bases.append(np.repeat(s[None], len(pieces[-1][0]) - 1, axis=0))
    return within_joints(what, robot, joined(what, coordinates, pieces, bases), bool(rates.any()))


def require_common_end(what: str, synchronised: bool, rates: Iterable[float]) -> None:
    """Raise `InputError` if unsynchronised joints move at the end, because they reach it at different times."""
    if not instance(f"{what}: synchronised", synchronised, bool) and any(rates):
        raise InputError(f"{what}: moving ends require synchronised joints, which reach the last waypoint together")


def joined(
    what: str, coordinates: PieceCoordinates, pieces: list[tuple[Array, Array]], bases: list[Array]
) -> Polynomials:
    """Concatenate motions, each with (m + 1,) breaks from 0, (m, degree + 1, nv) coefficients, and base quaternions."""
    if not pieces:
        raise TrajectoryError(f"{what}: all waypoints are equal: nothing moves")
    starts = np.cumsum([0.0, *(breaks[-1] for breaks, _ in pieces)])
    breaks = np.concatenate([[0.0], *(at + own[1:] for at, (own, _) in zip(starts[:-1], pieces, strict=True))])
    return Polynomials(coordinates, breaks, np.concatenate([c for _, c in pieces]), np.concatenate(bases))


class _Law(NamedTuple):
    """Displacements, velocities at both ends, and limits of velocity and acceleration of n coordinates: (n,) each."""

    d: Array
    v0: Array
    v1: Array
    speed: Array
    ramp: Array


def _piece(start: Array, law: _Law, shares: list[Array], synchronised: bool) -> tuple[Array, Array]:
    """Breaks and coefficients of the motion between two waypoints; `shares` are limits of the rates of the displacement
    fractions, from velocity and acceleration limits.
    """
    turn, v = law.d, np.stack([law.v0, law.v1])
    rates = v @ turn / max(turn @ turn, 1e-300)
    straight = (np.abs(v - rates[:, None] * turn) <= ROUNDING * np.abs(v).max()).all()
    moved, scale = np.ones(len(turn), bool), np.ones(len(turn))
    if straight and (synchronised or not v.any()):
        moved, scale = np.isfinite(shares[1]), turn
        one = np.ones(moved.sum())
        law = _Law(one, rates[0] * one, rates[1] * one, shares[0][moved], shares[1][moved])
    T = _times(law, synchronised)
    times, c = _phases(law, T, _peak(law, T))
    breaks, c = side_by_side(times, c * scale[moved, None, None])
    whole = np.zeros((len(c), 3, len(turn)))
    whole[:, :, moved] = c
    whole[:, 0] += start
    return breaks, whole


def _shares(model: Model, turn: Array, *limits: Array) -> list[Array]:
    """For each of `limits`, the (nv,) largest rates of the displacements' fractions; infinite where a joint rests."""
    joints = [(body.joint, to) for body, to in zip(model.bodies[1:], model.v_index[1:], strict=True)]
    return [np.concatenate([np.full(joint.nv, _share(joint, turn[to], x[to])) for joint, to in joints]) for x in limits]


def _share(joint: Any, turn: Array, limits: Array) -> float:
    """The largest rate of a joint's fraction of its displacement; infinite if it does not move."""
    # Coordinates of a joint are lengths, then angles; velocities are angular, then linear.
    lengths = sum(joint.linear)
    moved, largest = np.abs(turn[lengths:]), limits[: len(turn) - lengths]
    shares = [x / d for x, d in zip(largest, moved, strict=True) if d > 0]
    distance = float(np.linalg.norm(turn[:lengths]))
    if distance > 0:
        shares.append(float(limits[len(turn) - lengths :].min()) / distance)
    return min(shares, default=math.inf)


# --- one coordinate --------------------------------------------------------------------------


def _durations(law: _Law) -> Array:
    """(4, n) durations of motions without a pause, infinite where no such motion exists."""
    # The displacement can be reached upwards and downwards, and for each by both roots of the peak velocity.
    found = []
    for s, sign in product((1.0, -1.0), repeat=2):
        d, v0, v1 = s * law.d, s * law.v0, s * law.v1
        square = law.ramp * d + (v0 * v0 + v1 * v1) / 2
        root = sign * np.sqrt(np.maximum(square, 0.0))
        possible = (square >= 0) & (root >= np.maximum(v0, v1) - EQUAL * np.maximum(law.speed, np.abs(root)))
        cruise = np.maximum(square - law.speed**2, 0.0) / law.speed
        T = (2 * np.minimum(root, law.speed) - v0 - v1 + cruise) / law.ramp
        found.append(np.where(possible, np.maximum(T, 0.0), math.inf))
    return np.array(found)


def _times(law: _Law, together: bool) -> Array:
    """(n,) minimum durations, or the minimum common duration."""
    # Some durations beyond the least of a coordinate are too short to slow down more, so they are tried in order.
    durations = _durations(law)
    T = np.sort(durations[np.isfinite(durations)])[:, None]
    missed, steps = np.abs(_way(law, T, _peak(law, T)) - law.d), np.abs(law.v1 - law.v0)
    rounded = EQUAL * (np.abs(law.d) + law.speed * T) + PAUSE * (law.v0**2 + law.v1**2) / law.ramp
    reached = (missed <= rounded) & (law.ramp * T * (1 + EQUAL) >= steps)
    if together:
        reached &= reached.all(axis=1, keepdims=True)
    if not reached.any(axis=0).all():
        raise TrajectoryError("trapezoid: no duration can be computed: numbers are too large; check units")
    return np.asarray(T[reached.argmax(axis=0), 0])


def _way(law: _Law, T: Array, peak: Array) -> Array:
    """(n,) displacements in the durations T with these peak velocities."""
    first, last = (np.abs(peak - x) / law.ramp for x in (law.v0, law.v1))
    way: Array = (law.v0 + peak) / 2 * first + peak * (T - first - last) + (peak + law.v1) / 2 * last
    return way


def _peak(law: _Law, T: Array) -> Array:
    """(n,) peak velocities with which the coordinates reach their displacements in the time T."""
    low, high = np.minimum(law.v0, law.v1), np.maximum(law.v0, law.v1)
    steady = np.maximum(T - (high - low) / law.ramp, 0.0)
    between = (law.d - (high**2 - low**2) / (2 * law.ramp)) / np.where(steady > 0, steady, 1.0)
    peak = np.clip(np.where(steady > 0, between, low), low, high)
    for s, beyond in ((1.0, law.d > _way(law, T, high)), (-1.0, law.d < _way(law, T, low))):
        b = law.ramp * T + s * (law.v0 + law.v1)
        c = law.v0**2 + law.v1**2 + 2 * s * law.ramp * law.d
        square = b * b - 2 * c
        root = np.sqrt(np.where(square > PAUSE * b * b, square, 0.0))
        peak = np.where(beyond, s * np.where(root > 0, c / np.where(root > 0, b + root, 1.0), b / 2), peak)
    return np.asarray(np.clip(peak, -law.speed, law.speed))


def _phases(law: _Law, T: Array, peak: Array) -> tuple[Array, Array]:
    """(n, 3) durations and (n, 3, 3) coefficients of three phases: acceleration, constant velocity, acceleration."""
    first, last = (np.abs(peak - x) / law.ramp for x in (law.v0, law.v1))
    steady = np.maximum(T - first - last, 0.0)
    slopes = [np.sign(x) * law.ramp for x in (peak - law.v0, law.v1 - peak)]
    none, reached = np.zeros_like(peak), (law.v0 + peak) / 2 * first
    before = law.d - (peak + law.v1) / 2 * last
    c = [(none, law.v0, slopes[0] / 2), (reached, peak, none), (before, peak, slopes[1] / 2)]
    return np.stack([first, steady, last], axis=1), np.moveaxis(np.array(c), -1, 0)
