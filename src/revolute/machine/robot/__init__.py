"""Robots: models with compiled functions. Each file has the methods for one group of results."""

from revolute.machine.robot.robot import Robot

__all__ = ["Robot"]
