"""Base parameters: the combinations of inertial parameters that joint forces depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from revolute.arguments import number, random_generator
from revolute.errors import InputError
from revolute.machine.driven import DrivenRobot
from revolute.machine.machine import Array
from revolute.machine.robot import Robot
from revolute.model.configurations import random_configurations
from revolute.model.symbols import numeric


@dataclass(frozen=True)
class BaseParameters:
    """A minimal set of parameters that determines all joint forces: Y[..., columns] @ values = tau.

    Attributes:
        columns: (b,) columns of the regressor that span all others.
        matrix: (b, 10 n) maps the parameters of the regressor to base parameters; its `columns` are the identity.
        values: (b,) base parameters of the robot.
        names: each base parameter as a weighted sum of symbols of `parameter_names`.
    """

    columns: Array
    matrix: Array
    values: Array
    names: tuple[str, ...]


def base_parameters(
    robot: Robot | DrivenRobot, tolerance: float, rng: np.random.Generator | int | None
) -> BaseParameters:
    """See `Robot.base_parameters`. Gautier 1991, by a numerical QR decomposition."""
    if not 0 < number("tolerance", tolerance) < 1:
        raise InputError(f"tolerance must be between 0 and 1, not {tolerance}")
    generator = random_generator("base_parameters", rng)
    if isinstance(robot, DrivenRobot):
        own = robot.parameters
    else:
        robot = numeric(robot, "base_parameters")
        own = robot.inertial_parameters.ravel()
    columns, matrix = regrouped(_rows(robot, len(own), generator), tolerance)
    symbols = [name.partition(":")[0] for name in robot.parameter_names]
    return BaseParameters(columns, matrix, matrix @ own, sums(matrix, columns, symbols))


def regrouped(Y: Array, tolerance: float) -> tuple[Array, Array]:
    """Indices of columns that span all others, and the matrix with Y = Y[:, columns] @ matrix. Gautier 1991.

    Each of these columns is independent of the previous ones. A large diagonal entry of R proves this: the part of the
    column outside their span is at least as long. If the entry is small, the residual of a projection decides.
    """
    R = np.asarray(np.linalg.qr(Y, mode="r"))  # R has the column lengths and angles of the matrix, but fewer rows
    threshold = tolerance * np.linalg.norm(R, axis=0).max(initial=0)
    chosen = np.zeros(R.shape[1], dtype=bool)
    chosen[: len(R)] = np.abs(np.diag(R)) > threshold
    while True:
        columns = np.flatnonzero(chosen)
        Q, T = np.linalg.qr(R[:, columns])
        shares = Q.T @ R
        added = ~chosen & (np.linalg.norm(R - Q @ shares, axis=0) > threshold)
        if not added.any():
            break
        chosen[np.argmax(added)] = True
    matrix = np.linalg.solve(T, shares)
    matrix[np.abs(matrix) < tolerance] = 0
    matrix[:, columns] = np.eye(len(columns))
    return columns, matrix


def sums(matrix: Array, columns: Array, symbols: Sequence[str]) -> tuple[str, ...]:
    """Each row of `matrix` as a sum of symbols, beginning with the symbol of the row's entry in `columns`."""
    texts = [symbols[int(k)] for k in columns]
    rows, places = np.nonzero(matrix)
    for row, k, factor in zip(rows.tolist(), places.tolist(), matrix[rows, places].tolist(), strict=True):
        if k != columns[row]:
            size = "" if abs(abs(factor) - 1) < 1e-9 else f"{abs(factor):.6g} "
            texts[row] += f" {'-' if factor < 0 else '+'} {size}{symbols[k]}"
    return tuple(texts)


def anywhere(space: Robot, count: int, rng: np.random.Generator) -> Array:
    """(count, nq) random positions that ignore joint limits, to excite as many parameters as possible."""
    ends = np.full(space.nq, np.inf)
    return random_configurations("base_parameters", space, -ends, ends, count, rng)


def _rows(robot: Robot | DrivenRobot, width: int, rng: np.random.Generator) -> Array:
    """Rows of the regressor at random states, at least twice as many as columns."""
    space = robot.space if isinstance(robot, DrivenRobot) else robot
    samples = 2 * width // max(robot.nv, 1) + 10
    q = anywhere(space, samples, rng)
    qd, qdd = rng.standard_normal((2, samples, robot.nv))
    entries = robot._signature("regressor", {}).body(list(q.T), list(qd.T), list(qdd.T))  # NumPy evaluates this code
    Y = np.array([np.broadcast_to(x, samples) for x in entries]).reshape(robot.nv, width, samples)
    return Y.transpose(0, 2, 1).reshape(robot.nv * samples, width)
