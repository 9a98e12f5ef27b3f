"""Ticks of placo for `bench.whole_body`: `PYTHON whole_body_peer.py URDF KIND BASE FEET TICKS JOINT=VALUE ...`."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np


def solver(robot: Any, kind: str, base: str, feet: list[str]) -> Any:
    """The tasks and contacts of the benchmark."""
    import placo  # type: ignore[import-not-found]

    found = placo.DynamicsSolver(robot)
    found.dt = 1e-3
    for foot in feet:
        T = robot.get_T_world_frame(foot)
        if kind == "planar":
            task = found.add_frame_task(foot, T)
            for part, name in ((task.position(), "p"), (task.orientation(), "o")):
                part.configure(name + foot, "hard")
            contact = found.add_planar_contact(task)
            contact.length, contact.width = 0.2, 0.12
        else:
            task = found.add_position_task(foot, T[:3, 3])
            task.configure(foot, "hard")
            contact = found.add_point_contact(task)
        contact.mu = 0.6
    found.add_com_task(robot.com_world()).configure("com", "soft", 10.0)
    posture = found.add_joints_task()
    posture.set_joints({name: robot.get_joint(name) for name in robot.joint_names()})
    posture.configure("posture", "soft", 0.1)
    found.add_orientation_task(base, np.eye(3)).configure("base", "soft", 10.0)
    found.enable_torque_limits(True)
    return found


def main(urdf: str, kind: str, base: str, feet: str, ticks: str, *places: str) -> None:
    """Print the median time of a tick, in microseconds."""
    import placo

    robot = placo.RobotWrapper(urdf)
    for place in places:
        name, value = place.split("=")
        robot.set_joint(name, float(value))
    robot.update_kinematics()
    own, times = solver(robot, kind, base, feet.split(",")), []
    for _ in range(int(ticks)):
        began = time.perf_counter()
        robot.update_kinematics()
        assert own.solve(False).success
        times.append(time.perf_counter() - began)
    print(1e6 * float(np.median(times)))


if __name__ == "__main__":
    main(*sys.argv[1:])
