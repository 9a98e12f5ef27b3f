"""Recursions of closed loops: errors, their derivatives, and inverse kinematics."""

from typing import Any

from revolute.dynamics.linear_models import brackets
from revolute.machine.functions import inverse_kinematics as poses_of_trees
from revolute.machine.functions.inverse_kinematics import Frames, Rows
from revolute.machine.functions.traced import along_motion, by_positions, by_rates
from revolute.model.model import Closure, Model
from revolute.model.reduce import aligned
from revolute.spatial.loop import Tree
from revolute.spatial.scalar import Scalars

Closures = tuple[Closure, ...]


def error(model: Model, closures: Closures, q: Scalars) -> list[Any]:
    """Errors e of all closures."""
    aligned_model = aligned(model)
    return [x for closure in closures for x in closure.error(aligned_model, q)]


def jacobian(model: Model, closures: Closures, q: Scalars) -> list[list[Any]]:
    """Rows of J with de/dt = J qd."""
    return by_positions(model, error(model, closures, q), q)


def drift(model: Model, closures: Closures, q: Scalars, qd: Scalars) -> list[Any]:
    """dJ/dt qd."""
    return along_motion(model, along_motion(model, error(model, closures, q), q, qd), q, qd)


def partials(model: Model, closures: Closures, q: Scalars, qd: Scalars, qdd: Scalars, forces: Scalars) -> Tree:
    """d(J^T f)/dq, d(J qd)/dq, derivatives of J qdd + dJ/dt qd by q and qd, and ad(qd) of all joints."""
    e = error(model, closures, q)
    speeds = along_motion(model, e, q, qd)
    accelerations = along_motion(model, speeds, q, qd, qdd)
    loads = by_positions(model, [sum(f * x for f, x in zip(forces, e, strict=True))], q)[0]
    return (
        by_positions(model, loads, q),
        by_positions(model, speeds, q),
        by_positions(model, accelerations, q),
        by_rates(accelerations, qd),
        brackets(model, qd),
    )


def jacobian_arrays(frames: Frames = ("",), rows: Rows = ((0, 1, 2, 3, 4, 5),)) -> str:
    """Arrays of `chord_error`."""
    return f"{poses_of_trees.jacobian_arrays(frames, rows)}; loops: rows; loops_q: rows nv"


def pose_error(model: Model, closures: Closures, q: Scalars, poses: Scalars, frames: Frames, rows: Rows) -> Tree:
    """The chosen rows of the errors of all frames."""
    return poses_of_trees.pose_error(aligned(model), q, poses, frames, rows)


def chord_error(model: Model, closures: Closures, q: Scalars, poses: Scalars, frames: Frames, rows: Rows) -> Tree:
    """The chosen rows of the chord errors of all frames and of J; then the errors of the loops and their J."""
    e, J = poses_of_trees.chord_error(aligned(model), q, poses, frames, rows)
    return e, J, error(model, closures, q), jacobian(model, closures, q)
