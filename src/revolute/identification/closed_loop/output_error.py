"""Identification from positions: closed-loop output error, CLOE. Gautier, Janot & Vandanjon 2013.

    min over values of  sum_t |q(t) - q_simulated(t; values)|^2 / s^2

by the Gauss-Newton method, with derivatives of the simulated loop by base parameters. Measured forces and derivatives
of positions are not used, except for the first velocity; positions need no filter. They determine forces only through
the gains, so the controller must be exact, and small control errors must be measured accurately. Each block is
simulated from its initial state, and rows that this state still affects are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from revolute.errors import InputError, SimulationError
from revolute.identification.closed_loop.iterations import SHARES, ClosedLoopFit, LoopEstimator, never_runs
from revolute.identification.closed_loop.loop import ClosedLoop
from revolute.identification.closed_loop.sensitivities import Linearised, PositionErrors
from revolute.identification.fit.equations import BaseEquations
from revolute.identification.fit.error_bars import errors
from revolute.identification.fit.least_squares import Solution, Sums, added, weighted
from revolute.identification.forces.base_parameters import base_columns
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array, Samples

__all__ = ["OutputError", "OutputErrorFit"]


@dataclass(frozen=True, eq=False, repr=False)
class OutputErrorFit(ClosedLoopFit):
    """A `Fit` by closed-loop output error.

    `triangle` and `weights` are those of positions. `residual_rms`, `signal_rms`, `noise`, `sums` and `rows` are of the
    forces along the simulated motion, which the estimate does not use.

    Attributes:
        position_rms: (k + 1, nv) root mean squares of the measured less the simulated positions, at the start and
            after each of k iterations [rad, m].
        position_noise: (nv,) standard deviations of these differences at the end [rad, m].
        compared: number of measured positions in the estimate.
    """

    position_rms: Array
    position_noise: Array
    compared: int

    def to_dict(self) -> dict[str, Any]:
        """The data of a `ClosedLoopFit`, and differences of positions after each iteration."""
        return {**super().to_dict(), "position_rms": self.position_rms.tolist()}


class OutputError(LoopEstimator):
    """The Gauss-Newton method on the differences of positions."""

    def __init__(self, model: ForceModel, log: Samples | Iterable[Samples], loop: ClosedLoop, every: int) -> None:
        if model.robot.nq != model.robot.nv:
            raise InputError("output_error needs differences of positions, which quaternions lack: lock the free base")
        self.base = base_columns(model)
        self._compared = PositionErrors(model, loop, log, self.base, every)
        self._rows: Linearised | None = None
        self._rms: list[Array] = []

    def estimate(self, parameters: Array, known: Array) -> tuple[Solution, Array, Array]:
        if self._rows is None:
            try:
                self._look(parameters)
            except SimulationError as error:
                raise never_runs(error, first=True) from error
        self._here, self._known = self.base.matrix @ parameters, known
        self._rms.append(_rms(self._sums, self._here))
        solution, self._weights = weighted(self._sums, known)
        return solution, self._weights, self._sums.triangle(self._weights)

    def following(self, parameters: Array, estimate: Array, share: float, solution: Solution) -> Array:
        """The first parameters along a step with which the loop can be simulated and is nearer to the log."""
        step = self._compared.directions @ (solution.values - self._here)
        cost = float(self._weights @ self._sums.squares(self._here))
        failure: SimulationError | None = None
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
            assert failure is not None
            raise never_runs(failure, first=False) from failure
        return reached

    def _look(self, parameters: Array) -> None:
        """The rows at parameters, and their sums."""
        rows = self._compared.at(parameters)
        self._rows, self._sums = rows, added(rows, rows.base.active)

    def fit(self, solution: Solution, weights: Array, found: dict[str, Any]) -> OutputErrorFit:
        """The fit, with residuals of the forces along the simulated motion."""
        assert self._rows is not None
        covariance, noise, freedom = errors(self._rows, self._rows.base.active, self._sums, solution, weights)
        forces = added(BaseEquations(self._compared.model, self.base, [*self._rows.motions]), self.base.active)
        return OutputErrorFit(
            **found,
            covariance=covariance,
            noise=_rms(forces, solution.values),
            freedom=freedom,
            sums=forces,
            position_rms=np.array([*self._rms, _rms(self._sums, solution.values)]),
            position_noise=noise,
            compared=int(self._sums.counts.sum()),
        )


def _rms(sums: Sums, values: Array) -> Array:
    return np.asarray(np.sqrt(sums.squares(values) / np.maximum(sums.counts, 1)))
