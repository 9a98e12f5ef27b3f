"""Methods of `ConstrainedRobot`: symbols instead of numbers, and equations in SymPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from revolute.machine.constrained.loops import ClosedLoops
from revolute.machine.on_robot import OnRobot
from revolute.machine.robot import Robot

if TYPE_CHECKING:
    from revolute.symbolic import ConstrainedEquations

__all__ = ["LoopEquations"]


class LoopEquations(OnRobot, ClosedLoops):
    """Symbols instead of numbers, and the equations of motion with multipliers."""

    @property
    def symbols(self) -> tuple[Any, ...]:
        """The SymPy symbols of the robot, by name."""
        return self.robot.symbols

    def _of(self, robot: Robot) -> Self:
        return type(self)(robot, self.closures, self.drives, self.smoothing)

    def _substituted(self, values: Mapping[Any, Any]) -> Self:
        return self._of(self.robot.subs(values))

    def equations(self, budget: float = 20.0) -> ConstrainedEquations:
        """The equations of motion in SymPy, with multipliers: M ddq + C dq + g = tau + J^T lambda. RBDA 8.

        Coordinates are named as in `Robot.equations`, multipliers lambda1 ... in the order of `row_names`. Closures
        have numeric positions; for symbolic positions use the frame of a link on a fixed joint.

        Args:
            budget: time limit for each quantity [s]: see `Robot.equations`.

        Returns:
            M, C, g, e, J, drift, tau, kinetic, potential and lagrangian, with drives also springs and friction: a
            `revolute.symbolic.ConstrainedEquations`.

        Raises:
            InputError: the budget is invalid, or a symbol has the name of a coordinate or multiplier.

        Example:
            >>> import revolute
            >>> rod = revolute.robots.planar(1)
            >>> held = rod.with_closures(revolute.JointClosure("joint1", None, (0.5,)))
            >>> held.equations().tau
            Matrix([[0.333333333333333*ddq1 - lambda1 + 4.905*cos(q1)]])
        """
        from revolute.symbolic import ConstrainedEquations

        return ConstrainedEquations(self.robot, self.closures, self.row_names, self.drives, self.smoothing, budget)
