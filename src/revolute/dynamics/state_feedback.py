"""Joint forces by affine feedback of the state. LP 11.4; SHV (2006) 8.2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from revolute.spatial.scalar import Scalar, Scalars

__all__ = ["state_feedback"]

Rows = Sequence[Mapping[int, Scalar]]
"""A matrix by rows, {column: entry} without zero entries."""


def state_feedback(
    tau: Scalars, K_p: Rows, K_d: Rows, q: Scalars, q_ref: Scalars, qd: Scalars, qd_ref: Scalars
) -> list[Scalar]:
    """The forces tau - K_p (q - q_ref) - K_d (qd - qd_ref)."""
    forces = list(tau)
    for gains, x, reference in ((K_p, q, q_ref), (K_d, qd, qd_ref)):
        errors = [a - b for a, b in zip(x, reference, strict=True)]
        for k, row in enumerate(gains):
            for column, gain in row.items():
                forces[k] = forces[k] - gain * errors[column]
    return forces
