"""`excite`: the motion that tells most about a robot's parameters, within its limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import instance, random_generator, whole_number
from revolute.errors import TrajectoryError
from revolute.identification.excitation.criteria import CRITERIA
from revolute.identification.excitation.motion import ExcitingMotion, Reach
from revolute.identification.excitation.problem import FINER, INFORMATION, PER_WAVE, Problem, Settings, problem_of
from revolute.identification.excitation.random_starts import starts as random_starts
from revolute.identification.excitation.search import SearchResult, search
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.trajectory.limits import model_of

__all__ = ["excite"]

Array = NDArray[Any]


def excite(
    robot: Robot | DrivenRobot | ForceModel, *, duration: float = 10.0, harmonics: int = 5, criterion: str = "d",
    at_rest: bool = True, position: Mapping[str, tuple[float, float]] | None = None, velocity: Any = None,
    acceleration: Any = None, torque: Any = None, box: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    height: float | None = None, noise: ArrayLike | None = None, prior: ArrayLike | None = None, scaled: bool = True,
    rate: float = 100.0, starts: int = 3, iterations: int = 200, rng: np.random.Generator | int | None = 0,
) -> ExcitingMotion:
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
        iterations: most of each search, before it is continued where limits are passed between samples.
        rng: a generator, or its seed.

    Returns:
        an `ExcitingMotion`: trajectory, criterion, condition number, limits that bind; `print` shows a table.

    Raises:
        InputError, ShapeError, UnknownNameError: arguments that do not fit; a joint with several axes, or without any
            limit; no configuration within the limits.
        TrajectoryError: no search found a motion within the limits.
        MissingExtraError: SciPy is not installed.

    Example:
        >>> import revolute
        >>> from revolute.identification import excite
        >>> arm = revolute.robots.planar(2)
        >>> swing = excite(
        ...     arm, duration=4.0, harmonics=3, velocity=2.0, acceleration=6.0, starts=1
        ... )
        >>> swing.condition < 20, swing.unexcited
        (True, ())
    """
    model = robot if isinstance(robot, ForceModel) else ForceModel(_movable(robot))
    settings = Settings(
        duration=duration,
        harmonics=harmonics,
        criterion=criterion,
        at_rest=at_rest,
        position=position,
        velocity=velocity,
        acceleration=acceleration,
        torque=torque,
        box=box,
        height=height,
        noise=noise,
        prior=prior,
        scaled=scaled,
        rate=rate,
    )
    problem = problem_of(model, settings)
    generator = random_generator("excite", rng)
    count = whole_number("excite: starts", starts, 1)
    most = whole_number("excite: iterations", iterations, 1)
    found = [search(problem, x, most) for x in random_starts(problem, count, generator)]
    return _excitation(problem, model, settings, found)


def _movable(robot: Any) -> Any:
    """A robot that has a joint.

    Raises:
        InputError: it has none, or is none.
    """
    model_of("excite", instance("excite: robot", robot, (Robot, DrivenRobot)))
    return robot


def _excitation(problem: Problem, model: ForceModel, settings: Settings, found: list[SearchResult]) -> ExcitingMotion:
    """The best solution within limits.

    Raises:
        TrajectoryError: there is none.
    """
    values = np.array([one.value if one.excess <= 0 else math.inf for one in found])
    best = found[int(np.argmin(values))]
    reaches = _reaches(problem, best.x)
    if not np.isfinite(values.min()) and best.excess <= 0:
        raise TrajectoryError("excite: forces of the model are not finite in motions within limits: narrow position")
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
    value, condition = problem.criterion(W)[0], math.exp(CRITERIA["condition"](W)[0])
    errors = np.linalg.norm(np.linalg.inv(np.linalg.qr(W, mode="r")), axis=1)
    return ExcitingMotion(
        trajectory=trajectory,
        model=model,
        criterion=settings.criterion,
        value=value,
        condition=condition,
        base=information.base,
        standard_errors=errors * information.scale,
        felt=errors * information.scale * information.lengths,
        rate=float(settings.rate),
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
