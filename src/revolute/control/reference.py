"""References of controllers: a point, a table over time, or a function of time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import Array, finite_array, float_copy
from revolute.errors import DtypeError, InputError, RevoluteError, ShapeError, SimulationError
from revolute.machine.inverse_kinematics.arguments import checked_poses
from revolute.simulate.feedback import ReferenceStopped
from revolute.simulate.torque import Table
from revolute.spatial import Transform, quaternion

Instant = tuple[Array, ...]  # a sample of the reference: q, qd and qdd

POSE = "x, y, z [m], then the quaternion qx, qy, qz, qw, its scalar last; or a Transform, or a (..., 4, 4) matrix"
"""Accepted forms of a pose, as listed in error messages."""


@dataclass(frozen=True, eq=False)
class MotionTable:
    """A reference motion for controllers, as a table; a row applies from its time until the next one.

    Attributes:
        t: (T,) increasing times [s].
        q: (..., T, nq) positions [rad, m]; for a frame (..., T, 4, 4) poses, or (..., T, 7) position and quaternion.
        qd, qdd: (..., T, nv) velocities and accelerations [rad/s, m/s; rad/s^2, m/s^2]; for a frame (..., T, 6) twists
            and their rates.

    Example:
        >>> import numpy as np
        >>> from revolute.control import MotionTable
        >>> t = np.linspace(0, 1, 11)
        >>> q, qd, qdd = np.stack([np.sin(t), np.cos(t), -np.sin(t)])[..., None]
        >>> MotionTable(t, q, qd, qdd).q.shape
        (11, 1)
    """

    t: ArrayLike
    q: ArrayLike
    qd: ArrayLike
    qdd: ArrayLike

    def __post_init__(self) -> None:
        poses = np.ndim(self.q) == np.ndim(self.qd) + 1
        for name in ("t", "q", "qd", "qdd"):
            values = finite_array(f"MotionTable: {name}", getattr(self, name))
            values = as_row(f"MotionTable: {name}", values, 7) if poses and name == "q" else values
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        times, rows = np.asarray(self.t), np.asarray(self.q)
        if times.ndim != 1 or not len(times) or (np.diff(times) <= 0).any():
            raise InputError("MotionTable: t must be one row of increasing times [s]")
        for name in ("q", "qd", "qdd"):
            x = np.asarray(getattr(self, name))
            if x.ndim < 2 or x.shape[:-1] != (*rows.shape[:-2], len(times)):
                raise ShapeError(
                    f"MotionTable: {name} has shape {x.shape}, but one row for each of {len(times)} instants is needed"
                )

    def row(self, times: ArrayLike) -> NDArray[np.intp]:
        """The indices of the rows that apply at these times; raise `InputError` if a time precedes the first."""
        own = np.asarray(self.t)
        found = np.searchsorted(own, np.asarray(times) * (1 + 1e-12) + 1e-12, "right") - 1
        if (found < 0).any():
            raise InputError(f"the reference starts at t={own[0]:g} s, but t={np.min(times):g} s is needed")
        return found


class Reference:
    """A reference of one controller, in one of the forms of `PDWithGravity`.

    A q of seven numbers may be the pose of a frame, also given as (..., 4, 4) matrices or a `Transform`; qd and qdd are
    then its twist and the twist's time derivative.
    """

    def __init__(self, owner: str, given: Any, sizes: tuple[int, int, int]) -> None:
        self._owner, self._sizes = owner, sizes
        self._point: Instant | None = None
        self._samples = given if isinstance(given, MotionTable) else None
        self._function: Callable[[float], Any] | None = None
        if isinstance(given, MotionTable):
            for name, x, n in zip(("q", "qd", "qdd"), (given.q, given.qd, given.qdd), sizes, strict=True):
                if np.shape(x)[-1] != n:
                    raise ShapeError(f"{owner}: reference: {name} has shape {np.shape(x)}, but (..., T, {n}) is needed")
        elif all(callable(getattr(given, x, None)) for x in ("q", "qd", "qdd")):
            self._function = lambda t: (given.q(t), given.qd(t), given.qdd(t))
        elif callable(given):
            self._function = given
        else:
            self._point = self._constant(given)

    def _constant(self, given: Any) -> Instant:
        owner, sizes = self._owner, self._sizes
        try:
            q = finite_array(f"{owner}: reference", as_row(f"{owner}: reference", given, sizes[0]))
        except DtypeError:
            raise DtypeError(
                f"{owner}: reference must be (..., {sizes[0]}) positions, a MotionTable, a trajectory with methods "
                f"q(t), qd(t) and qdd(t), or a function of time, not {type(given).__name__}"
            ) from None
        if q.shape[-1:] != sizes[:1]:
            raise ShapeError(f"{owner}: reference has shape {q.shape}, but {needed(sizes[0])}")
        return q, np.zeros(sizes[1]), np.zeros(sizes[2])

    def at(self, t: float) -> Instant:
        """q, qd and qdd at a time [s]; raise `SimulationError` if the function fails."""
        if self._point is not None:
            return self._point
        if self._samples is not None:
            k = int(self._samples.row(t))
            return tuple(np.asarray(x)[..., k, :] for x in (self._samples.q, self._samples.qd, self._samples.qdd))
        return self._evaluated(t)

    def over(self, times: Array) -> Instant:
        """q, qd and qdd at times (T,) [s]: (n,) or (..., T, n) each; `ReferenceStopped` if the function fails."""
        if self._point is not None:
            q, *still = self._point
            return np.broadcast_to(q[..., None, :], (*q.shape[:-1], len(times), q.shape[-1])), *still
        if self._samples is not None:
            rows = self._samples.row(times)
            whole = len(rows) == len(np.asarray(self._samples.t)) and (np.diff(rows) == 1).all()
            found = (np.asarray(x) for x in (self._samples.q, self._samples.qd, self._samples.qdd))
            return tuple(x if whole else x[..., rows, :] for x in found)
        tables: list[Array] = []
        for k, t in enumerate(times.tolist()):
            try:
                instant = self._evaluated(t)
            except SimulationError as error:
                raise ReferenceStopped(str(error), k) from error.__cause__
            if not tables:
                tables = [np.empty((*x.shape[:-1], len(times), x.shape[-1])) for x in instant]
            for table, x in zip(tables, instant, strict=True):
                table[..., k, :] = x
        return tuple(tables)

    def _evaluated(self, t: float) -> Instant:
        what = f"{self._owner}: reference(t={t:g} s)"
        assert self._function is not None
        try:
            found = self._function(t)
        except Exception as error:
            raise SimulationError(f"{what} raised {type(error).__name__}: {error}") from error
        parts = found if isinstance(found, tuple) else (found,)
        if not 1 <= len(parts) <= 3:
            raise SimulationError(f"{what} must return q, (q, qd) or (q, qd, qdd), not {len(parts)} arrays")
        arrays = []
        for name, n, x in zip(("q", "qd", "qdd"), self._sizes, parts, strict=False):
            try:
                array = float_copy(f"{what}: {name}", as_row(f"{what}: {name}", x, n))
            except RevoluteError as error:
                raise SimulationError(str(error)) from error
            if array.shape[-1:] != (n,):
                raise SimulationError(f"{what}: {name} has shape {array.shape}, but {needed(n)}")
            if not np.isfinite(array).all():
                raise SimulationError(f"{what}: {name} is not finite")
            arrays.append(array)
        return *arrays, *(np.zeros(n) for n in self._sizes[len(arrays) :])


class Sampled(Table):
    """Rows (..., T, n) of q, qd or qdd of a reference at (T,) times; at other times, the reference is evaluated."""

    def __init__(self, rows: Array, times: Array, reference: Reference, part: int) -> None:
        super().__init__(rows)
        self._times, self._reference, self._part = times, reference, part

    def __call__(self, k: int, time: float, *state: Array) -> Array:
        if time == self._times[k]:
            return super().__call__(k, time)
        return self._reference.at(time)[self._part]


def as_row(what: str, x: Any, n: int) -> Any:
    """A pose as position and quaternion x y z w, seven numbers; other arguments are returned unchanged."""
    if n != 7 or not (isinstance(x, Transform) or np.shape(x)[-2:] == (4, 4)):
        return x
    X = checked_poses(what, x)
    turns = [quaternion.normalized(quaternion.of_matrix(R)) for R in X[..., :3, :3].reshape(-1, 3, 3).tolist()]
    return np.concatenate([X[..., :3, 3], np.reshape(turns, (*X.shape[:-2], 4))], axis=-1)


def needed(n: int) -> str:
    """The required shape of a reference, for messages; for a pose also the order of its seven numbers."""
    return f"(..., {n}) is needed" + (f": {POSE}" if n == 7 else "")
