"""Minimum distances between spheres on links."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from numpy.typing import ArrayLike

from revolute.arguments import finite_array, instance, instances, number
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.errors import InputError, ShapeError
from revolute.model.identity import OUTSIDE
from revolute.optimal.costs.cost import Between, Cost, CostNode
from revolute.spatial import Vector, dot
from revolute.spatial.scalar import Scalars, sqrt

TINY = 1e-24  # constant added to squared distances [m^2], because the square root is not differentiable at zero


@dataclass(frozen=True)
class Sphere:
    """A sphere on a link.

    Attributes:
        frame: name of the link; the name of the base link for static obstacles.
        center: (3,) centre, in the link frame [m].
        radius: radius [m].
    """

    frame: str
    center: tuple[float, float, float]
    radius: float

    def __post_init__(self) -> None:
        instance("Sphere: frame", self.frame, str)
        center, radius = finite_array("Sphere: center", self.center), number("Sphere: radius", self.radius)
        if center.shape != (3,):
            raise ShapeError(f"Sphere: center must be three numbers [m], not {self.center!r}")
        if not 0 <= radius < math.inf:
            raise InputError(f"Sphere: radius must be zero or more [m], not {radius!r}")
        object.__setattr__(self, "center", tuple(center.tolist()))  # floats have an exact text form
        object.__setattr__(self, "radius", radius)


@dataclass(frozen=True, eq=False)
class SphereCost(Cost):
    """Shortfall of the distances between spheres below a margin: one error per pair from `spheres` and `others` [m].

    Attributes:
        spheres, others: each sphere of the first group keeps its distance from each sphere of the second.
        margin: minimum distance between the surfaces of two spheres [m].

    Example:
        >>> from revolute.optimal import Sphere, SphereCost
        >>> hand = Sphere("tool0", (0, 0, 0), 0.08)
        >>> post = Sphere("base_link", (0.5, 0, 0.3), 0.1)
        >>> SphereCost([hand], [post], 1e3, margin=0.02).called()
        'spheres'
    """

    spheres: Sequence[Sphere]
    others: Sequence[Sphere]
    weight: ArrayLike = field(default=1.0, metadata=OUTSIDE)
    name: str = field(default="", metadata=OUTSIDE, kw_only=True)
    hard: bool = field(default=False, kw_only=True)
    margin: float = field(default=0.0, kw_only=True)
    word: ClassVar[str] = "spheres"

    def __post_init__(self) -> None:
        for label in ("spheres", "others"):
            balls = instances(f"SphereCost: {label}", getattr(self, label), Sphere)
            if not balls:
                raise InputError(f"SphereCost: {label} must be at least one Sphere")
            object.__setattr__(self, label, balls)

    def check(self, dynamics: Dynamics) -> None:
        for ball in (*self.spheres, *self.others):
            dynamics.model.frame(ball.frame)

    def size(self, dynamics: Dynamics) -> int:
        return len(self.spheres) * len(self.others)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Between]:
        def place(ball: Sphere) -> Vector:
            pose = frame_pose(dynamics.tree, node.joints, ball.frame)
            center: Vector = pose.p + pose.R @ Vector(ball.center)
            return center

        centers = [[place(ball) for ball in balls] for balls in (self.spheres, self.others)]
        errors = []
        for ball, x in zip(self.spheres, centers[0], strict=True):
            for other, y in zip(self.others, centers[1], strict=True):
                apart = sqrt(dot(x - y, x - y) + TINY)
                errors.append(Between(apart, ball.radius + other.radius + self.margin, math.inf))
        return errors
