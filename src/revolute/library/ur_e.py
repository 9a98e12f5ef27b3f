"""Universal Robots UR5e and UR10e.

Lengths, masses and centres of mass are those of Universal Robots: "DH parameters for calculations of kinematics and
dynamics", universal-robots.com. Names, frames, limits and radii are those of their ROS package ur_description.
"""

from collections.abc import Sequence
from math import pi

from revolute.machine.robot import Robot
from revolute.model import Joint, Limits, Link
from revolute.model.joints import Revolute
from revolute.spatial import Inertia, Transform, Vector

_LINKS = ("shoulder_link", "upper_arm_link", "forearm_link", "wrist_1_link", "wrist_2_link", "wrist_3_link")
_JOINTS = tuple(f"{name}_joint" for name in ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"))
_ALPHA = (pi / 2, 0, 0, pi / 2, -pi / 2, 0)
_Row = tuple[float, float, float, tuple[float, float, float], tuple[float, float], float, float]

# a, d [m]; mass [kg], centre of mass in the DH frame [m]; radius and length of the cylinder [m]; speed [rad/s],
# effort [N m]
_UR5E: tuple[_Row, ...] = (
    (0, 0.1625, 3.761, (0, -0.02561, 0.00193), (0.06, 0.15), pi, 150.0),
    (-0.425, 0, 8.058, (0.2125, 0, 0.11336), (0.06, 0.425), pi, 150.0),
    (-0.3922, 0, 2.846, (0.15, 0, 0.0265), (0.06, 0.3922), pi, 150.0),
    (0, 0.1333, 1.37, (0, -0.0018, 0.01634), (0.06, 0.12), pi, 28.0),
    (0, 0.0997, 1.3, (0, 0.0018, 0.01634), (0.06, 0.12), pi, 28.0),
    (0, 0.0996, 0.365, (0, 0, -0.001159), (0.0375, 0.0458), pi, 28.0),
)
_UR10E: tuple[_Row, ...] = (
    (0, 0.1807, 7.369, (0.021, 0, 0.027), (0.075, 0.178), 2 * pi / 3, 330.0),
    (-0.6127, 0, 13.051, (0.38, 0, 0.158), (0.075, 0.6127), 2 * pi / 3, 330.0),
    (-0.57155, 0, 3.989, (0.24, 0, 0.068), (0.075, 0.57155), pi, 150.0),
    (0, 0.17415, 2.1, (0, 0.007, 0.018), (0.075, 0.12), pi, 56.0),
    (0, 0.11985, 1.98, (0, 0.007, 0.018), (0.075, 0.12), pi, 56.0),
    (0, 0.11655, 0.615, (0, 0, -0.026), (0.045, 0.05), pi, 56.0),
)


def ur5e() -> Robot:
    """The UR5e arm of Universal Robots, without shapes.

    Lengths, masses and centres of mass are from the maker's page "DH parameters for calculations of kinematics and
    dynamics". It gives no moments of inertia; these are of uniform cylinders with the sizes in the ROS package
    ur_description. Link and joint names, frames and limits are also from ur_description: q is the q of the
    robot's controller, whose base frame is "base"; "tool0" is the flange. The mass of the base, 4 kg, is a guess of the
    package. `revolute.load("ur5e_description")` includes meshes (extra `descriptions`).

    Example:
        >>> ur5e = revolute.robots.ur5e()
        >>> ur5e.forward_kinematics([0] * 6, "tool0")[:3, 3].round(4)
        array([0.8172, 0.2329, 0.0628])
    """
    return _arm("ur5e", _UR5E, (0.06, 0.05))


def ur10e() -> Robot:
    """The UR10e arm of Universal Robots, without shapes. Sources and frames are those of `ur5e`.

    Example:
        >>> revolute.robots.ur10e().effort_limits
        array([330., 330., 150.,  56.,  56.,  56.])
    """
    return _arm("ur10e", _UR10E, (0.075, 0.038))


def _arm(name: str, rows: Sequence[_Row], base: tuple[float, float]) -> Robot:
    links = [Link("base_link"), Link("base_link_inertia", Inertia.cylinder(4.0, *base)), Link("base")]
    turn = Transform.from_rpy(rpy=(0, 0, pi))
    joints = [Joint(f"base_link-{link.name}", "base_link", link.name, placement=turn) for link in links[1:]]
    parent, x, alpha = "base_link_inertia", 0.0, 0.0
    for k, (a, d, mass, com, cylinder, speed, effort) in enumerate(rows):
        # a link's frame is its DH frame, moved back along its common normal: Rz(q) Tz(d) Tx(a) Rx(alpha)
        back = Transform.from_rpy((a, 0, 0), (_ALPHA[k], 0, 0))
        axis = Transform.from_rpy(rpy=(0, pi / 2, 0)) if a else Transform.from_rpy()
        centre = Transform.from_rpy(back.point(Vector(com))) @ axis
        links.append(Link(_LINKS[k], Inertia.cylinder(mass, *cylinder, pose=centre)))
        before = Transform.from_rpy((x, 0, 0), (alpha, 0, 0))
        placement = before @ Transform.from_rpy((0, 0, d))
        reach = pi if _JOINTS[k] == "elbow_joint" else 2 * pi
        limits = Limits((-reach,), (reach,), (speed,), (effort,))
        joints.append(Joint(_JOINTS[k], parent, _LINKS[k], Revolute(), placement, limits))
        parent, x, alpha = _LINKS[k], a, _ALPHA[k]
    links += [Link("flange"), Link("tool0")]
    flange = Transform.from_rpy(rpy=(0, -pi / 2, -pi / 2))
    joints.append(Joint("wrist_3-flange", parent, "flange", placement=flange))
    joints.append(Joint("flange-tool0", "flange", "tool0", placement=flange.inverse()))
    return Robot.from_links(name, links, joints)
