"""Inertial parameters, and the matrices by which forces depend on them, for compilation."""

from __future__ import annotations

from dataclasses import replace

from revolute.dynamics.energy import kinetic_energy_regressor, potential_energy_regressor
from revolute.dynamics.regressor import coriolis_matrix_regressor, mass_matrix_regressor, regressor
from revolute.functions.signature import Function, Shape, Signature, position, rate
from revolute.robot import Robot
from revolute.vectors import ZERO

__all__ = ["FUNCTIONS"]


def _shape(robot: Robot) -> Shape:
    return (robot.nv, 10 * robot.n_joints)


def _regressor(robot: Robot) -> Signature:
    return Signature(
        "regressor",
        (position(robot), rate(robot, "qd"), rate(robot, "qdd")),
        (("Y", _shape(robot)),),
        lambda q, qd, qdd: regressor(robot, q, qd, qd, qdd),
    )


def _slotine_li_regressor(robot: Robot) -> Signature:
    return Signature(
        "slotine_li_regressor",
        (position(robot), rate(robot, "qd"), rate(robot, "qdr"), rate(robot, "qddr")),
        (("Y", _shape(robot)),),
        lambda q, qd, qdr, qddr: regressor(robot, q, qd, qdr, qddr),
    )


def _gravity_regressor(robot: Robot) -> Signature:
    still = (0,) * robot.nv
    return Signature(
        "gravity_regressor",
        (position(robot),),
        (("Y", _shape(robot)),),
        lambda q: regressor(robot, q, still, still, still),
    )


def _momentum_regressor(robot: Robot) -> Signature:
    still = (0,) * robot.nv
    return Signature(
        "momentum_regressor",
        (position(robot), rate(robot, "qd")),
        (("Y", _shape(robot)),),
        lambda q, qd: regressor(replace(robot, gravity=ZERO), q, still, still, qd),
    )


def _mass_matrix_regressor(robot: Robot) -> Signature:
    return Signature(
        "mass_matrix_regressor",
        (position(robot),),
        (("dM_dpi", (robot.nv, *_shape(robot))),),
        lambda q: mass_matrix_regressor(robot, q),
    )


def _coriolis_matrix_regressor(robot: Robot) -> Signature:
    return Signature(
        "coriolis_matrix_regressor",
        (position(robot), rate(robot, "qd")),
        (("dC_dpi", (robot.nv, *_shape(robot))),),
        lambda q, qd: coriolis_matrix_regressor(robot, q, qd),
    )


def _energy_regressor(robot: Robot) -> Signature:
    return Signature(
        "energy_regressor",
        (position(robot), rate(robot, "qd")),
        (("T", (10 * robot.n_joints,)), ("U", (10 * robot.n_joints,))),
        lambda q, qd: (kinetic_energy_regressor(robot, q, qd), potential_energy_regressor(robot, q)),
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
