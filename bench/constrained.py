"""Robots that touch something, beside Pinocchio: accelerations and their derivatives.

python -m bench.constrained            # writes bench/CONSTRAINED.md
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

import revolute
from bench.pinocchio_peer import Pinocchio
from bench.robots import CASES as ROBOTS
from bench.robots import Array, Case, States
from bench.tables import machine, table
from bench.timing import Contestant, Effort, only_cores, race
from revolute import FrameClosure, Inertia, Joint, Link, PointClosure, Prismatic, Revolute, Transform
from revolute.dynamics.closures import _Pair

ROWS = {"forward_dynamics": 4096, "forward_dynamics_partials": 1024}
"""States of a batch."""

EFFORT = Effort(slice=1e-3, seconds=1, least=7, most=100)


@dataclass(frozen=True)
class Written(Case):
    """A robot that Pinocchio reads from the URDF that Revolute writes."""

    make: Callable[[], revolute.Robot] = revolute.Robot

    @cached_property
    def robot(self) -> revolute.Robot:
        return self.make()

    @cached_property
    def file(self) -> Path:
        path = Path(tempfile.mkdtemp()) / "robot.urdf"
        path.write_text(self.robot.to_urdf())
        return path


def platform() -> revolute.Robot:
    """A Gough platform: six legs of a universal joint and a slide; the platform turns on the first leg's tip."""
    x, y, z = (Revolute(tuple(axis)) for axis in np.eye(3))
    links, joints = [Link("base")], []
    for k, foot in enumerate(anchors()[0]):
        chain = ("base", f"cross{k}", f"barrel{k}", f"piston{k}")
        links += [Link(name, ball(*size)) for name, size in zip(chain[1:], BALLS, strict=True)]
        kinds, places = (x, y, Prismatic((0, 0, 1))), (tuple(foot), (0, 0, 0), (0, 0, 0))
        for parent, name, kind, at in zip(chain, chain[1:], kinds, places, strict=False):
            joints.append(Joint(f"to_{name}", parent, name, kind, Transform(p=at)))
    chain = ("piston0", "roll", "pitch", "platform")
    links += [Link(name, ball(*size)) for name, size in zip(chain[1:], PLATFORM, strict=True)]
    joints += [Joint(f"to_{b}", a, b, kind) for a, b, kind in zip(chain, chain[1:], (x, y, z), strict=False)]
    return revolute.Robot.from_links("gough", links, joints)


def arm() -> revolute.Robot:
    """The Panda with locked fingers, which mimic each other: Pinocchio ignores that."""
    robot = next(case.robot for case in ROBOTS if case.key == "panda")
    return robot.lock({f"panda_finger_joint{k}": 0.0 for k in (1, 2)})


BALLS, PLATFORM = ((0.1, 0.02), (1.0, 0.1), (0.5, 0.08)), ((0.05, 0.01), (0.05, 0.01), (5.0, 0.3))
"""Masses [kg] and radii [m]."""


def ball(mass: float, radius: float) -> Inertia:
    """The inertia of a ball."""
    return Inertia.from_com(mass, (0, 0, 0), 0.4 * mass * radius**2 * np.eye(3))


def anchors() -> tuple[Array, Array]:
    """(6, 3) points of the legs on the ground and on the platform, about their centres."""
    angles = np.radians([[0, 20, 120, 140, 240, 260], [-40, 60, 80, 180, 200, 300]])
    feet, tips = (r * np.stack([np.cos(a), np.sin(a), 0 * a], axis=-1) for r, a in zip((1.0, 0.5), angles, strict=True))
    return feet, tips


FEET = [f"{end}_FOOT" for end in ("FL", "FR", "HL", "HR")]


def solo() -> tuple[revolute.Robot, Array, list[Any]]:
    robot = SOLO.robot
    q = robot.neutral()
    q[7:] = [0.3, 0.6, -1.2] * 4
    return robot, q, [robot.hold(foot, q, PointClosure) for foot in FEET]


def talos() -> tuple[revolute.Robot, Array, list[Any]]:
    robot = TALOS.robot
    q = robot.neutral()
    return robot, q, [robot.hold(f"{side}_sole_link", q) for side in ("left", "right")]


def panda() -> tuple[revolute.Robot, Array, list[Any]]:
    robot = PANDA.robot
    q = robot.neutral()
    q[:] = [0.1, -0.6, 0.2, -2.0, 0.1, 1.6, 0.7]
    return robot, q, [robot.hold("panda_hand", q)]


def gough() -> tuple[revolute.Robot, Array, list[Any]]:
    robot, (feet, tips) = GOUGH.robot, anchors()
    q = {}
    for k, leg in enumerate(tips + np.array([0, 0, 0.8]) - feet):
        x, y, z = leg / np.linalg.norm(leg)
        q |= {f"to_cross{k}": np.arctan2(-y, z), f"to_barrel{k}": np.arcsin(x), f"to_piston{k}": np.linalg.norm(leg)}
    R = robot.forward_kinematics(robot.configuration(q), "piston0")[:3, :3].T  # the platform is level
    q |= {"to_roll": np.arctan2(-R[1, 2], R[2, 2]), "to_pitch": np.arcsin(R[0, 2])}
    q |= {"to_platform": np.arctan2(-R[0, 1], R[0, 0])}
    closures = [PointClosure(f"piston{k}", "platform", at_b=tuple(tips[k] - tips[0])) for k in range(1, 6)]
    return robot, robot.configuration(q), closures


SOLO = Case("solo12", "Solo12 on four points", "solo_description/robots/solo12.urdf", "free")
TALOS = Case("talos", "Talos on two soles", "talos_data/robots/talos_reduced.urdf", "free")
PANDA = Written("panda", "Panda with a held hand", "", make=arm)
GOUGH = Written("gough", "Gough platform", "", make=platform)
CASES: dict[Case, Callable[[], tuple[revolute.Robot, Array, list[Any]]]] = {
    SOLO: solo, TALOS: talos, PANDA: panda, GOUGH: gough,
}


def constraint(model: Any, closure: _Pair) -> Any:
    """A closure as Pinocchio's."""
    kind = pin.ContactType.CONTACT_6D if isinstance(closure, FrameClosure) else pin.ContactType.CONTACT_3D
    places: list[Any] = []
    for link, at in closure.sides():
        T = (at if isinstance(at, Transform) else Transform(p=at)).matrix()  # type: ignore[arg-type]
        here = pin.SE3(np.array(T, dtype=float))
        frame = None if link is None else model.frames[model.getFrameId(link)]
        places += [0, here] if frame is None else [frame.parentJoint, frame.placement * here]
    return pin.RigidConstraintModel(kind, model, *places, pin.ReferenceFrame.LOCAL)


def measured(case: Case) -> list[tuple[str, list[str]]]:
    """Rows of both tables."""
    robot, q, closures = CASES[case]()
    closed, rng = robot.with_closures(closures), np.random.default_rng(0)
    q, qd = closed.project(q, 0.5 * rng.standard_normal(robot.nv))
    tau, peer = rng.standard_normal(robot.nv), Pinocchio(case)
    theirs = [x[:, 0].copy() for x in peer.states(States(q[None], qd[None], tau[None]))]
    models = pin.StdVec_RigidConstraintModel()
    for closure in closures:
        models.append(constraint(peer.model, closure))
    datas = pin.StdVec_RigidConstraintData()
    for model in models:
        datas.append(model.createData())
    pin.initConstraintDynamics(peer.model, peer.data, models, datas)
    names = {"pin": pin, "model": peer.model, "data": peer.data, "q_": theirs[0], "v_": theirs[1], "u_": theirs[2]}
    names |= {"cm": models, "cd": datas, "closed": closed, "q": q, "qd": qd, "tau": tau}
    dynamics = "pin.constraintDynamics(model, data, q_, v_, u_, cm, cd)"
    derivatives = f"{dynamics}; pin.computeConstraintDynamicsDerivatives(model, data, cm, cd)"
    found = []
    for function, statement in (("forward_dynamics", dynamics), ("forward_dynamics_partials", derivatives)):
        began = time.process_time()
        closed.prepare(function)
        compiled, rows = time.process_time() - began, ROWS[function]
        batch = {name: np.repeat(x[None], rows, 0) for name, x in (("Q", q), ("V", qd), ("U", tau))}
        peer_time, single, row = race(
            [
                Contestant("Pinocchio", statement, names),
                Contestant("single", f"closed.{function}(q, qd, tau)", names),
                Contestant("batch", f"closed.{function}(Q, V, U, threads=1)", names | batch, rows),
            ],
            EFFORT,
        )
        exec(statement, dict(names))
        ours = getattr(closed, function)(q, qd, tau)
        order = np.ix_(peer.order, peer.order)
        if function == "forward_dynamics":
            pairs = [(ours[peer.order], np.array(peer.data.ddq))]
        else:
            expected = pin.computeConstraintDynamicsDerivatives(peer.model, peer.data, models, datas)[:3]
            pairs = [(x[order], y) for x, y in zip(ours, expected, strict=True)][case is GOUGH :]
        off = max(float(np.abs(x - y).max() / np.abs(y).max()) for x, y in pairs)
        us = [x.per_row / 1e3 for x in (peer_time, single, row)]
        cells = [case.label, str(robot.nv), str(len(closed.row_names)), f"{closed.kernel(function).operations:,}"]
        cells += [f"{compiled:.1f}", *(f"{x:.2f}" for x in us), f"{us[0] / us[1]:.1f}", f"{us[0] / us[2]:.1f}"]
        found.append((function, [*cells, f"{off:.0e}"]))
    return found


def page(rows: list[tuple[str, list[str]]]) -> str:
    """The tables of both functions."""
    head = ["robot", "nv", "rows", "operations", "compiled in [s]", "Pinocchio [µs]", "one state", "a row"]
    head += ["one state ×", "a row ×", "relative difference"]
    parts = ["# Robots that touch something", ""]
    parts += ["Written by `python -m bench.constrained`: one core, float64, medians in µs; compiled without a cache."]
    parts += ["Pinocchio runs `constraintDynamics`, by default settings, and `computeConstraintDynamicsDerivatives`."]
    parts += ["For loops between two links, its derivatives by q are not those of its accelerations, which equal ours."]
    parts += ["So for the platform, the last column compares only derivatives by qd and tau.", ""]
    for function, size in ROWS.items():
        mine = [x for name, x in rows if name == function]
        parts += [f"## `{function}`, batches of {size:,}", "", table(head, mine), ""]
    return "\n".join([*parts, machine(), ""])


def main() -> None:
    """Write CONSTRAINED.md."""
    os.environ["REVOLUTE_CACHE_DIR"] = tempfile.mkdtemp()
    with only_cores(1):
        rows = [row for case in CASES for row in measured(case)]
    Path(__file__).with_name("CONSTRAINED.md").write_text(page(rows))


if __name__ == "__main__":
    main()
