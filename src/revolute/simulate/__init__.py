"""Simulation of motions under joint forces."""

from revolute.simulate.adaptive import ADAPTIVE
from revolute.simulate.events import Event, EventMethods, Reached
from revolute.simulate.feedback import Controller, Law, StateFeedback
from revolute.simulate.owner import Mechanism, MotionOwner
from revolute.simulate.request import Request
from revolute.simulate.result import Simulation
from revolute.simulate.run import FIXED, simulate
from revolute.simulate.sensitivities import Sensitivities, simulate_sensitivities

__all__ = [
    "ADAPTIVE", "FIXED", "Controller", "Event", "EventMethods", "Law", "Mechanism", "MotionOwner",
    "Reached", "Request", "Sensitivities", "Simulation", "StateFeedback", "simulate", "simulate_sensitivities",
]  # fmt: skip
