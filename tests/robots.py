"""Robots to test with: random trees, the URDF files of example-robot-data, and Pinocchio's order of joints."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

import revolute
from revolute import Robot
from revolute.library.random_tree import TYPES

FILES: dict[str, Path] = {
    f"{path.parts[-3]}/{path.stem}": Path(str(path.locate()))
    for path in sorted(distribution("example_robot_data").files or ())
    if path.suffix == ".urdf"
}

NO_ROBOT = {"ur_description/ur3": "it has no links"}
"""Files that neither Pinocchio nor Revolute can load, with the reason that Revolute gives."""


@st.composite
def trees(draw: st.DrawFn, most: int = 8, bases: tuple[str, ...] = ("fixed", "free")) -> Robot:
    """Random trees of revolute and prismatic joints about any axis; half of them, smaller, with all joint types."""
    types = draw(st.sampled_from([(), tuple(TYPES)])) if "free" in bases else ()
    n = draw(st.integers(1, max(most // 3, 1) if types else most))
    return revolute.robots.random_tree(
        n, seed=draw(st.integers(0, 10_000)), base=draw(st.sampled_from(bases)), types=types
    )


def random_states(robot: Robot, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """n states (q, qd, qdd) in and beyond the limits; quaternions have length one."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (n, robot.nq))
    for body, at in zip(robot.bodies, robot.q_index, strict=True):
        if body.joint.quaternion_at is not None:
            quaternion = q[:, at][:, body.joint.quaternion_at :]
            quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
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
