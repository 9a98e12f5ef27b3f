"""`excite`: the motion that tells most about a robot's parameters, within its limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import float_copy, number, random_generator, whole_number
from revolute.errors import InputError, ShapeError, TrajectoryError
from revolute.identification.excitation.criteria import CRITERIA
from revolute.identification.excitation.curves import Curves
from revolute.identification.excitation.excitation import Excitation, Reach
from revolute.identification.excitation.information import Information, independent_columns, random_samples
from revolute.identification.excitation.limits import Limit, motion_limits, places, position_range, torques
from revolute.identification.excitation.regressor import SmoothRegressor
from revolute.identification.excitation.search import FINER, INFORMATION, PER_WAVE, Problem, Solution, search
from revolute.identification.excitation.starts import starts as random_starts
from revolute.identification.force_model import ForceModel
from revolute.identification.samples import Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.columns import limit_column
from revolute.trajectory.fourier import require_single_axes
from revolute.trajectory.limits import model_of

__all__ = ["excite", "problem_of"]

Array = NDArray[Any]

SHARE = 0.01
"""Noise of joint forces by default, as a share of the rated efforts."""
SMOOTHING = 0.02
"""Share of the largest speed over which friction changes its sign in the search."""
UNKNOWN = 1e6
"""Standard deviation of what is not known beforehand, in units in which parameters are felt as noise."""


def excite(
    robot: Robot | DrivenRobot | ForceModel,
    *,
    duration: float = 10.0,
    harmonics: int = 5,
    criterion: str = "d",
    at_rest: bool = True,
    position: Mapping[str, tuple[float, float]] | None = None,
    velocity: Any = None,
    acceleration: Any = None,
    torque: Any = None,
    box: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    height: float | None = None,
    noise: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    scaled: bool = True,
    rate: float = 100.0,
    starts: int = 3,
    iterations: int = 200,
    rng: np.random.Generator | int | None = 0,
) -> Excitation:
    """A periodic motion that excites a robot's parameters most, within limits. Swevers et al. 1997; Gautier 1992.

    Of all Fourier trajectories of a duration and a number of harmonics it finds one at which a criterion is locally
    least, by sequential quadratic programming from several random starts, with exact derivatives of criterion and
    limits. Forces for limits are those of the file's masses and drives. Limits are checked ten times finer than they
    are sampled for the search. Collisions of links with each other and with things are not regarded: give boxes, and
    look at the motion with `revolute view`.

    Args:
        robot: a `Robot`, one with drives, or the model of forces that will be fitted; by default it has all drives and
            offsets. All joints must have one axis.
        duration: of a period [s]; all frequencies are multiples of 1/duration.
        harmonics: number of frequencies; two at least if it starts at rest.
        criterion: "d": the log determinant of the information on base parameters; "condition": the condition number.
        at_rest: starts and ends at rest, with no acceleration.
        position: {joint: (lowest, highest)} [rad, m] within the robot's own limits.
        velocity, acceleration, torque: limits: a number for all joints, (nv,), or {joint: number}. By default velocity
            and torque are those of the robot; acceleration has none.
        box: {link: (lowest, highest)}: corners (3,) [m] of a box in the base frame that holds the link's origin.
            Infinite numbers are no limit.
        height: that all moving link frames stay above [m], such as a table's.
        noise: (nv,) or one standard deviation of measured forces [N m, N]; by default 1 % of the robot's effort limits,
            or 1 where one is missing.
        prior: (p,) standard deviations of the model's parameters, known beforehand; infinite for unknown.
        scaled: the condition number is of parameters in units in which each is felt alike at random motions; else of
            parameters in SI units. "d" does not depend on it.
        rate: samples per second of the log to come, for standard errors.
        starts: number of searches; the best counts.
        iterations: most of each search.
        rng: a generator, or its seed.

    Returns:
        an `Excitation`: trajectory, criterion, condition number, limits that bind; `print` shows a table.

    Raises:
        InputError, ShapeError, UnknownNameError: arguments that do not fit; a joint with several axes, or without any
            limit; no configuration within the limits.
        TrajectoryError: no search found a motion within the limits.
        MissingExtraError: SciPy is not installed.

    Example:
        >>> import revolute
        >>> from revolute.identification import excite
        >>> arm = revolute.robots.planar(2)
        >>> swing = excite(arm, duration=4.0, harmonics=3, velocity=2.0, acceleration=6.0, starts=1)
        >>> swing.condition < 20, swing.unexcited
        (True, ())
    """
    problem, model, position_limits = problem_of(
        robot, duration, harmonics, criterion, at_rest, position, velocity, acceleration, torque, box, height, noise,
        prior, scaled, rate,
    )  # fmt: skip
    generator = random_generator("excite", rng)
    count = whole_number("excite: starts", starts, 1)
    most = whole_number("excite: iterations", iterations, 1)
    found = [search(problem, x, most) for x in random_starts(problem, count, position_limits, generator)]
    return _excitation(problem, model, criterion, number("excite: rate", rate), found)


def problem_of(
    robot: Robot | DrivenRobot | ForceModel,
    duration: float,
    harmonics: int,
    criterion: str,
    at_rest: bool,
    position: Any,
    velocity: Any,
    acceleration: Any,
    torque: Any,
    box: Any,
    height: float | None,
    noise: ArrayLike | None,
    prior: ArrayLike | None,
    scaled: bool,
    rate: float,
) -> tuple[Problem, ForceModel, tuple[Array, Array]]:
    """What `excite` searches for, the model, and the range of positions; arguments as there."""
    if criterion not in CRITERIA:
        raise InputError(f"excite: criterion must be one of {', '.join(CRITERIA)}, not {criterion!r}")
    for name, value in (("duration [s]", duration), ("rate [1/s]", rate)):
        if not 0 < number(f"excite: {name}", value) < math.inf:
            raise InputError(f"excite: {name} must be positive, not {value!r}")
    N = whole_number("excite: harmonics", harmonics, 2 if at_rest else 1)
    model = robot if isinstance(robot, ForceModel) else ForceModel(_robot(robot))
    driven = model.robot
    space = driven.space
    require_single_axes("excite", space)
    ends = position_range(space, position)
    motions = motion_limits(space, ends, velocity, acceleration)
    frequencies = 2 * math.pi / duration, 2 * math.pi * N / duration
    speeds, _ = _fastest(space, motions, frequencies)
    usual = _usual(space, motions, frequencies)
    smooth = SmoothRegressor(model, SMOOTHING * float(speeds.max()))
    limits = (*motions, torques(driven, smooth.robot, torque), *places(driven, box, height))
    rows = rate * duration / (INFORMATION * N)
    information = _information(model, smooth, usual, noise, prior, scaled, rows)
    reach = np.where(np.isfinite(ends[1] - ends[0]), (ends[1] - ends[0]) / 2, math.pi)
    curves = Curves(driven, float(duration), N, bool(at_rest), reach, speeds / math.sqrt(N))
    return Problem(curves, information, CRITERIA[criterion], limits), model, ends


def _robot(robot: Any) -> Any:
    model_of("excite", robot)
    return robot


def _fastest(space: Robot, motions: Sequence[Limit], frequencies: tuple[float, float]) -> tuple[Array, Array]:
    """(nv,) speeds and accelerations that motions between two frequencies [rad/s] reach within limits.

    Raises:
        InputError: a joint may be as fast as it likes.
    """
    position, velocity, acceleration = motions
    (slow, fast), reach = frequencies, (position.upper - position.lower) / 2
    speeds = np.minimum(np.minimum(velocity.upper, fast * reach), acceleration.upper / slow)
    for name, speed in zip(space.coordinate_names, speeds, strict=True):
        if not math.isfinite(speed):
            raise InputError(
                f"excite: '{name}' has no limits of position, velocity or acceleration; give velocity={{'{name}': ...}}"
            )
    return speeds, np.minimum(acceleration.upper, speeds * fast)


def _usual(space: Robot, motions: Sequence[Limit], frequencies: tuple[float, float]) -> tuple[Array, Array]:
    """(nv,) speeds and accelerations of the robot's own limits; those of the arguments only where it has none."""
    own = motion_limits(space, position_range(space, None), None, None)
    finite = [
        replace(mine, upper=np.where(np.isfinite(mine.upper), mine.upper, given.upper))
        for mine, given in zip(own, motions, strict=True)
    ]
    return _fastest(space, finite, frequencies)


def _information(
    model: ForceModel,
    smooth: SmoothRegressor,
    fastest: tuple[Array, Array],
    noise: ArrayLike | None,
    prior: ArrayLike | None,
    scaled: bool,
    rows: float,
) -> Information:
    """Base parameters, their scales, and weights of rows."""
    nv, p = model.robot.nv, len(model.names)
    deviations = _noise(model.robot, noise)
    samples = random_samples(model, 2 * p // nv + 50, np.random.default_rng(0), fastest)
    Y = smooth(samples.q, samples.qd, samples.qdd) / deviations[:, None]
    lengths = _lengths(Y.reshape(-1, p))
    columns, matrix = independent_columns(Y.reshape(-1, p) / lengths)
    if not len(columns):
        raise InputError("excite: no parameter is felt in any force")
    felt = lengths[columns]
    scale = 1 / felt if scaled else np.ones(len(columns))
    known = _prior(prior, matrix, lengths) * (felt * scale)
    return Information(smooth, columns, deviations, scale, felt, known, rows)


def _lengths(Y: Array) -> Array:
    """(p,) root mean squares of columns; 1 of columns that are zero."""
    lengths = np.sqrt((Y**2).mean(axis=0))
    found: Array = np.where(lengths > 0, lengths, 1.0)
    return found


def _noise(robot: DrivenRobot, noise: ArrayLike | None) -> Array:
    """(nv,) standard deviations."""
    if noise is None:
        rated = limit_column(robot.space, "effort", "nv", 0.0)
        return SHARE * rated if (np.isfinite(rated) & (rated > 0)).all() else np.ones(robot.nv)
    values = float_copy("excite: noise", noise)
    if values.shape not in ((), (robot.nv,)) or not (np.isfinite(values) & (values > 0)).all():
        raise ShapeError(f"excite: noise must be one positive number, or {robot.nv} of them, not {noise!r}")
    return np.broadcast_to(values, (robot.nv,)).copy()


def _prior(prior: ArrayLike | None, matrix: Array, lengths: Array) -> Array:
    """Rows of what is known: L with L^T L the inverse of the covariance of base parameters, `matrix` @ parameters.

    Both are in units in which they are felt alike: (p,) parameters times `lengths`.
    """
    if prior is None:
        return np.zeros((0, len(matrix)))
    deviations = float_copy("excite: prior", prior)
    if deviations.shape != lengths.shape or not (deviations > 0).all():
        raise ShapeError(
            f"excite: prior needs {len(lengths)} positive standard deviations, one for each parameter of the model"
        )
    R = np.asarray(np.linalg.qr((matrix * np.minimum(deviations * lengths, UNKNOWN)).T, mode="r"))
    rows: Array = np.linalg.inv(R).T
    return rows


def _excitation(problem: Problem, model: ForceModel, criterion: str, rate: float, found: list[Solution]) -> Excitation:
    """The best solution within limits.

    Raises:
        TrajectoryError: there is none.
    """
    values = np.array([one.value if one.excess <= 0 else math.inf for one in found])
    best = found[int(np.argmin(values))]
    reaches = _reaches(problem, best.x)
    if not np.isfinite(values.min()):
        worst = max(reaches, key=lambda reach: reach.share)
        raise TrajectoryError(
            f"excite: no motion within the limits was found: {worst.name} comes to {worst.value:.4g} {worst.unit}, its "
            f"limit is {worst.limit:.4g}; allow more starts, a longer duration, or wider limits"
        )
    trajectory = problem.curves.trajectory(best.x)
    t = problem.instants(INFORMATION)
    q, qd, qdd = trajectory(t)
    information = problem.information
    Y = model.regressor(Samples(t, q, qd, qdd, np.zeros_like(qd)))
    W = information.matrix(Y)
    value, condition = CRITERIA[criterion](W)[0], math.exp(CRITERIA["condition"](W)[0])
    errors = np.linalg.norm(np.linalg.inv(np.linalg.qr(W, mode="r")), axis=1)
    return Excitation(
        trajectory=trajectory,
        model=model,
        criterion=criterion,
        value=value,
        condition=condition,
        columns=information.columns,
        standard_errors=errors * information.scale,
        felt=errors * information.scale * information.lengths,
        rate=rate,
        reaches=reaches,
        starts=values,
        iterations=sum(one.iterations for one in found),
        evaluations=sum(one.evaluations for one in found),
    )


def _reaches(problem: Problem, x: Array) -> tuple[Reach, ...]:
    """How near a curve comes to each limit."""
    basis = problem.curves.basis(problem.instants(FINER * PER_WAVE))
    found = []
    for limit, excess in zip(problem.limits, problem.excesses(x, basis), strict=True):
        sides = excess.max(axis=0)  # (2, r)
        for k, name in enumerate(limit.names):
            side = int(sides[1, k] >= sides[0, k])
            if math.isfinite(sides[side, k]):
                end, beyond = (limit.lower, limit.upper)[side][k], sides[side, k] * limit.size[k]
                value = float(end + (beyond if side else -beyond))
                found.append(Reach(name, value, float(end), limit.units[k], float(1 + sides[side, k])))
    return tuple(found)
