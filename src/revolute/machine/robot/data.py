"""Methods of `Robot`: its mass, its joints by name, and drives of its joints as arrays."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from revolute.machine.robot.base import Array, Group
from revolute.model.columns import drive_column
from revolute.model.joint_data import JointData, joint_data

__all__ = ["Data"]


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
    def damping(self) -> Array:
        """(nv,) viscous friction coefficients [N m s/rad, N s/m], as data."""
        return drive_column(self, "damping", 0.0)

    @cached_property
    def friction(self) -> Array:
        """(nv,) Coulomb friction [N m, N], as data; at positive velocities, where `friction_backward` is another."""
        return drive_column(self, "friction", 0.0)

    @cached_property
    def friction_backward(self) -> Array:
        """(nv,) Coulomb friction at negative velocities [N m, N], as data: `friction` where no other is given."""
        given = drive_column(self, "friction_backward", math.nan)
        column = np.where(np.isnan(given), self.friction, given)
        column.flags.writeable = False
        return column

    @cached_property
    def armature(self) -> Array:
        """(nv,) inertias of drives, as the joints feel them [kg m^2, kg], as data: no part of the mass matrix."""
        return drive_column(self, "armature", 0.0)

    @cached_property
    def gear_ratio(self) -> Array:
        """(nv,) motor speeds over joint speeds, as data."""
        return drive_column(self, "gear_ratio", 1.0)

    @cached_property
    def rotor_inertia(self) -> Array:
        """(nv,) inertias of rotors on the motors' side of the gears [kg m^2], as data."""
        return drive_column(self, "rotor_inertia", 0.0)

    @cached_property
    def stiffness(self) -> Array:
        """(nv,) stiffness of joint springs [N m/rad, N/m], as data."""
        return drive_column(self, "stiffness", 0.0)

    @cached_property
    def rest(self) -> Array:
        """(nv,) joint positions at which the joint springs are slack [rad, m], as data."""
        return drive_column(self, "rest", 0.0)

    @cached_property
    def stribeck(self) -> Array:
        """(nv,) friction at rest beyond Coulomb friction [N m, N], as data."""
        return drive_column(self, "stribeck", 0.0)

    @cached_property
    def stribeck_speed(self) -> Array:
        """(nv,) speeds at which `stribeck` has faded to 1/e [rad/s, m/s], as data; inf where none is given."""
        return drive_column(self, "stribeck_speed", math.inf)
