"""Robots with closed loops: trees whose motion is constrained."""

from revolute.machine.constrained.constrained_robot import ConstrainedRobot, with_closures
from revolute.machine.constrained.results import (
    Constrained,
    ConstrainedLinearModel,
    Driven,
    ReducedDynamics,
)

__all__ = ["Constrained", "ConstrainedLinearModel", "ConstrainedRobot", "Driven", "ReducedDynamics", "with_closures"]
