"""The linear space of Fourier trajectories."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from revolute.identification.samples import Array
from revolute.machine.driven import DrivenRobot
from revolute.trajectory import FourierTrajectory
from revolute.trajectory.fourier import waves

Basis = tuple[Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Curves:
    """The Fourier trajectories of a robot with a given duration and number of harmonics.

    A point x (nv, m) contains, for each joint, the centre of its motion and coordinates of its coefficients a_k, b_k.
    With `at_rest` these satisfy sum_k a_k = 0 and sum_k k b_k = 0, so each joint has two fewer coordinates.
    """

    robot: DrivenRobot  # the robot whose coordinates move
    duration: float  # of the period [s]
    harmonics: int  # number of harmonics, N
    at_rest: bool  # whether curves start and end at rest, without acceleration
    # reach, speeds: (nv,) units of centres [rad, m] and of coefficients [rad/s, m/s] in x
    reach: Array
    speeds: Array

    @cached_property
    def _parts(self) -> tuple[Array, Array]:
        """(N, k) orthonormal bases of the coefficients a_k and of the b_k."""
        N = self.harmonics
        if not self.at_rest:
            return np.eye(N), np.eye(N)
        return _normal_to(np.ones(N)), _normal_to(np.arange(1.0, N + 1))

    @cached_property
    def units(self) -> Array:
        """(nv, m) units of x."""
        count = sum(part.shape[1] for part in self._parts)
        return np.column_stack([self.reach, np.repeat(self.speeds[:, None], count, axis=1)])

    @property
    def largest(self) -> Array:
        """(nv m,) bounds of the magnitudes of x in a search; centres are unbounded."""
        most = np.full(self.shape, 2 * np.sqrt(self.harmonics))
        most[:, 0] = np.inf
        return most.ravel()

    @property
    def shape(self) -> tuple[int, ...]:
        """(nv, m), the shape of x."""
        return self.units.shape

    def basis(self, t: Array) -> Basis:
        """Three (T, m) matrices. Their products with a joint's row of x times `units` are q, qd and qdd at times t."""

        def columns(order: int) -> Array:
            parts = zip(waves(t, 2 * np.pi / self.duration, self.harmonics, order), self._parts, strict=True)
            return np.column_stack([np.full(len(t), float(order == -1)), *(x @ part for x, part in parts)])

        return columns(-1), columns(0), columns(1)

    def motion(self, x: Array, basis: Basis) -> tuple[Array, Array, Array]:
        """(T, nv) q, qd and qdd of the trajectory of a point x at (T,) times."""
        columns = (x.reshape(self.shape) * self.units).T
        return basis[0] @ columns, basis[1] @ columns, basis[2] @ columns

    def pulled(self, basis: Basis, slopes: tuple[Array, ...]) -> Array:
        """(nv m,) derivatives with respect to x of a scalar, from those with respect to q, qd and qdd (T, nv)."""
        total = sum(slope.T @ B for slope, B in zip(slopes, basis, strict=True))
        return np.asarray((total * self.units).ravel())

    def jacobian(self, basis: Basis, slopes: tuple[Array | None, ...]) -> Array:
        """(T, r, nv m) derivatives by x of r numbers at each time, from (T, r, nv) ones by q, qd, qdd; None for 0."""
        total: Any = sum(
            slope[..., None] * B[:, None, None] for slope, B in zip(slopes, basis, strict=True) if slope is not None
        )
        return np.asarray((total * self.units).reshape(*total.shape[:2], -1))

    def trajectory(self, x: Array) -> FourierTrajectory:
        """The Fourier trajectory of a point x."""
        columns = (x.reshape(self.shape) * self.units).T
        of_a, of_b = self._parts
        a, b = np.split(columns[1:], [of_a.shape[1]])
        return FourierTrajectory(self.robot, columns[0], of_a @ a, of_b @ b, self.duration)


def _normal_to(direction: Array) -> Array:
    """(N, N - 1) orthonormal columns perpendicular to a direction."""
    return np.asarray(np.linalg.svd(direction[None])[2][1:].T)
