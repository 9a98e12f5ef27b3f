"""Validate a fit on another log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from revolute.arguments import instance
from revolute.errors import InputError
from revolute.identification.fit.equations import checked
from revolute.identification.fit.fit import Fit
from revolute.identification.fit.residual_correlation import probability
from revolute.identification.log.blocks import LogSource, blocks_of, sources_of
from revolute.identification.log.decimation import HALF, Decimation, consecutive
from revolute.identification.samples import Array, Samples
from revolute.identification.validation.bias import LAGS, Bias, Bins, autocorrelation, bias, bins_of, correlation_length
from revolute.identification.validation.validation import ThinnedRows, Validation
from revolute.model.units import force_units

LEVEL, CHUNK = 0.95, 4096  # default probability of the prediction intervals; and number of instants per regressor


def validate(fit: Fit, log: LogSource, *, level: float = LEVEL, decimate: int | None = None) -> Validation:
    """Predict the forces of another log, and compare them with the measured ones.

    Args:
        fit: a result of `revolute.identify`.
        log: a path, a `Log`, samples, or blocks of samples: see `identify`.
        level: probability of the prediction intervals.
        decimate: see `identify`; applies to both measured and predicted forces.

    Returns:
        errors by joint, their correlation and bias, and a verdict in words.

    Raises:
        InputError: there are no samples, or the level is not a probability.
        ShapeError: the samples belong to a different robot.
        MissingExtraError: SciPy is not installed.
    """
    instance("validate: fit", fit, Fit)
    probability("validate: level", level)
    blocks, decimate = blocks_of(sources_of(fit.model.robot, log), decimate)
    space = fit.model.robot.space
    kept, inside = KeptRows(space.nv), np.zeros(space.nv)
    for run, (predicted, lower, upper) in _predictions(fit, blocks, level, decimate):
        inside += ((run.tau >= lower) & (run.tau <= upper)).sum(axis=0)
        kept.add(run, predicted, lower, upper)
    if not kept.rows:
        if decimate == 1:
            raise InputError("validate: there are no samples")
        raise InputError(
            f"validate: no stretch without gaps has more than {2 * HALF * decimate} samples, which a decimation by "
            f"{decimate} needs; record longer, or give a smaller decimate"
        )
    return _validation(fit, kept, inside, level)


def _validation(fit: Fit, kept: KeptRows, inside: Array, level: float) -> Validation:
    runs, curves, space = kept.stretches(), ThinnedRows(*kept.columns()), fit.model.robot.space
    lags = min(max(map(len, runs)) // 3, LAGS)
    rho = autocorrelation(runs, lags)
    with np.errstate(divide="ignore", invalid="ignore"):
        rms, signal = np.sqrt(kept.squares / kept.count), np.sqrt(kept.signal / kept.count)
        effective = np.minimum(kept.count, kept.count / (kept.stride * correlation_length(rho)))
        mean, share = kept.sums / kept.count, inside / kept.count
    by_speed, by_pose = _biases(fit, curves)
    return Validation(
        fit.coordinates, force_units(space), kept.total, rms, signal, fit.residual_rms,
        fit.model.robot.effort_limits, mean,
        np.arange(lags + 1) * kept.spacing, rho, effective, by_speed, by_pose, share, level, curves, fit.findings,
    )  # fmt: skip


def _biases(fit: Fit, curves: ThinnedRows) -> tuple[tuple[Bias | None, ...], tuple[Bias | None, ...]]:
    """Bias of each coordinate by speed, and by pose."""
    space, e = fit.model.robot.space, curves.residual
    measured = np.isfinite(e)
    at = [
        p.start if body.joint.nq == body.joint.nv else None  # quaternions are not divided into bins
        for body, p in zip(space.bodies, space.q_index, strict=True)
        for _ in range(body.joint.nv)
    ]
    speeds = [bins_of(curves.qd[:, k], measured[:, k]) for k in range(space.nv)]
    poses = [None if at[k] is None else bins_of(curves.q[:, at[k]], measured[:, k]) for k in range(space.nv)]
    means = _mean_regressors(fit, curves.samples, [*speeds, *poses])
    found = [
        None if bins is None else bias(e[:, k % space.nv], bins, Y @ fit.excited_covariance @ Y.T)
        for k, (bins, Y) in enumerate(zip([*speeds, *poses], means, strict=True))
    ]
    return tuple(found[: space.nv]), tuple(found[space.nv :])


def _mean_regressors(fit: Fit, samples: Samples, bins: Sequence[Bins | None]) -> list[Array]:
    """For item k of `bins`: (b, base) mean regressor rows of coordinate k mod nv, one for each of the item's b bins."""
    columns, nv = fit.base.columns, samples.tau.shape[1]
    sums = [np.zeros((0 if each is None else len(each.counts), len(columns))) for each in bins]
    for start in range(0, len(samples), CHUNK):
        rows = slice(start, start + CHUNK)
        Y = fit.model.regressor(samples[rows])[..., columns]
        for k, each in enumerate(bins):
            if each is not None:
                sums[k] += each.members(rows).T @ Y[:, k % nv]
    return [total if each is None else total / each.counts[:, None] for total, each in zip(sums, bins, strict=True)]


MOST = 200_000  # maximum number of rows kept; of longer logs, every second, fourth ... row is kept


class KeptRows:
    """Every `stride`-th row of segments of samples with their predictions.

    Attributes:
        total, rows, stride: number of added rows, of kept rows, and of added rows per kept one.
        count, squares, sums, signal: (nv,) number of measured forces; sums of residuals^2, residuals and forces^2.
    """

    def __init__(self, nv: int, most: int = MOST) -> None:
        self.total, self.rows, self.stride, self.most = 0, 0, 1, most
        self.count, self.squares, self.sums, self.signal = np.zeros((4, nv))
        self._blocks: list[list[Array]] = []

    def add(self, run: Samples, predicted: Array, lower: Array, upper: Array) -> None:
        """Add a segment with its predictions (T, nv) and the bounds of their intervals."""
        e = run.tau - predicted
        self.count += np.isfinite(e).sum(axis=0)
        self.squares += np.nansum(e**2, axis=0)
        self.sums += np.nansum(e, axis=0)
        self.signal += np.nansum(run.tau**2, axis=0)
        self.total += len(run)
        columns = run.t, run.q, run.qd, run.qdd, run.tau, predicted, lower, upper
        self._blocks.append([x[:: self.stride].copy() for x in columns])
        self.rows += len(self._blocks[-1][0])
        while self.rows > self.most:
            self._blocks = [[x[::2].copy() for x in block] for block in self._blocks]
            self.rows, self.stride = sum(len(block[0]) for block in self._blocks), 2 * self.stride

    @property
    def spacing(self) -> float:
        """Time between kept rows [s]."""
        steps = [np.diff(block[0]) for block in self._blocks if len(block[0]) > 1]
        return float(np.median(np.concatenate(steps))) if steps else 0.0

    def columns(self) -> list[Array]:
        """t (k,), q, qd, qdd, measured, predicted, lower, upper of all kept rows."""
        return [np.concatenate(parts) for parts in zip(*self._blocks, strict=True)]

    def stretches(self) -> list[Array]:
        """Residuals (T, nv) of each segment of kept rows."""
        return [block[4] - block[5] for block in self._blocks]


def _predictions(fit: Fit, blocks: Iterable[Samples], level: float, every: int) -> Iterator[tuple[Samples, Array]]:
    """Decimated samples, and (3, T, nv) predicted forces with both bounds of intervals of probability `level`."""
    decimation, gains = Decimation(every), np.ones(fit.model.robot.space.nv)
    gains[list(fit.model.gains)] = fit.parameters[len(fit.parameters) - len(fit.model.gains) :]
    for run, continues in consecutive(checked(fit.model, blocks)):
        if not continues:
            decimation.restart()
        forces = fit.predict_with_interval(run, level)
        T, nv = run.tau.shape
        # a symmetric filter hardly changes times and states, which are slow signals
        entries = np.column_stack([forces.reshape(T, -1), run.t, run.q, run.qd, run.qdd])
        kept, tau = decimation.add_entries(entries, gains * run.tau)
        if len(tau):
            whole, t, q, qd, qdd = np.split(kept, np.cumsum([3 * nv, 1, run.q.shape[1], nv]), axis=1)
            yield Samples(t[:, 0], q, qd, qdd, tau), np.moveaxis(whole.reshape(-1, nv, 3), -1, 0)
