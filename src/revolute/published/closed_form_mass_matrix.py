"""Garofalo, Ott and Albu-Schaeffer's mass matrix: a sum over the bodies of a tree."""

from __future__ import annotations

from collections.abc import Sequence

from revolute.model.model import Model
from revolute.spatial import Motion
from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import cross

__all__ = ["closed_form_mass_matrix"]


def closed_form_mass_matrix(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """M = sum_k J_k^T Lambda_k J_k, of a tree with any joints. GOA 6a, 26-27.

    See also LP 9.59-9.61; JIN 36-37; GOA Algorithm; SHV 6.50-6.53.
    """
    M: list[list[Scalar]] = [[0] * model.nv for _ in range(model.nv)]
    for body, J in zip(model.bodies[1:], _body_jacobians(model, q), strict=True):
        for i, column in J.items():
            momentum = body.inertia.momentum(column)
            for j in J:
                if j <= i:
                    M[i][j] = M[i][j] + J[j].power(momentum)
                    M[j][i] = M[i][j]
    return M


def _body_jacobians(model: Model, q: Sequence[Scalar]) -> list[dict[int, Motion]]:
    """J_k = Ad_{p,k}^-1 J_p + Xi_k for every moving body; only nonzero columns. GOA 27."""
    J: list[dict[int, Motion]] = [{}]
    for i, body in enumerate(model.bodies[1:], 1):
        X = body.placement @ body.joint.transform(q[model.q_index[i]])
        RT, Xi = X.R.T, dict(enumerate(body.joint.columns(), model.v_index[i].start))
        moved = {k: Motion(RT @ V.ang, RT @ (V.lin + cross(V.ang, X.p))) for k, V in J[body.parent].items()}
        J.append(moved | Xi)
    return J[1:]
