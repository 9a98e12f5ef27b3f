"""Predicted and measured forces, decimated identically."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from revolute.identification.fit.equations import checked
from revolute.identification.log.decimation import Decimation, consecutive
from revolute.identification.samples import Array, Samples

if TYPE_CHECKING:
    from revolute.identification.fit.fit import Fit

__all__ = ["predictions"]


def predictions(
    fit: Fit, blocks: Samples | Iterable[Samples], level: float, every: int
) -> Iterator[tuple[Samples, Array]]:
    """Samples, and (3, T, nv) predicted forces with both bounds of intervals of probability `level`, decimated."""
    decimation = Decimation(every)
    for run, continues in consecutive(checked(fit.model, [blocks] if isinstance(blocks, Samples) else blocks)):
        if not continues:
            decimation.restart()
        forces = fit.predict_with_interval(run, level)
        kept, tau = decimation.add(np.concatenate([forces, _packed(run)], axis=-1), run.tau)
        if len(tau):
            yield _unpacked(kept[..., 3:], tau, run.q.shape[1]), np.moveaxis(kept[..., :3], -1, 0)


def _packed(run: Samples) -> Array:
    """(T, nv, k) times and states, as additional columns for a symmetric filter, which hardly changes slow signals."""
    nv = run.tau.shape[1]
    state = np.column_stack([run.t, run.q, run.qd, run.qdd])
    return np.pad(state, ((0, 0), (0, -state.shape[1] % nv))).reshape(len(run), nv, -1)


def _unpacked(packed: Array, tau: Array, nq: int) -> Samples:
    nv = tau.shape[1]
    state = packed.reshape(len(tau), -1)
    t, q, qd, qdd, _ = np.split(state, np.cumsum([1, nq, nv, nv]), axis=1)
    return Samples(t[:, 0], q, qd, qdd, tau)
