"""Robots with their drives: gears, rotors, friction, springs and coupled joints."""

from revolute.driven.driven_robot import DrivenRobot
from revolute.driven.rotors import Rotor

__all__ = ["DrivenRobot", "Rotor"]
