"""Recursions of robots with elastic joints: the data of springs and rotors are inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.dynamics import elastic
from revolute.machine.functions.forward_dynamics import forward_dynamics as rigid_forward_dynamics
from revolute.model.model import Model
from revolute.model.reduce import reduced
from revolute.spatial.scalar import Scalar

__all__ = ["forward_dynamics", "spring_forces"]

Scalars = Sequence[Scalar]


def spring_forces(_: Model, *arrays: Scalars) -> Any:
    """Forces of the springs on the links."""
    return elastic.spring_forces(*arrays)


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
) -> Any:
    """Accelerations of links and of motors."""
    springs = elastic.spring_forces(q, theta, qd, thetad, stiffness, damping)
    qdd = rigid_forward_dynamics(reduced(model), q, qd, springs)
    return qdd, elastic.motor_accelerations(tau, springs, rotor_inertia)
