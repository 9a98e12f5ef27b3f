"""Recursions of simulation: steps, and the rate of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.steps import coordinate_rates
from revolute.model.columns import drive_column
from revolute.model.model import Model
from revolute.model.reduce import reduced
from revolute.spatial.scalar import Scalar

__all__ = ["state_rate", "step"]

Scalars = Sequence[Scalar]
Wrenches = Mapping[str, Scalars] | None


def step(method: Callable[..., Any]) -> Callable[..., Any]:
    """A recursion for the state after one step of length h."""

    def next_state(
        model: Model,
        q: Scalars,
        qd: Scalars,
        tau: Scalars,
        h: Scalars,
        damping: bool = False,
        wrenches: Wrenches = None,
    ) -> Any:
        return method(model, _accelerations(model, tau, damping, wrenches), q, qd, h[0])

    return next_state


def state_rate(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, damping: bool = False, wrenches: Wrenches = None
) -> Any:
    """dq/dt and qdd."""
    return coordinate_rates(model, q, qd), _accelerations(model, tau, damping, wrenches)(q, qd)


def _accelerations(model: Model, tau: Scalars, damping: bool, wrenches: Wrenches) -> Callable[[Any, Any], Any]:
    """Joint accelerations under the forces tau, less viscous friction on request."""
    reduced_model = reduced(model)
    coefficients = drive_column(model, "damping", 0.0).tolist() if damping else []

    def accelerations(q: Scalars, qd: Scalars) -> Any:
        net_forces = [t - d * v for t, d, v in zip(tau, coefficients, qd, strict=True)] if damping else tau
        return articulated_body(reduced_model, q, qd, net_forces, wrenches)

    return accelerations
