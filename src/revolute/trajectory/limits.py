"""Checks of the arguments of trajectories: robots, waypoints, times and limits."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, by_names, float_copy, instance, number
from revolute.errors import InputError, ShapeError, TrajectoryError, UnknownNameError
from revolute.model import CoupledLimits, Model, limit_column
from revolute.model.configurations import continuous, unwrapped

SLACK = 1e-9  # allowed excess of a waypoint over a limit [rad, m], because numbers in files are rounded
ROUNDING = 1e-9  # allowed relative excess over a limit, because optimal motions reach their limits up to rounding

LimitsLike = ArrayLike | Mapping[str, float] | None
"""Limits: one number for all joints, an (nv,) array, or {joint: number}; None for the robot's own limits."""

UNITS = {"position": "", "velocity": "/s", "acceleration": "/s^2", "jerk": "/s^3"}


class LimitedMachine(Protocol):
    """A robot, with or without drives: see `Robot` for the methods."""

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, /) -> Array: ...
    def gravity_forces(self, q: ArrayLike, /) -> Array: ...


def model_of(what: str, robot: object) -> Model:
    """The model whose joints have a robot's coordinates q; `InputError` if it is no robot, or has no movable joint."""
    model = robot if isinstance(robot, Model) else getattr(robot, "space", None)
    if not isinstance(model, Model):
        raise InputError(f"{what}: robot must be a Robot, or a robot with drives, not {type(robot).__name__}")
    if not model.nv:
        raise InputError(f"{what}: robot '{model.name}' has no movable joint")
    return model


def coupled_of(robot: object) -> CoupledLimits | None:
    """Limits of joints that follow several coordinates; None without such joints."""
    coupled: CoupledLimits | None = getattr(robot, "coupled_limits", None)
    return coupled


def unit(model: Model, kind: str, k: int) -> str:
    """Unit of a kind of quantity, such as "velocity" or "torque", for the k-th velocity coordinate."""
    linear = [x for body in model.bodies for x in body.joint.linear][k]
    if kind == "torque":
        return "N" if linear else "N m"
    return ("m" if linear else "rad") + UNITS[kind]


def way(what: str, robot: object, waypoints: ArrayLike, wrap: bool, least: int = 2) -> Array:
    """(k, nq) checked waypoints; with `wrap`, continuous joints rotate the shortest way between waypoints."""
    model, coupled = model_of(what, robot), coupled_of(robot)
    label = f"{what}: waypoints"
    q = float_copy(label, by_names(label, _reached(label, waypoints), model.position_names, "q."))
    if q.ndim != 2 or q.shape[1] != model.nq:
        raise ShapeError(
            f"{what}: waypoints have shape {q.shape}, but robot '{model.name}' needs (k, {model.nq}): a row of joint "
            "positions for each waypoint"
        )
    if len(q) < least:
        raise ShapeError(f"{what}: needs at least {least} waypoints, not {len(q)}")
    if not np.isfinite(q).all():
        row, column = np.argwhere(~np.isfinite(q))[0]
        raise InputError(f"{what}: waypoint {row}, '{model.position_names[column]}' is not finite")
    for body, at in zip(model.bodies, model.q_index, strict=True):
        k = body.joint.quaternion_at
        if k is not None and not (sizes := np.abs(q[:, at][:, k:]).max(axis=1)).all():
            row = int(np.argmin(sizes))
            raise InputError(f"{what}: waypoint {row}: the quaternion of joint '{body.joint_name}' is zero")
    for side, sign in (("lower", -1), ("upper", 1)):
        limit, y, names = limit_column(model, side, "nq", sign * math.inf), q, model.position_names
        if coupled is not None:
            limit, y = np.append(limit, getattr(coupled, side)), np.hstack([q, coupled.positions(q)])
            names = (*names, *coupled.names)
        beyond = np.argwhere(sign * (y - limit) > SLACK)
        if len(beyond):
            row, k = beyond[0]
            raise TrajectoryError(
                f"{what}: waypoint {row} is outside the limits: '{names[k]}' is {y[row, k]:.6g}, its {side} limit "
                f"{limit[k]:.6g}"
            )
    if not instance(f"{what}: wrap", wrap, bool):
        return q
    turning = getattr(robot, "_continuous", None)  # models lack this attribute
    return unwrapped(q, continuous(model) if turning is None else turning)


def _reached(what: str, x: Any) -> Any:
    """x, with solutions of inverse kinematics replaced by positions; `InputError` if one does not reach its pose."""
    if hasattr(x, "reached"):
        return x.reached(what)
    if isinstance(x, (list, tuple)) and any(hasattr(each, "reached") for each in x):
        return [_reached(f"{what}: {k}", each) for k, each in enumerate(x)]
    return x


def waypoint_times(what: str, times: ArrayLike, count: int) -> Array:
    """(count,) times starting at 0, from increasing times or an evenly divided duration."""
    t = float_copy(f"{what}: times [s]", times)
    if t.ndim == 0:
        if not 0 < t < math.inf:
            raise InputError(f"{what}: the duration must be a positive number of seconds, not {float(t):g}")
        return np.linspace(0.0, float(t), count)
    if t.shape != (count,):
        raise ShapeError(f"{what}: times have shape {t.shape}, but there are {count} waypoints; or pass the duration")
    if not np.isfinite(t).all():
        raise InputError(f"{what}: times must be finite")
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        k = int(late[0])
        raise InputError(f"{what}: times must increase, but waypoint {k + 1} is at {t[k + 1]:g} s after {t[k]:g} s")
    t -= t[0]
    return t


def given_limits(what: str, model: Model, name: str, given: LimitsLike) -> Array:
    """(nv,) limits of one kind, such as "velocity", by default the robot's; infinite where there is none.

    Raise an error if a limit does not fit, or is not positive.
    """
    field = {"velocity": "velocity", "torque": "effort"}.get(name)
    otherwise = limit_column(model, field, "nv", math.inf) if field else np.full(model.nv, math.inf)
    limits = np.where(otherwise > 0, otherwise, math.inf)  # a limit of 0 in a file means "unknown"
    if given is None:
        return limits
    if isinstance(given, Mapping):
        limits = by_coordinate(f"{what}: {name}", model, given, limits)
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


def by_coordinate(what: str, model: Model, given: Mapping[str, float], others: Array) -> Array:
    """(nv,) numbers from {coordinate: number}; the numbers of other coordinates are those of `others`."""
    values = others.copy()
    for name, x in given.items():
        if name not in model.coordinate_names:
            known = ", ".join(model.coordinate_names)
            raise UnknownNameError(f"{what}: there is no coordinate '{name}'; available: {known}")
        values[model.coordinate_names.index(name)] = number(f"{what} of '{name}'", x)
    return values


@dataclass(frozen=True, eq=False)
class RateLimits:
    """(n,) limits: of the coordinates, infinite where there is none, then of joints that follow several coordinates.

    `joints` contains the (n - nv, nv) derivatives of these joints' values with respect to those of the coordinates.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    limits: Array
    joints: Array

    def of(self, x: Array) -> Array:
        """(..., n) values of coordinates and joints, from the (..., nv) values of the coordinates."""
        return np.concatenate([x, x @ self.joints.T], axis=-1) if len(self.joints) else x

    def share(self, d: Array) -> float:
        """The largest rate that the joints' limits allow for a common fraction of the (nv,) displacements d."""
        nv = self.joints.shape[1]
        with np.errstate(divide="ignore"):
            return float((self.limits[nv:] / np.abs(self.joints @ d)).min(initial=math.inf))

    def alone(self, most: Array) -> Array:
        """(nv,) limits of coordinates, reduced so that joints keep their own limits however the coordinates move."""
        nv = self.joints.shape[1]
        shares = self.limits[nv:] / (np.abs(self.joints) @ most)
        slower: Array = np.where(self.joints != 0, np.minimum(shares, 1.0)[:, None], 1.0).min(axis=0, initial=1.0)
        return most * slower


def rate_limits(what: str, robot: object, model: Model, kind: str, given: LimitsLike) -> RateLimits:
    """Limits of coordinates and joints: see `given_limits`. Numbers for all coordinates replace limits of joints."""
    limits, coupled = given_limits(what, model, kind, given), coupled_of(robot)
    units = tuple(unit(model, kind, k) for k in range(model.nv))
    if coupled is None or kind not in ("velocity", "torque") or not (given is None or isinstance(given, Mapping)):
        return RateLimits(model.coordinate_names, units, limits, np.empty((0, model.nv)))
    velocity = coupled.names, tuple(x + "/s" for x in coupled.units), coupled.velocity, coupled.rows
    torque = coupled.force_names, coupled.force_units, coupled.effort, coupled.force_rows
    names, more, own, rows = velocity if kind == "velocity" else torque
    joints = np.array(rows).reshape(-1, model.nv)
    return RateLimits((*model.coordinate_names, *names), units + more, np.append(limits, own), joints)


def required_limits(what: str, model: Model, name: str, given: LimitsLike) -> Array:
    """`given_limits`; `InputError` if a joint has no finite limit."""
    limits = given_limits(what, model, name, given)
    missing = [joint for joint, x in zip(model.coordinate_names, limits, strict=True) if not math.isfinite(x)]
    if missing:
        in_file = f" and '{model.name}' has none in its description" if name in ("velocity", "torque") else ""
        others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        why = f"none is given{in_file}; give {name}=..."
        raise InputError(f"{what}: no limit of {name} for '{missing[0]}'{others}: {why}")
    return limits
