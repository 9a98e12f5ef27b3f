"""The interface of all costs (errors, a weight, a goal), and the list of a problem's costs without duplicates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.dynamics.optimal.stepping import Dynamics
from revolute.errors import InputError
from revolute.model.identity import OUTSIDE
from revolute.spatial.scalar import Scalar, Scalars, select

Array = NDArray[np.float64]

Goal = Any
"""An array, a `Transform`, or {name of a cost: one of these}; None for the default: see `OptimalControl.solve`."""

TIME = "free time"
"""Name of the cost of durations that `solve` chooses."""


@dataclass(frozen=True)
class CostNode:
    """A node of a plan, as an argument of costs; attributes are sequences of scalars, and h is one scalar."""

    # q, qd, qdd: (nq,), (nv,), (nv,) coordinates, velocities, accelerations [rad, m; rad/s, m/s; rad/s^2, m/s^2]
    q: Scalars
    qd: Scalars
    qdd: Scalars
    tau: Scalars  # (nv,) forces [N m, N]
    before: Scalars  # (nv,) forces of the previous step [N m, N]; () unless a cost `remembers` them
    h: Scalar  # length of the step after the node [s]; zero for the last node
    # joints, rates: positions and velocities of the tree's joints; q and qd except for robots with drives
    joints: Scalars
    rates: Scalars
    active: Scalars = ()  # (contacts,) 1 if a contact is active, else 0
    forces: Scalars = ()  # (3 contacts,) forces of contacts along their normals and two tangents [N]


@dataclass(frozen=True)
class Between:
    """An error that is zero between two bounds; outside, it is the signed excess over the nearer bound.

    Attributes:
        value: the bounded quantity.
        lower, upper: the bounds, which may be infinite.
    """

    value: Scalar
    lower: Scalar
    upper: Scalar


class Cost(ABC):
    """A cost of a node: weight * |errors|^2 / 2, integrated over time at running nodes, and added once at the end.

    Attributes:
        weight: zero or more; one number for all errors, or one per error.
        name: name of the cost in reports, and of its goal in `solve`; by default derived from the kind of cost.
        hard: whether the errors must become zero: the weight is then the initial penalty of the augmented Lagrangian.
    """

    weight: ArrayLike
    name: str
    hard: bool

    word: ClassVar[str]
    """Noun for the kind of cost, from which default names are formed."""

    shape: ClassVar[tuple[int, ...]] = ()
    """Shape of the goal at a node, if it does not depend on the robot."""

    of_forces: ClassVar[bool] = False
    """Whether the cost depends on forces or accelerations, which are undefined at the last node."""

    zero_goal: ClassVar[bool] = False
    """Whether the goal is zero by default."""

    remembers: ClassVar[bool] = False
    """Whether the cost depends on the forces of the previous step, which then are part of the state."""

    def called(self) -> str:
        """Name of the cost."""
        frame = getattr(self, "frame", None)
        return self.name or (self.word if frame is None else f"{self.word} of {frame}")

    def check(self, dynamics: Dynamics) -> None:  # noqa: B027
        """Raise an error if the cost does not fit a robot, for example if a link does not exist."""

    @abstractmethod
    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> Sequence[Scalar | Between]:
        """Scalars that should be zero or between bounds."""

    def size(self, dynamics: Dynamics) -> int:
        """Number of errors: by default the number of scalars of the goal."""
        return self.goal_size(dynamics)

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        """Shape of the goal at a node."""
        return self.shape

    def goal_size(self, dynamics: Dynamics) -> int:
        """Number of scalars of the goal at a node."""
        shape = self.goal_shape(dynamics)
        return int(np.prod(shape)) if shape else 0

    def default_goal(self, dynamics: Dynamics) -> Array | None:
        """The default goal; None if the user must provide a goal."""
        return np.zeros(self.goal_shape(dynamics)) if self.zero_goal else None

    def converted_goal(self, what: str, goal: Goal) -> Goal:
        """Convert a goal in another form, such as a `Transform`, to an array."""
        return goal


@dataclass(frozen=True, eq=False)
class Weighted(Cost):
    """A cost with only a weight."""

    weight: ArrayLike = field(default=1.0, metadata=OUTSIDE)
    name: str = field(default="", metadata=OUTSIDE, kw_only=True)
    hard: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, eq=False)
class OfFrame(Cost):
    """A cost of a link frame."""

    frame: str
    weight: ArrayLike = field(default=1.0, metadata=OUTSIDE)
    name: str = field(default="", metadata=OUTSIDE, kw_only=True)
    hard: bool = field(default=False, kw_only=True)

    def check(self, dynamics: Dynamics) -> None:
        """Raise an error if the link does not exist."""
        dynamics.model.frame(self.frame)


def within(error: Scalar | Between, shift: Scalar) -> Scalar:
    """The residual of an error, shifted by its multiplier; zero between the bounds.

    max(value - upper + shift, 0) + min(value - lower + shift, 0): with shift = multiplier / weight, weight / 2
    times its square is the term of the augmented Lagrangian. Hestenes 1969; Rockafellar 1973.
    """
    if not isinstance(error, Between):
        return _plus(error, shift)
    above, below = _plus(error.value - error.upper, shift), _plus(error.value - error.lower, shift)
    return select(above > 0, above, 0.0) + select(below < 0, below, 0.0)


def _plus(x: Scalar, shift: Scalar) -> Scalar:
    return x if isinstance(shift, int) and shift == 0 else x + shift


def merged(costs: tuple[Cost, ...], end: tuple[Cost, ...]) -> tuple[tuple[Cost, ...], list[list[Cost | None]]]:
    """The distinct costs, and the same list for running nodes and for the end, with None where a cost is missing."""
    what = "OptimalControl"
    if not costs and not end:
        raise InputError(f"{what}: give at least one cost, such as TorqueCost(1e-3)")
    unique: dict[str, Cost] = {}
    sides: list[dict[str, Cost]] = [{}, {}]
    for side, listed in zip(sides, (costs, end), strict=True):
        for cost in listed:
            name = cost.called()
            if name in side or (name in unique and not _alike(unique[name], cost)):
                raise InputError(f"{what}: duplicate cost name '{name}'; give one of them another name: name='...'")
            if name == TIME:
                raise InputError(f"{what}: '{TIME}' is the name of the cost of durations; use another name: name='...'")
            if side is sides[1] and cost.of_forces:
                raise InputError(f"{what}: terminal: '{name}' needs forces, which the last node does not have")
            unique.setdefault(name, cost)
            side[name] = cost
    sides[1] = {x.called(): x for x in costs if x.hard and not x.of_forces} | sides[1]
    return tuple(unique.values()), [[side.get(name) for name in unique] for side in sides]


def _alike(a: Cost, b: Cost) -> bool:
    """Whether two costs have the same errors; goals of the same shape may differ."""
    goals = np.shape(getattr(a, "goal", ())), np.shape(getattr(b, "goal", ()))
    return type(a) is type(b) and goals[0] == goals[1] and all(
        getattr(a, x.name) == getattr(b, x.name) for x in fields(a) if x.metadata != OUTSIDE  # type: ignore[arg-type]
    )
