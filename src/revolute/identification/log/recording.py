"""Rows in the coordinates of a robot and the units of the library, from tables of any layout, unit and sign."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from revolute.arguments import instances
from revolute.errors import InputError, TrajectoryError, UnknownNameError, advice
from revolute.identification.log.columns import Place
from revolute.identification.log.motor_side import MotorSide
from revolute.identification.log.resampling import Rows
from revolute.identification.log.sources import SourcePart, in_step
from revolute.identification.samples import Array
from revolute.io.ahead import ahead
from revolute.io.plain import listed
from revolute.model.model import Model


def signs_of(model: Model, flip: Sequence[str]) -> dict[str, Array]:
    """1 or -1 for each column of q, qd, qdd and tau, from `read_log(flip=...)`."""
    names = (flip,) if isinstance(flip, str) else instances("flip", flip, str)
    signs = {name: np.ones(model.nq if name == "q" else model.nv) for name in ("q", "qd", "qdd", "tau")}
    for text in names:
        known = text in model.coordinate_names
        quantity, _, name = ("tau", "", text) if known else text.rpartition(".")
        if quantity not in ("", "q", "tau") or (name != "all" and name not in model.coordinate_names):
            raise UnknownNameError(
                f"{advice('read_log: flip', '--flip')}: there is no '{text}'; available: all, and "
                f"{listed(model.coordinate_names, 12)} for the signs of forces, and q.all, "
                f"q.{model.coordinate_names[0]} ... for those of positions"
            )
        for body, at, to in zip(model.bodies, model.q_index, model.v_index, strict=True):
            chosen = [k for k in range(to.start, to.stop) if name in ("all", model.coordinate_names[k])]
            if quantity != "q":
                signs["tau"][chosen] *= -1
            elif chosen and body.joint.nq != 1:
                raise InputError(
                    f"{advice('read_log: flip', '--flip')}: positions of '{body.joint_name}' cannot be reversed, as "
                    "this joint has several"
                )
            elif chosen:
                for quantity_moved, places in (("q", at), ("qd", to), ("qdd", to)):
                    signs[quantity_moved][places] *= -1
    return signs if names else {}


AMPERES = "A"
DEGREE = np.pi / 180

UNITS = {
    "t": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}, "q": {"rad": 1.0, "deg": DEGREE, "rev": 2 * np.pi},
    "qd": {"rad/s": 1.0, "deg/s": DEGREE, "rpm": 2 * np.pi / 60}, "qdd": {"rad/s^2": 1.0, "deg/s^2": DEGREE},
    "tau": {"N m": 1.0, "mN m": 1e-3, AMPERES: 1.0},
}  # fmt: skip
"""Factors that convert units to [s, rad, rad/s, rad/s^2, N m]; prismatic joints have positions in m and forces in N."""

WHOLE: dict[str, dict[str, str]] = {"rad": {}, "deg": {"q": "deg", "qd": "deg/s", "qdd": "deg/s^2"}}
"""Units of the quantities, for each word that selects the units of several quantities."""


def factors(units: str | Mapping[str, str] | None) -> dict[str, float]:
    """The factor of each quantity's columns, from the `units` of `read_log`."""
    if isinstance(units, str):
        if units not in WHOLE:
            raise InputError(f"read_log: units must be {', '.join(WHOLE)}, or a mapping by quantity, not {units!r}")
        units = WHOLE[units]
    if not isinstance(units, Mapping | None):
        raise InputError(f"read_log: units must be a word or a mapping by quantity, not {units!r}")
    given = dict(units or {})
    for quantity, unit in given.items():
        if quantity not in UNITS:
            raise InputError(f"read_log: units: unknown quantity {quantity!r}; available: {', '.join(UNITS)}")
        if unit not in UNITS[quantity]:
            raise InputError(f"read_log: units: {quantity} must be in {', '.join(UNITS[quantity])}, not {unit!r}")
    return {quantity: known[given[quantity]] if quantity in given else 1.0 for quantity, known in UNITS.items()}


@dataclass(frozen=True, eq=False)
class Recording:
    """The tables `parts` of a log, and in `places`, by quantity, the columns of the robot's coordinates in them.

    `rate` is the row rate of tables without times [Hz]; `factors` convert quantities to units of the library.
    """

    model: Model
    name: str
    rate: float | None
    parts: tuple[SourcePart, ...]
    places: dict[str, Place]
    factors: dict[str, float]
    motor_side: MotorSide | None
    signs: dict[str, Array]

    def rows(self, size: int) -> Iterator[Rows]:
        """Blocks of `size` rows, in SI units; the next block is read while one is used. See `Log.rows`."""
        last, count = -math.inf, 0
        with ahead(self._converted(size)) as blocks:
            for rows in blocks:
                self._check_times(rows.t, last, count)
                last, count = float(rows.t[-1]), count + len(rows)
                yield rows
        if not count:
            raise TrajectoryError(f"{self.name}: there are no rows")

    def without(self, quantities: Set[str]) -> Recording:
        """The recording without some quantities."""
        return replace(self, places={name: place for name, place in self.places.items() if name not in quantities})

    def _names(self, part: int) -> list[str]:
        """The columns to read from a table, each once."""
        places = [place for place in self.places.values() if place.part == part]
        return list(dict.fromkeys(name for place in places for name in place.columns if name is not None))

    def _converted(self, size: int) -> Iterator[Rows]:
        names = {k: self._names(k) for k in sorted({place.part for place in self.places.values()})}
        motors, count = self.motor_side, 0
        for blocks in in_step([self.parts[k].table for k in names], list(names.values()), size):
            read = dict(zip(names, blocks, strict=True))
            raw = {name: self._quantity(name, read, names) for name in self.places}
            t = raw["t"][:, 0] if "t" in raw else (count + np.arange(len(raw["q"]))) / (self.rate or 1.0)
            count += len(t)
            if motors is None:
                rows = Rows(t, raw["q"], raw["tau"], raw.get("qd"), raw.get("qdd"), raw.get("wrench"))
            else:
                qd, qdd = (motors.rates(raw[name]) if name in raw else None for name in ("qd", "qdd"))
                rows = Rows(t, motors.positions(raw["q"]), motors.forces(raw["tau"]), qd, qdd, raw.get("wrench"))
            there = {name: x for name in self.signs if (x := getattr(rows, name)) is not None}
            yield replace(rows, **{name: self.signs[name] * x for name, x in there.items()}) if there else rows

    def _quantity(self, quantity: str, blocks: dict[int, Array], names: dict[int, list[str]]) -> Array:
        place = self.places[quantity]
        block, at = blocks[place.part], {name: k for k, name in enumerate(names[place.part])}
        scale = self._scale(quantity)
        read = [at[name] for name in place.columns if name is not None]
        values: Array = np.take(block, read, axis=1, mode="clip")
        if len(read) < len(place.columns):
            some, values = values, np.full((len(block), len(place.columns)), np.nan)
            values[:, [name is not None for name in place.columns]] = some
        return values if np.all(scale == 1.0) else np.asarray(values * scale)

    def _scale(self, quantity: str) -> Array | float:
        """Factor of each column: positions of prismatic joints are no angles, but those of their motors are."""
        factor, joints = self.factors[quantity], [body.joint for body in self.model.bodies]
        if quantity in ("t", "tau", "wrench") or self.motor_side is not None:
            return factor
        angles = [k in joint.angles for joint in joints for k in range(joint.nq)]
        linear = [x for joint in joints for x in joint.linear]
        return np.where(angles if quantity == "q" else np.logical_not(linear), factor, 1.0)

    def _check_times(self, t: Array, last: float, count: int) -> None:
        later = np.diff(t, prepend=last) > 0
        if not later.all():
            row = int(np.argmin(later))
            before = last if row == 0 else t[row - 1]
            raise TrajectoryError(
                f"{self.name}: time must increase, but row {count + row + 1} has {t[row]:.10g} s after {before:.10g} "
                "s; sort the rows and remove duplicates, or give "
                + advice("rate= and columns={'t': None}", "--rate and --columns t=none")
                + " if the clock is too coarse"
            )
