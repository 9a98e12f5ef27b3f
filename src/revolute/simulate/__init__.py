"""Simulation of motions under joint forces."""

from revolute.simulate.result import Simulation
from revolute.simulate.run import ADAPTIVE, FIXED, simulate

__all__ = ["ADAPTIVE", "FIXED", "Simulation", "simulate"]
