"""Robots with all kinds of drives, to test with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import revolute
from revolute import Drive, DrivenRobot, Mimic, Robot
from revolute.library.random_tree import TYPES


def drives_of(robot: Robot, seed: int, mimics: bool = True) -> dict[str, Drive]:
    """All that a drive may have, at every joint; every third joint of one coordinate mimics the first."""
    rng = np.random.default_rng(seed)
    single = [body.joint_name for body in robot.bodies if body.joint.nv == 1]
    found = {}
    for body in robot.bodies[1:]:
        n, one = body.joint.nv, body.joint.nv == 1
        columns = [tuple(rng.uniform(0.1, 1.0, n).tolist()) for _ in range(9)]
        drive = Drive(
            columns[0], columns[1], None, columns[2], tuple(50 * x for x in columns[3]),
            tuple(1e-3 * x for x in columns[4]), columns[5] if one else (), columns[6] if one else (), *columns[7:],
        )  # fmt: skip
        if mimics and body.joint_name in single[3::3]:
            drive = replace(drive, mimic=Mimic(single[0], float(rng.uniform(-2, 2)), float(rng.uniform(-1, 1))))
        found[body.joint_name] = drive
    return found


def tree(seed: int) -> Robot:
    """Fixed and floating, of hinges and sliders or of all joint types, in turn."""
    types, base = (tuple(TYPES), ())[seed % 2], ("fixed", "free")[seed // 2 % 2]
    return revolute.robots.random_tree(5, seed=seed, base=base, types=types)


def made(seed: int, **options: Any) -> DrivenRobot:
    robot = tree(seed)
    return robot.with_drives(drives_of(robot, seed), **{"rotors": seed % 2 == 1, "smoothing": 0.3, **options})
