"""Parameters in which the forces of a `DrivenRobot` are linear, and robots with other parameters."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import finite_array
from revolute.dynamics.drive_forces import DRY, PARAMETERS
from revolute.dynamics.driven_regressor import drive_parameters
from revolute.dynamics.drivetrain import Drivetrain
from revolute.errors import InputError, ShapeError
from revolute.machine.declare import internal
from revolute.machine.driven.base import Array, DrivenGroup
from revolute.machine.driven.rotors import Rotor
from revolute.machine.function import Function
from revolute.machine.functions.parametric import driven_regrouped_parameters
from revolute.machine.robot import Robot
from revolute.model import Model, to_vector
from revolute.model.body import DRIVE_FIELDS, Drive
from revolute.model.set_parameters import by_name_or_vector, symbols_of_parameters, with_inertial_parameters
from revolute.spatial.scalar import Scalar

_REGROUPED = "inertial_parameters[parameters] -> regrouped_parameters: parameters"
MEANINGS = {
    name: f"{DRIVE_FIELDS[name].parameter} [{DRIVE_FIELDS[name].unit}]" for name in (*PARAMETERS, "rotor_inertia")
}
"""Descriptions of the kinds of drive parameters, with a placeholder for the joint's name."""


class DriveParameters(DrivenGroup):
    """Parameters of links and drives: the columns of `regressor`."""

    _parts: ClassVar[tuple[Function, ...]] = (
        internal("regrouped_parameters", driven_regrouped_parameters, _REGROUPED),
    )

    @cached_property
    def parameters(self) -> Array:
        """(10 n + d,) the robot's own values of the parameters pi of `regressor`.

        Example:
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
        """A copy of the finite parameters, (..., 10 n + d). Raise `InputError` for dry friction that jumps."""
        if self.drivetrain.rotors:
            raise InputError(f"{what}: parameters cannot be an input if rotors are bodies, as in '{self.name}'")
        values, names = finite_array(f"{what}: parameters", given), self.parameter_names
        if values.shape[-1:] != (len(names),):
            raise ShapeError(
                f"{what}: parameters has shape {values.shape}, but '{self.name}' needs (..., {len(names)}): see "
                "robot.parameter_names"
            )
        dry = [k for k, name in enumerate(names) if name.partition(":")[0].rpartition(".")[2] in DRY]
        if not (sticking or self.drivetrain.smoothing) and values[..., dry].any():
            first = dry[int(np.argwhere(values[..., dry] != 0)[0, -1])]
            raise InputError(
                f"{what}: parameters: {names[first].partition(':')[0]} is not zero, and such friction jumps where the "
                "joint reverses; smooth it over a small speed, such as with_drives(smoothing=0.01)"
            )
        return values


Rotors = bool | Sequence[Rotor]


Change = tuple[str, int, Scalar, Scalar]
"""A changed drive parameter: kind, index in the tree's qd, old value and new value."""


def changed_robot(
    robot: Robot, tree: Model, drives: Drivetrain, rotors: Rotors, parameters: Any, implausible: str
) -> tuple[Robot, Rotors]:
    """The robot and the rotors with other parameters: see `DrivenRobot.with_parameters`."""
    what, of_drives = "with_parameters", drive_parameters(tree, drives)
    names = [f"{tree.coordinate_names[k]}.{kind}" for kind, k, _ in of_drives]
    all_names = (*symbols_of_parameters(robot), *names)
    own = [*(x for body in robot.bodies[1:] for x in to_vector(body.inertia)), *(x for _, _, x in of_drives)]
    values = by_name_or_vector(what, robot, all_names, own, parameters)
    links = 10 * robot.n_joints
    changes = []
    for name, (kind, k, before), after in zip(names, of_drives, values[links:], strict=True):
        if DRIVE_FIELDS[kind].sign == "not negative" and not hasattr(after, "free_symbols") and after < 0:
            raise InputError(f"{what}: {name} would be {after:g}; it must not be negative")
        if after != before:
            changes.append((kind, k, before, after))
    changed = with_inertial_parameters(robot, dict(zip(all_names, values[:links], strict=False)), implausible, what)
    return _with_drives(changed, tree, len(drives.rotors), rotors, changes)


def _with_drives(
    robot: Robot, tree: Model, n_rotors: int, rotors: Rotors, changes: Sequence[Change]
) -> tuple[Robot, Rotors]:
    bodies, turning = list(robot.bodies), rotors if isinstance(rotors, bool) else list(rotors)
    joints = [(i, j) for i, body in enumerate(robot.bodies) for j in range(body.joint.nv)]
    for change in changes:
        _, place, _, after = change
        m = place - len(joints)
        if m < 0:
            i, j = joints[place]
            drive = _changed(bodies[i].drive, tree.bodies[i].drive, robot.bodies[i].joint.nv, j, change)
        elif not isinstance(turning, bool) and _has_own_inertia(turning, m):
            turning[m] = replace(turning[m], inertia=after)
            continue
        else:
            name = tree.bodies[len(tree.bodies) - n_rotors + m].name
            i = robot.joint_index(name.partition("(")[2][:-1])  # a name such as "rotor 1 (joint1)"
            drive = replace(bodies[i].drive, rotor_inertia=(after,))
        bodies[i] = replace(bodies[i], drive=drive)
    return replace(robot, bodies=tuple(bodies)), turning


def _has_own_inertia(rotors: Sequence[Rotor], m: int) -> bool:
    """Whether rotor m has its own inertia, or shares the joint's `Drive.rotor_inertia` with other rotors."""
    sharing = [x for x in rotors if x.inertia is None and x.coordinate == rotors[m].coordinate]
    return rotors[m].inertia is not None or len(sharing) > 1


def _changed(drive: Drive, in_tree: Drive, nv: int, j: int, change: Change) -> Drive:
    """The drive with a changed parameter of coordinate j. `in_tree`: without inertias of rotors that are bodies."""
    kind, _, before, after = change
    rotor = in_tree.rotor_inertia[j] if in_tree.rotor_inertia else 0
    if kind != "armature" or rotor == 0:
        return _entry(drive, kind, nv, j, after)
    scale = after / before  # the two terms of armature + gear_ratio^2 rotor_inertia keep their ratio
    scaled = _entry(drive, "rotor_inertia", nv, j, rotor * scale)
    return _entry(scaled, "armature", nv, j, drive.armature[j] * scale) if drive.armature else scaled


def _entry(drive: Drive, name: str, nv: int, j: int, value: Scalar) -> Drive:
    """The drive with a new value of entry j in the field `name`, a column of nv numbers."""
    column = list(getattr(drive, name)) or [0.0] * nv
    column[j] = value
    changes: dict[str, Any] = {name: tuple(column)}
    return replace(drive, **changes)
