"""Rows of a log of any length, thinned to a bounded number, with sums over all of them."""

from __future__ import annotations

import numpy as np

from revolute.identification.samples import Array, Samples

__all__ = ["KeptRows"]

MOST = 200_000
"""Maximum number of kept rows; of longer logs every second, fourth ... row."""


class KeptRows:
    """Every `stride`-th row of segments of samples with their predictions.

    Attributes:
        total, rows, stride: number of added rows, of kept rows, and of added rows per kept one.
        count: (nv,) measured forces among all rows; `squares`, `sums`: of their residuals; `signal`: squares of forces.
    """

    def __init__(self, nq: int, nv: int, most: int = MOST) -> None:
        self.total, self.rows, self.stride, self.most = 0, 0, 1, most
        self.count, self.squares, self.sums, self.signal = np.zeros((4, nv))
        self._widths = np.cumsum([1, nq, nv, nv, nv, nv, nv])
        self._blocks: list[Array] = []

    def add(self, run: Samples, predicted: Array, lower: Array, upper: Array) -> None:
        """Add a segment with its predictions (T, nv) and the bounds of their intervals."""
        e = run.tau - predicted
        self.count += np.isfinite(e).sum(axis=0)
        self.squares += np.nansum(e**2, axis=0)
        self.sums += np.nansum(e, axis=0)
        self.signal += np.nansum(run.tau**2, axis=0)
        self.total += len(run)
        block = np.column_stack([run.t, run.q, run.qd, run.qdd, run.tau, predicted, lower, upper])[:: self.stride]
        if len(block):
            self._blocks.append(block)
        self.rows += len(block)
        while self.rows > self.most:
            self._blocks = [block[::2].copy() for block in self._blocks]
            self.rows, self.stride = sum(map(len, self._blocks)), 2 * self.stride

    @property
    def spacing(self) -> float:
        """Time between kept rows [s]."""
        steps = [np.diff(block[:, 0]) for block in self._blocks if len(block) > 1]
        return float(np.median(np.concatenate(steps))) if steps else 0.0

    def columns(self) -> list[Array]:
        """t (k,), q, qd, qdd, measured, predicted, lower, upper of all kept rows."""
        t, *rest = np.split(np.concatenate(self._blocks), self._widths, axis=1)
        return [t[:, 0], *rest]

    def stretches(self) -> list[Array]:
        """Residuals (T, nv) of each segment."""
        parts = [np.split(block, self._widths, axis=1) for block in self._blocks]
        return [part[4] - part[5] for part in parts]
