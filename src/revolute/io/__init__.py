"""Robot descriptions in and out."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING

from revolute.errors import ModelError, ModelWarning

if TYPE_CHECKING:
    from revolute.robot import Robot

__all__ = ["load"]


def load(source: str | os.PathLike[str], base: str = "fixed") -> Robot:
    """The robot that a URDF file or text describes.

    Joints come depth first, siblings in the order of the file. Links that fixed joints hold
    together become one body; their frames stay, by name. Meshes, visuals, transmissions and
    simulator extensions are not looked at, and nothing but the file itself is opened.

    - Limits, damping and friction are kept as data; inverse dynamics does not use them. A
      joint with neither a lower nor an upper limit has none, whatever its type; an effort
      or velocity of 0 stays 0, although many files mean "unknown" by it.
    - A joint that mimics another is loaded as a joint of its own, with its own entry in q,
      qd and tau; the coupling is kept in its `Drive.mimic`, and a warning says so.
    - Axes are scaled to length one. Angles within 1e-11 rad of a multiple of pi/2, and axes
      that close to a coordinate axis, are taken as exact: files print them with 12 digits.

    Args:
        source: path of a URDF file, or URDF text, which begins with '<'.
        base: "fixed" holds the root link still; "free" lets it float on a joint
            "root_joint", whose q is (position [m], quaternion x y z w) and qd the body
            twist (w, v) [rad/s, m/s].

    Returns:
        the robot; gravity is (0, 0, -9.81) m/s^2 in the root link's frame.

    Raises:
        ModelError: the file cannot be read, is not URDF, is xacro that has not been
            expanded, or describes no tree of rigid bodies. The message names the file and
            the link or joint.
        InputError: `source` is neither a path nor text, or `base` is unknown.

    Warns:
        ModelWarning: inertias that no body can have, axes that are not of length one, limits
            that contradict each other, joints that mimic others.

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
    from revolute.assemble import assemble
    from revolute.io.urdf import read

    found = read(source)
    for suspicion in found.suspicions:
        warnings.warn(suspicion, ModelWarning, stacklevel=2)
    try:
        return assemble(found.name, found.links, found.joints, base=base, source=found.where)
    except ModelError as error:
        if found.where in str(error):
            raise
        raise ModelError(f"{found.where}: {error}") from None  # found by the robot's own check
