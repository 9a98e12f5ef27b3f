"""Logs of `revolute identify` and `revolute payload`: files, joints that moved, blocks of samples, progress."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from revolute.arguments import nearest
from revolute.cli.commands.changes import locked
from revolute.cli.commands.numbers import joint_numbers
from revolute.errors import InputError, UnknownNameError, printable
from revolute.identification import Log, LogFinding, MotorSide, Samples, read_log
from revolute.identification.log.blocks import Passes, advised_decimation
from revolute.identification.log.sources import QUANTITIES
from revolute.machine.robot import Robot

Show = Callable[[str], None]  # function that displays the current step of the computation
LARGE, LONG = 5_000_000, 20_000_000
"""Minimum sizes of files [bytes] for which progress is shown, and whose samples are read again in each pass."""


def moving(robot: Robot, settings: Mapping[str, Any]) -> Robot:
    """The robot with all joints except those in --joints locked, at zero or the nearest limit."""
    if (joints := settings.get("joints")) is None:
        return robot
    if not isinstance(joints, list) or not joints or not all(isinstance(name, str) for name in joints):
        raise InputError(f"joints must be a list of names, not {joints!r}")
    if unknown := [name for name in joints if name not in robot.joint_names]:
        raise UnknownNameError(f"--joints: there is no joint '{unknown[0]}'; {nearest(unknown[0], robot.joint_names)}")
    others = [name for name in robot.joint_names if name not in joints]
    return locked(robot, others) if others else robot


def files_of(text: str) -> list[Path]:
    """The files in an argument LOG: a single file, or one file per quantity."""
    source = _source(text)
    return [Path(path) for path in dict.fromkeys(source.values())] if isinstance(source, dict) else [Path(source)]


def _source(text: str) -> str | dict[str, str]:
    """A path, or {quantity: path} from `q=positions.csv,tau=currents.csv`."""
    words = [word.partition("=") for word in text.split(",")]
    if Path(text).exists() or any(word[0].strip() not in QUANTITIES or not word[1] for word in words):
        return text
    return {quantity.strip(): path.strip() for quantity, _, path in words}


def open_log(robot: Robot, text: str, settings: Mapping[str, Any], gains: str | None = None) -> Log:
    """Open the log in an argument LOG, with the settings of `LogOptions` and the text of --gains."""
    motor: dict[str, Any] = dict(settings.get("motor_side", {}))
    units = settings.get("units")
    if gains is not None:
        names, none = robot.coordinate_names, np.full(robot.nv, np.nan)
        motor["gains"] = "unknown" if gains == "unknown" else joint_numbers("--gains", gains, names, none)
        units = {**({"q": "deg", "qd": "deg/s", "qdd": "deg/s^2"} if units == "deg" else units or {}), "tau": "A"}
    if unknown := [key for key in motor if key not in ("ratios", "offset", "gains", "torque")]:
        raise InputError(f"motor_side: unknown key '{unknown[0]}'; available: ratios, offset, gains, torque")
    side = MotorSide(**motor) if motor else None
    columns = settings["columns"] or None
    delay, flip = settings.get("delay", 0.0), settings.get("flip", ())
    try:
        late = delay if delay == "auto" else float(delay)
    except (TypeError, ValueError):
        raise InputError(f"--delay must be seconds or auto, not '{delay}'") from None
    return read_log(
        robot, _source(text), columns, units=units, rate=settings.get("rate"), motor_side=side, flip=flip, delay=late
    )


def _interval(times: Any) -> tuple[float, float]:
    if times is None:
        return -np.inf, np.inf
    numbers = isinstance(times, list) and len(times) == 2 and all(isinstance(x, Real) for x in times)
    if not numbers or not times[0] < times[1]:
        raise InputError(f"--times: give a first time and a later last time [s], such as 0.5,20, not {times!r}")
    return float(times[0]), float(times[1])


class LogBlocks:
    """The samples of several logs, block by block, for any number of passes.

    `settings` contains `cutoff` and `times` of `LogOptions.settings`; `report` receives the number of samples read.
    """

    def __init__(
        self, logs: Sequence[Log], settings: Mapping[str, Any], paths: Sequence[Path], report: Callable[[int], None]
    ) -> None:
        self.logs, self._cutoff, self._report = logs, settings.get("cutoff"), report
        self.findings: tuple[LogFinding, ...] = ()  # of `check_log`
        self._first, self._last = _interval(settings.get("times"))
        short = sum(path.stat().st_size for path in paths if path.is_file()) < LONG
        self._blocks = Passes(self._read, np.inf if short else 0)

    def __iter__(self) -> Iterator[Samples]:
        return iter(self._blocks)

    def _read(self) -> Iterator[Samples]:
        count = 0
        for log in self.logs:
            for whole in log.blocks(self._cutoff, torque_cutoff=np.inf, every=1):
                block = whole[(self._first <= whole.t) & (whole.t <= self._last)]
                count += len(block)
                self._report(count)
                if len(block):
                    yield block
        if not count:
            for log in self.logs:
                log.samples(self._cutoff, torque_cutoff=np.inf, every=1)  # raises an error if this log is the cause
            raise InputError(f"--times: no log has samples from {self._first:g} to {self._last:g} s")

    @property
    def has_forces(self) -> Any:
        """(nv,) whether any log contains forces of a coordinate."""
        return np.any([log.has_forces for log in self.logs], axis=0)

    @property
    def amperes(self) -> bool:
        """Whether the forces of a log are currents with unknown gains."""
        return any(log.amperes for log in self.logs)

    @property
    def decimate(self) -> int:
        """Decimation factor n: one of n rows is kept."""
        return min(advised_decimation(log, self._cutoff) for log in self.logs)

    def notes(self) -> list[str]:
        """Notes on how each log is read."""
        lines = []
        for log in self.logs:
            plan = log.preparation(self._cutoff, torque_cutoff=np.inf, every=1)
            uneven = "" if plan.even else f"; uneven steps ({log.jitter:.1%}) were resampled"
            late = f"; forces are read {1e3 * log.delay:.3g} ms later" if log.delay else ""
            lines.append(
                f"{log.name}: {1 / log.step:.6g} Hz, low-pass of {plan.cutoff:.3g} Hz, one row of {self.decimate} is "
                f"kept{uneven}{late}"
            )
            lines += columns_lines(log)
        return lines


def columns_lines(log: Log) -> list[str]:
    """One line with the columns of each joint; no line if all columns have the joint's name."""
    found = log.columns
    if all(name in column for name, columns in found.items() for column in columns.values()):
        return []
    return [f"{log.name}: " + "; ".join(f"{name} is {', '.join(columns.values())}" for name, columns in found.items())]


@contextlib.contextmanager
def progress(files: Sequence[Path]) -> Iterator[Show]:
    """Show the current step on a line of stderr, for long logs; yield the function that sets this text."""
    size = sum(path.stat().st_size for path in files if path.is_file())
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=size < LARGE) as line:
        task = line.add_task("reading", total=None)
        yield lambda words: line.update(task, description=escape(printable(words)))
