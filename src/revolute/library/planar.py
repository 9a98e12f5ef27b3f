"""Arms in a vertical plane, made of uniform rods."""

from revolute.arguments import number, whole_number
from revolute.errors import InputError
from revolute.machine.robot import Robot
from revolute.model.assemble import Joint, Link
from revolute.model.joints import Revolute
from revolute.spatial import Inertia, Transform, Vector


def planar(n: int = 2, length: float = 1.0, mass: float = 1.0) -> Robot:
    """A planar arm of n equal links in the vertical x-y plane. LP 9.7-9.8; SHV 6.78-6.91.

    Joints turn about z, which is horizontal; gravity points along -y. At q = 0 the arm lies
    along x. Links are uniform slender rods; the frame "tip" is at the end of the last one.

    Args:
        n: number of links, at least one.
        length: length of each link [m].
        mass: mass of each link [kg].

    Raises:
        InputError: there is no link, a length is not positive, or a mass is negative.

    Example:
        >>> revolute.robots.planar(3).joint_names
        ('joint1', 'joint2', 'joint3')
    """
    whole_number("planar: n, the number of links,", n, 1)
    if not (number("length", length) > 0 and number("mass", mass) >= 0):
        raise InputError(f"a link's length must be positive, and its mass zero or more, not {length} m and {mass} kg")
    about_com = mass * length**2 / 12
    rod = Inertia.from_com(mass, (length / 2, 0, 0), ((0, 0, 0), (0, about_com, 0), (0, 0, about_com)))
    reach = Transform(p=Vector((length, 0, 0)))
    names = ["base", *(f"link{k}" for k in range(1, n + 1))]
    joints = [
        Joint(f"joint{k}", names[k - 1], names[k], Revolute(), reach if k > 1 else Transform())
        for k in range(1, n + 1)
    ]
    links = [Link(names[0]), *(Link(name, rod) for name in names[1:]), Link("tip")]
    tip = Joint("tip_mount", names[-1], "tip", placement=reach)
    return Robot.from_links(f"planar{n}", links, [*joints, tip], gravity=(0, -9.81, 0))
