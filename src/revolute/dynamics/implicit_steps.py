"""Implicit integration steps: the implicit midpoint rule and a variational integrator, for any scalar type.

The unknown of both is the velocity u at the midpoint of the step. Both are symmetric: a step of -h reverses one of h.
With exact derivatives, Newton's method takes a fixed number of iterations, so it has no branches and can be traced.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from revolute.dynamics.coordinate_rates import normalized
from revolute.dynamics.mechanics import Mechanics
from revolute.dynamics.sparse_factorization import is_zero
from revolute.model.model import Model
from revolute.spatial import Scalar, Scalars, converged, repeated, select
from revolute.spatial.dual import slopes_of, value_of, variables

ITERATIONS = 5  # number of Newton corrections of an implicit step; all use the derivatives at the initial guess
MOST = 20  # maximum number of Newton corrections with derivatives that are not exact

TOLERANCE = 1e-9
"""Maximum length of the last Newton correction, relative to the scale of the unknowns. The error that remains is about
this correction times the contraction factor of the iteration."""

ROUNDING = 1e-12
"""Length [rad/s, m/s] up to which the last Newton correction is always accepted. Near rest, rounding errors of
cancelling forces exceed any fraction of the velocities."""


def implicit_midpoint(mechanics: Mechanics, q: Scalars, qd: Scalars, h: Scalar) -> tuple[Scalars, Scalars]:
    """The implicit midpoint rule, the one-stage Gauss method. Order 2, A-stable. Hairer, Lubich & Wanner II.1.

        ID(q_m, u, (qd1 - qd0)/h) = tau,    u = (qd0 + qd1)/2

    in the form of inverse dynamics; q_m is the midpoint between q0 and q1 = q0 + h u: see `JointType.midpoint`.
    """
    space = mechanics.space

    def residual(u: Scalars) -> Scalars:
        middle, _ = _midpoint(space, q, u, h)
        qdd = [(a - b) * (2 / h) for a, b in zip(u, qd, strict=True)]
        return [force * (h / 2) for force in mechanics.missing_forces(middle, u, qdd)]

    u, correction = newton(residual, qd, mechanics.midpoint_solver and mechanics.midpoint_solver(q, qd, h))
    _, end = _midpoint(space, q, u, h)
    return _solved(normalized(space, end), [2 * a - b for a, b in zip(u, qd, strict=True)], u, qd, correction)


def variational_midpoint(mechanics: Mechanics, q: Scalars, qd: Scalars, h: Scalar) -> tuple[Scalars, Scalars]:
    """The variational integrator of the midpoint rule. Order 2, symplectic. Marsden & West 2001, 2.1, 2.6.

    The discrete Lagrangian is L_d(q0, q1) = h L(q_m, u), and forces act at the midpoint. Its discrete Legendre
    transforms give the momenta at both ends: `JointType.end_momenta`. u follows from the momentum at the start,
    M(q0) qd0; the new velocity from the momentum at the end, p1 = M(q1) qd1. Without joint forces L_d has the
    symmetries of L, so momenta of a free base are conserved, to the accuracy of the solution.
    """
    space = mechanics.space
    start, _ = mechanics.lagrangian_partials(q, qd)

    def ends(u: Scalars) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        middle, end = _midpoint(space, q, u, h)
        p, f = mechanics.lagrangian_partials(middle, u)
        first: list[Scalar] = []
        last: list[Scalar] = []
        for body, at in zip(space.bodies, space.v_index, strict=True):
            pair = body.joint.end_momenta([x * (h / 2) for x in u[at]], h, p[at], f[at])
            first.extend(pair[0])
            last.extend(pair[1])
        return first, last, end

    errors, solve = mechanics.held(q, h) if mechanics.held else (lambda _: [], None)

    def residual(u: Scalars) -> Scalars:
        first, _, end = ends(u)
        return [*(a - b for a, b in zip(first, start, strict=True)), *errors(end)]

    u, correction = newton(residual, qd, solve)
    _, last, end = ends(u)
    end = normalized(space, end)
    return _solved(end, mechanics.velocities(end, last), u, qd, correction)


def _midpoint(space: Model, q: Scalars, u: Scalars, h: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    """Positions at the midpoint and at the end of the step."""
    middle: list[Scalar] = []
    end: list[Scalar] = []
    for body, at, rate_at in zip(space.bodies, space.q_index, space.v_index, strict=True):
        pair = body.joint.midpoint(q[at], [x * (h / 2) for x in u[rate_at]])
        middle.extend(pair[0])
        end.extend(pair[1])
    return middle, end


def _solved(q: Scalars, qd1: Scalars, u: Scalars, qd0: Scalars, correction: Scalars) -> tuple[Scalars, Scalars]:
    """The new state; or NaN if the last correction is too large, relative to the velocities and their change."""
    whole = converged_or_nan([*q, *qd1], correction, [*qd0, *(a - b for a, b in zip(u, qd0, strict=True))])
    return whole[: len(q)], whole[len(q) :]


def newton(
    residual: Callable[[Scalars], Scalars], x: Scalars, solve: Callable[[Scalars], Scalars] | None = None
) -> tuple[Scalars, Scalars]:
    """Solve residual(x) = 0 by simplified Newton iterations: J dx = -residual(x). Hairer & Wanner IV.8.

    By default, the derivatives J are exact, from dual numbers, and computed once, at the first guess x. With an
    approximate `solve`, iterations go on until the correction is small. Return the solution and the last correction.
    """
    if solve is not None:
        return converged(partial(_improved, residual, solve), [*x], [0.0] * len(x), most=MOST)
    found = residual(variables(x))
    solve = solver([[slopes_of(r).get(k, 0) for k in range(len(x))] for r in found])

    def corrected(x: Scalars, values: Scalars) -> tuple[Scalars, Scalars]:
        correction = solve(values)
        return [a - b for a, b in zip(x, correction, strict=True)], correction

    first = corrected(x, [value_of(r) for r in found])
    last: tuple[Scalars, Scalars]
    last, _ = repeated(lambda state: (corrected(state[0], residual(state[0])), ()), first, times=ITERATIONS - 1)
    return last


def _improved(
    residual: Callable[[Scalars], Scalars], solve: Callable[[Scalars], Scalars], x: Scalars, _: Scalars
) -> tuple[Scalars, Scalars, Any]:
    """x after a correction, the correction, and whether it is still large."""
    correction = solve(residual(x))
    y = [a - b for a, b in zip(x, correction, strict=True)]
    size, scale = (sum(a * a for a in z) for z in (correction, y))
    return y, correction, size > scale * (TOLERANCE / 10) ** 2 + ROUNDING**2


def converged_or_nan(results: Scalars, correction: Scalars, measure: Scalars) -> list[Scalar]:
    """The results if |correction| <= TOLERANCE |measure| + ROUNDING; otherwise the step was not solved, and NaN."""
    bound = sum(x * x for x in measure) * TOLERANCE**2 + ROUNDING**2
    solved = sum(x * x for x in correction) <= bound
    return [select(solved, x, math.nan) for x in results]


def solver(J: Sequence[Scalars]) -> Callable[[Scalars], list[Scalar]]:
    """Function b -> J^-1 b, for a J as sparse as a tree's mass matrix: elimination from the last row to the first.

    No rows are exchanged, because the pivots of J are near those of a positive definite matrix. Structural zeros are
    skipped: elimination from the tips to the base causes no fill-in.
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
