"""Singular states of closed loops: those in which the Jacobian of the closures loses rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from revolute.machine.constrained.constrained_robot import ConstrainedRobot

__all__ = ["singular_closures"]

Array = NDArray[Any]

NEAR = 1e-4
"""Singular values below this part of the largest: links are about so near [rad] to standing in line."""


def singular_closures(linkage: ConstrainedRobot, q: Array, regular: Array) -> str | None:
    """The rows of closures that are singular near q, and the joints of their loops; None if none are.

    A state is singular where fewer singular values of the Jacobian are well above zero than in
    the best of the regular states. Its rows have a part in the left singular vectors of those
    that are lost, among the combinations of rows that are independent in a regular state: rows
    that are always redundant are left out.

    Args:
        linkage: the robot with its loops.
        q: (n, nq) states, of which the most singular is taken.
        regular: (..., nq) states to compare with.
    """
    J, usual = linkage.jacobian(q), linkage.jacobian(regular)
    J = J[np.isfinite(J).all(axis=(-2, -1))]
    rank = _rank(usual).max(initial=0)
    if not len(J) or _rank(J).min() == rank:
        return None
    J = J[np.argmin(_rank(J))]
    flat = usual.reshape(-1, *usual.shape[-2:])
    independent = np.linalg.svd(flat[np.argmax(_rank(flat))])[0][:, :rank]
    U, s, _ = np.linalg.svd(independent.T @ J)
    lost = np.abs(independent @ U[:, _rank(J) :]).max(axis=1) > 0.1
    sizes = [len(closure.row_names()) for closure in linkage.closures]
    loops = np.repeat([part.any() for part in np.split(lost, np.cumsum(sizes)[:-1])], sizes)
    moved = np.abs(usual[..., loops, :]).reshape(-1, linkage.robot.nv).max(axis=0) > NEAR * np.abs(usual).max()
    rows, joints = (
        ", ".join(f"'{name}'" for name, part in zip(names, parts, strict=True) if part)
        for names, parts in ((linkage.row_names, lost), (linkage.robot.coordinate_names, moved))
    )
    return (
        f"closures of '{linkage.robot.name}' are singular there: {rows}, in the loops of the joints {joints} "
        f"(singular value {s[rank - 1] / s[0]:.1g} of the largest). Links stand in line, or joint axes coincide"
    )


def _rank(J: Array) -> Array:
    """(...) singular values that are well above zero."""
    s = np.linalg.svd(J, compute_uv=False)
    count: Array = (s > NEAR * s.max(axis=-1, keepdims=True, initial=0)).sum(axis=-1)
    return count
