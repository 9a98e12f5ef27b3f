"""A log of a robot's motion and forces: tables of any layout and length, in the robot's coordinates."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from revolute.arguments import instances, number, positive, whole_number
from revolute.errors import InputError, TrajectoryError, warn_caller
from revolute.identification.forces.floating_bases import floating
from revolute.identification.log.filters import advised_cutoff, settling_rows
from revolute.identification.log.preparation import Preparation, prepared, unbroken
from revolute.identification.log.recording import Recording
from revolute.identification.log.resampling import MISSING, Rows, complete, filled, on_grid
from revolute.identification.samples import Array, Samples, require_numbers
from revolute.io.plain import listed
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.model import Model

MOTION = ("q", "qd", "qdd", "tau")  # names of the quantities that have one column per coordinate

BLOCK, HEAD = 8192, 65536
"""Number of rows per block, small to save memory; and number of first rows that set the time step and the cut-off."""

LONGEST = 2**31  # maximum length of a delay or of a gap that is filled [rows]

UNEVEN, OUT_OF_STEP = 1e-2, 0.2
"""Relative jitter of time steps above which rows are resampled; and deviation of a changed step from whole steps."""

BEGINNING = 100_000  # number of samples that are checked at the beginning of a long log

RATE_OF_SAMPLES = 10.0
"""Default minimum sampling rate, relative to the cut-off frequency; products of filtered motions vary more slowly."""


@dataclass(frozen=True, eq=False)
class Log:
    """A log, as returned by `read_log`. `samples` reads all of it; `blocks` yields the same samples in bounded memory.

    Attributes:
        robot: the robot that moved.
        name: name of the file or files.
        measured: those of the quantities t, q, qd, qdd and tau that the log contains.
        amperes: whether forces are currents, converted with gains of 1 because the gains are unknown.
        rate: rows per second of a log without times [Hz].
        touched: links with measured wrenches: all links in contact; None if contacts are unknown.
        delay: delay of the forces [s].
    """

    robot: Robot | DrivenRobot
    name: str
    measured: tuple[str, ...]
    amperes: bool
    rate: float | None
    _recording: Recording
    touched: tuple[str, ...] | None = None
    delay: float = 0.0

    def __repr__(self) -> str:
        return f"<Log {self.name}: {', '.join(self.measured)} of {self.model.nv} coordinates>"

    @property
    def model(self) -> Model:
        """The coordinates of the robot."""
        return self.robot.space if isinstance(self.robot, DrivenRobot) else self.robot

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        """Columns of positions, velocities, accelerations and forces: {coordinate: {quantity: column}}."""
        model, found = self.model, dict[str, dict[str, str]]()
        for quantity, place in self._recording.places.items():
            names = model.position_names if quantity == "q" else model.coordinate_names
            for name, column in zip(names, place.columns, strict=True) if quantity in MOTION else ():
                if column is not None:
                    found.setdefault(name, {})[quantity] = column
        return found

    def rows(self, size: int = BLOCK) -> Iterator[Rows]:
        """The recorded rows in blocks, in the robot's coordinates and SI units; missing values are NaN.

        Raises:
            TrajectoryError: a cell is not a number, times do not increase, or there are no rows.
        """
        return self._recording.rows(whole_number("rows: size", size, 1))

    @cached_property
    def _head(self) -> Rows:
        parts, count = [], 0
        for block in unbroken(self.model, self.rows()):
            parts.append(block)
            count += len(block)
            if count >= HEAD:
                break
        rows = Rows.joined(parts)
        for quantity, values in vars(rows).items():
            if values is not None:
                require_numbers(f"{self.name}: {quantity}", values, missing=True)
        if len(rows) < 3:
            raise TrajectoryError(f"{self.name}: {len(rows)} rows are too few to derive velocities from")
        return rows

    @property
    def step(self) -> float:
        """Typical step between rows [s]."""
        return float(self._steps.mean())

    @property
    def jitter(self) -> float:
        """Scatter of the steps between rows, as a fraction of the typical step."""
        return float(self._steps.std() / self.step)

    @property
    def _steps(self) -> Array:
        """Time steps between rows without missing cells [s], at the beginning of the log."""
        steps = np.diff(self._head.t)
        return np.asarray(steps[steps < MISSING * np.median(steps)])

    @cached_property
    def advised_cutoff(self) -> float:
        """Default cut-off frequency [Hz]: see `advised_cutoff`."""
        rows, step = self._head, self.step
        if self.jitter > UNEVEN:
            rows = on_grid(rows.map(lambda x: filled(x, len(x)) if x.ndim == 2 else x), rows.t[0], step, len(rows))
        q = filled(rows.q, len(rows))
        q = q[np.isfinite(q).all(axis=1)]
        if len(q) < 3:
            empty = [name for name, share in self.missing.items() if name.startswith("q.") and share > 0.9]
            raise TrajectoryError(f"{self.name}: hardly any row has all positions; check {listed(empty, 8)}")
        return advised_cutoff(q, 1 / step)

    @property
    def missing(self) -> dict[str, float]:
        """Fraction of missing cells by quantity and coordinate, at the beginning of the log."""
        return {
            f"{quantity}.{name}": float(np.isnan(values[:, k]).mean())
            for quantity in MOTION
            if (values := getattr(self._head, quantity)) is not None
            for k, name in enumerate(self.model.position_names if quantity == "q" else self.model.coordinate_names)
        }

    @property
    def has_forces(self) -> Array:
        """(nv,) whether the log has forces of a coordinate; wrenches determine those of a floating base."""
        if self._recording.motor_side is not None:
            return np.ones(self.model.nv, dtype=bool)
        own = np.array([column is not None for column in self._recording.places["tau"].columns])
        return own | (floating(self.model) & (self.touched is not None))

    @property
    def zero_forces(self) -> Array:
        """(nv,) fraction of the forces that are exactly 0, as in empty channels, at the beginning of the log."""
        return np.asarray((self._head.tau == 0).mean(axis=0))

    @property
    def unreadable(self) -> tuple[str, ...]:
        """Coordinates whose column of forces contains no number, at the beginning of the log."""
        read, empty = self._recording.places["tau"].columns, np.asarray(np.isnan(self._head.tau).all(axis=0))
        names = zip(self.model.coordinate_names, read, empty, strict=True)
        return tuple(name for name, column, x in names if x and column is not None)

    def preparation(
        self, cutoff: float | None = None, *, torque_cutoff: float | None = None, every: int | None = None,
        gap: float | None = None, use: str | Sequence[str] = (), delay: float | None = None,
    ) -> Preparation:
        """The settings of `samples` and `blocks`, with their defaults: see `samples`."""
        step, delay = self.step, self.delay if delay is None else delay
        cutoff = self.advised_cutoff if cutoff is None else _maybe_infinite("cutoff", cutoff)
        every = max(1, int(1 / (step * RATE_OF_SAMPLES * cutoff))) if every is None else whole_number("every", every, 1)
        torque_cutoff = cutoff if torque_cutoff is None else _maybe_infinite("torque_cutoff", torque_cutoff)
        if every > 1:  # without a filter, the forces would be aliased
            torque_cutoff = min(torque_cutoff, 0.4 / (step * every))
        gap = 0.25 / cutoff if gap is None else _maybe_infinite("gap", gap)
        use = (use,) if isinstance(use, str) else instances("use", use, str)
        if missing := [name for name in use if name not in ("qd", "qdd") or name not in self.measured]:
            raise InputError(f"{self.name}: use: '{missing[0]}' is not measured; measured: {', '.join(self.measured)}")
        slowest = min(cutoff, torque_cutoff)
        if not abs(number("delay", delay)) <= LONGEST * step:
            raise InputError(f"delay must be a finite number of seconds, at most 2^31 time steps, not {delay}")
        cut = max(settling_rows(1 / step, slowest), 2) + math.ceil(abs(delay) / step)
        even, longest = self.jitter <= UNEVEN, int(min(gap / step, LONGEST))
        times = float(self._head.t[0]), step, even
        return Preparation(*times, cutoff, torque_cutoff, every, longest, use, cut, delay, self.robot, self.touched)

    def blocks(
        self, cutoff: float | None = None, *, torque_cutoff: float | None = None, every: int | None = None,
        gap: float | None = None, use: str | Sequence[str] = (), delay: float | None = None, window: int | None = None,
    ) -> Iterator[Samples]:
        """The samples of a log of any length, in blocks without gaps: see `samples`.

        Blocks overlap while they are filtered, so samples differ from those of the whole log only by rounding: 1e-9 of
        the largest value in a column. `window`: number of rows prepared together.
        """
        plan = self.preparation(cutoff, torque_cutoff=torque_cutoff, every=every, gap=gap, use=use, delay=delay)
        if window is not None:
            whole_number("blocks: window", window, 1)
        read = self._recording.without({"qd", "qdd"} - {*plan.measured})
        rows = unbroken(self.model, read.rows(BLOCK))
        if plan.even:
            rows = complete(self._watched(rows, plan.step), plan.step, plan.longest)
        yield from prepared(self.model, rows, plan, window)

    def samples(
        self, cutoff: float | None = None, *, torque_cutoff: float | None = None, every: int | None = None,
        gap: float | None = None, use: str | Sequence[str] = (), delay: float | None = None,
    ) -> Samples:
        """The samples of the whole log, for estimators.

        Positions and forces pass a zero-phase low-pass filter; velocities and accelerations are central differences.
        Rows with uneven steps are interpolated on a grid. Short gaps are filled by linear interpolation; longer ones
        split the log into pieces. Both ends of each piece are omitted, as the filters settle there.

        Args:
            cutoff: cut-off frequency of positions [Hz]; by default `advised_cutoff`.
            torque_cutoff: cut-off frequency of forces [Hz]; by default the same. `math.inf`: no filter, for estimators
                that filter regressor and forces alike.
            every: keep every `every`-th sample; by default at least ten remain per period of the cut-off frequency.
            gap: maximum gap that is filled [s]; by default a quarter of the period of the cut-off frequency.
            use: "qd", or "qd" and "qdd": quantities to read from the log instead of deriving them from positions.
            delay: delay of the forces [s]: see `read_log`; by default that of the log.

        Returns:
            Samples; forces are NaN where none were measured.

        Raises:
            TrajectoryError: a cell is not a number, times do not increase, or all pieces are too short for the filters.
        """
        parts = list(self.blocks(cutoff, torque_cutoff=torque_cutoff, every=every, gap=gap, use=use, delay=delay))
        if not parts:
            plan = self.preparation(cutoff, torque_cutoff=torque_cutoff, every=every, delay=delay)
            raise TrajectoryError(
                f"{self.name}: no piece without gaps is longer than {2 * plan.cut + 4} rows, which a cut-off of "
                f"{plan.cutoff:.3g} Hz needs; raise cutoff or gap, or record more"
            )
        return Samples.joined(parts)

    def beginning(self, torque_cutoff: float | None = None) -> Samples:
        """All samples, or at least the first `BEGINNING` of a long log."""
        parts = first_blocks(self.blocks(every=1, torque_cutoff=torque_cutoff))
        return Samples.joined(parts) if parts else self.samples(every=1)

    def _watched(self, blocks: Iterator[Rows], step: float) -> Iterator[Rows]:
        """The blocks of a log with equal steps; warn where steps change."""
        count, warned = 0, False
        for block in blocks:
            steps = np.diff(block.t) / step
            uneven = np.abs(steps - np.rint(steps)) > OUT_OF_STEP
            if not warned and uneven.mean() > UNEVEN:
                warned = True
                warn_caller(
                    f"{self.name}: time steps change from row {count + int(np.argmax(uneven)) + 2} on, after equal "
                    f"ones of {step:.6g} s: split the log there, as filters need equal steps"
                )
            count += len(block)
            yield block


def first_blocks(blocks: Iterable[Samples]) -> list[Samples]:
    """The first blocks with at least `BEGINNING` samples together, or all if there are fewer samples."""
    parts: list[Samples] = []
    for block in blocks:
        parts.append(block)
        if sum(map(len, parts)) >= BEGINNING:
            break
    return parts


def _maybe_infinite(what: str, value: float) -> float:
    """Return the number; raise `InputError` unless it is positive."""
    return value if isinstance(value, float) and value == math.inf else positive(what, value)
