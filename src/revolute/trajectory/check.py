"""Limits of a trajectory, checked after sampling: see `Trajectory.check`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.arguments import instance
from revolute.errors import InputError
from revolute.model.columns import limit_column
from revolute.model.model import Model
from revolute.trajectory.instants import instants, largest
from revolute.trajectory.limits import Machine, given_limits, model_of, unit
from revolute.trajectory.report import Largest, Report
from revolute.trajectory.trajectory import Trajectory

__all__ = ["check", "same_joints"]

Array = NDArray[Any]


def check(trajectory: Trajectory, robot: Machine | None, limits: Mapping[str, Any], samples: int) -> Report:
    """See `Trajectory.check`."""
    model = trajectory.model if robot is None else same_joints("check", trajectory, robot)
    if robot is None and limits["torque"] is not None:
        raise InputError("check: limits of torque need the robot: check(robot, torque=...)")
    t = instants(trajectory, samples)
    rows = _positions(trajectory, model, t)
    quantities: dict[str, Callable[[Array], Array]] = {"velocity": trajectory.qd, "acceleration": trajectory.qdd}
    if limits["jerk"] is not None:
        quantities["jerk"] = trajectory.jerk
    if robot is not None:
        machine = robot
        quantities["torque"] = lambda at: machine.inverse_dynamics(*trajectory(at))
    for kind, quantity in quantities.items():
        values, own = quantity(t), given_limits("check", model, kind, limits[kind])
        for k, name in enumerate(model.coordinate_names):

            def size(at: Array, k: int = k, quantity: Callable[[Array], Array] = quantity) -> Array:
                return np.abs(quantity(at)[:, k])

            when, most = largest(size, t, np.abs(values[:, k]))
            value = float(quantity(np.array([when]))[0, k])
            limit = float(own[k])
            rows.append(Largest(kind, name, when, value, limit, unit(model, kind, k), most / limit))
    return Report(tuple(rows))


def same_joints(what: str, trajectory: Trajectory, robot: Machine) -> Model:
    """The model of a robot that has a trajectory's coordinates.

    Raises:
        InputError: it has others.
    """
    instance(f"{what}: trajectory", trajectory, Trajectory)
    model = model_of(what, robot)
    if model.coordinate_names != trajectory.model.coordinate_names or model.nq != trajectory.model.nq:
        raise InputError(
            f"{what}: '{model.name}' has other joints than the trajectory's '{trajectory.model.name}': "
            f"{', '.join(model.coordinate_names[:8])}"
        )
    return model


def _positions(trajectory: Trajectory, model: Model, t: Array) -> list[Largest]:
    """For each coordinate with limits, its position nearest to one; share is 1 at the limit, and 0 amid both."""
    lower = limit_column(model, "lower", "nq", -math.inf).tolist()
    upper = limit_column(model, "upper", "nq", math.inf).tolist()
    q, rows = trajectory.q(t), []
    for body, at, to in zip(model.bodies, model.q_index, model.v_index, strict=True):
        if body.joint.nq != 1:
            continue
        i = at.start
        for limit, sign in ((lower[i], -1.0), (upper[i], 1.0)):
            if math.isfinite(limit):

                def beyond(when: Array, i: int = i, limit: float = limit, sign: float = sign) -> Array:
                    return sign * (trajectory.q(when)[:, i] - limit)

                when, most = largest(beyond, t, sign * (q[:, i] - limit))
                half = (upper[i] - lower[i]) / 2
                share = 1 + most / (half if 0 < half < math.inf else max(abs(limit), 1.0))
                name, value = model.position_names[i], limit + sign * most
                rows.append(Largest("position", name, when, value, limit, unit(model, "position", to.start), share))
    return rows
