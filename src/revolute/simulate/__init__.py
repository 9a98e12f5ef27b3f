"""Simulation of motions under joint forces."""

from revolute.simulate.result import Simulation
from revolute.simulate.run import ADAPTIVE, FIXED, simulate
from revolute.simulate.sensitivities import Sensitivities, simulate_sensitivities

__all__ = ["ADAPTIVE", "FIXED", "Sensitivities", "Simulation", "simulate", "simulate_sensitivities"]
