"""`revolute demo`: the pick-and-place demonstration, printed, drawn and written as files."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from rich.console import Console

from revolute.cli import pick_and_place as demo
from revolute.cli.commands import screen
from revolute.cli.commands.summary import Summary, loads_table
from revolute.errors import InputError, MissingExtraError
from revolute.io import trajectory

__all__ = ["run"]


def run(output: Path, console: Console) -> None:
    """Compute the demonstration, print it and write its files to a folder.

    Raises:
        InputError: the folder cannot be created.
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{output}: the folder cannot be created: {error.strerror or error}") from None
    result = demo.run()
    robot, motion = result.robot, result.trajectory
    n = len(motion.q)
    _describe(result, console)

    summary = Summary(robot)
    summary.add(motion.t, motion.q, motion.qd, result.tau)
    console.print(loads_table(robot, summary, f"Joint loads of {robot.name} over {n / demo.RATE:g} s, box included"))

    assert motion.t is not None  # the path is made with times
    columns = ["t", *trajectory.position_names(robot)]
    rates = [name for quantity in ("qd", "qdd") for name in trajectory.rate_names(robot, quantity)]
    forces = trajectory.rate_names(robot, "tau")
    trajectory.write(output / "trajectory.csv", columns + rates, motion.t, motion.q, motion.qd, motion.qdd)
    trajectory.write(output / "positions.csv", columns, motion.t, motion.q)
    trajectory.write(output / "torques.csv", ["t", *forces], motion.t, result.tau)
    written = ["trajectory.csv", "positions.csv", "torques.csv"]
    try:
        _draw(result, output / "torques.png")
        written.append("torques.png")
    except MissingExtraError as error:
        screen.say(console, f"no picture: {error}")
    screen.say(console, f"Written to {output}: {', '.join(written)}")
    again = f"{_program()} torque ur5 {output / 'trajectory.csv'} -o torques.csv"
    screen.say(console, f"The same without the box: {again}")


def _program() -> str:
    """The command of this program: its path, unless its environment is active."""
    if shutil.which("revolute"):
        return "revolute"
    beside = Path(sys.executable).with_name("revolute")
    here = Path.cwd()
    return str(beside.relative_to(here) if beside.is_relative_to(here) else beside)


def _describe(result: demo.Run, console: Console) -> None:
    n, held = len(result.held), int(result.held.sum())
    lines = [
        f"A {result.robot.name} picks up a box of {demo.BOX_MASS:g} kg and puts it on a shelf: {n:,} states, 1 kHz.",
        f"Computed in {result.seconds * 1e3:.2f} ms, {result.seconds / n * 1e9:.0f} ns a state "
        f"(median of {demo.REPEATS} runs), by two calls:",
        f"    robot.inverse_dynamics(q, qd, qdd)                                       {n - held:,} states",
        f"    robot.with_payload('tool0', box).inverse_dynamics(q, qd, qdd)            {held:,} states",
        f"Machine code for both was ready in {result.compile_seconds * 1e3:.0f} ms.",
        "",
    ]
    for line in lines:
        screen.say(console, line)


def _draw(result: demo.Run, path: Path) -> None:
    from revolute.plot import Span, pick_and_place, save

    motion = result.trajectory
    assert motion.t is not None  # the path is made with times
    t = motion.t[result.held]
    spans = [Span(float(t[0]), float(t[-1]), f"carrying {demo.BOX_MASS:g} kg")]
    title = f"UR5 pick and place: joint torques of {len(motion.t):,} states, computed in {result.seconds * 1e3:.1f} ms"
    save(pick_and_place(result.robot, motion.t, motion.qd, result.tau, result.empty, spans, title), path)
