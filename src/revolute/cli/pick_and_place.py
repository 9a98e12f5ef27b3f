"""The demonstration: joint forces of a UR5 that carries a box, 10 s at 1 kHz.

The path is made of minimum-jerk moves between poses at rest (Flash & Hogan 1985),

    s(x) = 10 x^3 - 15 x^4 + 6 x^5,    x from 0 to 1,

so positions, velocities and accelerations are exact and continuous.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.io.trajectory import StateRows
from revolute.library import ur5
from revolute.machine.robot import Robot
from revolute.spatial import Inertia

__all__ = ["BOX_MASS", "BOX_SIDE", "Run", "box", "carrying", "path", "run"]

Array = NDArray[Any]

RATE = 1000
"""States per second."""
REPEATS = 11
"""Number of runs of the computation, for its median duration."""
BOX_MASS = 4.0
"""Mass in kg; the rated payload is 5 kg."""
BOX_SIDE = 0.16
"""Edge length in m; the tool reaches its top."""

# Joint positions [degrees]. The tool always points down, because the three middle angles
# of the arm's plane add up to -90; the comment is where tool0 is [m].
HOME = (0.0, -100.0, 100.0, -90.0, -90.0, -90.0)
OVER_PICK = (-48.1, -59.4, 64.1, -94.7, -90.0, -103.7)  # 0.55, -0.45, 0.34
PICK = (-48.1, -52.2, 80.0, -117.8, -90.0, -103.7)  # 0.55, -0.45, 0.16: the box stands at the level of the base
OVER_PLACE = (41.9, -57.3, 41.6, -74.3, -90.0, -94.0)  # 0.45, 0.55, 0.47
PLACE = (41.9, -58.8, 67.7, -98.9, -90.0, -94.0)  # 0.45, 0.55, 0.31: on a shelf 0.15 m high

# Duration [s], the pose at the end, and whether the box is held meanwhile.
MOVES = (
    (0.3, HOME, False),
    (1.6, OVER_PICK, False),
    (0.8, PICK, False),
    (0.4, PICK, False),  # the gripper closes
    (0.8, OVER_PICK, True),
    (2.0, OVER_PLACE, True),
    (0.8, PLACE, True),
    (0.4, PLACE, False),  # the gripper opens
    (0.7, OVER_PLACE, False),
    (1.8, HOME, False),
    (0.4, HOME, False),
)


def path() -> StateRows:
    """The pick-and-place trajectory: 10,000 states of the UR5.

    Example:
        >>> from revolute.cli.pick_and_place import path
        >>> path().q.shape
        (10000, 6)
    """
    ends = np.cumsum([seconds for seconds, *_ in MOVES])
    t = np.arange(round(ends[-1] * RATE)) / RATE
    move, seconds = _moves(t, ends)
    poses = np.radians([HOME, *(pose for _, pose, _ in MOVES)])
    start, step = poses[move], (poses[1:] - poses[:-1])[move]
    x = ((t - (ends[move] - seconds)) / seconds)[:, None]
    T = seconds[:, None]
    s = x**3 * (10 - 15 * x + 6 * x**2)
    sd = 30 * x**2 * (1 - x) ** 2 / T
    sdd = 60 * x * (1 - x) * (1 - 2 * x) / T**2
    return StateRows(t, start + step * s, step * sd, step * sdd)


def carrying(t: Array) -> Array:
    """(n,) whether the box is held at given times [s]."""
    ends = np.cumsum([seconds for seconds, *_ in MOVES])
    return np.array([held for *_, held in MOVES])[_moves(t, ends)[0]]


def _moves(t: Array, ends: Array) -> tuple[Array, Array]:
    """Index and duration of the move at each time."""
    # half a step early, so that rounding of sums like 0.3 + 1.6 does not shift a start
    move = np.minimum(np.searchsorted(ends - 0.5 / RATE, t, side="right"), len(MOVES) - 1)
    return move, np.array([seconds for seconds, *_ in MOVES])[move]


def box() -> Inertia:
    """The box, a uniform cube below the flange, about the frame tool0."""
    moment = BOX_MASS * BOX_SIDE**2 / 6
    return Inertia.from_com(BOX_MASS, (0, 0, BOX_SIDE / 2), ((moment, 0, 0), (0, moment, 0), (0, 0, moment)))


@dataclass(frozen=True)
class Run:
    """The results of the demonstration.

    Attributes:
        robot: the arm without the box.
        trajectory: its 10,000 states.
        held: (n,) whether the box is held.
        tau: (n, nv) joint forces [N m], with the box where it is held.
        empty: (n, nv) joint forces [N m] of the same motion without the box.
        seconds: time to compute `tau` with the machine code ready, the median of `REPEATS` runs.
        compile_seconds: time to get the machine code of both robots ready.
    """

    robot: Robot
    trajectory: StateRows
    held: Array
    tau: Array
    empty: Array
    seconds: float
    compile_seconds: float


def run() -> Run:
    """Joint forces along the path: of the arm, and of the arm with the box while it carries it."""
    arm = ur5()
    loaded = arm.with_payload("tool0", box())
    trajectory = path()
    assert trajectory.t is not None  # the path is made with times
    held = carrying(trajectory.t)
    states = trajectory.q, trajectory.qd, trajectory.qdd
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

    tau = np.empty_like(trajectory.qd)
    tau[~held], tau[held] = tau_free, tau_held
    return Run(arm, trajectory, held, tau, arm.inverse_dynamics(*states), median(times), compile_seconds)
