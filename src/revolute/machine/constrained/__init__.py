"""Robots with closed loops: trees whose motion is constrained."""

from revolute.machine.constrained.constrained_robot import ConstrainedRobot
from revolute.machine.constrained.results import Constrained, Driven, ReducedDynamics

__all__ = ["Constrained", "ConstrainedRobot", "Driven", "ReducedDynamics"]
