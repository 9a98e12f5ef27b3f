"""Check and convert the arguments of inverse kinematics: poses, rows, starts and limits."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from revolute.arguments import by_names, finite_array, float_copy, mapping, number
from revolute.errors import InputError, ShapeError, one_line
from revolute.machine.functions.inverse_kinematics import Frames, Rows
from revolute.machine.functions.task_space import frame_rows
from revolute.machine.machine import Array
from revolute.model.model import Model
from revolute.spatial import Transform, Vector, cross, dot
from revolute.spatial.rigid import SLOPPY

CALLER = "inverse_kinematics"
STEP = 0.5  # largest step of a joint from pose to pose along a path [rad, m]; branches are farther apart
BLOCK = 2048  # number of matrices that are checked in one block

_HINTS = {
    3: '; for only a position use rows="linear"',
    7: "; for a position p and a quaternion (x, y, z, w) use Transform.from_quaternion(quaternion, p)",
}
"""Hints for error messages, by the size of the last axis of an array that is not a pose."""

INFINITE = "has a number that is not finite"
LAST = [0.0, 0.0, 0.0, 1.0]  # the last row of every homogeneous transformation matrix


def frame_names(pose: Any, frame: Any) -> Frames:
    """Names of the frames, given either by `frame` or as the keys of `pose`."""
    if type(frame) is str and type(pose) is np.ndarray:
        return (frame,)
    if isinstance(pose, Mapping):
        if frame is not None:
            raise InputError(f"{CALLER}: the keys of {{frame: pose}} already name the frames; omit frame")
        if not pose:
            raise InputError(f"{CALLER}: pose is empty; give {{frame: pose}}")
        return tuple(pose)
    if isinstance(frame, str):
        return (frame,)
    raise InputError(f"{CALLER}: frame must be the name of a link, not {frame!r}; or give poses by frame: {{...}}")


def rows_of(frames: Frames, rows: Any) -> Rows:
    """The rows of each frame. Raise `InputError` if rows are given for a frame without a pose."""
    of_frames = mapping(f"{CALLER}: rows", rows) if isinstance(rows, Mapping) else dict.fromkeys(frames, rows)
    if others := [x for x in of_frames if x not in frames]:
        raise InputError(f"{CALLER}: rows are given for the frame {others[0]!r}, which has no pose")
    return tuple(frame_rows(CALLER, of_frames.get(name)) for name in frames)


def largest_steps(space: Model, path: Any) -> Array | None:
    """(nv,) largest steps of joints from pose to pose along a path [rad, m]; None if poses are not a path."""
    if isinstance(path, bool):
        return np.full(space.nv, STEP) if path else None
    steps = float_copy(f"{CALLER}: path", path)
    if steps.shape not in ((), (space.nv,)) or not (steps > 0).all():
        raise InputError(
            f"{CALLER}: path must be True, False, or the largest steps of joints: one positive number, or {space.nv}"
        )
    return np.broadcast_to(steps, (space.nv,))


def poses_of(frames: Frames, pose: Any, rows: Rows) -> Array:
    """The poses of all frames as one array (..., frames, 4, 4), checked."""
    if type(pose) is np.ndarray and pose.shape == (4, 4) and pose.dtype == np.float64 and _is_pose(pose.tolist()):
        return pose[None]
    by_frame = pose if isinstance(pose, Mapping) else {frames[0]: pose}
    arrays = [
        checked_poses(f"{CALLER}: pose of '{name}'", by_frame[name], positions=min(own, default=0) > 2)
        for name, own in zip(frames, rows, strict=True)
    ]
    if len(frames) == 1:
        return arrays[0][..., None, :, :]
    try:
        batch = np.broadcast_shapes(*(x.shape[:-2] for x in arrays))
    except ValueError:
        shapes = ", ".join(f"'{name}' {x.shape[:-2]}" for name, x in zip(frames, arrays, strict=True))
        raise ShapeError(f"{CALLER}: batches of poses do not broadcast: {shapes}") from None
    return np.stack([np.broadcast_to(x, (*batch, 4, 4)) for x in arrays], axis=-3)


def checked_poses(what: str, x: Any, positions: bool = False) -> Array:
    """(..., 4, 4) poses of rigid bodies, checked; `positions`: accept (..., 3) positions, too."""
    if isinstance(x, Transform):
        x = x.matrix()
    elif isinstance(x, Sequence) and not isinstance(x, str) and any(isinstance(each, Transform) for each in x):
        x = [each.matrix() if isinstance(each, Transform) else each for each in x]
    T = x if type(x) is np.ndarray and x.dtype == np.float64 else float_copy(what, x)
    if T.shape == (4, 4) and _is_pose(T.tolist()):
        return T
    if T.shape[-2:] != (4, 4) and not (positions and T.shape[-1:] == (3,)):
        also = ", or (..., 3) positions" if positions else ""
        hint = _HINTS.get(T.shape[-1], "") if T.ndim and not positions else ""
        raise ShapeError(f"{what} must be (..., 4, 4) matrices{also}, not of shape {T.shape}{hint}")
    if T.shape[-2:] != (4, 4):
        _refuse(what, ~np.isfinite(T).all(axis=-1), T.ndim - 1, INFINITE)
        p, T = T, np.empty((*T.shape[:-1], 4, 4))
        T[...] = np.eye(4)
        T[..., :3, 3] = p
        return T
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large for entries of a rotation overflow
        if not all([_are_poses(T_block) for T_block in _blocks(T)]):
            _refuse(what, ~np.isfinite(T).all(axis=(-2, -1)), T.ndim - 2, INFINITE)
            _refuse_others(what, T)
    return T


def _blocks(T: Array) -> Iterator[Array]:
    """The entries of N matrices at a time, (16, N), in blocks that fit into the processor's cache."""
    rows = T.reshape(-1, 16)
    return (np.ascontiguousarray(rows[k : k + BLOCK].T) for k in range(0, len(rows), BLOCK))


def _are_poses(x: Array) -> bool:
    """Whether all matrices are poses: a fast check without messages."""
    skewed, volume, last_row = _measures(x)
    wrong = np.maximum(skewed, last_row) + np.abs(x[3:12:4]).sum(axis=0) * 0  # NaN if a number is NaN or infinite
    return bool((wrong <= SLOPPY).all() and (volume > 0).all())


def _measures(x: Array) -> tuple[Array, Array, Array]:
    """Of (16, N) matrices: largest entry of |R R^T - 1|, det R, and largest deviation of the last row from 0 0 0 1."""
    a, b, c = R = x[:12].reshape(3, 4, -1)[:, :3]
    skewed = np.abs(np.einsum("ikn,jkn->ijn", R, R) - np.eye(3)[..., None]).reshape(9, -1).max(axis=0, initial=0)
    last_row = np.abs(x[12:] - np.array(LAST)[:, None]).max(axis=0, initial=0)
    return skewed, np.asarray(dot(cross(Vector(a), Vector(b)), Vector(c))), last_row


def _refuse_others(what: str, T: Array) -> None:
    """Raise for the first matrix that is not a pose; the message says why."""
    batch = T.ndim - 2
    skewed, volume, last_row = (x.reshape(T.shape[:-2]) for x in _measures(T.reshape(-1, 16).T))
    _refuse(what, last_row > SLOPPY, batch, "has a last row that is not 0 0 0 1")
    _refuse(what, ~(skewed <= SLOPPY), batch, "has a rotation that is not orthogonal")
    _refuse(what, volume < 0, batch, "has axes that are left-handed (determinant -1); reverse one of them")


def _is_pose(rows: list[list[float]]) -> bool:
    """Whether one matrix, as lists of its rows, is a pose: a check ten times as fast as with NumPy."""
    (a, b, c, x), (d, e, f, y), (g, h, i, z), last = rows
    lengths = a * a + b * b + c * c - 1, d * d + e * e + f * f - 1, g * g + h * h + i * i - 1
    products = a * d + b * e + c * f, a * g + b * h + c * i, d * g + e * h + f * i
    right_handed = (b * f - c * e) * g + (c * d - a * f) * h + (a * e - b * d) * i > 0
    finite = abs(x) < math.inf and abs(y) < math.inf and abs(z) < math.inf
    return right_handed and finite and last == LAST and all([abs(w) <= SLOPPY for w in (*lengths, *products)])


def _refuse(what: str, wrong: Any, batch: int, why: str) -> None:
    """Raise `InputError` for the first pose that is marked in `wrong`, with its index in the batch."""
    if np.any(wrong):
        place = np.argwhere(wrong)[0][:batch].tolist()
        where = f" at {place[0] if len(place) == 1 else tuple(place)}" if place else ""
        raise InputError(f"{what}{where} is not a pose: it {why}")


def configurations(space: Model, what: str, q: Any) -> Array:
    """(..., nq) joint positions, checked to be finite."""
    x = finite_array(f"{CALLER}: {what}", by_names(f"{CALLER}: {what}", q, space.position_names, "q."))
    if x.shape[-1:] != (space.nq,):
        raise ShapeError(f"{CALLER}: {what} has shape {x.shape}, but robot '{space.name}' needs (..., {space.nq})")
    return x


def tolerance(x: Any) -> float:
    """The argument `tolerance`: a positive and finite number."""
    length = number(f"{CALLER}: tolerance", x)
    if not 0 < length < np.inf:
        raise InputError(f"{CALLER}: tolerance must be a positive length [rad, m], not {x!r}")
    return length


def limits_of(space: Model, limits: Any, own: tuple[Array, Array] | None) -> tuple[Array, Array]:
    """(nq,) lower and upper limits: `own`, or none if `limits` is False, or the given pair. Quaternions have none."""
    pair: list[Array]
    if own is not None:
        pair = [x.copy() for x in own]
    elif limits is False:
        pair = [np.full(space.nq, -math.inf), np.full(space.nq, math.inf)]
    elif isinstance(limits, (tuple, list, np.ndarray)) and len(limits) == 2:
        pair = [_limit(space, name, x) for name, x in zip(("lower", "upper"), limits, strict=True)]
    else:
        raise InputError(
            f"{CALLER}: limits must be True for those of the robot, False for none, or a pair of arrays (lower, "
            f"upper), not {one_line(repr(limits))}"
        )
    for body, at in zip(space.bodies, space.q_index, strict=True):
        if (begin := body.joint.quaternion_at) is not None:
            entries = slice(at.start + begin, at.start + begin + 4)
            pair[0][entries], pair[1][entries] = -math.inf, math.inf
    lower, upper = pair
    wrong = np.flatnonzero(~((lower <= upper) & (lower < np.inf) & (upper > -np.inf)))
    if wrong.size:
        k = int(wrong[0])
        raise InputError(
            f"{CALLER}: joint '{space.position_names[k]}' has no position between its limits {lower[k]:g} and "
            f"{upper[k]:g}; correct the limits, or ignore them: limits=False"
        )
    return lower, upper


def _limit(space: Model, name: str, x: Any) -> Array:
    what = f"{CALLER}: {name} limits"
    bound = float_copy(what, by_names(what, x, space.position_names, "q."))
    if bound.shape != (space.nq,):
        raise ShapeError(f"{what} have shape {bound.shape}, but robot '{space.name}' needs ({space.nq},)")
    if np.isnan(bound).any():
        raise InputError(f"{what} contain NaN; give infinity where there is no limit")
    return bound
