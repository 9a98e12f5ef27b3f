"""Motions of given joint forces, by compiled steps of fixed length or SciPy's adaptive solvers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.errors import DtypeError, InputError, ShapeError, SimulationError
from revolute.robot import Robot
from revolute.simulate.adaptive import ADAPTIVE, adaptive
from revolute.simulate.result import Simulation
from revolute.simulate.torque import Torque, source

if TYPE_CHECKING:
    from revolute.compile import Kernel

__all__ = ["ADAPTIVE", "FIXED", "check_tolerances", "instants", "simulate", "start"]

Array = NDArray[Any]

FIXED = ("explicit_euler", "semi_implicit_euler", "runge_kutta_4")


class Mechanism(Protocol):
    """What moves: a robot, or one with its drives."""

    @property
    def kernel(self) -> Callable[..., Kernel]:
        """Compiled `state_rate` and steps, by name."""

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, /) -> Array:
        """Of a state [J]."""

    def potential_energy(self, q: ArrayLike, /) -> Array:
        """Of positions [J]."""


def simulate(
    robot: Mechanism,
    space: Robot,
    q0: ArrayLike,
    qd0: ArrayLike,
    torque: Any,
    t: ArrayLike,
    method: str,
    *,
    damping: bool,
    rtol: float,
    atol: float,
) -> Simulation:
    """See `Robot.simulate`; `space` is a robot with the same coordinates, or `robot` itself."""
    if not isinstance(method, str) or method not in FIXED + ADAPTIVE:
        raise InputError(f"simulate: no method '{method}'; there are: {', '.join(FIXED + ADAPTIVE)}")
    times = instants(t)
    q, qd = start(space, q0, qd0)
    check_tolerances(rtol, atol)
    forces = source(space, torque, times, q.shape[:-1])
    record = _Record(robot, space, times, q.shape[:-1], damping)
    try:
        if method in FIXED:
            _fixed(robot, method, q, qd, forces, record, damping)
        else:
            _adaptive(method, q, qd, forces, record, rtol, atol)
    except SimulationError as error:
        raise SimulationError(str(error), record.simulation()) from error.__cause__
    return record.simulation()


def instants(t: ArrayLike) -> Array:
    """Times, checked."""
    try:
        times = np.asarray(t, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise DtypeError(f"simulate: t must be numbers [s], not {t!r}") from None
    if times.ndim != 1 or len(times) < 1 or not np.isfinite(times).all() or np.any(np.diff(times) <= 0):
        raise InputError("simulate: t must be one row of finite, increasing times [s]")
    return times


def start(
    robot: Robot, q0: ArrayLike, qd0: ArrayLike, method: str = "simulate", names: tuple[str, str] = ("q0", "qd0")
) -> tuple[Array, Array]:
    """The first state, checked and broadcast; method and names are what messages call it."""
    try:
        q, qd = np.asarray(q0, dtype=float), np.asarray(qd0, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise DtypeError(f"{method}: {' and '.join(names)} must be rows of real numbers, of equal length") from None
    for name, array, size in zip(names, (q, qd), (robot.nq, robot.nv), strict=True):
        if array.shape[-1:] != (size,):
            raise ShapeError(f"{method}: {name} has shape {array.shape}, but robot '{robot.name}' needs (..., {size})")
        if not np.isfinite(array).all():
            raise InputError(f"{method}: {name} is not finite")
    try:
        batch = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1])
    except ValueError:
        shapes = f"{names[0]} {q.shape[:-1]} and {names[1]} {qd.shape[:-1]}"
        raise ShapeError(f"{method}: batches of {shapes} do not broadcast") from None
    return np.broadcast_to(q, (*batch, robot.nq)).copy(), np.broadcast_to(qd, (*batch, robot.nv)).copy()


class _Record:
    """Instants as they are reached, time first in memory."""

    def __init__(
        self, robot: Mechanism, space: Robot, times: Array, batch: tuple[int, ...], damping: bool
    ) -> None:
        self.robot, self.space, self.times, self.done = robot, space, times, 0
        self.rate = robot.kernel("state_rate", **_options(damping))
        self.q = np.empty((len(times), *batch, space.nq))
        self.qd, self.qdd, self.tau = (np.empty((len(times), *batch, space.nv)) for _ in range(3))

    def add(self, q: Array, qd: Array, forces: Torque) -> Array:
        """One more instant; its joint forces. A state that is not finite stops the simulation."""
        k = self.done
        for array, names in ((q, self._position_names), (qd, self._velocity_names)):
            if math.isfinite(array.sum()):  # one pass; a sum of finite numbers that overflows is looked into
                continue
            wrong = ~np.isfinite(array).reshape(-1, array.shape[-1]).all(axis=0)
            if wrong.any():
                raise SimulationError(
                    f"simulate: the motion diverges at t={self.times[k]:g} s, first in joint "
                    f"'{names()[int(np.argmax(wrong))]}'; take smaller steps, or look at the forces"
                )
        tau = forces(k, float(self.times[k]), q, qd)
        self.q[k], self.qd[k], self.tau[k] = q, qd, tau
        self.done += 1
        return tau

    def _position_names(self) -> list[str]:
        return [body.joint_name for body in self.space.bodies for _ in range(body.joint.nq)]

    def _velocity_names(self) -> Sequence[str]:
        return self.space.coordinate_names

    def simulation(self) -> Simulation:
        """What has been recorded."""
        n = self.done
        q, qd, tau = self.q[:n], self.qd[:n], self.tau[:n]
        qdd = self.rate(q, qd, tau)[1]
        kinetic, potential = self.robot.kinetic_energy(q, qd), self.robot.potential_energy(q)
        return Simulation(
            self.times[:n],
            *(np.moveaxis(x, 0, -2) for x in (q, qd, qdd, tau)),
            *(np.moveaxis(np.asarray(x), 0, -1) for x in (kinetic, potential)),
        )


def _options(damping: bool) -> dict[str, Any]:
    return {"damping": True} if damping else {}


def _fixed(
    robot: Mechanism, method: str, q: Array, qd: Array, forces: Torque, record: _Record, damping: bool
) -> None:
    """A step from each instant to the next, under the forces at its start."""
    step = robot.kernel(f"{method}_step", **_options(damping))
    with np.errstate(all="ignore"):  # a motion that diverges is told as such
        for k, time in enumerate(record.times):
            tau = record.add(q, qd, forces)
            if k + 1 < len(record.times):
                q, qd = step(q, qd, tau, record.times[k + 1] - time)


def check_tolerances(rtol: float, atol: float) -> None:
    """Tolerances of a solver.

    Raises:
        InputError: one is not a positive number.
    """
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not isinstance(value, (int, float, np.floating)) or not 0 < value < math.inf:
            raise InputError(f"simulate: {name} must be a positive number, not {value!r}")


def _adaptive(
    method: str,
    q: Array,
    qd: Array,
    forces: Torque,
    record: _Record,
    rtol: float,
    atol: float,
) -> None:
    """SciPy's solver; forces are asked for at every stage, a table's row holds until the next."""

    def rates(time: float, q: Array, qd: Array) -> tuple[Array, Array]:
        k = max(int(np.searchsorted(record.times, time, side="right")) - 1, 0)
        dq, qdd = record.rate(q, qd, forces(k, time, q, qd))
        return dq, qdd

    record.add(q, qd, forces)
    with np.errstate(all="ignore"):
        for span in itertools.pairwise(record.times):
            q, qd = adaptive(rates, span, q, qd, method, rtol, atol)
            q = record.space.normalize(q)
            record.add(q, qd, forces)
