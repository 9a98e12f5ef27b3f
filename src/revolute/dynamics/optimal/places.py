"""Distances of contacts from their places, multiplied by gains, and their derivatives, for any scalar type.

Distances x_k of several contacts of a body are replaced by those of the nearest rigid motion, x + turn x r_k. Here x is
the mean of x_k, r_k are arms from the mean of the points, turn = S sum(r_k x x_k), and S = sum(|r_k|^2 - r_k r_k^T)^-1.
Otherwise rows of a tilted sole would contradict each other, and so would their forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from revolute.spatial.scalar import Scalar
from revolute.spatial.vectors import ZERO, Matrix, Vector, cross, dot

if TYPE_CHECKING:
    from revolute.dynamics.optimal.holding import Holding

COLLINEAR = 1e-9  # relative size of an axis about which points are not spread


def pulls(held: Holding) -> list[Vector]:
    """The vector k_p e of each contact."""
    found = _own(held)
    for group in held.groups:
        if len(group) > 1:
            arms, S = spread(held, group)
            turn = S @ _sum(cross(arms[k], found[k]) for k in group)
            mean = _sum(found[k] for k in group) * (1 / len(group))
            for k in group:
                found[k] = mean + cross(turn, arms[k])
    return found


def pull_slopes(held: Holding) -> list[list[Vector]]:
    """For each contact, the derivatives of k_p e along joint velocities."""
    found = [[_pull(held, k, V.lin, (0, 0, 0)) for V in point.columns] for k, point in enumerate(held.points)]
    own = _own(held)
    for group in held.groups:
        if len(group) == 1:
            continue
        arms, S = spread(held, group)
        moment = _sum(cross(arms[k], own[k]) for k in group)
        turn = S @ moment
        for j in held.points[group[0]].moving:
            w = held.points[group[0]].columns[j].ang
            moved = _sum(cross(cross(w, arms[k]), own[k]) + cross(arms[k], found[k][j]) for k in group)
            turned = cross(w, turn) + S @ (moved - cross(w, moment))
            mean = _sum(found[k][j] for k in group) * (1 / len(group))
            for k in group:
                found[k][j] = mean + cross(turned, arms[k]) + cross(turn, cross(w, arms[k]))
    return found


def _own(held: Holding) -> list[Vector]:
    return [_pull(held, k, point.place, held.numbers_of(k)[2]) for k, point in enumerate(held.points)]


def _pull(held: Holding, k: int, x: Vector, place: Sequence[Scalar]) -> Vector:
    """k_p times the distance of x from a place, along the axes of a contact."""
    terms = zip(held.points[k].axes, held.numbers_of(k)[1], place, strict=True)
    return _sum(axis * (gain * (dot(axis, x) - y)) for axis, gain, y in terms)


def spread(held: Holding, group: Sequence[int]) -> tuple[dict[int, Vector], Matrix]:
    """The contact points of a body relative to their mean, and S."""
    tree, contacts = held.dynamics.tree, held.dynamics.contacts
    frames = [tree.frame(contacts[k].link).placement for k in group]
    moved = [frames[0].inverse() @ X for X in frames]  # in the frame of the first link
    p = np.array([[*(X.R @ Vector(contacts[k].point) + X.p)] for X, k in zip(moved, group, strict=True)], float)
    r = p - p.mean(axis=0)
    S = np.linalg.pinv(np.eye(3) * (r**2).sum() - r.T @ r, COLLINEAR, hermitian=True)
    R = held.points[group[0]].R
    return {k: R @ Vector(x) for k, x in zip(group, r.tolist(), strict=True)}, R.conjugate(S.tolist())


def _sum(vectors: object) -> Vector:
    return sum(vectors, start=ZERO)  # type: ignore[call-overload,no-any-return]
