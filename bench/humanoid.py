"""M, C, g and their time derivatives for a humanoid of GOA's size, beside GOA's closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import revolute
from bench.closed_forms import closed_forms
from bench.robots import CASES
from bench.tables import yes
from bench.timing import Contestant, Effort, Timing, race

__all__ = ["humanoid", "section"]


def humanoid() -> revolute.Robot:
    """Talos with as many joints as GOA's humanoid: two legs and two arms of six, and the waist.

    Grippers, head, the last joint of each wrist and the second of the torso are locked.
    """
    robot = next(case.robot for case in CASES if case.key == "talos")
    names = [f"{part}_{side}" for part in ("gripper", "arm") for side in ("left", "right")]
    locked = ["torso_2", "head_1", "head_2", *(f"{x}_7" if x.startswith("arm") else x for x in names)]
    return robot.lock({f"{name}_joint": 0.0 for name in locked})


def section(effort: Effort) -> Iterator[str]:
    """M, C, g of 25 joints, and with all their time derivatives."""
    robot = humanoid()
    yield f"## A humanoid of {robot.nv} joints"
    yield ""
    yield " ".join((humanoid.__doc__ or "").split())
    yield "GOA report 244 µs for M, C and g of theirs on a Xeon of 2.8 GHz, and 0.71."
    yield ""
    yield "| rows | result | M, C, g | with Ṁ, Ċ, ġ | with rates / twice without |"
    yield "| --- | --- | --- | --- | --- |"
    single, ratios = 0.0, []
    for rows in (1, 512):
        names = _motions(robot, rows)
        now, rates = robot.equations_of_motion, robot.equations_of_motion_rates
        names["three"] = tuple(map(np.empty_like, now(names["q"], names["qd"])))
        names["six"] = tuple(map(np.empty_like, rates(names["q"], names["qd"], names["qdd"])))
        contestants = [
            Contestant("given", "robot.equations_of_motion(q, qd, out=three)", names, rows),
            Contestant("given", "robot.kernel('equations_of_motion_rates')(q, qd, qdd, out=six)", names, rows),
            Contestant("new", "robot.equations_of_motion(q, qd)", names, rows),
            Contestant("new", "robot.kernel('equations_of_motion_rates')(q, qd, qdd)", names, rows),
        ]
        timings = race(contestants, effort)
        for few, all_ in (timings[:2], timings[2:]):
            ratio = all_.median / few.median / 2
            ratios.append(ratio)
            yield f"| {rows} | {few.name} | {_us(few)} | {_us(all_)} | {ratio:.2f} |"
        single = single or timings[2].median
    yield ""
    yield "| figure | target | measured | met |"
    yield "| --- | --- | --- | --- |"
    yield f"| M, C and g, a single call, new result | ≤ 6 µs | {single * 1e6:.2f} µs | {yes(single <= 6e-6)} |"
    what, worst = "with all time derivatives / M, C, g at two instants, worst row", max(ratios)
    yield f"| {what} | ≤ 0.7 | {worst:.2f} | {yes(worst <= 0.7)} |"
    yield ""
    yield "GOA compare with their closed forms of M, C and g (GOA 6). These for the same robot, compiled as ours are:"
    yield ""
    yield "| rows | operations | GOA 6 | with Ṁ, Ċ, ġ | with rates / GOA 6 twice |"
    yield "| --- | --- | --- | --- | --- |"
    for rows in (1, 512):
        yield _beside_the_closed_forms(robot, rows, effort)
    yield ""


def _beside_the_closed_forms(robot: revolute.Robot, rows: int, effort: Effort) -> str:
    """A row: GOA's M, C and g, and ours with rates, new results."""
    published = closed_forms(robot)
    names = _motions(robot, rows) | {"closed_forms": published.fast_call(published)}
    contestants = [
        Contestant("GOA 6", "closed_forms(q, qd)", names, rows),
        Contestant("rates", "robot.kernel('equations_of_motion_rates')(q, qd, qdd)", names, rows),
    ]
    few, all_ = race(contestants, effort)
    return f"| {rows} | {published.operations:,} | {_us(few)} | {_us(all_)} | {all_.median / few.median / 2:.2f} |"


def _motions(robot: revolute.Robot, rows: int) -> dict[str, Any]:
    """The robot and random states of it, by the names that statements use."""
    rng = np.random.default_rng(0)
    shape = (rows,) if rows > 1 else ()
    qd, qdd = rng.standard_normal((2, *shape, robot.nv))
    return {"robot": robot, "q": robot.random_configuration(shape, rng=rng), "qd": qd, "qdd": qdd}


def _us(timing: Timing) -> str:
    return f"{timing.per_row / 1e3:.2f} µs"
