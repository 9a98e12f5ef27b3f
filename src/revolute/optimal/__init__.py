"""Optimal control: minimum-cost plans, and predictive control, with compiled functions of robots."""

from revolute.optimal.costs import (
    AccelerationCost,
    Between,
    CenterOfMassCost,
    Cost,
    EffortCost,
    EffortRateCost,
    LimitCost,
    PointCost,
    PoseCost,
    Residual,
    Sphere,
    SphereCost,
    StateCost,
    VelocityCost,
)
from revolute.optimal.plan import OptimalPlan
from revolute.optimal.plan_check import PlanCheck
from revolute.optimal.predictive import Predictive
from revolute.optimal.problem import OptimalControl
from revolute.optimal.sampling import Sampling
from revolute.optimal.stepper import PlanStepper

__all__ = [
    "AccelerationCost",
    "Between",
    "CenterOfMassCost",
    "Cost",
    "EffortCost",
    "EffortRateCost",
    "LimitCost",
    "OptimalControl",
    "OptimalPlan",
    "PlanCheck",
    "PlanStepper",
    "PointCost",
    "PoseCost",
    "Predictive",
    "Residual",
    "Sampling",
    "Sphere",
    "SphereCost",
    "StateCost",
    "VelocityCost",
]
