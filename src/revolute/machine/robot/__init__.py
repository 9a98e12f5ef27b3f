"""Robots: models with compiled functions. Each file contains the methods for one group of results."""

from revolute.machine.robot.robot import Robot

__all__ = ["Robot"]
