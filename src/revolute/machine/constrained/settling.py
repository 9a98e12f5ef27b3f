"""The nearest configuration that closes all loops with some positions fixed, for sliders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from revolute.machine.machine import Array

if TYPE_CHECKING:
    from revolute.machine.constrained.loops import ClosedLoops

__all__ = ["settled"]

CLOSED = 1e-9
"""Error below which a loop appears closed [m, rad]."""
LONGEST = 0.3
"""Maximum length of a Newton step: longer ones jump to other assembly modes."""
STEPS = 60


def settled(linkage: ClosedLoops, q: Array, held: Array) -> Array | None:
    """(nq,) a closed configuration near q with its positions at the indices `held`; None if none is found."""
    robot = linkage.robot
    free = np.ones(robot.nv, bool)
    for at, to in zip(robot.q_index, robot.v_index, strict=True):
        if set(range(at.start, at.stop)) & set(map(int, held)):
            free[to] = False
    for _ in range(STEPS):
        e = linkage.error(q)
        if np.abs(e).max(initial=0) <= CLOSED:
            return q
        step = np.zeros(robot.nv)
        step[free] = -np.linalg.pinv(linkage.jacobian(q)[:, free], rcond=1e-9) @ e
        q = robot.integrate(q, step * min(1.0, LONGEST / max(float(np.linalg.norm(step)), 1e-300)))
    return None
