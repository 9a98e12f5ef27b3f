"""Joint positions at which link frames reach poses."""

from revolute.machine.inverse_kinematics.result import PoseSolutions
from revolute.machine.inverse_kinematics.solve import solve

__all__ = ["PoseSolutions", "solve"]
