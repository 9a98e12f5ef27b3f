"""Recursions of observers: see `revolute.control`."""

from __future__ import annotations

from typing import Any

from revolute.dynamics import driven
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.hamilton import momentum_and_rate, observed
from revolute.model.columns import drive_column
from revolute.model.model import Model
from revolute.model.reduce import reduced
from revolute.spatial.scalar import Scalars

__all__ = ["driven_momentum_and_rate", "driven_momentum_observer_step", "momentum_observer_step"]


def momentum_observer_step(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, decay: Scalars, h: Scalars, p: Scalars, beta: Scalars,
    r: Scalars, damping: bool = False,
) -> Any:
    """The momenta, their rates and the residual at the end of a step; viscous friction on request."""
    after = momentum_and_rate(reduced(model), q, qd)
    if damping:
        coefficients = drive_column(model, "damping", 0.0).tolist()
        after = after[0], [x - d * v for x, d, v in zip(after[1], coefficients, qd, strict=True)]
    return *after, observed(after, (p, beta), tau, decay, h[0], r)


def driven_momentum_and_rate(tree: Model, drives: Drivetrain, p: Scalars, pd: Scalars) -> tuple[Any, Any]:
    """M pd, and C^T pd - g - friction - springs, the rate of M pd without other forces."""
    momenta = driven.driven_generalized_momentum(tree, drives, p, pd)
    _, C, g = driven.driven_equations_of_motion(tree, drives, p, pd)
    losses = driven.driven_friction_forces(tree, drives, pd), driven.driven_spring_forces(tree, drives, p)
    turning = [sum(x * v for x, v in zip(column, pd, strict=True)) for column in zip(*C, strict=True)]
    return momenta, [x - w - a - b for w, a, b, x in zip(g, *losses, turning, strict=True)]


def driven_momentum_observer_step(
    tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, decay: Scalars, h: Scalars, p: Scalars,
    beta: Scalars, r: Scalars,
) -> Any:
    """`momentum_observer_step` with rotors, friction and springs; q and qd are independent coordinates."""
    after = driven_momentum_and_rate(tree, drives, q, qd)
    return *after, observed(after, (p, beta), tau, decay, h[0], r)
