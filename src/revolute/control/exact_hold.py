"""Discrete-time linear models, computed in place for allocation-free loops."""

from __future__ import annotations

import math

import numpy as np

__all__ = ["ExactHold"]

_DEGREE = 14
_REACH = 0.5  # Taylor's remainder is below 0.5^15 / 16! < 2e-18 there: below rounding


class ExactHold:
    """F and G of x[k+1] = F x[k] + G u[k] for x' = A x + B u with constant u, as `Robot.linearize` with `step`.

        F = exp(h A),    G = h phi(h A) B,    phi(X) = (exp(X) - 1) / X = 1 + X/2! + X^2/3! + ...

    phi is computed by its Taylor series at X / 2^s, then doubled s times: phi(2 X) = phi(X) (exp(X) + 1) / 2.

    Attributes:
        A, B: (..., n, n), (..., n, m); set them before a call.
        F, G: the results of the latest call.
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
        for k in range(_DEGREE + 1, 1, -1):  # Horner: phi = 1 + X/2 (1 + X/3 (1 + ...
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
