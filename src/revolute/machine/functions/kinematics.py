"""Recursions of poses and their rates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from revolute.dynamics import center_of_mass as com
from revolute.dynamics import frame_motion
from revolute.dynamics import jacobian as recursions
from revolute.dynamics.frame_motion import check_linear
from revolute.dynamics.kinematics import check_reference, frame_pose, frame_poses
from revolute.errors import InputError
from revolute.model.model import Model, derived
from revolute.spatial import Scalar, Scalars, Transform, Tree, Twist, Vector

POINT: dict[str, Any] = {"optional": {"at_point": "point[3]"}, "by_name": ("point",)}
"""Declaration of an optional point of the link, which replaces the origin of the link's frame."""


def pose_arrays(frame: str | tuple[str, ...] | None = None, **_: Any) -> str:
    """Declaration of the arrays of `forward_kinematics`, for one link frame, some, or all."""
    if isinstance(frame, tuple):
        return f"q -> poses: {len(frame)} 4 4"
    return "q -> poses: links 4 4" if frame is None else "q -> pose: 4 4"


def check_poses(model: Model, frame: str | tuple[str, ...] | None = None, point: str | None = None) -> None:
    """Run `check_frames`, unless `frame` is None, which selects all link frames."""
    if frame is not None:
        check_frames(model, frame, point=point)


def check_frames(
    model: Model, frame: str | tuple[str, ...], reference: str = "body", linear: str = "rate", point: str | None = None
) -> None:
    """Run `check` for one link frame, or for each of several."""
    if isinstance(frame, tuple) and not frame:
        raise InputError("frame: name at least one link")
    for name in frame if isinstance(frame, tuple) else (frame,):
        check(model, name, reference, linear, point)


def check(model: Model, frame: str, reference: str = "body", linear: str = "rate", point: str | None = None) -> None:
    """Raise an error if the link frame, the frame of reference, the linear part or the point does not exist."""
    model.frame(frame)
    check_reference(reference)
    check_linear(linear)
    if point not in (None, "com"):
        raise InputError(f"point must be (..., 3) coordinates in the link's frame [m], or 'com', not {point!r}")
    if point and not model.bodies[model.frame(frame).body].inertia.m:
        raise InputError(f"point='com': link '{frame}' of '{model.name}' has no mass, and so no centre of mass")


def of_point(recursion: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option `point` to a recursion of a link frame: the frame is moved to the point, and keeps its axes."""

    def moved(model: Model, *arrays: Scalars, point: Scalars | str | None = None, **options: Any) -> Tree:
        if point is not None and not isinstance(options.get("frame"), str):
            raise InputError("point: a point belongs to one link; specify the link with frame=...")
        if point is not None:
            model = _with_frame_at(model, options["frame"], point)
        return recursion(model, *arrays, **options)

    return moved


def _with_frame_at(model: Model, name: str, point: Scalars | str) -> Model:
    """The model with a link frame moved to a point in the frame's own coordinates, or to the body's centre of mass."""
    frame = model.frame(name)
    if isinstance(point, str):
        inertia = model.bodies[frame.body].inertia
        placement = Transform(frame.placement.R, inertia.h * (1 / inertia.m))
    else:
        placement = frame.placement @ Transform(p=Vector(point))
    frames = [replace(x, placement=placement) if x is frame else x for x in model.frames]
    return derived(model, frames=tuple(frames))


@of_point
def forward_kinematics(model: Model, q: Scalars, frame: str | tuple[str, ...] | None = None) -> Tree:
    """The pose of a link frame, of some, or of all."""
    return frame_pose(model, q, frame) if isinstance(frame, str) else frame_poses(model, q, frame)


def matrix_arrays(text: str) -> Callable[..., str]:
    """Declaration of arrays such as "q -> J", for a matrix with six rows for each link frame."""

    def arrays(frame: str | tuple[str, ...] = "", **_: Any) -> str:
        return f"{text}: {6 * len(frame) if isinstance(frame, tuple) else 6} nv"

    return arrays


def motion_arrays(text: str) -> Callable[..., str]:
    """Declaration of arrays such as "q qd -> w, v", for six numbers for each link frame."""

    def arrays(frame: str | tuple[str, ...] = "", **_: Any) -> str:
        return f"{text}: {len(frame)} 6" if isinstance(frame, tuple) else f"{text}: 6"

    return arrays


def _of_each(motion: Callable[..., Twist]) -> Callable[..., Any]:
    """A recursion for one link frame, or for several in their order, from a `motion` of one frame."""

    def motions(model: Model, *arrays: Scalars, frame: str | tuple[str, ...], **options: Any) -> Tree:
        if isinstance(frame, str):
            return motion(model, *arrays, frame, **options)
        return [motion(model, *arrays, each, **options) for each in frame]

    return of_point(motions)


def _of_frames(columns: Callable[..., list[Twist]]) -> Callable[..., Any]:
    """A recursion of the matrix with these columns, for one link frame, or for several with six rows each."""

    def rows(model: Model, *arrays: Scalars, frame: str | tuple[str, ...], reference: str = "body") -> Tree:
        frames = (frame,) if isinstance(frame, str) else frame
        return [x for each in frames for x in rows_of(columns(model, *arrays, each, reference))]

    return of_point(rows)


jacobian = _of_frames(recursions.jacobian)
jacobian_rate = _of_frames(recursions.jacobian_rate)
jacobian_second_rate = _of_frames(recursions.jacobian_second_rate)
velocity = _of_each(frame_motion.frame_velocity)
acceleration = _of_each(frame_motion.frame_acceleration)


def center_of_mass(model: Model, *motion: Scalars) -> Tree:
    """c from q, dc/dt from q and qd, or d2c/dt2 from q, qd and qdd."""
    return com.center_of_mass(model, *motion)[len(motion) - 1]


def com_jacobian(model: Model, q: Scalars) -> Tree:
    """Rows of J with dc/dt = J qd."""
    return [list(row) for row in zip(*com.com_jacobian(model, q), strict=True)]


def rows_of(columns: Iterable[Twist]) -> list[Scalar]:
    """The scalars, row by row, of the matrix whose columns are these twists."""
    return [x for row in zip(*[(*column.ang, *column.lin) for column in columns], strict=True) for x in row]
