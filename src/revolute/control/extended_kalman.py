"""The extended Kalman filter of a robot's state. Kalman 1960; Bar-Shalom, Li & Kirubarajan 2001, 10.3."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array
from revolute.control.exact_hold import ExactHold
from revolute.control.kalman import METHOD, KalmanFilter

__all__ = ["ExtendedKalmanFilter"]


class ExtendedKalmanFilter(KalmanFilter):
    """Estimates the state (q, qd) from encoders, by the linear model about the estimate.

        q, qd <- one step of the robot under tau,    P <- F P F^T + G Sigma G^T

    F and G are those of `linearize` at the midpoint of the step, with constant forces: the matrix exponential. (At the
    start of the step, A would have an error of first order in dt.) Sigma is the covariance of the torque noise.
    Second-order terms of the error are neglected; if it may be large, use an `UnscentedKalmanFilter`.

    Arguments, attributes, `step` and an example are those of both filters: see `KalmanFilter`. A step allocates no
    arrays, unless the robot has quaternions, or continuous joints and `wrap`.
    """

    def _allocate(self, q: Array, qd: Array, covariance: Array) -> None:
        super()._allocate(q, qd, covariance)
        batch, nv = qd.shape[:-1], self.robot.nv
        self._hold = ExactHold(batch, 2 * nv, nv, self.dt)
        self._noisy = np.zeros((*batch, 2 * nv, nv))
        self._linearize = self.robot.kernel("linearize")
        self._half = self.robot.stepper(self.dt / 2, METHOD)

    def predict(self, tau: ArrayLike) -> tuple[Array, Array]:
        """Propagate the estimate by one step under joint forces: see `KalmanFilter.predict`."""
        hold, P, spare = self._hold, self.covariance, self._matrix
        tau = self._array("tau", tau, self.robot.nv)
        self._half.step(self.q, self.qd, tau)
        self._linearize(self.q, self.qd, tau, out=(hold.A, hold.B))
        self._half.step(self.q, self.qd, tau)
        hold()
        F, G = hold.F, hold.G
        np.matmul(F, P, out=spare)
        np.matmul(spare, F.swapaxes(-1, -2), out=P)
        np.matmul(G, self._torque_noise, out=self._noisy)
        np.matmul(self._noisy, G.swapaxes(-1, -2), out=spare)
        P += spare
        np.copyto(spare, P.swapaxes(-1, -2))  # rounding makes it asymmetric
        P += spare
        P *= 0.5
        return self.q, self.qd
