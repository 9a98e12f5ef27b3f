"""`Stepper`: single steps of a motion, in place, for learning and control loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import broadcasts_to, float_copy, instances, positive
from revolute.compiler.kernel import Kernel
from revolute.dynamics.steps import METHODS, check_method
from revolute.errors import DtypeError, InputError, ShapeError
from revolute.machine.machine import Array, Machine, Threads
from revolute.model.contact_inputs import ContactInputs

State = tuple[Array, Array]


class ContactState(NamedTuple):
    """The state after a step with contacts, and mean accelerations and forces over the step.

    Attributes:
        q, qd: the arrays passed to `step`.
        qdd: (..., nv) accelerations.
        contact_forces: (..., contacts, 3) forces on links in the base frame [N].
        stop_forces: (..., stops) forces of stops [N m, N].
        residual: (...) see `revolute.machine.robot.contacts.Impact`.
    """

    q: Array
    qd: Array
    qdd: Array
    contact_forces: Array
    stop_forces: Array
    residual: Array


def stepper(
    machine: Machine, dt: float, method: str, options: Mapping[str, Any], wrench_links: Sequence[str],
    threads: Threads, data: tuple[Array, ...] = (), touching: ContactInputs | None = None,
) -> Stepper:
    """See `Robot.stepper`; `data` are the inputs of the step's kernel that come before the state."""
    check_method("stepper", method, tuple(METHODS))
    h = positive("stepper: dt", dt, "number [s]")
    links = instances("stepper: wrench_links", wrench_links, str)
    chosen = {**options, **({"wrenches": links} if links else {})}
    if touching is None:
        return Stepper(machine.kernel(f"{method}_step", **chosen), h, data, threads)
    kernel = machine.kernel("touching_step", **chosen, **touching.options)
    return Stepper(kernel, h, data, threads, tuple(touching.arrays.values()))


class Stepper:
    """Advances states in place, by steps of fixed length; created by `Robot.stepper`.

    A stepper keeps memory for the results of the latest batch. Several threads may use it at once.

    Attributes:
        kernel: the compiled step.
        dt: length of a step [s].
    """

    def __init__(
        self, kernel: Kernel, dt: float, data: tuple[Array, ...] = (), threads: Threads = None,
        touching: tuple[Array, ...] = (),
    ) -> None:
        self.kernel, self.dt = kernel, dt
        self._data, self._threads, self._after = data, threads, (np.array(dt), *touching)
        self._more = [shape for _, shape in kernel.outputs[2:]]
        known = {name for name, _ in kernel.outputs}
        self._missing = [k for k, name in enumerate(("contact_forces", "stop_forces"), 1) if name not in known]
        self._spare: list[tuple[Array, ...]] = []
        self._fast = kernel.fast_call(self._any_state)

    def step(self, q: Array, qd: Array, tau: ArrayLike, *wrenches: ArrayLike) -> State | ContactState:
        """Advance a state, or every state of a batch, by one step with constant forces.

        A call for one state, with arrays of float64 for all arguments, is fastest: a fraction of a microsecond.
        New arrays are allocated only if the shape of the batch has changed.

        Args:
            q, qd: (..., nq), (..., nv) arrays of float64 with the same batch; they receive the new state. They may be
                views, even of the same array, but must not overlap.
            tau: (..., nv) joint forces [N m, N]; they broadcast to the batch.
            *wrenches: (..., 6) wrench (m, f) on each link in `wrench_links`, in the frame of the link [N m, N].

        Returns:
            q and qd themselves; with contacts or stops a `ContactState`.

        Raises:
            DtypeError, InputError: q or qd is not a writable array of float64.
            ShapeError: an array does not fit.
        """
        if self._more:
            return self._touched(q, qd, tau, wrenches)
        state: State = self._fast(*self._data, q, qd, tau, *self._after, *wrenches, out=(q, qd))
        return state

    def _touched(self, q: Array, qd: Array, tau: ArrayLike, wrenches: tuple[ArrayLike, ...]) -> ContactState:
        """Advance the state by one step with contacts or stops; return it with the forces."""
        batch = getattr(q, "shape", ())[:-1]  # others are refused
        results = [np.empty(batch + shape) for shape in self._more]
        self._fast(*self._data, q, qd, tau, *self._after, *wrenches, out=(q, qd, *results))
        for k in self._missing:
            results.insert(k, np.empty((*batch, 0, 3)[: len(batch) + 3 - k]))
        return ContactState(q, qd, *results)

    def _any_state(self, *arrays: Any, out: tuple[Array, ...]) -> tuple[Array, ...]:
        """Advance batches, and arrays of any layout, by one step; results pass through the stepper's memory."""
        batch = self._batch(arrays, out[:2])
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

    def _batch(self, arrays: tuple[Any, ...], state: tuple[Array, ...]) -> tuple[int, ...]:
        """The batch shape of q and qd. Raise an error if they cannot change in place, or another does not broadcast."""
        own = self.kernel.inputs[len(self._data) :]
        if len(arrays) != len(self.kernel.inputs):
            listed = ", ".join(x.name for x in (*own[:3], *own[3 + len(self._after) :]))
            raise InputError(f"step takes {listed}, not {len(arrays) - len(self._data) - len(self._after)} arrays")
        names = [x.name for x in own]
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
        for form, x in zip(own[2:], arrays[len(self._data) + 2 :], strict=True):
            x = x if isinstance(x, np.ndarray) else float_copy(f"step: {form.name}", x)
            leading = x.shape[: max(x.ndim - len(form.shape), 0)]
            if not broadcasts_to(leading, q.shape[:-1]):
                raise ShapeError(f"step: {form.name} has the batch {leading}, but the states have {q.shape[:-1]}")
        return q.shape[:-1]

    def __reduce__(self) -> tuple[Any, ...]:
        return Stepper, (self.kernel, self.dt, self._data, self._threads, self._after[1:])

    def __repr__(self) -> str:
        return f"<Stepper of {self.kernel.robot_name!r}: {self.kernel.name} of {self.dt:g} s>"
