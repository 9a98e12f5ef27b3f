"""Singular states of closed loops: the Jacobian of the closures loses rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from revolute.machine.constrained.constrained_robot import ConstrainedRobot

from revolute.machine.machine import Array

__all__ = ["singular_closures"]

NEAR = 1e-4
"""Singular values below this fraction of the largest count as lost: about the angle [rad] between links in line."""


def singular_closures(linkage: ConstrainedRobot, q: Array, regular: Array) -> str | None:
    """Message about the closures that are singular near q, with rows and joints; None if there are none.

    A state is singular if its Jacobian has fewer singular values well above zero than the best of the regular states.
    Its singular rows are those in the left singular vectors of the lost values, among combinations of rows that are
    independent in a regular state: permanently redundant rows are excluded.

    Args:
        linkage: the robot with its loops.
        q: (n, nq) states, of which the most singular one is used.
        regular: (..., nq) regular states for comparison.
    """
    J, J_regular = linkage.jacobian(q), linkage.jacobian(regular)
    J = J[np.isfinite(J).all(axis=(-2, -1))]
    rank = _rank(J_regular).max(initial=0)
    if not len(J) or _rank(J).min() == rank:
        return None
    J = J[np.argmin(_rank(J))]
    flat = J_regular.reshape(-1, *J_regular.shape[-2:])
    independent = np.linalg.svd(flat[np.argmax(_rank(flat))])[0][:, :rank]
    U, s, _ = np.linalg.svd(independent.T @ J)
    lost = np.abs(independent @ U[:, _rank(J) :]).max(axis=1) > 0.1
    sizes = [len(closure.row_names()) for closure in linkage.closures]
    loops = np.repeat([part.any() for part in np.split(lost, np.cumsum(sizes)[:-1])], sizes)
    moved = np.abs(J_regular[..., loops, :]).reshape(-1, linkage.robot.nv).max(axis=0) > NEAR * np.abs(J_regular).max()
    rows, joints = (
        ", ".join(f"'{name}'" for name, part in zip(names, flags, strict=True) if part)
        for names, flags in ((linkage.row_names, lost), (linkage.robot.coordinate_names, moved))
    )
    return (
        f"closures of '{linkage.robot.name}' are singular there, their Jacobian loses rank: {rows}, in the loops of "
        f"the joints {joints} (singular value {s[rank - 1] / s[0]:.1g} of the largest). "
        "Links are collinear, or joint axes coincide"
    )


def _rank(J: Array) -> Array:
    """(...) number of singular values well above zero."""
    s = np.linalg.svd(J, compute_uv=False)
    count: Array = (s > NEAR * s.max(axis=-1, keepdims=True, initial=0)).sum(axis=-1)
    return count
