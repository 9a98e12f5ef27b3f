"""Convert motor positions, torques and currents to joint positions and forces. SHV ex. 6.1; Gautier 1990."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.errors import InputError, ShapeError
from revolute.identification.samples import Array

ROUNDING = 1e-14  # entry of an inverse matrix, relative to the largest entry, below which an entry counts as zero


@dataclass(frozen=True, eq=False)
class MotorSide:
    """Transmission from motors to joints, for logs of motor data: q_motor = R (q - offset), tau = R^T tau_motor.

    If power is the same on both sides, the torques follow from the ratios; otherwise `torque` replaces R^T.

    Attributes:
        ratios: (n,) motor turns per joint turn, signed, or (n, n) matrix R of coupled joints.
        offset: (n,) positions of the joints at which the motor positions are 0 [rad, m].
        gains: (n,) torque constants of the motors [N m/A]; "unknown": estimate them, and compute forces with gains of
            1; None: the log contains torques.
        torque: (n, n) matrix G of tau = G tau_motor, or (n,) its diagonal.

    Example:
        >>> from revolute.identification import MotorSide
        >>> wrist = MotorSide([[45, 0], [32, 32]])
        >>> wrist.positions([[45.0, 64.0]]), wrist.forces([[1.0, 2.0]])
        (array([[1., 1.]]), array([[109.,  64.]]))
    """

    ratios: Any = 1.0
    offset: Any = 0.0
    gains: Any = None
    torque: Any = None

    def __post_init__(self) -> None:
        for name, most in (("ratios", 2), ("offset", 1), ("gains", 1), ("torque", 2)):
            value = getattr(self, name)
            if value is not None and not (name == "gains" and self.unknown_gains):
                object.__setattr__(self, name, self._finite(name, value, most))
        if self.ratios.ndim == 2 and np.linalg.matrix_rank(self.ratios) < len(self.ratios):
            raise InputError("MotorSide: the matrix of ratios is singular: some joint would not be actuated")
        if self.ratios.ndim < 2 and not self.ratios.all():
            raise InputError("MotorSide: a ratio is 0: that joint would not be actuated")

    @property
    def unknown_gains(self) -> bool:
        """Whether gains must be estimated."""
        return isinstance(self.gains, str) and self.gains == "unknown"

    def positions(self, q_motor: ArrayLike) -> Array:
        """(..., n) joint positions from motor positions."""
        return np.asarray(self.rates(q_motor) + self.offset)

    def rates(self, qd_motor: ArrayLike) -> Array:
        """(..., n) joint velocities, or accelerations, from those of motors."""
        x = np.asarray(qd_motor, dtype=float)
        return np.asarray(x / self.ratios) if self.ratios.ndim < 2 else _product(np.linalg.inv(self.ratios), x)

    def forces(self, tau_motor: ArrayLike) -> Array:
        """(..., n) joint forces from motor torques, or from currents if there are gains."""
        x = np.asarray(tau_motor, dtype=float)
        x = x * self.gains if isinstance(self.gains, np.ndarray) else x
        if self.torque is not None:
            return _product(self.torque, x) if self.torque.ndim == 2 else np.asarray(x * self.torque)
        return np.asarray(x * self.ratios) if self.ratios.ndim < 2 else _product(self.ratios.T, x)

    def check(self, n: int) -> None:
        """Raise `ShapeError` unless the arrays are for `n` joints."""
        for name in ("ratios", "offset", "gains", "torque"):
            value = getattr(self, name)
            if isinstance(value, np.ndarray) and any(size != n for size in value.shape):
                raise ShapeError(f"MotorSide: {name} has shape {value.shape}, and the robot has {n} coordinates")

    def _finite(self, name: str, value: Any, most: int) -> Array:
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"MotorSide: {name} must be numbers, not {value!r}") from None
        if array.ndim > most or not np.isfinite(array).all():
            raise InputError(f"MotorSide: {name} must be a finite number, list or matrix, not {value!r}")
        return array


def _product(matrix: Array, x: Array) -> Array:
    """M x for each row x, with 0 NaN = 0: a result is NaN only if it depends on a missing number."""
    missing = np.isnan(x)
    if not missing.any():
        return np.asarray(x @ matrix.T)
    depends = np.abs(matrix) > ROUNDING * np.abs(matrix).max()
    product = np.where(missing, 0.0, x) @ matrix.T
    return np.where(missing @ depends.T, np.nan, product)
