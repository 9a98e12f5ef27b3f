"""Closures that open and close, and targets that move, as inputs of a simulation."""

from typing import Any, Self

import numpy as np

from revolute.errors import InputError, SimulationError
from revolute.machine.machine import Array
from revolute.model.model import Model
from revolute.simulate.torque import Table, table


class Path(Table):
    """Targets over time, cubic between given times: each row contains values, rates, accelerations and jerks."""

    def __init__(self, rows: Array, times: Array) -> None:
        super().__init__(rows)
        self.times = times

    @classmethod
    def through(cls, x: Array, v: Array, times: Array) -> Self:
        """The path with values x and rates v, each (..., T, m), at the given times."""
        h = np.diff(times)[:, None]
        slope, before, after = np.diff(x, axis=-2) / h, v[..., :-1, :], v[..., 1:, :]
        a, j = (6 * slope - 4 * before - 2 * after) / h, 6 * (before + after - 2 * slope) / h**2
        last = a[..., -1:, :] + h[-1:] * j[..., -1:, :] if len(h) else 0 * x
        a, j = (np.concatenate([y, end], axis=-2) for y, end in ((a, last), (j, 0 * last)))
        return cls(np.concatenate([x, v, a, j], axis=-1), times)

    def __call__(self, k: int, time: float, *state: Array) -> Array:
        (x, v, a, j), s = np.split(self.rows[..., k, :], 4, axis=-1), time - self.times[k]
        return np.concatenate([x + s * (v + s * (a / 2 + s * j / 6)), v + s * (a + s * j / 2), a + s * j, j], axis=-1)


def inputs_of(
    robot: Model, sizes: tuple[int, int], times: Array, batch: tuple[int, ...], active: Any, target: Any, rate: Any
) -> dict[str, Table]:
    """{option of the kernels: time-dependent input of a motion}: see `ConstrainedRobot.simulate`.

    `sizes` are the numbers of closures and of rows.
    """

    def read(what: str, given: Any, n: int) -> Table:
        if callable(given):
            try:
                given = np.stack([np.atleast_1d(given(time)) for time in times.tolist()], axis=-2)
            except Exception as error:
                raise SimulationError(f"simulate: {what}(t) raised {type(error).__name__}: {error}") from error
        return table(what, f"'{robot.name}'", n, given, times, batch)

    found = {} if active is None else {"switched": read("active", active, sizes[0])}
    if target is None:
        if rate is not None:
            raise InputError("simulate: target_rate is the rate of a target; give target, too")
        return found
    x = read("target", target, sizes[1]).rows
    if rate is not None:
        v = read("target_rate", rate, sizes[1]).rows
    else:
        v = np.gradient(x, times, axis=-2, edge_order=2 if len(times) > 2 else 1) if len(times) > 1 else 0 * x
    return {**found, "led": Path.through(x, v, times)}
