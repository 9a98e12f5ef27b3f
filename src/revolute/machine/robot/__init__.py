"""Robots: models with compiled functions. A file is a group of methods, by what they give."""

from revolute.machine.robot.robot import Robot

__all__ = ["Robot"]
