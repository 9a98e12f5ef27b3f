"""Detection of events along a motion.

The sign of each event is checked at every instant, stored or not, and after every step of an adaptive solver. The time
of a sign change is then located by steps of other lengths from the last state before it, so the motion's last state is
computed by the method itself.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from revolute.arguments import Array
from revolute.errors import InputError, RevoluteError, SimulationError
from revolute.model.contact import Contact
from revolute.simulate.events import Event, EventMethods, Reached
from revolute.simulate.torque import read_only_copy

State = tuple[Array, Array]

CLOSE = 1e-12
"""Width of the final bracket of an event time [s]; at least 4 units in the last place of the time."""

SLACK = 1e-9
"""Allowed excess of an initial state over a bound [rad, m], because mimic joints reach limits only up to rounding."""


class Crossed(Exception):
    """Raised to stop a solver because the events `which` happened between two times. Users never see this exception."""

    def __init__(self, before: float, after: float, which: list[int]) -> None:
        super().__init__()
        self.before, self.after, self.which = before, after, which


class _Bound(NamedTuple):
    """A function (q) -> (..., n) whose values must not become negative, a name for each value, and their event."""

    names: list[str]
    values: Callable[[Array], Array]
    event: Any = None


class Events:
    """The events of one motion and the signs of their values. Bounds, whose values must not be negative, come first.

    Attributes:
        bounds: number of bounds.
        active: whether events are checked; False once an event is found.
        seen: number of states after the initial one for which no function failed.
    """

    def __init__(self, bounds: Sequence[_Bound], functions: Sequence[Event], parts: Callable[..., Any]) -> None:
        self._bounds, self._functions, self._parts = bounds, functions, parts
        self.names = [name for bound in bounds for name in bound.names] + [event.name for event in functions]
        self._events = [*(bound.event for bound in bounds for _ in bound.names), *functions]
        self.bounds = len(self.names) - len(functions)
        self._floor = np.zeros(self.bounds)
        """Excess of the initial state over the bounds, which is due to rounding."""
        self._sides = [0.0] * len(functions)
        self._last, self.active, self.seen = 0.0, True, 0

    def begin(self, time: float, q: Array, qd: Array) -> None:
        """Set the initial state; raise `InputError` if it is beyond a bound, `SimulationError` if a function fails."""
        values = self._of_bounds(q)
        if (values < -SLACK).any():
            k = int(np.argmin(values))
            raise InputError(f"simulate: q0 is beyond the {self.names[k]}, by {-values[k]:.3g}")
        self._floor = np.minimum(values, 0.0)
        self._sides = [math.copysign(1, x) if x else 0.0 for x in self._of_functions(time, q, qd)]
        self._last = time

    def first(self, times: Array, q: Array, qd: Array) -> tuple[int, list[int]] | None:
        """Index of the first of m subsequent states t, q, qd before which events happened, and the events' indices."""
        beyond = self._of_bounds(q) < 0
        rows = np.flatnonzero(beyond.any(axis=-1))
        end = int(rows[0]) + 1 if len(rows) else len(times)
        for j in range(end if self._functions else 0):
            self.seen = j
            changed = self._changed(self._of_functions(float(times[j]), q[j], qd[j]))
            if changed:
                return j, [*np.flatnonzero(beyond[j]), *(self.bounds + k for k in changed)]
        return (end - 1, [int(k) for k in np.flatnonzero(beyond[end - 1])]) if len(rows) else None

    def observe(self, time: float, q: Array, qd: Array) -> None:
        """Check one subsequent state; raise `Crossed` if events happened before it."""
        if not self.active:
            return
        found = self.first(np.array([time]), q[None], qd[None])
        if found:
            raise Crossed(self._last, time, found[1])
        self._last = time

    def value(self, k: int, time: float, q: Array, qd: Array) -> float:
        """Value of an event, positive on the side where the motion started."""
        if k < self.bounds:
            return float(self._of_bounds(q)[k])
        return self._sides[k - self.bounds] * self._of_function(self._functions[k - self.bounds], time, q, qd)

    def reached(self, k: int, time: float) -> Reached:
        """The event as reported to users."""
        return Reached(self.names[k], float(time), self._events[k])

    def _changed(self, values: list[float]) -> list[int]:
        """Indices of functions whose sign changed in their direction; if there are none, store all signs."""
        found, sides = [], []
        for k, (x, side, event) in enumerate(zip(values, self._sides, self._functions, strict=True)):
            if side and x * side <= 0 and event.direction in (0, -side):
                found.append(k)
            sides.append(math.copysign(1, x) if x else side)
        if not found:
            self._sides = sides
        return found

    def _of_bounds(self, q: Array) -> Array:
        values = [bound.values(q) for bound in self._bounds]
        return np.concatenate([*values, np.empty((*q.shape[:-1], 0))], axis=-1) - self._floor

    def _of_functions(self, time: float, q: Array, qd: Array) -> list[float]:
        return [self._of_function(event, time, q, qd) for event in self._functions]

    def _of_function(self, event: Event, time: float, q: Array, qd: Array) -> float:
        what = f"simulate: event '{event.name}' at t={time:g} s"
        try:
            value = float(event.function(time, *map(read_only_copy, self._parts(q, qd))))
        except RevoluteError:
            raise
        except Exception as error:
            raise SimulationError(f"{what} raised {type(error).__name__}: {error}") from error
        if not math.isfinite(value):
            raise SimulationError(f"{what} is {value}, which is not finite")
        return value


def watched(events: Sequence[Any], stop_at_limits: bool, scene: EventMethods, batch: tuple[int, ...]) -> Events:
    """The events of a motion; raise `InputError` for another type, or for a batch."""
    if batch:
        raise InputError(
            f"simulate: events stop a single motion, but q0 and qd0 are a batch {batch}: its motions would end at "
            "different times. Simulate them one by one"
        )
    bounds: list[_Bound] = []
    if stop_at_limits:
        for word, limits, sign in (("lower", scene.lower, 1.0), ("upper", scene.upper, -1.0)):
            at = np.flatnonzero(np.isfinite(limits)).tolist()
            names = [f"{word} limit of '{scene.names[k]}'" for k in at]
            bounds.append(_Bound(names, partial(_room, joints=scene.joints, at=at, limits=limits[at], sign=sign)))
    functions: list[Event] = []
    for event in events:
        if isinstance(event, Contact):
            if scene.gaps is None:
                raise InputError("simulate: a Contact is for robots; this system has no links")
            values = partial(_gap, contact=event, gaps=scene.gaps)
            bounds.append(_Bound([f"contact of '{event.link}'"], values, event))
        elif isinstance(event, Event) or callable(event):
            functions.append(event if isinstance(event, Event) else Event(event))
        else:
            raise InputError(f"simulate: events must be Event, Contact or functions, not {event!r}")
    return Events(bounds, functions, scene.parts)


def _room(q: Array, joints: Callable[[Array], Array], at: list[int], limits: Array, sign: float) -> Array:
    """Signed distances of joint positions from their limits; negative beyond a limit."""
    return np.asarray(sign * (joints(q)[..., at] - limits))


def _gap(q: Array, contact: Contact, gaps: Callable[[Array, Sequence[Contact]], Array]) -> Array:
    """(..., 1) distance of a contact from its surface."""
    return gaps(q, [contact])


def first_change(
    events: Events, which: Sequence[int], bracket: tuple[float, float], state: Callable[[float], State]
) -> tuple[int, float]:
    """The first of some events between two times, and its time; `state` returns the state at a time between these."""
    # For a bound, the time is just before the change, so that the motion ends within the bound. For a function, it is
    # just after the change.
    found: list[tuple[float, int]] = []
    for k in which:
        before, after = _narrowed(lambda time: events.value(k, time, *state(time)), *bracket)  # noqa: B023
        found.append((before if k < events.bounds else after, k))
    time, k = min(found)
    return k, time


def _narrowed(f: Callable[[float], float], a: float, b: float) -> tuple[float, float]:
    """A bracket of width `CLOSE` in which f changes from plus to minus. Chandrupatla, Adv. Eng. Softw. 28, 1997."""
    fa, fb = f(a), f(b)
    if fa <= 0:
        return a, a
    if fb > 0:  # an adaptive solver found it with other steps
        return b, b
    old, f_old, part = a, fa, 0.5
    low, high = a, b
    while high - low > max(CLOSE, 4 * math.ulp(high)):
        x = min(max(a + part * (b - a), low), high)
        fx = f(x)
        if (fx > 0) == (fa > 0):
            old, f_old = a, fa
        else:
            old, f_old, b, fb = b, fb, a, fa
        a, fa = x, fx
        low, high = (a, b) if fa > 0 else (b, a)
        xi, phi = (a - b) / (old - b), (fa - fb) / (f_old - fb)
        part = 0.5
        if phi**2 < xi and (1 - phi) ** 2 < 1 - xi:
            part = fa / (fb - fa) * f_old / (fb - f_old) + (old - a) / (b - a) * fa / (f_old - fa) * fb / (f_old - fb)
        least = min(0.25 * max(CLOSE, 4 * math.ulp(high)) / (high - low), 0.5)
        part = min(max(part, least), 1 - least)
    return low, high
