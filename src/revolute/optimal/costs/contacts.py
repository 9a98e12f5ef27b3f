"""Costs of contacts: their forces and friction cones, heights of points that swing, velocities at touch-downs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from numpy.typing import ArrayLike

from revolute.arguments import instances, nearest, number, whole_number
from revolute.dynamics.frame_motion import frame_velocity
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.optimal.holding import axes_of, plane_of
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.errors import InputError, UnknownNameError
from revolute.model.contact import Contact
from revolute.model.contact_inputs import contact_names
from revolute.model.identity import OUTSIDE
from revolute.optimal.costs.cost import Between, Cost, CostNode
from revolute.spatial.scalar import Scalar, Scalars, sqrt
from revolute.spatial.vectors import Vector, cross, dot

ROUND = 1e-3
"""Radius [N] by which the tip of a cone is rounded: the length of a vector has no derivative at zero."""


@dataclass(frozen=True, eq=False)
class OfContacts(Cost):
    """A cost of some contacts, by default of all. `contacts` lists their names: names of links, numbered as "foot[1]"
    if a link has several contacts."""

    weight: ArrayLike = field(default=1.0, metadata=OUTSIDE)
    name: str = field(default="", metadata=OUTSIDE, kw_only=True)
    hard: bool = field(default=False, kw_only=True)
    contacts: Sequence[str] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.contacts is not None:
            names = instances(f"{type(self).__name__}: contacts", self.contacts, str)
            object.__setattr__(self, "contacts", names)

    def check(self, dynamics: Dynamics) -> None:
        what, known = type(self).__name__, contact_names(dynamics.contacts)
        if not known:
            raise InputError(f"{what}: the problem has no contacts; give OptimalControl(contacts=[...])")
        for name in self.contacts or ():
            if name not in known:
                raise UnknownNameError(f"{what}: no contact '{name}'; {nearest(name, known)}")

    def chosen(self, dynamics: Dynamics) -> list[int]:
        """Indices of this cost's contacts among those of the problem."""
        known = contact_names(dynamics.contacts)
        return [known.index(name) for name in (known if self.contacts is None else self.contacts)]

    def parts(self, dynamics: Dynamics, node: CostNode) -> Iterator[tuple[Contact, Scalar, Scalars]]:
        """Yield each contact, 1 if it is active or else 0, and its forces along its axes."""
        for k in self.chosen(dynamics):
            yield dynamics.contacts[k], node.active[k], node.forces[3 * k : 3 * k + 3]


@dataclass(frozen=True, eq=False)
class ContactForceCost(OfContacts):
    """Deviation of the forces of active contacts from a goal: three errors per contact, in the base frame [N].

    The goal is (contacts, 3), zero by default. Forces act on the links. In the step of a touch-down, they
    include the impulse of the impact, divided by dt.
    """

    word: ClassVar[str] = "contact forces"
    of_forces: ClassVar[bool] = True
    zero_goal: ClassVar[bool] = True

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (len(self.chosen(dynamics)), 3)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        found: list[Scalar] = []
        for k, (contact, active, forces) in enumerate(self.parts(dynamics, node)):
            a, b, c = (axis * f for axis, f in zip(axes_of(contact), forces, strict=True))
            found += [x - active * y for x, y in zip(a + b + c, goal[3 * k : 3 * k + 3], strict=True)]
        return found


@dataclass(frozen=True, eq=False)
class ConeCost(OfContacts):
    """Excess of the forces of active contacts over their friction cones [N].

        f_n >= least,    |f_t| <= friction f_n

    Two errors per contact, with the friction of `Contact`. With `facets`, the cone is replaced by a pyramid with this
    number of faces, inside the cone, and a contact has 1 + facets errors. Contacts at the corners of a sole keep its
    centre of pressure in their polygon.

    Attributes:
        least: smallest normal force [N].
        facets: number of faces of the pyramid, at least 3; 0 for the cone.

    Example:
        >>> from revolute.optimal import ConeCost
        >>> ConeCost(1.0, least=5.0, hard=True).called()
        'friction cones'
    """

    least: float = field(default=0.0, kw_only=True)
    facets: int = field(default=0, kw_only=True)
    word: ClassVar[str] = "friction cones"
    of_forces: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= number("ConeCost: least", self.least) < math.inf:
            raise InputError(f"ConeCost: least must be a finite force [N], zero or more, not {self.least!r}")
        if whole_number("ConeCost: facets", self.facets, 0) in (1, 2):
            raise InputError(f"ConeCost: facets must be 0, or 3 and more, not {self.facets!r}")

    def size(self, dynamics: Dynamics) -> int:
        return (1 + max(self.facets, 1)) * len(self.chosen(dynamics))

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Between]:
        found = []
        for contact, active, (n, a, b) in self.parts(dynamics, node):
            found.append(Between(n, active * self.least, math.inf))
            most = contact.friction * n
            for k in range(self.facets):
                turn = math.tau * k / self.facets
                side = math.cos(turn) * a + math.sin(turn) * b - math.cos(math.pi / self.facets) * most
                found.append(Between(side, -math.inf, 0.0))
            if not self.facets:
                found.append(Between(sqrt(a * a + b * b + ROUND**2) - ROUND - most, -math.inf, 0.0))
        return found


@dataclass(frozen=True, eq=False)
class SwingHeightCost(OfContacts):
    """Deviation of the heights of inactive contacts above their planes from a goal: one error per contact [m].

    The goal is (contacts,), and may differ by node. Errors of active contacts are zero.
    """

    word: ClassVar[str] = "swing height"

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (len(self.chosen(dynamics)),)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        found = []
        for (contact, active, _), height in zip(self.parts(dynamics, node), goal, strict=True):
            pose = frame_pose(dynamics.tree, node.joints, contact.link)
            normal, *_ = axes_of(contact)
            gap = dot(normal, pose.p + pose.R @ Vector(contact.point)) - plane_of(contact).offset
            found.append((1 - active) * (gap - height))
        return found


@dataclass(frozen=True, eq=False)
class TouchDownCost(OfContacts):
    """Velocities of contacts that touch down: three errors per contact, along the normal of its plane and two tangents.

    Errors are velocities of active contacts at the start of a step [m/s]: about zero while a contact holds, so that
    only touch-downs are penalized. A foot slips if the impulse that ends its velocity exceeds the friction cone.

    Example:
        >>> from revolute.optimal import TouchDownCost
        >>> TouchDownCost(10.0).called()
        'touch-down'
    """

    word: ClassVar[str] = "touch-down"

    def size(self, dynamics: Dynamics) -> int:
        return 3 * len(self.chosen(dynamics))

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        found: list[Scalar] = []
        for contact, active, _ in self.parts(dynamics, node):
            V = frame_velocity(dynamics.tree, node.joints, node.rates, contact.link, "aligned")
            arm = frame_pose(dynamics.tree, node.joints, contact.link).R @ Vector(contact.point)
            found += [active * dot(axis, V.lin + cross(V.ang, arm)) for axis in axes_of(contact)]
        return found
