"""Dry friction alone, by active sets, for any scalar type. Hintermueller, Ito & Kunisch 2003."""

from __future__ import annotations

from typing import Any

from revolute.dynamics.mobility import dot
from revolute.dynamics.sparse_factorization import factors_of, filled, is_zero
from revolute.spatial import Rows, Scalar, Scalars, converged, select
from revolute.spatial.dual import TINY

ROUNDS = 12
"""Maximum number of rounds: arms need two to three, and at most seven."""

ROUNDING = 1e-12
"""Fraction of its limit by which a row must exceed the limit to slip, so that rounding errors do not switch rows."""

DAMPING = 1e-14
"""Relative increase of the diagonal, for rows that are linearly dependent."""


def active_sets(A: Rows, b: Scalars, limits: Scalars) -> tuple[list[Scalar], Any]:
    """p of u = A p + b, where |p| <= limit, and u = 0 or p = -limit u / |u|; and whether it was not found.

    A round solves for p with some rows sticking, u = 0, and others slipping, with known p. Then a row slips in the next
    round if its p - u / A_ii is beyond the limits. If no row changes, the problem is solved.
    """
    n, coupled = len(b), filled(A)
    own = [A[i][i] + (DAMPING * A[i][i] + TINY) for i in range(n)]

    def turn(_: Scalars, memory: tuple[Scalars, Scalar]) -> tuple[Scalars, tuple[Scalars, Scalar], Any]:
        """One round: p, the signs of rows that slip in the next one, and the number of changes."""
        signs, _ = memory
        sticks = [1 - s * s for s in signs]
        known = [limit * s for limit, s in zip(limits, signs, strict=True)]
        masked = [
            [own[i] if i == j else 0 if is_zero(A[i][j]) else A[i][j] * sticks[i] * sticks[j] for j in range(i + 1)]
            for i in range(n)
        ]
        open_ = [-(x + dot(row, known)) * s for x, row, s in zip(b, A, sticks, strict=True)]
        p = [x + y for x, y in zip(factors_of(coupled, masked).solve(open_), known, strict=True)]
        following, changes = [], 0.0
        for x, row, v, a, limit, old in zip(p, A, b, own, limits, signs, strict=True):
            following.append(_side(x * a - (v + dot(row, p)), limit * a * (1 + ROUNDING)))
            changes = changes + abs(following[-1] - old)
        return p, (following, changes), changes > 0

    signs = [-_side(v, limit * a) for v, a, limit in zip(b, own, limits, strict=True)]
    p, (_, changes) = converged(turn, [0.0] * n, (signs, 0.0), most=ROUNDS)
    return p, changes > 0


def _side(x: Scalar, limit: Scalar) -> Scalar:
    """1 if x is above the limit, -1 if it is below -limit, otherwise 0."""
    return select(x > limit, 1.0, select(x < -limit, -1.0, 0.0))
