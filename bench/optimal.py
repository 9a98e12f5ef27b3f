"""Optimal control beside Crocoddyl: `python -m bench.optimal PYTHON` writes OPTIMAL.md.

PYTHON is the interpreter of an environment with `pip install crocoddyl==3.2.1 pin==4.0`. Both solve the same problems
from the same first plan, on one thread each; times are those of the processor, in turns.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

import revolute
from bench.robots import Array, Case
from bench.tables import machine, table
from bench.timing import only_cores, spread_of
from revolute.errors import ModelWarning
from revolute.optimal import (
    LimitCost,
    OptimalControl,
    OptimalPlan,
    PointCost,
    PoseCost,
    Sampling,
    StateCost,
    TorqueCost,
)
from revolute.optimal.fddp import RUNNING
from revolute.optimal.first_plan import first_plan
from revolute.spatial import Transform, Vector
from revolute.targets.llvm import host

__all__ = ["PROBLEMS", "Pair", "Problem", "compared", "iterations_of", "page"]

PAGE, PEER = Path(__file__).with_name("OPTIMAL.md"), Path(__file__).with_name("optimal_peer.py")
DT, GOAL, END, STATE, EFFORT, LIMITS = 0.01, 1.0, 1e3, 1e-2, 1e-3, 100.0
"""Length of a step [s], and weights; those of the nodes before the end are rates."""
TURNS, REPEATS = 5, 7
BIG = (
    "\nLarge robots, 50 nodes, over the same discrete dynamics; `python -m bench.optimal PYTHON large` writes this "
    "part, too. "
)
PANDA, UR5 = [0, -0.5, 0, -2, 0, 1.5, 0.7], [0, -1.2, 1.5, -0.8, -1, 0.3]


def panda() -> revolute.Robot:
    """A Panda without moving fingers."""
    robot = Case("panda", "Panda", "panda_description/urdf/panda.urdf").robot
    return robot.lock({name: 0.0 for name in robot.joint_names if "finger" in name})


def ur5() -> revolute.Robot:
    """A UR5."""
    return Case("ur5", "UR5", "ur_description/urdf/ur5_robot.urdf").robot


def two_arms() -> revolute.Robot:
    """Two UR5 side by side."""
    stand = revolute.Link("stand", revolute.Inertia.from_com(1, (0, 0, 0), np.eye(3)))
    base = revolute.Robot.from_links("two_arms", [stand], [])
    beside = Transform(p=Vector((0, 1.0, 0)))
    return base.attach(ur5(), "stand", Transform()).attach(ur5(), "stand", beside, prefix="z_")


def legged(path: str) -> revolute.Robot:
    """A robot of example-robot-data on a free base."""
    return Case("", "", path, "free").robot


def tree(size: int, base: str) -> revolute.Robot:
    """A random tree with this number of coordinates."""
    return revolute.robots.random_tree(size - 6 * (base == "free"), base=base, rng=size)


def bounded(urdf: str) -> str:
    """The file with limits for all joints: Pinocchio has two positions for a joint without."""
    return urdf.replace('type="continuous"', 'type="revolute"').replace(
        "</joint>", '  <limit lower="-99" upper="99" effort="1e4" velocity="1e4" />\n  </joint>'
    )


@dataclass(frozen=True)
class Problem:
    """A problem for both.

    Attributes:
        label: in tables.
        robot: makes the robot.
        nodes: of the horizon.
        q0: the start, at rest.
        goals: {link frame: point}.
        turned: a pose as the goal, and limits as costs: the pose of q0 + turned.
        box: bounds of forces.
        ratio: how many times faster an iteration has to be.
        state: weight of the state.
        end: weight of the goals at the end.
        repeats: solutions in a turn.
    """

    label: str
    robot: Callable[[], revolute.Robot]
    nodes: int
    q0: list[float]
    goals: dict[str, list[float]]
    turned: tuple[float, ...] = ()
    box: tuple[float, ...] = ()
    ratio: float | None = None
    state: float = STATE
    end: float = END
    repeats: int = REPEATS

    @cached_property
    def free(self) -> bool:
        """Whether the base moves."""
        return isinstance(self.model.bodies[1].joint, revolute.Free)

    @property
    def weights(self) -> list[float]:
        """Weights of the state. Errors of a base's position differ in Crocoddyl, which has them along a screw."""
        n = self.model.nv
        return [self.state * (not self.free or not 3 <= k < 6) for k in range(2 * n)]

    @cached_property
    def model(self) -> revolute.Robot:
        """The robot."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            return self.robot()

    @property
    def start(self) -> Array:
        return np.array(self.q0, float)

    @cached_property
    def goal(self) -> dict[str, Any]:
        """Goals by the names of costs."""
        if not self.turned:
            return {f"point of {frame}": goal for frame, goal in self.goals.items()}
        limits = [self.start - 0.35, self.start + 0.35]
        return {f"pose of {frame}": self._pose(frame) for frame in self.goals} | {"position limits": limits}

    @cached_property
    def ours(self) -> OptimalControl:
        """The problem for Revolute."""
        aims = [(PoseCost if self.turned else PointCost)(frame, GOAL) for frame in self.goals]
        ends = [(PoseCost if self.turned else PointCost)(frame, self.end) for frame in self.goals]
        both = [*([LimitCost(LIMITS)] if self.turned else []), StateCost(self.weights if self.free else self.state)]
        effort = np.array(self.box) if self.box else None
        costs = [*aims, *both, TorqueCost(EFFORT)]
        return OptimalControl(self.model, costs, terminal=[*ends, *both], steps=self.nodes, dt=DT, effort_limits=effort)

    def solve(self, **options: Any) -> OptimalPlan:
        """The plan of Revolute."""
        return self.ours.solve(self.start, goal=self.goal, threads=1, **options)

    def job(self, **more: Any) -> dict[str, Any]:
        """The problem for Crocoddyl."""
        found = {
            "urdf": bounded(self.model.to_urdf()), "nodes": self.nodes, "dt": DT, "q0": self.q0,
            "frames": list(self.goals), "goals": list(self.goals.values()),
            "tau0": self.model.gravity_forces(self.start).tolist(),
            "joints": self.model.joint_names[self.free :], "free": int(self.free), "state_weights": self.weights,
            "effort_weight": EFFORT, "end_weight": self.end, "repeats": self.repeats, "most": 200,
            "box": list(self.box),
        }  # fmt: skip
        if self.turned:
            found |= {"lower": (self.start - 0.35).tolist(), "upper": (self.start + 0.35).tolist()}
            found |= {"pose": self._pose(next(iter(self.goals))).tolist(), "limit_weight": LIMITS}
        return found | more

    def _pose(self, frame: str) -> Array:
        return np.asarray(self.model.forward_kinematics(self.start + np.array(self.turned), frame))


AIM = {"panda_link8": [0.4, 0.3, 0.5]}
PROBLEMS = (
    Problem("Panda, 100 nodes", panda, 100, PANDA, AIM, ratio=10),
    Problem("Panda, 50 nodes", panda, 50, PANDA, AIM, ratio=8),
    Problem("Panda, 20 nodes", panda, 20, PANDA, AIM, ratio=6),
    Problem("UR5, 50 nodes", ur5, 50, UR5, {"tool0": [0.4, 0.3, 0.5]}, ratio=8),
    Problem(
        "two UR5, 50 nodes", two_arms, 50, UR5 * 2, {"tool0": [0.4, 0.3, 0.5], "z_tool0": [0.4, 0.7, 0.5]}, ratio=6
    ),
    Problem("Panda, 50 nodes, pose, limits as costs", panda, 50, PANDA, AIM, (0.6, 0.3, -0.4, 0.3, 0.5, -0.4, 0.8)),
    Problem("Panda, 50 nodes, bounded forces", panda, 50, PANDA, AIM, box=(26, 22, 16, 20, 3, 3, 1)),
)
STANDING = [0.0, 0, 0, 0, 0, 0, 1]
SOLO, TALOS = "solo_description/robots/solo12.urdf", "talos_data/robots/talos_reduced.urdf"
TREES = (12, "fixed"), (12, "free"), (20, "free"), (24, "fixed"), (32, "free"), (40, "fixed"), (40, "free")
LARGE = (
    Problem("Solo12, free base", partial(legged, SOLO), 50, [*STANDING, *[0, 0.8, -1.6] * 4],
            {"FL_FOOT": [0.25, 0.2, -0.1], "base_link": [0.0, 0.0, -0.05]}, ratio=5, end=1e2, repeats=2),
    *(Problem(f"tree of {n} coordinates, {base} base", partial(tree, n, base), 50,
              [*STANDING * (base == "free"), *[0.1] * (n - 6 * (base == "free"))],
              {f"link{n - 6 * (base == 'free')}": [0.3, 0.2, 0.1]}, state=1.0, end=10, repeats=2)
      for n, base in TREES),
    Problem("Talos, free base", partial(legged, TALOS), 50, [*STANDING, *[0.0] * 32],
            {"gripper_left_base_link": [0.0, 0.5, -0.7]}, ratio=4, state=0.1, end=1e2, repeats=1),
)  # fmt: skip


class Pair:
    """Revolute here, Crocoddyl in another process."""

    def __init__(self, python: str, peer: Path = PEER) -> None:
        one = os.environ | {"OMP_NUM_THREADS": "1"}  # Eigen multiplies large matrices on several threads
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([python, peer], stdin=pipe, stdout=pipe, text=True, env=one)

    def ask(self, job: dict[str, Any]) -> dict[str, Any]:
        """Crocoddyl's answer."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found

    def close(self) -> None:
        """End the other process."""
        self._process.communicate()


@dataclass(frozen=True)
class Compared:
    """One problem, solved by both.

    Attributes:
        problem: it.
        iterations: ours and theirs.
        cost, x: largest differences of the least cost, as a share, and of the states.
        ours, theirs: seconds of an iteration, in turns, of a first plan and parameters that are there; theirs with
            forward dynamics.
        call: the same of a whole call of `solve`, with its checks of arguments and its result.
        inverse: theirs with inverse dynamics; none where it has none.
    """

    problem: Problem
    iterations: tuple[int, int]
    cost: float
    x: float
    ours: list[float]
    call: list[float]
    theirs: list[float]
    inverse: list[float]

    @property
    def ratio(self) -> float:
        """How many times faster an iteration is than their faster one."""
        faster = min(statistics.median(x) for x in (self.theirs, self.inverse) if x)
        return faster / statistics.median(self.ours)


def compared(problem: Problem, pair: Pair, turns: int = TURNS) -> Compared:
    """Both in turns."""
    plan, sharp = problem.solve(), problem.solve(tolerance=1e-16, iterations=400)
    iterate = iterations_of(problem)
    ours: list[float] = []
    call: list[float] = []
    theirs: list[float] = []
    inverse: list[float] = []
    for _ in range(turns):
        for _ in range(problem.repeats):
            before = time.thread_time()
            problem.solve()
            call.append((time.thread_time() - before) / float(plan.iterations))
            ours.append(iterate() / float(plan.iterations))
        answer = pair.ask(problem.job())
        theirs += answer["seconds"]
        inverse += answer.get("inverse") or []
    x = np.concatenate([sharp.q, sharp.qd], axis=-1)
    cost = abs(float(sharp.cost) - answer["cost"]) / abs(answer["cost"])
    apart = float(np.abs(x - np.array(answer["x"])).max())
    return Compared(problem, (int(plan.iterations), answer["iterations"]), cost, apart, ours, call, theirs, inverse)


def iterations_of(problem: Problem) -> Callable[[], float]:
    """Seconds of all iterations from the first plan, as Crocoddyl's `solve(xs, us)` has them."""
    ours, start = problem.ours, np.concatenate([problem.start, np.zeros(problem.model.nv)])
    nodes = ours._shooting(1)
    ours._goals.fill(nodes.p[:, 0], (), problem.goal, None)
    x, tau = first_plan(ours, None, start, ())

    def run() -> float:
        before = time.thread_time()
        nodes.x[:, 0], nodes.tau[:-1, 0], nodes.fields["count"][0] = x, tau, 0
        nodes.start([0], 1000, 1e-9)
        while nodes.fields["state"][0] == RUNNING:
            nodes.iterate()
        return time.thread_time() - before

    return run


def many(problem: Problem, pair: Pair, count: int) -> tuple[float, float, float]:
    """Seconds of solving from many starts, ours and theirs, and the share with the same least cost."""
    starts = problem.start + np.random.default_rng(1).uniform(-0.3, 0.3, (count, len(problem.q0)))
    solve = lambda: problem.ours.solve(starts, goal=problem.goal, threads=1)  # noqa: E731
    solve()
    before = time.thread_time()
    plan = solve()
    ours = time.thread_time() - before
    answer = pair.ask(problem.job(starts=starts.tolist()))
    same = np.abs(plan.cost - answer["costs"]) < 1e-5 * np.abs(answer["costs"])
    return ours, answer["seconds"], float(same.mean())


def samples(count: int = 1024, repeats: int = 21) -> tuple[float, float, float, float]:
    """Seconds of a step of MPPI and of its motions alone, of motions whose costs are those of forces, and of MuJoCo's.

    MuJoCo makes the same motions by `mujoco.rollout`, without costs; its limits of joints are switched off.
    """
    import mujoco  # type: ignore[import-untyped]
    from mujoco import rollout

    problem, plain = PROBLEMS[1], OptimalControl(PROBLEMS[1].model, [TorqueCost(EFFORT)], steps=50, dt=DT)
    start, still = problem.start, np.zeros(len(problem.q0))
    samplers = [Sampling(x, samples=count, noise=1.0, rng=0, threads=1) for x in (problem.ours, plain)]
    goals, tau = (problem.goal, None), np.zeros(len(still))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # shapes are left out
        model = mujoco.MjModel.from_xml_string(problem.model.to_mjcf())
    model.opt.timestep, model.opt.integrator = DT, mujoco.mjtIntegrator.mjINT_EULER
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model.dof_damping[:], model.dof_frictionloss[:] = 0, 0
    data, spec = mujoco.MjData(model), int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
    first = np.tile(np.concatenate([[0.0], start, still]), (count, 1))
    for sampler, goal in zip(samplers, goals, strict=True):
        sampler.step(start, still, goal, out=tau, elapsed=0.0)
    forces = np.ascontiguousarray(np.moveaxis(samplers[1]._nominal[:-1] + samplers[1]._noise[:-1], 0, 1))
    forces[:] = np.clip(forces, *plain._bounds)

    def theirs() -> Any:
        return rollout.rollout(model, [data], first, forces, control_spec=spec)

    samplers[1]._run()
    q = theirs()[0][:, -1, 1 : 1 + len(start)]
    assert np.abs(samplers[1]._x[-1, :, : len(start)] - q).max() < 1e-6
    whole = lambda: samplers[0].step(start, still, goals[0], out=tau, elapsed=0.0)  # noqa: E731
    calls: list[Callable[[], Any]] = [whole, samplers[0]._run, samplers[1]._run, theirs]
    seconds: list[list[float]] = [[] for _ in calls]
    for _ in range(repeats):
        for call, spent in zip(calls, seconds, strict=True):
            before = time.thread_time()
            call()
            spent.append(time.thread_time() - before)
    one, two, three, four = (statistics.median(x) for x in seconds)
    return one, two, three, four


def ticks(nodes: int, count: int = 2000) -> tuple[float, float]:
    """Seconds of a tick of predictive control of a Panda, from Python: the median, and what 99 % do not exceed."""
    robot, n = PROBLEMS[1].model, len(PANDA)
    both = [PointCost("panda_link8", 1e4), StateCost([1e-2] * n + [1.0] * n)]
    loop = OptimalControl(robot, [*both, TorqueCost(EFFORT)], terminal=both, steps=nodes, dt=DT).stepper()
    real, q, qd, tau = robot.stepper(DT, "semi_implicit_euler"), PROBLEMS[1].start, *np.zeros((2, n))
    spent, goal = np.zeros(count), np.array([0.4, 0.3, 0.5])
    for k in range(count):
        goal[:2] = 0.4 + 0.05 * np.sin(0.02 * k), 0.3 + 0.05 * np.cos(0.02 * k)
        before = time.thread_time()
        loop.step(q, qd, goal, out=tau)
        spent[k] = time.thread_time() - before
        real.step(q, qd, tau)
    assert loop.failures == 0
    middle, most = np.percentile(spent[100:], [50, 99])
    return float(middle), float(most)


def ratios_of_avx2(python: str) -> list[str]:
    """How many times faster an iteration is without AVX-512; empty where this processor has none."""
    if host().lanes().width < 8:
        return []
    command = [sys.executable, "-m", "bench.optimal", python, "ratios"]
    done = subprocess.run(command, env=os.environ | {"REVOLUTE_CPU": "x86-64-v3"}, stdout=subprocess.PIPE, check=True)
    return [f"{x:.1f}" for x in json.loads(done.stdout)]


def page(python: str, pair: Pair) -> Iterator[str]:
    """The report, in Markdown."""
    narrow = ratios_of_avx2(python)
    yield "# Optimal control beside Crocoddyl\n\nWritten by `python -m bench.optimal PYTHON`.\n"
    yield (
        f"Steps of {DT} s; weights: goal {GOAL:g}, at the end {END:g}, state {STATE:g}, effort {EFFORT:g}. Times "
        "beside Crocoddyl 3.2.1 are processor times of an iteration on one thread, medians in turns. Iterations are "
        "Revolute's, then Crocoddyl's.\n"
    )
    yield machine() + "\n"
    rows, pairs = [], []
    for problem, ratio in zip(PROBLEMS, narrow or [""] * len(PROBLEMS), strict=True):
        x = compared(problem, pair)
        inverse = f"{statistics.median(x.inverse) * 1e6:.0f}" if x.inverse else "-"
        rows.append([
            problem.label, f"{x.iterations[0]} / {x.iterations[1]}",
            f"{statistics.median(x.ours) * 1e6:.0f}", f"{statistics.median(x.call) * 1e6:.0f}",
            f"{statistics.median(x.theirs) * 1e6:.0f}", inverse,
            f"{x.ratio:.1f}", *[ratio] * bool(narrow),
        ])  # fmt: skip
        pairs.append(x)
        print(rows[-1], file=sys.stderr)
    head = ["problem", "iterations", "Revolute, us", "with the whole call"]
    head += ["Crocoddyl, forward", "inverse", "times faster", *["with AVX2"] * bool(narrow)]
    yield table(head, rows) + "\n"
    spread = max(spread_of(times) for x in pairs for times in (x.ours, x.theirs))
    yield f"{differences(pairs)}; spreads are at most {spread:.0%}.\n"
    yield "\nWhole solutions of a Panda from many starts, 50 nodes, one core:\n\n"
    rows = []
    for count in (64, 1024):
        ours, theirs, same = many(PROBLEMS[1], pair, count)
        rows.append([str(count), f"{ours:.2f}", f"{theirs:.2f}", f"{theirs / ours:.1f}", f"{same:.1%}"])
        print(rows[-1], file=sys.stderr)
    yield table(["starts", "Revolute, s", "Crocoddyl, s", "times faster", "same least cost"], rows) + "\n"
    yield "\nSampling for a Panda, 50 nodes, 1024 samples, one core, beside `mujoco.rollout` of the same motions:\n\n"
    *ours, theirs = samples()
    labels = "a whole step of `Sampling`", "its motions, with costs", "motions with costs of forces alone"
    rows = [[label, f"{x * 1e3:.1f}", f"{theirs / x:.1f}"] for label, x in zip(labels, ours, strict=True)]
    rows.append(["`mujoco.rollout`, no costs", f"{theirs * 1e3:.1f}", ""])
    print(rows, file=sys.stderr)
    yield table(["", "ms", "times faster"], rows) + "\n"
    yield "\nProcessor time of predictive control of a Panda from Python, one iteration per tick (control step):\n\n"
    rows = [[str(nodes), *(f"{x * 1e6:.0f}" for x in ticks(nodes))] for nodes in (20, 50)]
    print(rows, file=sys.stderr)
    yield table(["nodes", "half of the ticks take at most, us", "99 %, us"], rows) + "\n"
    yield from large(pair)


def differences(pairs: Sequence[Compared]) -> str:
    """The largest ones of all problems."""
    cost, x = max(x.cost for x in pairs), max(x.x for x in pairs)
    return f"Costs differ by at most {cost:.1e} of their size, plans by {x:.1e}"


def large(pair: Pair) -> Iterator[str]:
    """The part on large robots and free bases."""
    rows, pairs = [], []
    for problem in LARGE:
        before = time.process_time()
        problem.ours.prepare()
        first, x = time.process_time() - before, compared(problem, pair, 1)
        times = [f"{statistics.median(y) * 1e3:.2f}" for y in (x.ours, x.call, x.theirs)]
        inverse = f"{statistics.median(x.inverse) * 1e3:.2f}" if x.inverse else "-"
        found = f"{x.iterations[0]} / {x.iterations[1]}"
        rows.append([problem.label, f"{first:.1f}", found, *times, inverse, f"{x.ratio:.1f}"])
        pairs.append(x)
        print(rows[-1], file=sys.stderr)
    yield BIG + f"{differences(pairs)}.\n\n"
    head = ["problem", "processor time to compile, s", "iterations", "Revolute, ms"]
    yield table([*head, "with the whole call", "Crocoddyl, forward", "inverse", "times faster"], rows) + "\n"


if __name__ == "__main__":
    both = Pair(sys.argv[1])
    with only_cores(1):
        if sys.argv[2:] == ["ratios"]:
            print(json.dumps([compared(problem, both).ratio for problem in PROBLEMS]))
        elif sys.argv[2:] == ["large"]:
            known = PAGE.read_text(encoding="utf-8").partition(BIG)[0]
            PAGE.write_text(known + "\n".join(large(both)), encoding="utf-8")
        else:
            PAGE.write_text("\n".join(page(sys.argv[1], both)), encoding="utf-8")
    both.close()
