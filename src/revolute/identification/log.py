"""A log of a robot's motion and forces: tables of any layout and length, in the robot's coordinates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.arguments import number, whole_number
from revolute.errors import InputError, TrajectoryError, warn_caller
from revolute.identification.cutoff import advised_cutoff
from revolute.identification.force_model import require_joints
from revolute.identification.log_columns import Place, places_of
from revolute.identification.motor_side import MotorSide
from revolute.identification.preparation import Preparation, prepared, unbroken
from revolute.identification.resampling import MISSING, complete, filled, on_grid
from revolute.identification.rows import Rows
from revolute.identification.samples import Samples
from revolute.identification.signals import settling_rows
from revolute.identification.sources import Part, in_step, parts_of
from revolute.identification.units import AMPERES, factors
from revolute.io.plain import listed
from revolute.io.trajectory.table import BLOCK
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.model import Model

__all__ = ["Log", "read_log"]

Array = NDArray[Any]

HEAD = 4 * BLOCK
"""Rows at the beginning from which steps and cut-off frequency of a log are taken."""

LONGEST = 2**31
"""Longest gap [rows]."""

UNEVEN = 1e-2
"""Scatter of the steps, as a share of them, from which on rows are resampled."""

OUT_OF_STEP = 0.2
"""Distance of a step from a whole number of usual ones that is no scatter any more."""

RATE_OF_SAMPLES = 10.0
"""Least rate of samples by default, in cut-off frequencies: products of filtered motions are slower."""


@dataclass(frozen=True, eq=False)
class Log:
    """A log that is read when it is asked for, in blocks.

    `read_log` makes it. `samples` gives all of it at once, `blocks` the same samples in bounded memory.

    Attributes:
        robot: the robot that moved.
        name: of the file or files.
        measured: quantities that it has, of t, q, qd, qdd and tau.
        amperes: whether forces are currents with gains that are not known: those for gains of 1.
        rate: rows a second, if there are no times [Hz].
    """

    robot: Robot | DrivenRobot
    name: str
    measured: tuple[str, ...]
    amperes: bool
    rate: float | None
    _parts: tuple[Part, ...]
    _places: dict[str, Place]
    _factors: dict[str, float]
    _motor_side: MotorSide | None

    def __repr__(self) -> str:
        return f"<Log {self.name}: {', '.join(self.measured)} of {self.model.nv} coordinates>"

    @property
    def model(self) -> Model:
        """The coordinates of the robot."""
        return self.robot.space if isinstance(self.robot, DrivenRobot) else self.robot

    def rows(self, size: int = BLOCK) -> Iterator[Rows]:
        """What was recorded, in blocks of `size` rows, in the robot's coordinates [rad, m, N m, N]; NaN is missing.

        Raises:
            TrajectoryError: a cell is no number, times do not increase, or there are no rows.
        """
        last, count = -math.inf, 0
        names = [self._names(k) for k in range(len(self._parts))]
        for blocks in in_step([part.table for part in self._parts], names, size):
            rows = self._converted(blocks, names, count)
            self._check_times(rows.t, last, count)
            last, count = float(rows.t[-1]), count + len(rows)
            yield rows
        if not count:
            raise TrajectoryError(f"{self.name}: there are no rows")

    @cached_property
    def _head(self) -> Rows:
        parts, count = [], 0
        for block in unbroken(self.model, self.rows()):
            parts.append(block)
            count += len(block)
            if count >= HEAD:
                break
        rows = Rows.joined(parts)
        if len(rows) < 3:
            raise TrajectoryError(f"{self.name}: {len(rows)} rows are too few to take velocities from")
        return rows

    @property
    def step(self) -> float:
        """Usual step between rows [s]."""
        t = self._head.t
        steps = np.diff(t)
        usual = steps < MISSING * np.median(steps)
        return float(steps[usual].mean())

    @property
    def jitter(self) -> float:
        """Scatter of the steps between rows, as a share of the usual step."""
        steps = np.diff(self._head.t)
        return float(steps[steps < MISSING * np.median(steps)].std() / self.step)

    @cached_property
    def advised_cutoff(self) -> float:
        """Cut-off frequency by default [Hz]: see `revolute.identification.advised_cutoff`."""
        rows, step = self._head, self.step
        if self.jitter > UNEVEN:
            rows = on_grid(rows.map(lambda x: filled(x, len(x)) if x.ndim == 2 else x), rows.t[0], step, len(rows))
        q = filled(rows.q, len(rows))
        q = q[np.isfinite(q).all(axis=1)]
        if len(q) < 3:
            empty = [name for name, share in self.missing.items() if name.startswith("q.") and share > 0.9]
            raise TrajectoryError(f"{self.name}: hardly a row has all positions; look at {listed(empty, 8)}")
        return advised_cutoff(q, 1 / step)

    @property
    def missing(self) -> dict[str, float]:
        """Share of the cells that are empty or no numbers, by quantity and coordinate, at the beginning of the log."""
        rows = self._head
        quantities = {"q": rows.q, "qd": rows.qd, "qdd": rows.qdd, "tau": rows.tau}
        return {
            f"{quantity}.{name}": float(np.isnan(values[:, k]).mean())
            for quantity, values in quantities.items()
            if values is not None
            for k, name in enumerate(self.model.position_names if quantity == "q" else self.model.coordinate_names)
        }

    @property
    def zero_forces(self) -> Array:
        """(nv,) share of the forces that are exactly 0, at the beginning of the log: such channels are empty."""
        return np.asarray((self._head.tau == 0).mean(axis=0))

    @property
    def unreadable(self) -> tuple[str, ...]:
        """Coordinates whose column of forces has no number in it, at the beginning of the log."""
        read, empty = self._places["tau"].columns, np.asarray(np.isnan(self._head.tau).all(axis=0))
        names = zip(self.model.coordinate_names, read, empty, strict=True)
        return tuple(name for name, column, x in names if x and column is not None)

    def preparation(
        self,
        cutoff: float | None = None,
        *,
        torque_cutoff: float | None = None,
        every: int | None = None,
        gap: float | None = None,
        use: str | Sequence[str] = (),
        delay: float = 0.0,
    ) -> Preparation:
        """What `samples` and `blocks` do with the rows, in numbers: see `samples`."""
        step = self.step
        cutoff = self.advised_cutoff if cutoff is None else _positive("cutoff", cutoff)
        every = max(1, int(1 / (step * RATE_OF_SAMPLES * cutoff))) if every is None else whole_number("every", every, 1)
        torque_cutoff = cutoff if torque_cutoff is None else _positive("torque_cutoff", torque_cutoff)
        if every > 1:  # else the forces would be aliased
            torque_cutoff = min(torque_cutoff, 0.4 / (step * every))
        gap = 0.25 / cutoff if gap is None else _positive("gap", gap)
        use = (use,) if isinstance(use, str) else tuple(use)
        if missing := [name for name in use if name not in ("qd", "qdd") or name not in self.measured]:
            raise InputError(f"{self.name}: use: '{missing[0]}' is not measured; it has {', '.join(self.measured)}")
        slowest = min(cutoff, torque_cutoff)
        if not math.isfinite(number("delay", delay)):
            raise InputError(f"delay must be a finite number of seconds, not {delay}")
        cut = max(settling_rows(1 / step, slowest), 2) + math.ceil(abs(delay) / step)
        even, longest = self.jitter <= UNEVEN, int(min(gap / step, LONGEST))
        start = float(self._head.t[0])
        return Preparation(start, step, even, cutoff, torque_cutoff, every, longest, use, cut, delay)

    def blocks(
        self,
        cutoff: float | None = None,
        *,
        torque_cutoff: float | None = None,
        every: int | None = None,
        gap: float | None = None,
        use: str | Sequence[str] = (),
        delay: float = 0.0,
        window: int | None = None,
    ) -> Iterator[Samples]:
        """The samples of a log of any length, in blocks: see `samples`. None reaches across a gap.

        Blocks overlap while they are filtered, so that the samples are those of the whole log but for rounding: within
        1e-9 of the largest of their column.

        Args:
            cutoff, torque_cutoff, every, gap, use, delay: see `samples`.
            window: rows of the log that are prepared together.
        """
        plan = self.preparation(cutoff, torque_cutoff=torque_cutoff, every=every, gap=gap, use=use, delay=delay)
        rows = unbroken(self.model, self.rows())
        if plan.even:
            rows = complete(self._watched(rows, plan.step), plan.step, plan.longest)
        yield from prepared(self.model, rows, plan, window)

    def samples(
        self,
        cutoff: float | None = None,
        *,
        torque_cutoff: float | None = None,
        every: int | None = None,
        gap: float | None = None,
        use: str | Sequence[str] = (),
        delay: float = 0.0,
    ) -> Samples:
        """The samples of the whole log, for estimators.

        Positions pass a low-pass without phase, velocities and accelerations are their central differences, forces
        pass the same low-pass. Uneven steps are put on a grid. Short gaps are filled by straight lines; longer ones
        split the log into pieces. Both ends of each piece are left out, as the filters settle there.

        Args:
            cutoff: cut-off frequency of positions [Hz]; by default `advised_cutoff`.
            torque_cutoff: that of forces; by default the same. `math.inf` leaves them as they are, for estimators that
                filter regressor and forces alike: `decimated`.
            every: keep one sample of so many; by default such that ten or more are left in the period of the cut-off.
            gap: longest time without samples that is filled [s]; by default a quarter of the period of the cut-off.
            use: "qd", or "qd" and "qdd": those are taken from the log, not from positions.
            delay: by how much forces were recorded late [s]: see `torque_delay`.

        Returns:
            Samples; forces are NaN where none were measured.

        Raises:
            TrajectoryError: a cell is no number, times do not increase, or no piece is long enough for the filters.
        """
        plan = self.preparation(cutoff, torque_cutoff=torque_cutoff, every=every, gap=gap, use=use, delay=delay)
        parts = list(self.blocks(cutoff, torque_cutoff=torque_cutoff, every=every, gap=gap, use=use, delay=delay))
        if not parts:
            raise TrajectoryError(
                f"{self.name}: no piece without gaps is longer than {2 * plan.cut + 4} rows, which a cut-off of "
                f"{plan.cutoff:.3g} Hz needs; raise cutoff or gap, or record more"
            )
        return Samples.joined(parts)

    def _watched(self, blocks: Iterator[Rows], step: float) -> Iterator[Rows]:
        """The blocks, of a log with equal steps; a warning where they change."""
        count, warned = 0, False
        for block in blocks:
            steps = np.diff(block.t) / step
            uneven = np.abs(steps - np.rint(steps)) > OUT_OF_STEP
            if not warned and uneven.mean() > UNEVEN:
                warned = True
                warn_caller(
                    f"{self.name}: steps of time change from row {count + int(np.argmax(uneven)) + 2} on, after equal "
                    f"ones of {step:.6g} s: split the log there, as filters need equal steps"
                )
            count += len(block)
            yield block

    def _names(self, part: int) -> list[str]:
        """The columns to read of a table, each once."""
        places = [place for place in self._places.values() if place.part == part]
        return list(dict.fromkeys(name for place in places for name in place.columns if name is not None))

    def _converted(self, blocks: list[Array], names: list[list[str]], count: int) -> Rows:
        raw = {name: self._quantity(name, blocks, names) for name in self._places}
        t = raw["t"][:, 0] if "t" in raw else (count + np.arange(len(raw["q"]))) / (self.rate or 1.0)
        motors = self._motor_side
        if motors is None:
            return Rows(t, raw["q"], raw["tau"], raw.get("qd"), raw.get("qdd"))
        qd, qdd = (motors.rates(raw[name]) if name in raw else None for name in ("qd", "qdd"))
        return Rows(t, motors.positions(raw["q"]), motors.forces(raw["tau"]), qd, qdd)

    def _quantity(self, quantity: str, blocks: list[Array], names: list[list[str]]) -> Array:
        place = self._places[quantity]
        block, at = blocks[place.part], {name: k for k, name in enumerate(names[place.part])}
        values = np.full((len(block), len(place.columns)), np.nan)
        for k, name in enumerate(place.columns):
            if name is not None:
                values[:, k] = block[:, at[name]]
        values *= self._scale(quantity)
        return values

    def _scale(self, quantity: str) -> Any:
        """Factor of each column: units of angles are not those of sliding joints, but those of all motors."""
        factor = self._factors[quantity]
        if quantity in ("t", "tau") or self._motor_side is not None:
            return factor
        joints = [body.joint for body in self.model.bodies]
        if quantity == "q":
            turning = [k in joint.angles for joint in joints for k in range(joint.nq)]
        else:
            turning = [not linear for joint in joints for linear in joint.linear]
        return np.where(turning, factor, 1.0)

    def _check_times(self, t: Array, last: float, count: int) -> None:
        later = np.diff(t, prepend=last) > 0
        if not later.all():
            row = int(np.argmin(later))
            before = last if row == 0 else t[row - 1]
            raise TrajectoryError(
                f"{self.name}: time must increase, but row {count + row + 1} has {t[row]:.10g} s after {before:.10g} "
                "s; sort the rows and leave out doubles, or give rate= and columns={'t': None} if the clock is too "
                "coarse"
            )


def read_log(
    robot: Robot | DrivenRobot,
    source: Any,
    columns: Mapping[str, Any] | None = None,
    *,
    units: str | Mapping[str, str] | None = None,
    rate: float | None = None,
    motor_side: MotorSide | None = None,
) -> Log:
    """A log of positions and forces, from files or from memory. Nothing but the header is read yet.

    Columns are found by name: `q.<joint>`, `<joint>`, `<joint>_position`, `q1`, ... for positions, and likewise with
    qd or velocity, qdd or acceleration, tau, torque or effort; `t` or `time` in seconds. `columns` names others.

    Args:
        robot: the robot that moved. Joints that did not move, and that the log lacks: see `robot.lock`.
        source: path of a CSV or Parquet file; `{"q": path, "tau": path, ...}`; a data frame; or a mapping of columns,
            or of t, q, qd, qdd and tau, to arrays.
        columns: `{quantity: columns}`: a list in the order of `robot.coordinate_names`, a mapping from these, or a
            pattern such as "motor_{n}" (from 1) or "{name}/effort". None in a list of forces: not measured. A
            quantity that is None is not read.
        units: "deg" if all angles are in degrees, or `{"q": "deg", "qd": "deg/s", "tau": "A", "t": "ms"}`.
        rate: rows a second, of a log without times [Hz].
        motor_side: gears, couplings and gains, if the log is of motors.

    Returns:
        The log; its `samples()` are what estimators take.

    Raises:
        TrajectoryError: a file cannot be read, or has columns for some joints only.
        InputError: an argument does not fit; forces are currents and gains are missing.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.identification import read_log
        >>> t = np.arange(1000) / 100
        >>> log = read_log(revolute.robots.planar(1), {"t": t, "q": np.sin(t), "tau": np.cos(t)})
        >>> log.samples(cutoff=5.0)
        <Samples: 441 instants, t from 0.6 to 9.4 s, 1 forces>
    """
    if not isinstance(robot, (Robot, DrivenRobot)):
        raise InputError(f"read_log: robot must be a robot, not {type(robot).__name__}")
    model = robot.space if isinstance(robot, DrivenRobot) else robot
    require_joints(model)
    parts = parts_of(source)
    places = places_of(model, parts, columns)
    name = " + ".join(dict.fromkeys(str(part.table.path) for part in parts))
    _check_clock(name, places, rate)
    scales = factors(units)
    amperes = isinstance(units, Mapping) and units.get("tau") == AMPERES
    if motor_side is not None:
        if not isinstance(motor_side, MotorSide):
            raise InputError(f"read_log: motor_side must be a MotorSide, not {type(motor_side).__name__}")
        if model.nq != model.nv:
            raise InputError(f"read_log: motor_side: '{model.name}' has joints that no motor turns, such as a free one")
        motor_side.check(model.nv)
    if amperes and (motor_side is None or motor_side.gains is None):
        raise InputError(
            f"{name}: forces are currents: give the gains of the drives [N m/A], by "
            "motor_side=MotorSide(gains=[...]), or gains='unknown' to estimate them"
        )
    unknown = motor_side is not None and motor_side.unknown_gains
    return Log(robot, name, tuple(places), unknown, rate, parts, places, scales, motor_side)


def _check_clock(name: str, places: Mapping[str, Place], rate: float | None) -> None:
    if rate is not None:
        _positive("rate", rate)
        if "t" in places:
            raise InputError(f"{name}: it has times, so leave out rate, or say columns={{'t': None}} to use the rate")
    elif "t" not in places:
        raise InputError(
            f"{name}: no column of time [s]; name it by columns={{'t': ...}}, or give rate= [Hz] if rows are equally "
            "far apart"
        )


def _positive(what: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)) or not value > 0:
        raise InputError(f"{what} must be a positive number, not {value!r}")
    return float(value)
