"""Recursions of robots with elastic joints: the data of springs and rotors are inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from revolute.dynamics import elastic
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.steps import coordinate_rates
from revolute.machine.functions.forward_dynamics import forward_dynamics as rigid_forward_dynamics
from revolute.model.model import Model
from revolute.model.reduce import reduced
from revolute.spatial.scalar import Scalar

__all__ = ["forward_dynamics", "state_rate", "step"]

Scalars = Sequence[Scalar]
Wrenches = Mapping[str, Scalars] | None


def forward_dynamics(
    model: Model,
    q: Scalars,
    theta: Scalars,
    qd: Scalars,
    thetad: Scalars,
    tau: Scalars,
    stiffness: Scalars,
    damping: Scalars,
    rotor_inertia: Scalars,
    wrenches: Wrenches = None,
) -> Any:
    """Accelerations of links and of motors."""
    springs = elastic.spring_forces(model, q, theta, qd, thetad, stiffness, damping)
    qdd = rigid_forward_dynamics(reduced(model), q, qd, elastic.on_links(model, springs), wrenches)
    return qdd, elastic.motor_accelerations(tau, springs, rotor_inertia)


def state_rate(
    model: Model,
    stiffness: Scalars,
    damping: Scalars,
    rotor_inertia: Scalars,
    x: Scalars,
    xd: Scalars,
    tau: Scalars,
    wrenches: Wrenches = None,
) -> Any:
    """dx/dt and xdd of x = (q, theta)."""
    rates = coordinate_rates(elastic.links_and_motors(model), x, xd)
    return rates, _accelerations(model, (stiffness, damping, rotor_inertia), tau, wrenches)(x, xd)


def step(method: Callable[..., Any]) -> Callable[..., Any]:
    """A recursion for the state after one step of length h."""

    def next_state(
        model: Model,
        stiffness: Scalars,
        damping: Scalars,
        rotor_inertia: Scalars,
        x: Scalars,
        xd: Scalars,
        tau: Scalars,
        h: Scalars,
        wrenches: Wrenches = None,
    ) -> Any:
        accelerations = _accelerations(model, (stiffness, damping, rotor_inertia), tau, wrenches)
        return method(elastic.links_and_motors(model), accelerations, x, xd, h[0])

    return next_state


def _accelerations(
    model: Model, data: tuple[Scalars, Scalars, Scalars], tau: Scalars, wrenches: Wrenches
) -> Callable[[Any, Any], Any]:
    """Accelerations of links and motors, as a function of x and xd."""
    reduced_model, (stiffness, damping, rotor_inertia) = reduced(model), data
    nq, nv = model.nq, model.nv

    def accelerations(x: Scalars, xd: Scalars) -> Any:
        springs = elastic.spring_forces(model, x[:nq], x[nq:], xd[:nv], xd[nv:], stiffness, damping)
        qdd = articulated_body(reduced_model, x[:nq], xd[:nv], elastic.on_links(model, springs), wrenches)
        return [*qdd, *elastic.motor_accelerations(tau, springs, rotor_inertia)]

    return accelerations
