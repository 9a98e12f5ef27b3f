"""The figure of the guide on whole-body control: Talos follows a circle, lifts a foot, and is pushed."""

from __future__ import annotations

import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

import revolute
from revolute import Contact
from revolute.control import CenterOfMassTask, PoseTask, PostureTask, WholeBody
from revolute.plot.style import STYLE

FEET = ("left_sole_link", "right_sole_link")
BENT = {3: -0.45, 4: 0.9, 5: -0.45}
DT, STILL = 1e-3, np.zeros(3)


def smooth(t: float, start: float, end: float) -> tuple[float, float, float]:
    """From 0 to 1, with two derivatives."""
    s, T = min(max((t - start) / (end - start), 0.0), 1.0), end - start
    return s**3 * (10 - 15 * s + 6 * s * s), 30 * s**2 * (1 - s) ** 2 / T, 60 * s * (1 - s) * (1 - 2 * s) / T**2


@cache
def stand() -> tuple[Any, Any, np.ndarray, list[Contact]]:
    """Talos, its controller, a configuration on two feet, and their contacts."""
    with warnings.catch_warnings(action="ignore"):
        robot = revolute.load("talos", base="free")
    q = np.array(robot.configuration({f"leg_{s}_{k}_joint": x for s in ("left", "right") for k, x in BENT.items()}))
    q[2] -= robot.forward_kinematics(q, FEET[0])[2, 3]
    contacts = [Contact(foot, (x, y, 0), friction=0.6) for foot in FEET for x in (0.1, -0.1) for y in (0.06, -0.06)]
    tasks = [
        CenterOfMassTask(weight=100.0, gain=8.0), PoseTask("base_link", weight=[10, 10, 10, 0, 0, 0], gain=8.0),
        PostureTask(weight=0.1, gain=8.0), PoseTask(FEET[1], weight=100.0, gain=15.0),
    ]  # fmt: skip
    return robot, WholeBody(robot, tasks, contacts, unmet="slack"), q, contacts


def circle(t: float, center: np.ndarray, foot: np.ndarray) -> tuple[Any, Any, bool]:
    """Targets of the centre of mass and of the right foot, and whether that stands: 4 cm at 0.5 Hz."""
    (k, kd, kdd), w, r = smooth(t, 0.0, 1.0), np.pi, 0.04
    x, y = np.array([np.cos(w * t), np.sin(w * t), 0]), np.array([-np.sin(w * t), np.cos(w * t), 0])
    motion = center + r * k * x, r * (kd * x + k * w * y), r * (kdd * x + 2 * kd * w * y - k * w * w * x)
    return motion, foot, True


def step(t: float, center: np.ndarray, foot: np.ndarray) -> tuple[Any, Any, bool]:
    """The centre of mass over the left foot, the right one up by 5 cm and down, and back."""
    there, back, up, down = (smooth(t, *span) for span in ((0.3, 1.8), (4.2, 5.7), (1.9, 2.9), (3.1, 4.1)))
    way, high = np.array([0.0, 0.085, 0.0]), np.array([0, 0, 0.05])
    (s, sd, sdd), (z, zd, zdd) = ([a - b for a, b in zip(*x, strict=True)] for x in ((there, back), (up, down)))
    pose = foot.copy()
    pose[:3, 3] += z * high
    swing = pose, np.concatenate([STILL, zd * high]), np.concatenate([STILL, zdd * high])
    return (center + s * way, sd * way, sdd * way), swing, not 1.9 < t < 4.1


def own_world(q: np.ndarray, qd: np.ndarray, tau: np.ndarray, push: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A step in Revolute's contacts, with a push on the base."""
    robot, _, _, contacts = stand()
    wrench = robot.link_wrench(q, [*STILL, *push], "base_link", "aligned")
    found = robot.contact_step(q, qd, tau, DT, contacts, wrenches={"base_link": wrench})
    return found.q, found.qd


def motion(course: Any, seconds: float, push: np.ndarray = STILL, world: Any = None) -> dict[str, np.ndarray]:
    """States, the centre of mass, its targets, slips and height of the right foot, and vertical forces of both feet."""
    robot, law, q, _ = stand()
    loop, qd = law.stepper(), np.zeros(robot.nv)
    center, foot = robot.center_of_mass(q), robot.forward_kinematics(q, FEET[1])
    loop.step(q, qd, {"posture": q, "pose of base_link": robot.forward_kinematics(q, "base_link"),
                      "center of mass": center, f"pose of {FEET[1]}": foot})  # fmt: skip
    rows = []
    for k in range(round(seconds / DT)):
        com, pose, both = course(k * DT, center, foot)
        tau = loop.step(q, qd, {"center of mass": com, f"pose of {FEET[1]}": pose}, [True] * 4 + [both] * 4)
        q, qd = (world or own_world)(q, qd, tau, push if 500 <= k < 600 else STILL)
        moved = robot.forward_kinematics(q, FEET[1])[:3, 3] - foot[:3, 3]
        vertical = loop.forces[:, 2].reshape(2, 4).sum(axis=1)
        rows.append([*robot.center_of_mass(q), *com[0], *moved, *vertical, *q])
    table = np.array(rows)
    return {"t": DT * np.arange(len(table)), "com": table[:, :3], "target": table[:, 3:6], "slip": table[:, 6:8],
            "height": table[:, 8], "forces": table[:, 9:11], "q": table[:, 11:]}  # fmt: skip


def figure() -> Figure:
    """Four panels."""
    round_, lifted = motion(circle, 5.0), motion(step, 6.0)
    with rc_context(STYLE):
        drawn = Figure((8, 5.4), layout="constrained")
        ((path, foot), (weight, pushed)) = drawn.subplots(2, 2)
        path.plot(*(100 * round_["target"][:, :2]).T, "--", label="target")
        path.plot(*(100 * round_["com"][:, :2]).T, label="centre of mass")
        path.set(xlabel="x [cm]", ylabel="y [cm]", title="A circle of 4 cm, 0.5 Hz", aspect="equal")
        foot.plot(lifted["t"], 100 * lifted["height"], label="right foot")
        foot.set(xlabel="t [s]", ylabel="height [cm]", title="A foot is lifted and set down")
        for force, label in zip(lifted["forces"].T, ("left foot", "right foot"), strict=True):
            weight.plot(lifted["t"], force, label=label)
        weight.set(xlabel="t [s]", ylabel="force [N]", title="Vertical forces, meanwhile")
        for force in (100.0, 300.0):
            x = motion(lambda t, center, foot: ((center, STILL, STILL), foot, True), 3.0, np.array([force, 0, 0]))
            pushed.plot(x["t"], 100 * (x["com"] - x["target"])[:, 0], label=f"{force:g} N for 0.1 s")
        pushed.set(xlabel="t [s]", ylabel="x of the centre of mass [cm]", title="Pushes")
        for axes in (path, foot, weight, pushed):
            axes.legend(loc="best")
    return drawn


def film() -> bytes:
    """Talos lifts a foot, as a GIF."""
    robot, lifted = stand()[0], motion(step, 6.0)
    shown = robot.animate(lifted["q"], lifted["t"], trace=FEET[1], title="Talos lifts a foot by 5 cm, and sets it down")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "foot-lift.gif")
        shown.save(path, rate=10)
        return path.read_bytes()
