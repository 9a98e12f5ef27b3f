"""Joints composed of one-axis joints: a robot represents them as chains of joints, with massless bodies in between."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from revolute.arguments import instances
from revolute.errors import ModelError
from revolute.model.joints.joint import JointType, unit
from revolute.model.joints.one_axis import OneAxis, Prismatic, Revolute
from revolute.records import dataclass
from revolute.spatial.vectors import Vector, cross, dot

AXES = {"X": (1, 0, 0), "Y": (0, 1, 0), "Z": (0, 0, 1)}


class Composed(ABC):
    """A joint type that is expanded to several joints of a `Robot`.

    A joint "hip" with the parts "roll" and "pitch" becomes the joints "hip.roll" and "hip.pitch",
    from the parent to the child; at coordinate zero, the frame of a part coincides with that of the previous part.
    So qd is the time derivative of q, and M, C, g and all derivatives are in these coordinates.
    """

    @abstractmethod
    def parts(self) -> tuple[tuple[str, OneAxis], ...]:
        """Names and joint types of the parts, from the parent to the child."""


@dataclass(frozen=True)
class Composite(Composed):
    """A sequence of one-axis joints.

    Attributes:
        joints: revolute, prismatic and helical joints; each axis is in the frame moved by the previous joints.
        names: a name for each joint; "1", "2", ... by default.
    """

    joints: tuple[OneAxis, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", instances("Composite: joints", self.joints, JointType))
        object.__setattr__(self, "names", instances("Composite: names", self.names, str))
        if not self.joints:
            raise ModelError("a composite joint needs at least one joint; use Fixed() for none")
        for joint in self.joints:
            if not isinstance(joint, OneAxis):
                kind = type(joint).__name__
                raise ModelError(f"a composite joint consists of revolute, prismatic and helical joints, not of {kind}")
        names = self.names
        if names and (len(names) != len(self.joints) or len(set(names)) < len(names) or "" in names):
            raise ModelError(f"a joint composed of {len(self.joints)} joints needs as many distinct names, not {names}")

    def parts(self) -> tuple[tuple[str, OneAxis], ...]:
        names = self.names or tuple(str(k) for k in range(1, len(self.joints) + 1))
        return tuple(zip(names, self.joints, strict=True))


@dataclass(frozen=True, init=False)
class Cylindrical(Composed):
    """Rotation about an axis and translation along it: parts "angle" [rad] and "way" [m]."""

    axis: Vector

    def __init__(self, axis: Sequence[float] = (0, 0, 1)) -> None:
        object.__setattr__(self, "axis", unit(axis))

    def parts(self) -> tuple[tuple[str, OneAxis], ...]:
        return ("angle", Revolute(self.axis)), ("way", Prismatic(self.axis))


@dataclass(frozen=True, init=False)
class Universal(Composed):
    """A cardan joint: parts "first" about an axis of the parent, "second" about one of the child [rad].

    The axes are given at zero angles. They intersect at the joint's origin, and are usually perpendicular.
    """

    first: Vector
    second: Vector

    def __init__(self, first: Sequence[float] = (1, 0, 0), second: Sequence[float] = (0, 1, 0)) -> None:
        object.__setattr__(self, "first", unit(first))
        object.__setattr__(self, "second", unit(second))
        normal = cross(self.first, self.second)
        if dot(normal, normal) < 1e-12:
            raise ModelError(
                f"the axes of a universal joint must not be parallel, as {tuple(first)} and {tuple(second)} are; "
                "use a revolute joint for one axis"
            )

    def parts(self) -> tuple[tuple[str, OneAxis], ...]:
        return ("first", Revolute(self.first)), ("second", Revolute(self.second))


@dataclass(frozen=True)
class SphericalEuler(Composed):
    """A ball joint with three angles as coordinates [rad], with qd = dq/dt. SHV sections 2.5.1, 2.5.2; LP section B.1.

    The sequence names the axes from the parent to the child, each rotated by the previous angles:
    R = R_Z(q0) R_Y(q1) R_X(q2) for "ZYX", with the parts "yaw", "pitch" and "roll". This rotation equals roll
    about the fixed x, then pitch about y, then yaw about z, as in URDF. The parts of any other
    sequence are named by letter and number: "z1", "y2", "z3" for "ZYZ".

    Where the first and third axes are parallel (pitch of pi/2 in "ZYX", zero in "ZYZ"), the mass matrix
    is singular and accelerations are not finite. A `Spherical` joint has no such singularity.
    """

    sequence: str = "ZYX"

    def __post_init__(self) -> None:
        axes = self.sequence
        if not (isinstance(axes, str) and len(axes) == 3 and set(axes) <= set(AXES)) or axes[1] in (axes[0], axes[2]):
            raise ModelError(
                f"a sequence of Euler angles must be three letters X, Y, Z, no two equal in succession, such as "
                f"'ZYX' or 'ZYZ', not {axes!r}; for rotations about fixed axes, reverse the sequence"
            )

    def parts(self) -> tuple[tuple[str, OneAxis], ...]:
        names = [f"{letter.lower()}{k}" for k, letter in enumerate(self.sequence, 1)]
        if self.sequence == "ZYX":
            names = ["yaw", "pitch", "roll"]
        return tuple((name, Revolute(AXES[letter])) for name, letter in zip(names, self.sequence, strict=True))


@dataclass(frozen=True)
class FreeEuler(Composed):
    """A floating body with a position and three Euler angles as coordinates: parts "x", "y", "z" [m], then the parts of
    `SphericalEuler`.

    qd = dq/dt: the velocity of the child's origin is expressed in the parent frame. For a `Free` joint, which has no
    singularities, it is expressed in the child frame.
    """

    sequence: str = "ZYX"

    def __post_init__(self) -> None:
        SphericalEuler(self.sequence)

    def parts(self) -> tuple[tuple[str, OneAxis], ...]:
        slides = tuple((letter.lower(), Prismatic(axis)) for letter, axis in AXES.items())
        return (*slides, *SphericalEuler(self.sequence).parts())
