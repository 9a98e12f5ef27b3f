"""Derivatives by the state, and linear models, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.gravity_forces_partials import gravity_forces_partials
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.mass_matrix_partials import mass_matrix_partials
from revolute.functions.signature import Function, Signature, position, rate
from revolute.reduce import reduced
from revolute.robot import Robot

__all__ = ["FUNCTIONS"]


def _flat(*matrices: Any) -> list[list[Any]]:
    return [[x for row in matrix for x in row] for matrix in matrices]


def _inverse_dynamics_partials(robot: Robot) -> Signature:
    square = (robot.nv, robot.nv)
    return Signature(
        "inverse_dynamics_partials",
        (position(robot), rate(robot, "qd"), rate(robot, "qdd")),
        (("dtau_dq", square), ("dtau_dqd", square), ("M", square)),
        lambda q, qd, qdd: _flat(*inverse_dynamics_partials(reduced(robot), q, qd, qdd)),
    )


def _gravity_forces_partials(robot: Robot) -> Signature:
    return Signature(
        "gravity_forces_partials",
        (position(robot),),
        (("dg_dq", (robot.nv, robot.nv)),),
        lambda q: _flat(gravity_forces_partials(reduced(robot), q))[0],
    )


def _mass_matrix_partials(robot: Robot) -> Signature:
    return Signature(
        "mass_matrix_partials",
        (position(robot),),
        (("dM_dq", (robot.nv, robot.nv, robot.nv)),),
        lambda q: [x for matrix in mass_matrix_partials(reduced(robot), q) for row in matrix for x in row],
    )


FUNCTIONS: dict[str, Function] = {
    "inverse_dynamics_partials": Function(_inverse_dynamics_partials),
    "gravity_forces_partials": Function(_gravity_forces_partials),
    "mass_matrix_partials": Function(_mass_matrix_partials),
}
