"""What can be compiled: each function's arrays, and its recursion over scalars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.newton_euler import newton_euler
from revolute.errors import InputError, UnknownNameError
from revolute.graph import Graph, Input, trace
from revolute.reduce import reduced
from revolute.robot import Robot

__all__ = ["FUNCTIONS", "Function", "Signature", "signature"]


@dataclass(frozen=True)
class Signature:
    """A function of one robot, ready to be traced.

    Attributes:
        inputs: its input arrays.
        output: name and core shape of its output array.
        body: from a tuple of scalars for every input to the output's scalars in C order.
    """

    name: str
    inputs: tuple[Input, ...]
    output: tuple[str, tuple[int, ...]]
    body: Callable[..., Any]

    def graph(self) -> Graph:
        """The traced function."""
        return trace(self.name, lambda *arrays: [(*self.output, self.body(*arrays))], self.inputs)


@dataclass(frozen=True)
class Function:
    """A function of any robot: `make(robot, **options)`, with the options that it knows."""

    make: Callable[..., Signature]
    options: frozenset[str] = frozenset()


def _position(robot: Robot) -> Input:
    return Input("q", (robot.nq,), "nq")


def _rate(robot: Robot, name: str) -> Input:
    return Input(name, (robot.nv,), "nv")


def _inverse_dynamics(robot: Robot, wrenches: tuple[str, ...] = (), base_motion: bool = False) -> Signature:
    loads = tuple(Input(f"wrench on '{name}'", (6,), "m, f") for name in wrenches)
    moving = (Input("base_twist", (6,), "w, v"), Input("base_acceleration", (6,), "wd, vd")) if base_motion else ()

    def body(q: Any, qd: Any, qdd: Any, *rest: Any) -> Any:
        applied = dict(zip(wrenches, rest, strict=False))
        return newton_euler(reduced(robot), q, qd, qdd, applied, *rest[len(wrenches) :])

    inputs = (_position(robot), _rate(robot, "qd"), _rate(robot, "qdd"), *loads, *moving)
    return Signature("inverse_dynamics", inputs, ("tau", (robot.nv,)), body)


def _bias_forces(robot: Robot) -> Signature:
    still = (0,) * robot.nv
    return Signature(
        "bias_forces",
        (_position(robot), _rate(robot, "qd")),
        ("tau", (robot.nv,)),
        lambda q, qd: newton_euler(reduced(robot), q, qd, still),
    )


def _gravity_forces(robot: Robot) -> Signature:
    still = (0,) * robot.nv
    return Signature(
        "gravity_forces",
        (_position(robot),),
        ("tau", (robot.nv,)),
        lambda q: newton_euler(reduced(robot), q, still, still),
    )


def _forward_kinematics(robot: Robot, frame: str) -> Signature:
    robot.frame(frame)
    return Signature(
        "forward_kinematics",
        (_position(robot),),
        ("pose", (4, 4)),
        lambda q: [x for row in frame_pose(robot, q, frame).matrix() for x in row],
    )


FUNCTIONS = {
    "inverse_dynamics": Function(_inverse_dynamics, frozenset({"wrenches", "base_motion"})),
    "bias_forces": Function(_bias_forces),
    "gravity_forces": Function(_gravity_forces),
    "forward_kinematics": Function(_forward_kinematics, frozenset({"frame"})),
}


def signature(robot: Robot, name: str, options: dict[str, Any]) -> Signature:
    """The function of that name for a robot.

    Raises:
        UnknownNameError: no such function.
        InputError: an option that the function does not have.
    """
    if name not in FUNCTIONS:
        raise UnknownNameError(f"no function '{name}'; there are: {', '.join(FUNCTIONS)}")
    function = FUNCTIONS[name]
    unknown = sorted(options.keys() - function.options)
    if unknown:
        known = ", ".join(sorted(function.options)) or "none"
        raise InputError(f"{name} has no option '{unknown[0]}'; it has: {known}")
    try:
        return function.make(robot, **options)
    except TypeError as error:
        raise InputError(f"{name}: {error}") from None
