"""The figure of the guide on differential inverse kinematics: a target out of reach, with and without damping."""

from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

import revolute
from revolute.control import DifferentialIK, PoseTask, PostureTask
from revolute.plot.style import STYLE

HAND, DT, LONG = "panda_link8", 0.01, 4.0
DAMPING = 0.12  # the default


def motion(damping: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x of the target and of the hand, and the speeds of the joints, while the target leaves the workspace."""
    robot = revolute.robots.panda()
    home = np.array([0, -0.785, 0, -2.356, 0, 1.571, 0.785])
    start = robot.forward_kinematics(home, HAND)
    ik = DifferentialIK(robot, [PoseTask(HAND), PostureTask(weight=1e-4, gain=1.0)], damping=damping)
    path = np.tile(start, (round(LONG / DT), 1, 1))
    path[:, 0, 3] += 0.6 * np.sin(np.pi * np.linspace(0, 1, len(path))) ** 2
    q, v = ik.solve(home, DT, {f"pose of {HAND}": path, "posture": np.tile(home, (len(path), 1))})
    return path[:, 0, 3], robot.forward_kinematics(q[1:], HAND)[:, 0, 3], v


def figure() -> Figure:
    """Position and speeds, without damping above, with damping below."""
    with rc_context(STYLE):
        drawn = Figure((8, 4.5), layout="constrained")
        axes: Any = drawn.subplots(2, 2, sharex=True, sharey="col")
        cases = {"without damping": 0.0, "with damping": DAMPING}
        for (place, speed), (label, damping) in zip(axes, cases.items(), strict=True):
            target, hand, v = motion(damping)
            t = np.arange(len(v)) * DT
            place.plot(t, target, "--", label="target")
            place.plot(t, hand, label="hand")
            place.set(ylabel="x [m]", title=label)
            speed.plot(t, v)
            speed.set(ylabel="speeds [rad/s]", title=label)
        axes[0, 0].legend()
        for one in axes[1]:
            one.set_xlabel("t [s]")
        return drawn
