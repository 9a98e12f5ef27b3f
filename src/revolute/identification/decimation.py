"""Parallel decimation: both sides of an equation pass the same low-pass filter, and few of their rows are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["decimated"]

Array = NDArray[Any]

Block = tuple[Array, Array, bool]

REACH = 10
"""Half the length of the filter's answer, in kept rows."""

BAND = 0.8
"""Cut-off frequency, as a share of half the rate of kept rows."""


def decimated(blocks: Iterable[Block], every: int) -> Iterator[Block]:
    """One row of `every`, low-passed before. Gautier 1997; Oppenheim & Schafer 7.5 (a sinc in Hamming's window).

    An equation that holds for all instants holds for filtered sides, too. So friction, which jumps, may be
    above the cut-off frequency in both.

    Args:
        blocks: (Y (m, nv, b), tau (m, nv), continues), consecutive parts of stretches.
        every: rows for one that is kept. Rows less than ten kept rows from the ends of a stretch are lost.
    """
    response = _response(every)
    waiting: list[Array] = []
    begun = False
    for Y, tau, continues in blocks:
        if not continues:
            waiting, begun = [], False
        rows = np.concatenate([Y.reshape(len(Y), -1), tau, ~np.isfinite(tau)], axis=1)
        rows = np.concatenate([*waiting, np.nan_to_num(rows, nan=0.0)])
        count = max((len(rows) - len(response)) // every + 1, 0)
        if count:
            low = _filter(response, every, count) @ rows[: (count - 1) * every + len(response)]
            nv = tau.shape[1]
            left, right, empty = np.split(low, [low.shape[1] - 2 * nv, low.shape[1] - nv], axis=1)
            holes = np.abs(empty) > 1e-12  # a force that was not measured has a share in it
            yield left.reshape(count, nv, -1), np.where(holes, np.nan, right), begun
            begun = True
        waiting = [rows[count * every :]]


def _response(every: int) -> Array:
    """Answer to an impulse, symmetric, of sum 1."""
    n = np.arange(-REACH * every, REACH * every + 1)
    response = np.sinc(BAND * n / every) * np.hamming(len(n))
    return np.asarray(response / response.sum())


def _filter(response: Array, every: int, count: int) -> Array:
    """(count, m) matrix of the filter at each kept row."""
    matrix = np.zeros((count, (count - 1) * every + len(response)))
    for k in range(count):
        matrix[k, k * every : k * every + len(response)] = response
    return matrix
