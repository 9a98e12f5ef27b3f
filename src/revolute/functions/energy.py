"""Energies and momenta, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.energy import kinetic_energy, potential_energy
from revolute.dynamics.momentum import (
    centroidal_momentum,
    centroidal_momentum_matrix,
    centroidal_momentum_rate,
    generalized_momentum,
)
from revolute.dynamics.newton_euler import newton_euler
from revolute.functions.signature import Function, Signature, position, rate
from revolute.reduce import reduced
from revolute.robot import Robot

__all__ = ["FUNCTIONS"]


def _kinetic_energy(robot: Robot) -> Signature:
    return Signature(
        "kinetic_energy",
        (position(robot), rate(robot, "qd")),
        (("T", ()),),
        lambda q, qd: [kinetic_energy(robot, q, qd)],
    )


def _potential_energy(robot: Robot) -> Signature:
    return Signature("potential_energy", (position(robot),), (("U", ()),), lambda q: [potential_energy(robot, q)])


def _lagrangian(robot: Robot) -> Signature:
    def body(q: Any, qd: Any) -> Any:
        return [kinetic_energy(robot, q, qd) - potential_energy(robot, q)]

    return Signature("lagrangian", (position(robot), rate(robot, "qd")), (("L", ()),), body)


def _hamiltonian(robot: Robot) -> Signature:
    def body(q: Any, qd: Any) -> Any:
        return [kinetic_energy(robot, q, qd) + potential_energy(robot, q)]

    return Signature("hamiltonian", (position(robot), rate(robot, "qd")), (("H", ()),), body)


def _power(robot: Robot) -> Signature:
    def body(q: Any, qd: Any, qdd: Any) -> Any:
        return [sum(v * force for v, force in zip(qd, newton_euler(reduced(robot), q, qd, qdd), strict=True))]

    inputs = (position(robot), rate(robot, "qd"), rate(robot, "qdd"))
    return Signature("power", inputs, (("P", ()),), body)


def _generalized_momentum(robot: Robot) -> Signature:
    return Signature(
        "generalized_momentum",
        (position(robot), rate(robot, "qd")),
        (("p", (robot.nv,)),),
        lambda q, qd: generalized_momentum(reduced(robot), q, qd),
    )


def _centroidal_momentum(robot: Robot) -> Signature:
    return Signature(
        "centroidal_momentum",
        (position(robot), rate(robot, "qd")),
        (("k, l", (6,)),),
        lambda q, qd: centroidal_momentum(robot, q, qd),
    )


def _centroidal_momentum_matrix(robot: Robot) -> Signature:
    return Signature(
        "centroidal_momentum_matrix",
        (position(robot),),
        (("A", (6, robot.nv)),),
        lambda q: centroidal_momentum_matrix(robot, q),
    )


def _centroidal_momentum_rate(robot: Robot) -> Signature:
    return Signature(
        "centroidal_momentum_rate",
        (position(robot), rate(robot, "qd"), rate(robot, "qdd")),
        (("kd, ld", (6,)),),
        lambda q, qd, qdd: centroidal_momentum_rate(robot, q, qd, qdd),
    )


FUNCTIONS = {
    "kinetic_energy": Function(_kinetic_energy),
    "potential_energy": Function(_potential_energy, frozenset({"parameters"})),
    "lagrangian": Function(_lagrangian),
    "hamiltonian": Function(_hamiltonian),
    "power": Function(_power, frozenset({"parameters"})),
    "generalized_momentum": Function(_generalized_momentum, frozenset({"parameters"})),
    "centroidal_momentum": Function(_centroidal_momentum),
    "centroidal_momentum_matrix": Function(_centroidal_momentum_matrix),
    "centroidal_momentum_rate": Function(_centroidal_momentum_rate),
}
