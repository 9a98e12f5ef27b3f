"""Recursions of inverse kinematics with closed loops: their errors are to vanish together with those of poses."""

from __future__ import annotations

from typing import Any

from revolute.machine.functions import closures as loops
from revolute.machine.functions import inverse_kinematics as poses_of_trees
from revolute.machine.functions.inverse_kinematics import Frames, Rows
from revolute.model.model import Closure, Model
from revolute.model.reduce import aligned
from revolute.spatial.scalar import Scalars

__all__ = ["check", "chord_error", "jacobian_arrays", "pose_error"]

Closures = tuple[Closure, ...]


def jacobian_arrays(frames: Frames = ("",), rows: Rows = ((0, 1, 2, 3, 4, 5),)) -> str:
    """Arrays of `chord_error`."""
    return f"{poses_of_trees.jacobian_arrays(frames, rows)}; loops: rows; loops_q: rows nv"


def check(model: Model, closures: Closures, frames: Frames, rows: Rows) -> None:
    """Raise if a link frame or row does not exist."""
    poses_of_trees.check(model, frames, rows)


def pose_error(model: Model, closures: Closures, q: Scalars, poses: Scalars, frames: Frames, rows: Rows) -> Any:
    """The chosen rows of the errors of all frames."""
    return poses_of_trees.pose_error(aligned(model), q, poses, frames, rows)


def chord_error(model: Model, closures: Closures, q: Scalars, poses: Scalars, frames: Frames, rows: Rows) -> Any:
    """The same rows by chords, and those of J; then errors of the loops, and their J."""
    e, J = poses_of_trees.chord_error(aligned(model), q, poses, frames, rows)
    return e, J, loops.error(model, closures, q), loops.jacobian(model, closures, q)
