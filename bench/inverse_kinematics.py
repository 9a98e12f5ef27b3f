"""Inverse kinematics beside other libraries: `python -m bench.inverse_kinematics` writes INVERSE_KINEMATICS.md."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.inverse_kinematics_peers import RESTARTS, TOLERANCE, Solver, peers
from bench.robots import Array, Case
from bench.tables import machine, table, yes
from bench.timing import only_cores

__all__ = ["ARMS", "Score", "ours", "page", "scores"]

PAGE = Path(__file__).with_name("INVERSE_KINEMATICS.md")
POSES = 10_000
MOST_MICROSECONDS, LEAST_RATE = 15.0, 0.995

ARMS = (
    (Case("ur5", "UR5", "ur_description/urdf/ur5_robot.urdf"), "tool0"),
    (Case("panda", "Panda", "panda_description/urdf/panda.urdf"), "panda_link8"),
    (Case("xarm7", "xArm7", "xarm_description/urdf/xarm7.urdf"), "link_eef"),
)
"""Robots and the links that are to reach poses. The last joints of Panda and xArm7 have offset axes."""


class Score(NamedTuple):
    """How often a solver reached poses within the limits, and its time a pose."""

    name: str
    poses: int
    rate: float
    microseconds: float


def reachable(case: Case, frame: str, count: int) -> Array:
    """(count, 4, 4) poses of random positions within the limits."""
    robot = case.robot
    return np.asarray(robot.forward_kinematics(robot.random_configuration(count, rng=1), frame))


def reached(case: Case, frame: str, q: Array, poses: Array) -> Array:
    """Whether a frame is at its pose and joints are within their limits; |R - S|_F^2 is twice a chord's square."""
    robot = case.robot
    squares = ((robot.forward_kinematics(q, frame) - poses) ** 2).sum(axis=-2)
    error = np.sqrt(squares[:, :3].sum(axis=-1) / 2 + squares[:, 3])
    within = (q >= robot.lower_limits - 1e-12) & (q <= robot.upper_limits + 1e-12)
    return np.asarray((error <= TOLERANCE * 1.001) & within.all(axis=1))


def ours(case: Case, frame: str, poses: Array, repeats: int = 5) -> Iterator[Score]:
    """One thread: all poses at once, and one a call."""
    robot = case.robot
    found = robot.inverse_kinematics(poses, frame, restarts=RESTARTS, threads=1)
    seconds = min(_time(lambda: robot.inverse_kinematics(poses, frame, threads=1)) for _ in range(repeats))
    rate = float(reached(case, frame, found.q, poses).mean())
    yield Score("Revolute, in batches", len(poses), rate, seconds / len(poses) * 1e6)
    yield one_by_one(
        "Revolute, one a call", case, frame, lambda pose: robot.inverse_kinematics(pose, frame).q, poses[:1000]
    )


def one_by_one(name: str, case: Case, frame: str, solve: Solver, poses: Array) -> Score:
    """A solver that takes a pose a call."""
    solve(poses[0])
    q: list[Array] = []
    seconds = _time(lambda: q.extend(map(solve, poses)))
    rate = float(reached(case, frame, np.array(q), poses).mean())
    return Score(name, len(poses), rate, seconds / len(poses) * 1e6)


def scores(case: Case, frame: str) -> Iterator[Score]:
    """Ours, then those of the peers that are installed."""
    poses = reachable(case, frame, POSES)
    with only_cores(1):
        yield from ours(case, frame, poses)
        for name, solve, count in peers(case, frame):
            yield one_by_one(name, case, frame, solve, poses[:count])


def page() -> Iterator[str]:
    """The report, in Markdown."""
    yield "# Inverse kinematics\n\nWritten by `python -m bench.inverse_kinematics`.\n"
    yield (
        f"Poses of random positions within the joint limits, one core, tolerance {TOLERANCE:g} (rad and m together), "
        f"{RESTARTS} restarts. A pose counts as reached if forward kinematics of the answer is within the tolerance, "
        "and the answer within the limits. All solvers are told the limits.\n"
    )
    yield machine() + "\n"
    for case, frame in ARMS:
        found = list(scores(case, frame))
        rows = [(x.name, f"{x.poses:,}", f"{x.rate:.2%}", f"{x.microseconds:,.1f}") for x in found]
        best = found[0]
        met = best.rate >= LEAST_RATE and best.microseconds <= MOST_MICROSECONDS
        yield f"## {case.label}, {frame}\n"
        yield table(("solver", "poses", "reached", "us a pose"), rows) + "\n"
        yield f"Target of batches: {LEAST_RATE:.1%} reached, {MOST_MICROSECONDS:g} us a pose; met: {yes(met)}\n"


def _time(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


if __name__ == "__main__":
    PAGE.write_text("\n".join(page()), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))
