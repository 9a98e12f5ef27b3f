"""The whole measurement: a plan in, results out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import revolute
from bench import contests, fresh
from bench.machine import facts
from bench.robots import CASES, Case
from bench.timing import Effort, Timing, only_cores, race
from revolute.dynamics.newton_euler import newton_euler
from revolute.graph import Counts, Input, count, trace

__all__ = ["FULL", "QUICK", "Operations", "Plan", "Results", "RobotResults", "measure"]

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What to measure, and how long.

    Attributes:
        name: for the report.
        cases: robots.
        batches: numbers of rows of the contests on one core.
        single, batch, thread: effort of a contest of that kind.
        thread_rows: UR5 rows of the contest of one thread against two.
        processes: fresh processes with an empty cache, and as many with a filled one.
        memory_rows: UR5 rows of the call whose memory is taken.
    """

    name: str
    cases: tuple[Case, ...]
    batches: tuple[int, ...]
    single: Effort
    batch: Effort
    thread: Effort
    thread_rows: int
    processes: int
    memory_rows: int

    @property
    def steps(self) -> int:
        """How often `measure` says what it does."""
        return len(self.cases) * (3 + len(self.batches)) + 2


FULL = Plan(
    name="full",
    cases=CASES,
    batches=(1, 64, 4096, 100_000),
    single=Effort(slice=1e-3, seconds=4, least=30, most=300),
    batch=Effort(slice=1e-3, seconds=8, least=7, most=100),
    thread=Effort(slice=1e-3, seconds=15, least=9, most=100),
    thread_rows=1_000_000,
    processes=7,
    memory_rows=1_000_000,
)

_ROUGH = Effort(slice=5e-4, seconds=0.3, least=3, most=30)
QUICK = Plan(
    name="quick",
    cases=CASES,
    batches=(1, 64, 4096),
    single=_ROUGH,
    batch=_ROUGH,
    thread=_ROUGH,
    thread_rows=200_000,
    processes=1,
    memory_rows=1_000_000,
)


@dataclass(frozen=True)
class Operations:
    """Operation counts: of the robot as described, and of the kernel with regrouped parameters."""

    described: Counts
    regrouped: Counts


@dataclass(frozen=True)
class RobotResults:
    """All that was measured with one robot; `batches` by number of rows."""

    case: Case
    operations: Operations
    start: fresh.Start
    single: tuple[Timing, ...]
    batches: dict[int, tuple[Timing, ...]]


@dataclass(frozen=True)
class Results:
    """All that was measured.

    Attributes:
        pinned: the process could be kept on one core.
        threads: the contests of one thread against two; empty without a second core.
    """

    plan: Plan
    machine: dict[str, str]
    robots: tuple[RobotResults, ...]
    pinned: bool
    threads: tuple[Timing, ...]
    memory: tuple[fresh.Memory, ...]

    def robot(self, key: str) -> RobotResults | None:
        """The results of the robot of that key."""
        return next((x for x in self.robots if x.case.key == key), None)


def measure(plan: Plan, say: Say) -> Results:
    """Run the plan; `say` gets the name of each step before it."""
    with only_cores(1) as pinned:
        robots = tuple(_robot(case, plan, say) for case in plan.cases)
    case = plan.cases[0]
    say(f"{case.label}: one thread against two")
    with only_cores(2) as two:
        pairs = contests.threads(case, plan.thread_rows) if two else ()
        threads = tuple(timing for contest in pairs for timing in race(contest, plan.thread))
    say(f"{case.label}: memory of a large call")
    memory = tuple(fresh.memory(case, plan.memory_rows, kind) for kind in ("float64", "mixed"))
    return Results(plan, facts(), robots, pinned, threads, memory)


def _robot(case: Case, plan: Plan, say: Say) -> RobotResults:
    say(f"{case.label}: operations")
    operations = operations_of(case.robot)
    say(f"{case.label}: fresh processes")
    start = fresh.start(case, plan.processes)
    say(f"{case.label}: one call")
    single = race(contests.single_call(case), plan.single)
    batches = {}
    for rows in plan.batches:
        say(f"{case.label}: batch of {rows:,}")
        batches[rows] = race(contests.batches(case, rows), plan.batch)
    return RobotResults(case, operations, start, single, batches)


def operations_of(robot: revolute.Robot) -> Operations:
    """Counted on the traced graphs."""
    inputs = [Input("q", (robot.nq,)), Input("qd", (robot.nv,)), Input("qdd", (robot.nv,))]
    plain = trace(
        "inverse_dynamics", lambda q, qd, qdd: [("tau", (robot.nv,), newton_euler(robot, q, qd, qdd))], inputs
    )
    return Operations(count(plain), robot.kernel("inverse_dynamics").count())
