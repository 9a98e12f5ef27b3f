"""What a `Robot` is made of: bodies with their joints and the joints' data, and named frames."""

from __future__ import annotations

from dataclasses import dataclass

from revolute.joints import Joint
from revolute.spatial import Inertia, Transform

__all__ = ["Body", "Drive", "Frame", "Limits", "Mimic"]


@dataclass(frozen=True)
class Limits:
    """Limits of a joint; an empty tuple means none.

    Attributes:
        lower, upper: nq positions [rad, m].
        velocity: nv largest speeds [rad/s, m/s].
        effort: nv largest forces [N m, N].
    """

    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    velocity: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()


@dataclass(frozen=True)
class Mimic:
    """A description's wish that a joint follow another: q = multiplier * q_joint + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Drive:
    """Data of a joint's drive, kept as given; inverse dynamics does not add friction.

    Attributes:
        damping: nv viscous coefficients [N m s/rad, N s/m]; empty means zero.
        friction: nv Coulomb forces [N m, N]; empty means zero.
        armature: nv inertias of rotors behind gears, as the joint feels them [kg m^2, kg]; empty
            means zero. The mass matrix is that of the links alone.
        mimic: the coupling that the description names, if any.
    """

    damping: tuple[float, ...] = ()
    friction: tuple[float, ...] = ()
    mimic: Mimic | None = None
    armature: tuple[float, ...] = ()


@dataclass(frozen=True)
class Body:
    """A rigid body with the joint that carries it.

    Attributes:
        name: name of the link whose frame is the body's frame.
        parent: index of the parent body; -1 for the base.
        joint_name, joint: the joint between parent and body.
        placement: pose of the joint's frame in the parent's frame.
        inertia: inertia about the body's origin, along the body's axes.
        limits, drive: data of the joint.
    """

    name: str
    parent: int
    joint_name: str
    joint: Joint
    placement: Transform = Transform()
    inertia: Inertia = Inertia()
    limits: Limits = Limits()
    drive: Drive = Drive()


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a body: every link of the description, merged ones included."""

    name: str
    body: int
    placement: Transform = Transform()
