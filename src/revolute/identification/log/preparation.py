"""Convert recorded rows to samples: gaps, jitter, filters, derivatives, ends, selection of rows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from revolute.identification.forces.floating_bases import with_wrenches
from revolute.identification.log.filters import low_pass, settling_rows
from revolute.identification.log.resampling import Rows, at_times, filled, on_grid, pieces
from revolute.identification.samples import Array, Samples
from revolute.io.trajectory.rates import continuous, rates
from revolute.model.model import Model

EXACT = 1e-14  # relative impulse response of a filter that may remain at the far end of the overlap of two blocks
JUMP = 1.0  # minimum step of a coordinate at which an angle jumps by a turn, or a unit quaternion changes its sign
WINDOW = 32768  # number of rows that are prepared together if the overlap of two blocks is short


@dataclass(frozen=True)
class Preparation:
    """Settings for the conversion of rows to samples."""

    # start, step: first time and typical step of the log [s]
    start: float
    step: float
    even: bool  # whether the recorded steps are equal; otherwise rows are interpolated on the grid start + k step
    # cutoff, torque_cutoff: of measured positions, velocities and accelerations; and of forces [Hz]
    cutoff: float
    torque_cutoff: float
    every: int  # every `every`-th row is kept
    longest: int  # maximum number of missing rows that are filled
    measured: tuple[str, ...]  # those of "qd" and "qdd" that are read from the log
    cut: int  # rows left out at both ends of a piece, where filters settle
    delay: float = 0.0  # of the forces [s]
    # robot, touched: the robot that moved; links whose wrenches are in the rows, None if wrenches are unknown
    robot: Any = None
    touched: tuple[str, ...] | None = None

    @property
    def rate(self) -> float:
        """Rows per second [Hz]."""
        return 1 / self.step

    @property
    def overlap(self) -> int:
        """Rows on both sides of a block that affect its samples."""
        slowest = min(self.cutoff, self.torque_cutoff)
        return settling_rows(self.rate, slowest, share=EXACT) + 2 * self.longest + self.cut + 8


def prepared(model: Model, blocks: Iterable[Rows], plan: Preparation, window: int | None = None) -> Iterator[Samples]:
    """Samples of rows without jumps of angles, in time order and without gaps; `window`: rows prepared together."""
    overlap = plan.overlap
    size = max(window or WINDOW, 2 * overlap)
    for rows, first, begin, end in _windows(blocks, size, overlap):
        for piece, index in _pieces(rows, first, plan):
            chosen = (index % plan.every == 0) & (piece.t >= begin) & (piece.t < end)
            at = np.flatnonzero(chosen[plan.cut : len(piece) - plan.cut]) + plan.cut
            if len(at):
                yield _filtered(model, piece, at, plan)


def _windows(blocks: Iterable[Rows], size: int, overlap: int) -> Iterator[tuple[Rows, int, float, float]]:
    """Overlapping windows of rows: the rows, the index of the first one, and the time span that the window provides."""
    waiting: list[Rows] = []
    first, begin = 0, -np.inf
    for block in blocks:
        waiting.append(block)
        while sum(map(len, waiting)) > size + 2 * overlap:
            rows = Rows.joined(waiting)
            head = rows[: size + 2 * overlap]
            end = float(head.t[-overlap - 1])
            yield head, first, begin, end
            waiting, first, begin = [rows[size:]], first + size, end
    if any(map(len, waiting)):
        yield Rows.joined(waiting), first, begin, np.inf


def _pieces(rows: Rows, first: int, plan: Preparation) -> Iterator[tuple[Rows, Array]]:
    """Rows at equal steps without gaps, long enough for the filters, with their row numbers in the log."""
    # longer gaps of a force remain, and split only the rows of that force
    rows = rows.map(lambda x: filled(x, plan.longest) if x.ndim == 2 else x)
    number = np.arange(first, first + len(rows))
    if not plan.even:
        rows = on_grid(rows, plan.start, plan.step, plan.longest)
        number = np.rint((rows.t - plan.start) / plan.step).astype(int)
    for piece in pieces(rows, plan.step):
        at = int(np.searchsorted(rows.t, piece.t[0]))
        if len(piece) > 2 * plan.cut + 4:
            yield piece, number[at : at + len(piece)]


def _filtered(model: Model, rows: Rows, at: Array, plan: Preparation) -> Samples:
    """Samples of a piece at the rows `at`, which are at least two rows from the ends."""

    def smooth(x: Array) -> Array:
        return low_pass(x, plan.rate, plan.cutoff)

    q = _unit(model, smooth(rows.q))
    if "qd" in plan.measured and rows.qd is not None:
        smooth_qd = smooth(rows.qd)
        qd, qdd = smooth_qd[at], _slope(smooth_qd, at, plan.rate)
    else:
        curvature = (q[at + 2] - 2 * q[at] + q[at - 2]) * (plan.rate**2 / 4)  # a difference of velocities
        qd, qdd = rates(model, q[at], _slope(q, at, plan.rate), curvature)
    if "qdd" in plan.measured and rows.qdd is not None:
        qdd = smooth(rows.qdd)[at]
    tau = _forces(rows.tau, plan)
    late = at_times(rows.t, tau, rows.t[at] + plan.delay) if plan.delay else tau[at]
    samples = Samples(rows.t[at], q[at], qd, qdd, late)
    if plan.touched is None:
        return samples
    wrenches = np.zeros((len(at), 0)) if rows.wrenches is None else _forces(rows.wrenches, plan)[at]
    parts = np.split(wrenches, len(plan.touched), axis=1) if plan.touched else []
    return with_wrenches(plan.robot, samples, dict(zip(plan.touched, parts, strict=True)))


def _slope(x: Array, at: Array, rate: float) -> Array:
    return np.asarray((x[at + 1] - x[at - 1]) * (rate / 2))


def _forces(tau: Array, plan: Preparation) -> Array:
    """Filtered forces; each run between gaps is filtered separately and loses its ends."""
    if np.isfinite(tau).all():
        return low_pass(tau, plan.rate, plan.torque_cutoff)
    result = np.full_like(tau, np.nan)
    for k in range(tau.shape[1]):
        there = np.flatnonzero(np.isfinite(tau[:, k]))
        for run in np.split(there, np.flatnonzero(np.diff(there) > 1) + 1) if len(there) else []:
            head = 0 if run[0] == 0 else plan.cut
            tail = 0 if run[-1] == len(tau) - 1 else plan.cut
            inner = run[head : len(run) - tail]
            result[inner, k] = low_pass(tau[run, k], plan.rate, plan.torque_cutoff)[head : len(run) - tail]
    return result


def _unit(model: Model, q: Array) -> Array:
    for body, at in zip(model.bodies, model.q_index, strict=True):
        if body.joint.quaternion_at is not None:
            part = slice(at.start + body.joint.quaternion_at, at.start + body.joint.quaternion_at + 4)
            q[:, part] /= np.linalg.norm(q[:, part], axis=1, keepdims=True)
    return q


def unbroken(model: Model, blocks: Iterable[Rows]) -> Iterator[Rows]:
    """The rows, after jumps of angles by multiples of 2 pi and sign changes of quaternions are removed."""
    last: Array | None = None
    for block in blocks:
        q = _held(block.q, last)
        before = q[:1] if last is None else last
        joined = np.concatenate([before, q])
        if (np.abs(np.diff(joined, axis=0)) >= JUMP).any():
            finite = np.isfinite(joined).all(axis=1)
            joined[finite], _ = continuous(model, joined[finite])
            q = joined[1:]
            block = replace(block, q=np.where(np.isnan(block.q), np.nan, q))
        last = q[-1:]
        yield block


def _held(q: Array, last: Array | None) -> Array:
    """q with each gap filled by the value before it, which may be in `last`; at the beginning, by the first value."""
    if not np.isnan(q).any():
        return q
    q = q if last is None else np.concatenate([last, q])
    rows = np.where(np.isnan(q), 0, np.arange(len(q))[:, None])
    held = np.take_along_axis(q, np.maximum.accumulate(rows, axis=0), axis=0)
    for k in np.flatnonzero(np.isnan(held[0])):
        there = held[:, k][np.isfinite(held[:, k])]
        held[np.isnan(held[:, k]), k] = there[0] if len(there) else np.nan
    return held if last is None else held[1:]
