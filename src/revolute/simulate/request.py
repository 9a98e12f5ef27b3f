"""The request for a motion, as users give it, and as a task: the same request, checked for one machine."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import (
    Array,
    broadcast_shapes,
    by_names,
    column_labels,
    finite_array,
    float_copy,
    instance,
    instances,
    positive,
    swap_hint,
    whole_number,
    wrenches_by_link,
)
from revolute.dynamics.steps import check_method
from revolute.errors import InputError, ShapeError, SimulationInterrupt
from revolute.model.contact_inputs import ContactInputs
from revolute.model.model import Model
from revolute.records import dataclass
from revolute.simulate.events import EventMethods, Reached
from revolute.simulate.feedback import Feedback
from revolute.simulate.progress import Progress
from revolute.simulate.torque import Space, Table, Torque, joined, nouns, row_of_batch, source, wrench_sources
from revolute.simulate.touching import require_outside
from revolute.simulate.watching import Events, State, first_change, watched

STEP = 1e-3
"""Default time between instants, if only the duration of a motion is given [s]."""


@dataclass(frozen=True, eq=False)
class Request:
    """Arguments of `Robot.simulate`, as users give them."""

    q0: Any
    qd0: Any
    torque: Any
    t: Any
    method: str
    wrenches: Mapping[str, Any] | None = None
    rtol: float = 1e-9
    atol: float = 1e-11
    events: Any = ()
    stop_at_limits: bool = False
    every: int = 1
    progress: bool | None = None
    threads: int | None = None
    parameters: ArrayLike | None = None
    touching: ContactInputs | None = None
    inputs: Mapping[str, Table] | None = None


@dataclass(frozen=True, eq=False)
class MotionTask:
    """A checked request: instants, initial state, forces and events of one motion."""

    request: Request
    space: Any  # coordinates of the machine: a model, or a Lagrangian system
    times: Array  # (T,) instants [s]
    # q, qd: initial state (..., nq), (..., nv)
    q: Array
    qd: Array
    links: tuple[str, ...]  # names of the links on which wrenches act
    sources: Sequence[Torque]  # joint forces, the wrench on each link, and further inputs of the machine
    n: int  # number of joint forces
    events: Events | None  # events that stop the motion, if any
    bar: Progress  # progress bar

    @property
    def batch(self) -> tuple[int, ...]:
        """Leading axes of a state."""
        return self.q.shape[:-1]

    @cached_property
    def forces(self) -> Torque:
        """Joint forces, the six components of the wrench on each link, and further inputs of the machine."""
        return joined(self.sources)

    @cached_property
    def loads(self) -> dict[str, int]:
        """Number of entries of each source except joint forces, by input name."""
        more = {name: x.rows.shape[-1] for name, x in (self.request.inputs or {}).items()}
        return {**{f"wrench on '{link}'": 6 for link in self.links}, **more}

    @cached_property
    def steps(self) -> Array:
        """(T,) lengths of the steps; the length after the last instant is zero, or with contacts the previous one."""
        with np.errstate(over="ignore"):  # overflow to an infinite step is allowed
            steps = np.diff(self.times)
        last = 0.0 if self.request.touching is None else steps[-1] if len(steps) else STEP
        return np.append(steps, last)

    @property
    def held(self) -> bool:
        """Whether all forces are constant between instants."""
        return all(isinstance(x, Table) for x in self.sources)

    @property
    def feedback(self) -> Feedback | None:
        """The control law of the joint forces, if any."""
        return self.sources[0] if isinstance(self.sources[0], Feedback) else None

    @property
    def kept(self) -> int:
        """Number of stored instants."""
        return -(-len(self.times) // self.request.every)

    def stop(
        self, which: list[int], bracket: tuple[float, float], state: Callable[[float], State]
    ) -> tuple[Reached, State]:
        """The first event, and the state at its time: see `first_change`."""
        assert self.events is not None
        self.events.active = False
        k, time = first_change(self.events, which, bracket, state)
        return self.events.reached(k, time), state(time)

    def interrupted(self, motion: object) -> SimulationInterrupt:
        """The error that Ctrl-C raises, with the motion up to that time."""
        t = getattr(motion, "t", np.empty(0))
        words = f"after t={t[-1]:g} s of {self.times[-1]:g} s" if len(t) else "before its first instant"
        return SimulationInterrupt(f"simulate: interrupted {words}; its `partial` is the motion up to there", motion)


def prepare(
    request: Request, methods: Sequence[str], space: Space, state: State, scene: Callable[[], EventMethods],
    driven: Sequence[str] | None = None,
) -> MotionTask:
    """Check a request for a machine with these coordinates, from an initial state q and qd: see `start`.

    `methods` are the integration methods that the machine supports; `scene` returns the methods that events call;
    `driven` names its joint forces, by default one per coordinate.
    """
    check_method("simulate", request.method, methods)
    positive("simulate: rtol", request.rtol)
    positive("simulate: atol", request.atol)
    links, _ = wrenches_by_link(request.wrenches)
    times, (q, qd) = instants_beside(request.torque, request.t), state
    if isinstance(space, Model):
        _require_rotations(space, q)
    batch, driven = q.shape[:-1], space.coordinate_names if driven is None else driven
    torque = by_names("simulate: torque", request.torque, driven, "tau.")
    sources = [source(space, torque, times, batch, driven), *wrench_sources(request.wrenches or {}, times, batch)]
    sources += (request.inputs or {}).values()
    whole_number("simulate: every", request.every, 1)
    limits = bool(instance("simulate: stop_at_limits", request.stop_at_limits, (bool, np.bool_)))
    show = instance("simulate: progress", request.progress, (bool, type(None)))
    given = instances("simulate: events", request.events, object)
    events = watched(given, limits, scene(), batch) if given or limits else None
    if request.touching:
        require_outside(request.touching, q, scene())
    if events:
        events.begin(float(times[0]), q, qd)
    bar = Progress(f"simulating '{space.name}'", (float(times[0]), float(times[-1])), show)
    return MotionTask(request, space, times, q, qd, links, sources, len(driven), events, bar)


def _require_rotations(model: Model, q: Array) -> None:
    """Raise `InputError` if a quaternion is zero."""
    for body, at in zip(model.bodies, model.q_index, strict=True):
        if (k := body.joint.quaternion_at) is not None:
            zero = ~q[..., at.start + k : at.start + k + 4].any(axis=-1)
            if zero.any():
                row = row_of_batch(np.argwhere(zero)[0])
                raise InputError(
                    f"simulate: q0{row}: the quaternion of '{body.joint_name}' is zero; start from robot.neutral()"
                )


def instants(t: ArrayLike) -> Array:
    """A checked copy of the times, as an array. A number is a duration, which is divided into intervals of `STEP`."""
    if isinstance(t, (int, float, np.number)) and not isinstance(t, bool) and 0 < t < math.inf:
        return np.linspace(0.0, float(t), max(round(float(t) / STEP), 1) + 1)
    times = float_copy("simulate: t [s]", t if column_labels(t) is None else np.asarray(t))
    if times.ndim != 1 or len(times) < 1 or not np.isfinite(times).all() or (times[1:] <= times[:-1]).any():
        raise InputError(
            "simulate: t must be one row of finite, increasing times [s], or a positive number for a duration"
        )
    return times


def instants_beside(torque: Any, t: ArrayLike) -> Array:
    """Checked times. The error message says so if torque and t seem to be swapped."""
    try:
        return instants(t)
    except InputError as error:
        try:
            instants(torque if np.ndim(torque) or t is None else ())
        except InputError:
            raise error from None
        raise InputError(f"{error}; torque and t seem to be swapped") from None


def start(
    space: Space, q0: ArrayLike, qd0: ArrayLike, method: str = "simulate", names: tuple[str, str] = ("q0", "qd0"),
    others: Mapping[str, tuple[int, ...]] | None = None,
) -> State:
    """The initial state, which must be finite, broadcast to its batch and to the batches of `others`, {name: batch}.

    `method` and `names` appear in error messages.
    """
    q, qd = (finite_array(f"{method}: {name}", x) for name, x in zip(names, (q0, qd0), strict=True))
    for name, array, size in zip(names, (q, qd), (space.nq, space.nv), strict=True):
        if array.shape[-1:] != (size,):
            hint = swap_hint(names, (q.shape, qd.shape), ((space.nq,), (space.nv,)))
            owner = f"{nouns(space)[0]} '{space.name}'"
            raise ShapeError(f"{method}: {name} has shape {array.shape}, but {owner} needs (..., {size}){hint}")
    batches = {names[0]: q.shape[:-1], names[1]: qd.shape[:-1], **(others or {})}
    try:
        batch = broadcast_shapes([*batches.values()])
    except ValueError:
        listed = " and ".join(f"{name} {shape}" for name, shape in batches.items())
        raise ShapeError(f"{method}: batches of {listed} do not broadcast") from None
    return np.broadcast_to(q, (*batch, space.nq)).copy(), np.broadcast_to(qd, (*batch, space.nv)).copy()
