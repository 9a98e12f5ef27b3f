"""The rows of least squares, computed in chunks, for any number of passes."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from revolute.errors import InputError, ShapeError
from revolute.identification.forces.base_parameters import BaseColumns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.forces.momentum import MomentumRows
from revolute.identification.log.blocks import Passes
from revolute.identification.log.decimation import Decimation, consecutive
from revolute.identification.samples import Array, Samples

CHUNK, KEPT_ROWS = 2048, 1024
"""Number of instants per call of the regressor; and approximate number of decimated instants per chunk."""

KEPT = 32 * 2**20  # maximum size of the regressors that are kept in memory for the next pass [bytes]

WRITTEN = 2**29
"""Maximum size of the decimated regressors that a file stores for the next pass [bytes], as reading is faster than
computing. Regressors of longer logs are recomputed in each pass."""


class Chunk(NamedTuple):
    """Regressor Y (m, nv, b) and forces tau (m, nv) of m samples; tau is NaN where nothing was measured.

    `continues`: whether the first sample follows the last one of the previous chunk without a gap.
    """

    Y: Array
    tau: Array
    continues: bool


class BaseEquations:
    """Regressors and forces of a log for the base parameters, for any number of passes.

    `every` is the factor of `Decimation`; `kept` bytes of regressors stay in memory for the next pass.
    """

    def __init__(
        self, model: ForceModel, base: BaseColumns, log: Samples | Iterable[Samples], every: int = 1, kept: int = KEPT
    ) -> None:
        self.model, self.base, self.every = model, base, every
        self._log = log
        self._chunks = Passes(self._computed, kept, WRITTEN if every > 1 else 0)

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self._chunks)

    def _computed(self) -> Iterator[Chunk]:
        """The chunks of forces; if momenta are fitted, the chunks of their rows follow."""
        momentum = None if self.model.momentum is None else MomentumRows(self.model, self.base.columns)
        begun = False
        for Y, tau, continues in self._decimated(momentum):
            begun = begun and continues
            if len(tau):
                yield Chunk(Y, tau, begun)
                begun = True
        if momentum is not None:
            yield from (Chunk(*rows) for rows in momentum.rows)

    def _decimated(self, momentum: MomentumRows | None) -> Iterator[tuple[Array, Array, bool]]:
        """Decimated rows in large groups; entries that are always zero (about half of an arm's) are not filtered."""
        decimation, places = Decimation(self.every), np.flatnonzero(self.base.active)
        waiting = list[tuple[Array, Array]]()
        joined = False
        for part, continues in consecutive(checked(self.model, self._log), CHUNK):
            if not continues:
                yield *self._spread(waiting, places), joined
                decimation.restart()
                waiting, joined = [], False
            entries, tau = self.model.entries(part, self.base.columns, places)
            if momentum is not None:  # columns that replace the forces of floating bases
                momentum.add(part, continues)
                tau = np.where(self.model.floating, np.nan, tau)
            waiting.append(decimation.add_entries(entries, tau))
            if sum(len(kept) for _, kept in waiting) >= KEPT_ROWS:
                yield *self._spread(waiting, places), joined
                waiting, joined = [], True
        yield *self._spread(waiting, places), joined

    def _spread(self, parts: list[tuple[Array, Array]], places: Array) -> tuple[Array, Array]:
        """Y (m, nv, b) with the entries scattered to their places, and tau (m, nv)."""
        nv, b = self.base.active.shape
        tau = np.concatenate([np.zeros((0, nv)), *(kept for _, kept in parts)])
        Y = np.zeros((len(tau), nv * b))
        if len(tau):
            Y[:, places] = np.concatenate([entries for entries, _ in parts])
        return Y.reshape(-1, nv, b), tau


def checked(model: ForceModel, log: Samples | Iterable[Samples]) -> Iterator[Samples]:
    """The blocks of a log; raise `InputError` for samples of a different robot."""
    for block in [log] if isinstance(log, Samples) else log:
        check_samples(model, block)
        yield block


def check_samples(model: ForceModel, block: Samples) -> None:
    """Raise `InputError` or `ShapeError` for samples of a different robot."""
    if not isinstance(block, Samples):
        raise InputError(f"a log must be Samples, or blocks of Samples, not {type(block).__name__}")
    robot = model.robot
    if (block.q.shape[1], block.tau.shape[1]) != (robot.nq, robot.nv):
        raise ShapeError(
            f"the samples have {block.q.shape[1]} positions and {block.tau.shape[1]} forces, but the robot has "
            f"{robot.nq} and {robot.nv}"
        )
