"""Convert coordinates to those of Pinocchio, MuJoCo and Drake, and back.

Example:
    >>> import numpy as np, revolute
    >>> robot = revolute.robots.planar(2).to_base("free")
    >>> c = revolute.conventions.mujoco(robot)
    >>> c.position_names[3:7]
    ('root_joint.qw', 'root_joint.qx', 'root_joint.qy', 'root_joint.qz')
    >>> q, qd = robot.random_configuration(rng=1), np.ones(8)
    >>> np.allclose(c.from_v(c.q(q), c.v(q, qd)), qd)
    True
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from revolute.arguments import instance, instances
from revolute.conventions.converter import Conventions
from revolute.conventions.maps import Layout
from revolute.dynamics.drivetrain import Drivetrain
from revolute.errors import InputError
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model import Model, continuous
from revolute.model.joints import Free, Planar
from revolute.model.link_frames import children_of

__all__ = ["Conventions", "drake", "mujoco", "pinocchio"]


def pinocchio(robot: Robot | DrivenRobot, model: Any = None) -> Conventions:
    """The conventions of Pinocchio: siblings sorted by name, (v, w) for free joints, (cos, sin) for continuous joints.

    Args:
        robot: the robot; use one with drives to include armature and joints that mimic others.
        model: a `pinocchio.Model`, which determines the order of joints, which of them have a cosine and a sine, and
            which follow others; or names of joints in Pinocchio's order; or None for the order of Pinocchio's URDF
            reader, which sorts siblings by name: fixed joints, which a `Robot` does not have, may change this order.

    Raises:
        InputError: the model does not have the joints of the robot.
        ModelError: a joint has no counterpart; the message names it.

    Example:
        >>> import revolute
        >>> c = revolute.conventions.pinocchio(revolute.robots.planar(1))
        >>> c.q([0.5]).round(3)
        array([0.878, 0.479])
    """
    if not hasattr(model, "nqs"):
        return _conventions("Pinocchio", robot, model)
    sizes = dict(zip(model.names, model.nqs, strict=True))
    turning = [name for name, n in sizes.items() if n == 2]
    return _conventions("Pinocchio", robot, [name for name, n in sizes.items() if n], (model.nq, model.nv), turning)


def mujoco(robot: Robot | DrivenRobot, model: Any = None) -> Conventions:
    """The conventions of MuJoCo: quaternions with w first, (v, w) for free joints with v along the world's axes.

    A planar joint is two slides and a hinge, with the names that `Robot.to_mjcf` gives them.

    Args:
        robot: see `pinocchio`.
        model: a `mujoco.MjModel` of only the robot; or joint names in MuJoCo's order; or None for the robot's order.

    Raises:
        InputError, ModelError: see `pinocchio`.

    Example:
        >>> import revolute
        >>> c = revolute.conventions.mujoco(revolute.robots.planar(1).to_base("free"))
        >>> c.coordinate_names[:3]
        ('root_joint.vx', 'root_joint.vy', 'root_joint.vz')
    """
    if not hasattr(model, "njnt"):
        return _conventions("MuJoCo", robot, model)
    names = [model.joint(k).name for k in range(model.njnt)]
    return _conventions("MuJoCo", robot, names, (model.nq, model.nv))


def drake(robot: Robot | DrivenRobot, model: Any = None) -> Conventions:
    """The conventions of Drake: quaternions before positions, with w first; (w, v) of free joints in the world's axes.

    Args:
        robot: see `pinocchio`.
        model: a `MultibodyPlant` of only the robot; or joint names in Drake's order; or None for the robot's order.

    Raises:
        InputError, ModelError: see `pinocchio`.

    Example:
        >>> import revolute
        >>> c = revolute.conventions.drake(revolute.robots.planar(1).to_base("free"))
        >>> c.q([1, 2, 3, 0, 0, 0, 1, 0.5])
        array([1. , 0. , 0. , 0. , 1. , 2. , 3. , 0.5])
    """
    if not hasattr(model, "GetJointIndices"):
        return _conventions("Drake", robot, model)
    joints = sorted(map(model.get_joint, model.GetJointIndices()), key=lambda joint: int(joint.position_start()))
    names = [joint.name() for joint in joints if joint.num_positions()]
    return _conventions("Drake", robot, names, (model.num_positions(), model.num_velocities()))


def _conventions(
    library: str,
    robot: Robot | DrivenRobot,
    names: Any,
    sizes: tuple[int, int] | None = None,
    turning: Collection[str] | None = None,
) -> Conventions:
    """The conventions of a library with joints in the order of `names`."""
    # `sizes` are nq and nv there; `turning` joints have a cosine and a sine, by default those without limits.
    what = f"conventions.{library.lower()}"
    instance(f"{what}: robot", robot, (Robot, DrivenRobot))
    model: Model
    if isinstance(robot, Robot):
        model, drives = robot, _none(robot)
    else:
        model, n = robot.robot, len(robot.coupling)  # raises if a ratio is a symbol
        drives = replace(robot.drivetrain, A=robot.drivetrain.A[:n], b=robot.drivetrain.b[:n], rotors=())
    if names is None:
        order = _depth_first(model, library == "Pinocchio")
    else:
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InputError(f"{what}: model must be from {library}, or names of joints, not {type(names).__name__}")
        names = [name for name in instances(f"{what}: model", names, str) if name != "universe"]
        if len(names) == drives.space.n_joints < model.n_joints:  # without joints that follow others
            model, drives = drives.space, _none(drives.space)
        order = _as_listed(what, robot.name, model, names)
    if turning is None:
        starts = {at.qd for at in continuous(model)} if library == "Pinocchio" else ()
        turning = [x.joint_name for x, at in zip(model.bodies, model.v_index, strict=True) if at.start in starts]
    layout = Layout(library, model, drives, tuple(order), tuple(turning))
    if not layout.has_coordinates:
        raise InputError(
            f"{what}: the coordinates of '{robot.name}' are not joints: convert `robot.robot`, which has the positions "
            "`robot.joint_positions(q)` and the velocities `robot.joint_velocities(qd)`"
        )
    found = Conventions(robot, layout)
    if sizes is not None and sizes != (found.nq, found.nv):
        raise InputError(
            f"{what}: the model has {sizes[0]} positions and {sizes[1]} velocities, but '{robot.name}' would have "
            f"{found.nq} and {found.nv} there: a joint has another type"
        )
    return found


def _none(model: Model) -> Drivetrain:
    """The drivetrain of joints that are themselves the coordinates."""
    return Drivetrain(model.bodies[1:], tuple(((k, 1),) for k in range(model.nv)), (0,) * model.nv)


def _depth_first(model: Model, by_name: bool) -> list[int]:
    """All bodies except the base, depth first, with siblings sorted by joint name or in their order."""
    children, order, waiting = children_of(model.bodies), [], [0]
    while waiting:
        order.append(waiting.pop())
        below = children[order[-1]]
        waiting += sorted(below, key=lambda i: model.bodies[i].joint_name)[::-1] if by_name else below[::-1]
    return order[1:]


def _as_listed(what: str, robot: str, model: Model, names: Sequence[str]) -> list[int]:
    """Indices of the bodies in the order in which `names` lists their joints."""
    # Parts of a planar joint stand for it, the name of a free link for its joint. A single free base has any name.
    known, free = model.joint_names, {x.name: x.joint_name for x in model.bodies if isinstance(x.joint, Free)}
    listed = [name if name in known else free.get(name, name) for name in names]
    for name in known:
        parts = [f"{name}.{part}" for part in Planar.q_names]
        if parts[0] in listed and isinstance(model.bodies[model.joint_index(name)].joint, Planar):
            at = listed.index(parts[0])
            listed[at : at + 3] = [name] if listed[at : at + 3] == parts else listed[at : at + 3]
    missing = [name for name in known if name not in listed]
    others = [name for k, name in enumerate(listed) if name not in known or name in listed[:k]]
    if len(missing) == len(others) == 1 and missing[0] in free.values():
        listed[listed.index(others[0])] = missing[0]
    elif missing or others:
        lacks, has = (", ".join(f"'{name}'" for name in some) or "none" for some in (missing, others))
        raise InputError(f"{what}: the model lacks these joints of '{robot}': {lacks}; its other joints: {has}")
    return [model.joint_index(name) for name in listed]
