"""Minimum-time motions under limits of velocity, acceleration and jerk, by Ruckig: Berscheid & Kröger 2021.

https://github.com/pantor/ruckig
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array
from revolute.errors import InputError, TrajectoryError, extra
from revolute.trajectory.check import within_joints
from revolute.trajectory.coordinates import PieceCoordinates
from revolute.trajectory.limits import LimitedMachine, LimitsLike, model_of, rate_limits, required_limits, way
from revolute.trajectory.polynomials import Polynomials, merged
from revolute.trajectory.trapezoid import joined

__all__ = ["jerk_limited"]


def jerk_limited(
    robot: LimitedMachine, waypoints: ArrayLike, *, velocity: LimitsLike = None, acceleration: LimitsLike,
    jerk: LimitsLike,
    synchronised: bool = True, wrap: bool = False,
) -> Polynomials:
    """The fastest motion with limited jerk from waypoint to waypoint, at rest at each. Needs Ruckig. C2.

    Coordinates that share a joint are slowed down so that all of them may reach their maximum speeds at once.

    Args:
        robot: a `Robot`, or one with drives, whose joints have one axis.
        waypoints: (k, nq) joint positions [rad, m].
        velocity, acceleration: see `trapezoid`.
        jerk: limits, likewise.
        synchronised: whether joints reach each waypoint together; otherwise each in its own minimum time.
        wrap: see `cubic`.

    Raises:
        InputError: a joint has no limit, or several axes; a limit is not positive.
        ShapeError, TrajectoryError: a waypoint does not fit, or is outside the robot's limits; Ruckig finds no motion;
            a joint that follows several coordinates exceeds a limit between waypoints.
        MissingExtraError: Ruckig is not installed.

    Example:
        >>> import revolute
        >>> from revolute.trajectory import jerk_limited
        >>> arm = revolute.robots.planar(1)
        >>> motion = jerk_limited(
        ...     arm, [[0.0], [1.0]], velocity=1.0, acceleration=2.0, jerk=10.0
        ... )
        >>> round(motion.duration, 9), motion.jerk([0.1, 0.3, 0.6]).ravel()
        (1.7, array([ 10.,   0., -10.]))
    """
    what = "jerk_limited"
    model = model_of(what, robot)
    coordinates = PieceCoordinates(model)
    if not coordinates.trivial:
        name = next(body.joint_name for body in model.bodies if body.joint.nv > 1)
        raise InputError(f"{what}: joint '{name}' has several axes; jerks are limited of joints with one")
    q = way(what, robot, waypoints, wrap)
    given = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk}
    limits = [required_limits(what, model, name, x) for name, x in given.items()]
    limits[0] = rate_limits(what, robot, model, "velocity", velocity).alone(limits[0])
    pieces = [_piece(start, end, limits, synchronised) for start, end in pairwise(q) if (start != end).any()]
    motion = joined(what, coordinates, pieces, [np.zeros((len(breaks) - 1, 0, 4)) for breaks, _ in pieces])
    return within_joints(what, robot, motion)


def _piece(start: Array, end: Array, limits: list[Array], synchronised: bool) -> tuple[Array, Array]:
    """Breaks and coefficients of the motion between two waypoints."""
    with extra("limits of jerk need Ruckig", "control"):
        import ruckig
    n = len(start)
    given, found = ruckig.InputParameter(n), ruckig.Trajectory(n)
    given.current_position, given.target_position = start.tolist(), end.tolist()
    given.max_velocity, given.max_acceleration, given.max_jerk = (x.tolist() for x in limits)
    given.synchronization = ruckig.Synchronization.Time if synchronised else ruckig.Synchronization.No
    try:
        result = ruckig.Ruckig(n).calculate(given, found)
        found_one = result in (ruckig.Result.Working, ruckig.Result.Finished)
    except Exception:  # Ruckig's own, or a result that its Python does not know
        found_one = False
    if not found_one:
        raise TrajectoryError(
            f"jerk_limited: Ruckig finds no motion from {start.tolist()} to {end.tolist()}; check the limits' units"
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
