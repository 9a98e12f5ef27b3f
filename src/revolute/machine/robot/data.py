"""Methods of `Robot`: its mass, its joints by name, and the drives of its joints as arrays."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from revolute.machine.robot.base import Array, Group
from revolute.model.columns import drive_column
from revolute.model.joint_data import JointData, joint_data
from revolute.model.model import Model

__all__ = ["Data", "JointDrives"]


def _column(field: str, default: float = 0.0) -> cached_property[Array]:
    """An attribute that has a field of all joints' drives, read-only."""
    return cached_property(lambda drives: drive_column(drives._model, field, default))


class JointDrives:
    """Drives of a robot's joints as read-only arrays (nv,), in the order of qd: see `revolute.Drive`."""

    def __init__(self, model: Model) -> None:
        self._model = model

    damping = _column("damping")
    """(nv,) viscous friction coefficients [N m s/rad, N s/m]."""

    friction = _column("friction")
    """(nv,) Coulomb friction [N m, N]; for positive velocities only, where `friction_backward` differs."""

    @cached_property
    def friction_backward(self) -> Array:
        """(nv,) Coulomb friction at negative velocities [N m, N]: `friction` where no other is given."""
        given = drive_column(self._model, "friction_backward", math.nan)
        column = np.where(np.isnan(given), self.friction, given)
        column.flags.writeable = False
        return column

    armature = _column("armature")
    """(nv,) inertias of drives, reflected to the joints [kg m^2, kg]. They are not part of the mass matrix."""

    gear_ratio = _column("gear_ratio", 1.0)
    """(nv,) ratios of motor speed to joint speed."""

    rotor_inertia = _column("rotor_inertia")
    """(nv,) inertias of rotors on the motor side of the gears [kg m^2]."""

    stiffness = _column("stiffness")
    """(nv,) stiffness of joint springs [N m/rad, N/m]."""

    rest = _column("rest")
    """(nv,) rest positions of the joint springs [rad, m]."""

    stribeck = _column("stribeck")
    """(nv,) friction at rest beyond Coulomb friction [N m, N]."""

    stribeck_speed = _column("stribeck_speed", math.inf)
    """(nv,) speeds at which `stribeck` has decayed to 1/e [rad/s, m/s]; inf where none is given."""


class Data(Group):
    """The mass, joints by name, and drives of the joints in the order of qd."""

    @cached_property
    def mass(self) -> Any:
        """Total mass of all links, including the base [kg]: a float, or a SymPy expression if it has symbols.

        A fixed base does not move: `center_of_mass` and momenta exclude it.

        Example:
            >>> import revolute
            >>> round(revolute.robots.ur5().mass, 3)
            20.994
        """
        mass = sum(body.inertia.m for body in self.bodies)
        return mass if getattr(mass, "free_symbols", None) else float(mass)

    def joint(self, name: str) -> JointData:
        """Data of a joint: type, axis, parent, child, placement, limits, drive, its slices of q and qd.

        Args:
            name: name of the joint: see `joint_names`.

        Raises:
            UnknownNameError: no joint has that name.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.ur5()
            >>> elbow = robot.joint("elbow_joint")
            >>> elbow.type, elbow.axis, elbow.parent, elbow.child
            ('revolute', (0, 1, 0), 'upper_arm_link', 'forearm_link')
            >>> elbow.placement, elbow.limits.effort, elbow.q
            (Transform(p=(0, -0.1197, 0.425)), (150.0,), slice(2, 3, None))
        """
        return joint_data(self, name)

    @cached_property
    def drives(self) -> JointDrives:
        """Drives of all joints, in the order of qd: `robot.drives.damping`. They act only in `with_drives`.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> robot.drives.gear_ratio
            array([1., 1.])
        """
        return JointDrives(self)
