"""Find the most informative motion for identification within a robot's limits."""

from __future__ import annotations

import math

import numpy as np

from revolute.arguments import instance, random_generator, whole_number
from revolute.errors import TrajectoryError
from revolute.identification.excitation.information import CRITERIA
from revolute.identification.excitation.motion import ExcitingMotion, Reach
from revolute.identification.excitation.problem import (
    FINER,
    INFORMATION,
    PER_WAVE,
    ExcitationLimits,
    ExpectedLog,
    Problem,
    problem_of,
)  # fmt: skip
from revolute.identification.excitation.search import SearchResult, search
from revolute.identification.excitation.search import starts as random_starts
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot


def excite(
    robot: Robot | DrivenRobot | ForceModel, *, duration: float = 10.0, harmonics: int = 5, criterion: str = "d",
    at_rest: bool = True, limits: ExcitationLimits | None = None, log: ExpectedLog | None = None,
    starts: int = 3, rng: np.random.Generator | int | None = 0,
) -> ExcitingMotion:
    """Optimize a periodic motion that excites a robot's parameters, within limits. Swevers et al. 1997; Gautier 1992.

    Sequential quadratic programming from random starts, with exact derivatives, finds a Fourier trajectory that locally
    minimises the criterion. Joint forces are computed with the robot's masses and drives. Limits are checked at ten
    times as many samples as the search uses. Collisions are not checked: specify boxes, and inspect the motion with
    `revolute view`.

    Args:
        robot: a `Robot`, a robot with drives, or the `ForceModel` to be fitted; for a robot, all drives and offsets are
            fitted. Each joint must have one axis.
        duration: duration of a period [s]; all frequencies are multiples of 1/duration.
        harmonics: number of frequencies; at least two with `at_rest`.
        criterion: "d": minus the log determinant of the information on base parameters; "condition": the condition
            number, with parameters scaled to equal forces in random motions; "unscaled_condition": that in SI units.
        at_rest: whether the motion starts and ends at rest, without acceleration.
        limits: limits of positions, velocities, accelerations, forces and frame origins; by default those of the robot.
        log: rate, noise and prior of the future log; None: the defaults of `ExpectedLog`.
        starts: number of searches; the best result is returned.
        rng: a random generator, or a seed.

    Returns:
        an `ExcitingMotion`: trajectory, criterion, condition number, limits that bind; `print` shows a table.

    Raises:
        InputError, ShapeError, UnknownNameError: arguments are invalid; a joint has several axes, or no limit; no
            configuration is within the limits.
        TrajectoryError: no search found a motion within the limits.
        MissingExtraError: SciPy is not installed.

    Example:
        >>> from revolute.identification import ExcitationLimits, excite
        >>> arm = revolute.robots.planar(2)
        >>> limits = ExcitationLimits(velocity=2.0, acceleration=6.0)
        >>> swing = excite(arm, duration=4.0, harmonics=3, limits=limits, starts=1)
        >>> swing.condition < 20, swing.unexcited
        (True, ())
    """
    model = robot if isinstance(robot, ForceModel) else ForceModel(robot)
    own = ExcitationLimits() if limits is None else instance("excite: limits", limits, ExcitationLimits)
    data = ExpectedLog() if log is None else instance("excite: log", log, ExpectedLog)
    problem = problem_of(model, duration, harmonics, criterion, at_rest, own, data)
    generator = random_generator("excite", rng)
    count = whole_number("excite: starts", starts, 1)
    found = [search(problem, x) for x in random_starts(problem, count, generator)]
    return _excitation(problem, model, criterion, data.rate, found)


def _excitation(
    problem: Problem, model: ForceModel, criterion: str, rate: float, found: list[SearchResult]
) -> ExcitingMotion:
    """The best solution within limits; raise `TrajectoryError` if no search found one."""
    values = np.array([one.value if one.excess <= 0 else math.inf for one in found])
    best = found[int(np.argmin(values))]
    reaches = _reaches(problem, best.x)
    if not np.isfinite(values.min()) and best.excess <= 0:
        raise TrajectoryError("excite: forces of the model are not finite within the limits; narrow those of position")
    if not np.isfinite(values.min()):
        worst = max(reaches, key=lambda reach: reach.share)
        raise TrajectoryError(
            f"excite: no motion within the limits was found: {worst.name} is {worst.value:.4g} {worst.unit}, beyond "
            f"its limit of {worst.limit:.4g}; give more starts, a longer duration, or wider limits"
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
        trajectory=trajectory, model=model, criterion=criterion, value=value, condition=condition,
        base=information.base, standard_errors=errors * information.scale,
        felt=errors * information.scale * information.lengths, rate=float(rate), reaches=reaches, starts=values,
        iterations=sum(one.iterations for one in found), evaluations=sum(one.evaluations for one in found),
    )


def _reaches(problem: Problem, x: Array) -> tuple[Reach, ...]:
    """For each limit, the value of the motion that is nearest to it."""
    basis = problem.curves.basis(problem.instants(FINER * PER_WAVE))
    found = []
    for limit, excess in zip(problem.limits, problem.excesses(x, basis), strict=True):
        sides = excess.max(axis=0)  # array of shape (2, r)
        for k, name in enumerate(limit.names):
            side = int(sides[1, k] >= sides[0, k])
            if math.isfinite(sides[side, k]):
                end, beyond = (limit.lower, limit.upper)[side][k], sides[side, k] * limit.size[k]
                value = float(end + (beyond if side else -beyond))
                found.append(Reach(name, value, float(end), limit.units[k], float(1 + sides[side, k])))
    return tuple(found)
