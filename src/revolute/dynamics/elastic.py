"""Robots with a spring between every motor and its link, in Spong's model. Spong 1987; SHV ex. 6.2."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.dynamics.energy import kinetic_energy, potential_energy
from revolute.model.model import Model
from revolute.spatial.scalar import Scalar

__all__ = ["elastic_energy", "motor_accelerations", "spring_forces"]

Scalars = Sequence[Scalar]


def spring_forces(
    q: Scalars, theta: Scalars, qd: Scalars, thetad: Scalars, stiffness: Scalars, damping: Scalars
) -> list[Scalar]:
    """Forces of the springs on the links, K (theta - q) + D (thetad - qd)."""
    springs = zip(q, theta, qd, thetad, stiffness, damping, strict=True)
    return [k * (motor - link) + d * (motor_rate - rate) for link, motor, rate, motor_rate, k, d in springs]


def motor_accelerations(tau: Scalars, springs: Scalars, rotor_inertia: Scalars) -> list[Scalar]:
    """B thetadd = tau - springs."""
    return [(force - spring) / inertia for force, spring, inertia in zip(tau, springs, rotor_inertia, strict=True)]


def elastic_energy(
    model: Model,
    q: Scalars,
    theta: Scalars,
    qd: Scalars,
    thetad: Scalars,
    stiffness: Scalars,
    rotor_inertia: Scalars,
) -> Scalar:
    """Energy of links, motors and springs, H + thetad^T B thetad / 2 + (theta - q)^T K (theta - q) / 2."""
    twists = [motor - link for link, motor in zip(q, theta, strict=True)]
    springs = sum(k * x * x for k, x in zip(stiffness, twists, strict=True))
    motors = sum(b * x * x for b, x in zip(rotor_inertia, thetad, strict=True))
    return kinetic_energy(model, q, qd) + potential_energy(model, q) + (springs + motors) / 2
