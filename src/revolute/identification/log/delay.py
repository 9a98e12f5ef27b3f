"""The delay between positions and forces of a log, to a fraction of a sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from revolute.errors import InputError, extra
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.resampling import at_times, slopes_of
from revolute.identification.samples import Samples

TRIED = 20
"""Number of delays on each side of zero in the first grid, whose spacing is short compared with the motion."""

MOST_ROWS = 1500
"""Maximum number of samples from which the delay is estimated."""

MOST = 0.05
"""Default of the maximum delay in the search [s]."""

DEPENDENT = 1e-9
"""Singular value of the scaled columns, relative to the largest one, below which a singular value counts as zero."""


@dataclass(frozen=True)
class Delay:
    """Delay of the forces of a log relative to its positions.

    Attributes:
        seconds: forces recorded at t belong to the motion at t - seconds; negative if positions are late.
        residual, residual_without: unexplained fraction of the forces, at that delay and as recorded.
        at_limit: whether the best delay is the maximum of the search; the true one is longer, or there is none.
    """

    seconds: float
    residual: float
    residual_without: float
    at_limit: bool

    def __str__(self) -> str:
        least = "at least " if self.at_limit else ""
        return (
            f"forces are {least}{1e3 * self.seconds:.3g} ms late: {100 * self.residual:.3g} % of them are unexplained, "
            f"{100 * self.residual_without:.3g} % as recorded"
        )


def torque_delay(model: ForceModel, samples: Samples, most: float = MOST) -> Delay:
    """The delay of forces with the smallest residual of a fit. Golub and Pereyra 1973: variable projection.

    With an orthonormal basis Q of the regressor the residual is |tau(t + d)|^2 - |Q^T tau(t + d)|^2. The search is on
    a grid of samples, then between them. Forces between samples are cubic polynomials. If the model lacks friction,
    friction appears as a delay. `samples` are all rows of a motion without gaps; `most` is in both directions [s].
    """
    step = float(np.median(np.diff(samples.t))) if len(samples) > 1 else np.inf
    steps = int(np.ceil(most / step)) if most > 0 and np.isfinite(step) else 0
    if steps < 1 or len(samples) < 2 * steps + len(model.names):
        raise InputError(
            f"torque_delay: {len(samples)} samples {step:.3g} s apart are too few for delays of up to {most:.3g} s and "
            f"{len(model.names)} parameters"
        )
    every = max(1, (len(samples) - 2 * steps) // MOST_ROWS)
    at = np.arange(steps + 1, len(samples) - steps - 1, every)
    cost = _cost(model, samples[at], samples)
    grid = np.linspace(-most, most, 2 * min(steps, TRIED) + 1)
    costs = [cost(d) for d in grid]
    k = int(np.argmin(costs))
    at_limit = k in (0, len(grid) - 1)
    best = float(grid[k])
    if not at_limit:
        from scipy.optimize import minimize_scalar

        low, high = grid[k - 1], grid[k + 1]
        options = {"xatol": 1e-4 * (high - low)}
        best = float(minimize_scalar(cost, bounds=(low, high), method="bounded", options=options).x)
    return Delay(best, float(np.sqrt(cost(best))), float(np.sqrt(cost(0.0))), at_limit)


def _cost(model: ForceModel, rows: Samples, samples: Samples) -> Callable[[float], float]:
    """The unexplained fraction of the squared forces as a function of the delay; all joints have equal weights."""
    t, tau, measured = samples.t, samples.tau, samples.measured
    if not len(measured):
        raise InputError("torque_delay: no force was measured in all samples")
    scale = np.std(tau[:, measured], axis=0)
    Y = model.regressor(rows)[:, measured] / scale[:, None]
    A = Y.reshape(-1, Y.shape[-1])
    lengths = np.linalg.norm(A, axis=0)
    with extra("the search for a delay needs SciPy", "scipy"):
        from scipy.linalg import orth
    basis = orth(A[:, lengths > 0] / lengths[lengths > 0], rcond=DEPENDENT)
    recorded = tau[:, measured]
    slopes = slopes_of(t, recorded)

    def cost(delay: float) -> float:
        forces = (at_times(t, recorded, rows.t + delay, slopes) / scale).reshape(-1)
        total = float(forces @ forces)
        return max(total - float(np.sum((basis.T @ forces) ** 2)), 0.0) / total

    return cost


