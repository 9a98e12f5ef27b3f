"""Optimal control: plans of least cost, and predictive control, on compiled functions of robots."""

from revolute.optimal.costs import (
    AccelerationCost,
    Between,
    CenterOfMassCost,
    Cost,
    EffortCost,
    LimitCost,
    PointCost,
    PoseCost,
    Residual,
    Sphere,
    SphereCost,
    StateCost,
    VelocityCost,
)
from revolute.optimal.plan import Plan
from revolute.optimal.plan_check import PlanCheck
from revolute.optimal.problem import OptimalControl

__all__ = [
    "AccelerationCost",
    "Between",
    "CenterOfMassCost",
    "Cost",
    "EffortCost",
    "LimitCost",
    "OptimalControl",
    "Plan",
    "PlanCheck",
    "PointCost",
    "PoseCost",
    "Residual",
    "Sphere",
    "SphereCost",
    "StateCost",
    "VelocityCost",
]
