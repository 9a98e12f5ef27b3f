"""Identification by instrumental variables, IDIM-IV. Janot, Vandanjon & Gautier 2014.

    values_{k+1}:  Z^T (tau - Y values) = 0,   Z = Y(motion of values_k)

The motion is that of the closed loop, simulated with the log's reference and controller, without sensor noise. So noise
of positions in Y does not bias the estimate, in contrast to least squares. A wrong gain weakens the instruments, but
causes no bias. Positions need less filtering than for least squares, as noise averages out. Forces and positions must
be sampled at the same times; commanded forces are half a time step late.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from revolute.identification.closed_loop.iterations import ClosedLoopFit, LoopEstimator, Motions
from revolute.identification.closed_loop.loop import ClosedLoop
from revolute.identification.fit.equations import BaseEquations, Chunk
from revolute.identification.fit.least_squares import CLOSE, Solution, Sums, added, noise, solve
from revolute.identification.fit.least_squares import MOST as MOST_WEIGHTS
from revolute.identification.fit.linear_fit import in_windows, measured
from revolute.identification.fit.residual_correlation import Correlation, correlations, f_probability, spread
from revolute.identification.forces.base_parameters import base_columns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.blocks import Passes
from revolute.identification.samples import Array, Samples


@dataclass(frozen=True, eq=False, repr=False)
class InstrumentalFit(ClosedLoopFit):
    """A `Fit` by instrumental variables.

    Attributes:
        exogeneity: test of whether ordinary least squares are biased by noise in the regressor.
        strength: smallest correlation of a combination of the regressor's columns with the instruments; below about 0.3
            the estimate of that combination is poor, and its standard error too small.
    """

    exogeneity: Exogeneity
    strength: float

    def to_dict(self) -> dict[str, Any]:
        """The data of `ClosedLoopFit.to_dict`, the exogeneity test and the strength of the instruments."""
        return {**super().to_dict(), "exogeneity": self.exogeneity.probability, "strength": self.strength}


class InstrumentalVariables(LoopEstimator):
    """Estimates by instrumental variables, with instruments from simulated motions."""

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
            **found, covariance=covariance, noise=noise, freedom=freedom, sums=self._pairs.plain,
            exogeneity=exogeneity(self._rows, self._instruments, self._pairs, weights),
            strength=self._pairs.strength(weights),
        )


EXPLAINED = 1e-9
"""Length of a column minus its projection on the instruments, relative to the column, that counts as rounding."""

LEAST = 0.1
"""Minimum variance of an estimate, relative to the variance by sums over windows. The estimated spectrum may vanish if
residuals have hardly any power at the frequencies of the motion, as with twice differentiated position noise."""

NOTHING = 1e-10
"""Singular value of the scaled columns, relative to the largest one, below which a singular value counts as zero."""


@dataclass(frozen=True)
class Exogeneity:
    """The Durbin-Wu-Hausman test of whether least squares are biased.

    Attributes:
        statistic: F statistic of the parts of the regressor that the instruments do not explain.
        directions: number of these parts.
        probability: p-value: probability of a larger F if the regressor is uncorrelated with the noise. If small, least
            squares are biased with this log and this filter.
    """

    statistic: float
    directions: int
    probability: float


class Pairs:
    """Triangular factors of [Z Y tau], one for each coordinate; Z contains the instruments of the columns Y.

    With R = [[R_zz, R_zy, r_z], [0, R_yy, r_y], [0, 0, r]], the solution of Z^T W (Y x - tau) = 0 is that of
    R_zy x = r_z, without products of Z and Y, which would square their condition number.
    """

    def __init__(self, rows: BaseEquations, instruments: BaseEquations) -> None:
        self._rows, self._instruments, self._active = rows, instruments, rows.base.active
        self.width = self._active.shape[1]
        self._both = Sums(np.concatenate([self._active, self._active], axis=1))
        self.plain = Sums(self._active)
        self._kept: tuple[Array, Array] = (np.zeros(0), np.zeros((0, 0)))
        for chunk, other in zip(rows, instruments, strict=True):
            self._both.add(Chunk(np.concatenate([other.Y, chunk.Y], axis=2), chunk.tau, chunk.continues))
        for triangle, both in zip(self.plain.triangles, self._both.triangles, strict=True):
            triangle.add(both.R[:, both.R.shape[1] // 2 :])
            triangle.rows = both.rows

    def factor(self, weights: Array) -> Array:
        """(2 b + 1, 2 b + 1) factor of all rows; weights (nv,) multiply squared residuals. The latest is cached."""
        if not np.array_equal(self._kept[0], weights):
            self._kept = weights, self._both.triangle(weights)
        return self._kept[1]

    def solve(self, known: Array) -> tuple[Solution, Array]:
        """The estimate, and (nv,) weights 1 / variance of residuals. Janot, Vandanjon & Gautier 2014."""
        weights, b = np.ones(len(self.plain.triangles)), self.width
        variances = np.full(len(weights), np.nan)
        for _ in range(MOST_WEIGHTS):
            solution = solve(self.factor(weights)[:b, b:], known)
            before, variances = variances, noise(self.plain, solution, weights) ** 2
            if np.all(np.abs(variances - before) <= CLOSE * variances):
                break
            weights = 1 / variances
        return solution, weights

    def normal(self, solution: Solution, weights: Array) -> Array:
        """(b + 1, b + 1) R of least squares with the same estimate and residual."""
        b = self.width
        R = self.factor(weights)[:b, b:]
        rest = np.sqrt(np.sum(weights * self.plain.squares(solution.values)))
        return np.asarray(np.linalg.qr(np.concatenate([R, [[*np.zeros(b), rest]]]), mode="r"))

    def strength(self, weights: Array) -> float:
        """Smallest correlation of a combination of columns with instruments: 1 without noise, 0 without correlation."""
        R, b = self.factor(weights), self.width
        U, s, _ = np.linalg.svd(R[:, b : 2 * b] / _lengths(R[:, b : 2 * b]), full_matrices=False)
        return float(np.linalg.svd(U[:b, s > NOTHING * s.max(initial=0)], compute_uv=False).min(initial=1.0))

    def errors(self, solution: Solution, weights: Array) -> tuple[Array, Array, float]:
        """Covariance of the estimate, noise of each coordinate, degrees of freedom."""
        found = correlations(self._rows, solution.values, self.plain.hats(solution.inverse, weights))
        R, b = self.factor(weights), self.width
        outside = _pseudo_inverse(R[:b, b : 2 * b]) @ _pseudo_inverse(R[:b, :b]).T
        covariance = _sandwich(self._rows, self._instruments, self._active, found, solution.values, weights, outside)
        covariance[np.diag_indices(b)] += np.where(solution.free, np.inf, 0)
        freedom = sum(each.independent for each in found) - solution.rank
        return covariance, self.plain.deviations(solution, weights), freedom

    def first_stage(self, weights: Array) -> tuple[Array, Array]:
        """(b, b) G of the projections Z G of the columns; (b,) whether a column minus its projection is significant."""
        R, b = self.factor(weights), self.width
        rest, whole = (np.linalg.norm(R[a : 2 * b, b : 2 * b], axis=0) for a in (b, 0))
        return _pseudo_inverse(R[:b, :b]) @ R[:b, b : 2 * b], rest > EXPLAINED * whole


def exogeneity(rows: BaseEquations, instruments: BaseEquations, pairs: Pairs, weights: Array) -> Exogeneity:
    """Test by a regression on [Y, Y - Z G]. Durbin 1954; Wu 1973; Hausman 1978; Janot, Vandanjon & Gautier 2014."""
    G, noisy = pairs.first_stage(weights)
    if not noisy.any():
        return Exogeneity(0.0, 0, 1.0)
    b, everywhere = pairs.width, np.repeat(pairs.plain.counts[:, None] > 0, noisy.sum(), axis=1)
    active = np.concatenate([rows.base.active, everywhere], axis=1)

    def chunks() -> Iterator[Chunk]:
        for chunk, other in zip(rows, instruments, strict=True):
            rest = (chunk.Y - other.Y @ G)[..., noisy]
            yield Chunk(np.concatenate([chunk.Y, rest], axis=2), chunk.tau, chunk.continues)

    augmented = Passes(chunks, 0)
    sums = added(augmented, active)
    solution = solve(sums.triangle(weights), np.zeros(active.shape[1]))
    found = correlations(augmented, solution.values, sums.hats(solution.inverse, weights))
    gamma, scale, outside = solution.values[b:], 1 / np.sqrt(np.diag(solution.inverse)[b:]), solution.inverse[b:]
    covariance = _sandwich(augmented, augmented, active, found, solution.values, weights, outside)
    inverse = np.linalg.pinv(covariance * scale[:, None] * scale, rcond=NOTHING, hermitian=True)
    F = float((gamma * scale) @ inverse @ (gamma * scale)) / len(gamma)
    freedom = sum(each.independent for each in found) - solution.rank
    return Exogeneity(F, len(gamma), f_probability(F, len(gamma), freedom))


def _sandwich(
    rows: Iterable[Chunk], instruments: Iterable[Chunk], active: Array, found: list[Correlation], values: Array,
    weights: Array, outside: Array,
) -> Array:
    """Covariance of the estimate from spectra of the residuals; if a variance is too small, from sums over windows."""
    middle, windows = spread(instruments, active, found, weights), in_windows(rows, instruments, values, weights)
    covariance, least = (outside @ part @ outside.T for part in (middle, windows))
    return np.asarray(least if np.any(np.diag(covariance) < LEAST * np.diag(least)) else covariance)


def _lengths(A: Array) -> Array:
    """Euclidean norms of the columns; 1 for zero columns."""
    lengths = np.linalg.norm(A, axis=0)
    return np.where(lengths > 0, lengths, 1)


def _pseudo_inverse(A: Array) -> Array:
    """The pseudoinverse, with columns scaled so that their units do not matter."""
    lengths = _lengths(A)
    return np.asarray(np.linalg.pinv(A / lengths, rcond=NOTHING) / lengths[:, None])
