"""The base class of all groups of methods of `DrivenRobot`: the robot's data, and how functions are compiled."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from revolute.arguments import instance
from revolute.compiler.signature import Signature
from revolute.dynamics.drive_forces import has_dry_friction, rotor_inertias
from revolute.dynamics.driven import driven_mass_matrix
from revolute.dynamics.driven_regressor import drive_parameters
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.invertible import always_idle, largest_inertias
from revolute.errors import InputError, ModelError
from revolute.machine.driven.limits import coupled_limits, require_positions
from revolute.machine.function import Function, MachineData
from revolute.machine.functions.coordinates import require_decided, with_drives
from revolute.machine.machine import Array, Out, Threads
from revolute.machine.on_robot import OnRobot
from revolute.machine.robot import Robot
from revolute.machine.robot.base import Shared, sizes
from revolute.model import CoupledLimits, Model, exact_text, numeric
from revolute.model.configurations import Turning, rotations
from revolute.model.scalars import by_name
from revolute.spatial import Vector

__all__ = ["Array", "DrivenGroup", "Out", "Threads", "require_accelerations"]


class DrivenGroup(OnRobot, Shared):
    """A group of methods of `DrivenRobot`, with the robot's data."""

    _kind = "robot with drives"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for function in cls.functions().values():
            if not cls._declares(DrivenGroup, function):
                require_decided(function)

    robot: Robot
    tree: Robot
    drivetrain: Drivetrain
    space: Robot

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of all link frames, including those on fixed joints: see `Robot.link_names`."""
        return self.robot.link_names

    @property
    def gravity(self) -> Vector:
        """Acceleration of free fall in the base frame [m/s^2]."""
        return self.robot.gravity

    @property
    def _space(self) -> Robot:
        return self.space

    @property
    def _continuous(self) -> tuple[Turning, ...]:
        return self.drivetrain.continuous(self.tree)

    @property
    def _rotations(self) -> tuple[Turning, ...]:
        """Coordinates whose whole turns change no link's pose, except those in limits of several coordinates."""
        several = () if self.coupled_limits is None else np.flatnonzero(self.coupled_limits.A.any(axis=0))
        return tuple(at for at in self.drivetrain.turning(self.tree, rotations) if at.qd not in several)

    @cached_property
    def coupled_limits(self) -> CoupledLimits | None:
        """Limits of joints that follow several coordinates: see `Robot.coupled_limits`."""
        return coupled_limits(self.robot, self.drivetrain)

    def _require_positions(self) -> None:
        require_positions(self.robot, self.drivetrain)

    @property
    def _links(self) -> Model:
        return self.robot

    @property
    def nq(self) -> int:
        """Number of positions; more than `nv` for joints with quaternions."""
        return self.space.nq

    @property
    def nv(self) -> int:
        """Number of independent velocities."""
        return self.space.nv

    @property
    def position_names(self) -> tuple[str, ...]:
        """A name for each of the nq positions."""
        return self.space.position_names

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """A name for each of the nv independent velocities."""
        return self.space.coordinate_names

    @property
    def symbols(self) -> tuple[Any, ...]:
        """The SymPy symbols of the robot, its drives and its couplings, by name."""
        drives = self.drivetrain
        entries = (*drives.b, *(x for row in drives.A for _, x in row))
        return by_name(set(self.tree.symbols).union(*(getattr(x, "free_symbols", ()) for x in entries)))

    def _traceable(self, function: Function, options: Mapping[str, Any]) -> tuple[MachineData, Signature]:
        """The data of the robot that a function uses, and the function with drives, ready to be traced."""
        return super()._traceable(function if self._declares(DrivenGroup, function) else with_drives(function), options)

    def _machine_data(self, function: Function, options: Mapping[str, Any]) -> MachineData:
        if function.smooth and not options.get("sticking"):
            if "parameters" not in options:
                self._require_smooth(function.name)
            elif not (function.internal or self.drivetrain.smoothing):  # `simulate` checks these parameters
                raise InputError(
                    f"{function.name}: friction is one of the parameters, and jumps where a joint reverses; smooth "
                    "it over a small speed, such as with_drives(smoothing=0.01)"
                )
        drives = self._numeric(function.name)
        tree = numeric(self.tree, function.name)
        if function.inverts and "parameters" not in options:
            require_accelerations(tree, drives)
        rotors, n = len(drives.rotors), drives.space.nv
        n_parameters = 10 * (tree.n_joints - rotors) + len(drive_parameters(tree, drives))
        own_sizes = {
            **sizes(tree),
            "nq": drives.space.nq,
            "nv": n,
            "2nv": 2 * n,
            "robot.nq": tree.nq - rotors,
            "robot.nv": tree.nv - rotors,
            "n": tree.n_joints - rotors,
            "10n": n_parameters,
            "parameters": n_parameters,
        }
        content = exact_text((tree.digest, drives)) if tree.digest else None
        words = {"nq": "independent positions", "nv": "independent coordinates"}
        return MachineData(tree.name, (tree, drives), own_sizes, content, words=words)

    def _acting(self, what: str, joint_damping: bool, sticking: bool) -> dict[str, bool]:
        if instance(f"{what}: joint_damping", joint_damping, (bool, np.bool_)):
            raise InputError(f"{what}: joint_damping is for robots without drives; the damping of drives always acts")
        if not sticking:
            self._require_smooth(what)
        return {}

    def _require_smooth(self, what: str) -> None:
        """Raise `InputError` if a joint has friction that jumps where the joint reverses."""
        for body in self.robot.bodies if not self.drivetrain.smoothing else ():
            if has_dry_friction(body.drive):
                raise InputError(
                    f"{what}: joint '{body.joint_name}' of '{self.robot.name}' has friction that jumps where it "
                    "reverses; smooth it over a small speed, such as smoothing=0.01"
                )

    def _numeric(self, what: str) -> Drivetrain:
        """The drives, with floats for exact numbers of SymPy."""

        def plain(x: Any) -> Any:
            return float(x) if hasattr(x, "free_symbols") else x

        self._require_values(what, "drives")
        drives = self.drivetrain
        rows = tuple(tuple((k, plain(x)) for k, x in row) for row in drives.A)
        return replace(drives, A=rows, b=tuple(map(plain, drives.b)))


def require_accelerations(tree: Model, drives: Drivetrain) -> None:
    """Raise `ModelError` unless the mass matrix of links and rotors has an inverse in almost all states."""
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
            "inertia. Give the links beyond it mass, or the joint a Drive.armature or Drive.rotor_inertia; or lock the "
            "joint: robot.lock"
        )
