"""Data of `Robot`: drives of its joints, as arrays."""

from __future__ import annotations

import math
from functools import cached_property

from revolute.machine.robot.base import Array, Group
from revolute.model.columns import drive_column

__all__ = ["Data"]


class Data(Group):
    """Drives of the joints, in the order of qd."""

    @cached_property
    def damping(self) -> Array:
        """(nv,) viscous friction coefficients [N m s/rad, N s/m], as data."""
        return drive_column(self, "damping", 0.0)

    @cached_property
    def friction(self) -> Array:
        """(nv,) Coulomb friction [N m, N], as data."""
        return drive_column(self, "friction", 0.0)

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
