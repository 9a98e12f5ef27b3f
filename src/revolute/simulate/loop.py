"""Motions by steps of fixed length whose whole loop over time is machine code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from revolute.compiler.memory import new_array
from revolute.errors import SimulationError
from revolute.simulate.feedback import Feedback
from revolute.simulate.record import require_finite
from revolute.simulate.result import Simulation
from revolute.simulate.torque import Table, Torque

if TYPE_CHECKING:
    from revolute.compiler.recurrence import Loop

__all__ = ["machine_code_loads", "simulated"]

Array = NDArray[Any]
Names = tuple[Sequence[str], Sequence[str]]


def machine_code_loads(sources: Sequence[Torque], links: Sequence[str]) -> dict[str, Any] | None:
    """The inputs of a loop from joint forces and the wrenches on links; None if one of them is a function.

    They are named as the inputs of the loop: "force", or those of its law; and "wrench on '...'".
    """
    tau, *wrenches = sources
    if not isinstance(tau, (Table, Feedback)) or not all(isinstance(x, Table) for x in wrenches):
        return None
    applied = tau.arrays if isinstance(tau, Feedback) else {"force": tau}
    return {**applied, **{f"wrench on '{link}'": x for link, x in zip(links, wrenches, strict=True)}}


def simulated(
    loop: Loop,
    times: Array,
    first: tuple[Array, Array],
    loads: Mapping[str, Any],
    names: Names,
    threads: int | None,
) -> Simulation:
    """The motion of a loop; the same as that of `march`, which asks for forces at each instant.

    Args:
        loop: with the states q and qd.
        times: (T,) instants [s].
        first: q and qd, (..., n) each.
        loads: a `Table` for each input that changes in time, an array for each other one.
        names: joint of each entry of q, and of qd, for messages.
        threads: see `Robot.simulate`.

    Raises:
        SimulationError: the motion diverges.
    """
    shape, form = (len(times), *first[0].shape[:-1]), loop.form
    sizes = {**form.states, **form.stores}
    records = {name: new_array((*shape, *size), np.dtype(float)) for name, size in sizes.items()}
    for name, state in zip(form.states, first, strict=True):
        records[name][0] = state
    with np.errstate(over="ignore"):  # a step may be infinite
        steps = np.append(np.diff(times), 0.0)
    rows = math.prod(shape[1:])
    arrays = {
        "h": np.broadcast_to(steps[:, None], (len(times), rows)),
        **{name: _by_rows(load, shape, form.loads[name]) for name, load in loads.items()},
        **{name: x.reshape(len(times), rows, *x.shape[len(shape) :]) for name, x in records.items()},
    }
    count = loop.run({name: arrays[name] for name in form.arrays}, threads)

    def motion() -> Simulation:
        reached = (records[name][:count] for name in ("q", "qd", "qdd", "tau", "T", "U"))
        return Simulation.of(times[:count], *reached)

    if count < len(times):
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # sums of infinite numbers
                require_finite(float(times[count]), (records["q"][count], records["qd"][count]), names)
        except SimulationError as error:
            error.partial = motion()
            raise
    return motion()


def _by_rows(load: Table | Array, shape: tuple[int, ...], size: tuple[int, ...]) -> Array:
    """A load as (instants, rows, *core), broadcast where it stays the same."""
    rows = math.prod(shape[1:])
    if not isinstance(load, Table):
        return np.broadcast_to(load, (shape[0], rows, *size))
    table = np.moveaxis(load.rows, -2, 0)
    if table.strides[0] == 0:  # constant
        table = table[:1]
    return np.broadcast_to(table.reshape(len(table), rows, *size), (shape[0], rows, *size))
