"""Comparison of a plan with a finer simulation of each of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.arguments import Array
from revolute.dynamics.optimal.holding import plane_of
from revolute.errors import InputError
from revolute.model.contact_inputs import contact_names
from revolute.simulate.touching import DEEP

if TYPE_CHECKING:
    from revolute.optimal.plan import OptimalPlan


@dataclass(frozen=True)
class PlanCheck:
    """Result of a finer simulation of each step of a plan; print it to see a table.

    Attributes:
        gap: largest gap between the end of a step and the next node: zero for a converged plan.
        step_error: largest integration error of a step, {"q": [rad, m], "qd": [rad/s, m/s]}; it decreases with dt,
            but not in steps in which a contact touches down.
        beyond: {(limit, joint): largest excess over a limit, at nodes or between them}; only exceeded limits are
            included.
        landing: whether contacts touch down in the step with the largest error of qd.
        at_nodes: names of the hard costs, such as distances of spheres, which are not checked between the nodes.
    """

    gap: float
    step_error: dict[str, float]
    beyond: dict[tuple[str, str], float]
    landing: bool = False
    at_nodes: tuple[str, ...] = ()

    def __str__(self) -> str:
        error = f"error of a step: {self.step_error['q']:.3g} of q, {self.step_error['qd']:.3g} of qd"
        if self.landing:
            error += ", as contacts touch down: expected, since they do so between the nodes"
        lines = [f"gap between the end of a step and the next node: {self.gap:.3g}", error]
        lines += [f"'{joint}' exceeds its {limit} limit by {x:.3g}" for (limit, joint), x in self.beyond.items()]
        if not self.beyond:
            lines.append("within the robot's limits of positions, velocities and forces, between nodes too")
        if self.at_nodes:
            lines.append(f"not checked between nodes: hard costs ({', '.join(self.at_nodes)})")
        return "\n".join(lines)


def checked(plan: OptimalPlan, steps: int) -> PlanCheck:
    """Simulate each step of a plan by `steps` finer ones: see `OptimalPlan.check`."""
    robot, dt, contacts = plan.problem._tree, np.diff(plan.t), plan.problem.contacts
    _require_outside(plan)
    method = "semi_implicit_euler" if contacts else "runge_kutta_4"
    q, qd = [plan.q], [plan.qd]
    errors = np.zeros((2, len(dt)))
    for length in np.unique(dt.round(12)):
        rows = np.flatnonzero(np.abs(dt - length) < 1e-12)
        times = np.linspace(0.0, length, steps + 1)
        held = np.repeat(plan.tau[rows][:, None], steps + 1, axis=1)
        fine = plan.problem.robot.simulate(plan.q[rows], plan.qd[rows], held, times, method, contacts=contacts)
        q.append(fine.q.reshape(-1, robot.nq))
        qd.append(fine.qd.reshape(-1, robot.nv))
        apart = robot.difference(plan.q[rows + 1], fine.q[:, -1]), fine.qd[:, -1] - plan.qd[rows + 1]
        errors[:, rows] = np.abs(apart).max(axis=-1)
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
    largest = dict(zip(("q", "qd"), map(float, errors.max(axis=1)), strict=True))
    return PlanCheck(float(plan.gap), largest, beyond, _touches_down(plan, int(errors[1].argmax())), tuple(plan.errors))


def _touches_down(plan: OptimalPlan, k: int) -> bool:
    """Whether a contact without a force in step k - 1 has one in step k."""
    if plan.contact_forces is None or k == 0:
        return False
    held = np.any(plan.contact_forces, axis=-1)
    return bool((held[k] & ~held[k - 1]).any())


def _require_outside(plan: OptimalPlan) -> None:
    """Raise `InputError` if a contact of a node is deeper in its surface than `simulate` allows."""
    contacts = plan.problem.contacts
    for name, contact in zip(contact_names(contacts), contacts, strict=True):
        X, plane = plan.problem.robot.forward_kinematics(plan.q[:-1], contact.link), plane_of(contact)
        depth = plane.offset - (X[:, :3, :3] @ contact.point + X[:, :3, 3]) @ plane.normal
        k = int(depth.argmax())
        if depth[k] > DEEP and not contact.compliance:
            raise InputError(
                f"check: at node {k} the contact of '{name}' is inside its surface, by {depth[k]:.3g}; "
                f"at most {DEEP:g} is allowed. The plan: {plan.reason}"
            )
