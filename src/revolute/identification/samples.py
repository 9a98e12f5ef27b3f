"""Samples of a motion and of the measured forces: the input of every estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError, ShapeError, extra

Array = NDArray[Any]
LARGEST = 1e100  # maximum magnitude of a number in a log; the sum of squares of larger numbers overflows to infinity

SMALLEST = 1e-100
"""Change of a force, or noise, that counts as zero, because the reciprocal of its square overflows to infinity."""


@dataclass(frozen=True, eq=False)
class Samples:
    """One motion and its measured forces at successive times, in the coordinates of the robot that moved.

    Attributes:
        t: (T,) increasing times [s].
        q: (T, nq) positions [rad, m].
        qd, qdd: (T, nv) velocities and accelerations.
        tau: (T, nv) forces of the coordinates [N m, N]; NaN where none was measured, as at a floating base.

    Example:
        >>> from revolute.identification import Samples
        >>> t, zero = np.arange(3) / 100, np.zeros((3, 2))
        >>> Samples(t, zero, zero, zero, zero)
        <Samples: 3 instants, t from 0 to 0.02 s, 2 forces>
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array

    def __post_init__(self) -> None:
        for name in ("t", "q", "qd", "qdd", "tau"):
            value = np.asarray(getattr(self, name), dtype=float)
            dims = 1 if name == "t" else 2
            if value.ndim != dims or len(value) != len(np.asarray(self.t)):
                raise ShapeError(f"Samples: {name} of shape {value.shape} does not fit {len(np.asarray(self.t))} times")
            require_numbers(f"Samples: {name}", value, missing=name == "tau")
            object.__setattr__(self, name, value)
        if not self.qd.shape == self.qdd.shape == self.tau.shape:
            raise ShapeError(
                f"Samples: qd, qdd and tau must have one shape, not {self.qd.shape}, {self.qdd.shape}, {self.tau.shape}"
            )

    def __repr__(self) -> str:
        span = f", t from {self.t[0]:.6g} to {self.t[-1]:.6g} s" if len(self.t) else ""
        return f"<Samples: {len(self.t)} instants{span}, {self.tau.shape[1]} forces>"

    def __len__(self) -> int:
        return len(self.t)

    @property
    def measured(self) -> Array:
        """Indices of the forces that are measured at all times and are not constant."""
        whole = np.flatnonzero(np.isfinite(self.tau).all(axis=0))
        return whole[np.ptp(self.tau[:, whole], axis=0) > SMALLEST] if len(self) else whole[:0]

    @staticmethod
    def joined(parts: Sequence[Samples]) -> Samples:
        """Concatenate consecutive parts of one log."""
        return Samples(*(np.concatenate([getattr(x, name) for x in parts]) for name in ("t", "q", "qd", "qdd", "tau")))

    def __getitem__(self, rows: slice | Array | Sequence[int]) -> Samples:
        return Samples(*(getattr(self, name)[rows] for name in ("t", "q", "qd", "qdd", "tau")))


def require_numbers(what: str, value: Array, missing: bool) -> None:
    """Raise `InputError` for numbers that are not finite or exceed `LARGEST`; with `missing`, NaN is allowed."""
    squares = np.vdot(value, value)  # usually, a single pass suffices
    if squares < LARGEST**2:
        return
    wrong = np.isinf(value) if missing else ~np.isfinite(value)
    if wrong.any():
        raise InputError(f"{what} is not finite in row {int(np.argwhere(wrong)[0][0])}")
    largest = np.nanmax(np.abs(value), initial=0)
    if largest > LARGEST:
        raise InputError(f"{what} reaches {largest:.3g}, more than 1e100: check its units")


def scipy() -> ModuleType:
    """The package SciPy, which imports its submodules on first use. Raise `MissingExtraError` if it is missing."""
    with extra("identification needs SciPy", "identify"):
        import scipy

        package: ModuleType = scipy
    return package


def lapack() -> ModuleType:
    """SciPy's functions of LAPACK; the attribute of `scipy().linalg` is missing after an interrupted import."""
    scipy()
    from scipy.linalg import lapack

    module: ModuleType = lapack
    return module
