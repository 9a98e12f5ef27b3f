"""Check that a link can move along chosen rows of its twist independently."""

from collections.abc import Sequence

import numpy as np

from revolute.dynamics.jacobian import jacobian
from revolute.dynamics.mobility import Task
from revolute.dynamics.singularity_damping import scales
from revolute.errors import InputError
from revolute.machine.robot import Robot
from revolute.machine.task_space import TWIST

POSITIONS = 8
"""Number of random positions to try: J has its maximum rank in almost all positions."""

ROUNDING = 1e-9
"""Singular values below this fraction of the largest one are zero."""


def require_independent(what: str, robot: Robot, frame: str, rows: Sequence[int]) -> None:
    """Raise `InputError` if these rows of (wx, wy, wz, vx, vy, vz) are dependent in every position."""
    S, T = (np.array(scale, dtype=float) for scale in scales(robot, frame, rows))
    task = Task(frame, "aligned", tuple(rows))
    positions = robot.random_configuration(POSITIONS, rng=0).tolist()
    Js = [np.array(task.of(jacobian(robot, q, frame, "aligned")), dtype=float) * T / S[:, None] for q in positions]
    rank, J = max(((_rank(J), J) for J in Js), key=lambda found: found[0])
    if rank == len(rows):
        return
    chosen: list[int] = []
    for k in range(len(rows)):
        if _rank(J[[*chosen, k]]) > len(chosen):
            chosen.append(k)
    advice = f"omit rows, such as with rows={tuple(rows[k] for k in chosen)}" if chosen else "no rows are left"
    raise InputError(
        f"{what}: link '{frame}' of robot '{robot.name}' moves along at most {rank} of the {len(rows)} rows "
        f"{', '.join(TWIST[row] for row in rows)} in every position; {advice}"
    )


def _rank(J: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(J, tol=ROUNDING * max(float(np.abs(J).max(initial=0.0)), 1e-300)))
