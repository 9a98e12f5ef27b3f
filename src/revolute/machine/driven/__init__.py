"""Robots with their drives: gears, rotors, friction, springs and coupled joints."""

from revolute.machine.driven.driven_robot import DrivenRobot
from revolute.machine.driven.rotors import Rotor

__all__ = ["DrivenRobot", "Rotor"]
