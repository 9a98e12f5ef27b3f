"""Recursions of energies and power: see `machine.robot.energy`."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.dynamics.energy import kinetic_energy, potential_energy
from revolute.dynamics.hamilton import velocities
from revolute.dynamics.newton_euler import newton_euler
from revolute.model.model import Model
from revolute.model.reduce import reduced
from revolute.spatial.scalar import Scalar

__all__ = ["hamiltonian", "lagrangian", "power", "total_energy"]


def lagrangian(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Scalar:
    """T - U."""
    return kinetic_energy(model, q, qd) - potential_energy(model, q)


def total_energy(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Scalar:
    """T + U."""
    return kinetic_energy(model, q, qd) + potential_energy(model, q)


def hamiltonian(model: Model, q: Sequence[Scalar], p: Sequence[Scalar]) -> Scalar:
    """p^T M^-1 p / 2 + U."""
    qd = velocities(reduced(model), q, p)
    return sum(a * b for a, b in zip(p, qd, strict=True)) / 2 + potential_energy(model, q)


def power(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> Scalar:
    """qd^T tau."""
    return sum(v * force for v, force in zip(qd, newton_euler(model, q, qd, qdd), strict=True))
