"""Plans with contacts beside Crocoddyl: `python -m bench.contact_plans PYTHON` writes CONTACT_PLANS.md.

PYTHON is the interpreter of an environment with `pip install crocoddyl==3.2.1 pin==4.0`. Both solve the same problems
from the same first plan, on one thread each.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

import revolute
from bench.optimal import PANDA, SOLO, TALOS, bounded, legged, panda
from bench.robots import Array
from revolute import Contact, Plane
from revolute.optimal import ContactSchedule, Phase, gait

PAGE, PEER = Path(__file__).with_name("CONTACT_PLANS.md"), Path(__file__).with_name("contact_plans_peer.py")
LEGS = ("FL", "FR", "HL", "HR")
SOLES = ("left_sole_link", "right_sole_link")


@dataclass(frozen=True)
class Problem:
    """A problem for both.

    Attributes:
        label: in tables.
        robot: makes the robot.
        bent: {joint: position} of the posture.
        contacts: of the robot.
        phases: of the feet, by name and place.
        dt: length of a step [s].
        ratio: how many times faster an iteration has to be.
        weights: of base rotation, base position, joints, and their velocities.
        effort, height, cone, force: other weights.
        goal: force (3,) on the contact [N].
        start: changes of joints at the start [rad].
    """

    label: str
    robot: Callable[[], revolute.Robot]
    bent: dict[str, float]
    contacts: Sequence[Contact]
    phases: Callable[[dict[str, Array]], list[Phase]]
    dt: float
    ratio: float
    weights: tuple[float, ...] = (10, 100, 1, 1, 10, 0.02)
    effort: float = 1.0
    height: float = 1e4
    cone: float = 1.0
    force: float = 0.0
    goal: tuple[float, ...] = (0.0, 0.0, 0.0)
    start: dict[str, float] = field(default_factory=dict)
    step_height: float = 0.05
    lowest: str | None = None

    @cached_property
    def model(self) -> revolute.Robot:
        """The robot."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", revolute.ModelWarning)
            return self.robot()

    @cached_property
    def free(self) -> bool:
        """Whether the base moves."""
        return isinstance(self.model.bodies[1].joint, revolute.Free)

    def posture(self, joints: dict[str, float]) -> Array:
        """A configuration whose lowest foot is on the ground."""
        q = np.array(self.model.configuration(joints))
        if self.free:
            q[2] -= self.model.forward_kinematics(q, self.contacts[0].link)[2, 3]
        return q

    @cached_property
    def schedule(self) -> ContactSchedule:
        """Of the contacts."""
        q = self.posture(self.bent)
        feet = ContactSchedule.feet(self.model, self.contacts, q)
        return ContactSchedule.of(
            self.model, self.contacts, self.phases(feet), q, dt=self.dt, step_height=self.step_height
        )

    @cached_property
    def state_weights(self) -> Array:
        """(2 nv,) weights of the state."""
        n, w = self.model.nv, self.weights
        joints = n - 6 * self.free
        base = [[w[0]] * 3 + [w[1]] * 3, [w[3]] * 3 + [w[4]] * 3] if self.free else [[], []]
        return np.array([*base[0], *[w[2]] * joints, *base[1], *[w[5]] * joints], float)

    @property
    def damping(self) -> float:
        """Of the contacts: see `revolute.dynamics.optimal.holding`."""
        links = [contact.link for contact in self.contacts]
        return (1e-7 if len({*links}) < len(links) else 1e-10) / self.model.mass

    @cached_property
    def first(self) -> tuple[Array, Array]:
        """The first plan: states and forces."""
        q = self.posture(self.bent | self.start)
        x = np.tile(np.append(q, np.zeros(self.model.nv)), (len(self.schedule.t), 1))
        tau, J = self.model.gravity_forces(q), []
        if self.free:
            for contact in self.contacts:
                R, columns = self.model.forward_kinematics(q, contact.link)[:3, :3], self.model.jacobian(q, contact.link, "aligned")
                J.append(columns[3:] + np.cross(columns[:3], R @ contact.point, axisa=0, axisc=0))
            rows = np.vstack(J)
            tau = tau - rows.T @ np.linalg.lstsq(rows[:, :6].T, tau[:6], rcond=None)[0]
            tau[:6] = 0
        return x, np.tile(tau, (len(x) - 1, 1))

    def job(self, **more: Any) -> dict[str, Any]:
        """The problem for Crocoddyl."""
        plan, (x, tau) = self.schedule, self.first
        off = 1 - np.vstack([plan.active, plan.active[-1:]])
        normal = self.contacts[0].surface.normal  # type: ignore[union-attr]
        axes = np.linalg.svd(np.array([normal]))[2][[1, 2, 0]].T
        return {
            "urdf": bounded(self.model.to_urdf()), "nodes": len(plan.active), "dt": self.dt, "free": int(self.free),
            "joints": self.model.joint_names[self.free :],
            "contacts": [(contact.link, contact.point) for contact in self.contacts],
            "active": plan.active.tolist(), "places": plan.places.tolist(), "heights": plan.heights.tolist(),
            "height_weights": (self.height * off).tolist(), "states": plan.states.tolist(),
            "state_weights": self.state_weights.tolist(), "end_weights": self.state_weights.tolist(),
            "effort_weight": self.effort, "cone_weight": self.cone, "force_weight": self.force, "force": self.goal,
            "friction": self.contacts[0].friction, "axes": axes.tolist(), "gains": [0.0, 1 / self.dt],
            "damping": self.damping, "x": x.tolist(), "tau": tau.tolist(), "repeats": 3, "most": 100, "sharp": 0,
            "soles": int(len(self.contacts) > 4),
        } | more  # fmt: skip


def trots(feet: dict[str, Array]) -> list[Phase]:
    """Two seconds."""
    trot = gait("trot", feet, period=0.4, cycles=4, velocity=(0.4, 0, 0))
    return [Phase("stand", 0.2, [*feet]), *trot, Phase("stand", 0.2, [*feet])]


def jumps(feet: dict[str, Array]) -> list[Phase]:
    """One second."""
    ahead = (0.5, 0, 0)
    return [Phase("stand", 0.4, [*feet]), Phase("flight", 0.2, (), ahead), Phase("land", 0.4, [*feet])]


def stands(feet: dict[str, Array]) -> list[Phase]:
    """1.2 s on two feet."""
    return [Phase("stand up", 1.2, [*feet])]


def steps(feet: dict[str, Array]) -> list[Phase]:
    """A step of 1.2 s."""
    return [Phase("shift", 0.4, [*feet]), Phase("step", 0.4, [SOLES[0]], (0.3, 0, 0)), Phase("stand", 0.4, [*feet])]


CROUCH = {f"{leg}_{part}": x * (1 if leg[0] == "F" else -1) for leg in LEGS for part, x in (("HFE", 0.8), ("KFE", -1.6))}
KNEES = {f"leg_{side}_{k}_joint": x for side in ("left", "right") for k, x in ((3, -0.45), (4, 0.9), (5, -0.45))}
DEEP = {f"leg_{side}_{k}_joint": x for side in ("left", "right") for k, x in ((3, -0.75), (4, 1.5), (5, -0.75))}
POINTS = [Contact(f"{leg}_FOOT", friction=0.7) for leg in LEGS]
CORNERS = [Contact(foot, (x, y, 0), friction=0.6) for foot in SOLES for x in (0.1, -0.1) for y in (0.06, -0.06)]
WALL = [Contact("panda_link8", friction=0.8, surface=Plane((-1, 0, 0), -0.55))]
PROBLEMS = (
    Problem("Solo12 trots, 100 nodes", partial(legged, SOLO), CROUCH, POINTS, trots, 0.02, 5),
    Problem("Solo12 jumps, 100 nodes", partial(legged, SOLO), CROUCH, POINTS, jumps, 0.01, 5, height=0),
    Problem("Talos stands up, 60 nodes", partial(legged, TALOS), KNEES, CORNERS, stands, 0.02, 4, effort=1e-3,
            cone=0, start=DEEP),
    Problem("Talos steps, 60 nodes", partial(legged, TALOS), KNEES, CORNERS, steps, 0.02, 4, effort=1e-3, cone=0),
    Problem("Panda pushes on a wall, 50 nodes", panda, dict(zip([f"panda_joint{k}" for k in range(1, 8)], PANDA,
            strict=True)), WALL, lambda feet: [Phase("push", 0.5, [*feet])], 0.01, 7, height=0, effort=1e-3, force=1e-2,
            goal=(-30, 0, 0)),
)  # fmt: skip
