"""How other libraries order the coordinates of each joint type, as data.

Names are those of `JointType.q_names` and `qd_names`. Sources: Pinocchio, `JointModelFreeFlyer`, `JointModelPlanar`,
`JointModelRevoluteUnbounded`; MuJoCo, XML reference, body/joint; Drake, `QuaternionFloatingJoint`, `PlanarJoint`.
"""

from revolute.model.joints import Free, Helical, JointType, Planar, Prismatic, Revolute, Spherical
from revolute.records import dataclass


@dataclass(frozen=True)
class JointTable:
    """Coordinates of a joint in another library."""

    q: str = ""  # names of our positions in its order, with "cos sin" in place of an angle; all in our order if empty
    qd: str = ""  # names of our velocities in its order; all in our order if empty
    # letters of the vectors, v and w, that it has along the parent's axes. Ours are along the child's.
    turned: str = ""


SAME = JointTable()
CONTINUOUS = JointTable("cos sin")
"""A joint that turns without limits, in Pinocchio."""

TABLES: dict[str, dict[type[JointType], JointTable]] = {
    "Pinocchio": {
        Revolute: SAME, Prismatic: SAME, Helical: SAME, Spherical: SAME,
        Free: JointTable("x y z qx qy qz qw", "vx vy vz wx wy wz"),
        Planar: JointTable("x y cos sin", "vx vy w"),
    },
    "MuJoCo": {
        Revolute: SAME, Prismatic: SAME,
        Free: JointTable("x y z qw qx qy qz", "vx vy vz wx wy wz", turned="v"),
        Spherical: JointTable("qw qx qy qz", "wx wy wz"),
        Planar: JointTable("x y angle", "vx vy w", turned="v"),
    },
    "Drake": {
        Revolute: SAME, Prismatic: SAME, Helical: SAME,
        Free: JointTable("qw qx qy qz x y z", "wx wy wz vx vy vz", turned="wv"),
        Planar: JointTable("x y angle", "vx vy w", turned="v"),
    },
}  # fmt: skip
"""Other joint types have no counterpart."""

MISSING: dict[tuple[str, type[JointType]], str] = {
    ("Drake", Spherical): "no ball joint with a quaternion, but one with roll, pitch and yaw",
    ("MuJoCo", Helical): "no helical joint, but a hinge and a slide with an equality",
}
