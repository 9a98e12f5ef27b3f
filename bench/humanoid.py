"""M, C, g and their time derivatives for a humanoid of GOA's size, beside GOA's closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import revolute
from bench.closed_forms import closed_forms
from bench.robots import CASES
from bench.tables import table, yes
from bench.timing import Contestant, Effort, Timing, race

__all__ = ["humanoid", "section"]


def humanoid() -> revolute.Robot:
    """Talos with as many joints as GOA's humanoid: two legs and two arms of six each, and the waist.

    Grippers, head, the last joint of each wrist and the second of the torso are locked.
    """
    robot = next(case.robot for case in CASES if case.key == "talos")
    names = [f"{part}_{side}" for part in ("gripper", "arm") for side in ("left", "right")]
    locked = ["torso_2", "head_1", "head_2", *(f"{x}_7" if x.startswith("arm") else x for x in names)]
    return robot.lock({f"{name}_joint": 0.0 for name in locked})


def section(effort: Effort) -> Iterator[str]:
    """M, C, g of 25 joints, and with all their time derivatives."""
    robot = humanoid()
    published, body, single, ratios = closed_forms(robot), [], 0.0, []
    for rows in (1, 512):
        names = _motions(robot, rows) | {"closed_forms": published.fast_call(published)}
        now, rates = robot.equations_of_motion, robot.kernel("equations_of_motion_rates")
        names["three"] = tuple(map(np.empty_like, now(names["q"], names["qd"])))
        names["six"] = tuple(map(np.empty_like, rates(names["q"], names["qd"], names["qdd"])))
        six = "robot.kernel('equations_of_motion_rates')(q, qd, qdd"
        given, all_given, new, all_new, closed = race([
            Contestant("given", "robot.equations_of_motion(q, qd, out=three)", names, rows),
            Contestant("given", f"{six}, out=six)", names, rows),
            Contestant("new", "robot.equations_of_motion(q, qd)", names, rows),
            Contestant("new", f"{six})", names, rows),
            Contestant("GOA 6", "closed_forms(q, qd)", names, rows),
        ], effort)  # fmt: skip
        for few, every, peers in ((given, all_given, ()), (new, all_new, (closed,))):
            ratios.append(every.median / few.median / 2)
            beside = [cell for x in peers for cell in (_us(x), f"{every.median / x.median / 2:.2f}")] or ["", ""]
            body.append((str(rows), few.name, _us(few), _us(every), f"{ratios[-1]:.2f}", *beside))
        single = single or new.median
    yield f"## A humanoid of {robot.nv} joints"
    yield ""
    yield " ".join((humanoid.__doc__ or "").split())
    yield f"GOA 6 are GOA's closed forms of M, C and g ({published.operations:,} operations), compiled like ours. GOA"
    yield (
        "report 244 µs for their M, C and g on a Xeon of 2.8 GHz, and 0.71 for the ratio\n"
        '"with rates / twice without". Microseconds:'
    )
    yield ""
    header = ("rows", "result", "M, C, g", "with Ṁ, Ċ, ġ", "with rates / twice without", "GOA 6")
    yield table((*header, "with rates / twice GOA 6"), body)
    yield ""
    yield f"Targets: a single call returns new M, C and g in at most 6 µs: {yes(single <= 6e-6)}; the ratio"
    yield f'"with rates / twice without" is at most 0.7 in every row: {yes(max(ratios) <= 0.7)}.'
    yield ""


def _motions(robot: revolute.Robot, rows: int) -> dict[str, Any]:
    """The robot and random states of it, by the names that statements use."""
    rng = np.random.default_rng(0)
    shape = (rows,) if rows > 1 else ()
    qd, qdd = rng.standard_normal((2, *shape, robot.nv))
    return {"robot": robot, "q": robot.random_configuration(shape, rng=rng), "qd": qd, "qdd": qdd}


def _us(timing: Timing) -> str:
    return f"{timing.per_row / 1e3:.2f}"
