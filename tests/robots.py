"""The URDF files that the package example-robot-data brings, and Pinocchio's order of joints."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np

from revolute import Robot

FILES: dict[str, Path] = {
    f"{path.parts[-3]}/{path.stem}": Path(str(path.locate()))
    for path in sorted(distribution("example_robot_data").files or ())
    if path.suffix == ".urdf"
}

NO_ROBOT = {"ur_description/ur3": "it has no links"}
"""Files that neither Pinocchio nor Revolute can load, with the reason that Revolute gives."""


def random_states(robot: Robot, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """n states (q, qd, qdd) in and beyond the limits; quaternions have length one."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (n, robot.nq))
    for body, at in zip(robot.bodies, robot.q_index, strict=True):
        if body.joint.nq == 7:
            q[:, at][:, 3:] /= np.linalg.norm(q[:, at][:, 3:], axis=1, keepdims=True)
    qd, qdd = rng.standard_normal((2, n, robot.nv))
    return q, qd, qdd


def to_pinocchio(robot: Robot, model: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions as Pinocchio wants them, and the order of velocities: v_pinocchio = v[..., order].

    Pinocchio sorts siblings by name, has (cos, sin) for continuous joints and (v, w) for
    free ones.
    """
    positions, order = np.zeros((len(q), model.nq)), np.zeros(model.nv, dtype=int)
    for i, body in enumerate(robot.bodies[1:], 1):
        theirs = model.joints[model.getJointId(body.joint_name)]
        ours, velocities = q[:, robot.q_index[i]], np.arange(robot.nv)[robot.v_index[i]]
        if theirs.nq == 2:
            ours = np.concatenate([np.cos(ours), np.sin(ours)], axis=1)
        if theirs.nv == 6:
            velocities = np.roll(velocities, 3)
        positions[:, theirs.idx_q : theirs.idx_q + theirs.nq] = ours
        order[theirs.idx_v : theirs.idx_v + theirs.nv] = velocities
    return positions, order
