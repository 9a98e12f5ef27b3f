"""Robots with closed loops: trees whose motion is constrained."""

from revolute.machine.constrained.constrained_robot import ConstrainedRobot, with_closures
from revolute.machine.constrained.results import ConstrainedLinearModel, ReducedDynamics

__all__ = ["ConstrainedLinearModel", "ConstrainedRobot", "ReducedDynamics", "with_closures"]
