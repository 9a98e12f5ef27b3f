"""Forward dynamics by conjugate gradients, as Walker and Orin have it."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.published.augmented_links import augmented_links
from revolute.published.matrices import dot
from revolute.published.serial import serial
from revolute.published.unit_accelerations import accelerated
from revolute.spatial.scalar import Scalar

__all__ = ["conjugate_gradient"]

_NEXT_TO_NOTHING = 1e-300
"""Makes 0 / 0 zero, once no residual is left."""


def conjugate_gradient(
    model: Model,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    tau: Sequence[Scalar],
    iterations: int | None = None,
) -> list[Scalar]:
    """D qdd = tau - b without D: only its product with a vector is taken. BP 6.2; method 4 of Walker & Orin 1982.

    A product is one inverse dynamics at rest without gravity. In exact arithmetic n iterations
    are enough; with rounding some 3n are, for arms of a dozen joints.

    Args:
        model: serial arm on a fixed base.
        q, qd, tau: (n,) positions, velocities, joint forces.
        iterations: how many; by default 3n.

    Returns:
        n joint accelerations [rad/s^2, m/s^2].
    """
    arm = serial(model, "conjugate_gradient")
    n = arm.n
    b = augmented_links(model, q, qd, (0,) * n)
    x: list[Scalar] = [0] * n
    r = [t - y for t, y in zip(tau, b, strict=True)]
    p, rr = r, dot(r, r)
    for _ in range(3 * n if iterations is None else iterations):
        Dp = accelerated(arm, q, p)
        alpha = rr / (dot(p, Dp) + _NEXT_TO_NOTHING)
        x = [y + z * alpha for y, z in zip(x, p, strict=True)]
        r = [y - z * alpha for y, z in zip(r, Dp, strict=True)]
        before, rr = rr, dot(r, r)
        p = [y + z * (rr / (before + _NEXT_TO_NOTHING)) for y, z in zip(r, p, strict=True)]
    return x
