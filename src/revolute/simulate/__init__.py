"""Simulation of motions under joint forces."""

from revolute.simulate.feedback import Controller, Law, StateFeedback
from revolute.simulate.result import Simulation
from revolute.simulate.run import ADAPTIVE, FIXED, simulate
from revolute.simulate.sensitivities import Sensitivities, simulate_sensitivities

__all__ = [
    "ADAPTIVE",
    "FIXED",
    "Controller",
    "Law",
    "Sensitivities",
    "Simulation",
    "StateFeedback",
    "simulate",
    "simulate_sensitivities",
]
