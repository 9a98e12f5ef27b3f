"""Records of iterations: cost, gap, step length and regularization, one row per iteration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from revolute.errors import InputError
from revolute.optimal.shooting import Array, Shooting

if TYPE_CHECKING:
    from revolute.plot.figures import Figure


class Iteration(NamedTuple):
    """An iteration of a problem, for the `callback` of `OptimalControl.solve`.

    Attributes:
        problem: flat index of the problem in the batch, in C order; 0 for one problem.
        number: number of iterations of this problem, including this one.
        cost, gap, step, regularization, round: see `IterationsLog`.
    """

    problem: int
    number: int
    cost: float
    gap: float
    step: float
    regularization: float
    round: int

    @classmethod
    def of(cls, nodes: Shooting, row: int, problem: int, updates: int) -> Iteration:
        """The latest iteration of a row of the arrays."""
        names = "count", "cost", "gap", "share", "damping", "waiting"
        count, cost, gap, share, damping, waiting = (float(nodes.fields[name][row]) for name in names)
        return cls(problem, int(count), cost, gap, share if waiting == 0 else 0.0, damping, updates)


@dataclass(frozen=True, eq=False, repr=False)
class IterationsLog:
    """The iterations of a problem, or of each problem of a batch; print it to see a table.

    n is the largest number of iterations of a problem; entries after the last iteration of a problem are NaN.

    Attributes:
        cost: (..., n) cost of the plan after the iteration, with penalties of hard costs but without the cost of time.
        gap: (..., n) largest gap between the end of a step and the next node.
        step: (..., n) accepted step length, 1 for a full step; 0 if none was acceptable.
        regularization: (..., n) number that was added to the diagonal of the Hessian by controls.
        round: (..., n) number of updates of the multipliers of hard costs before the iteration.
    """

    cost: Array
    gap: Array
    step: Array
    regularization: Array
    round: Array

    @classmethod
    def of(cls, logs: Sequence[Sequence[Iteration]], batch: tuple[int, ...]) -> IterationsLog:
        """The records of all problems of a batch."""
        names = [x.name for x in fields(cls)]
        table = np.full((len(names), len(logs), max(map(len, logs), default=0)), np.nan)
        for k, log in enumerate(logs):
            for j, x in enumerate(log):
                table[:, k, j] = [getattr(x, name) for name in names]
        return cls(*table.reshape(len(names), *batch, table.shape[-1]))

    def __getitem__(self, place: tuple[int, ...]) -> IterationsLog:
        """The iterations of one problem of a batch, without the NaN entries after the last one."""
        rows = [getattr(self, x.name)[place] for x in fields(self)]
        count = int(np.isfinite(self.cost[place]).sum(axis=-1).max(initial=0))
        return IterationsLog(*(x[..., :count] for x in rows))

    def plot(self, title: str = "iterations") -> Figure:
        """Plot cost, gap, step length and regularization by iteration. Return a Matplotlib figure.

        Raises:
            InputError: the plan is a batch.
            MissingExtraError: Matplotlib is not installed.
        """
        from revolute.plot.figures import heading, joint_panels  # Matplotlib is an optional dependency

        self._require_one("plot")
        x = np.arange(1, len(self.cost) + 1)
        shown = "cost", "gap", "step", "regularization"
        with joint_panels(len(shown), title, "iteration") as (figure, panels):
            for axes, name in zip(panels, shown, strict=True):
                y = getattr(self, name)
                axes.plot(x, y, ".-")
                if (y > 0).any() and name != "step":
                    axes.set_yscale("log")
                heading(axes, name)
        return figure

    def __str__(self) -> str:
        self._require_one("a table")
        rows = zip(self.cost, self.gap, self.step, self.regularization, strict=True)
        lines = [f"{k:>5}  {c:13.6e}  {g:9.2e}  {s:8.6f}  {r:9.2e}" for k, (c, g, s, r) in enumerate(rows, 1)]
        return "\n".join(["   no           cost        gap      step  regularization", *lines])

    def __repr__(self) -> str:
        return f"<IterationsLog: {self.cost.shape[-1]} iterations at most>"

    def _require_one(self, what: str) -> None:
        if self.cost.ndim > 1:
            raise InputError(f"{what}: needs one plan, but this is a batch {self.cost.shape[:-1]}; select one: row(k)")
