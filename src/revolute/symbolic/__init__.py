"""Equations of motion in symbolic form."""

from revolute.symbolic.constrained import ConstrainedEquations
from revolute.symbolic.driven import DrivenEquations
from revolute.symbolic.elastic import ElasticEquations
from revolute.symbolic.equations import Equations

__all__ = ["ConstrainedEquations", "DrivenEquations", "ElasticEquations", "Equations"]
