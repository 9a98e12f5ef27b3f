"""Inertial parameters, and the matrices by which forces depend on them, for compilation."""

from __future__ import annotations

from dataclasses import replace

from revolute.compiler.signature import Function, Shape, Signature, position, rate
from revolute.dynamics.energy import kinetic_energy_regressor, potential_energy_regressor
from revolute.dynamics.regressor import coriolis_matrix_regressor, mass_matrix_regressor, regressor
from revolute.model.model import Model
from revolute.spatial.vectors import ZERO

__all__ = ["FUNCTIONS"]


def _shape(model: Model) -> Shape:
    return (model.nv, 10 * model.n_joints)


def _regressor(model: Model) -> Signature:
    return Signature(
        "regressor",
        (position(model), rate(model, "qd"), rate(model, "qdd")),
        (("Y", _shape(model)),),
        lambda q, qd, qdd: regressor(model, q, qd, qd, qdd),
    )


def _slotine_li_regressor(model: Model) -> Signature:
    return Signature(
        "slotine_li_regressor",
        (position(model), rate(model, "qd"), rate(model, "qdr"), rate(model, "qddr")),
        (("Y", _shape(model)),),
        lambda q, qd, qdr, qddr: regressor(model, q, qd, qdr, qddr),
    )


def _gravity_regressor(model: Model) -> Signature:
    still = (0,) * model.nv
    return Signature(
        "gravity_regressor",
        (position(model),),
        (("Y", _shape(model)),),
        lambda q: regressor(model, q, still, still, still),
    )


def _momentum_regressor(model: Model) -> Signature:
    still = (0,) * model.nv
    return Signature(
        "momentum_regressor",
        (position(model), rate(model, "qd")),
        (("Y", _shape(model)),),
        lambda q, qd: regressor(replace(model, gravity=ZERO), q, still, still, qd),
    )


def _mass_matrix_regressor(model: Model) -> Signature:
    return Signature(
        "mass_matrix_regressor",
        (position(model),),
        (("dM_dpi", (model.nv, *_shape(model))),),
        lambda q: mass_matrix_regressor(model, q),
    )


def _coriolis_matrix_regressor(model: Model) -> Signature:
    return Signature(
        "coriolis_matrix_regressor",
        (position(model), rate(model, "qd")),
        (("dC_dpi", (model.nv, *_shape(model))),),
        lambda q, qd: coriolis_matrix_regressor(model, q, qd),
    )


def _energy_regressor(model: Model) -> Signature:
    return Signature(
        "energy_regressor",
        (position(model), rate(model, "qd")),
        (("T", (10 * model.n_joints,)), ("U", (10 * model.n_joints,))),
        lambda q, qd: (kinetic_energy_regressor(model, q, qd), potential_energy_regressor(model, q)),
    )


FUNCTIONS = {
    "regressor": Function(_regressor),
    "slotine_li_regressor": Function(_slotine_li_regressor),
    "gravity_regressor": Function(_gravity_regressor),
    "momentum_regressor": Function(_momentum_regressor),
    "mass_matrix_regressor": Function(_mass_matrix_regressor),
    "coriolis_matrix_regressor": Function(_coriolis_matrix_regressor),
    "energy_regressor": Function(_energy_regressor),
}
