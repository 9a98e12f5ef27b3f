"""Parameters of `DrivenRobot`, which its forces are linear in."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from revolute.dynamics.driven_regressor import drive_parameters
from revolute.machine.driven.base import Array, DrivenGroup

__all__ = ["DriveParameters"]

_MEANINGS = {
    "armature": "inertia of rotors as {} feels it [kg m^2, kg]",
    "damping": "viscous friction of {} [N m s/rad, N s/m]",
    "friction": "Coulomb friction of {} [N m, N]",
    "friction_backward": "Coulomb friction of {} at negative velocities [N m, N]",
    "stribeck": "friction at rest of {} beyond Coulomb friction [N m, N]",
    "stiffness": "stiffness of the spring at {} [N m/rad, N/m]",
    "rotor_inertia": "inertia of {} about its axis [kg m^2]",
}


class DriveParameters(DrivenGroup):
    """Parameters of links and drives: the columns of `regressor`."""

    @cached_property
    def parameters(self) -> Array:
        """(10 n + d,) the robot's own values of the parameters pi of `regressor`.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(1).with_drives(
            ...     {"joint1": revolute.Drive(friction=(2.0,))}
            ... )
            >>> arm.parameters[-3:]  # armature, damping, friction
            array([0., 0., 2.])
        """
        self._numeric("parameters")
        drives = [float(value) for _, _, value in drive_parameters(self.tree, self.drives)]
        column = np.concatenate([self.robot.inertial_parameters.ravel(), drives])
        column.flags.writeable = False
        return column

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """A symbol and a description for each column of `regressor`.

        Example:
            >>> import revolute
            >>> print(revolute.robots.planar(1).with_drives().parameter_names[-1])
            joint1.friction: Coulomb friction of joint1 [N m, N]
        """
        names = self.tree.coordinate_names
        drives = (
            f"{names[k]}.{kind}: {_MEANINGS[kind].format(names[k])}"
            for kind, k, _ in drive_parameters(self.tree, self.drives)
        )
        return (*self.robot.parameter_names, *drives)
