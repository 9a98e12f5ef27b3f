"""A serial arm for the formulations: link frames on the joint axes, and the notation of BP ch. 5."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from revolute.errors import ModelError
from revolute.model import Body, Model
from revolute.model.joints import JointType, Prismatic, Revolute
from revolute.model.link_frames import with_z_along
from revolute.spatial import ZERO, Inertia, Matrix, Rotation, Scalar, Scalars, Transform, Vector
from revolute.spatial.tensors import euler_of_inertia


@dataclass(frozen=True)
class SerialLink:
    """A link with the joint that carries it, in a frame with z along the joint's axis."""

    placement: Transform = Transform()  # pose of the joint's frame in the frame of the previous link
    prismatic: bool = False  # whether the joint is prismatic
    inertia: Inertia = Inertia()  # about the frame's origin, expressed in the frame

    @property
    def sigma(self) -> int:
        """1 for a revolute joint, 0 for a prismatic one."""
        return 0 if self.prismatic else 1

    @property
    def m(self) -> Scalar:
        """Mass [kg]."""
        return self.inertia.m

    @property
    def n(self) -> Vector:
        """First moment m r [kg m]. BP 5.2.14."""
        return self.inertia.h

    @cached_property
    def r(self) -> Vector:
        """Centre of mass, from the frame's origin [m]."""
        return self.inertia.com()

    @property
    def I_o(self) -> Matrix:
        """Inertia tensor about the frame's origin [kg m^2]."""
        return self.inertia.I

    @cached_property
    def I_c(self) -> Matrix:
        """Inertia tensor about the centre of mass [kg m^2]. BP 4.3.9."""
        return self.inertia.about_com()

    @cached_property
    def J_o(self) -> Matrix:
        """Euler tensor about the frame's origin [kg m^2]. BP 4.3.6."""
        return euler_of_inertia(self.I_o)

    @cached_property
    def J_c(self) -> Matrix:
        """Euler tensor about the centre of mass [kg m^2]. BP 4.3.12."""
        return euler_of_inertia(self.I_c)

    def pose(self, q: Scalar) -> Transform:
        """Pose (A_i, s_{i-1,i}) of the link's frame in the frame of the previous link."""
        joint = Prismatic() if self.prismatic else Revolute()
        pose: Transform = self.placement @ joint.transform((q,))
        return pose


@dataclass(frozen=True)
class Arm:
    """Links 1 ... n on a base; `links[0]` represents the base, so that indices are those of the book."""

    links: tuple[SerialLink, ...]
    gravity: Vector

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.links) - 1

    def poses(self, q: Scalars) -> tuple[list[Rotation], list[Vector]]:
        """Link transforms A[i] from frame i to frame i-1, and s[i] = s_{i-1,i} in frame i-1.

        Entry 0 is the base; entry n + 1 is the identity, for the start of the inward recursions.
        """
        poses = [Transform(), *(link.pose(q[i]) for i, link in enumerate(self.links[1:])), Transform()]
        return [X.R for X in poses], [X.p for X in poses]

    def in_base(self, q: Scalars) -> tuple[list[Matrix], list[Vector]]:
        """Rotation W[i] from frame i to the base, and the origins s[i] = s_{0,i} in the base frame."""
        W, s = [Rotation().matrix()], [ZERO]
        for i, link in enumerate(self.links[1:]):
            X = link.pose(q[i])
            s.append(s[-1] + W[-1] @ X.p)
            W.append(W[-1] @ X.R.matrix())
        return W, s


def serial(model: Model, formulation: str, joints: Sequence[str] = ("revolute", "prismatic")) -> Arm:
    """The robot as a serial arm, with z of each link frame along its joint; `ModelError` if it is not one.

    Frames with another joint axis are rotated about their origins. `formulation` names the caller in messages.
    """
    kinds: dict[type[JointType], str] = {Revolute: "revolute", Prismatic: "prismatic"}
    links, turns = [SerialLink()], [Rotation()]
    for i, body in enumerate(model.bodies[1:], 1):
        kind = kinds.get(type(body.joint))
        if kind not in joints:
            raise ModelError(
                f"{formulation} is for {' and '.join(joints)} joints; joint '{body.joint_name}' of '{model.name}' is "
                f"{kind or type(body.joint).__name__.lower()}; use inverse_dynamics, which supports all"
            )
        if body.parent != i - 1:
            raise ModelError(
                f"{formulation} is for serial arms; in '{model.name}' joint '{body.joint_name}' branches off "
                f"link '{model.bodies[body.parent].name}'; select one chain of it with lock() or subtree()"
            )
        axes = turn(body)
        placement = Transform(turns[-1].T) @ body.placement @ Transform(axes)
        links.append(SerialLink(placement, kind == "prismatic", Transform(axes).inverse() @ body.inertia))
        turns.append(axes)
    return Arm(tuple(links), model.gravity)


def along_z(x: Scalar) -> Vector:
    """The vector (0, 0, x)."""
    return Vector((0, 0, x))


def turn(body: Body) -> Rotation:
    """A rotation whose third column is the joint axis; the identity if the axis is z."""
    axis: Vector = body.joint.axis  # type: ignore[attr-defined]  # of revolute and prismatic joints
    return Rotation() if tuple(axis) == (0, 0, 1) else Rotation.from_matrix(with_z_along(axis))
