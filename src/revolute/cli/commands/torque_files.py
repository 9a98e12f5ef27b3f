"""`revolute torque` over many files: a table of joint forces for each trajectory of a folder or pattern.

Reading, computing and writing overlap. Memory holds a few blocks of rows, or a whole file if the file lacks
derivatives.
"""

import glob
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console

from revolute.arguments import Array
from revolute.cli.commands import screen
from revolute.cli.commands.changes import changed
from revolute.cli.commands.motion_options import TorqueOptions
from revolute.cli.commands.summary import Summary, beyond, loads_table
from revolute.cli.commands.targets import check_apart
from revolute.cli.commands.torque import compile_forces, progress
from revolute.errors import InputError, TrajectoryError
from revolute.io.ahead import ahead
from revolute.io.trajectory import StateBlock, States, open_states, open_table, open_writer, rate_names
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.whole_file import check_folder

SUFFIXES = (".csv", ".parquet", ".pq")
MOST_NOTES = 8


def are_many(source: Path) -> bool:
    """Whether a path is a folder or a pattern, not a file."""
    return source.is_dir() or (not source.exists() and glob.has_magic(str(source)))


def shard_of(text: str) -> tuple[int, int]:
    """(i, n) of the shard "i/n": every n-th file, from file i on, counted from 1."""
    number, slash, of = text.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise InputError(f"--shard must be i/n with i from 1 to n, such as 1/4, 2/4, 3/4 and 4/4; not '{text}'")
    return int(number), int(of)


def run(robot: Robot, source: Path, options: TorqueOptions, description: str | None, console: Console) -> None:
    """Compute joint forces along many trajectories; print their peaks.

    All files of the shard are first opened and checked. Files of results are named after their trajectories.
    `description` is the robot's file, if there is one.
    """
    robot, wrenches, remarks = changed(robot, options)
    if (folder := options.output) is None:
        raise InputError(f"{source}: for many files, -o must be a folder")
    if options.plot is not None or options.report is not None:
        raise InputError(f"{'--plot' if options.plot else '--report'} shows only one file")
    check_folder(folder)
    number, of = shard_of(options.shard or "1/1")
    machine = robot.with_drives() if options.drives else None
    computing: Robot | DrivenRobot = machine or robot
    space = machine.space if machine else robot
    paths = _files(source, folder)[number - 1 :: of]
    clocks = {path: open_states(space, path, options.knots).columns.time is not None for path in paths}
    columns = {path: (("t",) if clock else ()) + rate_names(space, "tau") for path, clock in clocks.items()}
    if options.resume:
        older = [Path(description)] if description else []
        paths = [path for path in paths if not _is_done(folder / path.name, columns[path], [path, *older])]
    timed = all(clocks[path] for path in paths)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be created: {error.strerror or error}") from None
    compile_forces(computing, wrenches)
    summary, notes = Summary(space), dict[str, int]()
    with progress(wanted=bool(paths)) as report:
        for k, path in enumerate(paths):
            states = open_states(space, path, options.knots)
            results_file = open_writer(folder / path.name, columns[path])
            with results_file as writer, ahead(_forces(computing, states, wrenches)) as results:
                for block, tau in results:
                    summary.add(block.t if timed else None, block.q, block.qd, tau)
                    writer.add(tau if block.t is None else np.column_stack([block.t, tau]))
                    report(path.name, (k + block.done) / len(paths))
            for note in states.notes:
                notes[note] = notes.get(note, 0) + 1
    say = partial(screen.say, console)
    part = f" (part {number} of {of})" if of > 1 else ""
    say(f"{source}: {_files_text(len(paths))}{part}, {summary.rows:,} rows")
    if done := len(clocks) - len(paths):
        say(f"- {_files_text(done)} left out, whose forces are in {folder}")
    for remark in remarks:
        say(f"- {remark}")
    for note, count in list(notes.items())[:MOST_NOTES]:
        say(f"- {note} ({_files_text(count)})")
    for note in beyond(robot, summary) if paths and not machine else ():  # with drives, `summary` lacks mimic joints
        say(f"- {note}")
    if paths:
        say()
        console.print(loads_table(space, summary, f"Joint loads of {robot.name}", timed))
        say(f"Written to {folder}")


def _files_text(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"


def _forces(
    machine: Robot | DrivenRobot, states: States, wrenches: Mapping[str, Array]
) -> Iterator[tuple[StateBlock, Array]]:
    """Blocks of states and their forces; the next blocks are read while the forces of one block are computed."""
    with ahead(states.blocks()) as blocks:
        for block in blocks:
            yield block, machine.inverse_dynamics(block.q, block.qd, block.qdd, wrenches=wrenches or None)


def _files(source: Path, folder: Path) -> list[Path]:
    """The files, sorted by name, so that the order is the same in all shards."""
    found = source.iterdir() if source.is_dir() else map(Path, glob.glob(str(source), recursive=True))
    paths = sorted(path for path in found if path.suffix.lower() in SUFFIXES and path.is_file())
    if not (paths := [path for path in paths if not path.name.startswith(".")]):
        raise InputError(f"{source}: no {', '.join(SUFFIXES)} files")
    seen: dict[str, Path] = {}
    for path in paths:
        if path.name in seen:
            raise InputError(f"{path} and {seen[path.name]} have the same name, and results are named after files")
        seen[path.name] = path
    check_apart(paths, [folder / path.name for path in paths])
    return paths


def _is_done(result: Path, columns: Sequence[str], sources: Sequence[Path]) -> bool:
    """Whether a result exists with these columns, and none of its sources is newer."""
    # Results are written atomically; a Parquet file that was truncated later cannot be opened.
    try:
        return tuple(open_table(result).columns) == tuple(columns) and all(
            source.stat().st_mtime_ns <= result.stat().st_mtime_ns for source in sources
        )
    except (OSError, TrajectoryError):
        return False
