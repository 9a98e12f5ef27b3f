"""Identification from forces alone: direct and inverse dynamic models, DIDIM. Gautier, Janot & Vandanjon 2013.

    values_{k+1} = least squares of  tau = Y(motion of values_k) values

The motion is that of the closed loop, simulated with the log's reference and controller. Positions of the log are not
used, so their noise and filters do not bias the estimate; wrong gains and delays do. Forces must be those commanded at
the time of each sample, unfiltered or low-pass filtered well above the motion's frequencies.
"""

from collections.abc import Iterable
from typing import Any

from revolute.identification.closed_loop.iterations import ClosedLoopFit, LoopEstimator, Motions
from revolute.identification.closed_loop.loop import ClosedLoop
from revolute.identification.fit.equations import BaseEquations
from revolute.identification.fit.least_squares import Solution, added, weighted
from revolute.identification.fit.linear_fit import errors, measured
from revolute.identification.forces.base_parameters import base_columns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples


class DirectInverse(LoopEstimator):
    """Least squares for the measured forces with regressors along simulated motions."""

    def __init__(self, model: ForceModel, log: Samples | Iterable[Samples], loop: ClosedLoop, every: int) -> None:
        self._motions, self._every = Motions(model, loop, log), every
        self.base = base_columns(model, measured(model, self._motions.blocks))

    def estimate(self, parameters: Array, known: Array) -> tuple[Solution, Array, Array]:
        self._rows = BaseEquations(self._motions.model, self.base, self._motions.of(parameters), self._every)
        self._sums = added(self._rows, self.base.active)
        solution, weights = weighted(self._sums, known)
        return solution, weights, self._sums.triangle(weights)

    def fit(self, solution: Solution, weights: Array, found: dict[str, Any]) -> ClosedLoopFit:
        covariance, noise, freedom = errors(self._rows, self.base.active, self._sums, solution, weights)
        return ClosedLoopFit(**found, covariance=covariance, noise=noise, freedom=freedom, sums=self._sums)
