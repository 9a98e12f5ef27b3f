"""Functions whose inertial parameters are an input: one kernel for robots that differ in mass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from revolute.errors import InputError
from revolute.functions.signature import Signature
from revolute.graph import Input
from revolute.parameters import from_vector
from revolute.robot import Robot
from revolute.scalar import Scalar

__all__ = ["parametric", "without_inertias"]


def parametric(make: Callable[..., Signature], robot: Robot, parameters: str, **options: Any) -> Signature:
    """The function `make(robot, **options)` with (n, 10) inertial parameters as its last input.

    Raises:
        InputError: parameters other than "inertial".
    """
    if parameters != "inertial":
        raise InputError(f"parameters can be 'inertial', not {parameters!r}")
    plain = make(robot, **options)
    given = Input("inertial_parameters", (robot.n_joints, 10), "moving bodies, 10")

    def body(*arrays: Any) -> Any:
        return make(_with_parameters(robot, arrays[-1]), **options).body(*arrays[:-1])

    return replace(plain, inputs=(*plain.inputs, given), body=body)


def without_inertias(robot: Robot) -> Robot:
    """The robot with moving bodies of no inertia, which a kernel that has the inertias as an input never uses."""
    return _with_parameters(robot, [0] * (10 * robot.n_joints))


def _with_parameters(robot: Robot, pi: Sequence[Scalar]) -> Robot:
    base, *moving = robot.bodies
    changed = (replace(body, inertia=from_vector(pi[10 * k : 10 * k + 10])) for k, body in enumerate(moving))
    return replace(robot, bodies=(base, *changed))
