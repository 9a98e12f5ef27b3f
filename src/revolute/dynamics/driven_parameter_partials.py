"""Partial derivatives of forward dynamics with drives by their parameters and the links', over any scalar."""

from __future__ import annotations

from revolute.dynamics.driven import driven_bias_forces, driven_factors
from revolute.dynamics.driven_regressor import driven_regressor
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.forward_dynamics_partials import acceleration_partials
from revolute.model.model import Model
from revolute.model.reduce import reduced_in_place
from revolute.spatial.scalar import Rows, Scalars, Wrenches

__all__ = ["driven_forward_dynamics_parameter_partials", "driven_slopes"]


def driven_forward_dynamics_parameter_partials(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> Rows:
    """dpdd/dpi at constant tau, with M, Y and pi of `driven_regressor`: links', then drives' parameters.

    Returns:
        a row for every independent coordinate.
    """
    return driven_slopes(reduced_in_place(model), model, drives, p, pd, tau, wrenches)


def driven_slopes(
    same_forces: Model, model: Model, drives: Drivetrain, p: Scalars, pd: Scalars,
    tau: Scalars, wrenches: Wrenches = None,
) -> Rows:
    """The same, with pdd and M of a model that has the same joint forces."""
    factors = driven_factors(same_forces, drives, p)
    bias = driven_bias_forces(same_forces, drives, p, pd, wrenches)
    pdd = factors.solve([force - b for force, b in zip(tau, bias, strict=True)])
    return acceleration_partials(factors, driven_regressor(model, drives, p, pd, pdd))
