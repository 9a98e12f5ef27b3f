"""Check whether forces and positions were recorded with different clocks."""

import numpy as np

from revolute.errors import InputError, advice
from revolute.identification.checks.unexplained_share import EXACT, Explained
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.decimation import runs
from revolute.identification.log.delay import MOST, torque_delay
from revolute.identification.log.finding import LogFinding
from revolute.identification.log.log import Log
from revolute.identification.samples import Array, Samples

SYNCHRONOUS, SUSPECT = 0.8, 0.9
"""Ratios of the squared residual with a delay to that without. A delay is reported if its ratio is below the first;
it is searched for if the ratio of some delay of whole steps is below the second."""

TRIED, LOOKED_AT, ROWS_OF_DELAY = 41, 400, 1000
"""Number of delays in whole steps that are tried; and numbers of samples for the trials and for the finer search."""

EXPLAINED = 0.01  # unexplained fraction of the squared forces below which the clocks are not checked
SURE = 8.0  # number of standard errors by which a delay must reduce the residual to be reported


def late(model: ForceModel, log: Log | Samples, samples: Samples) -> list[LogFinding]:
    """Report forces that fit much better with a delay than as read; `samples` are the beginning of the log."""
    longest = max(runs(samples), key=len)
    measured, step = longest.measured, float(np.median(np.diff(longest.t))) if len(longest) > 1 else np.inf
    steps = int(np.ceil(MOST / step))
    if not len(measured) or not steps >= 1 or len(longest) < 2 * steps + len(model.names):
        return []
    shifts = np.unique(np.linspace(-steps, steps, TRIED).astype(int))
    without, shares, _ = _at_whole_steps(model, longest, shifts, LOOKED_AT)
    if without < EXPLAINED**2 or shares.min() > SUSPECT * without:
        return []
    unfiltered = max(runs(log.beginning(np.inf)), key=len) if isinstance(log, Log) else longest
    try:
        delay = torque_delay(model, unfiltered)
    except InputError:  # the log is too short for a delay
        return []
    # only delays of whole steps, because interpolation between samples would reduce the noise
    without, shares, freedom = _at_whole_steps(model, longest, np.array([round(delay.seconds / step)]), ROWS_OF_DELAY)
    shifted = max(float(shares[0]), EXACT)
    if shifted > SYNCHRONOUS * without or without < EXPLAINED**2:
        return []
    if freedom * (without / shifted - 1) < SURE**2:  # the smallest of many residuals is biased low
        return []
    seconds = (log.delay if isinstance(log, Log) else 0.0) + delay.seconds
    mend = advice(f"read_log(..., delay={seconds:.4g})", f"--delay {seconds:.4g}")
    return [LogFinding("unsynchronised", (), f"{delay}: correct it by {mend}, or record the columns with one clock")]


def _at_whole_steps(model: ForceModel, samples: Samples, shifts: Array, most: int) -> tuple[float, Array, int]:
    """Unexplained fractions of squared forces, as recorded and after each of (n,) shifts; degrees of freedom."""
    edge, measured = int(np.abs(shifts).max()), samples.measured
    rows = np.unique(np.linspace(edge, len(samples) - 1 - edge, most).astype(int))
    scale = samples.tau[:, measured].std(axis=0)
    A = (model.regressor(samples[rows])[:, measured] / scale[:, None]).reshape(-1, len(model.names))
    forces = [(samples.tau[rows + k][:, measured] / scale).reshape(-1) for k in (0, *shifts.tolist())]
    b = np.stack(forces, axis=1)
    shares = Explained(A.T @ A).shares(A.T @ b, np.sum(b**2, axis=0))
    return float(shares[0]), shares[1:], len(A) - A.shape[1]
