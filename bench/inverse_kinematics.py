"""Inverse kinematics beside other libraries: `python -m bench.inverse_kinematics` writes INVERSE_KINEMATICS.md."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.inverse_kinematics_peers import TOLERANCE, Problem, Solver, peers
from bench.robots import Array, Case
from bench.tables import machine, table
from bench.timing import only_cores

__all__ = ["ARMS", "Score", "narrow", "ours", "page", "scores", "wide"]

PAGE = Path(__file__).with_name("INVERSE_KINEMATICS.md")
POSES, SINGLE = 10_000, 1000
RESTARTS = 100

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


def wide(case: Case, frame: str, restarts: int) -> Problem:
    """Poses of random positions within the robot's limits."""
    return within(case, frame, case.robot.lower_limits, case.robot.upper_limits, restarts)


def narrow(case: Case, frame: str, restarts: int, share: float = 0.25) -> Problem:
    """Poses of random positions within a share of every joint's range, somewhere in it."""
    lower, upper = case.robot.lower_limits, case.robot.upper_limits
    places = np.random.default_rng(3).uniform(size=len(lower))
    low = lower + places * (1 - share) * (upper - lower)
    return within(case, frame, low, low + share * (upper - lower), restarts)


def within(case: Case, frame: str, lower: Array, upper: Array, restarts: int) -> Problem:
    """Poses of random positions within limits."""
    q = np.random.default_rng(1).uniform(lower, upper, (POSES, len(lower)))
    return Problem(case, frame, np.asarray(case.robot.forward_kinematics(q, frame)), lower, upper, restarts)


def reached(problem: Problem, q: Array, poses: Array) -> Array:
    """Whether a frame is at its pose and joints are within their limits; |R - S|_F^2 is twice a chord's square."""
    squares = ((problem.case.robot.forward_kinematics(q, problem.frame) - poses) ** 2).sum(axis=-2)
    error = np.sqrt(squares[:, :3].sum(axis=-1) / 2 + squares[:, 3])
    inside = (q >= problem.lower - 1e-12) & (q <= problem.upper + 1e-12)
    return np.asarray((error <= TOLERANCE * 1.001) & inside.all(axis=1))


def ours(problem: Problem, threads: int = 1, repeats: int = 9) -> Iterator[Score]:
    """All poses at once on one thread, on two if there are two cores, and one a call."""
    robot, frame, poses = problem.case.robot, problem.frame, problem.poses
    own = np.array_equal(problem.lower, robot.lower_limits) and np.array_equal(problem.upper, robot.upper_limits)
    limits = own or (problem.lower, problem.upper)

    def solve(pose: Array, threads: int | None = 1) -> Array:
        found = robot.inverse_kinematics(pose, frame, None, limits, restarts=problem.restarts, threads=threads)
        return np.asarray(found.q)

    rate = float(reached(problem, solve(poses), poses).mean())
    for count in range(1, threads + 1):
        seconds = min(_time(lambda count=count: solve(poses, count)) for _ in range(repeats))  # type: ignore[misc]
        name = f"Revolute, in batches, {count} thread{'s' * (count > 1)}"
        yield Score(name, len(poses), rate, seconds / len(poses) * 1e6)
    yield one_by_one("Revolute, one a call", problem, solve, SINGLE)


def one_by_one(name: str, problem: Problem, solve: Solver, count: int) -> Score:
    """A solver that takes a pose a call."""
    poses = problem.poses[:count]
    solve(poses[0])
    q: list[Array] = []
    seconds = _time(lambda: q.extend(map(solve, poses)))
    rate = float(reached(problem, np.array(q), poses).mean())
    return Score(name, len(poses), rate, seconds / len(poses) * 1e6)


def scores(problem: Problem) -> Iterator[Score]:
    """Ours, then those of the peers that are installed, on one core; ours on two threads first."""
    with only_cores(2):
        yield from (x for x in ours(problem, threads=2) if "2 threads" in x.name)
    with only_cores(1):
        yield from ours(problem)
        for name, solve, count in peers(problem):
            yield one_by_one(name, problem, solve, count)


def page() -> Iterator[str]:
    """The report, in Markdown."""
    yield "# The speed of inverse kinematics\n\nWritten by `python -m bench.inverse_kinematics`.\n"
    yield (
        "Microseconds per pose, and in brackets the share of poses reached: the answer's pose is "
        f"within {TOLERANCE:g} (rad and m together), and the answer is within the limits, which all solvers get. Poses "
        "are those of random positions within the limits; narrow limits are a quarter of each joint's range. All rows "
        "but the one with two threads are for one core.\n"
    )
    yield machine() + "\n"
    for case, frame in ARMS:
        problems = {
            f"{RESTARTS} restarts": wide(case, frame, RESTARTS),
            "one attempt": wide(case, frame, 0),
            f"narrow, {RESTARTS} restarts": narrow(case, frame, RESTARTS),
            "narrow, one attempt": narrow(case, frame, 0),
        }
        found = zip(*map(scores, problems.values()), strict=True)
        rows = [
            (x[0].name, f"{x[0].poses:,}", *(f"{score.microseconds:,.1f} ({score.rate:.2%})" for score in x))
            for x in found
        ]
        yield f"## {case.label}, {frame}\n\n{table(('solver', 'poses', *problems), rows)}\n"


def _time(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


if __name__ == "__main__":
    PAGE.write_text("\n".join(page()), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))
