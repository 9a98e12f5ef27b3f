"""Free times: durations of phases as variables, optimized in a loop around the iterations of one problem.

With durations d and the least cost V(d) of a motion, the sum V(d) + w d is minimized by projected quasi-Newton
steps (BFGS; Nocedal & Wright 2006, 6.1 and 18.7). The slope of V needs no further solution: by the envelope theorem

    dV/dh_t = dl_t/dh + V_x(t + 1)^T dstep/dh

at the minimum, for a step of length h_t. Lengths and weights are inputs of the kernels. Each solution starts from the
previous plan, in which the new lengths open gaps. With hard costs, V is an augmented Lagrangian with fixed
multipliers, which is finite even if no motion is fast enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import broadcasts_to, finite_array, instances
from revolute.errors import InputError, ShapeError
from revolute.optimal.fddp import CONVERGED, EXHAUSTED, STUCK
from revolute.optimal.shooting import Array, Shooting

NUMBERS = "shortest", "longest", "weight"
FIRST, LARGEST = 0.1, 0.3  # first change of a duration, and the largest one, relative to it
DECREASE = 1e-4  # fraction of the predicted decrease that a step must reach
SHORTER, CUTS = 0.25, 8  # factor of a step that fails, and the number of times before the durations stay


@dataclass(frozen=True)
class FreeTime:
    """A duration, of all steps or of a phase, that `OptimalControl.solve` chooses. Ratios of step lengths are kept.

    Attributes:
        shortest, longest: bounds of the duration [s]; numbers, or one for each problem of a batch.
        weight: cost per second of the duration.
        steps: (first, end): the steps first ... end - 1 of the phase; all by default.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.optimal import FreeTime, OptimalControl, StateCost, TorqueCost
        >>> slider = revolute.robots.planar(1).with_gravity((0, 0, 0))
        >>> end, bound = [StateCost(1e2, hard=True)], slider.mass_matrix([0.0])[0]
        >>> options = {"terminal": end, "steps": 40, "dt": 0.1, "effort_limits": bound}
        >>> problem = OptimalControl(slider, [TorqueCost(1e-6)], **options)
        >>> plan = problem.solve([1.0], free_time=FreeTime(0.5, 9.0, weight=1.0))
        >>> round(float(plan.t[-1]), 1)  # one radian, at one rad/s^2
        2.0
    """

    shortest: ArrayLike
    longest: ArrayLike
    weight: ArrayLike = 1.0
    steps: tuple[int, int] | None = None


def free_times(given: Any, steps: int, batch: tuple[int, ...]) -> tuple[list[slice], Array]:
    """The phases as slices, and (problems, 3, phases) numbers: shortest durations, longest durations, weights."""
    listed = instances("solve: free_time", [given] if isinstance(given, FreeTime) else given, FreeTime)
    if not listed:
        raise InputError("solve: free_time contains no FreeTime; omit free_time if durations are fixed")
    phases, numbers, free = list[slice](), [], np.ones(steps, bool)
    for x in listed:
        ends = (0, steps) if x.steps is None else x.steps
        if not (isinstance(ends, tuple) and len(ends) == 2 and all(isinstance(k, (int, np.integer)) for k in ends)):
            raise InputError(f"solve: free_time: steps must be (first, end), not {ends!r}")
        if not 0 <= ends[0] < ends[1] <= steps:
            raise InputError(f"solve: free_time: steps {ends} are not among those of the problem, 0 to {steps}")
        if not free[slice(*ends)].all():
            raise InputError(f"solve: free_time: steps {ends} overlap the steps of another phase")
        free[slice(*ends)] = False
        phases.append(slice(*ends))
        rows = [finite_array(f"solve: free_time: {name}", getattr(x, name)) for name in NUMBERS]
        if not all(broadcasts_to(row.shape, batch) for row in rows):
            shapes = [row.shape for row in rows]
            raise ShapeError(f"solve: free_time has numbers of shapes {shapes}, but the states have the batch {batch}")
        low, high, weight = (np.broadcast_to(row, batch).ravel() for row in rows)
        if not ((low > 0) & (low <= high) & (weight >= 0)).all():
            raise InputError("solve: free_time needs 0 < shortest <= longest, and a weight of zero or more")
        numbers.append([low, high, weight])
    return phases, np.moveaxis(np.array(numbers), -1, 0).swapaxes(1, 2)


class Durations:
    """The durations of the phases of the problem in one row of the arrays."""

    def __init__(self, nodes: Shooting, row: int, phases: Sequence[slice], numbers: Array, tolerance: float) -> None:
        self._nodes, self._row, self._phases, self._tolerance = nodes, row, phases, tolerance
        self._low, self._high, self._weight = numbers.copy()
        h = nodes.h[:, row, 0].copy()
        self._d = np.array([h[x].sum() for x in phases])
        self._curvature: Array | None = None
        self._set(np.clip(self._d, self._low, self._high))
        self.renew()

    def renew(self) -> None:
        """Discard the costs of other durations, after multipliers have changed."""
        self._best: dict[str, Any] = {}
        self._cuts, self._ended = 0, False

    def again(self) -> bool:
        """Whether a finished row must continue with other durations."""
        nodes, row, best = self._nodes, self._row, self._best
        usable = nodes.fields["state"][row] in (CONVERGED, EXHAUSTED, STUCK)
        if self._ended or not (usable or best):
            return False
        cost = float(nodes.fields["cost"][row] + self._weight @ self._d) if usable else np.inf
        if best and not cost <= best["cost"] + DECREASE * (best["slope"] @ (self._d - best["d"])):
            self._cuts += 1
            self._ended = self._cuts > CUTS
            share = 0.0 if self._ended else SHORTER
            nodes.x[:, row], nodes.tau[:, row] = best["x"], best["tau"]
            self._set(best["d"] + share * (self._d - best["d"]))
            return True
        slope = self._slope()
        self._learn(slope)
        step = self._step(slope)
        if not -slope @ step > 10 * self._tolerance:
            self._ended = True
            return False
        self._cuts = 0
        self._best = {
            "cost": cost, "slope": slope, "d": self._d, "x": nodes.x[:, row].copy(), "tau": nodes.tau[:, row].copy()
        }  # fmt: skip
        self._set(self._d + step)
        return True

    def add_to(self, parts: dict[str, Any]) -> None:
        """Add the times of the nodes, and the cost of time, to the parts of a plan."""
        parts["t"] = np.concatenate([[0.0], np.cumsum(self._nodes.h[:-1, self._row, 0])])
        parts["time"] = np.zeros(len(parts["t"]))
        for phase, weight in zip(self._phases, self._weight, strict=True):
            parts["time"][phase] = weight * self._nodes.h[phase, self._row, 0]
        parts["cost"] = parts["cost"] + parts["time"].sum()

    def _set(self, d: Array) -> None:
        """Change lengths of steps, and the weights of costs per second."""
        nodes, row = self._nodes, self._row
        for phase, ratio in zip(self._phases, d / self._d, strict=True):
            nodes.h[phase, row] *= ratio
            nodes.setting.stretch(nodes.p[phase, row], ratio)
            for cost, place in zip(nodes.setting.costs, nodes.setting.places, strict=True):
                if not cost.hard:  # the penalties of hard costs do not change with time
                    nodes.p[phase, row, place.weight] *= ratio
        self._d = d

    def _slope(self) -> Array:
        """The derivatives of V + w d with respect to the durations."""
        h = self._nodes.h[:, self._row, 0]
        by_step = self._nodes.slopes_by_time(self._row)
        slopes: Array = np.array([(h[x] * by_step[x]).sum() for x in self._phases]) / self._d + self._weight
        return slopes

    def _learn(self, slope: Array) -> None:
        """Update the estimate of the second derivatives of V from two slopes."""
        if not self._best:
            return
        s, y, B = self._d - self._best["d"], slope - self._best["slope"], self._curvature
        assert B is not None
        if (sy := s @ y) > 1e-9 * np.sqrt((s @ s) * (y @ y)):
            self._curvature = B + np.outer(y, y) / sy - np.outer(B @ s, B @ s) / (s @ B @ s)
        else:
            self._curvature = 0.5 * B

    def _step(self, slope: Array) -> Array:
        """The next change of the durations, within their bounds."""
        if self._curvature is None:
            self._curvature = np.diag(np.abs(slope) / (FIRST * self._d) + 1e-12)
        low, high = self._low - self._d, self._high - self._d
        free = ~(((low >= 0) & (slope > 0)) | ((high <= 0) & (slope < 0)))
        step = np.zeros_like(slope)
        step[free] = -np.linalg.solve(self._curvature[np.ix_(free, free)], slope[free])
        most = LARGEST * self._d
        step = np.clip(step / max((np.abs(step) / most).max(), 1.0), low, high)
        if slope @ step >= 0:  # clipped at bounds; steps by the diagonal always go downhill
            self._curvature = np.diag(np.diag(self._curvature))
            step = np.clip(np.clip(-slope / np.diag(self._curvature), -most, most), low, high)
        return step
