"""The base class of all groups of methods of `Robot`: its data, and how its functions are compiled."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING, Any, Self, cast

from revolute.arguments import instance
from revolute.compiler.signature import Signature
from revolute.dynamics.invertible import require_invertible
from revolute.machine.function import Function, MachineData
from revolute.machine.functions.parametric import parametric, without_inertias
from revolute.machine.machine import Array, LinkWrenches, Machine, Out, Point, Threads
from revolute.model import Drive, Model
from revolute.model.configurations import Turning, continuous, rotations
from revolute.model.symbols import numeric, substituted, with_irregular_numbers

if TYPE_CHECKING:
    from revolute.machine.robot.robot import Robot

__all__ = ["BASE", "Array", "Group", "LinkWrenches", "Out", "Point", "Shared", "Threads", "sizes"]

BASE = {"base_motion": "base_twist[6] base_acceleration[6]"}
"""Declarations of the arrays that describe the motion of a moving base."""

_DRIVE = "robot.with_drives({{joint: revolute.Drive({}=...)}}) makes a robot with other drives"
_INERTIAS = (
    "robot.with_inertial_parameters({'link.m': ...}) makes a new robot, robot.with_payload(link, inertia) a loaded one"
)
_LIMITS = "dataclasses.replace(robot, bodies=...) makes a new robot from bodies with other Limits"
_NO_STATE = "a robot has no state: pass it to the robot's methods"
_INSTEAD = {
    "gravity": "robot.with_gravity(gravity) makes a new robot",
    **dict.fromkeys(("inertia", "inertial_parameters", "mass"), _INERTIAS),
    "parameters": "robot.with_drives().with_parameters(...) makes a robot with other parameters of links and drives",
    **{x: f"dataclasses.replace(robot, {x}=...) makes a new robot" for x in ("name", "bodies", "frames")},
    "closures": "robot.with_closures(...) makes a robot with closed loops",
    "configurations": "robot.with_configurations({name: {joint: position}}) makes a new robot",
    **{x: _DRIVE.format(x) for x in Drive().columns()},
    "drives": _DRIVE.format("damping"),
    **dict.fromkeys(("lower_limits", "upper_limits", "velocity_limits", "effort_limits"), _LIMITS),
    **dict.fromkeys(("q", "qd", "qdd", "tau", "qpos", "qvel"), _NO_STATE),
}
"""Advice in the error message for each attribute of a robot that cannot be set."""


class Shared(Machine):
    """A group of methods of robots with and without drives.

    Recursions apply to a tree. In a robot with drives, the joints of this tree follow the positions q and velocities qd
    of the machine, and some functions have additional terms. So each function is declared with a recursion for drives,
    or as `of_links`.
    """

    name: str

    @property
    @abstractmethod
    def _space(self) -> Robot:
        """The robot whose joint positions are the coordinates q."""

    @property
    def _continuous(self) -> tuple[Turning, ...]:
        """Coordinates of continuous joints, whose differences may use the shortest rotation."""
        return continuous(self._space)

    @property
    def _rotations(self) -> tuple[Turning, ...]:
        """Coordinates of which a whole turn moves no link, including those with limits."""
        return rotations(self._space)

    def _require_positions(self) -> None:
        """Raise `InputError` unless some position is within the limits of all joints."""

    def _labels(self) -> Mapping[str, Sequence[str]]:
        space = self._space
        return {"nq": space.position_names, "nv": space.coordinate_names}

    @property
    @abstractmethod
    def _links(self) -> Model:
        """The model of the links."""

    def _form(self, function: Function, subject: MachineData, options: Mapping[str, Any]) -> Signature:
        if "parameters" not in options:
            return function.signature(subject, options)
        return parametric(function, subject, **options)


class Group(Model, Shared):
    """A group of methods of `Robot`, with the robot's data."""

    @property
    def _space(self) -> Robot:
        return cast("Robot", self)

    @property
    def _links(self) -> Model:
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        """Raise an error: robots are immutable. Only classes outside this library may set new attributes."""
        known = hasattr(self, name)
        if type(self).__module__.partition(".")[0] != "revolute" and not known:
            return object.__setattr__(self, name, value)
        hint = _INSTEAD.get(name, "make a new robot" if known else "robots have no additional attributes")
        raise FrozenInstanceError(f"{name} of robot '{self.name}' cannot be {'changed' if known else 'set'}; {hint}")

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """A robot with the data of a model, which were checked when the model was created.

        Example:
            >>> robot = revolute.robots.planar(2)
            >>> revolute.Robot.from_model(robot) == robot
            True

        Raises:
            InputError: the argument is not a model.
        """
        robot = object.__new__(cls)
        robot.__setstate__(instance("Robot.from_model: model", model, Model).__getstate__())
        return robot

    def _machine_data(self, function: Function, options: Mapping[str, Any]) -> MachineData:
        model: Model = self
        if model.symbols and "parameters" in options:
            model = without_inertias(model)
        model = numeric(model, function.name)
        if function.inverts and "parameters" not in options:
            require_invertible(model)
        return MachineData(self.name, (model,), sizes(model), model.digest)

    def _countable(self) -> Self:
        if not self.symbols:
            return self
        return with_irregular_numbers(self.symbols, lambda values: numeric(substituted(self, values), "counting"))


def sizes(model: Model) -> dict[str, int]:
    """Sizes of a robot's arrays, by their names in declarations."""
    nv, n = model.nv, model.n_joints
    of_bodies = {"n": n, "10n": 10 * n, "6n": 6 * n, "6n+6": 6 * n + 6}
    return {"nq": model.nq, "nv": nv, "2nv": 2 * nv, **of_bodies, "links": len(model.frames)}
