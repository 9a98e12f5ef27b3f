"""Newton's method in a fixed number of iterations, over any scalar: it has no branches, so it can be traced."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from revolute.dynamics.sparse_factorization import is_zero
from revolute.spatial.dual import slopes_of, value_of, variables
from revolute.spatial.loop import repeated
from revolute.spatial.scalar import Scalar, Scalars, select

__all__ = ["ITERATIONS", "TOLERANCE", "converged_or_nan", "newton", "solver"]

ITERATIONS = 5
"""Number of corrections of the unknowns. All use the derivatives at the initial guess."""

TOLERANCE = 1e-9
"""Maximum length of the last correction, relative to the scale of the unknowns. The remaining error is smaller by the
contraction factor, which is small where five corrections suffice."""

ROUNDING = 1e-12
"""Length of a last correction that always passes [rad/s, m/s]. Near rest, rounding of forces that cancel exceeds any
fraction of the velocities."""


def newton(residual: Callable[[Scalars], Scalars], x: Scalars) -> tuple[Scalars, Scalars]:
    """Solve residual(x) = 0 by simplified Newton iterations: J dx = -residual(x). Hairer & Wanner IV.8.

    The derivatives J are exact, from dual numbers, and computed once, at the first guess.

    Args:
        residual: n functions of n unknowns, over any scalar.
        x: first guess.

    Returns:
        x, and the last correction.
    """
    found = residual(variables(x))
    solve = solver([[slopes_of(r).get(k, 0) for k in range(len(x))] for r in found])

    def corrected(x: Scalars, values: Scalars) -> tuple[Scalars, Scalars]:
        correction = solve(values)
        return [a - b for a, b in zip(x, correction, strict=True)], correction

    first = corrected(x, [value_of(r) for r in found])
    last: tuple[Scalars, Scalars]
    last, _ = repeated(lambda state: (corrected(state[0], residual(state[0])), ()), first, times=ITERATIONS - 1)
    return last


def converged_or_nan(results: Scalars, correction: Scalars, measure: Scalars) -> list[Scalar]:
    """The results where |correction| <= TOLERANCE |measure| + ROUNDING, otherwise NaN: then the step was not solved."""
    bound = sum(x * x for x in measure) * TOLERANCE**2 + ROUNDING**2
    solved = sum(x * x for x in correction) <= bound
    return [select(solved, x, math.nan) for x in results]


def solver(J: Sequence[Scalars]) -> Callable[[Scalars], list[Scalar]]:
    """J^-1 b for the sparsity of a tree's mass matrix: L and U by elimination from the last row to the first.

    No rows are exchanged, because J has pivots near those of a positive definite matrix. Structural zeros are skipped:
    eliminated from the tips to the base, a tree has no fill-in.
    """
    n = len(J)
    U = [list(row) for row in J]
    L: list[dict[int, Scalar]] = [{} for _ in range(n)]
    shares: list[Scalar] = [0] * n
    for k in range(n - 1, -1, -1):
        shares[k] = 1 / U[k][k]
        for i in range(k):
            if is_zero(U[i][k]):
                continue
            factor = L[i][k] = U[i][k] * shares[k]
            for j in range(k):
                if not is_zero(U[k][j]):
                    U[i][j] = U[i][j] - factor * U[k][j]

    def solve(b: Scalars) -> list[Scalar]:
        x = list(b)
        for k in range(n - 1, -1, -1):
            for i in range(k):
                if k in L[i]:
                    x[i] = x[i] - L[i][k] * x[k]
        for i in range(n):
            for j in range(i):
                if not is_zero(U[i][j]):
                    x[i] = x[i] - U[i][j] * x[j]
            x[i] = x[i] * shares[i]
        return x

    return solve
