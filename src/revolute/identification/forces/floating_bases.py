"""Floating bases: coordinates that are not actuated, and known wrenches in place of their forces."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import mapping
from revolute.errors import InputError
from revolute.identification.samples import Array, Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.joints import Free
from revolute.model.model import Model


class Floating(NamedTuple):
    """A body that floats in the base frame: names of its joint and of its link, and indices of its twist in qd."""

    name: str
    link: str
    qd: slice


def floating(space: Model) -> Array:
    """(nv,) whether a coordinate belongs to a floating body."""
    return np.concatenate([np.full(body.joint.nv, isinstance(body.joint, Free)) for body in space.bodies])


def floating_bases(robot: DrivenRobot) -> tuple[Floating, ...]:
    """The floating bodies of a robot; raise `InputError` if one floats on a moving link, as they exchange momentum."""
    links = {body.joint_name: body for body in robot.robot.bodies}
    found = []
    for body, qd in zip(robot.space.bodies, robot.space.v_index, strict=True):
        if isinstance(body.joint, Free):
            if links[body.joint_name].parent:
                raise InputError(f"momentum: '{body.joint_name}' floats on a link that moves, not in the base frame")
            found.append(Floating(body.joint_name, links[body.joint_name].name, qd))
    return tuple(found)


def require_joints(robot: Robot) -> None:
    """Raise `InputError` if no joint moves."""
    if not robot.nv:
        raise InputError(f"robot '{robot.name}' has no moving joint, so no joint forces to identify it from")


def with_wrenches(robot: Robot | DrivenRobot, samples: Samples, wrenches: Mapping[str, ArrayLike]) -> Samples:
    """Samples with the forces J^T w of known wrenches added, for all estimators. GOA 27; RBDA 9.

        Y pi = tau + sum over links of J^T w

    No motor acts on a floating base. So the right side of its rows, where not measured, is J^T w alone, and force
    plates below the feet determine the masses of a robot. Ayusawa, Venture & Nakamura 2014.

    Args:
        robot: the robot that moved.
        samples: samples with the forces of motors; NaN at the base.
        wrenches: {link name: (T, 6)} wrenches (m, f) [N m, N] that the environment applies to the robot, about the
            link's origin and expressed in its frame. All contacts must be included.

    Raises:
        UnknownNameError, ShapeError, InputError: wrenches do not fit the robot or the samples.

    Example:
        >>> from revolute.identification import Samples, with_wrenches
        >>> box = revolute.robots.random_tree(1, rng=1, base="free")
        >>> q, still = box.home()[None], np.zeros((1, box.nv))
        >>> samples = Samples([0.0], q, still, still, np.full((1, box.nv), np.nan))
        >>> forces = with_wrenches(box, samples, {"base": [[0.0, 0, 0, 0, 0, 5.0]]})
        >>> print(forces.tau[0, :6])
        [0. 0. 0. 0. 0. 5.]
    """
    driven = robot if isinstance(robot, DrivenRobot) else robot.with_drives()
    given = {name: np.asarray(w, dtype=float) for name, w in mapping("with_wrenches: wrenches", wrenches).items()}
    tree, q = driven.robot, driven.joint_positions(samples.q)
    still = np.zeros((len(samples), tree.nv))
    alone, touched = (tree.inverse_dynamics(q, still, still, wrenches=w) for w in (None, given))
    added = (alone - touched) @ driven.coupling
    tau = np.where(np.isnan(samples.tau) & floating(driven.space), 0.0, samples.tau)
    return replace(samples, tau=tau + added)
