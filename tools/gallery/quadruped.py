"""A film of a quadruped that stands on four points and is pushed: its feet slip, and springs raise it again."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import revolute
from revolute import Contact, Drive, Inertia, Joint, Link, Robot, Simulation, Transform
from revolute.arguments import Array
from revolute.plot.animation import Animation
from revolute.plot.robots import RobotDrawing
from revolute.plot.style import COLOURS

THIGH, FOOT, FRICTION = 0.25, 0.02, 0.4
BENT = (0.0, 0.7, -1.4)
"""Joint positions of a leg [rad]."""
PUSH, PUSHED = 120.0, (0.4, 0.6)
"""Force to the side on the trunk [N], from one time to another [s]."""
LONG = 0.003
"""Length of a force in the film [m/N]."""


def quadruped() -> Robot:
    """14 kg: a trunk, and four legs with three joints each."""
    links, joints = [Link("trunk", Inertia.box(8.0, (0.5, 0.2, 0.1)))], list[Joint]()
    for name, x, y in (("fl", 0.22, 0.1), ("fr", 0.22, -0.1), ("hl", -0.22, 0.1), ("hr", -0.22, -0.1)):
        rod = Inertia.from_com(0.5, (0, 0, -THIGH / 2), np.diag([2.6e-3, 2.6e-3, 1e-4]))
        parts = {"hip": Inertia.sphere(0.5, 0.05), "thigh": rod, "shin": rod}
        places = Transform(p=(x, y, 0)), Transform(p=(0, np.sign(y) * 0.1, 0)), Transform(p=(0, 0, -THIGH))
        parent = "trunk"
        for (part, inertia), place in zip(parts.items(), places, strict=True):
            axis = (1, 0, 0) if part == "hip" else (0, 1, 0)
            links.append(Link(f"{name}_{part}", inertia))
            joints.append(Joint(f"{name}_{part}", parent, f"{name}_{part}", revolute.Revolute(axis), place))
            parent = f"{name}_{part}"
        links.append(Link(f"{name}_foot"))
        joints.append(Joint(f"{name}_foot", parent, f"{name}_foot", revolute.Fixed(), Transform(p=(0, 0, -THIGH))))
    return Robot.from_links("quadruped", links, joints, base="free", warn=False)


def pushed() -> tuple[Simulation, Array]:
    """Two seconds, with springs and dampers at the joints; and lines (T, 5, 2, 3) of the forces on feet and trunk."""
    robot, t = quadruped(), np.linspace(0, 2, 2001)
    feet = [Contact(f"{leg}_foot", radius=FOOT, friction=FRICTION) for leg in ("fl", "fr", "hl", "hr")]
    rest = dict(zip(robot.joint_names[1:], BENT * 4, strict=True))
    springs = {name: Drive(stiffness=200.0, damping=6.0, rest_position=x) for name, x in rest.items()}
    height = 2 * THIGH * np.cos(BENT[1]) + FOOT
    load = np.zeros((len(t), 6))
    load[(t >= PUSHED[0]) & (t < PUSHED[1]), 4] = PUSH
    start = [0, 0, height, 0, 0, 0, 1, *BENT * 4], np.zeros(18), None, t
    motion = robot.with_drives(springs).simulate(*start, contacts=feet, wrenches={"trunk": load})
    assert motion.contact_forces is not None
    poses = [robot.forward_kinematics(motion.q, link) for link in (*(foot.link for foot in feet), "trunk")]
    starts = np.stack([X[:, :3, 3] for X in poses], axis=1)
    starts[:, :4, 2] -= FOOT
    push = (poses[-1][:, :3, :3] @ load[:, 3:, None])[..., 0]
    forces = np.concatenate([motion.contact_forces, push[:, None]], axis=1)
    return motion, np.stack([starts, starts + LONG * forces], axis=-2)


@dataclass(frozen=True, eq=False, repr=False)
class Pushed(Animation):
    """A motion with lines of forces."""

    forces: Array = field(default_factory=lambda: np.empty((0, 0, 2, 3)))

    def _show(self, drawing: RobotDrawing, at: float) -> None:
        super()._show(drawing, at)
        lines = self.forces[int(np.searchsorted(self.t, at + 1e-9, side="right")) - 1]
        for part, colour in ((lines[:4], COLOURS[1]), (lines[4:], COLOURS[0])):
            drawing._moving.append(drawing.canvas.curves(part, colour, 2.0, 6))


def film() -> bytes:
    """The film, as a GIF."""
    motion, forces = pushed()
    words = f"A push of {PUSH:g} N for {PUSHED[1] - PUSHED[0]:.1g} s"
    shown = Pushed(quadruped(), motion.t, motion.q, com=False, title=words, forces=forces)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pushed.gif")
        shown.save(path, rate=12.5)
        return path.read_bytes()
