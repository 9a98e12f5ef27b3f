"""Derivatives of sampled positions: a least-squares quintic spline, with knots selected by cross-validation.

Every m-th sample is a knot; the larger m, the smoother the curve. Among m = 2, 4, 8, ...
generalized cross-validation (Craven & Wahba 1979),

    GCV(m) = (RSS / n) / (1 - p / n)^2,       p coefficients, n samples,

finds the best prediction. The relative standard deviation of RSS is sqrt(2 / n); the smoothest curve whose GCV is at
most this fraction above the minimum is selected. Without noise, m is small, and accelerations are accurate to O(h^4).
"""

from dataclasses import dataclass

import numpy as np

from revolute.arguments import Array
from revolute.errors import TrajectoryError, extra

DEGREE = 5
MIN_ROWS = 10  # minimum number of samples for a fit, because a quintic polynomial has 6 coefficients
HOPELESS = 100.0  # factor by which every column's GCV exceeds its minimum when the search for wider knot spacings ends
ROUNDING = 8 * np.finfo(float).eps
"""Residuals below this fraction of the largest sample are rounding errors, and closer knots are not tried."""
OVERFLOW = "no spline can be computed: times are too uneven, or numbers too large; check their units"


@dataclass(frozen=True)
class SplineFit:
    """Knots and residuals of a fitted spline.

    Attributes:
        every: number of samples between knots, for each column.
        interval: median time between samples [s].
        residual: root mean square residual of each column [unit of the column].
        chosen: whether the knots were selected by cross-validation.
    """

    every: tuple[int, ...]
    interval: float
    residual: tuple[float, ...]
    chosen: bool

    def __str__(self) -> str:
        low, high = (f"{bound(self.every) * self.interval * 1e3:.4g}" for bound in (min, max))
        apart = low if low == high else f"{low} to {high}"
        how = "chosen by cross-validation" if self.chosen else "as asked for"
        left = f"residual at most {max(self.residual):.2g} rms"
        return f"a smoothing spline of degree {DEGREE}, knots {apart} ms apart ({how}), {left}"


def fit(t: Array, y: Array, every: int | None = None) -> tuple[tuple[Array, Array, Array], SplineFit]:
    """Smoothed columns of y (n, k) at times t (n,) [s] with their first and second derivatives, and a `SplineFit`.

    `every` is the number of samples between knots, by default selected for each column. Raise `TrajectoryError` if
    there are too few samples, if `every` does not fit them, or if numbers overflow.
    """
    n = len(t)
    if n < MIN_ROWS:
        raise TrajectoryError(f"a smoothing spline needs at least {MIN_ROWS} rows, not {n}")
    if every is not None and not 2 <= every <= n // 2:
        raise TrajectoryError(f"knots must be 2 to {n // 2} samples apart for {n} rows, not {every}")
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        try:
            curves, spacing = _fitted(t - t[0], y, every)
        except (np.linalg.LinAlgError, ValueError):  # the band matrix is not finite and positive definite
            raise TrajectoryError(OVERFLOW) from None
        residual = np.sqrt(np.mean((y - curves[0]) ** 2, axis=0))
    if not np.isfinite(curves).all():
        raise TrajectoryError(OVERFLOW)
    report = SplineFit(tuple(spacing.tolist()), float(np.median(np.diff(t))), tuple(residual.tolist()), every is None)
    return (curves[0], curves[1], curves[2]), report


def _fitted(t: Array, y: Array, every: int | None) -> tuple[Array, Array]:
    """(3, n, k) values and derivatives with the widest suitable knot spacing, and this spacing for each column."""
    fits = _candidates(t, y, every)
    scores = np.array([score for *_, score in fits.values()])
    close_to_best = scores <= scores.min(axis=0) * (1 + np.sqrt(2 / len(t)))
    spacing = np.array(list(fits))[len(fits) - 1 - np.argmax(close_to_best[::-1], axis=0)]
    curves = np.empty((3, *y.shape))
    for m in set(spacing.tolist()):
        curves[:, :, spacing == m] = _curves(t, fits[m][0], fits[m][1][:, spacing == m])
    return curves, spacing


def _candidates(t: Array, y: Array, every: int | None) -> dict[int, tuple[Array, Array, Array]]:
    """Fits as {number of samples between knots: (knots, (p, k) coefficients, (k,) values of GCV)}."""
    fits: dict[int, tuple[Array, Array, Array]] = {}
    best = np.full(y.shape[1], np.inf)
    m = every or 2
    while m <= len(t) // 2:
        knots, coefficients, rss = _least_squares(t, y, m)
        score = rss / len(t) / (1 - len(coefficients) / len(t)) ** 2
        score = np.maximum(score, (ROUNDING * abs(y).max(axis=0)) ** 2)
        fits[m] = knots, coefficients, score
        best = np.minimum(best, score)
        if every or (score > HOPELESS * best).all():
            break
        m *= 2
    return fits


def _least_squares(t: Array, y: Array, m: int) -> tuple[Array, Array, Array]:
    """Knots, coefficients and residual sums of squares of the spline with a knot at every m-th sample."""
    # The normal equations are banded. SciPy's `make_lsq_spline` also solves them, but in O(n^2) time.
    with extra("deriving velocities and accelerations needs SciPy", "scipy"):
        from scipy.interpolate import BSpline
        from scipy.linalg import solveh_banded
    knots = np.concatenate([np.repeat(t[0], DEGREE + 1), t[m:-m:m], np.repeat(t[-1], DEGREE + 1)])
    basis = BSpline.design_matrix(t, knots, DEGREE)
    normal = basis.T @ basis
    band = np.zeros((DEGREE + 1, normal.shape[0]))
    for k in range(DEGREE + 1):
        band[k, : normal.shape[0] - k] = normal.diagonal(-k)
    coefficients = solveh_banded(band, basis.T @ y, lower=True)
    return knots, coefficients, ((y - basis @ coefficients) ** 2).sum(axis=0)


def _curves(t: Array, knots: Array, coefficients: Array) -> Array:
    from scipy.interpolate import BSpline

    spline = BSpline(knots, coefficients, DEGREE)
    return np.stack([spline(t, k) for k in range(3)])
