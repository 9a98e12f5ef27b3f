"""Predictive control of a quadruped: Solo12 trots, and is pushed, in Revolute's contacts or another world."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import revolute
from revolute import Contact
from revolute.arguments import Array
from revolute.optimal import (
    ConeCost,
    ContactSchedule,
    OptimalControl,
    Phase,
    StateCost,
    SwingHeightCost,
    TorqueCost,
    gait,
)

DT, STEPS, TICK, FINE = 0.02, 40, 0.002, 0.001
"""Lengths of a step of the plan, its number, and of a tick of control and of a step of the simulation [s]."""
LEGS = ("FL", "FR", "HL", "HR")
FEET = tuple(f"{leg}_FOOT" for leg in LEGS)
CROUCH = {f"{leg}_{part}": x if leg[0] == "F" else -x for leg in LEGS for part, x in (("HFE", 0.8), ("KFE", -1.6))}
MOST, FALLEN = 3.0, 0.12
"""Largest torque of a motor [N m]; height of the base of a robot that has fallen [m]."""
World = Callable[[Array, Array, Array, Array], tuple[Array, Array]]


@cache
def solo() -> tuple[Any, list[Contact], Array]:
    """Solo12, its feet, and a posture on the ground."""
    with warnings.catch_warnings(action="ignore"):
        robot = revolute.load("solo12", base="free")
    q = np.array(robot.configuration(CROUCH))
    q[2] -= robot.forward_kinematics(q, FEET[0])[2, 3]
    return robot, [Contact(foot, friction=0.7) for foot in FEET], q


@cache
def problem() -> OptimalControl:
    """Keep the posture and follow the base's path; lift feet that swing; forces stay in friction cones."""
    robot, contacts, _ = solo()
    base, joints = [10] * 3 + [0, 0, 1000], [0.3] * 12
    state = StateCost([*base, *joints, *[1] * 3, 60, 60, 10, *[0.02] * 12])
    costs = [state, TorqueCost([0] * 6 + [1.0] * 12), SwingHeightCost(2e4), ConeCost(1.0, least=1.0)]
    return OptimalControl(robot, costs, terminal=[state], steps=STEPS, dt=DT, contacts=contacts)


def trot(seconds: float, velocity: tuple[float, float, float]) -> ContactSchedule:
    """To stand for 0.2 s, then to trot."""
    robot, contacts, q = solo()
    feet = ContactSchedule.feet(robot, contacts, q)
    steps = gait("trot", feet, period=0.4, duty=0.5, cycles=int(seconds / 0.4) + 3, velocity=velocity)
    return ContactSchedule.of(robot, contacts, [Phase("stand", 0.2, FEET), *steps], q, dt=DT, step_height=0.06)


def own_world() -> World:
    """A step of FINE in Revolute's contacts: q, qd of q, qd, joint forces and a push on the base, in the base frame."""
    robot, contacts, _ = solo()
    stepper = robot.stepper(FINE, contacts=contacts, wrench_links=["base_link"])

    def step(q: Array, qd: Array, tau: Array, push: Array) -> tuple[Array, Array]:
        wrench = np.zeros(6)
        if push.any():
            wrench[3:] = robot.forward_kinematics(q, "base_link")[:3, :3].T @ push
        stepper.step(q, qd, tau, wrench)
        return q, qd

    return step


@dataclass(frozen=True)
class Walk:
    """States by time, the path of the base that was asked for, and the ticks.

    Attributes:
        t, q, qd: every step of the simulation.
        ticks: seconds of each tick of control.
        failures: of the stepper.
        fallen: whether the base came down.
    """

    t: Array
    q: Array
    qd: Array
    ticks: Array
    failures: int
    fallen: bool


def walk(
    seconds: float, velocity: tuple[float, float, float] = (0.5, 0.0, 0.0), push: Array | None = None,
    world: World | None = None, pushed: tuple[float, float] = (2.0, 2.2),
    clock: Callable[[], float] = time.perf_counter,
) -> Walk:
    """Trot for some seconds; a push (3,) in the base frame acts from one time to another."""
    robot, _, q = solo()
    schedule, loop, step = trot(seconds, velocity), problem().stepper(), world or own_world()
    q, qd, tau = q.copy(), np.zeros(robot.nv), np.zeros(robot.nv)
    rows, ticks, still = [], [], np.zeros(3)
    for k in range(round(seconds / FINE)):
        t = k * FINE
        if k % round(TICK / FINE) == 0:
            part, before = schedule.window(int(t / DT + 1e-9), STEPS), clock()
            goals = {"state": part.states, "swing height": part.heights}
            loop.step(q, qd, goals, out=tau, elapsed=TICK, active=part.active)
            ticks.append(clock() - before)
        force = push if push is not None and pushed[0] <= t < pushed[1] else still
        rows.append([t, *q, *qd])
        q, qd = step(q, qd, np.clip(tau, -MOST, MOST), force)
        if not q[2] > FALLEN:
            break
    table, fallen = np.array(rows), not q[2] > FALLEN
    x = table[:, 1:]
    return Walk(table[:, 0], x[:, : robot.nq], x[:, robot.nq :], np.array(ticks), loop.failures, fallen)


def film() -> bytes:
    """Solo12 trots, and is pushed to the side, as a GIF."""
    robot, moved = solo()[0], walk(4.0, push=np.array([0, 15.0, 0]))
    shown = robot.animate(moved.q[::20], moved.t[::20], title="Solo12 trots at 0.5 m/s; a push of 15 N for 0.2 s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trot.gif")
        shown.save(path, rate=12.5)
        return path.read_bytes()
