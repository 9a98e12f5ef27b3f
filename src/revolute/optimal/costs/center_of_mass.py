"""The centre of mass at a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from revolute.dynamics.center_of_mass import center_of_mass
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.model.reduce import aligned
from revolute.optimal.costs.cost import CostNode, Weighted
from revolute.spatial.scalar import Scalar

__all__ = ["CenterOfMassCost"]


@dataclass(frozen=True, eq=False)
class CenterOfMassCost(Weighted):
    """Distance of the centre of mass from a point: three errors [m], expressed in the base frame. Its goal is (3,)."""

    word: ClassVar[str] = "center of mass"

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return (3,)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Sequence[Scalar]) -> list[Scalar]:
        place, *_ = center_of_mass(aligned(dynamics.model), node.joints)
        return [x - y for x, y in zip(place, goal, strict=True)]
