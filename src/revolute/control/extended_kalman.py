"""The extended Kalman filter of a robot's state. Kalman 1960; Bar-Shalom, Li & Kirubarajan 2001, 10.3."""

import math

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array
from revolute.control.kalman import METHOD, KalmanFilter

_DEGREE = 14
_REACH = 0.5  # norm below which the Taylor remainder, at most 0.5^15 / 16! < 2e-18, is negligible


class ExactHold:
    """F and G of x[k+1] = F x[k] + G u[k], for x' = A x + B u with constant u, as in `Robot.linearize` with `step`.

        F = exp(h A),    G = h phi(h A) B,    phi(X) = (exp(X) - 1) / X = 1 + X/2! + X^2/3! + ...

    phi is computed by its Taylor series at X / 2^s, then at X by s uses of phi(2 X) = phi(X) (exp(X) + 1) / 2.

    Attributes:
        A, B: (..., n, n), (..., n, m) matrices of the continuous system; set them before a call.
        F, G: (..., n, n), (..., n, m) matrices of the discrete system, from the latest call.
    """

    def __init__(self, batch: tuple[int, ...], n: int, m: int, h: float) -> None:
        self.h = h
        self.A, self.F, self._X, self._phi, self._spare = (np.zeros((*batch, n, n)) for _ in range(5))
        self.B, self.G = np.zeros((*batch, n, m)), np.zeros((*batch, n, m))
        self._sums = np.zeros((*batch, n))
        self._diagonal = {id(x): np.einsum("...ii->...i", x) for x in (self.F, self._phi, self._spare)}

    def __call__(self) -> None:
        """Compute F and G from A and B."""
        phi, spare = self._phi, self._spare
        np.multiply(self.A, self.h, out=self._X)
        doublings = self._doublings()
        self._X *= 0.5**doublings
        phi[...] = 0.0
        self._diagonal[id(phi)][...] = 1.0
        for k in range(_DEGREE + 1, 1, -1):  # Horner's scheme: phi = 1 + X/2 (1 + X/3 (1 + ...
            np.matmul(self._X, phi, out=spare)
            spare *= 1 / k
            phi, spare = spare, phi
            self._diagonal[id(phi)][...] += 1.0
        F = self.F
        np.matmul(self._X, phi, out=F)
        self._diagonal[id(F)][...] += 1.0
        for _ in range(doublings):
            np.matmul(phi, F, out=spare)
            spare += phi
            spare *= 0.5
            phi, spare = spare, phi
            np.matmul(F, F, out=spare)
            F[...] = spare
        np.matmul(phi, self.B, out=self.G)
        self.G *= self.h

    def _doublings(self) -> int:
        """Number of halvings of h A for the series; the 1-norm is the maximum over all rows of the batch."""
        np.abs(self._X, out=self._spare)
        np.sum(self._spare, axis=-2, out=self._sums)
        norm = float(self._sums.max(initial=0.0))
        return max(math.ceil(math.log2(norm / _REACH)), 0) if _REACH < norm < math.inf else 0


class ExtendedKalmanFilter(KalmanFilter):
    """Estimates the state (q, qd) from encoders, with a linear model about the estimate.

        q, qd <- one step of the robot under tau,    P <- F P F^T + G Sigma G^T

    F and G are computed by `linearize` at the midpoint of the step, with constant forces and a matrix exponential.
    (With A at the start of the step, the error would be of first order in dt.) Sigma is the covariance of the torque
    noise. Second-order terms of the error x are neglected; if x may be large, use an `UnscentedKalmanFilter`.

    For arguments, attributes, `step` and an example, see `KalmanFilter`. A step allocates no arrays, unless the robot
    has quaternions, or continuous joints and `wrap`.
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
        np.copyto(spare, P.swapaxes(-1, -2))  # symmetrize P, which has rounding errors
        P += spare
        P *= 0.5
        return self.q, self.qd
