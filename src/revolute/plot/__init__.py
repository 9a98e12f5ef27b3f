"""Pictures: joint forces, motions, operation counts."""

from revolute.plot.figures import COLOURS, FAINT, check_picture, save
from revolute.plot.forces import Span, joint_forces, pick_and_place
from revolute.plot.motions import motion
from revolute.plot.operation_counts import operations

__all__ = [
    "COLOURS",
    "FAINT",
    "Span",
    "check_picture",
    "joint_forces",
    "motion",
    "operations",
    "pick_and_place",
    "save",
]
