"""Identification from positions: closed-loop output error, CLOE. Gautier, Janot & Vandanjon 2013.

    min over values of  sum_t |q(t) - q_simulated(t; values)|^2 / s^2

by the Gauss-Newton method, with derivatives of the simulated positions. Measured forces and derivatives of measured
positions are not used, except for the first velocity; positions need no filter. Positions determine forces only
through the gains, so the controller must be exact, and small control errors must be measured accurately. Each block is
simulated from its noisy first state; the estimate ignores rows that this state still affects.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from revolute.errors import InputError, SimulationError
from revolute.identification.closed_loop.iterations import SHARES, ClosedLoopFit, LoopEstimator, Motions, never_runs
from revolute.identification.closed_loop.loop import ClosedLoop
from revolute.identification.fit.equations import BaseEquations, Chunk
from revolute.identification.fit.least_squares import Solution, added, weighted
from revolute.identification.fit.linear_fit import errors
from revolute.identification.forces.base_parameters import base_columns, typical_sizes
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.decimation import Decimation
from revolute.identification.samples import Array, Samples


@dataclass(frozen=True, eq=False, repr=False)
class OutputErrorFit(ClosedLoopFit):
    """A `Fit` by closed-loop output error.

    `triangle` and `weights` refer to positions. `residual_rms`, `signal_rms`, `noise`, `sums` and `rows` refer to the
    forces along the simulated motion, which the estimate does not use.

    Attributes:
        position_rms: (k + 1, nv) root mean squares of the measured minus the simulated positions, at the start and
            after each of k iterations [rad, m].
        position_noise: (nv,) standard deviations of these differences in the last iteration [rad, m].
        compared: number of measured positions that the estimate uses.
    """

    position_rms: Array
    position_noise: Array
    compared: int

    def to_dict(self) -> dict[str, Any]:
        """The data of `ClosedLoopFit.to_dict`, and position residuals after each iteration."""
        return {**super().to_dict(), "position_rms": self.position_rms.tolist()}


SMALL = 1e-5
"""Finite-difference step of a parameter, relative to its typical size; positions keep half of their digits."""

TOGETHER = 24  # number of parameters that are varied in one simulation of a batch

NUDGE, FORGOTTEN = 1e-3, 0.01
"""Change of the initial state [rad, rad/s]; and fraction of its maximum effect below which the effect is ignored."""


class OutputError(LoopEstimator):
    """The Gauss-Newton method on measured minus simulated positions.

    Each block of the log is simulated from its initial state; `every` is the factor of `Decimation`.

    Attributes:
        directions: (p, b) smallest changes of the full parameters that change each base parameter by 1.
    """

    def __init__(self, model: ForceModel, log: Samples | Iterable[Samples], loop: ClosedLoop, every: int) -> None:
        if model.robot.nq != model.robot.nv:
            raise InputError("output_error cannot compare quaternions, whose differences are undefined: lock the base")
        if loop.rescaled:
            raise InputError(
                "output_error does not support rescaled=True, which changes the gains with the estimate; "
                "use direct_inverse"
            )
        motions = Motions(model, loop, log)
        self._blocks, self._model, self._simulations = motions.blocks, motions.model, motions.simulations
        self.base, self._every, sizes = base_columns(model), every, typical_sizes(model, model.values)
        self._active = np.ones_like(self.base.active)
        self.directions = sizes[:, None] * np.linalg.pinv(self.base.matrix * sizes)
        felt = np.abs(self.base.matrix) @ sizes
        self._changes = SMALL * np.where(felt > 0, felt, 1.0)
        self._motions: list[Any] = [None] * len(self._blocks)
        self._begin: list[int] | None = None
        self._rms: list[Array] = []

    def estimate(self, parameters: Array, known: Array) -> tuple[Solution, Array, Array]:
        if not self._rms:
            try:
                self._look(parameters)
            except SimulationError as error:
                raise never_runs(error, first=True) from error
        self._here, self._known = self.base.matrix @ parameters, known
        self._rms.append(self._sums.rms(self._here))
        solution, self._weights = weighted(self._sums, known)
        return solution, self._weights, self._sums.triangle(self._weights)

    def following(self, parameters: Array, estimate: Array, share: float, solution: Solution) -> Array:
        """Parameters after the first tried part of the step that does not increase the residuals, or else the last."""
        step = self.directions @ (solution.values - self._here)
        cost = float(self._weights @ self._sums.squares(self._here))
        reached: Array | None = None
        for part in SHARES:
            tried = parameters + part * step
            try:
                self._look(tried)
            except SimulationError as error:
                failure = error
                continue
            reached = tried
            if self._weights @ self._sums.squares(self.base.matrix @ tried) <= cost:
                break
        if reached is None:
            raise never_runs(failure, first=False) from failure
        return reached

    def fit(self, solution: Solution, weights: Array, found: dict[str, Any]) -> OutputErrorFit:
        """The fit, with residuals of the forces along the simulated motion."""
        covariance, noise, freedom = errors(self._rows, self._active, self._sums, solution, weights)
        forces = added(BaseEquations(self._model, self.base, self._motions), self.base.active)
        return OutputErrorFit(
            **found, covariance=covariance, noise=forces.rms(solution.values), freedom=freedom, sums=forces,
            position_rms=np.array([*self._rms, self._sums.rms(solution.values)]), position_noise=noise,
            compared=int(self._sums.counts.sum()),
        )

    def _look(self, parameters: Array) -> None:
        """Store the linearized rows at these parameters, and their sums."""
        self._rows, self._motions = self.at(parameters)
        self._sums = added(self._rows, self._active)

    def at(self, parameters: Array) -> tuple[list[Chunk], list[Samples]]:
        """The rows at parameters (p,), and the simulated motions.

            S values = q_measured - q(parameters) + S base(parameters),    S = dq/dbase

        Raise `InputError` if the effect of the initial state does not vanish.
        """
        if self._begin is None:
            self._begin = [self._settled(k, parameters) for k in range(len(self._blocks))]
        found = [self._block(k, begin, parameters) for k, begin in enumerate(self._begin)]
        return [chunk for chunk, _ in found if len(chunk.tau)], [motion for _, motion in found]

    def _block(self, k: int, begin: int, parameters: Array) -> tuple[Chunk, Samples]:
        block, count = self._blocks[k], len(self._changes)
        parts, motion = [], block
        for at in range(0, count, TOGETHER):
            places = range(at, min(at + TOGETHER, count))
            others = parameters + (self.directions[:, places] * self._changes[places]).T
            first = _repeated(block, len(others))
            motion, q = self._simulations[k].run_beside(parameters, others, self._motions[k], first)
            parts.append((q - motion.q) / self._changes[places][:, None, None])
        S = np.moveaxis(np.concatenate(parts), 0, -1)
        target = block.q - motion.q + S @ (self.base.matrix @ parameters)
        S, target = Decimation(self._every).add(S[begin:], target[begin:])
        return Chunk(S, target, False), motion

    def _settled(self, k: int, parameters: Array) -> int:
        """The first row at which the effect of the noisy initial state has decayed."""
        block = self._blocks[k]
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
                f"output_error: the initial state of the closed loop affects {settling:.3g} s of the block's "
                f"{whole:.3g} s; record longer, or check the gains of the controller"
            )
        return begin


def _repeated(block: Samples, count: int) -> tuple[Array, Array]:
    return np.tile(block.q[0], (count + 1, 1)), np.tile(block.qd[0], (count + 1, 1))
