"""The parts of a `Robot`: bodies with their joints and the joints' data, and named frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.model.identity import OUTSIDE
from revolute.model.joints import JointType
from revolute.model.shapes import Shape
from revolute.plain_numbers import plain_all, plain_number, plain_text
from revolute.records import dataclass
from revolute.spatial import Inertia, Transform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = float | Sequence[float] | NDArray[Any]


def _set_columns(part: object, **columns: Any) -> None:
    """Convert fields to tuples of plain Python numbers; a single number becomes a tuple of length one."""
    for name, value in columns.items():
        if type(value) is not tuple or value:
            columns[name] = _plain(name, value if isinstance(value, tuple) else _column(value))
    vars(part).update(columns)


def _column(value: Any) -> Any:
    if isinstance(value, list) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return tuple(value)
    number = plain_number(value)
    return (number,) if isinstance(number, (int, float)) or hasattr(value, "free_symbols") else value


def make_plain(part: object, names: Iterable[str]) -> None:
    """Replace numbers and strings in these fields by plain Python ones; `checks` rejects values of the wrong type."""
    for name in names:
        value = getattr(part, name)
        if (plain := _plain(name, value)) is not value:
            object.__setattr__(part, name, plain)


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, Transform):
        return value.plain(name)
    return plain_all(value) if isinstance(value, tuple) else plain_number(value)


@dataclass(frozen=True)
class Limits:
    """Limits of a joint; an empty tuple means no limits. A single number is converted to a tuple of length one.

    Attributes:
        lower, upper: nq lowest and highest positions [rad, m].
        velocity: nv maximum speeds [rad/s, m/s].
        effort: nv maximum forces [N m, N].
        restitution: restitution of the joint's stops, nv numbers from 0 to 1; none means 0: no rebound.
        compliance: compliance of the stops, nv numbers, displacement per force [rad/(N m), m/N]; none means 0: rigid.
        damping: damping of compliant stops, nv numbers [N m s/rad, N s/m]; none means 0.
    """

    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    velocity: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()
    restitution: tuple[float, ...] = ()
    compliance: tuple[float, ...] = ()
    damping: tuple[float, ...] = ()

    def __init__(
        self, lower: Column = (), upper: Column = (), velocity: Column = (), effort: Column = (),
        restitution: Column = (), compliance: Column = (), damping: Column = (),
    ) -> None:
        columns = dict(locals())
        del columns["self"]
        _set_columns(self, **columns)


@dataclass(frozen=True)
class Mimic:
    """A coupling in a description: the joint follows another one, q = multiplier * q_joint + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        make_plain(self, self.__dict__)


@dataclass(frozen=True)
class DriveField:
    """A field of `Drive`: its unit and its bounds."""

    unit: str  # of revolute and of prismatic joints, "N m, N"; one unit for both; or "" for a ratio
    parameter: str = ""  # description with {} for the joint's name, if forces are linear in the field; otherwise ""
    sign: str = "not negative"  # "not negative", "not zero" or "any"
    default: float = 0  # value of an empty field
    where: str = ""  # the field that must not be zero, so that this one is a parameter; "" for every joint
    instead: str = ""  # the field that has the same value if this one is empty
    single: bool = False  # whether only joints with one coordinate may have it
    ball: bool = False  # whether ball joints may have it too


def _of(unit: str, parameter: str = "", **options: Any) -> Any:
    return field(default=(), metadata={DriveField: DriveField(unit, parameter, **options)})


@dataclass(frozen=True)
class Drive:
    """Data of a joint's drive. `Robot.with_drives` uses it; the dynamics of `Robot` include only the links.

    Every tuple is empty or has nv numbers or SymPy expressions. A single number becomes a tuple of length one.

    Attributes:
        damping: viscous coefficients [N m s/rad, N s/m]; none means zero.
        friction: Coulomb friction [N m, N], in both directions unless `friction_backward` is given; none means zero.
        mimic: the coupling that the description names, if any.
        armature: rotor inertias, reflected through the gears to the joint [kg m^2, kg]; none means zero.
        gear_ratio: ratios of motor speed to joint speed; none means one.
        rotor_inertia: inertias of rotors on the motor side [kg m^2]; at the joint they act multiplied by gear_ratio^2,
            in addition to `armature`; none means zero.
        stiffness: spring constants of joints with one coordinate [N m/rad, N/m], or three equal ones of a ball joint;
            none means zero. The force on the joint is -stiffness (q - rest_position), or -stiffness r for a ball joint
            with the rotation vector r from its rest position.
        rest_position: positions at which springs are slack [rad, m], a rotation vector for a ball joint; none means
            zero.
        stribeck: static friction in excess of `friction` [N m, N]; none means zero.
        stribeck_speed: speeds v_s at which `stribeck` has dropped to 1/e, by exp(-(qd/v_s)^2)
            [rad/s, m/s]; required if `stribeck` is not zero.
        friction_backward: Coulomb friction at negative velocities, as magnitudes [N m, N]; `friction` then applies
            only to positive velocities; none means equal friction in both directions.
        backlash: play between motor and joint of `Robot.with_elastic_joints`, end to end [rad, m]; none means zero.

    Example:
        >>> gear = revolute.Drive(damping=0.5, friction=2.0, friction_backward=1.5)
        >>> arm = revolute.robots.planar(1).with_drives({"joint1": gear})
        >>> arm.friction_forces([[1.0], [-1.0]]).ravel()
        array([ 2.5, -2. ])
    """

    damping: tuple[float, ...] = _of("N m s/rad, N s/m", "viscous friction of {}")
    friction: tuple[float, ...] = _of("N m, N", "Coulomb friction of {}")
    mimic: Mimic | None = None
    armature: tuple[float, ...] = _of("kg m^2, kg", "inertia of rotors, reflected to {}")
    gear_ratio: tuple[float, ...] = _of("", sign="not zero", default=1)
    rotor_inertia: tuple[float, ...] = _of("kg m^2", "inertia of {} about its axis")
    stiffness: tuple[float, ...] = _of(
        "N m/rad, N/m", "stiffness of the spring at {}", where="stiffness", single=True, ball=True
    )
    rest_position: tuple[float, ...] = _of("rad, m", sign="any", single=True, ball=True)
    stribeck: tuple[float, ...] = _of(
        "N m, N", "friction at rest of {} beyond Coulomb friction", sign="any", where="stribeck_speed"
    )
    stribeck_speed: tuple[float, ...] = _of("rad/s, m/s", sign="any", default=math.inf)
    friction_backward: tuple[float, ...] = _of(
        "N m, N", "Coulomb friction of {} at negative velocities", instead="friction"
    )
    backlash: tuple[float, ...] = _of("rad, m", single=True)

    def __init__(
        self, damping: Column = (), friction: Column = (), mimic: Mimic | None = None, armature: Column = (),
        gear_ratio: Column = (), rotor_inertia: Column = (), stiffness: Column = (), rest_position: Column = (),
        stribeck: Column = (), stribeck_speed: Column = (), friction_backward: Column = (), backlash: Column = (),
    ) -> None:
        columns = dict(locals())
        del columns["self"]
        _set_columns(self, **columns)

    def columns(self) -> dict[str, tuple[float, ...]]:
        """All fields except the coupling, by name."""
        return {name: values for name, values in vars(self).items() if name != "mimic"}


DRIVE_FIELDS: dict[str, DriveField] = {x.name: x.metadata[DriveField] for x in fields(Drive) if x.metadata}
"""The fields of `Drive`, except the coupling."""

ACTING = tuple(name for name, x in DRIVE_FIELDS.items() if x.parameter)
"""Fields of `Drive` that produce forces if they are nonzero; other fields only modify these forces."""


def column_of(drive: Drive, name: str, nv: int) -> tuple[float, ...]:
    """The nv values of a field of a drive; its defaults if the field is empty."""
    row, column = DRIVE_FIELDS[name], getattr(drive, name)
    return column or (row.instead and getattr(drive, row.instead)) or (row.default,) * nv


def is_parameter(drive: Drive, name: str, k: int) -> bool:
    """Whether a field of coordinate k is a drive parameter, in which forces are linear."""
    row = DRIVE_FIELDS[name]
    if row.instead:
        return bool(getattr(drive, name))
    needed = getattr(drive, row.where) if row.where else ()
    return not row.where or bool(needed and needed[k] != 0)


@dataclass(frozen=True)
class Body:
    """A rigid body with the joint that carries it.

    Attributes:
        name: name of the link whose frame is the body's frame.
        parent: index of the parent body; -1 for the base.
        joint_name, joint: name and type of the joint between parent and body.
        placement: pose of the joint's frame in the parent's frame.
        inertia: inertia about the body's origin, expressed in the body frame.
        limits, drive: limits and drive data of the joint.
    """

    name: str
    parent: int
    joint_name: str
    joint: JointType
    placement: Transform = Transform()
    inertia: Inertia = Inertia()
    limits: Limits = Limits()
    drive: Drive = Drive()

    def __post_init__(self) -> None:
        make_plain(self, ("name", "parent", "joint_name", "placement"))


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a body, one for every link of the description, including merged links.

    Attributes:
        name: name of the link.
        body: index of the body.
        placement: pose of the link's frame in the body's frame.
        visuals: shapes for display, placed in the link's frame.
        collisions: shapes for collision checking.
    """

    name: str
    body: int
    placement: Transform = Transform()
    visuals: tuple[Shape, ...] = field(default=(), metadata=OUTSIDE)
    collisions: tuple[Shape, ...] = field(default=(), metadata=OUTSIDE)

    def __post_init__(self) -> None:
        make_plain(self, ("name", "body", "placement"))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, name=plain_text(state["name"]))  # unpickled strings are not interned
