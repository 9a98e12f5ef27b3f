"""Pictures: joint forces, motions, operation counts."""

from revolute.plot.pictures import (
    Span,
    check_picture,
    joint_forces,
    motion,
    operations,
    pick_and_place,
    save,
)

__all__ = ["Span", "check_picture", "joint_forces", "motion", "operations", "pick_and_place", "save"]
