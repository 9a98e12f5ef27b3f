"""Methods of `Robot`: its mass, its joints by name, and drives of its joints as arrays."""

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


class JointDrives:
    """Drives of a robot's joints as read-only arrays (nv,), in the order of qd: see `revolute.Drive`."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def damping(self) -> Array:
        """(nv,) viscous friction coefficients [N m s/rad, N s/m]."""
        return drive_column(self._model, "damping", 0.0)

    @cached_property
    def friction(self) -> Array:
        """(nv,) Coulomb friction [N m, N]; at positive velocities, where `friction_backward` is another."""
        return drive_column(self._model, "friction", 0.0)

    @cached_property
    def friction_backward(self) -> Array:
        """(nv,) Coulomb friction at negative velocities [N m, N]: `friction` where no other is given."""
        given = drive_column(self._model, "friction_backward", math.nan)
        column = np.where(np.isnan(given), self.friction, given)
        column.flags.writeable = False
        return column

    @cached_property
    def armature(self) -> Array:
        """(nv,) inertias of drives, as the joints feel them [kg m^2, kg]: no part of the mass matrix."""
        return drive_column(self._model, "armature", 0.0)

    @cached_property
    def gear_ratio(self) -> Array:
        """(nv,) motor speeds over joint speeds."""
        return drive_column(self._model, "gear_ratio", 1.0)

    @cached_property
    def rotor_inertia(self) -> Array:
        """(nv,) inertias of rotors on the motors' side of the gears [kg m^2]."""
        return drive_column(self._model, "rotor_inertia", 0.0)

    @cached_property
    def stiffness(self) -> Array:
        """(nv,) stiffness of joint springs [N m/rad, N/m]."""
        return drive_column(self._model, "stiffness", 0.0)

    @cached_property
    def rest(self) -> Array:
        """(nv,) joint positions at which the joint springs are slack [rad, m]."""
        return drive_column(self._model, "rest", 0.0)

    @cached_property
    def stribeck(self) -> Array:
        """(nv,) friction at rest beyond Coulomb friction [N m, N]."""
        return drive_column(self._model, "stribeck", 0.0)

    @cached_property
    def stribeck_speed(self) -> Array:
        """(nv,) speeds at which `stribeck` has faded to 1/e [rad/s, m/s]; inf where none is given."""
        return drive_column(self._model, "stribeck_speed", math.inf)


class Data(Group):
    """The mass, joints by name, and drives of the joints in the order of qd."""

    @cached_property
    def mass(self) -> Any:
        """Total mass of all links, the base's too [kg]: a float, or a SymPy expression if it has symbols.

        The base of a fixed robot does not move: `center_of_mass` and momenta leave it out.

        Example:
            >>> import revolute
            >>> round(revolute.robots.ur5().mass, 3)
            20.994
        """
        mass = sum(body.inertia.m for body in self.bodies)
        return mass if getattr(mass, "free_symbols", None) else float(mass)

    def joint(self, name: str) -> JointData:
        """What the robot knows of a joint: type, axis, parent, child, placement, limits, drive, its place in q and qd.

        Args:
            name: of the joint: see `joint_names`.

        Raises:
            UnknownNameError: no joint of that name.

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
        """Drives of all joints, in the order of qd: `robot.drives.damping`. They act in `with_drives` alone.

        Example:
            >>> import revolute
            >>> robot = revolute.robots.planar(2)
            >>> robot.drives.gear_ratio
            array([1., 1.])
        """
        return JointDrives(self)
