"""Minimum time along a path under limits of velocity, acceleration and joint forces, by toppra. Pham & Pham 2018.

https://github.com/hungpham2511/toppra. With the path's parameter s, x = sd^2 and u = sdd, the joint forces are

    a u + b x + c + d sqrt(x)
    a = M p',    b = M p'' + h(p, p'),    d = D p'

with Coriolis and centrifugal forces h, viscous friction D, and gravity, springs and Coulomb friction in c. toppra
requires forces that are linear in u and x. So viscous friction d sqrt(x) is replaced by its tangent at the previous x;
this is repeated until x converges.
"""

from __future__ import annotations

import warnings
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

from revolute.arguments import Array, instance, whole_number
from revolute.errors import InputError, TrajectoryError, extra
from revolute.trajectory.check import same_joints
from revolute.trajectory.law import Retimed, TimeLaw
from revolute.trajectory.limits import ROUNDING, LimitedMachine, LimitsLike, RateLimits, rate_limits
from revolute.trajectory.moving_ends import RatesLike, end_rates
from revolute.trajectory.scaling import forces_by_speed, has_friction, largest_static, uniform_scaling
from revolute.trajectory.trajectory import Trajectory

NEAR_REST = 1e-10
"""Smallest x for a tangent of sqrt(x), as a fraction of the largest x; for smaller x, the tangent is too steep."""
ROUNDS = 20  # maximum number of iterations for viscous friction; five usually suffice
LARGE = 1e12  # upper bound of sd^2 if there is no velocity limit
SIDE = 1e-9  # distance from a point to both samples of Coulomb friction around it, as a fraction of the path
MARGIN = 1e-6  # fraction by which limits are made tighter than their excess requires, so that few rounds are needed
FINER = 10  # number of samples of the final check per interval of the grid


class TimeOptimal(Retimed):
    """A path traversed in minimum time. Between grid points, sdd is constant.

    Attributes:
        grid: number of intervals of the path's parameter.
        planned: duration of toppra's solution, which keeps the limits at the grid points [s].
        factor: speed factor, at most 1, with which the motion also keeps the limits between the points.
    """

    def __init__(self, path: Trajectory, law: TimeLaw, grid: int, planned: float, factor: float) -> None:
        super().__init__(path, law)
        self.grid, self.planned, self.factor = grid, planned, factor

    def __repr__(self) -> str:
        slower = f", slowed down to {self.factor:.7g} of its speed for limits between them" if self.factor < 1 else ""
        return f"<TimeOptimal of '{self.model.name}': {self.duration:.6g} s, {self.grid} intervals{slower}>"


def time_optimal(
    path: Trajectory, robot: LimitedMachine, *, velocity: LimitsLike = None, acceleration: LimitsLike = None,
    torque: LimitsLike = None, start_velocity: RatesLike = None, end_velocity: RatesLike = None, grid: int = 500,
) -> TimeOptimal:
    """The fastest motion along a path under limits, by default from rest to rest. Needs toppra.

    The path must be a trajectory that does not stop before its end, such as a `spline`; its times and speeds are not
    used. toppra's solution keeps limits at the grid points. The motion is then sampled ten times more finely. If it
    exceeds a limit, `uniform_scaling` slows it down. A motion with moving ends must keep their velocities, so it is
    planned again within tighter limits.

    Args:
        path: the path, with continuous velocities and accelerations.
        robot: a `Robot`, or one `with_drives()` for friction.
        velocity, acceleration, torque: see `Trajectory.check`.
        start_velocity, end_velocity: (nv,) velocities at the ends of the path, or {joint: number}; by default at rest.
            Each must be a positive multiple of the path's velocity at this end.
        grid: number of intervals; more intervals are closer to the optimum.

    Raises:
        TrajectoryError: the path stops or bends sharply, or no motion along it is within the limits; the message says
            how fast the motion may start.
        InputError: the robot has smoothed friction or Stribeck friction; a velocity is not along the path; an argument
            does not fit; there are no limits.
        MissingExtraError: toppra is not installed.

    Example:
        >>> from revolute.trajectory import spline, time_optimal
        >>> arm = revolute.robots.ur5()
        >>> path = spline(
        ...     arm,
        ...     [[0, -1, 1, 0, 0, 0], [0.5, -0.5, 0.5, 1, 0, 0], [1, -1, 1, 0, 0, 0]],
        ...     1.0,
        ... )
        >>> fast = time_optimal(path, arm)
        >>> round(fast.planned, 3), fast.factor > 0.99, bool(fast.check(arm))
        (0.702, True, True)
        >>> moving = time_optimal(path, arm, start_velocity=0.5 * path.qd(0.0))
        >>> moving.planned < fast.planned, bool(moving.check(arm))
        (True, True)
    """
    what = "time_optimal"
    instance(f"{what}: path", path, Trajectory)
    model = same_joints(what, path, robot)
    given = {"velocity": velocity, "acceleration": acceleration, "torque": torque}
    limits = {name: rate_limits(what, robot, model, name, x) for name, x in given.items()}
    if not any(np.isfinite(x.limits).any() for x in limits.values()):
        raise InputError(f"{what}: '{model.name}' has no limits of velocity or torque; give limits: velocity=...")
    s = _grid(path, whole_number(f"{what}: grid", grid, 10))
    if has_friction(robot):
        s = np.unique(np.concatenate([s, _turns(path, s), _near_rest(s)]))
    rates = {"start_velocity": start_velocity, "end_velocity": end_velocity}
    speeds = [limits["velocity"].limits[: model.nv].tolist()] * 2
    ends = [_path_speed(path, *x) for x in zip(rates, end_rates(what, model, rates, speeds), strict=True)]
    law = _law(path, robot, limits, s, ends)
    if any(ends):
        return _within_tighter(path, robot, limits, law, s, ends)
    planned, factor = Retimed(path, law), 1.0
    scaling = uniform_scaling(planned, robot, **given, samples=FINER * (len(s) - 1))
    if scaling.factor < 1:
        factor = scaling.factor
        powers = factor ** np.arange(law.coefficients.shape[1])
        law = TimeLaw(law.breaks / factor, law.coefficients * powers)
    return TimeOptimal(path, law, len(s) - 1, planned.duration, factor)


def _path_speed(path: Trajectory, name: str, rates: list[float]) -> float:
    """The rate of the path's parameter at an end, from joint velocities; `InputError` unless they follow the path."""
    v, along = np.array(rates), path.qd(0.0 if name == "start_velocity" else path.duration)
    speed = float(v @ along) / float(along @ along)
    apart = np.abs(v - speed * along)
    if speed < 0 or apart.max() > ROUNDING * np.abs(v).max():
        k = int(apart.argmax() if speed >= 0 else np.abs(v).argmax())
        joint = f"'{path.model.coordinate_names[k]}' is {v[k]:.6g}, and the path's is {along[k]:.6g}"
        raise InputError(f"time_optimal: {name} must be a positive multiple of the path's velocity; that of {joint}")
    return speed


def _within_tighter(
    path: Trajectory, robot: LimitedMachine, limits: dict[str, RateLimits], law: TimeLaw, s: Array, ends: list[float]
) -> TimeOptimal:
    """The motion, planned again with tighter limits near excesses until limits also hold between points of the grid."""
    planned, tight = law.duration, {name: np.ones((len(s), len(x.limits))) for name, x in limits.items()}
    for _ in range(ROUNDS):
        motion = TimeOptimal(path, law, len(s) - 1, planned, planned / law.duration)
        shares = _shares(motion, robot, limits)
        if max(share.max(initial=0.0) for share in shares.values()) <= 1 + ROUNDING:
            return motion
        for name, share in shares.items():
            beyond = np.pad(np.where(share > 1, share * (1 + MARGIN), 1.0), ((1, 1), (0, 0)), constant_values=1.0)
            tight[name] *= np.maximum(beyond[1:], beyond[:-1])
        tight["velocity"][[0, -1]] = 1.0  # given
        law = _law(path, robot, limits, s, ends, tight)
    raise TrajectoryError("time_optimal: limits are exceeded between the points of the grid; use a finer grid")


def _shares(motion: TimeOptimal, robot: LimitedMachine, limits: dict[str, RateLimits]) -> dict[str, Array]:
    """For each kind, (intervals, limits) largest fractions of limits, by parabolas through three samples each."""
    breaks, inside = motion.breaks, np.linspace(SIDE, 1 - SIDE, 2 * FINER + 1)
    q, qd, qdd = motion(breaks[:-1, None] + np.diff(breaks)[:, None] * inside)
    values = {"velocity": qd, "acceleration": qdd}
    if np.isfinite(limits["torque"].limits).any():
        values["torque"] = robot.inverse_dynamics(q, qd, qdd)
    found = {}
    for name, x in values.items():
        y = np.abs(limits[name].of(x) / limits[name].limits)
        y0, y1, y2 = y[:, :-2], y[:, 1:-1], y[:, 2:]
        bend = 2 * y1 - y0 - y2
        top = (bend > 0) & (np.abs(y2 - y0) <= 2 * bend)  # between the outer samples
        above = np.where(top, (y2 - y0) ** 2 / np.where(top, 8 * bend, 1.0), 0.0)
        found[name] = np.maximum(y.max(axis=1), (y1 + above).max(axis=1))
    return found


def _grid(path: Trajectory, count: int) -> Array:
    """(n,) points of the path's parameter, with its breaks; `TrajectoryError` for stops or jumps of acceleration."""
    points = [0.0]
    for start, end in pairwise(path.breaks):
        n = max(1, round(count * (end - start) / path.duration))
        points += np.linspace(start, end, n + 1)[1:].tolist()
    s = np.array(points)
    _, qs, qss = path(s)
    speed = np.linalg.norm(qs, axis=1)
    slow = np.flatnonzero(speed <= 1e-9 * speed.max())
    if len(slow):
        raise TrajectoryError(
            f"time_optimal: the path stops at its time {s[slow[0]]:.5g} s; use a path without stops, such as a spline"
        )
    before = path(np.nextafter(path.breaks[1:-1], 0))
    jump = np.abs(path.qdd(path.breaks[1:-1]) - before[2]).max(axis=1, initial=0)
    if (jump > 1e-6 * np.abs(qss).max()).any():
        at = path.breaks[1:-1][int(jump.argmax())]
        raise TrajectoryError(
            f"time_optimal: the path's acceleration jumps at its time {at:.5g} s; use a spline, or a quintic that "
            "does not stop"
        )
    return s


def _near_rest(s: Array) -> Array:
    """Additional points near both ends, where viscous friction grows as sqrt(x), and Coulomb friction starts."""
    shares = 0.25 ** np.arange(1, 9)
    return np.concatenate([s[0] + (s[1] - s[0]) * shares, s[-1] - (s[-1] - s[-2]) * shares])


def _turns(path: Trajectory, s: Array) -> Array:
    """Points between those of the grid at which a joint reverses and Coulomb friction jumps, by bisection."""
    sign = np.sign(path.qd(s))
    row, joint = np.nonzero(sign[:-1] * sign[1:] < 0)
    low, high, before = s[row], s[row + 1], sign[row, joint]
    for _ in range(60):
        middle = (low + high) / 2
        same = np.sign(path.qd(middle))[np.arange(len(row)), joint] == before
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return np.asarray(high)


def _law(
    path: Trajectory, robot: LimitedMachine, limits: dict[str, RateLimits], s: Array, ends: list[float],
    tight: dict[str, Array] | None = None,
) -> TimeLaw:
    """The time law with constant sdd between points of the grid; (n, limits) numbers `tight` divide the limits."""
    torque = limits["torque"]

    def forces(*at: Array) -> list[Array]:
        return [torque.of(x) for x in forces_by_speed("time_optimal", robot, *at)]

    q, qs, qss = path(s)
    a = forces(q, 0 * qs, qs)[0]
    b, d, c = forces(q, qs, qss)
    if (np.abs(c) / torque.limits).max() >= 1:
        i, excess = largest_static(torque, c)
        raise TrajectoryError(f"time_optimal: at time {s[i]:.5g} of the path's {path.duration:.5g} s, {excess}")
    # both sides of points at which Coulomb friction jumps; at rest there is none
    near = [path.qd(np.clip(s + side * SIDE * path.duration, s[0], s[-1])) for side in (-1, 1)]
    near[0][0] *= ends[0] > 0
    near[1][-1] *= ends[1] > 0
    before, after = (forces(q, x, qss)[2] for x in near)
    none, most = np.zeros_like(qs), np.concatenate([torque.limits, torque.limits, limits["acceleration"].limits])
    rows = np.array([np.hstack(x) for x in ((a, a, qs), (b, b, qss), (before, after, none), (d, d, none))])
    speeds = limits["velocity"].of(qs)
    if tight is not None:
        rows *= np.hstack([tight["torque"], tight["torque"], tight["acceleration"]])
        speeds = speeds * tight["velocity"]
    used = np.isfinite(most)
    used[: len(torque.limits)] &= not np.array_equal(before, after)
    rows, most = rows[..., used], most[used]
    with np.errstate(divide="ignore"):
        fastest = ((limits["velocity"].limits / np.abs(speeds)) ** 2).min(axis=1)
    given = path, s, ends, np.minimum(fastest, LARGE), most
    x = _squared_speeds(*given, rows[:3])
    for _ in range(ROUNDS if rows[3].any() else 0):
        # the tangent of the root: sqrt(x) = (x + x0)/(2 sqrt(x0))
        x0 = np.maximum(x, NEAR_REST * x.max())[:, None]
        b, c = rows[1:3] + rows[3] / (2 * np.sqrt(x0)) * np.array([np.ones_like(x0), x0])
        last, x = x, _squared_speeds(*given, np.array([rows[0], b, c]))
        if np.abs(x - last).max() <= 1e-9 * x.max():
            break
    sd, ds = np.sqrt(x), np.diff(s)
    breaks = np.concatenate([[0.0], np.cumsum(2 * ds / (sd[1:] + sd[:-1]))])
    return TimeLaw(breaks, np.column_stack([s[:-1], sd[:-1], np.diff(x) / ds / 4]))


def _squared_speeds(path: Trajectory, s: Array, ends: list[float], fastest: Array, most: Array, rows: Array) -> Array:
    """(n,) x at the points s of the grid, at most `fastest`, with -most <= a u + b x + c <= most for rows (a, b, c).

    The bounds hold at both ends of each interval. Raise `TrajectoryError` if no motion between the speeds `ends` keeps
    them.
    """
    with extra("the least time along a path needs toppra", "control"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # compiling toppra's docstrings warns about escapes
        import toppra
    toppra.setup_logging("CRITICAL")
    bounds, linear, sides = toppra.constraint.LinearConstraint(), (None,) * 5, np.vstack([np.eye(len(most))] * 2)
    sides[len(most) :] *= -1
    if len(most):
        interpolated = toppra.constraint.linear_constraint.canlinear_colloc_to_interpolate
        linear = interpolated(*rows, sides, np.tile(most, 2), None, None, s, identical=True)[:5]
    bounds.identical = True
    bounds.compute_constraint_params = lambda *_: (*linear, None, np.column_stack([0 * fastest, fastest]))
    search = toppra.algorithm.TOPPRA([bounds], SimpleNamespace(path_interval=s[[0, -1]]), gridpoints=s)
    search.compute_parameterization(*ends)
    speeds = search.problem_data.sd_vec
    if speeds is None or not np.isfinite(speeds).all() or (speeds[1:] + speeds[:-1] <= 0).any():
        _refuse_ends(search, path, ends)
        raise TrajectoryError(
            "time_optimal: toppra found no motion along this path within the limits; use a finer grid, wider limits, "
            "or a path without sharp bends"
        )
    return np.asarray(speeds, dtype=float) ** 2


def _refuse_ends(search: Any, path: Trajectory, ends: list[float]) -> None:
    """Raise `TrajectoryError` for end velocities that limits do not allow, by toppra's sets of controllable speeds."""
    sets, along = search.compute_controllable_sets(ends[1], ends[1]), path.qd(0.0)
    k = int(np.abs(along).argmax())
    if np.isnan(sets).any() and ends[1]:
        raise TrajectoryError("time_optimal: end_velocity is too fast: no motion within the limits reaches it")
    low, high = np.sqrt(np.maximum(sets[0], 0.0))
    if not low <= ends[0] <= high:
        v = [f"{x * along[k]:.6g}" for x in (ends[0], low, high)]
        raise TrajectoryError(
            f"time_optimal: start_velocity of '{path.model.coordinate_names[k]}' is {v[0]}; by the limits along this "
            f"path and at its end, it must be between {v[1]} and {v[2]}"
        )
