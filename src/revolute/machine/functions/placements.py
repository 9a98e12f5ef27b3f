"""Recursions of derivatives by the placements of joints."""

from __future__ import annotations

from typing import Any

from revolute.dynamics import inverse_dynamics_partials as partials
from revolute.dynamics import jacobian as kinematics
from revolute.machine.functions.kinematics import rows_of
from revolute.model.displaced import displaced
from revolute.model.model import Model
from revolute.model.reduce import aligned, reduced_in_place
from revolute.spatial.scalar import Scalars

__all__ = ["inverse_dynamics_placement_partials", "placement_jacobian"]


def placement_jacobian(model: Model, q: Scalars, frame: str, reference: str = "body") -> Any:
    """Rows of the columns of J that belong to displacements."""
    moved = displaced(model, frame)
    J = kinematics.jacobian(aligned(moved.model), moved.positions(q), frame, reference)
    return rows_of(J[k] for k in moved.displacements)


def inverse_dynamics_placement_partials(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> Any:
    """The columns of dtau/dq that belong to displacements, in rows of joints."""
    moved = displaced(model)
    by_q, _, _ = partials.inverse_dynamics_partials(
        reduced_in_place(moved.model), moved.positions(q), moved.rates(qd), moved.rates(qdd)
    )
    return [[by_q[i][k] for k in moved.displacements] for i in moved.joints]
