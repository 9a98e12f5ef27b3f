"""Robots from files, and to files."""

from __future__ import annotations

import os

from revolute.machine.robot import Robot
from revolute.model.model import Model

__all__ = ["load", "save"]


def load(source: str | os.PathLike[str], base: str = "fixed") -> Robot:
    """The robot that a file describes: URDF, MJCF, SDF, text of them, or TOML that `save` made.

    The outermost element tells URDF (<robot>), MJCF (<mujoco>) and SDF (<sdf>); a `.toml` file gives the
    very robot that was saved. Joints come depth first, siblings in the order of the file. Links
    that fixed joints hold together become one body; their frames stay, by name.

    MJCF is compiled by MuJoCo (needs `revolute[mjcf]`), which opens what the file includes and
    its meshes; nothing but the file itself is opened of URDF. The base of an MJCF model is its
    "world", q is MuJoCo's qpos but for the order of quaternions (x y z w here), and sites
    become frames. Where a body has several joints, links without mass stand between them.

    Of SDF the one model that a file has is read; included and nested ones are not. The base
    is the "world", where the model stands, and a joint that carries a link which another one
    carries already closes a loop. A link whose frame is not on its joint hangs on "<link>:<joint>".

    - Limits, damping and friction are kept as data: the robot's own methods do not use them,
      those of `Robot.with_drives` do. A
      joint with neither a lower nor an upper limit has none, whatever its type; an effort
      or velocity of 0 stays 0, although many files mean "unknown" by it.
    - A joint that mimics another is loaded as a joint of its own, with its own entry in q,
      qd and tau; the coupling is kept in its `Drive.mimic`, which `Robot.with_drives` uses,
      and a warning says so.
    - What closes loops (`connect` and `weld` of MJCF, second joints of a link in SDF) is kept in
      `Robot.closures`, which `Robot.with_closures` uses; a linear `joint` constraint is a `Drive.mimic`.
    - Axes are scaled to length one. Angles within 1e-11 rad of a multiple of pi/2, and axes
      that close to a coordinate axis, are taken as exact: files print them with 12 digits.

    Args:
        source: path of a URDF, MJCF, SDF or TOML file, or XML text, which begins with '<'.
        base: of a URDF or SDF robot; "fixed" holds the root link still; "free" lets it float on a joint
            "root_joint", whose q is (position [m], quaternion x y z w) and qd the body
            twist (w, v) [rad/s, m/s].

    Returns:
        the robot; gravity of a URDF robot is (0, 0, -9.81) m/s^2 in the root link's frame, and of an
        SDF robot as much in the world, unless that says otherwise.

    Raises:
        ModelError: the file cannot be read, is none of these, is xacro that has not been
            expanded, or describes no tree of rigid bodies. The message names the file and
            the link or joint.
        InputError: `source` is neither a path nor text, or `base` is unknown, or is for a file
            that has its own.
        MissingExtraError: MJCF, without the package mujoco.

    Warns:
        ModelWarning: inertias that no body can have, axes that are not of length one, limits
            that contradict each other, joints that mimic others; what of an MJCF model is not
            modelled: some equality constraints, armature, springs, fluids, gravity compensation.

    Example:
        >>> import revolute
        >>> robot = revolute.load('''
        ... <robot name="pendulum">
        ...   <link name="base"/>
        ...   <joint name="hinge" type="continuous">
        ...     <parent link="base"/> <child link="arm"/> <axis xyz="0 1 0"/>
        ...   </joint>
        ...   <link name="arm">
        ...     <inertial>
        ...       <origin xyz="0 0 -0.5"/>
        ...       <mass value="2"/>
        ...       <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/>
        ...     </inertial>
        ...   </link>
        ... </robot>''')
        >>> print(robot)
        pendulum: 1 joints, nq 1, nv 1, 2 kg
        base (base), 0 kg
        └─ arm <- hinge (revolute about y), 2 kg
    """
    from revolute.io import read

    return Robot.of(read(source, base))


def save(robot: Model, path: str | os.PathLike[str]) -> None:
    """Write a robot to a file: TOML exactly, URDF or MJCF.

    Args:
        robot: the robot.
        path: of the file, which is replaced; its suffix says what is written. `.toml` holds all
            of a robot, and `load` gives the same robot, digit for digit. `.urdf` is
            `Robot.to_urdf`, `.xml` `Robot.to_mjcf`.

    Raises:
        InputError: another suffix, or no robot.
        ModelError: the robot cannot be written in that format; the message says what of it.
        OSError: the file cannot be written; the error names it, and a file that was there is still whole.

    Example:
        >>> import pathlib, tempfile, revolute
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "ur5.toml")
        ...     revolute.save(revolute.robots.ur5(), path)
        ...     revolute.load(path) == revolute.robots.ur5()
        True
    """
    from revolute.io import write

    write(robot, path)
