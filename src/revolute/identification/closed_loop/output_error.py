"""Identification from positions: closed-loop output error, CLOE. Gautier, Janot & Vandanjon 2013."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import whole_number
from revolute.errors import InputError, SimulationError
from revolute.identification.closed_loop.iterations import (
    HINT,
    MOST,
    SHARES,
    ClosedLoopFit,
    Iterations,
    never_runs,
    start_of,
)
from revolute.identification.closed_loop.loop import closed_loop
from revolute.identification.closed_loop.sensitivities import Linearised, PositionErrors
from revolute.identification.fit.equations import BaseEquations
from revolute.identification.fit.error_bars import errors
from revolute.identification.fit.least_squares import Solution, Sums, added, weighted
from revolute.identification.forces.base_parameters import BaseColumns, base_columns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.forces.nearest_parameters import nearest_parameters
from revolute.identification.samples import Samples

__all__ = ["OutputErrorFit", "output_error"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class OutputErrorFit(ClosedLoopFit):
    """A `Fit` by closed-loop output error: see `output_error`.

    `triangle` and `weights` are those of positions. `residual_rms`, `signal_rms`, `noise` and `sums` are of the forces
    along the simulated motion, which the estimate has not used.

    Attributes:
        position_rms: (k + 1, nv) root mean squares of the measured less the simulated positions, at the start and
            after each of k iterations [rad, m].
        position_noise: (nv,) standard deviations of what is left [rad, m].
        compared: number of measured positions that the estimate has used; `rows` are forces.
    """

    position_rms: Array
    position_noise: Array
    compared: int

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold: that of a `ClosedLoopFit`, and differences of positions after each iteration."""
        return {**super().to_dict(), "position_rms": self.position_rms.tolist()}


def output_error(
    model: ForceModel, log: Samples | Iterable[Samples], controller: Any, reference: Any = None, *,
    start: ArrayLike | None = None, tolerance: float = 0.1, iterations: int = MOST, decimate: int = 1,
) -> OutputErrorFit:
    """Parameters with which the simulated closed loop has the measured positions. Gautier, Janot & Vandanjon 2013.

        min over values of  sum_t |q(t) - q_simulated(t; values)|^2 / s^2

    by the method of Gauss and Newton, with derivatives of the simulated loop by base parameters. Neither measured
    forces nor derivatives of positions count, but for the first velocity. Positions tell forces by the gains alone: the
    controller must be exact, and where it follows well, its errors are small and must be measured well.

    Args:
        model: of the forces.
        log: samples, or several blocks; each is simulated from the state at its beginning, and rows at which that still
            has an effect are left out. Positions need no filter. Forces may be NaN.
        controller: of the log: see `ClosedLoop`, which may be given too.
        reference: what it followed: see `ClosedLoop`; None for that of the controller.
        start: (p,) parameters of the first simulation; None for those of the robot's description.
        tolerance: iterations end when they change the estimate by this share of its standard errors.
        iterations: most of them.
        decimate: keep one row of so many, after the same low-pass filter for both sides.

    Raises:
        InputError, ShapeError: arguments that do not fit; the closed loop cannot be simulated; no end of iterations.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import ForceModel, Samples, output_error
        >>> arm, t = revolute.robots.planar(2), np.arange(1500) / 500
        >>> def swing(t):
        ...     return np.array([np.sin(3 * t), 1 - np.cos(5 * t)])
        >>> law = revolute.control.PDWithGravity(arm, swing, 400.0, 40.0)
        >>> motion = arm.simulate([0.0, 0.0], [0.0, 0.0], law, t)
        >>> q = motion.q + np.random.default_rng(1).normal(0, 1e-5, (1500, 2))
        >>> # no force was measured
        >>> log = Samples(t, q, motion.qd, motion.qdd, np.full((1500, 2), np.nan))
        >>> model = ForceModel(arm, drives=[], offsets=False)
        >>> fit = output_error(model, log, law, start=0.8 * model.values)
        >>> error = np.abs(fit.values - fit.base.matrix @ model.values)
        >>> bool(np.all(error < 4 * fit.standard_errors))
        True
    """
    if model.robot.nq != model.robot.nv:
        raise InputError("output_error compares positions, and quaternions have no differences: lock the free base")
    base = base_columns(model)
    compared = PositionErrors(
        model, closed_loop(controller, reference), log, base, whole_number("decimate", decimate, 1)
    )
    parameters, known = start_of(model, start), base.matrix @ model.values
    rows, rms = _first(compared, parameters), list[Array]()
    sums = added(rows, rows.base.active)
    history = [base.matrix @ parameters]
    progress = Iterations(tolerance)
    for _ in range(whole_number("iterations", iterations, 1)):
        rms.append(_rms(sums, base.matrix @ parameters))
        solution, weights = weighted(sums, known)
        R, here = sums.triangle(weights), base.matrix @ parameters
        history.append(solution.values)
        if progress.settled(R, here, solution.values):
            break
        step = compared.directions @ (solution.values - here)
        parameters, rows, sums = _lower(compared, parameters, step, float(weights @ sums.squares(here)), weights)
    else:
        raise InputError(f"output_error: the estimate did not settle in {iterations} iterations; {HINT}")
    rms.append(_rms(sums, solution.values))
    return _fit(model, base, compared, rows, sums, solution, weights, R, history, rms)


def _first(compared: PositionErrors, parameters: Array) -> Linearised:
    try:
        return compared.at(parameters)
    except SimulationError as error:
        raise never_runs(error, first=True) from error


def _lower(
    compared: PositionErrors, parameters: Array, step: Array, cost: float, weights: Array
) -> tuple[Array, Linearised, Sums]:
    """Parameters along a step where the loop runs and is nearer to the log, the rows there, and their sums."""
    failure: SimulationError | None = None
    reached: tuple[Array, Linearised, Sums] | None = None
    for share in SHARES:
        tried = parameters + share * step
        try:
            rows = compared.at(tried)
        except SimulationError as error:
            failure = error
            continue
        sums = added(rows, rows.base.active)
        reached = tried, rows, sums
        if weights @ sums.squares(rows.base.matrix @ tried) <= cost:
            break
    if reached is None:
        assert failure is not None
        raise never_runs(failure, first=False) from failure
    return reached


def _rms(sums: Sums, values: Array) -> Array:
    return np.asarray(np.sqrt(sums.squares(values) / np.maximum(sums.counts, 1)))


def _fit(
    model: ForceModel, base: BaseColumns, compared: PositionErrors, rows: Linearised, sums: Sums, solution: Solution,
    weights: Array, R: Array, history: list[Array], rms: list[Array],
) -> OutputErrorFit:
    """The fit, with residuals of the forces along the simulated motion."""
    covariance, position_noise, freedom = errors(rows, rows.base.active, sums, solution, weights)
    forces = added(BaseEquations(compared.model, base, list(rows.motions)), base.active)
    return OutputErrorFit(
        model=model,
        base=base,
        values=solution.values,
        covariance=covariance,
        parameters=nearest_parameters(model, base, solution.values),
        noise=_rms(forces, solution.values),
        weights=weights,
        freedom=freedom,
        rank=solution.rank,
        condition=solution.condition,
        triangle=R,
        sums=forces,
        estimator="output_error",
        history=np.array(history),
        position_rms=np.array(rms),
        position_noise=position_noise,
        compared=int(sums.counts.sum()),
    )
