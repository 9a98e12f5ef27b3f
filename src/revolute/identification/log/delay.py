"""The delay between positions and forces of a log, to a fraction of a sample."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from revolute.errors import InputError
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.decimation import HALF, Decimation, decimation_factor, low_pass_taps
from revolute.identification.log.filters import advised_cutoff
from revolute.identification.log.resampling import at_times, slopes_of
from revolute.identification.samples import Array, Samples, scipy

TRIED = 20  # number of delays on each side of zero in the first grid, whose spacing is short compared with the motion

MOST_ROWS, CHUNK = 1500, 2048
"""Maximum number of filtered instants from which the delay is estimated; and number of instants per regressor."""

MOST = 0.05  # default of the maximum delay in the search [s]

DEPENDENT = 1e-9
"""Singular value of the scaled columns, relative to the largest one, below which a singular value counts as zero."""


@dataclass(frozen=True)
class Delay:
    """Delay of the forces of a log relative to its positions.

    Attributes:
        seconds: forces recorded at t belong to the motion at t - seconds; negative if positions are late.
        residual, residual_without: unexplained fraction of the forces, at that delay and as recorded.
        at_limit: whether the best delay is the maximum of the search; the true delay may then be longer, or zero.
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
    a grid of delays, then between its points. One filter smooths regressor and forces: see `Decimation`. Samples
    determine the time of a friction jump only to within one step, so jumps may have other delays. If the model lacks
    friction, friction appears as a delay. `samples` are all rows of a motion without gaps, with unfiltered forces;
    `most` is the maximum delay in both directions [s].
    """
    step = float(np.median(np.diff(samples.t))) if len(samples) > 1 else np.inf
    steps = int(np.ceil(most / step)) if most > 0 and np.isfinite(step) else 0
    least = len(model.names) + 2 * HALF
    if steps < 1 or len(samples) < 2 * (steps + 1 + least):
        raise InputError(
            f"delay 'auto': {len(samples)} samples {step:.3g} s apart are too few for delays of up to {most:.3g} s and "
            f"{len(model.names)} parameters"
        )
    inner = slice(steps + 1, len(samples) - steps - 1)
    advised = max(2, decimation_factor(step, advised_cutoff(samples.q, 1 / step)))
    cost = _cost(model, samples, inner, min(advised, (inner.stop - inner.start) // least))
    grid = np.linspace(-most, most, 2 * min(steps, TRIED) + 1)
    costs = [cost(d) for d in grid]
    k = int(np.argmin(costs))
    at_limit = k in (0, len(grid) - 1)
    best = float(grid[k])
    if not at_limit:
        low, high = grid[k - 1], grid[k + 1]
        options = {"xatol": 1e-4 * (high - low)}
        best = float(scipy().optimize.minimize_scalar(cost, bounds=(low, high), method="bounded", options=options).x)
    return Delay(best, float(np.sqrt(cost(best))), float(np.sqrt(cost(0.0))), at_limit)


def _cost(model: ForceModel, samples: Samples, inner: slice, every: int) -> Callable[[float], float]:
    """The function delay -> unexplained fraction of the squared forces; every `every`-th row of `inner` is kept."""
    t, measured = samples.t, samples.measured
    if not len(measured):
        raise InputError("delay 'auto': no force that is measured in all samples varies; give the delay in seconds")
    rows = samples[inner][: (MOST_ROWS + 2 * HALF) * every]
    decimation, parts = Decimation(every), []
    for at in range(0, len(rows), CHUNK):
        Y = _with_jumps(model, samples[inner.start + at - 1 : inner.start + min(at + CHUNK, len(rows))])
        parts.append(decimation.add(Y, rows.tau[at : at + CHUNK])[0][:, measured])
    Y, scale = np.concatenate(parts), np.std(samples.tau[:, measured], axis=0)
    A = (Y / scale[:, None]).reshape(-1, Y.shape[-1])
    lengths = np.linalg.norm(A, axis=0)
    basis = scipy().linalg.orth(A[:, lengths > 0] / lengths[lengths > 0], rcond=DEPENDENT)
    kept = rows.t[HALF * every :: every][: len(Y)]
    recorded = samples.tau[:, measured] / scale
    recorded = scipy().signal.oaconvolve(recorded, low_pass_taps(every)[:, None], mode="same", axes=0)
    slopes = slopes_of(t, recorded)

    def cost(delay: float) -> float:
        forces = at_times(t, recorded, kept + delay, slopes).reshape(-1)
        total = float(forces @ forces)
        return max(total - float(np.sum((basis.T @ forces) ** 2)), 0.0) / total

    return cost


def _with_jumps(model: ForceModel, samples: Samples) -> Array:
    """The regressor of all samples but the first, and changes of its friction columns since the sample before."""
    Y, dry = model.regressor(samples), [name.endswith(".friction") for name in model.names]
    return np.concatenate([Y[1:], np.diff(Y[..., dry], axis=0)], axis=-1)
