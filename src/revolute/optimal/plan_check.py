"""Comparison of a plan with a finer simulation: errors of its steps, and limits between its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from revolute.arguments import whole_number

if TYPE_CHECKING:
    from revolute.optimal.plan import OptimalPlan

__all__ = ["PlanCheck", "checked"]

Array = NDArray[Any]


@dataclass(frozen=True)
class PlanCheck:
    """Result of a finer simulation of each step of a plan; print it for a table.

    Attributes:
        gap: the largest gap between a step of the plan and the next node: zero for a converged plan.
        step_error: {"q", "qd": largest difference of a step of the plan from the fine steps}: it decreases with dt.
        beyond: {(limit, joint): largest excess, at nodes or between them}; positions, velocities and forces within
            limits are omitted.
    """

    gap: float
    step_error: dict[str, float]
    beyond: dict[tuple[str, str], float]

    def __str__(self) -> str:
        lines = [
            f"gap between nodes: {self.gap:.3g}",
            f"error of a step: {self.step_error['q']:.3g} of q, {self.step_error['qd']:.3g} of qd",
        ]
        lines += [f"'{joint}' exceeds its {limit} limit by {x:.3g}" for (limit, joint), x in self.beyond.items()]
        return "\n".join(lines if self.beyond else [*lines, "within all limits, between nodes too"])


def checked(plan: OptimalPlan, steps: int) -> PlanCheck:
    """Simulate all steps of one plan at once, each from its own node."""
    whole_number("check: steps", steps, 1)
    robot, dt = plan.problem.robot, np.diff(plan.t)
    q, qd = [plan.q], [plan.qd]
    errors = {"q": 0.0, "qd": 0.0}
    for length in np.unique(dt):
        rows = np.flatnonzero(dt == length)
        times = np.linspace(0.0, length, steps + 1)
        held = np.repeat(plan.tau[rows][:, None], steps + 1, axis=1)
        fine = robot.simulate(plan.q[rows], plan.qd[rows], held, times, "runge_kutta_4")
        q.append(fine.q.reshape(-1, robot.nq))
        qd.append(fine.qd.reshape(-1, robot.nv))
        apart = robot.difference(plan.q[rows + 1], fine.q[:, -1]), fine.qd[:, -1] - plan.qd[rows + 1]
        errors = {name: max(errors[name], float(np.abs(x).max())) for name, x in zip(errors, apart, strict=True)}
    limits: list[tuple[str, Any, Array, Array, Array]] = [
        ("position", robot.position_names, np.concatenate(q), robot.lower_limits, robot.upper_limits),
        ("velocity", robot.coordinate_names, np.concatenate(qd), -robot.velocity_limits, robot.velocity_limits),
        ("effort", robot.coordinate_names, plan.tau, -robot.effort_limits, robot.effort_limits),
    ]
    beyond = {
        (limit, names[k]): float(x)
        for limit, names, values, low, high in limits
        for k, x in enumerate(np.maximum(values - high, low - values).max(axis=0))
        if x > 0
    }
    return PlanCheck(float(plan.gap), errors, beyond)
