"""Robots, waypoints, times and limits as arguments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import by_names, float_copy, number
from revolute.errors import InputError, ShapeError, TrajectoryError, UnknownNameError
from revolute.model.columns import limit_column
from revolute.model.model import Model

__all__ = ["UNITS", "Machine", "given_limits", "model_of", "required_limits", "unit", "way", "waypoint_times"]

Array = NDArray[Any]

SLACK = 1e-9
"""A waypoint may pass a limit by this much [rad, m]: files round."""

UNITS = {"position": "", "velocity": "/s", "acceleration": "/s^2", "jerk": "/s^3"}


class Machine(Protocol):
    """A robot, or one with its drives."""

    name: str

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any, /) -> Array:
        """Joint forces."""

    def gravity_forces(self, q: Any, /) -> Array:
        """Joint forces against gravity."""


def model_of(what: str, robot: Any) -> Model:
    """The model whose joints have the coordinates q of a robot, with drives or without.

    Raises:
        InputError: this is no robot.
    """
    model = robot if isinstance(robot, Model) else getattr(robot, "space", None)
    if not isinstance(model, Model):
        raise InputError(f"{what}: robot must be a Robot, or a robot with drives, not {type(robot).__name__}")
    if not model.nv:
        raise InputError(f"{what}: robot '{model.name}' has no joint that could move")
    return model


def unit(model: Model, kind: str, k: int) -> str:
    """Unit of a quantity of the k-th velocity coordinate."""
    linear = [x for body in model.bodies for x in body.joint.linear][k]
    if kind == "torque":
        return "N" if linear else "N m"
    return ("m" if linear else "rad") + UNITS[kind]


def way(what: str, model: Model, waypoints: ArrayLike, least: int = 2) -> Array:
    """(k, nq) checked waypoints.

    Raises:
        ShapeError: they are no rows of nq numbers, or fewer than needed.
        TrajectoryError: one is outside of the limits.
        InputError: numbers that are not finite.
    """
    q = float_copy(f"{what}: waypoints", by_names(f"{what}: waypoints", waypoints, model.position_names, "q."))
    if q.ndim != 2 or q.shape[1] != model.nq:
        raise ShapeError(
            f"{what}: waypoints have shape {q.shape}, but robot '{model.name}' needs (k, {model.nq}): a row of joint "
            "positions for each waypoint"
        )
    if len(q) < least:
        raise ShapeError(f"{what}: needs {least} waypoints or more, not {len(q)}")
    if not np.isfinite(q).all():
        row, column = np.argwhere(~np.isfinite(q))[0]
        raise InputError(f"{what}: waypoint {row}, '{model.position_names[column]}' is not finite")
    for body, at in zip(model.bodies, model.q_index, strict=True):
        k = body.joint.quaternion_at
        if k is not None and not np.abs(q[:, at][:, k:]).max(axis=1).all():
            row = int(np.flatnonzero(np.abs(q[:, at][:, k:]).max(axis=1) == 0)[0])
            raise InputError(f"{what}: waypoint {row}: the quaternion of joint '{body.joint_name}' is zero")
    for side, sign in (("lower", -1), ("upper", 1)):
        limit = limit_column(model, side, "nq", sign * math.inf)
        beyond = np.argwhere(sign * (q - limit) > SLACK)
        if len(beyond):
            row, k = beyond[0]
            raise TrajectoryError(
                f"{what}: waypoint {row} is outside of the limits: '{model.position_names[k]}' is {q[row, k]:.6g}, its "
                f"{side} limit {limit[k]:.6g}"
            )
    return q


def waypoint_times(what: str, times: ArrayLike, count: int) -> Array:
    """(count,) times from 0 on, of given times or of a duration that is divided evenly.

    Raises:
        ShapeError: not a time for each waypoint.
        InputError: times that do not increase.
    """
    t = float_copy(f"{what}: times [s]", times)
    if t.ndim == 0:
        if not 0 < t < math.inf:
            raise InputError(f"{what}: the duration must be a positive number of seconds, not {float(t):g}")
        return np.linspace(0.0, float(t), count)
    if t.shape != (count,):
        raise ShapeError(f"{what}: times have shape {t.shape}, but there are {count} waypoints; or give the duration")
    if not np.isfinite(t).all():
        raise InputError(f"{what}: times must be finite")
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        k = int(late[0])
        raise InputError(f"{what}: times must increase, but waypoint {k + 1} is at {t[k + 1]:g} s after {t[k]:g} s")
    t -= t[0]
    return t


def given_limits(what: str, model: Model, name: str, given: Any, otherwise: Array | None = None) -> Array:
    """(nv,) limits of a kind; infinite where there is none.

    Args:
        what: the caller, for messages.
        model: the robot.
        name: "velocity", "acceleration", "jerk" or "torque".
        given: a number for all joints, (nv,), or {joint: number} for some; None for the others.
        otherwise: (nv,) limits where none is given; those of the robot for velocity and torque, else none.

    Raises:
        ShapeError, InputError, UnknownNameError: limits that do not fit, or are not positive.
    """
    if otherwise is None:
        field = {"velocity": "velocity", "torque": "effort"}.get(name)
        otherwise = limit_column(model, field, "nv", math.inf) if field else np.full(model.nv, math.inf)
    limits = np.where(otherwise > 0, otherwise, math.inf)  # files write 0 for "not known"
    if given is None:
        return limits
    if isinstance(given, Mapping):
        for joint, value in given.items():
            if joint not in model.coordinate_names:
                known = ", ".join(model.coordinate_names)
                raise UnknownNameError(f"{what}: {name}: there is no coordinate '{joint}'; there are {known}")
            limits[model.coordinate_names.index(joint)] = number(f"{what}: {name} of '{joint}'", value)
    else:
        values = float_copy(f"{what}: {name}", given)
        if values.shape not in ((), (model.nv,)):
            raise ShapeError(f"{what}: {name} has shape {values.shape}; give one number, or {model.nv} of them")
        limits = np.broadcast_to(values, (model.nv,)).copy()
    wrong = np.flatnonzero(~(limits > 0))
    if len(wrong):
        joint = model.coordinate_names[wrong[0]]
        raise InputError(f"{what}: {name} limit of '{joint}' must be positive, not {limits[wrong[0]]:g}")
    return limits


def required_limits(what: str, model: Model, name: str, given: Any) -> Array:
    """`given_limits`, all of them finite.

    Raises:
        InputError: a joint has none, neither given nor in the robot's description.
    """
    limits = given_limits(what, model, name, given)
    missing = [joint for joint, x in zip(model.coordinate_names, limits, strict=True) if not math.isfinite(x)]
    if missing:
        in_file = f" and '{model.name}' has none in its description" if name in ("velocity", "torque") else ""
        others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        why = f"none is given{in_file}; give {name}=..."
        raise InputError(f"{what}: no limit of {name} for '{missing[0]}'{others}: {why}")
    return limits
