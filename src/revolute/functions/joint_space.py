"""Mass, Coriolis and gravity terms in joint space, and their rates, for compilation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from revolute.dynamics.christoffel_symbols import christoffel_symbols
from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.functions.signature import Function, Signature, flat, position, rate
from revolute.functions.tangents import along_motion
from revolute.reduce import reduced
from revolute.robot import Robot
from revolute.vectors import ZERO

__all__ = ["FUNCTIONS"]


def _with_transpose(C: Any) -> list[Any]:
    """C + C^T, the rate of the mass matrix."""
    return [C[i][j] + C[j][i] for i in range(len(C)) for j in range(len(C))]


def _mass_matrix(robot: Robot) -> Signature:
    return Signature(
        "mass_matrix",
        (position(robot),),
        (("M", (robot.nv, robot.nv)),),
        lambda q: flat(mass_matrix(reduced(robot), q)),
    )


def _coriolis_matrix(robot: Robot) -> Signature:
    return Signature(
        "coriolis_matrix",
        (position(robot), rate(robot, "qd")),
        (("C", (robot.nv, robot.nv)),),
        lambda q, qd: flat(equations_of_motion(reduced(robot), q, qd)[1]),
    )


def _coriolis_forces(robot: Robot) -> Signature:
    still = (0,) * robot.nv
    return Signature(
        "coriolis_forces",
        (position(robot), rate(robot, "qd")),
        (("C qd", (robot.nv,)),),
        lambda q, qd: newton_euler(replace(reduced(robot), gravity=ZERO), q, qd, still),
    )


def _christoffel_symbols(robot: Robot) -> Signature:
    return Signature(
        "christoffel_symbols",
        (position(robot),),
        (("Gamma", (robot.nv, robot.nv, robot.nv)),),
        lambda q: flat(flat(christoffel_symbols(reduced(robot), q))),
    )


def _equations_of_motion(robot: Robot, mass_matrix_rate: bool = False) -> Signature:
    square = (robot.nv, robot.nv)

    def body(q: Any, qd: Any) -> Any:
        M, C, g = equations_of_motion(reduced(robot), q, qd)
        return (flat(M), flat(C), g, _with_transpose(C))[: 4 if mass_matrix_rate else 3]

    outputs = (("M", square), ("C", square), ("g", (robot.nv,)), ("Md", square))
    inputs = (position(robot), rate(robot, "qd"))
    return Signature("equations_of_motion", inputs, outputs[: 4 if mass_matrix_rate else 3], body)


def _mass_matrix_rate(robot: Robot) -> Signature:
    return Signature(
        "mass_matrix_rate",
        (position(robot), rate(robot, "qd")),
        (("Md", (robot.nv, robot.nv)),),
        lambda q, qd: _with_transpose(equations_of_motion(reduced(robot), q, qd)[1]),
    )


def _coriolis_matrix_rate(robot: Robot) -> Signature:
    def body(q: Any, qd: Any, qdd: Any) -> Any:
        _, C, _ = equations_of_motion(reduced(robot), q, qd)
        return along_motion(robot, flat(C), q, qd, qdd)

    inputs = (position(robot), rate(robot, "qd"), rate(robot, "qdd"))
    return Signature("coriolis_matrix_rate", inputs, (("Cd", (robot.nv, robot.nv)),), body)


def _gravity_forces_rate(robot: Robot) -> Signature:
    still = (0,) * robot.nv

    def body(q: Any, qd: Any) -> Any:
        return along_motion(robot, newton_euler(reduced(robot), q, still, still), q, qd)

    return Signature("gravity_forces_rate", (position(robot), rate(robot, "qd")), (("gd", (robot.nv,)),), body)


def _equations_of_motion_rates(robot: Robot) -> Signature:
    square, column = (robot.nv, robot.nv), (robot.nv,)

    def body(q: Any, qd: Any, qdd: Any) -> Any:
        M, C, g = equations_of_motion(reduced(robot), q, qd)
        rates = along_motion(robot, [*flat(C), *g], q, qd, qdd)
        split = robot.nv**2
        return flat(M), flat(C), g, _with_transpose(C), rates[:split], rates[split:]

    return Signature(
        "equations_of_motion_rates",
        (position(robot), rate(robot, "qd"), rate(robot, "qdd")),
        (("M", square), ("C", square), ("g", column), ("Md", square), ("Cd", square), ("gd", column)),
        body,
    )


_PARAMETERS = frozenset({"parameters"})

FUNCTIONS: dict[str, Function] = {
    "mass_matrix": Function(_mass_matrix, _PARAMETERS),
    "coriolis_matrix": Function(_coriolis_matrix, _PARAMETERS),
    "coriolis_forces": Function(_coriolis_forces, _PARAMETERS),
    "christoffel_symbols": Function(_christoffel_symbols, _PARAMETERS),
    "equations_of_motion": Function(_equations_of_motion, frozenset({"parameters", "mass_matrix_rate"})),
    "equations_of_motion_rates": Function(_equations_of_motion_rates, _PARAMETERS),
    "mass_matrix_rate": Function(_mass_matrix_rate, _PARAMETERS),
    "coriolis_matrix_rate": Function(_coriolis_matrix_rate, _PARAMETERS),
    "gravity_forces_rate": Function(_gravity_forces_rate, _PARAMETERS),
}
