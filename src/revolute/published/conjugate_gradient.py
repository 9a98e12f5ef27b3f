"""Walker and Orin's forward dynamics by conjugate gradients."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.augmented_links import augmented_links
from revolute.published.matrices import dot
from revolute.published.serial import serial
from revolute.published.unit_accelerations import accelerated
from revolute.spatial.scalar import Scalar

__all__ = ["conjugate_gradient"]

_TINY = 1e-300
"""Makes 0 / 0 zero when the residual is zero."""


def conjugate_gradient(
    model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar], iterations: int | None = None
) -> list[Scalar]:
    """D qdd = tau - b, by matrix-vector products instead of D. BP section 6.2; method 4 of Walker & Orin 1982.

    A product is one inverse-dynamics evaluation at rest without gravity. In exact arithmetic n iterations suffice; with
    rounding, arms with a dozen joints need about 3n.

    Args:
        iterations: number of iterations; 3n by default.
    """
    arm = serial(model, "conjugate_gradient")
    n = arm.n
    b = augmented_links(model, q, qd, (0,) * n)
    x: list[Scalar] = [0] * n
    r = [t - y for t, y in zip(tau, b, strict=True)]
    p, rr = r, dot(r, r)
    for _ in range(3 * n if iterations is None else iterations):
        Dp = accelerated(arm, q, p)
        alpha = rr / (dot(p, Dp) + _TINY)
        x = [y + z * alpha for y, z in zip(x, p, strict=True)]
        r = [y - z * alpha for y, z in zip(r, Dp, strict=True)]
        before, rr = rr, dot(r, r)
        p = [y + z * (rr / (before + _TINY)) for y, z in zip(r, p, strict=True)]
    return x
