"""Bounds of the mass matrix over a robot's configurations, by search and by proof."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from revolute.errors import InputError
from revolute.machine.machine import Array
from revolute.machine.proved_bounds import ceiling, floor, reach
from revolute.machine.robot import Robot

__all__ = ["InertiaBounds", "inertia_bounds"]

_STARTS = 8
_STEPS = 60


@dataclass(frozen=True, eq=False)
class InertiaBounds:
    """Bounds of the eigenvalues of M: lambda_m 1 <= M(q) <= lambda_M 1.

    `lowest` and `highest` are eigenvalues that M has, at `q_lowest` and `q_highest`: found by sampling and improved
    step by step, so lambda_m <= lowest and highest <= lambda_M, without proof that they are equal. `floor` and
    `ceiling` are proved, up to rounding: floor <= lambda_m and lambda_M <= ceiling.

    Attributes:
        lowest, highest: smallest and largest eigenvalues found.
        q_lowest, q_highest: (nq,) configurations of these.
        floor: proved lower bound of all eigenvalues, also beyond limits if all joints turn or slide; 0 where none is
            found, as with massless links; -inf where a link has a negative mass or principal moment.
        ceiling: proved upper bound of all eigenvalues; inf if a prismatic joint has no limits.
        samples: number of random configurations.
    """

    lowest: float
    highest: float
    q_lowest: Array
    q_highest: Array
    floor: float
    ceiling: float
    samples: int


def inertia_bounds(robot: Robot, samples: int, rng: np.random.Generator | int | None) -> InertiaBounds:
    """See `Robot.inertia_bounds`."""
    if isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or samples < 1:
        raise InputError(f"inertia_bounds: samples must be a positive number, not {samples!r}")
    if robot.nv == 0:
        raise InputError(f"inertia_bounds: robot '{robot.name}' has no moving joint, so no mass matrix to bound")
    q = robot.random_configuration(int(samples), rng=rng)
    eigenvalues = np.linalg.eigvalsh(robot.mass_matrix(q))
    low = _search(robot, q[np.argsort(eigenvalues[:, 0])[:_STARTS]], -1)
    high = _search(robot, q[np.argsort(-eigenvalues[:, -1])[:_STARTS]], 1)
    return InertiaBounds(low[0], high[0], low[1], high[1], floor(robot), ceiling(robot), int(samples))


def _search(robot: Robot, q: Array, sign: int) -> tuple[float, Array]:
    """Climb (or descend) along the gradient v^T dM/dq v of an eigenvalue, from several configurations.

    Steps without improvement are undone and halved. Joints stay within their limits; prismatic joints without limits,
    and joints with several coordinates, do not move.
    """
    movable = [
        (at.start, rate.start)
        for k, (body, at, rate) in enumerate(zip(robot.bodies, robot.q_index, robot.v_index, strict=True))
        if body.joint.nv == 1 and math.isfinite(reach(robot, k))
    ]
    places, rates = ([pair[k] for pair in movable] for k in (0, 1))
    value, gradient = _eigenvalue(robot, q, sign)
    step = np.full((len(q), 1), 0.3)
    for _ in range(_STEPS):
        direction = sign * gradient[:, rates]
        size = np.abs(direction).max(axis=-1, initial=0, keepdims=True)
        trial = q.copy()
        trial[:, places] += step * np.divide(direction, size, out=np.zeros_like(direction), where=size > 0)
        trial = np.clip(trial, robot.lower_limits, robot.upper_limits)
        trial_value, trial_gradient = _eigenvalue(robot, trial, sign)
        better = sign * (trial_value - value) > 0
        q = np.where(better[:, None], trial, q)
        gradient = np.where(better[:, None], trial_gradient, gradient)
        value = np.where(better, trial_value, value)
        step = np.where(better[:, None], np.minimum(step * 1.5, 1.0), step / 2)
    best = int(np.argmax(sign * value))
    return float(value[best]), q[best]


def _eigenvalue(robot: Robot, q: Array, sign: int) -> tuple[Array, Array]:
    """The largest (or smallest) eigenvalue of M and its derivatives along the velocities."""
    values, vectors = np.linalg.eigh(robot.mass_matrix(q))
    v = vectors[..., -1 if sign > 0 else 0]
    gradient: Array = np.einsum("bi,bijk,bj->bk", v, robot.mass_matrix_partials(q), v)
    return values[..., -1 if sign > 0 else 0], gradient
