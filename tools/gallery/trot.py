"""Predictive control of a quadruped: Solo12 trots, and is pushed, in Revolute's contacts or another world."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

import revolute
from revolute import Contact, Fixed, Inertia, Joint, Link, Prismatic, Revolute, Robot, Transform
from revolute.arguments import Array
from revolute.optimal import (
    ConeCost,
    ContactSchedule,
    OptimalControl,
    Phase,
    StateCost,
    SwingHeightCost,
    TorqueCost,
    TouchDownCost,
    gait,
)
from revolute.plot.style import STYLE
from tools.gallery.quadruped import Pushed

DT, STEPS, TICK, FINE = 0.02, 40, 0.002, 0.001
"""Lengths of a step of the plan, its number, and of a tick of control and of a step of the simulation [s]."""
LEGS = ("FL", "FR", "HL", "HR")
FEET = tuple(f"{leg}_FOOT" for leg in LEGS)
CROUCH = {f"{leg}_{part}": x if leg[0] == "F" else -x for leg in LEGS for part, x in (("HFE", 0.8), ("KFE", -1.6))}
PERIOD, HEIGHT, LAG = 0.24, 0.05, 0.1
"""Period of the trot [s], height of a step [m], and the path's largest distance from the base [m]. Stances are short: a
base that is pushed must not leave the reach of its legs before the next step."""
MOST, FALLEN = 3.0, 0.12
"""Largest torque of a motor [N m]; height of the base of a robot that has fallen [m]."""
PUSHED, LONG = (2.0, 2.2), 0.012
"""Times of a push [s]; length of a force in the film [m/N]."""
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
    """Keep the posture and follow the base's path; lift feet that swing and let them down softly; friction cones."""
    robot, contacts, _ = solo()
    base, joints = [10] * 3 + [400, 0, 1000], [0.3] * 12
    state = StateCost([*base, *joints, *[1] * 3, 60, 60, 10, *[0.02] * 12])
    feet = [SwingHeightCost(2e4), TouchDownCost(3.0), ConeCost(1.0, least=1.0)]
    costs = [state, TorqueCost([0] * 6 + [1.0] * 12), *feet]
    return OptimalControl(robot, costs, terminal=[state], steps=STEPS, dt=DT, contacts=contacts)


def trot(seconds: float, velocity: tuple[float, float, float]) -> ContactSchedule:
    """To stand for 0.2 s, then to trot."""
    robot, contacts, q = solo()
    feet = ContactSchedule.feet(robot, contacts, q)
    steps = gait("trot", feet, period=PERIOD, cycles=int(seconds / PERIOD) + 4, velocity=velocity)
    return ContactSchedule.of(robot, contacts, [Phase("stand", 0.2, FEET), *steps], q, dt=DT, step_height=HEIGHT)


def own_world(robot: Any, contacts: Sequence[Contact], forces: list[Array] | None = None) -> World:
    """A step of FINE in Revolute's contacts: q, qd of q, qd, joint forces and a push on the base, in the base frame.

    Forces (contacts, 3) on the feet are appended to the list.
    """
    stepper = robot.stepper(FINE, contacts=contacts, wrench_links=["base_link"])

    def step(q: Array, qd: Array, tau: Array, push: Array) -> tuple[Array, Array]:
        wrench = np.zeros(6)
        if push.any():
            wrench[3:] = robot.forward_kinematics(q, "base_link")[:3, :3].T @ push
        state = stepper.step(q, qd, tau, wrench)
        if forces is not None:
            forces.append(state.contact_forces.copy())
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
    world: World | None = None, clock: Callable[[], float] = time.perf_counter,
) -> Walk:
    """Trot for some seconds; a push (3,) in the base frame acts at the times PUSHED.

    The path waits for a base that is pushed away: it is never farther from it than LAG.
    """
    robot, _, q = solo()
    schedule, loop, step = trot(seconds, velocity), problem().stepper(), world or own_world(*solo()[:2])
    q, qd, tau = q.copy(), np.zeros(robot.nv), np.zeros(robot.nv)
    rows, ticks, still, moved = [], [], np.zeros(3), np.zeros(2)
    for k in range(round(seconds / FINE)):
        t = k * FINE
        if k % round(TICK / FINE) == 0:
            before, goals, active = clock(), None, None
            if k % round(DT / FINE) == 0:  # in between they stay
                part = schedule.window(k // round(DT / FINE), STEPS)
                path = part.states[:, :2]
                path += moved
                waits = np.clip(path[0], q[:2] - LAG, q[:2] + LAG) - path[0]
                path += waits
                moved += waits
                goals, active = {"state": part.states, "swing height": part.heights}, part.active
            loop.step(q, qd, goals, out=tau, elapsed=TICK, active=active)
            ticks.append(clock() - before)
        force = push if push is not None and PUSHED[0] <= t < PUSHED[1] else still
        rows.append([t, *q, *qd])
        q, qd = step(q, qd, np.clip(tau, -MOST, MOST), force)
        if not q[2] > FALLEN:
            break
    table, fallen = np.array(rows), not q[2] > FALLEN
    x = table[:, 1:]
    return Walk(table[:, 0], x[:, : robot.nq], x[:, robot.nq :], np.array(ticks), loop.failures, fallen)


@cache
def pushed(push: float, seconds: float = 3.6) -> tuple[Walk, Array]:
    """A trot with a push to the side [N], and forces (T, 4, 3) on the feet."""
    forces: list[Array] = []
    return walk(seconds, push=np.array([0, push, 0]), world=own_world(*solo()[:2], forces)), np.array(forces)


def hops() -> Array:
    """(T, 4) times, heights of the body and the foot [m], and vertical force [N], of a leg that hops."""
    rod = Inertia.from_com(0.2, (0, 0, -0.1), np.diag([7e-4, 7e-4, 1e-5]))
    links = [Link("rail"), Link("body", Inertia.sphere(2.0, 0.05)), Link("thigh", rod), Link("shin", rod), Link("foot")]
    joints, end, turn = list[Joint](), Transform(p=(0, 0, -0.2)), Revolute((0, 1, 0))
    for name, a, b, kind, place in (
        ("height", "rail", "body", Prismatic((0, 0, 1)), Transform()), ("hip", "body", "thigh", turn, Transform()),
        ("knee", "thigh", "shin", turn, end), ("ankle", "shin", "foot", Fixed(), end),
    ):  # fmt: skip
        joints.append(Joint(name, a, b, kind, place))
    leg, foot = Robot.from_links("leg", links, joints), [Contact("foot", friction=0.8)]
    q, state = np.array([0.4 * np.cos(0.6), 0.6, -1.2]), StateCost([100, 1, 1, 1, 0.1, 0.1])
    costs = [state, TorqueCost(0.1), SwingHeightCost(1e4), ConeCost(1.0)]
    plan = OptimalControl(leg, costs, terminal=[state], steps=40, dt=0.01, contacts=foot, actuated=["hip", "knee"])
    stand, hop = Phase("stand", 0.2, ["foot"]), [Phase("stance", 0.2, ["foot"]), Phase("flight", 0.2, [])]
    schedule = ContactSchedule.of(leg, foot, [stand, *hop * 3, stand], q, dt=0.01, step_height=0.04)
    loop, real, rows = plan.stepper(), leg.stepper(FINE, contacts=foot), []
    x, v, tau = q.copy(), np.zeros(3), np.zeros(3)
    for k in range(1400):
        if k % 10 == 0:
            part = schedule.window(k // 10, 40)
            loop.step(x, v, {"state": part.states, "swing height": part.heights}, out=tau, active=part.active)
        force = real.step(x, v, tau).contact_forces[0, 2]
        rows.append([k * FINE, x[0], leg.forward_kinematics(x, "foot")[2, 3], force])
    return np.array(rows)


def figure() -> Figure:
    """Four panels: a leg that hops, and a trot with pushes."""
    rows = hops()
    with rc_context(STYLE):
        drawn = Figure((8, 5.4), layout="constrained")
        ((height, force), (feet, aside)) = drawn.subplots(2, 2)
        height.plot(rows[:, 0], 100 * rows[:, 1], label="body")
        height.plot(rows[:, 0], 100 * rows[:, 2], label="foot")
        height.set(xlabel="t [s]", ylabel="height [cm]", title="A leg hops")
        force.plot(rows[:, 0], rows[:, 3])
        force.set(xlabel="t [s]", ylabel="force [N]", title="Vertical force on its foot", ylim=(0, 120))
        moved, forces = pushed(15.0)
        for k, leg in enumerate(LEGS):
            feet.plot(moved.t[:1000], forces[:1000, k, 2], label=leg)
        feet.set(xlabel="t [s]", ylabel="force [N]", title="Solo12 trots: vertical forces", ylim=(0, 40))
        for push in (10.0, 25.0, 40.0):
            x = pushed(push)[0]
            aside.plot(x.t, 100 * x.q[:, 1], label=f"{push:g} N for 0.2 s")
        aside.set(xlabel="t [s]", ylabel="y of the base [cm]", title="It is pushed to the side")
        for axes in (height, feet, aside):
            axes.legend(loc="best")
    return drawn


def film() -> bytes:
    """Solo12 trots, and is pushed to the side, as a GIF."""
    robot, (moved, forces) = solo()[0], pushed(15.0)
    at = slice(10, None, 20)
    q, t = moved.q[at].copy(), moved.t[at]
    q[:, 0] -= 0.5 * t  # the camera moves along
    starts = np.stack([robot.forward_kinematics(q, link)[:, :3, 3] for link in (*FEET, "base_link")], axis=1)
    push = np.where((t >= PUSHED[0]) & (t < PUSHED[1]), 15.0, 0.0)
    ends = starts + LONG * np.concatenate([forces[at], push[:, None, None] * [[[0.0, 1, 0]]]], axis=1)
    words = "Solo12 trots at 0.5 m/s; a push of 15 N for 0.2 s"
    lines = np.stack([starts, ends], axis=-2)
    shown = Pushed(robot, t, q, com=False, title=words, forces=lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trot.gif")
        shown.save(path, rate=12.5)
        return path.read_bytes()
