"""Joint forces and times of a simulation, from command-line options."""

from pathlib import Path
from typing import Any

import numpy as np

from revolute.arguments import Array
from revolute.cli.commands.numbers import joint_numbers
from revolute.errors import InputError
from revolute.io.trajectory import open_table, rate_names, time_column
from revolute.machine.robot import Robot
from revolute.simulate import ADAPTIVE

MOST = 5_000_000  # maximum number of instants of a simulation; a larger number is probably due to a mistyped time step
SUFFIXES = (".csv", ".parquet", ".pq", ".txt", ".tsv")


def forces_and_times(
    robot: Robot, tau: str | None, duration: float | None, step: float, method: str
) -> tuple[Any, Array]:
    """Joint forces, as an argument of `Robot.simulate`, and (T,) times."""
    # Forces of a file are interpolated linearly; the simulation begins at the file's first time.
    if tau is None or not (Path(tau).suffix.lower() in SUFFIXES or Path(tau).is_file()):
        if duration is None:
            raise InputError("--duration is missing: give the seconds to simulate")
        names, zero = robot.coordinate_names, np.zeros(robot.nv)
        constant = None if tau is None else joint_numbers("--tau", tau, names, zero)
        return constant, times(0.0, duration, step)
    instants, rows = _read(robot, Path(tau))
    t = times_within(tau, instants, duration, step)
    with np.errstate(over="ignore"):
        steep = ~np.isfinite(np.diff(rows, axis=0) / np.diff(instants)[:, None]).all(axis=1)
    if steep.any():
        start, end = instants[np.argmax(steep) :][:2]
        raise InputError(f"{tau}: forces at {start:g} s and {end:g} s differ too much to interpolate; check units")

    def interpolated(now: Any) -> Array:
        return np.stack([np.interp(now, instants, column) for column in rows.T], axis=-1)

    return (lambda now, q, qd: interpolated(now)) if method in ADAPTIVE else interpolated(t), t


def _read(robot: Robot, path: Path) -> tuple[Array, Array]:
    """(k,) times and (k, nv) forces of a file."""
    table, names = open_table(path), rate_names(robot, "tau")
    if missing := [name for name in names if name not in table.columns]:
        raise InputError(f"{path}: no column '{missing[0]}'; {robot.name} needs the columns {', '.join(names)}")
    if (time := time_column([name for name in table.columns if name not in names], str(path))) is None:
        raise InputError(f"{path}: no time column, 't' [s]")
    rows = table.rows((time, *names))
    if len(rows) < 2 or (np.diff(rows[:, 0]) <= 0).any():
        raise InputError(f"{path}: at least two rows with increasing times are required")
    return rows[:, 0], rows[:, 1:]


def times_within(file: str, given: Array, duration: float | None, step: float) -> Array:
    """Times from a file's first time, by default up to its last time; an `InputError` names the file."""
    start, end = float(given[0]), float(given[-1])
    try:
        t = times(start, end - start if duration is None else duration, step)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    if t[-1] > end + 1e-9 * (end - start):
        raise InputError(f"{file} ends at {end:g} s, before the simulation, which ends at {t[-1]:g} s")
    return t


def times(start: float, duration: float, step: float) -> Array:
    """start, start + step, ..., start + duration; the last step may be shorter."""
    for option, value in (("--duration", duration), ("--step", step)):
        if not (value > 0 and np.isfinite(value)):
            raise InputError(f"{option} must be more than 0 s, not {value:g}")
    if step > duration * (1 + 1e-9):
        raise InputError(f"--step of {step:g} s is longer than the --duration of {duration:g} s")
    if duration / step > MOST:
        raise InputError(f"{duration:g} s are {duration / step:.3g} steps of {step:g} s; at most {MOST:,} are allowed")
    whole = int(np.ceil(duration / step * (1 - 1e-12)))
    return np.append(start + step * np.arange(whole), start + duration)
