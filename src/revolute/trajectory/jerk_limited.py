"""The fastest motions with limited jerk from waypoint to waypoint, by Ruckig. Berscheid & Kröger 2021.

https://github.com/pantor/ruckig. Ruckig accepts some start states from which a limit cannot be kept. With the jerk j,
the velocity changes by a |a| / (2 j) until the acceleration a is zero, so |v + a |a| / (2 j)| must be within its limit
at the start, and |v - a |a| / (2 j)| at the end.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array
from revolute.errors import InputError, TrajectoryError, extra
from revolute.model.columns import limit_column
from revolute.trajectory.check import within_joints
from revolute.trajectory.coordinates import PieceCoordinates
from revolute.trajectory.limits import (
    ROUNDING,
    SLACK,
    LimitedMachine,
    LimitsLike,
    coupled_of,
    model_of,
    rate_limits,
    required_limits,
    way,
)
from revolute.trajectory.moving_ends import RatesLike, end_rates, one_axis
from revolute.trajectory.polynomials import Polynomials, side_by_side
from revolute.trajectory.trapezoid import joined, require_common_end

WHAT = "jerk_limited"
MOST = 16  # maximum number of cached limits
WIDER = 1 + 1e-12  # factor of limits in a second attempt


def jerk_limited(
    robot: LimitedMachine, waypoints: ArrayLike, *, velocity: LimitsLike = None, acceleration: LimitsLike,
    jerk: LimitsLike, start_velocity: RatesLike = None, end_velocity: RatesLike = None,
    start_acceleration: RatesLike = None, end_acceleration: RatesLike = None, synchronised: bool = True,
    wrap: bool = False,
) -> JerkLimited:
    """The fastest motion with limited jerk, at rest at intermediate waypoints. Needs Ruckig. C2.

    Coordinates that move a common joint are slowed down so that all of them may reach their maximum speeds at once. In
    a loop that replans from the current state, pass the same robot and equal limits, so that they are checked only
    once.

    Args:
        robot: a `Robot`, or one with drives, whose joints have one axis.
        waypoints: (k, nq) joint positions [rad, m].
        velocity, acceleration: see `trapezoid`.
        jerk: limits, in the same forms as `velocity`.
        start_velocity, end_velocity: see `trapezoid`.
        start_acceleration, end_acceleration: (nv,), or {joint: number}; by default zero.
        synchronised: whether joints reach each waypoint together; otherwise each in its own minimum time.
        wrap: see `cubic`.

    Raises:
        InputError: a joint has no limit, or several axes; a limit is not positive; a start or an end exceeds a limit,
            or its acceleration leads to a velocity that does; joints that are not synchronised move at the end.
        ShapeError, TrajectoryError: a waypoint does not fit, or is outside the robot's limits; a joint cannot stop
            within its limits; Ruckig finds no motion; a joint that follows several coordinates exceeds a limit between
            waypoints.
        MissingExtraError: Ruckig is not installed.

    Example:
        >>> from revolute.trajectory import jerk_limited
        >>> arm, limits = revolute.robots.planar(1), {"velocity": 1.0, "acceleration": 2.0}
        >>> motion = jerk_limited(arm, [[0.0], [1.0]], **limits, jerk=10.0)
        >>> round(motion.duration, 9), motion.jerk([0.1, 0.3, 0.6]).ravel()
        (1.7, array([ 10.,   0., -10.]))
        >>> q, qd, qdd = motion(0.6)  # at this state, go elsewhere
        >>> turned = jerk_limited(
        ...     arm,
        ...     [q, [0.0]],
        ...     **limits,
        ...     jerk=10.0,
        ...     start_velocity=qd,
        ...     start_acceleration=qdd,
        ... )
        >>> turned.qd(0.0), round(turned.duration, 3) > 0.6
        (array([0.95]), True)
    """
    planner = _planner(robot, {"velocity": velocity, "acceleration": acceleration, "jerk": jerk})
    q = planner.waypoints(waypoints, wrap)
    given = {
        "start_velocity": start_velocity, "end_velocity": end_velocity,
        "start_acceleration": start_acceleration, "end_acceleration": end_acceleration,
    }  # fmt: skip
    rates = planner.rates(given)
    require_common_end(WHAT, synchronised, rates[1] + rates[3])
    rest, last, found = [0.0] * len(q[0]), len(q) - 2, []
    for k, (start, end) in enumerate(pairwise(q)):
        own = [x if k == at else rest for x, at in zip(rates, (0, last, 0, last), strict=True)]
        if start != end or any(map(any, own)):
            found.append(planner.motion(start, end, own, synchronised))
    motion = JerkLimited(planner.coordinates, found)
    if any(map(any, rates)) and not planner.keep_positions(found):
        within_joints(WHAT, robot, motion, moving=True)
    return within_joints(WHAT, robot, motion)


class JerkLimited(Polynomials):
    """Motions by Ruckig, whose polynomials are computed when they are first needed.

    A motion between two waypoints is evaluated at a single time without the polynomials, which is fast in a loop that
    replans.
    """

    def __init__(self, coordinates: PieceCoordinates, found: Sequence[Any]) -> None:
        if not found:
            raise TrajectoryError(f"{WHAT}: all waypoints are equal: nothing moves")
        self.coordinates, self.model, self._found = coordinates, coordinates.model, found
        self.duration = float(sum(x.duration for x in found))

    def _one(self, t: float, order: int) -> Array:
        return np.array(self._found[0].at_time(t)[order]) if len(self._found) == 1 else super()._one(t, order)

    def __getattr__(self, name: str) -> Any:
        """Compute all arrays of `Polynomials` when one of them is first needed."""
        if name not in ("breaks", "coefficients", "base", "_starts", "_derivatives"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        pieces = [_phases(x) for x in self._found]
        vars(self).update(vars(joined(WHAT, self.coordinates, pieces, [np.zeros((len(c), 0, 4)) for _, c in pieces])))
        return vars(self)[name]

    def __reduce__(self) -> Any:
        return Polynomials, (self.coordinates, self.breaks, self.coefficients, self.base)


def _phases(found: Any) -> tuple[Array, Array]:
    """Breaks and coefficients of a motion by Ruckig, in which each joint has two braking phases, then seven phases."""
    rows = [[(*p.brake.t, *p.t), (*p.brake.p, *p.p[:7]), (*p.brake.v, *p.v[:7]), (*p.brake.a, *p.a[:7]),
             (*p.brake.j, *p.j)] for p in found.profiles[0]]  # fmt: skip
    times, *derivatives = np.moveaxis(np.array(rows), 1, 0)
    breaks, coefficients = side_by_side(times, np.stack(derivatives, axis=-1) / (1, 1, 2, 6))
    breaks[-1] = found.duration
    return breaks, coefficients


class _Planner:
    """A robot's limits, checked once: (3, nv) limits of velocity, acceleration and jerk; position limits with slack.

    They are lists: in a loop that replans, lists of seven numbers are faster than arrays.
    """

    def __init__(self, robot: LimitedMachine, given: Mapping[str, LimitsLike]) -> None:
        self.robot, self.model = robot, model_of(WHAT, robot)
        one_axis(WHAT, self.model, "jerks can be limited only")
        self.coordinates = PieceCoordinates(self.model)
        limits = [required_limits(WHAT, self.model, name, x) for name, x in given.items()]
        limits[0] = rate_limits(WHAT, robot, self.model, "velocity", given["velocity"]).alone(limits[0])
        self.limits: list[list[float]] = [x.tolist() for x in limits]
        sides = (("lower", -1.0), ("upper", 1.0))
        positions = [limit_column(self.model, name, "nq", s * math.inf) + s * SLACK for name, s in sides]
        self.lower, self.upper = (x.tolist() for x in positions)
        with extra("jerk limits need Ruckig", "control"):
            import ruckig
        self.ruckig: Any = ruckig

    def waypoints(self, given: Any, wrap: bool) -> Any:
        """(k, nq) checked waypoints as lists."""
        if wrap is False and type(given) is list and len(given) > 1 and coupled_of(self.robot) is None:
            plain = all([type(x) is np.ndarray and x.dtype == float and x.shape == (len(self.lower),) for x in given])
            rows = [x.tolist() for x in given] if plain else []
            if rows and all([a <= y <= b for row in rows for a, y, b in zip(self.lower, row, self.upper, strict=True)]):
                return rows  # as in a loop; all else takes the longer way
        return way(WHAT, self.robot, given, wrap).tolist()

    def rates(self, given: Mapping[str, RatesLike]) -> list[list[float]]:
        """(4, nv) start and end velocities, then start and end accelerations; `InputError` if one is too large."""
        V, A, J = self.limits
        rates = end_rates(WHAT, self.model, given, (V, V, A, A))
        for sign, side, (v, a) in ((1.0, "start", rates[::2]), (-1.0, "end", rates[1::2])):
            for k, ak in enumerate(a):
                if ak and abs(peak := v[k] + sign * ak * abs(ak) / (2 * J[k])) > V[k] * (1 + ROUNDING):
                    raise InputError(
                        f"{WHAT}: {side}_acceleration of '{self.model.coordinate_names[k]}', {ak:.6g}, with a jerk of "
                        f"{J[k]:.6g} leads to a velocity of {peak:.6g}; its limit is {V[k]:.6g}"
                    )
        return rates

    def motion(self, start: list[float], end: list[float], rates: list[list[float]], synchronised: bool) -> Any:
        """Ruckig's motion between two waypoints."""
        ruckig, n = self.ruckig, len(start)
        given, found = ruckig.InputParameter(n), ruckig.Trajectory(n)
        given.current_position, given.target_position = start, end
        given.max_velocity, given.max_acceleration, given.max_jerk = self.limits
        given.current_velocity, given.target_velocity, given.current_acceleration, given.target_acceleration = rates
        given.synchronization = ruckig.Synchronization.Time if synchronised else ruckig.Synchronization.No
        for _ in range(2):
            with contextlib.suppress(Exception):  # Ruckig may raise errors or return unknown codes
                result = ruckig.Ruckig(n).calculate(given, found)  # a cached one would be reported as leaked at exit
                if result in (ruckig.Result.Working, ruckig.Result.Finished):
                    return found
            # from a state of its own motion it may fail by rounding
            given.max_velocity, given.max_acceleration, given.max_jerk = ([x * WIDER for x in y] for y in self.limits)
        raise TrajectoryError(f"{WHAT}: Ruckig found no motion from {start} to {end}; check the limits' units")

    def keep_positions(self, found: Sequence[Any]) -> bool:
        """Whether motions by Ruckig keep the position limits."""
        ends = found if len(found) == 1 else (found[0], found[-1])
        each = [zip(self.lower, x.position_extrema, self.upper, strict=True) for x in ends]
        return all([low <= x.min and x.max <= high for rows in each for low, x, high in rows])


_CACHED: dict[Any, _Planner] = {}


def _planner(robot: LimitedMachine, given: Mapping[str, LimitsLike]) -> _Planner:
    """The planner for a robot and its checked limits; recent planners are cached."""
    key = (id(robot), *map(_key, given.values()))  # a cached robot is kept, so that its id remains its own
    kept = _CACHED.get(key)
    if kept is None:
        kept = _Planner(robot, given)
        if len(_CACHED) >= MOST:
            _CACHED.clear()
        _CACHED[key] = kept
    return kept


def _key(x: Any) -> Any:
    """A cache key of limits: values and types, because True == 1. Keys of anything but plain numbers never match."""
    if x is None or type(x) is float:
        return x
    if type(x) is np.ndarray and x.dtype != object:
        return x.shape, x.dtype.str, x.tobytes()
    values = x if isinstance(x, Mapping) else dict(enumerate(x)) if type(x) in (list, tuple) else {"": x}
    plain = all(type(y) in (float, int) for y in values.values())
    return tuple((name, type(y), y) for name, y in values.items()) if plain else object()
