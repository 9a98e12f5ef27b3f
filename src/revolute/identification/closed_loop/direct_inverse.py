"""Identification from forces alone: direct and inverse dynamic models, DIDIM. Gautier, Janot & Vandanjon 2013."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import whole_number
from revolute.errors import InputError
from revolute.identification.closed_loop.iterations import HINT, MOST, ClosedLoopFit, Iterations, Motions, start_of
from revolute.identification.closed_loop.loop import closed_loop
from revolute.identification.fit.equations import BaseEquations
from revolute.identification.fit.error_bars import errors, measured
from revolute.identification.fit.least_squares import added, weighted
from revolute.identification.forces.base_parameters import base_columns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.forces.nearest_parameters import nearest_parameters
from revolute.identification.samples import Samples

__all__ = ["direct_inverse"]

Array = NDArray[Any]


def direct_inverse(
    model: ForceModel, log: Samples | Iterable[Samples], controller: Any, reference: Any = None, *,
    start: ArrayLike | None = None, tolerance: float = 0.1, iterations: int = MOST, decimate: int = 1,
) -> ClosedLoopFit:
    """Parameters from measured forces, and motions that are simulated. Gautier, Janot & Vandanjon 2013.

        values_{k+1} = least squares of  tau = Y(motion of values_k) values

    The motion is that of the closed loop with the reference and the controller of the log. Positions of the log do not
    count: their noise, and how they were filtered, does not bias the estimate. What the simulation does not know, as a
    wrong gain or a delay, does.

    Args:
        model: of the forces.
        log: samples, or several blocks; each is simulated from the reference at its beginning. Its forces are those
            that the controller commands at an instant, not filtered, or so little that their motion passes.
        controller: of the log: see `ClosedLoop`, which may be given too.
        reference: what it followed: see `ClosedLoop`; None for that of the controller.
        start: (p,) parameters of the first simulation; None for those of the robot's description.
        tolerance: iterations end when they change the estimate by this share of its standard errors.
        iterations: most of them.
        decimate: keep one row of so many, after the same low-pass filter for regressors and forces.

    Raises:
        InputError, ShapeError: arguments that do not fit; the closed loop cannot be simulated; no end of iterations.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import ForceModel, Samples, direct_inverse
        >>> arm, t = revolute.robots.planar(2), np.arange(1500) / 500
        >>> def swing(t):
        ...     return np.array([np.sin(3 * t), 1 - np.cos(5 * t)])
        >>> law = revolute.control.PDWithGravity(arm, swing, 400.0, 40.0)
        >>> motion = arm.simulate([0.0, 0.0], [0.0, 0.0], law, t)
        >>> tau = motion.tau + np.random.default_rng(1).normal(0, 0.1, (1500, 2))
        >>> log = Samples(t, motion.q, motion.qd, motion.qdd, tau)
        >>> model = ForceModel(arm, drives=[], offsets=False)
        >>> fit = direct_inverse(model, log, law, start=0.8 * model.values)
        >>> error = np.abs(fit.values - fit.base.matrix @ model.values)
        >>> bool(np.all(error < 4 * fit.standard_errors))
        True
    """
    motions = Motions(model, closed_loop(controller, reference), log)
    base = base_columns(model, measured(model, motions.blocks))
    parameters, every = start_of(model, start), whole_number("decimate", decimate, 1)
    known = base.matrix @ model.values
    history = [base.matrix @ parameters]
    progress = Iterations(tolerance)
    for _ in range(whole_number("iterations", iterations, 1)):
        rows = BaseEquations(motions.model, base, motions.of(parameters), every)
        sums = added(rows, base.active)
        solution, weights = weighted(sums, known)
        history.append(solution.values)
        simulated, parameters = parameters, nearest_parameters(model, base, solution.values)
        R = sums.triangle(weights)
        if progress.settled(R, base.matrix @ simulated, solution.values):
            break
        parameters = progress.following(simulated, parameters)
    else:
        raise InputError(f"direct_inverse: the estimate did not settle in {iterations} iterations; {HINT}")
    covariance, noise, freedom = errors(rows, rows.base.active, sums, solution, weights)
    return ClosedLoopFit(
        model=model,
        base=base,
        values=solution.values,
        covariance=covariance,
        parameters=parameters,
        noise=noise,
        weights=weights,
        freedom=freedom,
        rank=solution.rank,
        condition=solution.condition,
        triangle=R,
        sums=sums,
        estimator="direct_inverse",
        history=np.array(history),
    )
