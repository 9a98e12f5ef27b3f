"""The iterations of all estimators that simulate the closed loop."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from revolute.arguments import finite_array
from revolute.errors import InputError, ShapeError, SimulationError
from revolute.identification.closed_loop.loop import ClosedLoop
from revolute.identification.closed_loop.simulation import ClosedLoopSimulation, smooth_robot
from revolute.identification.fit.equations import checked
from revolute.identification.fit.fit import Fit
from revolute.identification.fit.least_squares import Solution
from revolute.identification.forces.base_parameters import BaseColumns, nearest_parameters
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.log.decimation import consecutive
from revolute.identification.samples import Array, Samples

SHRINKING = 0.8
"""Ratio of successive changes of the parameters above which the iterations oscillate and therefore take half steps."""

SHARES = (1.0, 0.5, 0.25, 0.125)
"""Fractions of a parameter step, tried in order until the simulation of the closed loop succeeds."""

ROUNDING = 1e-6
"""Change of the predicted forces, relative to the measured forces, below which it counts as rounding error."""


@dataclass(frozen=True, eq=False, repr=False)
class ClosedLoopFit(Fit):
    """A `Fit` by simulations of the closed loop.

    Attributes:
        history: (k + 1, b) base parameters at the start and after each of k iterations.
    """

    history: Array

    @property
    def iterations(self) -> int:
        """Number of iterations."""
        return len(self.history) - 1

    def to_dict(self) -> dict[str, Any]:
        """The data of `Fit.to_dict`, and the number of iterations."""
        return {**super().to_dict(), "iterations": self.iterations}


class Motions:
    """Simulated motions of all blocks of a log, for successive estimates.

    The simulation of a block starts at the reference of its first sample.

    Attributes:
        blocks: blocks of the log, each without gaps.
        model: the force model with the simulation's smoothed friction, with which joints creep instead of sticking.
        simulations: one `ClosedLoopSimulation` per block.
    """

    def __init__(self, model: ForceModel, loop: ClosedLoop, log: Samples | Iterable[Samples]) -> None:
        joined: list[Samples] = []
        for part, continues in consecutive(checked(model, log)):
            joined.append(Samples.joined([joined.pop(), part]) if continues else part)
        self.blocks = [block for block in joined if len(block) > 1]
        if not self.blocks:
            raise InputError("the log has no two consecutive samples; give a log without gaps")
        self.model = copy(model)
        self.model.robot = smooth_robot(model, loop)
        self.simulations = [ClosedLoopSimulation(model, loop, block) for block in self.blocks]
        self._last: list[Samples | None] = [None] * len(self.blocks)
        self._parameters: Array | None = None

    def of(self, parameters: Array) -> list[Samples]:
        """Simulate the motions with these parameters or, if that fails, with those after a shorter step."""
        before = self._parameters
        for share in SHARES if before is not None else SHARES[:1]:
            tried = parameters if before is None else before + share * (parameters - before)
            try:
                motions = [run.run(tried, last) for run, last in zip(self.simulations, self._last, strict=True)]
            except SimulationError as found:
                error = found
                continue
            self._parameters, self._last = tried, [*motions]
            return motions
        raise never_runs(error, first=before is None) from error


def never_runs(error: SimulationError, *, first: bool) -> InputError:
    """The error for a closed loop that cannot be simulated with an estimate, or with the first parameters."""
    return InputError(
        f"the closed loop of {'the first' if first else 'an'} estimate cannot be simulated: {error}. Check the "
        "controller, its gains and their units; start from better parameters; or excite the robot more"
    )


class LoopEstimator(ABC):
    """Estimation of the base parameters `base`: each estimate uses motions simulated with the previous estimate."""

    base: BaseColumns

    @abstractmethod
    def estimate(self, parameters: Array, known: Array) -> tuple[Solution, Array, Array]:
        """The estimate from the motion with parameters (p,), weights (nv,), and the rows' (b + 1, b + 1) factor R.

        Rows are scaled to residuals of variance 1. `known` (b,): values that the log does not determine.
        """

    def following(self, parameters: Array, estimate: Array, share: float, solution: Solution) -> Array:
        """(p,) parameters of the next simulation: the last ones plus a fraction `share` of the step to the estimate."""
        return parameters + share * (estimate - parameters)

    @abstractmethod
    def fit(self, solution: Solution, weights: Array, found: dict[str, Any]) -> ClosedLoopFit:
        """Create the fit with the errors of this estimator; `found` contains the other attributes."""


def iterated(name: str, estimator: LoopEstimator, model: ForceModel, loop: ClosedLoop) -> ClosedLoopFit:
    """The fit of the last iteration: its estimate differs from the simulated values by less than the tolerance."""
    base, parameters = estimator.base, _start_of(model, loop.start)
    known = base.matrix @ model.values
    history, last, share = [base.matrix @ parameters], np.inf, 1.0
    for _ in range(loop.iterations):
        solution, weights, R = estimator.estimate(parameters, known)
        history.append(solution.values)
        change = float(np.linalg.norm(R[:, :-1] @ (solution.values - base.matrix @ parameters)))
        estimate = nearest_parameters(model, base, solution.values)
        errors = loop.tolerance * np.sqrt(len(solution.values))
        if change <= max(errors, ROUNDING * float(np.linalg.norm(R[:, -1]))):
            break
        share, last = (1.0 if change < SHRINKING * last else 0.5), change  # halve the step if changes do not shrink
        parameters = estimator.following(parameters, estimate, share, solution)
    else:
        raise InputError(
            f"{name}: the estimate did not settle in {loop.iterations} iterations; check the controller and its gains, "
            "start from better parameters, or raise the tolerance"
        )
    found = {
        "model": model, "base": base, "values": solution.values, "parameters": estimate, "weights": weights,
        "rank": solution.rank, "condition": solution.condition, "triangle": R, "estimator": name,
        "history": np.array(history),
    }  # fmt: skip
    return estimator.fit(solution, weights, found)


def _start_of(model: ForceModel, start: Any) -> Array:
    """(p,) parameters of the first simulation: by default those of the robot's description."""
    if start is None:
        return model.values
    values = finite_array("start", start)
    if values.shape != model.values.shape:
        raise ShapeError(f"start has shape {values.shape}, and the model has {len(model.values)} parameters")
    return values
