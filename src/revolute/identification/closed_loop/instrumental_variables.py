"""Identification by instrumental variables, IDIM-IV. Janot, Vandanjon & Gautier 2014.

    values_{k+1}:  Z^T (tau - Y values) = 0,   Z = Y(motion of values_k)

The motion is that of the closed loop with the reference and the controller of the log. It has no sensor noise, so noise
of positions in Y does not bias the estimate, in contrast to least squares. A wrong gain weakens the instruments, but
causes no bias. Positions need less filtering than for least squares, as noise averages out. Forces must belong to the
same instants: commanded forces are half a step late.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from revolute.identification.closed_loop.instruments import Exogeneity, Pairs, exogeneity
from revolute.identification.closed_loop.iterations import ClosedLoopFit, LoopEstimator, Motions
from revolute.identification.closed_loop.loop import ClosedLoop
from revolute.identification.fit.equations import BaseEquations
from revolute.identification.fit.error_bars import measured
from revolute.identification.fit.least_squares import Solution
from revolute.identification.forces.base_parameters import base_columns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples

__all__ = ["InstrumentalFit", "InstrumentalVariables"]


@dataclass(frozen=True, eq=False, repr=False)
class InstrumentalFit(ClosedLoopFit):
    """A `Fit` by instrumental variables.

    Attributes:
        exogeneity: test whether least squares are unbiased.
        strength: smallest correlation of a combination of the regressor's columns with the instruments; below about 0.3
            the estimate of that combination is poor, and its standard error too small.
    """

    exogeneity: Exogeneity
    strength: float

    def to_dict(self) -> dict[str, Any]:
        """The data of a `ClosedLoopFit`, the test of exogeneity and the strength of instruments."""
        more = {"exogeneity": self.exogeneity.probability, "strength": self.strength}
        return {**super().to_dict(), **more}


class InstrumentalVariables(LoopEstimator):
    """Estimates with instruments from simulated motions."""

    def __init__(self, model: ForceModel, log: Samples | Iterable[Samples], loop: ClosedLoop, every: int) -> None:
        self._motions, self._every = Motions(model, loop, log), every
        self.base = base_columns(model, measured(model, self._motions.blocks))
        self._rows = BaseEquations(model, self.base, self._motions.blocks, every)

    def estimate(self, parameters: Array, known: Array) -> tuple[Solution, Array, Array]:
        self._instruments = BaseEquations(self._motions.model, self.base, self._motions.of(parameters), self._every)
        self._pairs = Pairs(self._rows, self._instruments)
        solution, weights = self._pairs.solve(known)
        return solution, weights, self._pairs.normal(solution, weights)

    def fit(self, solution: Solution, weights: Array, found: dict[str, Any]) -> InstrumentalFit:
        covariance, noise, freedom = self._pairs.errors(solution, weights)
        return InstrumentalFit(
            **found,
            covariance=covariance,
            noise=noise,
            freedom=freedom,
            sums=self._pairs.plain,
            exogeneity=exogeneity(self._rows, self._instruments, self._pairs, weights),
            strength=self._pairs.strength(weights),
        )
