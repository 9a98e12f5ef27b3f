"""Data of `Robot`: limits and drives of its joints, as arrays."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from revolute.face.base import Array, Face

__all__ = ["Data"]


class Data(Face):
    """What descriptions say of joints, in the order of q or qd."""

    @cached_property
    def lower_limits(self) -> Array:
        """(nq,) lowest joint positions [rad, m]; -inf where there is no limit."""
        return self._column("limits", "lower", "nq", -math.inf)

    @cached_property
    def upper_limits(self) -> Array:
        """(nq,) highest joint positions [rad, m]; inf where there is no limit."""
        return self._column("limits", "upper", "nq", math.inf)

    @cached_property
    def velocity_limits(self) -> Array:
        """(nv,) largest joint speeds [rad/s, m/s]; inf where none is given."""
        return self._column("limits", "velocity", "nv", math.inf)

    @cached_property
    def effort_limits(self) -> Array:
        """(nv,) rated joint forces [N m, N]; inf where none is given."""
        return self._column("limits", "effort", "nv", math.inf)

    @cached_property
    def damping(self) -> Array:
        """(nv,) viscous friction coefficients [N m s/rad, N s/m], as data."""
        return self._column("drive", "damping", "nv", 0.0)

    @cached_property
    def friction(self) -> Array:
        """(nv,) Coulomb friction [N m, N], as data."""
        return self._column("drive", "friction", "nv", 0.0)

    @cached_property
    def armature(self) -> Array:
        """(nv,) inertias of drives, as the joints feel them [kg m^2, kg], as data: no part of the mass matrix."""
        return self._column("drive", "armature", "nv", 0.0)

    @cached_property
    def gear_ratio(self) -> Array:
        """(nv,) motor speeds over joint speeds, as data."""
        return self._column("drive", "gear_ratio", "nv", 1.0)

    @cached_property
    def rotor_inertia(self) -> Array:
        """(nv,) inertias of rotors on the motors' side of the gears [kg m^2], as data."""
        return self._column("drive", "rotor_inertia", "nv", 0.0)

    @cached_property
    def stiffness(self) -> Array:
        """(nv,) stiffness of joint springs [N m/rad, N/m], as data."""
        return self._column("drive", "stiffness", "nv", 0.0)

    @cached_property
    def rest(self) -> Array:
        """(nv,) joint positions at which the joint springs are slack [rad, m], as data."""
        return self._column("drive", "rest", "nv", 0.0)

    @cached_property
    def stribeck(self) -> Array:
        """(nv,) friction at rest beyond Coulomb friction [N m, N], as data."""
        return self._column("drive", "stribeck", "nv", 0.0)

    @cached_property
    def stribeck_speed(self) -> Array:
        """(nv,) speeds at which `stribeck` has faded to 1/e [rad/s, m/s], as data; inf where none is given."""
        return self._column("drive", "stribeck_speed", "nv", math.inf)

    def _column(self, part: str, name: str, size: str, default: float) -> Array:
        rows = [(getattr(getattr(b, part), name) or (default,) * getattr(b.joint, size)) for b in self._robot.bodies]
        if part == "drive" and self._robot.symbols:
            from revolute.symbols import numeric

            return numeric(self._robot, name)._column(part, name, size, default)
        column = np.array([x for row in rows for x in row], dtype=float)
        column.flags.writeable = False
        return column
