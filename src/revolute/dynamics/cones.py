"""Impulses of contacts, stops and dry friction, for any scalar type. Jean & Moreau 1992; Alart & Curnier 1991.

    u = A p + b,    A = J M^-1 J^T

with one of these laws between velocities u and impulses p of a row, or of the three rows (n, t1, t2) of a contact:

    contact    0 <= u_n,  0 <= p_n,  u_n p_n = 0,  |p_t| <= mu p_n,  u_t = 0 or p_t = -mu p_n u_t / |u_t|
    bounds     lower <= u <= upper; p >= 0 at the lower bound, p <= 0 at the upper bound, otherwise p = 0
    limit      |p| <= limit; u = 0 or p = -limit u / |u|

Together the laws are p = P(p - R u): see `revolute.dynamics.active_set`. `solve` begins with some rounds
p <- P(p - R u), one law after the other, and continues with Newton's method. If this fails, it starts again: from the
best p with more rounds, from an interior point, and from the best p with many rounds. Rounds come last: their results
are exactly in the cones, and their change is the residual. For limits alone, active sets are tried first, and solve
most problems.

A quadruped needs one step of Newton's method. A humanoid that tips on its eight corners needs two; in 1 of 100 states
more than 16, and in 1 of 500 the second attempt fails. Of random states with friction up to 0.8, 1 of 150 has a
residual above 1e-12 of the largest impulse, and none above 1e-10. With much friction, forces at an instant do not
always exist (Painleve 1895): of states with sliding feet, 1 of 125 has a large residual.
"""

from __future__ import annotations

from typing import Any

from revolute.dynamics.active_set import Bounds, is_open, laws_of, most, newton, round_of
from revolute.dynamics.coupling import Coupling
from revolute.dynamics.dry_friction import active_sets
from revolute.dynamics.interior_point import interior_point
from revolute.spatial import Scalar, Scalars, converged, select

__all__ = ["Bounds", "most", "solve"]

ROUNDS, LAST, STEPS = 4, 8, 16  # maximum numbers of rounds at first and at last, and of steps of Newton's method
MORE, ATTEMPTS, INNER = 4, 4, 2  # factor of rounds in the next attempt, attempts, and the one from an interior point
FAR = 1e9  # change that is larger than all


def solve(
    A: Coupling, b: Scalars, friction: Scalars, bounds: Bounds = (), limits: Scalars = ()
) -> tuple[list[Scalar], Scalar]:
    """p, and its change in the last round relative to the largest impulse.

    Args:
        A, b: symmetric matrix, and velocities without impulses.
        friction: mu of contact k, whose rows are 3 k, 3 k + 1 and 3 k + 2.
        bounds: lower and upper bound of the velocity, for each row that follows those of contacts.
        limits: maximum impulses of the last rows.
    """
    laws = laws_of(A, b, friction, bounds, limits)

    def rounds(p: list[Scalar], count: Scalar, first: Any = True) -> tuple[list[Scalar], Scalar]:
        """p after at most `count` rounds, and the last change; no rounds where the condition `first` does not hold."""

        def once(p: Scalars, memory: Any) -> tuple[list[Scalar], Any, Any]:
            after, error = round_of(laws, p)
            _, left = memory
            return after, (error, left - 1), select(is_open(error), left - 1.5, -1.0) > 0

        after, (error, _) = converged(once, p, (1.0, count), most=ROUNDS * MORE ** (ATTEMPTS - 1), first=first)
        return after, error

    def attempt(state: Any, memory: Any) -> tuple[Any, Any, Any]:
        """Rounds, then Newton's method: from the best p or an interior point. The best p is kept."""
        (p, least), (turn, many) = state, memory
        tried, count = p, many
        if friction:
            inside = select(abs(turn - INNER) < 0.5, least, 0.0) > 0
            inner = interior_point(A, b, friction, bounds, limits, inside)
            tried = [select(inside, x, y) for x, y in zip(inner, p, strict=True)]
            count = select(inside, float(ROUNDS), count)  # many rounds may lead away from it
        tried, error = newton(laws, *rounds(tried, count), STEPS)
        p = [select(error < least, x, y) for x, y in zip(tried, p, strict=True)]
        least = select(error < least, error, least)
        return (p, least), (turn + 1, MORE * many), is_open(least)

    if not b:
        return [], 0.0
    first = 0.0, float(ROUNDS)
    if len(limits) == len(b):
        p, failed = active_sets([[A.entry(i, j) for j in range(len(b))] for i in range(len(b))], b, limits)
        (p, _), _ = converged(attempt, (p, FAR), first, most=ATTEMPTS, first=failed)
        p, error = rounds(p, float(LAST), failed)
        return p, select(failed, error, 0.0)
    (p, _), _ = converged(attempt, ([0.0] * len(b), FAR), first, most=ATTEMPTS)
    return rounds(p, float(LAST))
