"""The unscented Kalman filter of a robot's state. Julier & Uhlmann 1997; Arasaratnam & Haykin 2009."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, number
from revolute.control.kalman import METHOD, KalmanFilter
from revolute.errors import InputError
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

PASSES = 3  # number of iterations of the mean on the Lie group; convergence is quadratic


class UnscentedKalmanFilter(KalmanFilter):
    """Estimates the state (q, qd) from encoders by sigma points, without derivatives.

    The error x and the torque noise are n = 3 nv numbers with covariance diag(P, Sigma). Along each column c of its
    Cholesky factor lie two points, x = +-sqrt(n + kappa) c, in the tangent space of the estimate. With kappa > 0, the
    estimate is a further point, with weight kappa / (n + kappa). One call of the compiled step propagates all points
    of all rows. Their mean, on the configuration group, and their covariance are the new q, qd and P: accurate to
    second order in x. Weights are positive, so P stays positive definite. kappa = 0 yields the cubature filter.

    For arguments, attributes, `step` and an example, see `KalmanFilter`. A step allocates no arrays, unless the robot
    has quaternions, or continuous joints and `wrap`.
    """

    def __init__(
        self, robot: Robot | DrivenRobot, dt: float, q: ArrayLike, qd: ArrayLike, covariance: ArrayLike, *,
        torque_noise: ArrayLike, encoder_noise: ArrayLike, measured: Sequence[str] | None = None, kappa: float = 0.0,
        wrap: bool = False,
    ) -> None:
        """Initialize with an estimate or a batch of estimates: see `KalmanFilter`.

        Args:
            robot, dt, q, qd, covariance, torque_noise, encoder_noise, measured, wrap: see `KalmanFilter`.
            kappa: weight of the estimate among the sigma points, zero or more.

        Raises:
            InputError, ShapeError, UnknownNameError: see `KalmanFilter`; or kappa is negative.
        """
        self.kappa = number("UnscentedKalmanFilter: kappa", kappa)
        if not 0 <= self.kappa < math.inf:
            raise InputError(f"UnscentedKalmanFilter: kappa must not be negative, but it is {kappa!r}")
        super().__init__(
            robot, dt, q, qd, covariance, torque_noise=torque_noise, encoder_noise=encoder_noise, measured=measured,
            wrap=wrap,
        )

    def _allocate(self, q: Array, qd: Array, covariance: Array) -> None:
        super()._allocate(q, qd, covariance)
        batch, nv = qd.shape[:-1], self.robot.nv
        n = 3 * nv
        points = 2 * n + 1
        self._stepper = self.robot.stepper(self.dt, METHOD)
        self._reach = math.sqrt(n + self.kappa)
        self._weights = np.full(points, 0.5 / (n + self.kappa))
        self._weights[0] = self.kappa / (n + self.kappa)
        self._roots = np.sqrt(self._weights)[:, None]
        self._factor = np.zeros((*batch, 2 * nv, 2 * nv))
        self._squares, self._pivot = np.zeros((*batch, 2 * nv)), np.zeros(batch)
        values, vectors = np.linalg.eigh(self._torque_noise)
        noise = self._reach * (vectors * np.sqrt(np.maximum(values, 0))).T
        self._noise = np.zeros((points, nv))  # sigma points of the noise come last, and are constant
        self._noise[1 + 4 * nv : 1 + 5 * nv], self._noise[1 + 5 * nv :] = noise, -noise
        self._points = tuple(np.zeros((*batch, points, k)) for k in (self.robot.nq, nv, nv))
        self._errors = np.zeros((*batch, points, 2 * nv))
        self._mean = np.zeros((*batch, nv))

    def predict(self, tau: ArrayLike) -> tuple[Array, Array]:
        """Propagate the estimate by one step under joint forces: see `KalmanFilter.predict`.

        Raises:
            InputError: the covariance is no longer positive definite: a number is not finite, or `encoder_noise` is
                below the rounding errors of the covariance.
        """
        nv, (q, qd, forces), x = self.robot.nv, self._points, self._errors
        held = self._array("tau", tau, nv)
        self._factorize()
        columns = self._factor.swapaxes(-1, -2)  # the rows of `columns` are columns of the factor
        x[...] = 0.0
        np.multiply(columns, self._reach, out=x[..., 1 : 1 + 2 * nv, :])
        np.multiply(columns, -self._reach, out=x[..., 1 + 2 * nv : 1 + 4 * nv, :])
        q[...] = self.q[..., None, :]
        self._move(q, x[..., :nv])
        np.add(self.qd[..., None, :], x[..., nv:], out=qd)
        np.add(held[..., None, :], self._noise, out=forces)
        self._stepper.step(q, qd, forces)
        self._average(q, qd)
        x *= self._roots
        np.matmul(x.swapaxes(-1, -2), x, out=self.covariance)
        return self.q, self.qd

    def _average(self, q: Array, qd: Array) -> None:
        """Set the estimate to the mean of the propagated points, and compute their deviations from it."""
        nv, x = self.robot.nv, self._errors
        self.q[...] = q[..., 0, :]
        for _ in range(1 if self._flat else PASSES):
            self._deviations(q)
            np.matmul(self._weights, x[..., :nv], out=self._mean)
            self._move(self.q, self._mean)
        self._deviations(q)
        np.matmul(self._weights, qd, out=self.qd)
        np.subtract(qd, self.qd[..., None, :], out=x[..., nv:])

    def _deviations(self, q: Array) -> None:
        x = self._errors[..., : self.robot.nv]
        if self._flat:
            np.subtract(q, self.q[..., None, :], out=x)
        else:
            x[...] = self.robot.difference(self.q[..., None, :], q)

    def _factorize(self) -> None:
        """Factorize P = L L^T column by column, in place, because NumPy's function allocates memory."""
        P, L, s = self.covariance, self._factor, self._squares
        for k in range(P.shape[-1]):
            np.matmul(L[..., k:, :k], L[..., k, :k, None], out=s[..., k:, None])
            np.subtract(P[..., k:, k], s[..., k:], out=s[..., k:])
            np.copyto(self._pivot, s[..., k])
            if not self._pivot.min(initial=math.inf) > 0:
                raise InputError(
                    "UnscentedKalmanFilter: the covariance is no longer positive definite; look for numbers that are "
                    "not finite, and for encoder_noise that is too small"
                )
            np.sqrt(self._pivot, out=self._pivot)
            np.divide(s[..., k:], self._pivot[..., None], out=L[..., k:, k])
