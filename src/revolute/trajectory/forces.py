"""Joint forces along a path, by powers of its speed k: tau(k) = A k^2 + B k + C. Hollerbach 1984; see BP 5.1.

A contains inertial, centrifugal and Coriolis forces, B viscous friction, C gravity, springs and Coulomb friction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.errors import InputError
from revolute.trajectory.limits import LimitedMachine

__all__ = ["forces_by_speed", "has_friction"]


def forces_by_speed(what: str, robot: LimitedMachine, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
    """(n, nv) A, B and C at (n, ...) states of the path at speed one.

    Friction D qd k + F sgn(qd) is linear in k, so f(2 qd) - f(qd) is its viscous part.

    Raises:
        InputError: friction is smoothed, or Stribeck friction.
    """
    weight = robot.gravity_forces(q)
    driven: Any = robot
    if not has_friction(robot):
        return robot.inverse_dynamics(q, qd, qdd) - weight, np.zeros_like(qd), weight
    _check_friction(what, driven)
    held = weight + driven.spring_forces(q)
    once, twice = driven.friction_forces(qd), driven.friction_forces(2 * qd)
    viscous, dry = twice - once, 2 * once - twice
    return robot.inverse_dynamics(q, qd, qdd) - once - held, viscous, held + dry


def has_friction(robot: LimitedMachine) -> bool:
    """Whether the forces of a robot include friction and springs, as with drives."""
    return hasattr(robot, "friction_forces")


def _check_friction(what: str, robot: Any) -> None:
    """Raise `InputError` unless all friction is viscous or Coulomb friction."""
    if robot.drivetrain.smoothing:
        raise InputError(f"{what}: friction that is smoothed has no closed form; take with_drives() without smoothing")
    for body in robot.robot.bodies:
        if any(x != 0 for x in body.drive.stribeck):
            raise InputError(
                f"{what}: joint '{body.joint_name}' has Stribeck friction, which has no closed form; leave it out, or "
                "add it to the Coulomb friction"
            )
