"""Limits of a trajectory, checked after sampling: see `Trajectory.check`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from revolute.arguments import Array, instance
from revolute.errors import InputError, TrajectoryError
from revolute.model.columns import limit_column
from revolute.model.coupled_limits import CoupledLimits
from revolute.model.model import Model
from revolute.trajectory.instants import instants, largest
from revolute.trajectory.limits import LimitedMachine, LimitsLike, RateLimits, coupled_of, model_of, rate_limits, unit
from revolute.trajectory.report import Largest, Report
from revolute.trajectory.trajectory import Trajectory

__all__ = ["check", "same_joints", "within_joints"]

Made = TypeVar("Made", bound=Trajectory)


def check(
    trajectory: Trajectory, robot: LimitedMachine | None, limits: Mapping[str, LimitsLike], samples: int
) -> Report:
    """See `Trajectory.check`."""
    model = trajectory.model if robot is None else same_joints("check", trajectory, robot)
    if robot is None and limits["torque"] is not None:
        raise InputError("check: limits of torque need the robot: check(robot, torque=...)")
    t = instants(trajectory, samples)
    rows = _positions(trajectory, model, coupled_of(robot), t)
    quantities: dict[str, Callable[[Array], Array]] = {"velocity": trajectory.qd, "acceleration": trajectory.qdd}
    if limits["jerk"] is not None:
        quantities["jerk"] = trajectory.jerk
    if robot is not None:
        machine = robot
        quantities["torque"] = lambda at: machine.inverse_dynamics(*trajectory(at))
    for kind, quantity in quantities.items():
        own = rate_limits("check", robot, model, kind, limits[kind])
        values = own.of(quantity(t))
        for k, name in enumerate(own.names):

            def signed(
                at: Array, k: int = k, own: RateLimits = own, quantity: Callable[[Array], Array] = quantity
            ) -> Array:
                return np.asarray(own.of(quantity(at))[:, k])

            when, most = largest(lambda at, signed=signed: np.abs(signed(at)), t, np.abs(values[:, k]))  # type: ignore[misc]
            value, limit = float(signed(np.array([when]))[0]), float(own.limits[k])
            rows.append(Largest(kind, name, when, value, limit, own.units[k], most / limit))
    return Report(tuple(rows))


def same_joints(what: str, trajectory: Trajectory, robot: LimitedMachine) -> Model:
    """The model of the robot; `InputError` unless it has the trajectory's coordinates."""
    instance(f"{what}: trajectory", trajectory, Trajectory)
    model = model_of(what, robot)
    if model.coordinate_names != trajectory.model.coordinate_names or model.nq != trajectory.model.nq:
        raise InputError(
            f"{what}: '{model.name}' has other joints than the trajectory's '{trajectory.model.name}': "
            f"{', '.join(model.coordinate_names[:8])}"
        )
    return model


def within_joints(what: str, robot: LimitedMachine, trajectory: Made) -> Made:
    """The trajectory; `TrajectoryError` if a joint that follows several coordinates exceeds a limit."""
    if (coupled := coupled_of(robot)) is not None:
        rows = _positions(trajectory, trajectory.model, coupled, instants(trajectory, 200))
        beyond = [row for row in rows if row.joint in coupled.names and not row.within]
        if beyond:
            raise TrajectoryError(
                f"{what}: {beyond[0]}. Coordinates move one by one between waypoints; give waypoints nearer to each "
                "other"
            )
    return trajectory


def _positions(
    trajectory: Trajectory, model: Model, coupled: CoupledLimits | None, t: Array
) -> list[Largest]:
    """For each limit of a coordinate or joint, the nearest position; share is 1 at the limit, 0 in the middle."""
    lower = limit_column(model, "lower", "nq", -math.inf).tolist()
    upper = limit_column(model, "upper", "nq", math.inf).tolist()
    places = [
        (at.start, to.start)
        for body, at, to in zip(model.bodies, model.q_index, model.v_index, strict=True)
        if body.joint.nq == 1
    ]
    names = [(model.position_names[i], unit(model, "position", j)) for i, j in places]
    ends = [(lower[i], upper[i]) for i, _ in places]
    if coupled is not None:
        names += zip(coupled.names, coupled.units, strict=True)
        ends += zip(coupled.lower, coupled.upper, strict=True)

    def positions(when: Array) -> Array:
        q = trajectory.q(when)
        y = q[:, [i for i, _ in places]]
        return y if coupled is None else np.hstack([y, coupled.positions(q)])

    values, rows = positions(t), []
    for k, ((name, own_unit), (low, high)) in enumerate(zip(names, ends, strict=True)):
        for limit, sign in ((low, -1.0), (high, 1.0)):
            if math.isfinite(limit):

                def beyond(when: Array, k: int = k, limit: float = limit, sign: float = sign) -> Array:
                    return sign * (positions(when)[:, k] - limit)

                when, most = largest(beyond, t, sign * (values[:, k] - limit))
                half = (high - low) / 2
                share = 1 + most / (half if 0 < half < math.inf else max(abs(limit), 1.0))
                rows.append(Largest("position", name, when, limit + sign * most, limit, own_unit, share))
    return rows
