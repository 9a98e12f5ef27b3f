"""Coordinates of other libraries: of Pinocchio, MuJoCo and Drake, and back. See `Conventions`.

    >>> import numpy as np, revolute
    >>> robot = revolute.robots.planar(2).to_base("free")
    >>> c = revolute.conventions.mujoco(robot)
    >>> c.position_names[3:7]
    ('root_joint.qw', 'root_joint.qx', 'root_joint.qy', 'root_joint.qz')
    >>> q, qd = robot.random_configuration(rng=1), np.ones(8)
    >>> np.allclose(c.from_v(c.q(q), c.v(q, qd)), qd)
    True
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.arguments import instance, instances
from revolute.conventions.converter import Conventions
from revolute.conventions.maps import Layout
from revolute.dynamics.drivetrain import Drivetrain
from revolute.errors import InputError
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.body import Body
from revolute.model.configurations import continuous
from revolute.model.joints import Free, Planar
from revolute.model.link_frames import children_of
from revolute.model.model import Model

__all__ = ["Conventions", "drake", "mujoco", "pinocchio"]


def pinocchio(robot: Robot | DrivenRobot, model: Any = None) -> Conventions:
    """The conventions of Pinocchio: siblings by name, (v, w) along the body's axes, (cos, sin) of continuous joints.

    Args:
        robot: the robot. A `DrivenRobot` has armature in its mass matrix, as Pinocchio has.
        model: a `pinocchio.Model`, which has the order of joints, and tells which have (cos, sin) and which follow
            others. Or names of joints in its order. By default the order of its reader of URDF files, with all joints;
            fixed joints, which a `Robot` does not have, may change that order.

    Raises:
        InputError: the robot and the model do not have the same joints.
        ModelError: a joint has no counterpart; the message names it.

    Example:
        >>> import revolute
        >>> c = revolute.conventions.pinocchio(revolute.robots.planar(1))
        >>> c.q([0.5]).round(3)  # cosine and sine
        array([0.878, 0.479])
    """
    if not hasattr(model, "nqs"):
        return _conventions("Pinocchio", robot, model)
    sizes = dict(zip(model.names, model.nqs, strict=True))
    turning = [name for name, n in sizes.items() if n == 2]
    return _conventions("Pinocchio", robot, [name for name, n in sizes.items() if n], (model.nq, model.nv), turning)


def mujoco(robot: Robot | DrivenRobot, model: Any = None) -> Conventions:
    """The conventions of MuJoCo: quaternions w first, v of free joints along the world's axes, before w of the body.

    A planar joint is two slides and a hinge, with the names that `Robot.to_mjcf` gives them. `mj_integratePos` moves a
    free body along a straight line, and `Robot.integrate` along a screw: after a time h they differ by O(h^2).

    Args:
        robot: the robot. A `DrivenRobot` has armature in its mass matrix, as MuJoCo has.
        model: a `mujoco.MjModel` of the robot alone; or names of joints in its order. By default the robot's order.

    Raises: see `pinocchio`.

    Example:
        >>> import revolute
        >>> ball = revolute.robots.planar(1).to_base("free")
        >>> revolute.conventions.mujoco(ball).coordinate_names[:3]
        ('root_joint.vx', 'root_joint.vy', 'root_joint.vz')
    """
    if not hasattr(model, "njnt"):
        return _conventions("MuJoCo", robot, model)
    names = [model.joint(k).name for k in range(model.njnt)]
    return _conventions("MuJoCo", robot, names, (model.nq, model.nv))


def drake(robot: Robot | DrivenRobot, model: Any = None) -> Conventions:
    """The conventions of Drake: a free body has its quaternion first, w first in it, and twists along the world's axes.

    Args:
        robot: the robot. A `DrivenRobot` has rotors in its mass matrix, as Drake has those of actuators.
        model: a `MultibodyPlant` of the robot alone; or names of joints in its order. By default the robot's order.

    Raises: see `pinocchio`. Drake's ball joint has roll, pitch and yaw: a `Spherical` joint has no counterpart.

    Example:
        >>> import revolute
        >>> revolute.conventions.drake(revolute.robots.planar(1).to_base("free")).position_names[:2]
        ('root_joint.qw', 'root_joint.qx')
    """
    if not hasattr(model, "GetJointIndices"):
        return _conventions("Drake", robot, model)
    joints = sorted(map(model.get_joint, model.GetJointIndices()), key=lambda joint: int(joint.position_start()))
    names = [joint.name() for joint in joints if joint.num_positions()]
    return _conventions("Drake", robot, names, (model.num_positions(), model.num_velocities()))


def _conventions(
    library: str, robot: Robot | DrivenRobot, names: Any, sizes: tuple[int, int] | None = None,
    turning: Collection[str] | None = None,
) -> Conventions:
    """The conventions of a library with joints in the order of `names`.

    `sizes` are nq and nv there; `turning` joints have (cos, sin) in Pinocchio, by default those without limits.
    """
    what = f"conventions.{library.lower()}"
    instance(f"{what}: robot", robot, (Robot, DrivenRobot))
    model, space, A, b = robot, robot, np.eye(robot.nv), np.zeros(robot.nv)
    if isinstance(robot, DrivenRobot):
        model, space, A = robot.robot, robot.space, robot.coupling
        b = np.array(robot.drivetrain.b[: len(A)], dtype=float)
    if names is not None:
        names = [x for x in instances(f"{what}: model", names, str) if x != "universe"]
        if len(names) == space.n_joints < model.n_joints:  # without joints that follow others
            model, A, b = space, np.eye(space.nv), np.zeros(space.nv)
    if not _are_joints(space, model, A, b):
        raise InputError(
            f"{what}: coordinates of '{robot.name}' are not joints: convert `robot.robot`, with the positions "
            "`robot.joint_positions(q)` and velocities `robot.joint_velocities(qd)`"
        )
    order = _depth_first(model, library == "Pinocchio") if names is None else _as_listed(what, model, names)
    if turning is None:
        starts = {at.qd for at in continuous(model)} if library == "Pinocchio" else ()
        turning = [x.joint_name for x, at in zip(model.bodies, model.v_index, strict=True) if at.start in starts]
    rows = tuple(tuple((k, x) for k, x in enumerate(row) if x) for row in A.tolist())
    coordinates = tuple(Body(x.joint_name, 0, x.joint_name, x.joint) for x in space.bodies[1:])
    found = Conventions(robot, Layout(library, model, Drivetrain(coordinates, rows, tuple(b.tolist())), tuple(order), tuple(turning)))
    if sizes not in (None, (found.nq, found.nv)):
        raise InputError(
            f"{what}: the model has {sizes[0]} positions and {sizes[1]} velocities, not {found.nq} and {found.nv}, as "
            f"'{robot.name}' would have there: a joint has another type"
        )
    return found


def _are_joints(space: Model, model: Model, A: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether each coordinate is a joint of the model, and not only something that joints follow."""
    if not set(space.joint_names) <= set(model.joint_names):
        return False
    own = np.r_[tuple(model.v_index[model.joint_index(name)] for name in space.joint_names)] if space.nv else []
    return np.array_equal(A[own], np.eye(space.nv)) and not b[own].any()


def _depth_first(model: Model, by_name: bool) -> list[int]:
    """All bodies but the base, siblings by the names of their joints or as they are."""
    children, order, waiting = children_of(model.bodies), [], [0]
    while waiting:
        order.append(waiting.pop())
        below = children[order[-1]]
        waiting += sorted(below, key=lambda i: model.bodies[i].joint_name)[::-1] if by_name else below[::-1]
    return order[1:]


def _as_listed(what: str, model: Model, names: Sequence[str]) -> list[int]:
    """Bodies in the order of the names of their joints; the only unknown name is that of the free base, if that misses.

    Parts of a planar joint stand for the joint.
    """
    parts = {
        f"{body.joint_name}.{part}": body.joint_name
        for body in model.bodies
        if isinstance(body.joint, Planar)
        for part in body.joint.q_names
    }
    known = model.joint_names
    listed = list(dict.fromkeys(parts.get(name, name) for name in names))
    missing, others = [x for x in known if x not in listed], [x for x in listed if x not in known]
    if len(missing) == len(others) == 1 and isinstance(model.bodies[model.joint_index(missing[0])].joint, Free):
        listed[listed.index(others[0])] = missing[0]
    elif missing or others:
        faults = [f"no {', '.join(missing)}"] if missing else []
        faults += [f"{', '.join(map(repr, others))} besides"] if others else []
        raise InputError(f"{what}: the model has not the joints of '{model.name}': it has {' and '.join(faults)}")
    return [model.joint_index(name) for name in listed]
