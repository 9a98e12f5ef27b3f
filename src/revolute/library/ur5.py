"""Universal Robots UR5."""

import math

from revolute.machine.robot import Robot
from revolute.model import Joint, Limits, Link
from revolute.model.joints import Revolute
from revolute.spatial import Inertia, Transform, Vector

_Y, _Z = Vector((0, 1, 0)), Vector((0, 0, 1))

# link, mass [kg], z of the centre of mass [m], (Ixx = Iyy, Izz) about it [kg m^2]
_LINKS = (
    ("base_link", 4.0, 0.0, (0.00443333156, 0.0072)),
    ("shoulder_link", 3.7, 0.0, (0.010267495893, 0.00666)),
    ("upper_arm_link", 8.393, 0.28, (0.22689067591, 0.0151074)),
    ("forearm_link", 2.275, 0.25, (0.049443313556, 0.004095)),
    ("wrist_1_link", 1.219, 0.0, (0.111172755531, 0.21942)),
    ("wrist_2_link", 1.219, 0.0, (0.111172755531, 0.21942)),
    ("wrist_3_link", 0.1879, 0.0, (0.0171364731454, 0.033822)),
)

# joint, axis, position in the parent [m], turn about the parent's y [rad], range [rad], speed [rad/s], effort [N m]
_JOINTS = (
    ("shoulder_pan_joint", _Z, (0, 0, 0.089159), 0, 2 * math.pi, 3.15, 150.0),
    ("shoulder_lift_joint", _Y, (0, 0.13585, 0), math.pi / 2, 2 * math.pi, 3.15, 150.0),
    ("elbow_joint", _Y, (0, -0.1197, 0.425), 0, math.pi, 3.15, 150.0),
    ("wrist_1_joint", _Y, (0, 0, 0.39225), math.pi / 2, 2 * math.pi, 3.2, 28.0),
    ("wrist_2_joint", _Z, (0, 0.093, 0), 0, 2 * math.pi, 3.2, 28.0),
    ("wrist_3_joint", _Y, (0, 0, 0.09465), 0, 2 * math.pi, 3.2, 28.0),
)


def ur5() -> Robot:
    """The UR5 arm, with the values of the ROS package ur_description (ur5_robot.urdf).

    Link and joint names are those of the URDF; the z axis of "tool0" points out of the flange.
    The URDF gives pi/2 with twelve digits; here it is exact, so that many products vanish,
    and torques differ from those of the URDF by about 1e-11 of the largest. Inertias of the wrists
    are those of the package: at least ten times as large as their masses and sizes suggest.

    Example:
        >>> revolute.robots.ur5().effort_limits
        array([150., 150., 150.,  28.,  28.,  28.])
    """
    links = [Link("world")]
    for name, mass, z, (Ixx, Izz) in _LINKS:
        links.append(Link(name, Inertia.from_com(mass, (0, 0, z), ((Ixx, 0, 0), (0, Ixx, 0), (0, 0, Izz)))))
    links += [Link("ee_link"), Link("base"), Link("tool0")]
    joints = [Joint("world_joint", "world", "base_link")]
    for (name, axis, xyz, pitch, reach, speed, effort), parent, child in zip(
        _JOINTS, _LINKS[:-1], _LINKS[1:], strict=True
    ):
        limits = Limits((-reach,), (reach,), (speed,), (effort,))
        placement = Transform.from_rpy(xyz, (0, pitch, 0))
        joints.append(Joint(name, parent[0], child[0], Revolute(axis), placement, limits))
    flange, half = (0, 0.0823, 0), math.pi / 2
    for fixed, carrier, frame, xyz, rpy in (
        ("ee_fixed_joint", "wrist_3_link", "ee_link", flange, (0, 0, half)),
        ("base_link-base_fixed_joint", "base_link", "base", (0, 0, 0), (0, 0, -math.pi)),
        ("wrist_3_link-tool0_fixed_joint", "wrist_3_link", "tool0", flange, (-half, 0, 0)),
    ):
        joints.append(Joint(fixed, carrier, frame, placement=Transform.from_rpy(xyz, rpy)))
    return Robot.from_links("ur5", links, joints)
