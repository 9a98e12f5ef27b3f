"""Robots in coordinates x = h(q) of a task."""

from revolute.machine.operational.arguments import operational_coordinates
from revolute.machine.operational.operational_space import OperationalEquations, OperationalSpace

__all__ = ["OperationalEquations", "OperationalSpace", "operational_coordinates"]
