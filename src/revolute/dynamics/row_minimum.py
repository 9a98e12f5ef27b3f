"""Minimum of a small convex quadratic function under linear inequalities, by interior points, for any scalar type.

Mehrotra 1992. Each step takes one factorization and two solutions. Problems take about ten steps, and up to 45 if
inequalities contradict each other.
"""

from typing import Any

from revolute.dynamics.mobility import dot
from revolute.dynamics.sparse_factorization import factors_of, filled, is_zero
from revolute.spatial import Rows, Scalar, Scalars, converged, mirrored, select
from revolute.spatial.dual import TINY

STEPS = 60  # maximum number of steps
ENOUGH = 1e-12  # mean of s y, and residuals, relative to the sizes of g and y, with which steps end
INSIDE = 0.995  # share of the way to the boundary that a step goes


def row_minimum(
    H: Rows, g: Scalars, A: Rows, upper: Scalars, softness: Scalars, start: Scalars, first: Any
) -> list[Scalar]:
    """The z that minimizes z^T H z / 2 + g^T z + sum_k t_k^2 / (2 softness_k), with A z <= upper + t.

    With slacks s = upper - A z + softness y >= 0 and multipliers y >= 0, Newton steps follow s_k y_k = mu to mu = 0.

    Args:
        H: lower triangle of a positive definite matrix with a diagonal of about one.
        A: rows of coefficients; structural zeros are skipped.
        softness: zero for rows without t_k, which hold exactly.
        start: the initial z.
        first: condition of the first step; where it does not hold, z is `start`.
    """
    n, N = len(g), max(len(A), 1)
    places = [[i for i, x in enumerate(row) if not is_zero(x)] for row in A]
    size = 1 + sum(abs(x) for x in g)
    full = mirrored(H)

    def back(y: Scalars) -> list[Scalar]:
        """A^T y."""
        result: list[Scalar] = [0] * n
        for row, at, value in zip(A, places, y, strict=True):
            for i in at:
                result[i] = result[i] + row[i] * value
        return result

    def step(x: Any, memory: Any) -> Any:
        z, s, y = x
        beyond = [u - dot(row, z) + e * b - a for u, row, e, a, b in zip(upper, A, softness, s, y, strict=True)]
        slope = [dot(row, z) + a + b for row, a, b in zip(full, g, back(y), strict=True)]
        mu = dot(s, y) * (1 / N)
        weak = [1 / (a + e * b) for a, b, e in zip(s, y, softness, strict=True)]
        K = [list(row) for row in H]
        for row, at, b, w in zip(A, places, y, weak, strict=True):
            for i in at:
                for j in at[: at.index(i) + 1]:
                    K[i][j] = K[i][j] + row[i] * row[j] * (b * w)
        F = factors_of(filled(K), K)

        def direction(target: Scalars) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
            """The Newton step dz, ds and dy, for which y ds + s dy = target."""
            pull = [(c - b * r) * w for c, b, r, w in zip(target, y, beyond, weak, strict=True)]
            dz = F.solve([-a - b for a, b in zip(slope, back(pull), strict=True)])
            dy = [p + b * w * dot(row, dz) for p, b, w, row in zip(pull, y, weak, A, strict=True)]
            ds = [r - dot(row, dz) + e * d for r, row, e, d in zip(beyond, A, softness, dy, strict=True)]
            return dz, ds, dy

        _, ds, dy = direction([-a * b for a, b in zip(s, y, strict=True)])
        share = _reach(s, y, ds, dy)
        ahead = sum((a + share * c) * (b + share * d) for a, b, c, d in zip(s, y, ds, dy, strict=True)) * (1 / N)
        centering = ahead / (mu + TINY)
        aim = centering * centering * centering * mu
        dz, ds, dy = direction([aim - a * b - c * d for a, b, c, d in zip(s, y, ds, dy, strict=True)])
        share = INSIDE * _reach(s, y, ds, dy)
        after = tuple([a + share * d for a, d in zip(*pair, strict=True)] for pair in ((z, dz), (s, ds), (y, dy)))
        left = mu + sum(abs(x) for x in (*slope, *beyond))
        return after, (), left > ENOUGH * (size + sum(y))

    if not A:
        return factors_of(filled(H), H).solve([-x for x in g])
    slacks = [u - dot(row, start) for u, row in zip(upper, A, strict=True)]
    begin = list(start), [select(x > 0.1, x, 0.1) for x in slacks], [0.1] * N
    (z, _, _), _ = converged(step, begin, most=STEPS, first=first)
    return list(z)


def _reach(s: Scalars, y: Scalars, ds: Scalars, dy: Scalars) -> Scalar:
    """The largest fraction of a step, at most 1, that keeps s and y positive."""
    share: Scalar = 1.0
    for x, d in (*zip(s, ds, strict=True), *zip(y, dy, strict=True)):
        share = select(x + share * d < 0, -x / select(d < 0, d, -1.0), share)
    return share
