"""Figures: robots, joint forces, motions, operation counts, workspaces."""

from revolute.plot.animation import Animation, animation, check_film
from revolute.plot.figures import check_picture, save
from revolute.plot.forces import Span, joint_forces, pick_and_place
from revolute.plot.motions import motion
from revolute.plot.operation_counts import operations
from revolute.plot.robots import robot
from revolute.plot.style import COLOURS, FAINT, STYLE
from revolute.plot.trajectories import trajectory
from revolute.plot.workspace import workspace

__all__ = [
    "COLOURS", "FAINT", "STYLE", "Animation", "Span", "animation", "check_film", "check_picture", "joint_forces",
    "motion", "operations", "pick_and_place", "robot", "save", "trajectory", "workspace",
]  # fmt: skip
