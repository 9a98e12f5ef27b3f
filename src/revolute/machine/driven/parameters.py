"""Parameters of `DrivenRobot`, in which its forces are linear."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import float_copy
from revolute.dynamics.driven_regressor import drive_parameters
from revolute.errors import InputError, ShapeError
from revolute.machine.declare import internal
from revolute.machine.driven.base import Array, DrivenGroup
from revolute.machine.function import Function
from revolute.machine.functions.parametric import driven_regrouped_parameters

__all__ = ["MEANINGS", "DriveParameters"]

_DRY = ("friction", "friction_backward", "stribeck")
_REGROUPED = "inertial_parameters[parameters] -> regrouped_parameters: parameters"
MEANINGS = {
    "armature": "inertia of rotors as {} feels it [kg m^2, kg]",
    "damping": "viscous friction of {} [N m s/rad, N s/m]",
    "friction": "Coulomb friction of {} [N m, N]",
    "friction_backward": "Coulomb friction of {} at negative velocities [N m, N]",
    "stribeck": "friction at rest of {} beyond Coulomb friction [N m, N]",
    "stiffness": "stiffness of the spring at {} [N m/rad, N/m]",
    "rotor_inertia": "inertia of {} about its axis [kg m^2]",
}
"""Descriptions of the parameters of drives, with a placeholder for the joint's name."""


class DriveParameters(DrivenGroup):
    """Parameters of links and drives: the columns of `regressor`."""

    _parts: ClassVar[tuple[Function, ...]] = (
        internal("regrouped_parameters", driven_regrouped_parameters, _REGROUPED),
    )

    @cached_property
    def parameters(self) -> Array:
        """(10 n + d,) the robot's own values of the parameters pi of `regressor`.

        Example:
            >>> import revolute
            >>> drive = revolute.Drive(friction=2.0)
            >>> arm = revolute.robots.planar(1).with_drives({"joint1": drive})
            >>> arm.parameters[-3:]  # armature, damping, friction
            array([0., 0., 2.])
        """
        self._numeric("parameters")
        drives = [float(value) for _, _, value in drive_parameters(self.tree, self.drivetrain)]
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
            f"{names[k]}.{kind}: {MEANINGS[kind].format(names[k])}"
            for kind, k, _ in drive_parameters(self.tree, self.drivetrain)
        )
        return (*self.robot.parameter_names, *drives)

    def _moved_parameters(self, what: str, given: ArrayLike, sticking: bool) -> Array:
        """A copy of (..., 10 n + d) finite parameters whose dry friction is smooth, or sticks."""
        if self.drivetrain.rotors:
            raise InputError(f"{what}: parameters as an input exclude rotors as bodies, which '{self.name}' has")
        rows = zip(self.tree.coordinate_names, self.drivetrain.A, strict=True)
        if several := [name for name, row in rows if len(row) != 1] if sticking else []:
            raise InputError(
                f"{what}: parameters with sticking require joints that follow one coordinate, but '{several[0]}' of "
                f"'{self.name}' follows several; smooth the friction, such as with_drives(smoothing=0.01)"
            )
        values, names = float_copy(f"{what}: parameters", given), self.parameter_names
        if values.shape[-1:] != (len(names),):
            raise ShapeError(
                f"{what}: parameters has shape {values.shape}, but '{self.name}' needs (..., {len(names)}): see "
                "robot.parameter_names"
            )
        if not np.isfinite(values).all():
            raise InputError(f"{what}: parameters is not finite")
        dry = [k for k, name in enumerate(names) if name.partition(":")[0].rpartition(".")[2] in _DRY]
        if not (sticking or self.drivetrain.smoothing) and values[..., dry].any():
            first = dry[int(np.argwhere(values[..., dry] != 0)[0, -1])]
            raise InputError(
                f"{what}: parameters: {names[first].partition(':')[0]} is not zero, and such friction jumps where the "
                "joint reverses; smooth it over a small speed, such as with_drives(smoothing=0.01)"
            )
        return values
