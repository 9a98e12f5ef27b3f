"""Spong, Hutchinson and Vidyasagar's robots of section 6.4 and of the problems."""

from dataclasses import replace

from revolute.arguments import nearest
from revolute.dynamics.closures import PointClosure
from revolute.errors import InputError
from revolute.machine.robot import Robot
from revolute.model.assemble import Joint, Link
from revolute.model.joints import Prismatic, Revolute
from revolute.spatial import Inertia, Transform, Vector

_JOINTS = {
    "cartesian": "yx", "elbow": "rr", "five_bar": "rrrr", "cartesian3": "yzx", "rp": "rx", "pr": "xr", "rrr": "rrr",
}  # fmt: skip
"""Joints: revolute about z, or prismatic along x, y or z."""


def shv(name: str) -> Robot:
    """A robot of SHV chapter 6, in a vertical x-y plane. SHV 6.69-6.111, Problems.

    Section 6.4 treats "cartesian", "elbow", and "five_bar", a tree of joints 1, 4, 2 and 3 with a closure for
    `with_closures`; the remotely driven elbow is `shv("elbow").with_drives(coupling=[[1, 0], [-1, 1]])`. The problems
    treat "cartesian3", "rp", "pr" and "rrr"; our copy lacks their figures. Every link is a uniform solid of length 1
    along its x axis, width 1/4, height 1/4 and mass 1. Joint 1 of the Cartesian robots is vertical.

    Raises:
        InputError: there is no robot of this name.

    Example:
        >>> revolute.load("shv:cartesian").mass_matrix([0.3, 0.2])  # m1 + m2, and m2
        array([[2., 0.],
               [0., 1.]])
    """
    if not isinstance(name, str) or name not in _JOINTS:
        raise InputError(f"shv: there is no robot {name!r}; {nearest(str(name), _JOINTS)}")
    serial = ["base", *(f"link{k}" for k in range(1, len(_JOINTS[name])))]
    parents = ["base", "base", "link2", "link1"] if name == "five_bar" else serial
    links, joints = [Link("base")], []
    for k, (letter, parent) in enumerate(zip(_JOINTS[name], parents, strict=True), 1):
        joint = Revolute() if letter == "r" else Prismatic([letter == axis for axis in "xyz"])
        end = Transform(p=Vector((float(letter == "r" and parent != "base"), 0, 0)))
        joints.append(Joint(f"joint{k}", parent, f"link{k}", joint, end))
        centre = -0.5 if (name, k) == ("five_bar", 4) else 0.5
        links.append(Link(f"link{k}", Inertia.box(1, (1, 0.25, 0.25), Transform(p=Vector((centre, 0, 0))))))
    robot = Robot.from_links(f"shv_{name}", links, joints, gravity=(0, -9.81, 0))
    loop = PointClosure("link3", "link4", (1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    return replace(robot, closures=(loop,)) if name == "five_bar" else robot
