"""Positions of simulated closed loops, and their derivatives by base parameters: rows of an output-error estimate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from revolute.errors import InputError
from revolute.identification.closed_loop.iterations import Motions
from revolute.identification.closed_loop.loop import ClosedLoop
from revolute.identification.fit.equations import Chunk
from revolute.identification.forces.base_parameters import BaseColumns, typical_sizes
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.decimation import Decimation
from revolute.identification.samples import Array, Samples

__all__ = ["Linearised", "PositionErrors"]

SMALL = 1e-5
"""Finite-difference step of a parameter, relative to its typical size: half of the digits of a position."""

TOGETHER = 24
"""Number of parameters per run of the loop."""

NUDGE, FORGOTTEN = 1e-3, 0.01
"""Change of the initial state [rad, rad/s]; and fraction of its maximum effect below which the effect has decayed."""


@dataclass(frozen=True, eq=False)
class Linearised:
    """Rows S values = q_measured - q(parameters) + S base(parameters), S = dq/dbase, and the simulated motions."""

    base: BaseColumns
    chunks: tuple[Chunk, ...]
    motions: tuple[Samples, ...]

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self.chunks)


class PositionErrors:
    """Differences of measured and simulated positions, for successive sets of parameters.

    Each block of the log is simulated from its initial state; `every` is the factor of `Decimation`.

    Attributes:
        directions: (p, b) smallest changes of full parameters for a unit of each base parameter.
    """

    def __init__(
        self, model: ForceModel, loop: ClosedLoop, log: Samples | Iterable[Samples], base: BaseColumns, every: int
    ) -> None:
        if loop.rescaled:
            raise InputError(
                "output_error does not support rescaled=True, which changes the gains with the estimate; "
                "direct_inverse does"
            )
        motions = Motions(model, loop, log)
        self.blocks, self.model, self._simulations = motions.blocks, motions.model, motions.simulations
        self._base = replace(base, active=np.ones_like(base.active))
        self._every, sizes = every, typical_sizes(model, model.values)
        self.directions = sizes[:, None] * np.linalg.pinv(base.matrix * sizes)
        felt = np.abs(base.matrix) @ sizes
        self._changes = SMALL * np.where(felt > 0, felt, 1.0)
        self._last: tuple[Samples | None, ...] = (None,) * len(self.blocks)
        self._begin: list[int] | None = None

    def at(self, parameters: Array) -> Linearised:
        """The rows at these parameters (p,); raise `InputError` if the effect of the initial state does not vanish."""
        if self._begin is None:
            self._begin = [self._settled(k, parameters) for k in range(len(self.blocks))]
        found = [self._block(k, parameters) for k in range(len(self.blocks))]
        motions = tuple(motion for _, motion in found)
        self._last = motions
        return Linearised(self._base, tuple(chunk for chunk, _ in found if len(chunk.tau)), motions)

    def _block(self, k: int, parameters: Array) -> tuple[Chunk, Samples]:
        block, count = self.blocks[k], len(self._changes)
        parts, motion = [], block
        for at in range(0, count, TOGETHER):
            places = range(at, min(at + TOGETHER, count))
            others = parameters + (self.directions[:, places] * self._changes[places]).T
            first = _repeated(block, len(others))
            motion, q = self._simulations[k].run_beside(parameters, others, self._last[k], first)
            parts.append((q - motion.q) / self._changes[places][:, None, None])
        S = np.moveaxis(np.concatenate(parts), 0, -1)
        target = block.q - motion.q + S @ (self._base.matrix @ parameters)
        assert self._begin is not None
        begin = self._begin[k]
        S, target = Decimation(self._every).add(S[begin:], target[begin:])
        return Chunk(S, target, False), motion

    def _settled(self, k: int, parameters: Array) -> int:
        """The first row without an effect of the initial state, which is noisy."""
        block = self.blocks[k]
        q0, qd0 = _repeated(block, 2)
        q0[1] += NUDGE
        qd0[2] += NUDGE
        motion, others = self._simulations[k].run_beside(parameters, np.stack([parameters] * 2), None, (q0, qd0))
        effect = np.abs(others - motion.q).max(axis=-1)
        late = np.flatnonzero((effect > FORGOTTEN * effect.max(axis=-1, keepdims=True)).any(axis=0))
        begin = int(late[-1]) + 1
        if begin > len(block) / 2:
            settling, whole = block.t[begin - 1] - block.t[0], block.t[-1] - block.t[0]
            raise InputError(
                f"output_error: the initial state of the closed loop has an effect for {settling:.3g} s of {whole:.3g} "
                "s; record longer, or check the gains of the controller"
            )
        return begin


def _repeated(block: Samples, count: int) -> tuple[Array, Array]:
    """The initial state of a block, repeated 1 + `count` times."""
    return np.tile(block.q[0], (count + 1, 1)), np.tile(block.qd[0], (count + 1, 1))
