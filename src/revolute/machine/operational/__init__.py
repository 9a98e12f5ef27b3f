"""Robots in coordinates x = h(q) of a task."""

from revolute.machine.operational.operational_space import OperationalSpace
from revolute.machine.operational.results import OperationalEquations

__all__ = ["OperationalEquations", "OperationalSpace"]
