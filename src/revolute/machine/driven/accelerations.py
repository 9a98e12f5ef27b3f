"""Check that a robot with its drives has finite accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from revolute.dynamics.drive_forces import rotor_inertias
from revolute.dynamics.driven import driven_mass_matrix
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.invertible import always_idle, largest_inertias
from revolute.errors import ModelError
from revolute.model.model import Model

__all__ = ["require_accelerations"]


def require_accelerations(tree: Model, drives: Drivetrain) -> None:
    """Raise `ModelError` unless the mass matrix of links and rotors has an inverse in almost all states.

    Args:
        tree: a model of numbers, with its rotors.
        drives: how its joints follow the coordinates.
    """
    squares = np.zeros((drives.space.nv, tree.nv))
    for i, row in enumerate(drives.A):
        for k, factor in row:
            squares[k, i] = float(factor) ** 2

    def inertias(p: Sequence[float]) -> tuple[Any, Any]:
        q = [float(x) for x in drives.positions(tree, p)]
        largest = largest_inertias(tree, q) + np.array(rotor_inertias(tree), dtype=float)
        return driven_mass_matrix(tree, drives, p), squares @ largest

    idle = always_idle(drives.space, inertias)
    if idle.any():
        names = [name for name, is_idle in zip(drives.space.coordinate_names, idle, strict=True) if is_idle]
        listed = ", ".join(f"'{name}'" for name in names[:4]) + (", ..." if len(names) > 4 else "")
        raise ModelError(
            f"robot '{tree.name}' with its drives has no finite accelerations: {listed} can move without moving any "
            "inertia. What hangs there needs mass, or the joint a Drive.armature or Drive.rotor_inertia; or hold the "
            "joint: robot.lock"
        )
