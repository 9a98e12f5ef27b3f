"""Ordinary, weighted and robust least squares from triangular factors, one for each coordinate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from revolute.errors import InputError
from revolute.identification.fit.equations import BaseEquations, Chunk
from revolute.identification.fit.triangle import Triangle
from revolute.identification.samples import SMALLEST, Array

SINGULAR = 1e-10
"""Minimum singular value of the scaled columns, relative to the largest one, in a direction that the log excites."""

NEGLIGIBLE = 1e-50
"""Length of a column, relative to the longest one, that counts as zero: its fourth power does not underflow."""

CLIP, CLIPPED_VARIANCE = 1.345, 0.7101645
"""Number of standard deviations at which residuals are clipped, with 95 % efficiency for normal noise (Huber 1981); and
variance of a standard normal variable that is clipped there."""

CLOSE, MOST = 1e-6, 100
"""Relative change of the noise estimate below which the iterations end, and maximum number of iterations."""

LEAST_NOISE = 1e-9
"""Minimum noise of a joint as a fraction of its signal: it keeps the weight of a joint with an exact fit finite."""

UNEXPLAINED = 0.5
"""Maximum unexplained fraction of the squared forces. Beyond it, rows with zero forces bias all masses towards zero."""


class Sums:
    """Triangular factors of Y and tau, one for each coordinate, for any weights of the coordinates.

    Attributes:
        triangles: nv factors, of the active columns and tau.
        active: for each coordinate, the columns on which its force depends.
        width: number of columns, b.
    """

    def __init__(self, active: Array) -> None:
        self.active = [np.flatnonzero(row) for row in active]
        self.width = active.shape[1]
        self.triangles = [Triangle(len(row) + 1) for row in self.active]

    def add(self, chunk: Chunk, weights: Array | None = None) -> None:
        """Add the measured rows; weights (m, nv) multiply squares of residuals."""
        for k, (columns, triangle) in enumerate(zip(self.active, self.triangles, strict=True)):
            A = np.column_stack([chunk.Y[:, k, columns], chunk.tau[:, k]])
            there = np.isfinite(A[:, -1])
            if weights is not None:
                A *= np.sqrt(weights[:, k, None])
            if there.any():
                triangle.add(A if there.all() else A[there])

    def only(self, kept: list[int]) -> Sums:
        """The sums for a subset of the columns."""
        among = np.zeros(self.width, dtype=bool)
        among[kept] = True
        place = np.cumsum(among) - 1
        sums = Sums(np.zeros((0, len(kept)), dtype=bool))
        for columns, triangle in zip(self.active, self.triangles, strict=True):
            inside = np.flatnonzero(among[columns])
            part = Triangle(len(inside) + 1)
            part.add(triangle.R[:, [*inside, -1]])
            part.rows = triangle.rows
            sums.active.append(place[columns[inside]])
            sums.triangles.append(part)
        return sums

    @property
    def counts(self) -> Array:
        """(nv,) numbers of rows of the coordinates."""
        return np.array([triangle.rows for triangle in self.triangles])

    @property
    def signal(self) -> Array:
        """(nv,) root mean squares of the measured forces."""
        return self.rms(np.zeros(self.width))

    def triangle(self, weights: Array | None = None) -> Array:
        """(b + 1, b + 1) factor of all rows; weights (nv,) multiply squares of residuals."""
        parts = []
        for k, (columns, triangle) in enumerate(zip(self.active, self.triangles, strict=True)):
            part = np.zeros((len(triangle.R), self.width + 1))
            part[:, [*columns, self.width]] = triangle.R
            parts.append(part if weights is None else np.sqrt(weights[k]) * part)
        whole = np.concatenate([*parts, np.zeros((self.width + 1, self.width + 1))])
        return np.asarray(np.linalg.qr(whole, mode="r"))

    def squares(self, x: Array) -> Array:
        """(nv,) sums of squares of residuals."""
        residuals = [
            triangle.R[:, -1] - triangle.R[:, :-1] @ x[columns]
            for columns, triangle in zip(self.active, self.triangles, strict=True)
        ]
        return np.array([r @ r for r in residuals])

    def rms(self, x: Array) -> Array:
        """(nv,) root mean squares of residuals; 0 where nothing was measured."""
        return np.asarray(np.sqrt(self.squares(x) / np.maximum(self.counts, 1)))

    def freedom(self, solution: Solution, weights: Array) -> Array:
        """(nv,) number of rows of each coordinate minus the trace of its part of the hat matrix, at least 1."""
        shares = [
            w * np.sum((triangle.R[:, :-1] @ solution.inverse[np.ix_(columns, columns)]) * triangle.R[:, :-1])
            for w, columns, triangle in zip(weights, self.active, self.triangles, strict=True)
        ]
        return np.asarray(np.maximum(self.counts - shares, 1))

    def deviations(self, solution: Solution, weights: Array) -> Array:
        """(nv,) standard deviations of residuals."""
        return np.asarray(np.sqrt(self.squares(solution.values) / self.freedom(solution, weights)))

    def hats(self, inverse: Array, weights: Array) -> list[tuple[Array, Array]]:
        """For each coordinate, its columns, and F such that Y F F^T Y^T is its block of the hat matrix."""
        parts = zip(weights, self.active, strict=True)
        return [(columns, _root(w * inverse[np.ix_(columns, columns)])) for w, columns in parts]


def _root(A: Array) -> Array:
    """F with F F^T = A, for a possibly singular matrix A."""
    try:
        return np.asarray(np.linalg.cholesky(A))
    except np.linalg.LinAlgError:
        s, V = np.linalg.eigh(A)
        return np.asarray(V * np.sqrt(np.maximum(s, 0)))


@dataclass(frozen=True, eq=False)
class Solution:
    """The minimum of |R [x, -1]|, from a triangular factor R (b + 1, b + 1)."""

    triangle: Array  # R
    values: Array  # (b,) the minimum; equal to the known values along directions that the rows do not determine
    inverse: Array  # (b, b) pseudoinverse of Y^T Y, without those directions
    free: Array  # (b,) whether a parameter has a component along such a direction
    # rank, condition: number of determined directions; condition number of the columns, scaled to unit length
    rank: int
    condition: float


def solve(R: Array, known: Array) -> Solution:
    """Least squares with scaled columns, by QR or, if they are dependent, by SVD. Golub & Van Loan 5.5, 6.1.

    `known`: (b,) values along directions that the rows of R do not determine.
    """
    S, c = R[:, :-1], R[:, -1]
    scale = np.linalg.norm(S, axis=0)
    scale[scale <= NEGLIGIBLE * scale.max(initial=0)] = 1
    A = S / scale
    s = np.linalg.svd(A, compute_uv=False)
    if len(s) and s[-1] > SINGULAR * s[0]:
        Q, T = np.linalg.qr(A)
        half = np.linalg.inv(T) / scale[:, None]
        values = np.linalg.solve(T, Q.T @ c) / scale
        return Solution(R, values, half @ half.T, np.zeros(len(s), dtype=bool), len(s), float(s[0] / s[-1]))
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    excited = s > SINGULAR * s.max(initial=0)
    U, V = U[:, excited], Vt[excited].T
    step = V @ ((U.T @ (c - S @ known)) / s[excited]) / scale
    half = V / s[excited] / scale[:, None]
    free = np.linalg.norm(Vt[~excited], axis=0) > np.sqrt(SINGULAR)
    return Solution(R, known + step, half @ half.T, free, int(excited.sum()), np.inf)


def ordinary(sums: Sums, known: Array) -> tuple[Solution, Array]:
    """Least squares with equal weights: the solution, and weights (nv,) of 1."""
    weights = np.ones(len(sums.triangles))
    return solve(sums.triangle(), known), weights


def weighted(sums: Sums, known: Array) -> tuple[Solution, Array]:
    """Least squares with weights (nv,) 1 / variance of residuals: maximum likelihood. Gautier 1997; Aitken 1935."""
    # zero masses fit rows with zero forces, such as a base in flight, exactly: weigh these rows from the second step on
    scaled = sums.signal > 0
    weights = np.where(scaled, 1.0, 0.0) if scaled.any() else np.ones(len(scaled))
    solution = solve(sums.triangle(weights), known)
    variances = np.full(len(weights), np.nan)
    free, whole = bool(np.any(~scaled & (sums.counts > 0)) and scaled.any()), np.sum(sums.signal**2 * sums.counts)
    for _ in range(MOST):
        if free and sums.squares(solution.values)[scaled].sum() > UNEXPLAINED * whole:
            raise InputError(
                "accelerations are too noisy for rows with zero forces, as at a floating base: zero masses fit "
                "best. Use changes of momentum (momentum=0.1), or a lower cut-off frequency"
            )
        before, variances = variances, noise(sums, solution, weights) ** 2
        weights = 1 / variances
        solution = solve(sums.triangle(weights), known)
        if np.all(np.abs(variances - before) <= CLOSE * variances):
            break
    return solution, weights


def noise(sums: Sums, solution: Solution, weights: Array) -> Array:
    """(nv,) standard deviations of residuals, at least a small fraction of the signal; 1 where nothing was measured."""
    deviations = np.maximum(sums.deviations(solution, weights), LEAST_NOISE * sums.signal)
    return np.where(deviations > SMALLEST, deviations, 1.0)


def huber(rows: BaseEquations, sums: Sums, known: Array) -> tuple[Solution, Array]:
    """Least squares with clipped residuals, by iterative reweighting, and weights (nv,). Huber 1981, proposal 2.

    Each iteration is one pass over the rows.
    """
    solution, weights = weighted(sums, known)
    deviations = 1 / np.sqrt(weights)
    for _ in range(MOST):
        again, clipped = Sums(rows.base.active), np.zeros(len(weights))
        for chunk in rows:
            u = np.nan_to_num((chunk.tau - chunk.Y @ solution.values) / deviations)
            again.add(chunk, np.minimum(1, CLIP / np.maximum(np.abs(u), CLIP)))
            clipped += np.sum(np.clip(u, -CLIP, CLIP) ** 2, axis=0)
        factor = np.sqrt(clipped / sums.freedom(solution, weights) / CLIPPED_VARIANCE)
        before, deviations = deviations, np.maximum(deviations * factor, LEAST_NOISE * sums.signal)
        deviations = np.where(deviations > SMALLEST, deviations, 1.0)
        weights = deviations**-2.0
        solution = solve(again.triangle(weights), known)
        if np.all(np.abs(deviations - before) <= np.sqrt(CLOSE) * deviations):
            return solution, weights
    raise InputError(f"huber: noise estimates did not converge in {MOST} iterations; try estimator='weighted'")


def added(rows: Iterable[Chunk], active: Array) -> Sums:
    """Add all rows of the equations to new `Sums`."""
    sums = Sums(active)
    for chunk in rows:
        sums.add(chunk)
    return sums
