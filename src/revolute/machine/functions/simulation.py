"""Steps of a simulation, and the rate of the state, as their declarations want them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.steps import coordinate_rates
from revolute.model.columns import drive_column
from revolute.model.model import Model
from revolute.model.reduce import reduced
from revolute.spatial.scalar import Scalar

__all__ = ["state_rate", "step"]

Scalars = Sequence[Scalar]
def step(method: Callable[..., Any]) -> Callable[..., Any]:
    """The state after a time h."""

    def after(model: Model, q: Scalars, qd: Scalars, tau: Scalars, h: Scalars, damping: bool = False) -> Any:
        return method(model, _accelerations(model, tau, damping), q, qd, h[0])

    return after


def state_rate(model: Model, q: Scalars, qd: Scalars, tau: Scalars, damping: bool = False) -> Any:
    """dq/dt and qdd."""
    return coordinate_rates(model, q, qd), _accelerations(model, tau, damping)(q, qd)


def _accelerations(model: Model, tau: Scalars, damping: bool) -> Callable[[Any, Any], Any]:
    """Joint accelerations under given forces, and viscous friction if wanted."""
    light = reduced(model)
    coefficients = drive_column(model, "damping", 0.0).tolist() if damping else []

    def accelerations(q: Scalars, qd: Scalars) -> Any:
        driven = [t - d * v for t, d, v in zip(tau, coefficients, qd, strict=True)] if damping else tau
        return articulated_body(light, q, qd, driven)

    return accelerations
