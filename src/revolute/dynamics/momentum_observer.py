"""One step of the generalized-momentum observer, over any scalar. De Luca & Mattone 2003; Haddadin et al. 2017."""

from __future__ import annotations

from revolute.spatial.scalar import Scalar, Scalars

__all__ = ["observed"]

Balance = tuple[Scalars, Scalars]
"""The momenta p, and beta in their time derivative, pd = tau + beta + tau_ext."""


def observed(after: Balance, before: Balance, tau: Scalars, decay: Scalars, h: Scalar, r: Scalars) -> list[Scalar]:
    """The residual r at the end of a step of length h, from the residual at its start.

    The momentum balance over the step yields the mean external force, with beta by the trapezoidal rule; for constant
    forces, the first-order filter r' = (w - r) / T has this exact solution:

        w = (p(t + h) - p(t)) / h - tau - (beta(t) + beta(t + h)) / 2
        r(t + h) = w + exp(-h / T) (r(t) - w)

    Args:
        after, before: p and beta at the end of the step and at its start.
        tau: (nv,) joint forces, constant during the step [N m, N].
        decay: (nv,) exp(-h / T).
        h: length of the step [s].
        r: (nv,) residual at the start [N m, N].
    """
    forces = []
    for p, beta, p0, beta0, applied, factor, residual in zip(*after, *before, tau, decay, r, strict=True):
        w = (p - p0) / h - applied - (beta + beta0) / 2
        forces.append(w + factor * (residual - w))
    return forces
