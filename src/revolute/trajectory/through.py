"""Trajectories through waypoints at given times, from arguments or files: cubic, quintic, minimum jerk, splines."""

import math
import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array
from revolute.errors import InputError, TrajectoryError, extra
from revolute.io import trajectory as tables
from revolute.trajectory.coordinates import PieceCoordinates
from revolute.trajectory.limits import LimitedMachine, model_of, way, waypoint_times
from revolute.trajectory.moving_ends import joint_rates
from revolute.trajectory.polynomials import Polynomials, hermite
from revolute.trajectory.turning import turning_rates

ENDS = ("natural", "clamped", "periodic", "not-a-knot")


def cubic(
    robot: LimitedMachine, waypoints: ArrayLike, times: ArrayLike, *, velocities: ArrayLike | None = None,
    wrap: bool = False,
) -> Polynomials:
    """Cubic pieces between consecutive waypoints, with given velocities there; by default at rest. C1.

    Velocities are continuous, also for quaternions; accelerations jump at waypoints.

    Args:
        robot: a `Robot`, or one with drives.
        waypoints: (k, nq) joint positions [rad, m], or solutions of `inverse_kinematics`.
        times: (k,) increasing times [s], or the duration; the trajectory begins at 0.
        velocities: (k, nv) at the waypoints, or (nv,) at all of them; body twists for free joints.
        wrap: whether continuous joints rotate the shortest way to the next waypoint, by at most pi; waypoints are then
            reached up to multiples of 2 pi. See `Robot.difference`.

    Raises:
        ShapeError, InputError: an argument does not fit, or times do not increase.
        TrajectoryError: a waypoint is outside the robot's limits.

    Example:
        >>> swing = revolute.trajectory.cubic(revolute.robots.planar(1), [[0.0], [1.0]], 2.0)
        >>> swing.q(1.0), swing.qd([0.0, 1.0, 2.0]).ravel()
        (array([0.5]), array([0.  , 0.75, 0.  ]))
    """
    return _pieces("cubic", robot, waypoints, times, velocities, None, 2, wrap)


def quintic(
    robot: LimitedMachine, waypoints: ArrayLike, times: ArrayLike, *, velocities: ArrayLike | None = None,
    accelerations: ArrayLike | None = None, wrap: bool = False,
) -> Polynomials:
    """Quintic pieces between consecutive waypoints, with given velocities and accelerations; by default at rest. C2.

    Between two waypoints at rest it minimises the integral of squared jerk: see `minimum_jerk`. Accelerations are
    continuous, also for quaternions; jerks jump at waypoints.

    Args:
        robot, waypoints, times, velocities, wrap: see `cubic`.
        accelerations: (k, nv), or (nv,) at all waypoints: time derivatives of the components of the velocities.

    Raises:
        ShapeError, InputError, TrajectoryError: see `cubic`.

    Example:
        >>> arm, way = revolute.robots.planar(1), [[0.0], [1.0]]
        >>> swing = revolute.trajectory.quintic(arm, way, 1.0)
        >>> swing.qd(0.5), swing.qdd([0.0, 0.5, 1.0]).ravel().round(9) + 0.0
        (array([1.875]), array([0., 0., 0.]))
    """
    return _pieces("quintic", robot, waypoints, times, velocities, accelerations, 3, wrap)


def minimum_jerk(robot: LimitedMachine, waypoints: ArrayLike, times: ArrayLike, *, wrap: bool = False) -> Polynomials:
    """The rest-to-rest motion through waypoints that minimises the integral of squared jerk. Flash & Hogan 1985.

    Pieces are quintic, and the first four derivatives are continuous at waypoints. Between two waypoints, quaternions
    rotate about one axis; more than two waypoints require joints without quaternions.

    Args:
        robot, waypoints, times, wrap: see `cubic`.

    Raises:
        ShapeError, InputError, TrajectoryError: see `cubic`; a robot with quaternions has more than two waypoints.
        MissingExtraError: SciPy is not installed; more than two waypoints need it.

    Example:
        >>> from revolute.trajectory import minimum_jerk
        >>> motion = minimum_jerk(revolute.robots.planar(1), [[0.0], [0.5], [0.0]], 2.0)
        >>> motion.q([0.5, 1.0]).ravel().round(6), motion.qd(1.0).round(9) + 0.0
        (array([0.197917, 0.5     ]), array([0.]))
    """
    model = model_of("minimum_jerk", robot)
    q = way("minimum_jerk", robot, waypoints, wrap)
    if len(q) == 2:
        return _pieces("minimum_jerk", robot, q, times, None, None, 3, False)
    coordinates = PieceCoordinates(model)
    if coordinates.turns:
        raise InputError(
            f"minimum_jerk: '{model.name}' has quaternions, for which it supports only two waypoints, not "
            f"{len(q)}; use spline or quintic"
        )
    t = waypoint_times("minimum_jerk", times, len(q))
    ends, base = coordinates.linked(q)
    y = np.concatenate([ends[:, 0], ends[-1:, 1]])
    interpolate = _scipy("minimum_jerk through more than two waypoints")
    rest, knots = [(1, np.zeros(model.nv)), (2, np.zeros(model.nv))], np.pad(t, 5, "edge")
    curve = interpolate.make_interp_spline(t, y, k=5, t=knots, bc_type=(rest, rest))
    return Polynomials(coordinates, t, _taylor(curve, t, 5), base)


def spline(
    robot: LimitedMachine, waypoints: ArrayLike, times: ArrayLike, *, ends: str = "natural", wrap: bool = False
) -> Polynomials:
    """A cubic spline through waypoints: velocities and accelerations are continuous. C2.

    For orientations, the rotation vector from each waypoint to the next is cubic in time, and angular accelerations are
    continuous. Rotations between waypoints must be smaller than pi.

    | `ends` | at both ends |
    | --- | --- |
    | `"natural"` | zero acceleration |
    | `"clamped"` | at rest |
    | `"periodic"` | first and last waypoint are equal, also in velocity and acceleration; the motion repeats |
    | `"not-a-knot"` | the first two pieces are one cubic, and so are the last two; not for quaternions |

    Args:
        robot, waypoints, times: see `cubic`.
        ends: see above.
        wrap: see `cubic`; a periodic spline then ends at its start, not at a multiple of 2 pi from it.

    Raises:
        ShapeError, InputError, TrajectoryError: see `cubic`; the ends of a periodic spline differ.
        MissingExtraError: SciPy is not installed.

    Example:
        >>> from revolute.trajectory import spline
        >>> motion = spline(revolute.robots.planar(1), [[0.0], [1.0], [0.0]], 2.0)
        >>> motion.q([0.5, 1.0]).ravel().round(6), motion.qdd(0.0) + 0.0
        (array([0.6875, 1.    ]), array([0.]))
    """
    model = model_of("spline", robot)
    if ends not in ENDS:
        raise InputError(f"spline: ends must be one of {', '.join(ENDS)}, not {ends!r}")
    q = way("spline", robot, waypoints, wrap, {"periodic": 3, "not-a-knot": 4}.get(ends, 2))
    t = waypoint_times("spline", times, len(q))
    coordinates = PieceCoordinates(model)
    if ends == "periodic":
        _check_closed(coordinates, q)
    if ends == "not-a-knot" and coordinates.turns:
        raise InputError("spline: ends='not-a-knot' does not support quaternions; use natural, clamped or periodic")
    pieces, base = coordinates.linked(q)
    coefficients = np.zeros((len(t) - 1, 4, model.nv))
    _, of = coordinates.positions
    if len(of):
        y = np.concatenate([pieces[:, 0], pieces[-1:, 1]])[:, of]
        if ends == "periodic":
            y[-1] = y[0]
        coefficients[:, :, of] = np.moveaxis(_scipy("a spline").CubicSpline(t, y, bc_type=ends).c[::-1], 0, 1)
    for _, at, _ in coordinates.turns:
        turn, h = pieces[:, 1, at], np.diff(t)
        start, end = turning_rates(turn, h, ends)
        coefficients[:, :, at] = hermite(h, (np.zeros_like(turn), start), (turn, end))
    return Polynomials(coordinates, t, coefficients, base, periodic=ends == "periodic")


def load(robot: LimitedMachine, path: str | os.PathLike[str]) -> Polynomials:
    """Load a trajectory from a CSV or Parquet file: quintic pieces between its rows. C2.

    Missing velocities and accelerations are derived with a smoothing spline, as in `revolute torque`. The first row
    is at time 0 of the trajectory.

    Args:
        robot: a `Robot`, or one with drives.
        path: the file; `revolute.io.trajectory` describes its columns.

    Raises:
        TrajectoryError: the file does not fit the robot, has no times, has fewer than two rows, or exceeds limits.

    Example:
        >>> import pathlib, tempfile
        >>> from revolute.trajectory import load, spline
        >>> arm = revolute.robots.planar(1)
        >>> path = pathlib.Path(tempfile.mkdtemp(), "swing.csv")
        >>> swing = spline(arm, [[0.0], [1.0], [0.0]], 2.0)
        >>> swing.save(path, dt=0.01)
        >>> bool(abs(load(arm, path).q(0.515) - swing.q(0.515)).max() < 1e-12)
        True
    """
    rows = tables.read(model_of("load", robot), path)
    if rows.t is None:
        raise TrajectoryError(f"{path}: no time column [s], 't'")
    return quintic(robot, rows.q, rows.t, velocities=rows.qd, accelerations=rows.qdd)


def _pieces(
    what: str, robot: LimitedMachine, waypoints: ArrayLike, times: ArrayLike, velocities: Any, accelerations: Any,
    given: int, wrap: bool,
) -> Polynomials:
    """Polynomials of degree 2 `given` - 1 between waypoints, with `given` values and derivatives at each end."""
    model = model_of(what, robot)
    q = way(what, robot, waypoints, wrap)
    t = waypoint_times(what, times, len(q))
    coordinates = PieceCoordinates(model)
    given_rates = {"velocities": velocities, "accelerations": accelerations}
    rates = [joint_rates(what, name, model, x, len(q)) for name, x in given_rates.items()]
    start, end, base = coordinates.ends(q, *rates)
    return Polynomials(coordinates, t, hermite(np.diff(t), start[:given], end[:given]), base)


def _check_closed(coordinates: PieceCoordinates, q: Array) -> None:
    """Raise `TrajectoryError` unless the first and the last waypoint are equal."""
    ends, _ = coordinates.linked(q[[0, -1]])
    apart = np.abs(ends[0, 1] - ends[0, 0])
    if apart.max() > 1e-9:
        name = coordinates.model.coordinate_names[int(apart.argmax())]
        raise TrajectoryError(
            f"spline: a periodic spline must end where it starts, but '{name}' ends {apart.max():.3g} away from its "
            "start"
        )


def _taylor(curve: Any, t: Array, degree: int) -> Array:
    """(m, degree + 1, n) coefficients of a spline's pieces, from its derivatives at the start of each piece."""
    # the highest derivatives are constant in each piece, and are evaluated in its middle
    middle = (t[:-1] + t[1:]) / 2
    rows = [curve(t[:-1], k) for k in range(degree)] + [curve(middle, degree)]
    return np.stack([x / math.factorial(k) for k, x in enumerate(rows)], axis=1)


def _scipy(what: str) -> Any:
    with extra(f"{what} needs SciPy", "scipy"):
        from scipy import interpolate
    return interpolate
