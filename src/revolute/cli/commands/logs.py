"""Logs on a command line: files, columns, units, motors; for `revolute identify` and `revolute payload`."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from revolute.cli.commands.numbers import joint_numbers
from revolute.errors import InputError, UnknownNameError, printable
from revolute.identification import Log, MotorSide, Samples, read_log
from revolute.identification.blocks_of import advised_decimation
from revolute.machine.robot import Robot

__all__ = ["LogBlocks", "LogOptions", "Tell", "files_of", "moving", "open_log", "progress"]

QUANTITIES = ("t", "q", "qd", "qdd", "tau")
KNOWN = ("columns", "units", "rate", "cutoff", "times", "joints", "motor_side", "coupled_drives")
"""Keys of a file of --columns."""
Tell = Callable[[str], None]
LARGE = 5_000_000
"""Size of files [bytes] from which on there is a line of progress."""
LONG = 20_000_000
"""Size of files [bytes] from which on samples are read anew in each pass, and not kept."""


@dataclass(frozen=True)
class LogOptions:
    """How logs are read, as a command line says it.

    Attributes:
        columns: names of TOML files, and texts QUANTITY=COLUMNS.
        degrees: whether all angles are in degrees.
        rate: rows a second, of logs without times.
        cutoff: of the low-pass [Hz].
        times: text of the first and last time that count [s].
        gains: text of torques for currents [N m/A], or "unknown".
        joints: text of the joints that moved.
    """

    columns: Sequence[str] = ()
    degrees: bool = False
    rate: float | None = None
    cutoff: float | None = None
    times: str | None = None
    gains: str | None = None
    joints: str | None = None

    def settings(self) -> dict[str, Any]:
        """All of it by the keys of a file: `KNOWN`.

        Raises:
            InputError: a file or text that cannot be used.
        """
        found: dict[str, Any] = {"columns": {}}
        for text in self.columns:
            if Path(text).suffix.lower() == ".toml":
                found |= _file(Path(text), found["columns"])
            else:
                found["columns"] |= _column(text)
        options = {
            "units": "deg" if self.degrees else None, "rate": self.rate, "cutoff": self.cutoff,
            "times": self.times and joint_numbers("--times", self.times, ["first", "last"], np.zeros(2)).tolist(),
            "joints": [name.strip() for name in self.joints.split(",")] if self.joints else None,
        }  # fmt: skip
        return found | {key: value for key, value in options.items() if value is not None}


def _file(path: Path, columns: Mapping[str, Any]) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # bad TOML or UTF-8
        raise InputError(f"{path}: it is no TOML: {error}") from None
    if unknown := [key for key in data if key not in KNOWN]:
        raise InputError(f"{path}: there is no key '{unknown[0]}'; there are {', '.join(KNOWN)}")
    for key in ("columns", "motor_side"):
        if not isinstance(data.get(key, {}), dict):
            raise InputError(f"{path}: {key} must be a table, [{key}]")
    return data | {"columns": {**columns, **{k: _unread(v) for k, v in data.get("columns", {}).items()}}}


def _unread(value: Any) -> Any:
    """TOML has no null: "none" is a column that is not read."""
    if isinstance(value, list):
        return [_unread(each) for each in value]
    return None if value == "none" else value


def _column(text: str) -> dict[str, Any]:
    quantity, equals, names = text.partition("=")
    if not equals or quantity not in QUANTITIES:
        raise InputError(
            f"--columns: '{text}' is neither a .toml file nor QUANTITY=COLUMNS with one of {', '.join(QUANTITIES)}, "
            "such as q=position_{n}"
        )
    return {quantity: _unread([name.strip() for name in names.split(",")] if "," in names else names)}


def moving(robot: Robot, settings: Mapping[str, Any]) -> Robot:
    """The robot with all joints locked but those that moved, at zero or the nearest limit.

    Raises:
        UnknownNameError: no such joint.
    """
    joints = settings.get("joints")
    if joints is None:
        return robot
    if isinstance(joints, str) or not all(isinstance(name, str) for name in joints):
        raise InputError(f"joints must be a list of names, not {joints!r}")
    if unknown := [name for name in joints if name not in robot.joint_names]:
        raise UnknownNameError(f"--joints: there is no joint '{unknown[0]}'; there are {', '.join(robot.joint_names)}")
    rest: dict[str, Any] = {}
    for body, q in zip(robot.bodies[1:], robot.q_index[1:], strict=True):
        if body.joint.nv and body.joint_name not in joints:
            here = np.clip(robot.neutral()[q], robot.lower_limits[q], robot.upper_limits[q])
            rest[body.joint_name] = float(here[0]) if len(here) == 1 else here.tolist()
    return robot.lock(rest) if rest else robot


def files_of(text: str) -> list[Path]:
    """The files that an argument LOG names: one, or one a quantity."""
    source = _source(text)
    return [Path(path) for path in dict.fromkeys(source.values())] if isinstance(source, dict) else [Path(source)]


def _source(text: str) -> str | dict[str, str]:
    """A path, or {quantity: path} of `q=positions.csv,tau=currents.csv`."""
    words = [word.partition("=") for word in text.split(",")]
    if Path(text).exists() or any(word[0].strip() not in QUANTITIES or not word[1] for word in words):
        return text
    return {quantity.strip(): path.strip() for quantity, _, path in words}


def open_log(robot: Robot, text: str, settings: Mapping[str, Any], gains: str | None = None) -> Log:
    """The log that a command line names.

    Args:
        robot: that moved.
        text: a path, or `q=positions.csv,tau=currents.csv`.
        settings: of `LogOptions`.
        gains: text of torques for currents, or "unknown".

    Raises:
        InputError, TrajectoryError: the log or a setting cannot be used.
    """
    motor: dict[str, Any] = dict(settings.get("motor_side", {}))
    units = settings.get("units")
    if gains is not None:
        names, none = robot.coordinate_names, np.full(robot.nv, np.nan)
        motor["gains"] = "unknown" if gains == "unknown" else joint_numbers("--gains", gains, names, none)
        units = {**({"q": "deg", "qd": "deg/s", "qdd": "deg/s^2"} if units == "deg" else units or {}), "tau": "A"}
    if unknown := [key for key in motor if key not in ("ratios", "offset", "gains", "torque")]:
        raise InputError(f"motor_side: there is no '{unknown[0]}'; there are ratios, offset, gains, torque")
    side = MotorSide(**motor) if motor else None
    columns = settings["columns"] or None
    return read_log(robot, _source(text), columns, units=units, rate=settings.get("rate"), motor_side=side)


def _interval(times: Any) -> tuple[float, float]:
    if times is None:
        return -np.inf, np.inf
    if not isinstance(times, list) or len(times) != 2 or not times[0] < times[1]:
        raise InputError(f"--times: needs a first and a later last time [s], such as 0.5,20, not {times!r}")
    return float(times[0]), float(times[1])


class LogBlocks:
    """The samples of logs in turn, block by block, as often as an estimator asks.

    Args:
        logs: to read.
        settings: `cutoff` and `times` of `LogOptions.settings`.
        paths: of the files.
        report: is told how many samples were read, as they are.

    Raises:
        InputError: times that are no interval.
    """

    def __init__(
        self, logs: Sequence[Log], settings: Mapping[str, Any], paths: Sequence[Path], report: Callable[[int], None]
    ) -> None:
        self._logs, self._cutoff, self._report = logs, settings.get("cutoff"), report
        self._first, self._last = _interval(settings.get("times"))
        self._keep = sum(path.stat().st_size for path in paths if path.is_file()) < LONG
        self._kept: list[Samples] | None = None

    def __iter__(self) -> Iterator[Samples]:
        if self._kept is not None:
            yield from self._kept
            return
        kept, count = [], 0
        for log in self._logs:
            for whole in log.blocks(self._cutoff, torque_cutoff=np.inf, every=1):
                block = whole[(self._first <= whole.t) & (whole.t <= self._last)]
                count += len(block)
                self._report(count)
                if len(block) and self._keep:
                    kept.append(block)
                if len(block):
                    yield block
        if not count:
            for log in self._logs:
                log.samples(self._cutoff, torque_cutoff=np.inf, every=1)  # says why there are none
            raise InputError(f"--times: no log has samples from {self._first:g} to {self._last:g} s")
        if self._keep:
            self._kept = kept

    @property
    def amperes(self) -> bool:
        """Whether forces are currents, and gains are to be found."""
        return any(log.amperes for log in self._logs)

    @property
    def decimate(self) -> int:
        """Rows of which one is kept, after regressor and forces pass the same low-pass."""
        return min(advised_decimation(log, self._cutoff) for log in self._logs)

    def notes(self) -> list[str]:
        """How each log was read, a line each."""
        lines = []
        for log in self._logs:
            plan = log.preparation(self._cutoff, torque_cutoff=np.inf, every=1)
            uneven = "" if plan.even else f"; uneven steps ({log.jitter:.1%}) were resampled"
            lines.append(
                f"{log.name}: {1 / log.step:.6g} Hz, low-pass of {plan.cutoff:.3g} Hz, one row of {self.decimate} is "
                f"kept{uneven}"
            )
        return lines


@contextlib.contextmanager
def progress(files: Sequence[Path]) -> Iterator[Tell]:
    """A line on stderr with what is going on, for long logs."""
    size = sum(path.stat().st_size for path in files if path.is_file())
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=size < LARGE) as line:
        task = line.add_task("reading", total=None)
        yield lambda words: line.update(task, description=escape(printable(words)))
