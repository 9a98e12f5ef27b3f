"""Results of the dynamics of constrained robots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

__all__ = ["Constrained", "Driven", "ReducedDynamics"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Constrained:
    """Accelerations of a constrained robot.

    Attributes:
        qdd: (..., nv) joint accelerations.
        forces: (..., m) a multiplier for each row of the constraints: the force [N] on link a
            along the base's axes (link b has the opposite), moments [N m] for turns. Redundant
            rows share a force, with shares of least length.
        rank: (...) number of independent rows.
    """

    qdd: Array
    forces: Array
    rank: Array


@dataclass(frozen=True, eq=False)
class Driven:
    """Joint forces of a constrained robot.

    Attributes:
        tau: (..., nv) joint forces [N m, N], zero without a motor.
        forces: (..., m) multipliers of the constraints: see `Constrained`.
        rank: (...) number of independent rows.
    """

    tau: Array
    forces: Array
    rank: Array


@dataclass(frozen=True, eq=False)
class ReducedDynamics:
    """The equations of motion in independent coordinates y: M ydd + bias = T^T tau.

    Attributes:
        M: (..., k, k) mass matrix.
        bias: (..., k) forces of velocities and gravity.
        T: (..., nv, k) with qd = T yd.
        drift: (..., nv) with qdd = T ydd + drift.
        independent: indices of the k coordinates in qd.
    """

    M: Array
    bias: Array
    T: Array
    drift: Array
    independent: tuple[int, ...]
