"""The figures that the library has set itself, each measured: see `bench.targets`."""

from __future__ import annotations

import os
import pickle
import re
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import revolute
from bench import bits, controllers, fresh, large, rollouts, scaling
from bench.calls import ways
from bench.peaks import bandwidth
from bench.quantities import HANDS, LEAST, QUANTITIES, ROWS, contest
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
        figure = f"early-bound method against in place, single row, worst of {len(found)} ways"
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
        for seconds, least in ((1e-4, 1.35), (1e-3, 1.6), (1e-2, 1.85)):
            found = work(case, seconds, effort)
            both, both_paused, default, default_paused = scaling.ratios(found)
            what = f"work of {1e3 * seconds:g} ms"
            limit = f"; two processes {two_processes(case, found.rows, min(1.0, scale), 3):.2f} ×"
            yield _at_least(f"2 threads against 1, {what}, one call after the other", least, both, limit)
            yield _at_least(f"2 threads against 1, {what}, after pauses of 1 ms", 0.97, both_paused)
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


def operations(scale: float) -> Iterator[Goal]:
    """Exact: they do not depend on the machine."""
    count = _case("talos-free").robot.count("forward_dynamics_partials").arithmetic
    yield Goal("Talos, free base, `forward_dynamics_partials`: operations", "≤ 75,000", f"{count:,}", count <= 75_000)


def peers(scale: float) -> Iterator[Goal]:
    """Every function of `bench.quantities` beside Pinocchio's, new results."""
    effort = Effort(slice=2e-2, seconds=0.6 * scale, least=5, most=100)
    with only_cores(1):
        for key, batch in ROWS.items():
            for rows, least in zip((batch, 1), LEAST[key], strict=True):
                found, allowed = {}, {}
                for quantity in QUANTITIES:
                    both = contest(_case(key), quantity, rows)[1:]
                    new, theirs = race(both, effort)
                    found[quantity.method] = new.times_faster_than(theirs)
                    if rows > 1:
                        allowed[quantity.method] = theirs.median / _stores(both[0])
                few = sorted(found, key=found.__getitem__)
                size = f"batch of {rows}" if rows > 1 else "single call"
                figure = f"{_case(key).label}, {size}, new results, against Pinocchio: worst of {len(found)} functions"
                short = sum(x < least for x in found.values())
                limits = {x: f" of {allowed[x]:.1f} that its stores allow" for x in allowed if allowed[x] < least}
                notes = ", ".join(f"`{x}` {found[x]:.1f}{limits.get(x, '')}" for x in few[:3])
                yield _at_least(figure, least, found[few[0]], f" ({short} below the target; {notes})")


def _stores(contestant: Contestant) -> float:
    """Seconds of storing as many bytes as a call's results have, at what one core can write."""
    found = eval(contestant.statement, dict(contestant.names))
    size = sum(x.nbytes for x in (found if isinstance(found, tuple) else (found,)))
    measured = bandwidth(1 << max(size - 1, 1).bit_length())
    return size / max(measured.write, measured.stream)


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
    figure = f"one UR5, a motion of {steps:,} semi-implicit steps under a table of torques, states recorded"
    yield Goal(figure, "≥ 2.5 M steps/s", f"{speed:.2f} M steps/s", speed >= 2.5)
    pair, _ = rollouts.contest(case)
    with only_cores(1):
        ours, theirs = race(pair, few)
    what = f"{rollouts.ROBOTS} UR5 × {rollouts.STEPS} steps, all that `simulate` records"
    ratio = ours.times_faster_than(theirs)
    yield _at_least(f"{what}, against `mujoco.rollout`, 1 thread", rollouts.LEAST, ratio)
    with only_cores(2) as two:
        if two:
            one, both = _on_cores(pair[0], few)
            yield _at_least(f"{what}: default threads on two cores against one core", 1.8, both.times_faster_than(one))


def control(scale: float) -> Iterator[Goal]:
    """Control loops: of one arm in Python and compiled, of a real loop, of thousands."""
    panda, effort = revolute.robots.panda(), Effort(slice=0.0, seconds=5 * scale, least=5, most=100)
    with only_cores(1):
        compiled, python = race(controllers.one_arm(panda), effort)
        median, high = controllers.percentiles(panda, round(1e5 * scale))
        all_, tenth = (race([controllers.loops(_case("ur5").robot, x)], effort)[0] for x in (1, 10))
    for timing, law, most in ((python, "in Python", 5.0), (compiled, "compiled", 0.6)):
        us = timing.per_row / 1e3
        figure = f"Panda, computed torque at 1 kHz, `simulate` with a law {law}, a step"
        yield Goal(figure, f"≤ {most:g} µs", f"{us:.2f} µs", us <= most)
    note = f" of {1e6 * median:.2f} µs"
    yield _at_most("Panda, `stepper` of computed torque: 99th percentile, of the median", 3.0, high / median, note)
    figure = f"{controllers.LOOPS} closed loops of a UR5, gains and parameters by row, one core"
    for timing, what in ((tenth, "every tenth step recorded"), (all_, "all recorded")):
        speed = 1e3 / timing.per_row
        yield Goal(f"{figure}, {what}", "≥ 10 M steps/s", f"{speed:.1f} M steps/s", speed >= 10)


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


def compiling(scale: float) -> Iterator[Goal]:
    """All of Talos' kernels in new processes with an empty cache."""
    case = _case("talos")
    (one, _), (all_, _) = (fresh.compiling(case, HANDS[case.key], x) for x in (1, os.cpu_count() or 1))
    worst = max(one.kernels, key=one.kernels.__getitem__)
    seconds = one.kernels[worst]
    yield Goal("Talos: any kernel cold, worst", "≤ 2 s", f"{seconds:.2f} s: `{worst}`", seconds <= 2)
    measured = f"{one.all:.1f} s one after the other, {all_.all:.1f} s asked for by a thread a core"
    yield Goal(f"Talos: all {len(one.kernels)} kernels cold", "≤ 30 s", measured, min(one.all, all_.all) <= 30)


def start(scale: float) -> Iterator[Goal]:
    """Imports in new processes."""
    x = fresh.start(_case("ur5"), 5 if scale == 1 else 1)
    own = [a - b - c for a, b, c in zip(x.imports, x.numpy, x.llvmlite, strict=True)]
    ms = 1e3 * statistics.median(own)
    yield Goal("`import revolute` beyond NumPy and llvmlite", "≤ 60 ms", f"{ms:.0f} ms", ms <= 60)


def large_robots(scale: float) -> Iterator[Goal]:
    """Random trees and chains of 100 and 500 joints."""
    most = {100: 3.0, 500: 20.0} if scale == 1 else {5: 3.0}
    found = large.kernels(tuple(most), 45.0, lambda text: None)
    for method in large.METHODS:
        for joints, seconds in most.items():
            chosen = [x for x in found if (x.method, x.joints) == (method, joints)]
            what = f"{' and '.join(x.kind for x in chosen)} of {joints} joints, `{method}`"
            times = [x.large.compile if x.large else float("inf") for x in chosen]
            shown = ", ".join(f"{x:.1f} s" if x < 45 else "more than 45 s" for x in times)
            yield Goal(f"{what}: compiled cold", f"≤ {seconds:g} s", shown, max(times) <= seconds)
            shares = [x.joint / large.talos(method) if x.joint else float("inf") for x in chosen]
            shown = ", ".join(f"{x:.1f} ×" if x < float("inf") else "not compiled" for x in shares)
            more = ", ".join(f"{x.operations / large.talos_operations(method):.1f} ×" for x in chosen if x.large)
            yield Goal(f"{what}: time per joint, of Talos'", "≤ 2 ×", f"{shown}; operations {more}", max(shares) <= 2)
            if method == "mass_matrix":
                yield _written_numbers(what, joints, [x.number for x in chosen])


def _written_numbers(what: str, joints: int, each: list[float | None]) -> Goal:
    """The limit of mass matrices: n² numbers a row are written, so that their time per joint grows with n."""
    talos = large.talos("mass_matrix") / _case("talos").robot.nv
    shares = [x / talos if x is not None else float("inf") for x in each]
    shown = ", ".join(f"{x:.1f} ×" for x in shares)
    store = large.stores(joints)
    limit = f"{shown}; their stores alone are {store * joints / large.talos('mass_matrix'):.1f} × a joint of Talos'"
    return Goal(f"{what}: time per number of the result, of Talos'", "≤ 2 ×", limit, max(shares) <= 2)


def same_bits(scale: float) -> Iterator[Goal]:
    """Every function, over sizes, places, layouts and threads."""
    wrong = compared = 0
    for key in ROWS:
        for quantity in QUANTITIES:
            bad, all_ = bits.differing(_case(key), quantity, bits.ROWS if scale == 1 else 200)
            wrong, compared = wrong + bad, compared + all_
    figure = "rows that differ by batch size, place, layout or number of threads, all functions, three robots"
    yield Goal(figure, "0", f"{wrong:,} of {compared:,}", wrong == 0)


PARTS: dict[str, Callable[[float], Iterator[Goal]]] = {
    "calls": calls,
    "threads": threads,
    "operations": operations,
    "peers": peers,
    "motions": motions,
    "control": control,
    "compiling": compiling,
    "start": start,
    "large": large_robots,
    "bits": same_bits,
}
