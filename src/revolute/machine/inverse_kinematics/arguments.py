"""Arguments of inverse kinematics: poses by frame, rows, starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

import numpy as np

from revolute.arguments import by_names, float_copy, mapping, number
from revolute.errors import InputError, ShapeError
from revolute.machine.functions.inverse_kinematics import Frames, Rows
from revolute.machine.functions.manipulability import NAMED_ROWS
from revolute.machine.machine import Array
from revolute.model.model import Model
from revolute.spatial import Transform, Vector, cross, dot
from revolute.spatial.rigid import SLOPPY

__all__ = ["CALLER", "check_limits", "checked_poses", "configurations", "frame_rows", "targets", "tolerance"]

CALLER = "inverse_kinematics"


def targets(pose: Any, frame: Any, rows: Any) -> tuple[Frames, Rows, Array]:
    """Names of frames, their rows, and their poses: (..., frames, 4, 4).

    Raises:
        InputError: no frame or two sets of them; poses or rows that are none.
        ShapeError: poses have another shape, or their batches do not broadcast.
        DtypeError: poses are not real numbers.
    """
    if isinstance(pose, Mapping):
        if frame is not None:
            raise InputError(f"{CALLER}: poses by frame, {{frame: pose}}, name the frames; leave out frame")
        if not pose:
            raise InputError(f"{CALLER}: there is no pose; give {{frame: pose}}")
        frames = tuple(pose)
    elif isinstance(frame, str):
        frames, pose = (frame,), {frame: pose}
    else:
        raise InputError(f"{CALLER}: frame must be the name of a link, not {frame!r}; or give poses by frame: {{...}}")
    of_frames = mapping(f"{CALLER}: rows", rows) if isinstance(rows, Mapping) else dict.fromkeys(frames, rows)
    if others := [x for x in of_frames if x not in frames]:
        raise InputError(f"{CALLER}: rows name the frame {others[0]!r}, which has no pose")
    chosen = tuple(frame_rows(CALLER, of_frames.get(name)) for name in frames)
    arrays = [
        checked_poses(f"{CALLER}: pose of '{name}'", pose[name], positions=min(own, default=0) > 2)
        for name, own in zip(frames, chosen, strict=True)
    ]
    if len(frames) == 1:
        return frames, chosen, arrays[0][..., None, :, :]
    try:
        batch = np.broadcast_shapes(*(x.shape[:-2] for x in arrays))
    except ValueError:
        shapes = ", ".join(f"'{name}' {x.shape[:-2]}" for name, x in zip(frames, arrays, strict=True))
        raise ShapeError(f"{CALLER}: batches of poses do not broadcast: {shapes}") from None
    return frames, chosen, np.stack([np.broadcast_to(x, (*batch, 4, 4)) for x in arrays], axis=-3)


def frame_rows(caller: str, rows: Any) -> tuple[int, ...]:
    """Rows of a frame, from None for all, a name or numbers; the caller is named in messages.

    Raises:
        InputError: neither a name nor numbers.
    """
    if rows is None:
        return NAMED_ROWS["all"]
    if isinstance(rows, str) and rows in NAMED_ROWS:
        return NAMED_ROWS[rows]
    try:
        if isinstance(rows, str) or any(isinstance(row, bool) for row in rows):
            raise TypeError
        return tuple(index(row) for row in rows)
    except TypeError:
        raise InputError(
            f"{caller}: rows must be 'all', 'angular', 'linear' or some of 0 ... 5, for wx, wy, wz, vx, vy, vz, "
            f"not {rows!r}"
        ) from None


def checked_poses(what: str, x: Any, positions: bool = False) -> Array:
    """(..., 4, 4) poses of rigid bodies; from (..., 3) positions too where orientations do not count.

    Raises:
        InputError: one is no pose, or not finite.
        ShapeError, DtypeError: not of this shape, or not real numbers.
    """
    if isinstance(x, Transform):
        x = x.matrix()
    elif isinstance(x, Sequence) and not isinstance(x, str) and any(isinstance(each, Transform) for each in x):
        x = [each.matrix() if isinstance(each, Transform) else each for each in x]
    T = float_copy(what, x)
    if T.shape == (4, 4) and _is_pose(T.tolist()):
        return T
    if T.shape[-2:] != (4, 4) and not (positions and T.shape[-1:] == (3,)):
        also = ", or (..., 3) positions" if positions else ""
        raise ShapeError(f"{what} must be (..., 4, 4) matrices{also}, not of shape {T.shape}")
    _refuse(what, ~np.isfinite(T).all(axis=-1), T.ndim - 1, "has a number that is not finite")
    if T.shape[-2:] != (4, 4):
        p, T = T, np.empty((*T.shape[:-1], 4, 4))
        T[...] = np.eye(4)
        T[..., :3, 3] = p
        return T
    batch, R = T.ndim - 2, T[..., :3, :3]
    with np.errstate(over="ignore", invalid="ignore"):  # no rotation has such numbers
        skewed = np.abs(R @ R.swapaxes(-1, -2) - np.eye(3)).max(axis=(-1, -2), initial=0)
        left_handed = np.linalg.det(R) < 0
    last_row = np.abs(T[..., 3, :] - [0, 0, 0, 1]).max(axis=-1)
    _refuse(what, last_row > SLOPPY, batch, "has a last row that is not 0 0 0 1")
    _refuse(what, ~(skewed <= SLOPPY), batch, "has a rotation that is not orthogonal")
    _refuse(what, left_handed, batch, "has axes that are left-handed (determinant -1); turn one of them round")
    return T


def _is_pose(rows: list[list[float]]) -> bool:
    """Whether one matrix is a pose: a tenth of the time of NumPy."""
    a, b, c = (Vector(row[:3]) for row in rows[:3])
    products = dot(a, a) - 1, dot(b, b) - 1, dot(c, c) - 1, dot(a, b), dot(a, c), dot(b, c)
    last_row = (*rows[3][:3], rows[3][3] - 1)
    finite = all([abs(row[3]) < np.inf for row in rows[:3]])
    return finite and dot(cross(a, b), c) > 0 and all([abs(x) <= SLOPPY for x in (*products, *last_row)])


def _refuse(what: str, wrong: Any, batch: int, why: str) -> None:
    """Raise for the first row that is wrong."""
    if np.any(wrong):
        place = np.argwhere(wrong)[0][:batch].tolist()
        where = f" at {place[0] if len(place) == 1 else tuple(place)}" if place else ""
        raise InputError(f"{what}{where} is no pose: it {why}")


def configurations(space: Model, what: str, q: Any) -> Array:
    """(..., nq) finite joint positions.

    Raises:
        InputError: they are not finite.
        ShapeError, DtypeError: they do not fit the robot, or are not real numbers.
    """
    x = float_copy(f"{CALLER}: {what}", by_names(f"{CALLER}: {what}", q, space.position_names, "q."))
    if x.shape[-1:] != (space.nq,):
        raise ShapeError(f"{CALLER}: {what} has shape {x.shape}, but robot '{space.name}' needs (..., {space.nq})")
    if not np.isfinite(x).all():
        raise InputError(f"{CALLER}: {what} must be finite")
    return x


def tolerance(x: Any) -> float:
    """A positive number.

    Raises:
        InputError: it is none.
    """
    length = number(f"{CALLER}: tolerance", x)
    if not 0 < length < np.inf:
        raise InputError(f"{CALLER}: tolerance must be a positive length [rad, m], not {x!r}")
    return length


def check_limits(space: Model, lower: Array, upper: Array) -> None:
    """There are positions between all limits.

    Raises:
        InputError: there are none.
    """
    wrong = np.flatnonzero(~((lower <= upper) & (lower < np.inf) & (upper > -np.inf)))
    if wrong.size:
        k = int(wrong[0])
        raise InputError(
            f"{CALLER}: joint '{space.position_names[k]}' has no position between its limits {lower[k]:g} and "
            f"{upper[k]:g}; correct them, or leave them out: limits=False"
        )


