"""`Stepper`: single steps of a motion, in place, for learning and control loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import broadcasts_to, instances, positive
from revolute.compiler.kernel import Kernel
from revolute.dynamics.steps import METHODS, check_method
from revolute.errors import DtypeError, InputError, ShapeError
from revolute.machine.machine import Array, Machine, Threads

State = tuple[Array, Array]


def stepper(
    machine: Machine, dt: float, method: str, options: Mapping[str, Any], wrench_links: Sequence[str],
    threads: Threads, data: tuple[Array, ...] = (),
) -> Stepper:
    """See `Robot.stepper`; `data` are the inputs of the step that come before the state."""
    check_method("stepper", method, tuple(METHODS))
    h = positive("stepper: dt", dt, "number [s]")
    links = instances("stepper: wrench_links", wrench_links, str)
    chosen = {**options, **({"wrenches": links} if links else {})}
    return Stepper(machine.kernel(f"{method}_step", **chosen), h, data, threads)


class Stepper:
    """Fixed steps, in place; created by `Robot.stepper`.

    It stores memory for the results of the latest batch, and may be used by several threads at once.

    Attributes:
        kernel: the compiled step.
        dt: length of a step [s].
    """

    def __init__(self, kernel: Kernel, dt: float, data: tuple[Array, ...] = (), threads: Threads = None) -> None:
        self.kernel, self.dt = kernel, dt
        self._data, self._threads, self._h = data, threads, np.array(dt)
        self._spare: list[tuple[Array, ...]] = []
        self._fast = kernel.fast_call(self._any_state)

    def step(self, q: Array, qd: Array, tau: ArrayLike, *wrenches: ArrayLike) -> State:
        """Advance a state, or every state of a batch, by one step with constant forces.

        The fastest call is that of one state with arrays of float64 for all arguments: a fraction of a microsecond.
        New arrays are allocated only if a batch has another shape than the previous one.

        Args:
            q, qd: (..., nq), (..., nv) arrays of float64 with the same batch; they receive the new state. They may be
                views, also of one array, but must not overlap.
            tau: (..., nv) joint forces [N m, N]; it broadcasts to the batch.
            *wrenches: (..., 6) wrench (m, f) on each of the stepper's links [N m, N], in its frame.

        Returns:
            q and qd themselves.

        Raises:
            DtypeError, InputError: q or qd is not a writable array of float64.
            ShapeError: an array does not fit.
        """
        state: State = self._fast(*self._data, q, qd, tau, self._h, *wrenches, out=(q, qd))
        return state

    def _any_state(self, *arrays: Any, out: State) -> State:
        """Step batches, and arrays of any layout, through the stepper's own memory."""
        batch = self._batch(arrays, out)
        try:
            results = self._spare.pop()  # the results of the last call, unless another thread uses this memory
        except IndexError:
            results = None
        if results is None or results[0].shape[:-1] != batch:
            results = tuple(np.empty((*batch, *shape)) for _, shape in self.kernel.outputs)
        self.kernel(*arrays, out=results, threads=self._threads)
        for x, result in zip(out, results, strict=True):
            x[...] = result
        self._spare[:] = [results]
        return out

    def _batch(self, arrays: tuple[Any, ...], state: State) -> tuple[int, ...]:
        """The batch of a state, to which all other arrays broadcast."""
        if len(arrays) != len(self.kernel.inputs):
            listed = ", ".join(x.name for x in self.kernel.inputs[len(self._data) :] if x.name != "h")
            raise InputError(f"step takes {listed}, not {len(arrays) - len(self._data) - 1} arrays")
        names = [x.name for x in self.kernel.inputs[len(self._data) :]]
        for name, x, (_, shape) in zip(names, state, self.kernel.outputs, strict=False):
            if not isinstance(x, np.ndarray) or x.dtype != np.float64:
                kind = x.dtype if isinstance(x, np.ndarray) else type(x).__name__
                raise DtypeError(f"step: {name} is changed in place: it must be an array of float64, not {kind}")
            if not x.flags.writeable:
                raise InputError(f"step: {name} is changed in place, but it is read-only")
            if x.shape[-1:] != shape:
                owner = f"'{self.kernel.robot_name}' needs (..., {shape[0]})"
                raise ShapeError(f"step: {name} has shape {x.shape}, but {owner}")
        q, qd = state
        if q.shape[:-1] != qd.shape[:-1]:
            raise ShapeError(f"step: {names[0]} and {names[1]} have the batches {q.shape[:-1]} and {qd.shape[:-1]}")
        for name, x in zip(names[2:], arrays[len(self._data) + 2 :], strict=True):
            leading = np.shape(x)[:-1]
            if not broadcasts_to(leading, q.shape[:-1]):
                raise ShapeError(f"step: {name} has the batch {leading}, but the states have {q.shape[:-1]}")
        return q.shape[:-1]

    def __reduce__(self) -> tuple[Any, ...]:
        return Stepper, (self.kernel, self.dt, self._data, self._threads)

    def __repr__(self) -> str:
        return f"<Stepper of {self.kernel.robot_name!r}: {self.kernel.name} of {self.dt:g} s>"
