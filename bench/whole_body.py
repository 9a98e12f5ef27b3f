"""Whole-body control of Talos and Go2, also in MuJoCo: `python -m bench.whole_body [placo=PYTHON]`.

It writes WHOLE_BODY.md. PYTHON is the interpreter of an environment with `pip install placo`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np

from bench.robots import Array, Case
from bench.tables import machine, table
from bench.timing import only_cores
from revolute import Contact, ModelWarning
from revolute.control import CenterOfMassTask, PointTask, PoseTask, PostureTask, WholeBody
from tools.gallery.whole_body import DT, STILL, circle, motion, stand, step

PAGE, PEER = Path(__file__).with_name("WHOLE_BODY.md"), Path(__file__).with_name("whole_body_peer.py")
TICKS, FEW, TURNS, SECONDS, BATCH = 1000, 50, 5, 10.0, 20
UP = np.array([0.0, 0.0, 1.0])
HALF, SWING, LIFT = 0.25, 0.7, 0.03
"""Half the period of a trot [s], the share of it in which two feet swing, and their height [m]."""
PUSHES = (300.0, 400.0, 500.0, 600.0, 700.0, 800.0)
FALLEN = 0.3
"""Distance of the centre of mass from its target of a robot that falls [m]."""

ABOUT = """# Whole-body control

Written by `python -m bench.whole_body placo=PYTHON`.

Tasks: centre of mass, orientation of the base, posture. Times of ticks (control steps) are medians of calls from
Python that take turns on one core. Circles and trots last 10 s.
"""


def go2() -> tuple[Any, Array, list[Contact]]:
    """A quadruped on four feet."""
    robot = Case("go2", "Go2", "go2_description/urdf/go2.urdf", "free").robot
    feet = [f"{leg}_foot" for leg in ("FL", "FR", "RL", "RR")]
    bent = {f"{foot[:2]}_{part}_joint": x for foot in feet for part, x in (("thigh", 0.8), ("calf", -1.6))}
    return robot, np.array(robot.configuration(bent)), [Contact(foot, friction=0.6) for foot in feet]


def ticks(robot: Any, q: Array, contacts: Sequence[Contact], solver: str) -> tuple[Any, Callable[[], float]]:
    """The stepper, and a function that returns the median time of its ticks in states near q [us]."""
    base, rng = robot.link_names[0], np.random.default_rng(0)
    tasks = [CenterOfMassTask(weight=10), PoseTask(base, weight=[10] * 3 + [0] * 3), PostureTask(weight=0.1)]
    goals = {"center of mass": robot.center_of_mass(q), f"pose of {base}": robot.forward_kinematics(q, base)}
    loop, out = WholeBody(robot, tasks, contacts, solver=solver).stepper(), np.empty(robot.nv)
    small = 2e-4 * rng.standard_normal((20, robot.nv)), 0.01 * rng.standard_normal((20, robot.nv))
    near = [*zip(robot.integrate(np.tile(q, (20, 1)), small[0]), small[1], strict=True)]
    loop.step(*near[0], {**goals, "posture": q})
    count = TICKS if solver == "daqp" else FEW

    return loop, partial(median, [partial(loop.step, *x, out=out) for x in near], count)


def batched(loop: Any, robot: Any, q: Array) -> float:
    """Median time of a state in a batch near q [us]."""
    rng, many = np.random.default_rng(0), loop._law.stepper((BATCH,))
    q = robot.integrate(np.tile(q, (BATCH, 1)), 2e-4 * rng.standard_normal((BATCH, robot.nv)))
    many._tasks[:], many._missing = loop._tasks, set()
    return median([partial(many.step, q, 0.01 * rng.standard_normal(q[:, 1:].shape))], FEW) / BATCH


def median(calls: Sequence[Callable[[], Any]], count: int) -> float:
    """Median time of calls in turn [us]."""
    times = []
    for k in range(count):
        began = time.perf_counter()
        calls[k % len(calls)]()
        times.append(time.perf_counter() - began)
    return 1e6 * float(np.median(times))


def placo(python: str, robot: Any, q: Array, contacts: Sequence[Contact]) -> float:
    """Median time of placo's tick [us], in its environment."""
    names = [x for x, n in zip(robot.joint_names, [7, *[1] * (robot.nq - 7)], strict=True) if n == 1]
    places = [f"{name}={x!r}" for name, x in zip(names, q[7:].tolist(), strict=True)]
    feet = list(dict.fromkeys(x.link for x in contacts))
    kind = "planar" if len(contacts) > len(feet) else "point"
    tree = ElementTree.fromstring(robot.to_urdf())
    for link in tree.iter("link"):
        for shape in link.findall("visual") + link.findall("collision"):
            link.remove(shape)
    with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
        file.write(ElementTree.tostring(tree, encoding="unicode"))
        file.flush()
        command = [python, str(PEER), file.name, kind, robot.link_names[0], ",".join(feet), str(TICKS), *places]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def times(pythons: dict[str, str]) -> str:
    """The table of ticks."""
    robot, _, q, contacts = stand()
    columns = []
    for x in ((robot, q, contacts), go2()):
        loop, daqp = ticks(*x, "daqp")
        clarabel = ticks(*x, "clarabel")[1]
        write = partial(loop._kernel, x[1], np.zeros(x[0].nv), *loop._given, out=loop._out)
        kernel: Callable[[], float] = partial(median, [write], TICKS)
        contestants = {"kernel that writes the program": kernel, "a tick with DAQP": daqp}
        contestants[f"a state of {BATCH} in a batch, with DAQP"] = partial(batched, loop, *x[:2])
        contestants["a tick with Clarabel"] = clarabel
        contestants |= {name: partial(placo, python, *x) for name, python in pythons.items()}
        found: dict[str, list[float]] = {name: [] for name in contestants}
        for _ in range(TURNS):
            for name, once in contestants.items():
                found[name].append(once())
        columns.append({name: f"{np.median(x):,.0f}" for name, x in found.items()})
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    return table(["µs", "Talos, two feet, 24 forces", "Go2, four feet"], rows)


def mujoco_world(
    robot: Any, contacts: Sequence[Contact], impratio: float = 1.0, dt: float = DT, solref: float = 0.02,
    noslip: int = 0,
) -> Callable[..., tuple[Array, Array]]:
    """A step of MuJoCo: q, qd of q, qd, forces of joints and a push on the base.

    `solref` is the time constant of contacts [s], `noslip` a number of iterations.
    """
    with warnings.catch_warnings(action="ignore", category=ModelWarning):
        model = mujoco.MjModel.from_xml_string(robot.to_mjcf(contacts))
    model.opt.timestep, model.opt.impratio, model.opt.cone = dt, impratio, mujoco.mjtCone.mjCONE_ELLIPTIC
    model.pair_solref[:, 0], model.opt.noslip_iterations = solref, noslip
    model.geom_contype[:] = model.geom_conaffinity[:] = 0  # only pairs touch, not the shapes of links
    model.dof_damping[:] = model.dof_frictionloss[:] = model.dof_armature[:] = 0
    data, R = mujoco.MjData(model), np.zeros(9)

    def step(q: Array, qd: Array, tau: Array, push: Array) -> tuple[Array, Array]:
        data.qpos[:] = [*q[:3], q[6], *q[3:6], *q[7:]]
        mujoco.mju_quat2Mat(R, data.qpos[3:7])
        data.qvel[:] = [*(R.reshape(3, 3) @ qd[3:6]), *qd[:3], *qd[6:]]
        data.qfrc_applied[:] = [*push, *STILL, *tau[6:]]
        mujoco.mj_step(model, data)
        mujoco.mju_quat2Mat(R, data.qpos[3:7])
        x, v = data.qpos, data.qvel
        return np.array([*x[:3], *x[4:7], x[3], *x[7:]]), np.array([*v[3:6], *(R.reshape(3, 3).T @ v[:3]), *v[6:]])

    return step


def worlds(robot: Any, contacts: Sequence[Contact]) -> dict[str, Any]:
    """Steps of simulations by name; None: Talos in Revolute's contacts."""
    soft = {"MuJoCo": 1.0, "MuJoCo, impratio=10": 10.0}
    return {"Revolute": None, **{name: mujoco_world(robot, contacts, x) for name, x in soft.items()}}


def quadruped() -> str:
    """The table of Go2: a circle of its centre of mass, and a trot in place on two feet at a time."""
    robot, q0, contacts = go2()
    q0[2] -= robot.forward_kinematics(q0, contacts[0].link)[2, 3]
    base, names = robot.link_names[0], [f"point of {x.link}" for x in contacts]
    tasks = [CenterOfMassTask(weight=100), PoseTask(base, weight=[10] * 3 + [0] * 3), PostureTask(weight=0.1)]
    law = WholeBody(robot, [*tasks, *(PointTask(x.link, weight=100, gain=30) for x in contacts)], contacts)
    center, home = robot.center_of_mass(q0), robot.forward_kinematics(q0, [x.link for x in contacts])[:, :3, 3]
    start = {"posture": q0, f"pose of {base}": robot.forward_kinematics(q0, base), "center of mass": center}

    def own(q: Array, qd: Array, tau: Array, push: Array) -> tuple[Array, Array]:
        found = robot.contact_step(q, qd, tau, DT, contacts)
        return found.q, found.qd

    def course(t: float, trots: bool) -> tuple[dict[str, Any], Array]:
        """Targets, and which feet stand."""
        phase = t / HALF % 2
        s = phase % 1 / SWING
        swings = np.array([1, 0, 0, 1]) if phase < 1 else np.array([0, 1, 1, 0])
        up = swings * (trots and s < 1 and t > HALF)
        z, zd, zdd = (np.sin(np.pi * s) ** 2, np.sin(2 * np.pi * s), np.cos(2 * np.pi * s))
        w = np.pi / (SWING * HALF)
        high = [LIFT * z * up, LIFT * w * zd * up, 2 * LIFT * w * w * zdd * up]
        feet = {
            name: (p + high[0][k] * UP, high[1][k] * UP, high[2][k] * UP)
            for k, (name, p) in enumerate(zip(names, home, strict=True))
        }
        return feet if trots else {**feet, "center of mass": circle(t, center, home)[0]}, 1 - up

    rows = []
    for name, world in worlds(robot, contacts).items():
        cells = []
        for trots in (False, True):
            loop, q, qd, far, slip, high = law.stepper(), q0, np.zeros(robot.nv), [0.0], [0.0], [0.0]
            for k in range(round(SECONDS / DT)):
                targets, stands = course(k * DT, trots)
                tau = loop.step(q, qd, targets if k else {**start, **targets}, stands)
                q, qd = (world or own)(q, qd, tau, STILL)
                goal = center if trots else targets["center of mass"][0]
                far.append(float(np.abs(robot.center_of_mass(q) - goal).max()) * (k > 1000))
                foot = robot.forward_kinematics(q, contacts[0].link)[:3, 3] - home[0]
                slip.append(float(np.abs(foot[:2]).max()))
                high.append(float(foot[2]))
            cells += [f"{1e3 * max(far):.1f}", f"{1e3 * max(slip):.3f}", *[f"{1e3 * max(high):.0f}"] * trots]
        rows.append([name, *cells])
    head = ["Go2", "circle of 4 cm, 0.5 Hz: error, mm", "slip, mm", "trot in place, 2 Hz: error, mm", "slip, mm"]
    head.append("feet lifted, mm")
    return table(head, rows)


def motions() -> str:
    """The table of motions."""
    robot, _, _, contacts = stand()
    rows = []
    for name, world in worlds(robot, contacts).items():
        turn, lift = motion(circle, SECONDS, world=world), motion(step, 6.0, world=world)
        error, slip = (1e3 * np.abs(x).max() for x in ((turn["com"] - turn["target"])[1000:], turn["slip"]))
        high, down = (1e3 * x for x in (lift["height"].max(), lift["height"][-1]))
        stands = [*takewhile(lambda f, world=world: not fallen(f, world), PUSHES)]  # type: ignore[misc]
        numbers = f"{error:.1f}", f"{slip:.3f}", f"{high:.0f}", f"{down:.1f}", f"{max(stands, default=0):.0f}"
        rows.append([name, *numbers])
    head = ["Talos", "circle of 4 cm, 0.5 Hz: error, mm", "slip, mm", "foot lifted, mm", "set down, off by mm"]
    return table([*head, "largest push of 0.1 s survived, N"], rows)


def fallen(force: float, world: Any) -> bool:
    """Whether Talos falls after a push along x."""
    x = motion(lambda t, c, foot: ((c, STILL, STILL), foot, True), 2.5, np.array([force, 0, 0]), world)
    return bool(np.abs(x["com"] - x["target"]).max() > FALLEN)


def main(arguments: Sequence[str]) -> None:
    """Write the page."""
    with only_cores(1):
        tables = times(dict(x.split("=", 1) for x in arguments)), motions(), quadruped()
        parts = [ABOUT, *(x for part in tables for x in (part, "")), machine(), ""]
    PAGE.write_text("\n".join(parts))


if __name__ == "__main__":
    main(sys.argv[1:])
