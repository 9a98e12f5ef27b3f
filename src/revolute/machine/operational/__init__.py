"""Robots in coordinates x = h(q) of a task."""

from revolute.machine.operational.operational_space import OperationalEquations, OperationalSpace

__all__ = ["OperationalEquations", "OperationalSpace"]
