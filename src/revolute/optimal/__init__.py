"""Optimal control: minimum-cost plans and predictive control, with compiled robot functions."""

from revolute.optimal.contact_schedule import ContactSchedule
from revolute.optimal.costs.contacts import ConeCost, ContactForceCost, SwingHeightCost, TouchDownCost
from revolute.optimal.costs.cost import Between, Cost
from revolute.optimal.costs.frames import (
    CenterOfMassCost,
    MomentumCost,
    PointCost,
    PoseCost,
    RelativeCost,
    VelocityCost,
)
from revolute.optimal.costs.joints import AccelerationCost, LimitCost, StateCost, TorqueCost, TorqueRateCost
from revolute.optimal.costs.residual import Residual
from revolute.optimal.costs.spheres import Sphere, SphereCost
from revolute.optimal.free_time import FreeTime
from revolute.optimal.gaits import Phase, gait
from revolute.optimal.iterations_log import Iteration, IterationsLog
from revolute.optimal.plan import OptimalPlan
from revolute.optimal.plan_check import PlanCheck
from revolute.optimal.predictive import PlanStepper, Predictive
from revolute.optimal.problem import OptimalControl
from revolute.optimal.sampling import Sampling

__all__ = [
    "AccelerationCost", "Between", "CenterOfMassCost", "ConeCost", "ContactForceCost", "ContactSchedule", "Cost",
    "FreeTime", "Iteration", "IterationsLog", "LimitCost", "MomentumCost", "OptimalControl", "OptimalPlan", "Phase",
    "PlanCheck", "PlanStepper", "PointCost", "PoseCost", "Predictive", "RelativeCost", "Residual", "Sampling", "Sphere",
    "SphereCost", "StateCost", "SwingHeightCost", "TorqueCost", "TorqueRateCost", "TouchDownCost",
    "VelocityCost", "gait",
]
