"""Dynamics of robots with elastic joints, for compilation. The springs are inputs: one kernel serves all of them."""

from __future__ import annotations

from typing import Any

from revolute.compiler.signature import Function, Signature, position, rate
from revolute.dynamics import elastic
from revolute.errors import InputError
from revolute.graph import Input
from revolute.machine.functions.forward_dynamics import forward_dynamics
from revolute.model.model import Model
from revolute.model.reduce import reduced

__all__ = ["FUNCTIONS"]


def _inputs(model: Model, names: str) -> tuple[Input, ...]:
    """q and arrays of nv numbers; joints have one coordinate each, or `InputError`."""
    if model.nq != model.nv or model.nv != model.n_joints:
        raise InputError(f"robot '{model.name}' has joints of several coordinates; elastic ones have a single one each")
    return position(model), *(rate(model, name) for name in names.split())


def _forward_dynamics(model: Model) -> Signature:
    def body(q: Any, theta: Any, qd: Any, thetad: Any, tau: Any, stiffness: Any, damping: Any, rotors: Any) -> Any:
        springs = elastic.spring_forces(q, theta, qd, thetad, stiffness, damping)
        links = forward_dynamics(reduced(model), q, qd, springs)
        return links, elastic.motor_accelerations(tau, springs, rotors)

    inputs = _inputs(model, "theta qd thetad tau stiffness damping rotor_inertia")
    return Signature("forward_dynamics", inputs, (("qdd", (model.nv,)), ("thetadd", (model.nv,))), body)


def _spring_forces(model: Model) -> Signature:
    inputs = _inputs(model, "theta qd thetad stiffness damping")
    return Signature("spring_forces", inputs, (("springs", (model.nv,)),), elastic.spring_forces)


def _energy(model: Model) -> Signature:
    inputs = _inputs(model, "theta qd thetad stiffness rotor_inertia")
    return Signature("energy", inputs, (("E", ()),), lambda *arrays: [elastic.elastic_energy(model, *arrays)])


FUNCTIONS: dict[str, Function] = {
    "elastic_forward_dynamics": Function(_forward_dynamics, inverts=True, internal=True),
    "elastic_spring_forces": Function(_spring_forces, internal=True),
    "elastic_energy": Function(_energy, internal=True),
}
