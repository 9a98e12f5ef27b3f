"""The wrenches that joints transmit, by the Newton-Euler recursion, over any scalar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from revolute.dynamics.newton_euler import outward
from revolute.model.model import Model
from revolute.spatial import Force
from revolute.spatial.scalar import Scalar

__all__ = ["joint_wrenches"]


def joint_wrenches(
    model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar],
    wrenches: Mapping[str, Sequence[Scalar]] | None = None, base_twist: Sequence[Scalar] = (0, 0, 0, 0, 0, 0),
    base_acceleration: Sequence[Scalar] = (0, 0, 0, 0, 0, 0),
) -> list[Force]:
    """The wrench F_i on every body from its parent, and F_0 on the base from the ground. LP 9.56; BP Alg. 5.7 step 3.

        F_i = F_i^own + sum_c X_c F_c,    tau_i = A_i^T F_i

    over the children c of body i: its own part is what its acceleration takes beyond gravity and `wrenches`. Moving
    inertia from a body to its parent, as `reduced` does, changes F_i though not tau_i; so the model must be as it is.

    Args:
        model: kinematic tree, its inertias not regrouped.
        q, qd, qdd: positions, velocities, accelerations: see `newton_euler`.
        wrenches, base_twist, base_acceleration: see `newton_euler`.

    Returns:
        F_0 ... F_n: moments about the frame's origin, then forces, along the axes of each body's own frame.
    """
    X, F = outward(model, q, qd, qdd, wrenches, base_twist, base_acceleration)
    for i in range(len(model.bodies) - 1, 0, -1):
        F[model.bodies[i].parent] += X[i] @ F[i]
    return F
