"""Partial derivatives of the mass matrix, over any scalar."""

from __future__ import annotations

from revolute.model.model import Model
from revolute.spatial import Force, Inertia, Motion, Transform
from revolute.spatial.scalar import Cube, Scalars
from revolute.spatial.vectors import IDENTITY, Matrix, cross, dot, tilde

__all__ = ["mass_matrix_partials"]


def mass_matrix_partials(model: Model, q: Scalars) -> Cube:
    """dM_ij/dq_k, the terms of the Christoffel symbols. GOA 24a; JIN 39-46.

    M_ij = S_i . I_j S_j, with I_j the inertia of the load of joint j, i on the path from j to the base. A rigid
    rotation of all these bodies changes nothing, so only two kinds of k contribute:

        k on the path from i to j, i excluded:  dM_ij/dq_k = S_i . (S_k x* I_j S_j)
        k further out than j:                   dM_ij/dq_k = S_i . (S_k x* I_k - I_k S_k x) S_j

    The second bracket is the time derivative of an inertia; its mass is zero.

    Returns:
        nested lists [i][j][k] of nv scalars; k is the index of a joint velocity.
    """
    n, nv = len(model.bodies), model.nv
    X = [Transform()] * n
    columns: list[list[tuple[int, Motion]]] = [[]]
    inertia = [body.inertia for body in model.bodies]
    for i, body in enumerate(model.bodies[1:], 1):
        X[i] = body.placement @ body.joint.transform(q[model.q_index[i]])
        columns.append(list(enumerate(body.joint.columns(), model.v_index[i].start)))

    partials: Cube = [[[0] * nv for _ in range(nv)] for _ in range(nv)]

    def set_column(j: int, k: int, force: Force, at: int) -> None:
        """Set dM_ij/dq_k for every joint i from body `at` to the base; `force` is d(I_j S_j)/dq_k there."""
        while at > 0:
            for i, S in columns[at]:
                partials[i][j][k] = partials[j][i][k] = S.power(force)
            force, at = X[at] @ force, model.bodies[at].parent

    for carrier in range(n - 1, 0, -1):
        for k, S in columns[carrier]:
            # k further out than j
            change, at = _rate(inertia[carrier], S), carrier
            while (above := model.bodies[at].parent) > 0:
                change, at = X[at] @ change, above
                for j, T in columns[at]:
                    set_column(j, k, change.momentum(T), at)
            # `between` on the way from i to k
            momentum, at = inertia[carrier].momentum(S), carrier
            while (above := model.bodies[at].parent) > 0:
                for between, T in columns[at]:
                    set_column(k, between, X[at] @ T.cross_force(momentum), above)
                momentum, at = X[at] @ momentum, above
        inertia[model.bodies[carrier].parent] += X[carrier] @ inertia[carrier]
    return partials


def _rate(inertia: Inertia, S: Motion) -> Inertia:
    """S x* I - I S x: the time derivative of an inertia that moves with the twist S."""
    h, turn = inertia.h, tilde(S.ang) @ inertia.I
    shift = Matrix(tuple(S.lin[r] * h[c] for c in range(3)) for r in range(3))
    I = turn + turn.T - shift - shift.T + IDENTITY * (2 * dot(S.lin, h))
    return Inertia(0, cross(S.ang, h) + S.lin * inertia.m, I)
