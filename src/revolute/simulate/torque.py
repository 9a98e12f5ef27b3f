"""Joint forces and wrenches of a simulation, which are None, constant, a table over time, or a function."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, broadcasts_to, float_copy
from revolute.errors import InputError, ShapeError, SimulationError
from revolute.model.model import Model
from revolute.simulate.feedback import Law, Plant

Torque = Callable[..., Array]
"""(index of the interval, time, *state) -> (..., nv) joint forces [N m, N]; interval k begins at instant k."""

FEW = 32
"""Number of entries up to which Python sums faster than NumPy; the sum is finite only if all entries are."""

_FLOAT = np.dtype(np.float64)
_WRENCH = ("'mx'", "'my'", "'mz'", "'fx'", "'fy'", "'fz'")


class Table:
    """A source of joint forces: a table (..., T, n) with a row for every instant, possibly broadcast."""

    def __init__(self, rows: Array) -> None:
        self.rows = rows

    def __call__(self, k: int, time: float, *state: Array) -> Array:
        return np.asarray(self.rows[..., k, :])


class Space(Protocol):
    """The coordinates of a robot or of a Lagrangian system, with a name for every velocity."""

    @property
    def name(self) -> str: ...
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def coordinate_names(self) -> Sequence[str]: ...


def nouns(space: Space) -> tuple[str, str]:
    """Nouns for a machine and for one of its coordinates, for messages."""
    return ("robot", "joint") if isinstance(space, Model) else ("system", "coordinate")


def source(space: Space, torque: Any, t: Array, batch: tuple[int, ...], names: Sequence[str]) -> Torque:
    """The joint forces with these names, as a function with checked results.

    A row of a table applies from its instant until the next. A user function, or the method `torque` of a controller,
    receives read-only copies of the state.
    """
    kind, entry = nouns(space)
    entries, owner = [f"{entry} '{x}'" for x in names], f"{kind} '{space.name}'"
    if isinstance(torque, Law):

        def checked(what: str, given: Any, n: int) -> Table:
            return table(what, owner, n, given, t, batch)

        return torque._feedback(Plant(owner, entries, len(entries), space.nq, space.nv, t, batch, checked))
    if callable(method := getattr(torque, "torque", None)):
        return _checked(f"{type(torque).__name__}.torque", entries, method, batch)
    return _source("torque", owner, entries, torque, t, batch)


def wrench_sources(wrenches: Mapping[str, Any], t: Array, batch: tuple[int, ...]) -> list[Torque]:
    """The wrench on each link, as a source: a function like the one that returns joint forces."""
    return [_source(f"wrenches['{link}']", "a wrench", _WRENCH, given, t, batch) for link, given in wrenches.items()]


def joined(sources: Sequence[Torque]) -> Torque:
    """The concatenated numbers of several sources: joint forces, then the six components of a wrench on each link."""
    if len(sources) == 1:
        return sources[0]

    def together(k: int, time: float, *state: Array) -> Array:
        return np.concatenate([x(k, time, *state) for x in sources], axis=-1)

    return together


def _source(what: str, owner: str, entries: Sequence[str], given: Any, t: Array, batch: tuple[int, ...]) -> Torque:
    """Forces or a wrench, with a name for each entry, as a function with checked results: see `source`."""
    if given is None:
        given = np.zeros(len(entries))
    if isinstance(given, Law) or callable(getattr(given, "torque", None)):
        raise InputError(f"simulate: {what} must be None, numbers or a function, not {type(given).__name__}")
    if callable(given):
        return _checked(what, entries, given, batch)
    return table(what, owner, len(entries), given, t, batch)


def table(what: str, owner: str, n: int, given: ArrayLike, t: Array, batch: tuple[int, ...]) -> Table:
    """(n,) numbers, or a row of n numbers for every instant, as a table."""
    rows = float_copy(f"simulate: {what}", given)
    if not np.isfinite(rows).all():
        bad = np.argwhere(~np.isfinite(rows))
        raise InputError(f"simulate: {what} is not finite at {tuple(map(int, bad[0]))}")
    if rows.shape == (n,):
        return Table(np.broadcast_to(rows, (*batch, len(t), n)))
    if rows.ndim < 2 or rows.shape[-2:] != (len(t), n):
        raise ShapeError(
            f"simulate: {what} has shape {rows.shape}, but {owner} needs ({n},), "
            f"(..., {len(t)}, {n}) with a row for every instant of t, or a function"
        )
    return Table(np.broadcast_to(in_batch(what, rows, 2, batch), (*batch, len(t), n)))


def _checked(name: str, entries: Sequence[str], function: Callable[..., Any], batch: tuple[int, ...]) -> Torque:
    shape = (*batch, len(entries))
    few = not batch and len(entries) <= FEW

    def call(k: int, time: float, *state: Array) -> Array:
        try:
            result: Array = function(time, *map(read_only_copy, state))
        except Exception as error:
            hint = "; its arguments are read-only: change a copy" if "read-only" in str(error) else ""
            what = f"simulate: {name}(t={time:g} s)"
            raise SimulationError(f"{what} raised {type(error).__name__}: {error}{hint}") from error
        plain = type(result) is np.ndarray and result.dtype is _FLOAT and result.shape == shape
        if plain and (isfinite(sum(result.tolist())) if few else all_finite(result)):  # no copy: used before next call
            return result
        return _converted(f"simulate: {name}(t={time:g} s)", result, entries, shape)

    return call


def _converted(what: str, result: Any, entries: Sequence[str], shape: tuple[int, ...]) -> Array:
    """The result of a function as finite forces with this shape; otherwise raise an error."""
    try:
        values = float_copy(what, result)
    except InputError as error:
        raise SimulationError(str(error)) from error
    if values.shape not in (shape, shape[-1:]):
        hint = ": it receives the states of all rows at once" if len(shape) > 1 else ""
        raise SimulationError(f"{what} has shape {values.shape}, but {shape} is needed{hint}")
    full = np.broadcast_to(values, shape)
    if not np.isfinite(full).all():
        *row, bad = np.argwhere(~np.isfinite(full))[0].tolist()
        raise SimulationError(f"{what} is not finite for {entries[bad]}{row_of_batch(row)}")
    return full


def row_of_batch(row: Sequence[Any]) -> str:
    """The end of a message: the row of the batch, if there is one."""
    return f" in row {', '.join(map(str, row))} of the batch" if len(row) else ""


def in_batch(what: str, x: Array, axes: int, batch: tuple[int, ...]) -> Array:
    """The array; raise `ShapeError` unless its leading (batch) axes broadcast to the batch of a motion."""
    leading = x.shape[: x.ndim - axes]
    if not broadcasts_to(leading, batch):
        raise ShapeError(f"simulate: {what} has the batch {leading}, but the states have {batch}")
    return x


def all_finite(*arrays: Array) -> bool:
    """Whether all numbers of some arrays are finite; False also where their squares overflow."""
    return all([isfinite(np.vdot(x, x)) for x in arrays])


def read_only_copy(x: Array) -> Array:
    """A copy that a user function cannot overwrite by mistake."""
    copy = x.copy()
    copy.flags.writeable = False  # twice as fast as `setflags`
    return copy
