"""SHV's planar elbow with symbols for all its lengths and masses."""

import sympy

from revolute import Inertia, Joint, Link, Revolute, Robot, Transform

l1, lc1, lc2, m1, m2, I1, I2, g = sympy.symbols("l1 lc1 lc2 m1 m2 I1 I2 g")


def elbow(alpha: object = 0) -> Robot:
    """SHV's planar elbow, its second axis turned by alpha about the first link."""

    def bar(m: object, r: object, I: object) -> Inertia:
        return Inertia.from_com(m, (r, 0, 0), ((0, 0, 0), (0, I, 0), (0, 0, I)))

    return Robot.from_links(
        "elbow",
        [Link("base"), Link("link1", bar(m1, lc1, I1)), Link("link2", bar(m2, lc2, I2))],
        [
            Joint("joint1", "base", "link1", Revolute()),
            Joint("joint2", "link1", "link2", Revolute(), Transform.from_rpy((l1, 0, 0), (alpha, 0, 0))),
        ],
        gravity=(0, -g, 0),
    )
