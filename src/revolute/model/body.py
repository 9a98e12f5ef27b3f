"""The parts of a `Robot`: bodies with their joints and the joints' data, and named frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from revolute.model.joints import Joint
from revolute.plain_numbers import plain_all, plain_number, plain_text
from revolute.records import dataclass
from revolute.spatial import Inertia, Transform

__all__ = ["Body", "Drive", "Frame", "Limits", "Mimic"]


def _make_plain(part: object, names: Iterable[str]) -> None:
    """Replace numbers and strings in these fields by plain Python ones; `checks` refuses values of a wrong type."""
    for name in names:
        value = getattr(part, name)
        plain: Any
        if type(value) is float or type(value) is int:
            continue
        if isinstance(value, tuple):
            plain = plain_all(value)
        elif isinstance(value, Transform):
            plain = value.plain(name)
        elif isinstance(value, str):
            plain = plain_text(value)
        else:
            plain = plain_number(value)
        if plain is not value:
            object.__setattr__(part, name, plain)


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

    def __post_init__(self) -> None:
        _make_plain(self, self.__dict__)


@dataclass(frozen=True)
class Mimic:
    """A description's request that a joint follow another: q = multiplier * q_joint + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        _make_plain(self, self.__dict__)


@dataclass(frozen=True)
class Drive:
    """Data of a joint's drive. `Robot.with_drives` uses it; the dynamics of `Robot` are those of the links alone.

    Every tuple has nv numbers, or none. Numbers may be SymPy expressions.

    Attributes:
        damping: viscous coefficients [N m s/rad, N s/m]; none means zero.
        friction: Coulomb forces [N m, N]; none means zero.
        mimic: the coupling that the description names, if any.
        armature: inertias of rotors behind gears, reflected to the joint [kg m^2, kg]; none means zero.
        gear_ratio: motor speeds over joint speeds; none means one.
        rotor_inertia: inertias of rotors on the motors' side [kg m^2]; gear_ratio^2 times
            that acts at the joint, in addition to `armature`. None means zero.
        stiffness: of springs at joints of one coordinate [N m/rad, N/m]; none means zero. The
            force on the joint is -stiffness (q - rest).
        rest: positions at which these springs are slack [rad, m]; none means zero.
        stribeck: friction at rest in addition to `friction` [N m, N]; none means zero.
        stribeck_speed: speeds v_s at which `stribeck` has dropped to 1/e, by exp(-(qd/v_s)^2)
            [rad/s, m/s]; needed where `stribeck` is not zero.
    """

    damping: tuple[float, ...] = ()
    friction: tuple[float, ...] = ()
    mimic: Mimic | None = None
    armature: tuple[float, ...] = ()
    gear_ratio: tuple[float, ...] = ()
    rotor_inertia: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()
    stribeck: tuple[float, ...] = ()
    stribeck_speed: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        _make_plain(self, self.__dict__)

    def columns(self) -> dict[str, tuple[float, ...]]:
        """All fields but the coupling, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "mimic"}


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

    def __post_init__(self) -> None:
        _make_plain(self, ("name", "parent", "joint_name", "placement"))


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a body: every link of the description, merged ones included."""

    name: str
    body: int
    placement: Transform = Transform()

    def __post_init__(self) -> None:
        _make_plain(self, ("name", "body", "placement"))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, name=plain_text(state["name"]))  # an unpickled string is a new object
