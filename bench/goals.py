"""The figures that the library has set itself, each measured: see `bench.targets`."""

from __future__ import annotations

import pickle
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import revolute
from bench import bits, controllers, rollouts, scaling
from bench.calls import ways
from bench.quantities import HANDS, QUANTITIES
from bench.robots import CASES, Case
from bench.tables import yes
from bench.thread_work import contestants, two_processes, work
from bench.timing import Contestant, Effort, Timing, only_cores, race

__all__ = ["PARTS", "Goal"]

Say = Callable[[str], None]


@dataclass(frozen=True)
class Goal:
    """A figure with its target.

    Attributes:
        figure: what is measured.
        target, measured: as text.
        met: whether the one is met by the other.
    """

    figure: str
    target: str
    measured: str
    met: bool

    @property
    def cells(self) -> tuple[str, ...]:
        """A line of the table."""
        return self.figure, self.target, self.measured, yes(self.met)


def _case(key: str) -> Case:
    return next(x for x in CASES if x.key == key)


def _at_least(figure: str, least: float, ratio: float, note: str = "") -> Goal:
    return Goal(figure, f"≥ {least:g} ×", f"{ratio:.2f} ×{note}", ratio >= least)


def _at_most(figure: str, most: float, ratio: float, note: str = "") -> Goal:
    return Goal(figure, f"≤ {most:g} ×", f"{ratio:.2f} ×{note}", ratio <= most)


def calls(scale: float) -> Iterator[Goal]:
    """What calls cost that are come by in another way, or are of another type."""
    effort = Effort(slice=2e-3, seconds=1.0 * scale, least=5, most=300)
    found = {}
    with only_cores(1):
        for way in ways():
            if bound := re.match(r"(\w+)\.(\w+)(?=\()", way.call):
                machine = pickle.loads(pickle.dumps(way.names[bound[1]]))  # one that was never called
                names = way.names | {"early": getattr(machine, bound[2]), bound[1]: machine}
                early = Contestant("early", way.call.replace(bound[0], "early", 1), names)
                for _ in range(5):
                    exec(early.statement, dict(names))
                found[f"{way.machine}, {way.what}"] = _ratio([early, Contestant("in place", way.call, names)], effort)
        worst = max(found, key=found.__getitem__)
        figure = f"early-bound method against in place, worst of {len(found)} ways"
        yield _at_most(figure, 1.2, found[worst], f": {worst}")
        plain = [x.method for x in QUANTITIES if "hand" not in x.arguments]
        found = {method: _ratio(_float32(_case("ur5"), method), effort) for method in plain}
        worst = max(found, key=found.__getitem__)
        figure = f"UR5, float32 single call against float64's, worst of {len(found)} functions"
        yield _at_most(figure, 1.3, found[worst], f": `{worst}`; `inverse_dynamics` {found['inverse_dynamics']:.2f} ×")


def _ratio(pair: list[Contestant], effort: Effort) -> float:
    """Time of the first, in times of the second."""
    first, second = race(pair, effort)
    return second.times_faster_than(first)


def _float32(case: Case, method: str) -> list[Contestant]:
    names: dict[str, Any] = {"robot": case.robot}
    states = case.states(1)
    for kind, convert in (("32", np.float32), ("64", np.float64)):
        names |= {f"{x}{kind}": convert(getattr(states, x)[0]) for x in ("q", "qd", "qdd")}
    arguments = next(x.arguments for x in QUANTITIES if x.method == method)
    both = [
        Contestant(kind, f"robot.{method}({', '.join(x + kind for x in arguments.split(', '))})", names)
        for kind in ("32", "64")
    ]
    for _ in range(5):
        for contestant in both:
            exec(contestant.statement, dict(names))
    return both


def threads(scale: float) -> Iterator[Goal]:
    """Two threads and the default number beside one."""
    case, effort = _case("ur5"), Effort(slice=1e-2, seconds=3.0 * scale, least=9, most=400)
    with only_cores(2) as two:
        if not two:
            return
        for seconds, least in ((1e-4, 0.97), (1e-3, 0.97), (1e-2, 1.85)):  # up to about 1.5 ms stays on one thread
            found = work(case, seconds, effort)
            both, both_paused, default, default_paused = scaling.ratios(found)
            what = f"{1e3 * seconds:g} ms of work"
            limit = f"; two processes {two_processes(case, found.rows, min(1.0, scale), 3):.2f} ×"
            yield _at_least(f"2 threads against 1, {what}, calls in a row", least, both, limit)
            yield _at_least(f"2 threads against 1, {what}, pauses of 1 ms", 0.97, both_paused)
            worst = min(default, default_paused)
            yield _at_least(f"default number of threads against 1, {what}, with and without pauses", 0.97, worst)
        ratios = {}
        for rows in scaling.ROWS if scale == 1 else scaling.ROWS[:4]:
            for given in (False, True):
                one, _, default_ = race(contestants(case, rows, given), effort)
                ratios[f"{rows:,} rows, {'given' if given else 'new'} results"] = default_.times_faster_than(one)
        worst_ = min(ratios, key=ratios.__getitem__)
        figure = f"default number of threads against 1, 1 … {rows:,} rows, worst"
        yield _at_least(figure, 0.97, ratios[worst_], f": {worst_}")


def motions(scale: float) -> Iterator[Goal]:
    """Simulations: one long one, and many."""
    case, steps = _case("ur5"), round(1e6 * scale)
    rng = np.random.default_rng(0)
    t, torque = np.arange(steps + 1) * 1e-3, 0.1 * rng.standard_normal((steps + 1, case.robot.nv))
    q0, qd0 = np.zeros((2, case.robot.nv))
    names = {"robot": case.robot, "q0": q0, "qd0": qd0, "torque": torque, "t": t}
    call = "robot.simulate(q0, qd0, torque, t, 'semi_implicit_euler')"
    few = Effort(slice=0.0, seconds=10 * scale, least=3, most=30)
    with only_cores(1):
        (long,) = race([Contestant("long", call, names)], few)
    speed = steps / long.median / 1e6
    figure = f"one UR5, {steps:,} semi-implicit steps under a table of torques"
    yield Goal(figure, "≥ 2.5 M steps/s", f"{speed:.2f} M steps/s", speed >= 2.5)
    pair = rollouts.contest(case)
    with only_cores(1):
        ours, theirs = race(pair, few)
    what = f"{rollouts.ROBOTS} UR5 × {rollouts.STEPS} steps, `simulate`"
    ratio = ours.times_faster_than(theirs)
    yield _at_least(f"{what} against `mujoco.rollout`, 1 thread", rollouts.LEAST, ratio)
    with only_cores(2) as two:
        if two:
            one, both = _on_cores(pair[0], few)
            yield _at_least(f"{what}, two cores against one", 1.8, both.times_faster_than(one))


def control(scale: float) -> Iterator[Goal]:
    """Control loops: of one arm in Python and compiled, of a real loop, of thousands."""
    panda, effort = revolute.robots.panda(), Effort(slice=0.0, seconds=5 * scale, least=5, most=100)
    with only_cores(1):
        compiled, python = race(controllers.one_arm(panda), effort)
        median, high = controllers.percentiles(panda, round(1e5 * scale))
        all_, tenth = (race([controllers.loops(_case("ur5").robot, x)], effort)[0] for x in (1, 10))
    for timing, law, most in ((python, "in Python", 5.0), (compiled, "compiled", 0.6)):
        us = timing.per_row / 1e3
        figure = f"Panda, computed torque at 1 kHz, law {law}, a step"
        yield Goal(figure, f"≤ {most:g} µs", f"{us:.2f} µs", us <= most)
    note = f" of {1e6 * median:.2f} µs"
    yield _at_most("Panda, `stepper` of computed torque: 99th percentile / median", 3.0, high / median, note)
    figure = f"{controllers.LOOPS} closed loops of a UR5, gains by row, one core"
    for timing, what in ((tenth, "every tenth step recorded"), (all_, "all recorded")):
        speed = 1e3 / timing.per_row
        yield Goal(f"{figure}, {what}", "≥ 10 M steps/s", f"{speed:.1f} M steps/s", speed >= 10)


def functions(scale: float) -> Iterator[Goal]:
    """Torques by a function of the user, of all rows at once."""
    few = Effort(slice=0.0, seconds=10 * scale, least=3, most=30)
    with only_cores(1):
        batch, alone = race(controllers.networks(revolute.robots.panda(), round(200 * scale) or 1), few)
    ratio, speeds = batch.times_faster_than(alone), [1e3 / x.per_row for x in (batch, alone)]
    figure = f"{controllers.LOOPS} Pandas under a network in NumPy, one call a step, against one by one"
    yield _at_least(figure, 10.0, ratio, ": {:.2f} and {:.3f} M steps/s".format(*speeds))


def _on_cores(contestant: Contestant, effort: Effort) -> tuple[Timing, Timing]:
    """A call with one core and with two, in turn."""
    code, names = compile(contestant.statement, contestant.name, "eval"), dict(contestant.names)
    found: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(max(effort.least, min(effort.most, 20))):
        for count, seconds in found.items():
            with only_cores(count):
                for _ in range(10):  # until the system has moved threads to their cores
                    eval(code, names)
                before = time.perf_counter()
                eval(code, names)
                seconds.append(time.perf_counter() - before)
    one, two = (Timing(str(k), contestant.statement, contestant.rows, tuple(x)) for k, x in found.items())
    return one, two


def same_bits(scale: float) -> Iterator[Goal]:
    """Every function, over sizes, places, layouts and threads."""
    wrong = compared = 0
    for key in HANDS:
        for quantity in QUANTITIES:
            bad, all_ = bits.differing(_case(key), quantity, bits.ROWS if scale == 1 else 200)
            wrong, compared = wrong + bad, compared + all_
    figure = "rows that differ by batch size, place, layout or threads, all functions, three robots"
    yield Goal(figure, "0", f"{wrong:,} of {compared:,}", wrong == 0)


PARTS: dict[str, Callable[[float], Iterator[Goal]]] = {
    "calls": calls,
    "threads": threads,
    "motions": motions,
    "control": control,
    "functions": functions,
    "bits": same_bits,
}
