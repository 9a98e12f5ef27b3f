"""`revolute demo`: joint forces of a UR5 that carries a box, for 10 s at 1 kHz; printed, drawn and written as files.

The path is made of minimum-jerk moves between poses at rest (Flash & Hogan 1985).
"""

import shutil
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from rich.console import Console

from revolute.arguments import Array
from revolute.cli.commands import screen
from revolute.cli.commands.summary import Summary, loads_table
from revolute.errors import InputError, MissingExtraError
from revolute.io import trajectory
from revolute.library import ur5
from revolute.machine.robot import Robot
from revolute.spatial import Inertia
from revolute.trajectory import quintic

RATE = 1000  # sampling rate of the states [Hz]
REPEATS = 11  # number of timed runs, whose median duration is reported
BOX_MASS = 4.0  # mass of the box [kg]; the payload limit of the arm is 5 kg
BOX_SIDE = 0.16  # edge length of the cubic box [m]; the tool grips the box at its top face

# Joint positions [degrees]. The tool always points down, because the three middle angles,
# in the arm's plane, add up to -90. Comments give the position of tool0 [m].
HOME = (0.0, -100.0, 100.0, -90.0, -90.0, -90.0)
OVER_PICK = (-48.1, -59.4, 64.1, -94.7, -90.0, -103.7)  # tool at 0.55, -0.45, 0.34
PICK = (-48.1, -52.2, 80.0, -117.8, -90.0, -103.7)  # 0.55, -0.45, 0.16: the box stands at the level of the base
OVER_PLACE = (41.9, -57.3, 41.6, -74.3, -90.0, -94.0)  # 0.45, 0.55, 0.47
PLACE = (41.9, -58.8, 67.7, -98.9, -90.0, -94.0)  # 0.45, 0.55, 0.31: on a shelf 0.15 m high

# Each move: duration [s], final pose, and whether the gripper holds the box during the move.
MOVES = (
    (0.3, HOME, False),
    (1.6, OVER_PICK, False),
    (0.8, PICK, False),
    (0.4, PICK, False),  # the gripper closes here
    (0.8, OVER_PICK, True),
    (2.0, OVER_PLACE, True),
    (0.8, PLACE, True),
    (0.4, PLACE, False),  # the gripper opens here
    (0.7, OVER_PLACE, False),
    (1.8, HOME, False),
    (0.4, HOME, False),
)


def run(output: Path, console: Console) -> None:
    """Compute the demonstration, print it and write its files to a folder."""
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{output}: the folder cannot be created: {error.strerror or error}") from None
    result, say = computed(), partial(screen.say, console)
    robot, t, motion, n = result.robot, result.t, result.motion, len(result.t)
    held = int(result.held.sum())
    say(f"A {robot.name} picks up a box of {BOX_MASS:g} kg and puts it on a shelf: {n:,} states, 1 kHz.")
    say(
        f"Computed in {result.seconds * 1e3:.2f} ms, {result.seconds / n * 1e9:.0f} ns per state (median of {REPEATS} "
        "runs), by two calls:"
    )
    say(f"    robot.inverse_dynamics(q, qd, qdd)                                       {n - held:,} states")
    say(f"    robot.with_payload('tool0', box).inverse_dynamics(q, qd, qdd)            {held:,} states")
    say(f"Machine code for both was ready in {result.compile_seconds * 1e3:.0f} ms.")
    say()
    summary = Summary(robot)
    summary.add(t, motion[0], motion[1], result.tau)
    console.print(loads_table(robot, summary, f"Joint loads of {robot.name} over {n / RATE:g} s, box included"))

    columns = ["t", *trajectory.position_names(robot)]
    rates = [name for quantity in ("qd", "qdd") for name in trajectory.rate_names(robot, quantity)]
    trajectory.write(output / "trajectory.csv", columns + rates, t, *motion)
    trajectory.write(output / "positions.csv", columns, t, motion[0])
    trajectory.write(output / "torques.csv", ["t", *trajectory.rate_names(robot, "tau")], t, result.tau)
    written = ["trajectory.csv", "positions.csv", "torques.csv"]
    try:
        _draw(result, output / "torques.png")
        written.append("torques.png")
    except MissingExtraError as error:
        say(f"no picture: {error}")
    say(f"Written to {output}: {', '.join(written)}")
    say(f"The same without the box: {_program()} torque ur5 {output / 'trajectory.csv'} -o torques.csv")


def _program() -> str:
    """The command that runs this program: its path, unless its environment is active."""
    if shutil.which("revolute"):
        return "revolute"
    beside = Path(sys.executable).with_name("revolute")
    here = Path.cwd()
    return str(beside.relative_to(here) if beside.is_relative_to(here) else beside)


def box() -> Inertia:
    """Inertia of the box, a uniform cube below the flange, in the frame tool0."""
    moment = BOX_MASS * BOX_SIDE**2 / 6
    return Inertia.from_com(BOX_MASS, (0, 0, BOX_SIDE / 2), ((moment, 0, 0), (0, moment, 0), (0, 0, moment)))


@dataclass(frozen=True)
class Run:
    """The results of the demonstration."""

    robot: Robot  # the arm without the box
    t: Array  # (n,) times [s]
    motion: tuple[Array, Array, Array]  # (n, nq) q, (n, nv) qd and qdd
    held: Array  # (n,) whether the box is held
    tau: Array  # (n, nv) joint forces [N m], with the box where it is held
    empty: Array  # (n, nv) joint forces [N m] of the same motion without the box
    seconds: float  # time to compute `tau` with the machine code ready, the median of `REPEATS` runs
    compile_seconds: float  # time to get the machine code of both robots ready


def computed() -> Run:
    """Compute joint forces along the path, with the box while the arm holds it, and without it otherwise."""
    arm = ur5()
    loaded = arm.with_payload("tool0", box())
    t, states = path()
    held = carrying(t)
    free_states, held_states = [x[~held] for x in states], [x[held] for x in states]
    started = time.perf_counter()
    arm.kernel("inverse_dynamics")
    loaded.kernel("inverse_dynamics")
    compile_seconds = time.perf_counter() - started
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        tau_free = arm.inverse_dynamics(*free_states)
        tau_held = loaded.inverse_dynamics(*held_states)
        times.append(time.perf_counter() - started)

    tau = np.empty_like(states[1])
    tau[~held], tau[held] = tau_free, tau_held
    return Run(arm, t, states, held, tau, arm.inverse_dynamics(*states), median(times), compile_seconds)


def _draw(result: Run, path: Path) -> None:
    from revolute.plot import Span, pick_and_place, save

    t, held = result.t, result.t[result.held]
    spans = [Span(float(held[0]), float(held[-1]), f"carrying {BOX_MASS:g} kg")]
    title = f"UR5 pick and place: joint torques of {len(t):,} states, computed in {result.seconds * 1e3:.1f} ms"
    save(pick_and_place(result.robot, t, result.motion[1], result.tau, result.empty, spans, title), path)


def path() -> tuple[Array, tuple[Array, Array, Array]]:
    """(n,) times of the demonstration, and (n, 6) q, qd and qdd of the UR5."""
    ends = np.cumsum([0.0, *(seconds for seconds, *_ in MOVES)])
    t = np.arange(round(ends[-1] * RATE)) / RATE
    return t, quintic(ur5(), np.radians([HOME, *(pose for _, pose, _ in MOVES)]), ends)(t)


def carrying(t: Array) -> Array:
    """(n,) whether the box is held at given times [s]."""
    ends = np.cumsum([seconds for seconds, *_ in MOVES])
    # each move starts half a step early, so that rounding of sums like 0.3 + 1.6 does not delay its first sample
    move = np.minimum(np.searchsorted(ends - 0.5 / RATE, t, side="right"), len(MOVES) - 1)
    return np.array([held for *_, held in MOVES])[move]
