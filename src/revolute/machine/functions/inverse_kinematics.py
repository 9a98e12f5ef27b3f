"""Recursions of inverse kinematics: errors of the poses of several frames."""

from typing import Any

from revolute.dynamics import pose_error as recursions
from revolute.machine.functions import task_space
from revolute.model.model import Model
from revolute.spatial import Scalars, Tree

Frames = tuple[str, ...]
Rows = tuple[tuple[int, ...], ...]  # the rows among wx, wy, wz, vx, vy, vz that are selected for each frame


def error_arrays(frames: Frames = ("",), rows: Rows = ((0, 1, 2, 3, 4, 5),)) -> str:
    """Declaration of the arrays of `pose_error`."""
    return f"q poses[{len(frames)},4,4] -> e: {sum(map(len, rows))}"


def jacobian_arrays(frames: Frames = ("",), rows: Rows = ((0, 1, 2, 3, 4, 5),)) -> str:
    """Declaration of the arrays of `chord_error`."""
    return f"{error_arrays(frames, rows)}; J: {sum(map(len, rows))} nv"


def check(model: Model, *_: Any, frames: Frames, rows: Rows) -> None:
    """Raise an error if a link frame or row does not exist."""
    for frame, chosen in zip(frames, rows, strict=True):
        task_space.check(model, frame, "body", chosen)


def pose_error(model: Model, q: Scalars, poses: Scalars, frames: Frames, rows: Rows) -> Tree:
    """The chosen rows of the pose errors of all frames."""
    errors = [recursions.pose_error(model, q, *target) for target in _targets(poses, frames)]
    return [e[row] for e, chosen in zip(errors, rows, strict=True) for row in chosen]


def chord_error(model: Model, q: Scalars, poses: Scalars, frames: Frames, rows: Rows) -> Tree:
    """The chosen rows of the chord errors of all frames, then the same rows of J."""
    found = [recursions.chord_error(model, q, *target) for target in _targets(poses, frames)]
    chosen_rows = [(e[row], J[row]) for (e, J), chosen in zip(found, rows, strict=True) for row in chosen]
    return [e for e, _ in chosen_rows], [J for _, J in chosen_rows]


def _targets(poses: Scalars, frames: Frames) -> list[tuple[Scalars, str]]:
    """For each frame, the 16 scalars of its pose, and its name."""
    return [(poses[16 * k : 16 * k + 16], frame) for k, frame in enumerate(frames)]
