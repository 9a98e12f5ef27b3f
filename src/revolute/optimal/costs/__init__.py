"""Costs of optimal control: one per file, as errors over scalars with a weight and a goal."""

from revolute.optimal.costs.center_of_mass import CenterOfMassCost
from revolute.optimal.costs.cost import Between, Cost
from revolute.optimal.costs.effort import AccelerationCost, EffortCost, EffortRateCost
from revolute.optimal.costs.limits import LimitCost
from revolute.optimal.costs.point import PointCost
from revolute.optimal.costs.pose import PoseCost
from revolute.optimal.costs.residual import Residual
from revolute.optimal.costs.spheres import Sphere, SphereCost
from revolute.optimal.costs.state import StateCost
from revolute.optimal.costs.velocity import VelocityCost

__all__ = [
    "AccelerationCost",
    "Between",
    "CenterOfMassCost",
    "Cost",
    "EffortCost",
    "EffortRateCost",
    "LimitCost",
    "PointCost",
    "PoseCost",
    "Residual",
    "Sphere",
    "SphereCost",
    "StateCost",
    "VelocityCost",
]
