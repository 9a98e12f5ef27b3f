"""Poses and their rates, as their declarations want them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from revolute.dynamics import center_of_mass as com
from revolute.dynamics import jacobian as recursions
from revolute.dynamics.frame_motion import check_kind
from revolute.dynamics.kinematics import check_reference, frame_pose, frame_poses
from revolute.model.model import Model
from revolute.spatial import Motion
from revolute.spatial.scalar import Scalar

__all__ = [
    "center_of_mass",
    "check",
    "check_frame",
    "com_acceleration",
    "com_jacobian",
    "com_velocity",
    "forward_kinematics",
    "jacobian",
    "jacobian_acceleration",
    "jacobian_rate",
]

Scalars = Sequence[Scalar]


def check_frame(model: Model, frame: str | None = None) -> None:
    """There is such a link frame."""
    if frame is not None:
        model.frame(frame)


def check(model: Model, frame: str, reference: str = "body", kind: str = "rate") -> None:
    """There is such a link frame, and such a frame of reference."""
    model.frame(frame)
    check_reference(reference)
    check_kind(kind)


def forward_kinematics(model: Model, q: Scalars, frame: str | None = None) -> Any:
    """The pose of a link frame, or of all."""
    return frame_poses(model, q) if frame is None else frame_pose(model, q, frame)


def jacobian(model: Model, q: Scalars, frame: str, reference: str = "body") -> Any:
    """Rows of J."""
    return _rows(recursions.jacobian(model, q, frame, reference))


def jacobian_rate(model: Model, q: Scalars, qd: Scalars, frame: str, reference: str = "body") -> Any:
    """Rows of dJ/dt."""
    return _rows(recursions.jacobian_rate(model, q, qd, frame, reference))


def jacobian_acceleration(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, frame: str, reference: str = "body"
) -> Any:
    """Rows of d2J/dt2."""
    return _rows(recursions.jacobian_acceleration(model, q, qd, qdd, frame, reference))


def center_of_mass(model: Model, q: Scalars) -> Any:
    """c."""
    return com.center_of_mass(model, q)[0]


def com_velocity(model: Model, q: Scalars, qd: Scalars) -> Any:
    """dc/dt."""
    return com.center_of_mass(model, q, qd)[1]


def com_acceleration(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> Any:
    """d2c/dt2."""
    return com.center_of_mass(model, q, qd, qdd)[2]


def com_jacobian(model: Model, q: Scalars) -> Any:
    """Rows of J with dc/dt = J qd."""
    return [list(row) for row in zip(*com.com_jacobian(model, q), strict=True)]


def _rows(columns: Iterable[Motion]) -> list[list[Scalar]]:
    return [list(row) for row in zip(*[(*column.ang, *column.lin) for column in columns], strict=True)]
