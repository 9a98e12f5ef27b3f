"""Costs of the pose, position and twist of a link frame, of the centre of mass and the momentum."""

from dataclasses import dataclass, field
from typing import ClassVar

from revolute.dynamics.frame_motion import frame_velocity
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.dynamics.pose_error import screw_error
from revolute.dynamics.task_errors import com_error, momentum_error, point_error, relative_error
from revolute.model.reduce import aligned
from revolute.optimal.costs.cost import CostNode, Goal, OfFrame, Weighted
from revolute.spatial import Transform
from revolute.spatial.scalar import Scalar, Scalars


@dataclass(frozen=True, eq=False)
class PoseCost(OfFrame):
    """Deviation of a link frame from a goal pose: six errors, the components of the screw from the goal to the frame.

        e = log(T_goal^-1 T),    angular part first [rad, m]

    The goal is a (4, 4) matrix, or a `Transform`. The weight may be six numbers, rotations before displacements.

    Example:
        >>> from revolute.optimal import PoseCost
        >>> PoseCost("tool0", [1, 1, 1, 100, 100, 100]).called()
        'pose of tool0'
    """

    word: ClassVar[str] = "pose"
    shape: ClassVar[tuple[int, ...]] = (4, 4)

    def size(self, dynamics: Dynamics) -> int:
        return 6

    def converted_goal(self, what: str, goal: Goal) -> Goal:
        return goal.matrix() if isinstance(goal, Transform) else goal

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        return screw_error(dynamics.tree, node.joints, goal, self.frame)


@dataclass(frozen=True, eq=False)
class RelativeCost(PoseCost):
    """Deviation of a link frame from a goal pose relative to another link frame: six errors, as in `PoseCost`.

        e = log(T_goal^-1 T_other^-1 T),    angular part first [rad, m]

    Attributes:
        frame, other: names of the links.
    """

    other: str = field(kw_only=True)

    def called(self) -> str:
        return self.name or f"pose of {self.frame} in {self.other}"

    def check(self, dynamics: Dynamics) -> None:
        super().check(dynamics)
        dynamics.model.frame(self.other)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        return relative_error(dynamics.tree, node.joints, goal, self.frame, self.other)


@dataclass(frozen=True, eq=False)
class PointCost(OfFrame):
    """Offset of the origin of a link frame from a point: three errors [m] in the base frame. The goal is (3,) [m]."""

    word: ClassVar[str] = "point"
    shape: ClassVar[tuple[int, ...]] = (3,)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        return point_error(dynamics.tree, node.joints, goal, self.frame)


@dataclass(frozen=True, eq=False)
class VelocityCost(OfFrame):
    """Deviation of the twist of a link frame from a goal: six errors (w, v) at its origin, in the base frame.

    The goal is (6,) [rad/s, m/s], zero by default.
    """

    word: ClassVar[str] = "velocity"
    shape: ClassVar[tuple[int, ...]] = (6,)
    zero_goal: ClassVar[bool] = True

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        V = frame_velocity(dynamics.tree, node.joints, node.rates, self.frame, "aligned")
        return [x - y for x, y in zip((*V.ang, *V.lin), goal, strict=True)]


@dataclass(frozen=True, eq=False)
class CenterOfMassCost(Weighted):
    """Offset of the centre of mass from a point: three errors [m] in the base frame. The goal is (3,) [m]."""

    word: ClassVar[str] = "center of mass"
    shape: ClassVar[tuple[int, ...]] = (3,)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        return com_error(aligned(dynamics.model), node.joints, goal)


@dataclass(frozen=True, eq=False)
class MomentumCost(Weighted):
    """Deviation of the centroidal momentum from a goal: see `Robot.centroidal_momentum`. Six errors, angular first.

    The goal is (6,) [kg m^2/s, kg m/s], zero by default.
    """

    word: ClassVar[str] = "momentum"
    shape: ClassVar[tuple[int, ...]] = (6,)
    zero_goal: ClassVar[bool] = True

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar]:
        return momentum_error(aligned(dynamics.model), node.joints, node.rates, goal)
