"""Partial derivatives of forward dynamics with respect to the parameters of links and drives, for any scalar type."""

from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.driven import driven_bias_forces, driven_factors
from revolute.dynamics.driven_regressor import driven_regressor
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.forward_dynamics_partials import acceleration_partials
from revolute.dynamics.large_regressors import is_large
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.regressor import regressor
from revolute.model import Model, reduced_in_place
from revolute.spatial.scalar import Rows, Scalars, Wrenches


def forward_dynamics_parameter_partials(
    model: Model, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> Rows:
    """dqdd/dpi at constant tau. GOA 8-16, solved for the accelerations.

        0 = M dqdd/dpi + Y(q, qd, qdd),    tau = Y pi

    The nv rows have 10 n columns, for the parameters of the n bodies, each expressed in the frame of its body.
    """
    return slopes(reduced_in_place(model), model, q, qd, tau, wrenches)


def slopes(same_forces: Model, model: Model, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None) -> Rows:
    """dqdd/dpi of `model`, with qdd and M from `same_forces`, a model that has the same joint forces."""
    factors = mass_matrix_factors(same_forces, q)
    bias = newton_euler(same_forces, q, qd, (0,) * model.nv, wrenches)
    qdd = factors.solve([force - b for force, b in zip(tau, bias, strict=True)])
    Y = regressor(model, q, qd, qd, qdd, loops=is_large(model))  # solving takes longer
    width = len(Y) // model.nv
    return acceleration_partials(factors, [Y[k * width : (k + 1) * width] for k in range(model.nv)])


def driven_forward_dynamics_parameter_partials(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> Rows:
    """dqdd/dpi at constant tau, with M, Y and pi of `driven_regressor`: parameters of links, then of drives."""
    return driven_slopes(reduced_in_place(model), model, drives, q, qd, tau, wrenches)


def driven_slopes(
    same_forces: Model, model: Model, drives: Drivetrain, q: Scalars, qd: Scalars,
    tau: Scalars, wrenches: Wrenches = None,
) -> Rows:
    """dqdd/dpi of `model`, with qdd and M from `same_forces`, a model that has the same joint forces."""
    factors = driven_factors(same_forces, drives, q)
    bias = driven_bias_forces(same_forces, drives, q, qd, wrenches)
    qdd = factors.solve([force - b for force, b in zip(tau, bias, strict=True)])
    return acceleration_partials(factors, driven_regressor(model, drives, q, qd, qdd))
