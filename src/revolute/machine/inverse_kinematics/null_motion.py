"""Projection on the null space of the task Jacobian, as a loop of one step in machine code, a lane a pose."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.compiler.signature import Signature
from revolute.dynamics.damped_least_squares import mean_square, unforced_motion
from revolute.graph import Input
from revolute.machine.functions.inverse_kinematics import Frames, Rows
from revolute.machine.inverse_kinematics.machine import PosedMachine
from revolute.machine.inverse_kinematics.search import LEAST, error_rows, free_joints, held
from revolute.machine.machine import Array, Threads
from revolute.model.identity import exact_text
from revolute.model.model import Model
from revolute.spatial.scalar import Scalars
from revolute.targets.llvm.recurrence import LoopForm, Recurrence, Stage, following, joined

if TYPE_CHECKING:
    from revolute.compiler.recurrence import TimeLoop

__all__ = ["null_motion"]


def null_motion(
    machine: PosedMachine, frames: Frames, rows: Rows, limits: tuple[Array, Array], threads: Threads, z: Array,
    q: Array, poses: Array,
) -> Array:
    """The part of (M, nv) small motions z at q that leaves poses unchanged, to first order."""
    loop = _loop(machine, frames, rows)
    count = loop.whole_blocks(len(z))
    order = np.minimum(np.arange(count), len(z) - 1)  # repeat the last one until blocks are full
    left = z[order]
    arrays = {"z": left, "q": q[order], "poses": poses[order], "lower": limits[0], "upper": limits[1]}
    views = {name: _one_instant(arrays[name], count, len(core)) for name, core in loop.form.arrays.items()}
    loop.run(views, threads, in_place=True)
    return left[: len(z)]


def _one_instant(x: Array, rows: int, axes: int) -> Array:
    """The memory of an array as that of one instant, the same for all rows if it has no axis of them."""
    own = x.ndim > axes
    return np.ndarray((1, rows, *x.shape[own:]), x.dtype, x, strides=(0, *(() if own else (0,)), *x.strides))


def _null_motion(space: Model, error: Signature) -> Signature:
    """Project a small motion onto the null space of the task Jacobian, with joints at limits fixed. Liegeois 1977."""
    n, nv, poses = space.nq, space.nv, error.inputs[1].shape

    def body(wish: Scalars, q: Scalars, poses: Scalars, lower: Scalars, upper: Scalars) -> Any:
        z = wish
        _, J = error_rows(space, error, q, poses)
        for _ in range(2):  # a joint may be pushed outwards by the desired motion, or only by its projection
            free = free_joints(space, q, z, lower, upper)
            J, wish = held(J, free), [x * f for x, f in zip(wish, free, strict=True)]
            z = unforced_motion(J, wish, LEAST * mean_square(J))
        return z

    limits = Input("lower", (n,)), Input("upper", (n,))
    inputs = (Input("z", (nv,)), Input("q", (n,)), Input("poses", poses), *limits)
    return Signature("null_motion", inputs, (("z", (nv,)),), body)


def _loop(machine: PosedMachine, frames: Frames, rows: Rows) -> TimeLoop:
    """The loop of a machine, made once."""
    key = ("null_motion", frames, rows)
    if key not in machine._loops:
        from revolute.compiler.recurrence import TimeLoop

        error, identity, owner = machine._identified("chord_error", {"frames": frames, "rows": rows})
        step = _null_motion(machine._space, error)
        shapes = {x.name: x.shape for x in step.inputs}
        form = LoopForm({"z": shapes.pop("z")}, shapes, {})
        identity = identity and exact_text((identity, "null_motion"))
        machine._loops[key] = TimeLoop("null_motion", owner, identity, form, partial(_traced, form, step))
    loop: TimeLoop = machine._loops[key]
    return loop


def _traced(form: LoopForm, step: Signature) -> Recurrence:
    inputs = tuple(x.name for x in step.inputs)
    return joined(form, (Stage(step.graph(), inputs, tuple(map(following, form.states))),))
