"""Identification by instrumental variables, IDIM-IV. Janot, Vandanjon & Gautier 2014."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import whole_number
from revolute.errors import InputError
from revolute.identification.closed_loop.instruments import Exogeneity, Pairs, exogeneity
from revolute.identification.closed_loop.iterations import HINT, MOST, ClosedLoopFit, Iterations, Motions, start_of
from revolute.identification.closed_loop.loop import closed_loop
from revolute.identification.fit.equations import BaseEquations
from revolute.identification.fit.error_bars import measured
from revolute.identification.forces.base_parameters import base_columns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.forces.nearest_parameters import nearest_parameters
from revolute.identification.samples import Samples

__all__ = ["InstrumentalFit", "instrumental"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class InstrumentalFit(ClosedLoopFit):
    """A `Fit` by instrumental variables: see `instrumental`.

    Attributes:
        exogeneity: whether least squares would have been as good.
        strength: smallest correlation of a combination of the regressor's columns with the instruments; below about
            0.3 the estimate of that combination is poor, and its error bar too small.
    """

    exogeneity: Exogeneity
    strength: float

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold: that of a `ClosedLoopFit`, the test of exogeneity and the strength of instruments."""
        more = {"exogeneity": self.exogeneity.probability, "strength": self.strength}
        return {**super().to_dict(), **more}


def instrumental(
    model: ForceModel, log: Samples | Iterable[Samples], controller: Any, reference: Any = None, *,
    start: ArrayLike | None = None, tolerance: float = 0.1, iterations: int = MOST, decimate: int = 1,
) -> InstrumentalFit:
    """Parameters by instrumental variables from simulations of the closed loop. Janot, Vandanjon & Gautier 2014.

        values_{k+1}:  Z^T (tau - Y values) = 0,   Z = Y(motion of values_k)

    The motion is that of the closed loop with the reference and the controller of the log. It knows no noise of
    sensors, so noise of positions in Y does not bias the estimate, as it does that of least squares. A wrong gain makes
    instruments weaker, and no bias.

    Args:
        model: of the forces.
        log: samples, or several blocks; each is simulated from the reference at its beginning. Positions need less
            filtering than least squares do: what passes averages out; what a filter takes from the motion is lost.
            Forces must belong to the same instants: those that a controller commands are half a step late.
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
        >>> from revolute.identification import ForceModel, Samples, instrumental
        >>> arm, t = revolute.robots.planar(2), np.arange(1500) / 500
        >>> def swing(t):
        ...     return np.array([np.sin(3 * t), 1 - np.cos(5 * t)])
        >>> law = revolute.control.PDWithGravity(arm, swing, 400.0, 40.0)
        >>> motion = arm.simulate([0.0, 0.0], [0.0, 0.0], law, t)
        >>> rng = np.random.default_rng(1)
        >>> qdd = motion.qdd + rng.normal(0, 5.0, (1500, 2))
        >>> tau = motion.tau + rng.normal(0, 0.1, (1500, 2))
        >>> log = Samples(t, motion.q, motion.qd, qdd, tau)
        >>> model = ForceModel(arm, drives=[], offsets=False)
        >>> fit = instrumental(model, log, law, start=0.8 * model.values)
        >>> error = np.abs(fit.values - fit.base.matrix @ model.values)
        >>> bool(np.all(error < 4 * fit.standard_errors))
        True
        >>> # noise of accelerations biases least squares
        >>> bool(fit.exogeneity.probability < 0.01)
        True
    """
    motions = Motions(model, closed_loop(controller, reference), log)
    base = base_columns(model, measured(model, motions.blocks))
    parameters, every = start_of(model, start), whole_number("decimate", decimate, 1)
    rows = BaseEquations(model, base, motions.blocks, every)
    known = base.matrix @ model.values
    history = [base.matrix @ parameters]
    progress = Iterations(tolerance)
    for _ in range(whole_number("iterations", iterations, 1)):
        instruments = BaseEquations(motions.model, base, motions.of(parameters), every)
        pairs = Pairs(rows, instruments)
        solution, weights = pairs.solve(known)
        history.append(solution.values)
        simulated, parameters = parameters, nearest_parameters(model, base, solution.values)
        R = pairs.normal(solution, weights)
        if progress.settled(R, base.matrix @ simulated, solution.values):
            break
        parameters = progress.following(simulated, parameters)
    else:
        raise InputError(f"instrumental: the estimate did not settle in {iterations} iterations; {HINT}")
    covariance, noise, freedom = pairs.errors(solution, weights)
    return InstrumentalFit(
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
        sums=pairs.plain,
        estimator="instrumental",
        history=np.array(history),
        exogeneity=exogeneity(rows, instruments, pairs, weights),
        strength=pairs.strength(weights),
    )
