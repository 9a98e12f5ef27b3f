"""Energies and momenta, for compilation."""

from __future__ import annotations

from typing import Any

from revolute.compiler.signature import Function, Signature, position, rate
from revolute.dynamics.energy import kinetic_energy, potential_energy
from revolute.dynamics.momentum import (
    centroidal_momentum,
    centroidal_momentum_matrix,
    centroidal_momentum_rate,
    generalized_momentum,
)
from revolute.dynamics.newton_euler import newton_euler
from revolute.model.model import Model
from revolute.model.reduce import reduced

__all__ = ["FUNCTIONS"]


def _kinetic_energy(model: Model) -> Signature:
    return Signature(
        "kinetic_energy",
        (position(model), rate(model, "qd")),
        (("T", ()),),
        lambda q, qd: [kinetic_energy(model, q, qd)],
    )


def _potential_energy(model: Model) -> Signature:
    return Signature("potential_energy", (position(model),), (("U", ()),), lambda q: [potential_energy(model, q)])


def _lagrangian(model: Model) -> Signature:
    def body(q: Any, qd: Any) -> Any:
        return [kinetic_energy(model, q, qd) - potential_energy(model, q)]

    return Signature("lagrangian", (position(model), rate(model, "qd")), (("L", ()),), body)


def _hamiltonian(model: Model) -> Signature:
    def body(q: Any, qd: Any) -> Any:
        return [kinetic_energy(model, q, qd) + potential_energy(model, q)]

    return Signature("hamiltonian", (position(model), rate(model, "qd")), (("H", ()),), body)


def _power(model: Model) -> Signature:
    def body(q: Any, qd: Any, qdd: Any) -> Any:
        return [sum(v * force for v, force in zip(qd, newton_euler(reduced(model), q, qd, qdd), strict=True))]

    inputs = (position(model), rate(model, "qd"), rate(model, "qdd"))
    return Signature("power", inputs, (("P", ()),), body)


def _generalized_momentum(model: Model) -> Signature:
    return Signature(
        "generalized_momentum",
        (position(model), rate(model, "qd")),
        (("p", (model.nv,)),),
        lambda q, qd: generalized_momentum(reduced(model), q, qd),
    )


def _centroidal_momentum(model: Model) -> Signature:
    return Signature(
        "centroidal_momentum",
        (position(model), rate(model, "qd")),
        (("k, l", (6,)),),
        lambda q, qd: centroidal_momentum(model, q, qd),
    )


def _centroidal_momentum_matrix(model: Model) -> Signature:
    return Signature(
        "centroidal_momentum_matrix",
        (position(model),),
        (("A", (6, model.nv)),),
        lambda q: centroidal_momentum_matrix(model, q),
    )


def _centroidal_momentum_rate(model: Model) -> Signature:
    return Signature(
        "centroidal_momentum_rate",
        (position(model), rate(model, "qd"), rate(model, "qdd")),
        (("kd, ld", (6,)),),
        lambda q, qd, qdd: centroidal_momentum_rate(model, q, qd, qdd),
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
