"""Checks of a trajectory's limits, at samples in all pieces and on both sides of breaks: see `Trajectory.check`."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeVar

import numpy as np

from revolute.arguments import Array, instance, whole_number
from revolute.errors import InputError, TrajectoryError
from revolute.model import CoupledLimits, Model, limit_column
from revolute.trajectory.limits import (
    ROUNDING,
    SLACK,
    LimitedMachine,
    LimitsLike,
    RateLimits,
    coupled_of,
    model_of,
    rate_limits,
    unit,
)
from revolute.trajectory.trajectory import Trajectory

SIDE = 1e-10  # fraction of a piece omitted at both ends, so that rounded times do not fall into the adjacent pieces
NEAR, MOST = 0.01, 256
"""Samples are refined within this fraction of the range below the maximum; maximum number of refined samples."""
EQUAL = 1e-12  # fraction by which peaks may differ and still count as equal; of equal peaks, the first is reported
CLOSER = 8  # number of refinements of `largest`, each eight times finer; smooth extrema reach a relative error of 1e-14
Made = TypeVar("Made", bound=Trajectory)


def instants(trajectory: Trajectory, samples: int) -> Array:
    """(n,) increasing sample times: at least `samples` in all, and at least eight in each piece."""
    count = whole_number("samples", samples, 2)
    breaks = trajectory.breaks
    parts = [breaks[[0, -1]]]
    for start, end in pairwise(breaks):
        n = max(8, int(np.ceil(count * (end - start) / breaks[-1])) + 1)
        parts.append(np.linspace(start + SIDE * (end - start), end - SIDE * (end - start), n))
    return np.unique(np.concatenate(parts))


def largest(f: Callable[[Array], Array], t: Array, values: Array) -> tuple[float, float]:
    """The first time at which f is largest, and its maximum, by refinement around all samples close to the largest.

    `values` are the values of f at the (n,) increasing times t; some may be -inf.
    """
    if np.isnan(values).any():
        return float(t[np.isnan(values)][0]), math.nan
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peaks = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]))
    known = values[np.isfinite(values)]
    near = float(values.max()) - NEAR * float(np.ptp(known) if len(known) else 0)
    peaks = peaks[values[peaks] >= near]
    peaks = peaks[np.argsort(-values[peaks], kind="stable")[:MOST]]
    low, high = t[np.maximum(peaks - 1, 0)], t[np.minimum(peaks + 1, len(t) - 1)]
    at, best = t[peaks], values[peaks]
    rows = np.arange(len(peaks))
    for _ in range(CLOSER):
        times = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, 17)
        found = f(times.ravel()).reshape(times.shape)
        i = found.argmax(axis=1)
        better = found[rows, i] > best
        at, best = np.where(better, times[rows, i], at), np.where(better, found[rows, i], best)
        width = (high - low) / 16
        low, high = np.maximum(low, at - width), np.minimum(high, at + width)
    most = float(best.max())
    return float(at[best >= most - EQUAL * abs(most)].min()), most


@dataclass(frozen=True)
class Largest:
    """The largest value of one quantity of one joint, or the position nearest to a limit.

    Attributes:
        kind: "position", "velocity", "acceleration", "jerk" or "torque".
        joint: name of the coordinate.
        t: time [s].
        value: value of the quantity at this time.
        limit: largest permitted magnitude of the quantity, or position limit; infinite if there is no limit.
        unit: unit of the value and of the limit.
        share: |value|/limit; for a position, 1 at the limit and 0 in the middle of the range.
    """

    kind: str
    joint: str
    t: float
    value: float
    limit: float
    unit: str
    share: float

    @property
    def within(self) -> bool:
        """Whether the limit is satisfied."""
        return self.share <= 1 + ROUNDING

    def __str__(self) -> str:
        """Text such as "velocity of 'elbow' is 2.1 rad/s at 0.3 s; the limit is 2 rad/s"."""
        value, limit = f"{self.value:.4g}", f"{self.limit:.4g}"
        if value == limit and not self.within:
            value, limit = f"{self.value:.12g}", f"{self.limit:.12g}"
        ending = f"; the limit is {limit} {self.unit}" if math.isfinite(self.limit) else "; it has no limit"
        return f"{self.kind} of '{self.joint}' is {value} {self.unit} at {self.t:.5g} s{ending}"


@dataclass(frozen=True)
class Report:
    """The largest values of a trajectory and their limits, one row per quantity and joint; true if all of them hold."""

    rows: tuple[Largest, ...]

    @property
    def ok(self) -> bool:
        """Whether all limits are satisfied."""
        return not self.excesses

    @property
    def excesses(self) -> tuple[Largest, ...]:
        """Rows whose values exceed their limits."""
        return tuple(row for row in self.rows if not row.within)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        passed = len(self.excesses)
        verdict = f"{passed} limit{'s are' if passed > 1 else ' is'} passed" if passed else "within all limits"
        return "\n".join([verdict, *(f"{' ' if row.within else '!'} {row}" for row in self.rows)])


def check(
    trajectory: Trajectory, robot: LimitedMachine | None, limits: Mapping[str, LimitsLike], samples: int
) -> Report:
    """See `Trajectory.check`."""
    model = trajectory.model if robot is None else same_joints("check", trajectory, robot)
    if robot is None and limits["torque"] is not None:
        raise InputError("check: torque limits require the robot; call check(robot, torque=...)")
    t = instants(trajectory, samples)
    rows = _positions(trajectory, model, coupled_of(robot), t)
    quantities: dict[str, Callable[[Array], Array]] = {"velocity": trajectory.qd, "acceleration": trajectory.qdd}
    if limits["jerk"] is not None:
        quantities["jerk"] = trajectory.jerk
    if robot is not None:
        quantities["torque"] = lambda at: robot.inverse_dynamics(*trajectory(at))
    for kind, quantity in quantities.items():
        own = rate_limits("check", robot, model, kind, limits[kind])
        values = own.of(quantity(t))
        for k, name in enumerate(own.names):
            signed = partial(_column, own, quantity, k)
            when, most = largest(lambda at: np.abs(signed(at)), t, np.abs(values[:, k]))  # noqa: B023
            value, limit = float(signed(np.array([when]))[0]), float(own.limits[k])
            rows.append(Largest(kind, name, when, value, limit, own.units[k], most / limit))
    return Report(tuple(rows))


def _column(own: RateLimits, quantity: Callable[[Array], Array], k: int, t: Array) -> Array:
    return np.asarray(own.of(quantity(t))[:, k])


def same_joints(what: str, trajectory: Trajectory, robot: LimitedMachine) -> Model:
    """The model of the robot; `InputError` unless it has the trajectory's coordinates."""
    instance(f"{what}: trajectory", trajectory, Trajectory)
    model = model_of(what, robot)
    if model.coordinate_names != trajectory.model.coordinate_names or model.nq != trajectory.model.nq:
        raise InputError(
            f"{what}: '{model.name}' has different joints than '{trajectory.model.name}'; it has "
            f"{', '.join(model.coordinate_names[:8])}"
        )
    return model


def within_joints(what: str, robot: LimitedMachine, trajectory: Made, moving: bool = False) -> Made:
    """The trajectory; `TrajectoryError` if a joint exceeds a position limit between waypoints.

    Between waypoints at rest, only joints that follow several coordinates can exceed a limit; with `moving` ends, all
    can.
    """
    coupled = coupled_of(robot)
    if moving or coupled is not None:
        rows = _positions(trajectory, trajectory.model, coupled, instants(trajectory, 200))
        own = coupled.names if coupled is not None else ()
        beyond = [row for row in rows if not row.within and abs(row.value - row.limit) > SLACK]
        if fast := [row for row in beyond if moving and row.joint not in own]:
            raise TrajectoryError(f"{what}: {fast[0]}; change the velocities at the ends, or use wider limits")
        if beyond := [row for row in beyond if row.joint in own]:
            raise TrajectoryError(
                f"{what}: {beyond[0]}. Coordinates are interpolated independently between waypoints; give closer "
                "waypoints"
            )
    return trajectory


def _positions(trajectory: Trajectory, model: Model, coupled: CoupledLimits | None, t: Array) -> list[Largest]:
    """For each position limit, the position nearest to it; `share` is 1 at the limit, 0 in the middle of the range."""
    lower, upper = (limit_column(model, x, "nq", y).tolist() for x, y in (("lower", -math.inf), ("upper", math.inf)))
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
                beyond = sign * (values[:, k] - limit)
                when, most = largest(lambda at: sign * (positions(at)[:, k] - limit), t, beyond)  # noqa: B023
                half = (high - low) / 2
                share = 1 + most / (half if 0 < half < math.inf else max(abs(limit), 1.0))
                rows.append(Largest("position", name, when, limit + sign * most, limit, own_unit, share))
    return rows
