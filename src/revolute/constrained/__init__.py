"""Robots with closed loops: trees whose motion is constrained."""

from revolute.constrained.constrained_robot import ConstrainedRobot
from revolute.constrained.results import Constrained, Driven, ReducedDynamics

__all__ = ["Constrained", "ConstrainedRobot", "Driven", "ReducedDynamics"]
