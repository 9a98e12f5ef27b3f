"""Motions: `Robot.simulate` beside `mujoco.rollout`, the same steps of the same robots; and steps of one robot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import mujoco  # type: ignore[import-untyped]
import numpy as np
from mujoco import rollout

import revolute
from bench.mujoco_peer import MuJoCo
from bench.robots import Case
from bench.tables import yes
from bench.timing import Contestant, Effort, Timing, only_cores, race

__all__ = ["LEAST", "ROBOTS", "STEPS", "contest", "rollouts"]

ROBOTS, STEPS, H, DAMPING = 1024, 200, 1e-3, 2.0
LEAST = 40.0
LONG = 1_000_000
"""Steps of the long motion."""


def contest(case: Case) -> tuple[list[Contestant], float]:
    """Both libraries' motions, and how far apart their positions are at the end [rad, m]."""
    damped = _damped(case.robot)
    states = case.states(ROBOTS)
    t = np.arange(STEPS + 1) * H
    peer = MuJoCo(_with_robot(case, damped))
    model = peer.model
    model.opt.timestep, model.opt.integrator = H, mujoco.mjtIntegrator.mjINT_EULER
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)  # damping is explicit in ours, too
    model.dof_damping[:] = DAMPING
    theirs = peer.states(states)
    start = np.hstack([np.zeros((ROBOTS, 1)), theirs.q, theirs.qd])
    names: dict[str, Any] = {
        "robot": damped, "q0": states.q, "qd0": states.qd, "t": t,
        "rollout": rollout, "model": model, "data": peer.data, "start": start, "steps": STEPS,
    }
    ours = "robot.simulate(q0, qd0, None, t, 'semi_implicit_euler', joint_damping=True)"
    peers = "rollout.rollout(model, [data], start, nstep=steps)"
    motion = eval(ours, dict(names))
    found, _ = eval(peers, dict(names))
    apart = float(np.abs(motion.q[:, -1] - found[:, -1, 1 : 1 + model.nq]).max())
    return [Contestant("Revolute", ours, names, ROBOTS), Contestant("MuJoCo", peers, names, ROBOTS)], apart


def rollouts(case: Case, effort: Effort) -> Iterator[str]:
    """A section of the report: many robots fall under gravity and damping by semi-implicit Euler's method."""
    contestants, apart = contest(case)
    names = dict(contestants[0].names)
    with only_cores(1):
        mine, other = race(contestants, effort)
    ratio = mine.times_faster_than(other)
    yield f"## {case.label}: {ROBOTS} motions of {STEPS} semi-implicit steps with damping"
    yield ""
    yield (
        f"`Robot.simulate`, with accelerations, energies and every state recorded, beside `mujoco.rollout`: one "
        f"thread, contacts off. Positions at the end are {apart:.0e} rad apart."
    )
    yield ""
    yield "| Revolute | MuJoCo | ratio | target | met |"
    yield "| --- | --- | --- | --- | --- |"
    yield f"| {_milliseconds(mine)} | {_milliseconds(other)} | {ratio:.1f} × | ≥ {LEAST:g} × | {yes(ratio >= LEAST)} |"
    yield ""
    yield from _threads(names, effort)
    yield from _single(case, effort)


def _threads(names: dict[str, Any], effort: Effort) -> Iterator[str]:
    """The same motions on two threads."""
    statement = "robot.simulate(q0, qd0, None, t, 'semi_implicit_euler', joint_damping=True, threads={})"
    with only_cores(2) as possible:
        if not possible:
            return
        one, two = race([Contestant(f"{n} threads", statement.format(n), names, ROBOTS) for n in (1, 2)], effort)
    ratio = two.times_faster_than(one)
    yield "The same motions on threads:"
    yield ""
    yield "| 1 thread | 2 threads | ratio | target | met |"
    yield "| --- | --- | --- | --- | --- |"
    yield f"| {_milliseconds(one)} | {_milliseconds(two)} | {ratio:.2f} × | ≥ 1.8 × | {yes(ratio >= 1.8)} |"
    yield ""


def _single(case: Case, effort: Effort) -> Iterator[str]:
    """One robot: a long motion under a table of forces, and steps in place."""
    robot, rng = case.robot, np.random.default_rng(0)
    t = np.arange(LONG + 1) * 1e-5
    names: dict[str, Any] = {
        "robot": robot, "q0": np.zeros(robot.nq), "qd0": np.zeros(robot.nv), "t": t,
        "table": rng.standard_normal((len(t), robot.nv)), "step": robot.stepper(1e-6, "semi_implicit_euler").step,
        "q": np.zeros(robot.nq), "qd": np.zeros(robot.nv), "tau": np.zeros(robot.nv),
    }
    simulate = Contestant("simulate", "robot.simulate(q0, qd0, table, t, 'semi_implicit_euler')", names, LONG)
    with only_cores(1):
        (motion,), (step,) = race([simulate], effort), race([Contestant("step", "step(q, qd, tau)", names)], effort)
    rate = 1e3 / motion.per_row
    yield f"One {case.label}: {LONG:,} semi-implicit steps under a table of forces, all recorded; and steps in place."
    yield ""
    yield "| `simulate` | a step | steps in a second | target | met | `stepper.step(q, qd, tau)` |"
    yield "| --- | --- | --- | --- | --- | --- |"
    figures = f"| {_milliseconds(motion)} | {motion.per_row:.0f} ns | {rate:.2f} million | ≥ 2.5 million "
    yield f"{figures}| {yes(rate >= 2.5)} | {step.per_row:.0f} ns |"
    yield ""


def _milliseconds(timing: Timing) -> str:
    return f"{timing.median * 1e3:.1f} ms"


def _damped(robot: revolute.Robot) -> revolute.Robot:
    base, *moving = robot.bodies
    bodies = (replace(body, drive=replace(body.drive, damping=(DAMPING,) * body.joint.nv)) for body in moving)
    return replace(robot, bodies=(base, *bodies))


def _with_robot(case: Case, robot: revolute.Robot) -> Case:
    other = replace(case)
    other.__dict__["robot"] = robot
    return other
