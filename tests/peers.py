"""Robots of files beside Pinocchio's models of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from robots import EACH_KIND, pair, pin, random_states, to_pinocchio

from revolute import Free, Helical, Planar, Prismatic, Revolute, Robot, Spherical
from revolute.model.joints import JointType

ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
"""The order of Pinocchio's rows in ours."""


def of_each_kind(test: Callable[..., None]) -> Callable[..., None]:
    """A test of a `name` of `FILES` and a `base`: robots of each kind, fixed and free."""
    names = pytest.mark.parametrize("name", EACH_KIND)
    return pytest.mark.parametrize("base", ["fixed", "free"])(names(test))


def peers(name: str, base: str = "fixed", rows: int = 3, seed: int = 1) -> tuple[Any, ...]:
    """A robot of `FILES`, Pinocchio's model and data, states q, qd, qdd, its positions, and the order of its rates.

    Files print angles with 12 digits, which Revolute completes, see test_urdf: results agree to 1e-9.
    """
    robot, model = pair(name, base)
    states = random_states(robot, rows, seed)
    return robot, model, model.createData(), *states, *to_pinocchio(robot, model, states[0])


def symmetric(upper: np.ndarray) -> np.ndarray:
    """A matrix of which Pinocchio fills the upper triangle."""
    return np.triu(upper) + np.triu(upper, 1).T


def pinocchio_joint(joint: JointType) -> tuple[Any, np.ndarray]:
    """Pinocchio's joint, and the axes of its frame along ours: its planar joints have the normal z."""
    axis = np.array(getattr(joint, "axis", (0, 0, 1)), dtype=float)
    if isinstance(joint, Planar):
        return pin.JointModelPlanar(), np.column_stack([joint.first, joint.second, joint.normal]).astype(float)
    theirs = {
        Revolute: lambda: pin.JointModelRevoluteUnaligned(axis),
        Prismatic: lambda: pin.JointModelPrismaticUnaligned(axis),
        Helical: lambda: pin.JointModelHelicalUnaligned(axis, joint.pitch),  # type: ignore[attr-defined]
        Spherical: pin.JointModelSpherical,
        Free: pin.JointModelFreeFlyer,
    }
    assert type(joint) in theirs, f"say above what a {type(joint).__name__} is in Pinocchio"
    return theirs[type(joint)](), np.eye(3)


def pinocchio_model(robot: Robot) -> Any:
    model, turns = pin.Model(), [pin.SE3.Identity()]
    for body in robot.bodies[1:]:
        joint, A = pinocchio_joint(body.joint)
        placement = pin.SE3(np.array(body.placement.matrix(), dtype=float))
        turns.append(pin.SE3(A, np.zeros(3)))
        number = model.addJoint(
            body.parent, joint, turns[body.parent].inverse() * placement * turns[-1], body.joint_name
        )
        own = body.inertia
        inertia = pin.Inertia(float(own.m), np.array(own.com(), dtype=float), np.array(own.about_com(), dtype=float))
        model.appendBodyToJoint(number, turns[-1].inverse().act(inertia), pin.SE3.Identity())
    return model
