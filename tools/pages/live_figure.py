"""The live figure of docs/index.md: its module, and the recorded motion that plays in the page.

The module holds a UR5's gravity torques and link poses as WebAssembly, in base64: pages opened from a folder cannot
fetch.
"""

import base64
import json
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import revolute
from tools.pages import Files

FUNCTIONS = ("gravity_forces", "forward_kinematics")
START = (-0.6, -1.1, 1.4, -0.9, -1.57, 0.4)
"""Joint positions that the figure starts from [rad]."""

LINKS = ("base_link", "shoulder_link", "upper_arm_link", "forearm_link", "wrist_1_link", "wrist_2_link", "wrist_3_link",
         "ee_link")
"""The chain that is drawn."""


def files() -> Files:
    """The module and the recording."""
    return {"assets/live/ur5.js": module(), "assets/live/ur5.html": recording()}


def module() -> str:
    """The script: one constant, UR5."""
    entries = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in description().items())
    return f"const UR5 = {{\n{entries}\n}};\n"


def description() -> dict[str, Any]:
    """Joints, drawn points and code."""
    robot = revolute.robots.ur5()
    return {
        "joints": [name.removesuffix("_joint").replace("_", " ") for name in robot.joint_names],
        "limits": robot.effort_limits.tolist(),
        "start": START,
        "links": len(robot.link_names),
        "points": centre_line(robot),
        "code": base64.b64encode(code(robot)).decode("ascii"),
    }


def code(robot: revolute.Robot) -> bytes:
    """The WebAssembly module."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ur5.c"
        robot.to_c(FUNCTIONS, path, test=False, target="wasm32")
        return path.with_suffix(".wasm").read_bytes()


def centre_line(robot: revolute.Robot) -> list[list[float]]:
    """Points (number of the link, x, y, z in its frame) from the base to the tool, along the tubes.

    A link goes along its own z first, then aside to the next link: a straight line would cut the corner.
    """
    poses = dict(zip(robot.link_names, robot.forward_kinematics(robot.neutral()), strict=True))
    points = []
    for link, child in pairwise(LINKS):
        k, offset = robot.link_names.index(link), (np.linalg.inv(poses[link]) @ poses[child])[:3, 3].round(6)
        points.append([k, 0.0, 0.0, 0.0])
        if abs(offset[2]) > 1e-6 and np.linalg.norm(offset[:2]) > 1e-6:
            points.append([k, 0.0, 0.0, float(offset[2])])
    return [*points, [robot.link_names.index(LINKS[-1]), 0.0, 0.0, 0.0]]


def recording() -> bytes:
    """A periodic motion as one page."""
    robot = revolute.robots.ur5()
    t = np.linspace(0, 4, 81)
    phases = 2 * np.pi * t[:, None] / 4 * np.array([1, 1, 1, 2, 1, 2])
    q = np.array(START) + np.array([0.6, 0.4, 0.5, 0.6, 0.6, 0.6]) * np.sin(phases)
    with robot.view(q, t=t, tau=robot.gravity_forces(q)) as view, tempfile.TemporaryDirectory() as folder:
        view.save(path := Path(folder) / "ur5.html")
        return path.read_bytes()
