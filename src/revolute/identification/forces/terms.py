"""Forces beyond links and drives: offsets, motors that move several joints, springs between links; and searches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import number, positive, real_array, scalars
from revolute.errors import InputError, ShapeError
from revolute.identification.samples import Array, Samples
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

KINDS = ("armature", "damping", "friction")


@dataclass(frozen=True)
class Term:
    """A force that is a parameter times a function of the state.

    Attributes:
        name: name of the parameter.
        factor: function of q (T, nq), qd and qdd (T, nv) that returns the (T, nv) forces for a parameter of 1.
        value: value of the parameter, if known.
    """

    name: str
    factor: Callable[[Array, Array, Array], Array]
    value: float = 0.0

    def column(self, samples: Samples) -> Array:
        """(T, nv) forces for a parameter of 1; raise `ShapeError` if the factor returns another shape."""
        return self._forces(samples.q, samples.qd, samples.qdd)

    def _forces(self, q: Array, qd: Array, qdd: Array) -> Array:
        forces = np.asarray(self.factor(q, qd, qdd), dtype=float)
        if forces.shape != qd.shape:
            raise ShapeError(f"term '{self.name}': its factor returns shape {forces.shape}, not {qd.shape}")
        return forces


@dataclass(frozen=True)
class Search:
    """A number on which terms depend nonlinearly; it is fitted together with the parameters. See `ForceModel`.

    Attributes:
        name: name of the number.
        terms: function that returns the terms for a value of the number.
        lower, upper: bounds of the search, both positive; successive grid values have equal ratios.
    """

    name: str
    terms: Callable[[float], Sequence[Term]]
    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not 0 < self.lower < self.upper < np.inf:
            raise InputError(f"search of '{self.name}': 0 < lower < upper must hold, not {self.lower} and {self.upper}")


@dataclass(frozen=True)
class Constant:
    """A constant force of coordinate k."""

    k: int

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        forces = np.zeros_like(qd)
        forces[:, self.k] = 1.0
        return forces


@dataclass(frozen=True)
class Along:
    """The inertia, damping or friction of a motor whose speed is direction @ qd: forces along that direction."""

    kind: str
    direction: tuple[float, ...]

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        c = np.array(self.direction)
        size = {"armature": qdd @ c, "damping": qd @ c, "friction": np.sign(qd @ c)}[self.kind]
        return np.asarray(size[:, None] * c)


def coupled_drive(name: str, direction: ArrayLike, kinds: Sequence[str] = KINDS) -> list[Term]:
    """Inertia, damping and friction of a motor that moves several joints, as in wrists. Gautier & Briot 2014.

    Motors that turn by theta = R q have speeds R qd; the motor of row c of R gives the forces

        c (I_a c qdd + F_v c qd + F_c sign(c qd))

    A row may be divided by its gear ratio; then I_a, F_v and F_c are joint-side values.

    Args:
        name: name of the motor; the parameters are "name.armature", "name.damping" and "name.friction".
        direction: (nv,) row c.
        kinds: which of these three parameters to include.

    Example:
        >>> from revolute.identification import coupled_drive
        >>> # turns with joint 5 and with joint 6
        >>> wrist = coupled_drive("motor6", [0, 0, 0, 0, 1, 1])
        >>> [term.name for term in wrist]
        ['motor6.armature', 'motor6.damping', 'motor6.friction']
    """
    c = real_array("coupled_drive: direction", direction).astype(float)
    if c.ndim != 1 or not np.isfinite(c).all() or not c.any():
        raise InputError(f"coupled_drive: direction must have finite entries, not all zero; it is {direction!r}")
    if unknown := set(kinds) - {*KINDS}:
        raise InputError(f"coupled_drive: unknown kinds {', '.join(sorted(unknown))}; available: {', '.join(KINDS)}")
    return [Term(f"{name}.{kind}", Along(kind, tuple(c.tolist()))) for kind in kinds]


Anchor = tuple[str, tuple[float, float, float]]
"""A link, and a point in the link's frame [m], to which a spring is attached."""

SHORTEST = 1e-9  # minimum length of a spring [m]; the direction of a shorter spring is undefined


@dataclass(frozen=True, eq=False)
class Pull:
    """Joint forces that balance a spring of tension f(l): f(l) dl/dq. NaN where the gas volume would not be positive.

    With `slope` f is l - length, otherwise (1 - compression (l - length))^-exponent: 1 without compression.
    """

    robot: Robot | DrivenRobot
    fixed: Anchor
    moving: Anchor
    length: float
    slope: bool = False
    compression: float = 0.0
    exponent: float = 1.0

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        length, gradient = lengths(self.robot, self.fixed, self.moving, q)
        stretch = length - self.length
        if self.slope:
            pull = stretch
        else:
            volume = 1 - self.compression * stretch
            pull = np.where(volume > 0, volume, np.nan) ** -self.exponent
        return np.asarray(pull[:, None] * gradient)


def counterbalance(
    robot: Robot | DrivenRobot, name: str, fixed: Anchor, moving: Anchor, *, length: float,
    compression: float | None = None, exponent: float = 1.0,
) -> list[Term]:
    """The terms of a spring between points of two links. Weigand et al. 2021; Khalil & Dombre 9.

    A linear spring pulls its ends together with

        f = force + stiffness (l - length)

    and has the parameters "name.force" and "name.stiffness". Both may be negative; where f is negative, the spring
    pushes. A gas spring, such as a hydropneumatic cylinder, obeys the polytropic law

        f = force (1 - compression (l - length))^-exponent

    and has the parameter "name.force". Compression is the piston area divided by the gas volume at `length`: positive
    if a longer spring compresses the gas.

    Args:
        robot: a robot with both links, whose coordinates are those of the samples.
        name: name of the counterbalance.
        fixed: link and point (x, y, z) in its frame [m].
        moving: link and point of the other end, likewise [m].
        length: length at which the force equals "name.force" [m].
        compression: relative compression of the gas per length [1/m]; None: a linear spring.
        exponent: polytropic exponent of the gas: 1 at constant temperature, up to 1.4 for fast motions.

    Raises:
        UnknownNameError: a link does not exist.
        InputError: a number is invalid.

    Example:
        >>> from revolute.identification import counterbalance
        >>> arm = revolute.robots.planar(1)
        >>> force, stiffness = counterbalance(
        ...     arm, "spring", ("base", (0, 1, 0)), ("link1", (1, 0, 0)), length=1.0
        ... )
        >>> at_rest = np.zeros((1, 1))
        >>> # the lever arm; it becomes shorter
        >>> force.name, force.factor(at_rest, at_rest, at_rest).round(3)
        ('spring.force', array([[-0.707]]))
    """
    for end in (fixed, moving):
        robot.forward_kinematics(np.zeros(robot.nq), end[0])  # raises an error if the link is unknown
        scalars(f"counterbalance '{name}': a point", end[1], 3)
    positive(f"counterbalance '{name}': length", length)
    positive(f"counterbalance '{name}': exponent", exponent)
    if compression is None:
        slope = Pull(robot, fixed, moving, length, slope=True)
        return [Term(f"{name}.force", Pull(robot, fixed, moving, length)), Term(f"{name}.stiffness", slope)]
    c = number(f"counterbalance '{name}': compression", compression)
    return [Term(f"{name}.force", Pull(robot, fixed, moving, length, False, c, exponent))]


def lengths(robot: Robot | DrivenRobot, fixed: Anchor, moving: Anchor, q: Array) -> tuple[Array, Array]:
    """(T,) distances of two points of links [m], NaN where they coincide, and (T, nv) partial derivatives."""
    ends = [robot.forward_kinematics(q, link, point=np.array(p, dtype=float))[:, :3, 3] for link, p in (fixed, moving)]
    rates = [robot.jacobian(q, link, "aligned", point=np.array(p, dtype=float))[:, 3:] for link, p in (fixed, moving)]
    along = ends[1] - ends[0]
    length = np.linalg.norm(along, axis=1)
    length[length < SHORTEST] = np.nan
    return length, np.einsum("ti,tij->tj", along / length[:, None], rates[1] - rates[0])
