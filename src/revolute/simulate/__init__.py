"""Simulation of motions under joint forces."""

from revolute.simulate.feedback import StateFeedback
from revolute.simulate.owner import Owner
from revolute.simulate.result import Simulation
from revolute.simulate.run import ADAPTIVE, FIXED, simulate
from revolute.simulate.sensitivities import Sensitivities, simulate_sensitivities

__all__ = [
    "ADAPTIVE",
    "FIXED",
    "Owner",
    "Sensitivities",
    "Simulation",
    "StateFeedback",
    "simulate",
    "simulate_sensitivities",
]
