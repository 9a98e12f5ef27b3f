"""Equations of motion in readable form."""

from revolute.symbolic.driven import DrivenEquations
from revolute.symbolic.equations import Equations

__all__ = ["DrivenEquations", "Equations"]
