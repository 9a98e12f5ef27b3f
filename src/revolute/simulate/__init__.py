"""Simulation of motions under joint forces."""

from revolute.simulate.adaptive import ADAPTIVE
from revolute.simulate.course import Course
from revolute.simulate.events import ContactPlane, Event, Reached, Scene
from revolute.simulate.feedback import Controller, Law, StateFeedback
from revolute.simulate.owner import Owner
from revolute.simulate.result import Simulation
from revolute.simulate.run import FIXED, simulate
from revolute.simulate.sensitivities import Sensitivities, simulate_sensitivities

__all__ = [
    "ADAPTIVE", "FIXED", "ContactPlane", "Controller", "Course", "Event", "Law", "Owner", "Reached", "Scene",
    "Sensitivities", "Simulation", "StateFeedback", "simulate", "simulate_sensitivities",
]  # fmt: skip
