"""Scaled least squares with a quadratic pull under linear matrix inequalities: a conic problem for clarabel.

Sousa & Cortesao 2014; Goulart & Chen 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from revolute.errors import InputError, MissingExtraError
from revolute.identification.bodies.interior_point import HalfSpaces
from revolute.identification.bodies.scaled_problem import ScaledProblem
from revolute.identification.bodies.symmetric_vectors import to_vector
from revolute.identification.samples import Array

__all__ = ["LEAST", "minimized"]

LEAST = 1e-6
"""Least eigenvalue of K, the pseudo-inertia relative to that of the description."""

ONE: Array = to_vector(np.eye(4))


class _Cones:
    """Rows A x + s = b with s in a cone, as clarabel has them."""

    def __init__(self, width: int) -> None:
        clarabel, self._sparse = _packages()
        self._clarabel, self.width = clarabel, width
        self._entries: list[tuple[int, int, float]] = []
        self._b: list[float] = []
        self._cones: list[Any] = []

    def add(self, kind: str, size: int, rows: Sequence[tuple[float, Sequence[tuple[int, float]]]]) -> None:
        """A cone of the vector s, each entry of which is a constant and a sum of factors times variables."""
        for constant, terms in rows:
            self._entries += [(len(self._b), column, -factor) for column, factor in terms]
            self._b.append(constant)
        make = getattr(self._clarabel, kind)
        self._cones.append(make(size) if size else make())

    def solve(self, P: Array, q: Array) -> Array:
        """x with the least x^T P x / 2 + q^T x."""
        i, j, values = zip(*self._entries, strict=True)
        A = self._sparse.csc_matrix((values, (i, j)), shape=(len(self._b), self.width))
        settings = self._clarabel.DefaultSettings()
        settings.verbose = False
        upper = self._sparse.csc_matrix(np.triu(P))
        solver = self._clarabel.DefaultSolver(upper, q, A, np.array(self._b), self._cones, settings)
        solution = solver.solve()
        if str(solution.status) not in ("Solved", "AlmostSolved"):
            raise InputError(
                f"physical: the solver ends with '{solution.status}'; regions may be too small for what was measured, "
                "or the prior's pull too weak: try a larger one"
            )
        return np.array(solution.x)


def minimized(problem: ScaledProblem, halfspaces: HalfSpaces) -> Array:
    """(n,) variables z of the minimum of squares and |K - 1|^2 pull / 2.

    The variables of the conic problem are steps from the minimum without constraints, and its objective is relative
    to the pull: so the solver's tolerances hold for what the constraints cost. They would mean nothing beside the sum
    of all squares, which grows with the number of rows.
    """
    start = problem.nearest()
    n = len(start)
    cones = _Cones(n)
    for k in range(len(problem.links)):
        at = range(10 * k, 10 * k + 10)
        cones.add("PSDTriangleConeT", 4, [(start[c] - LEAST * e, [(c, 1.0)]) for c, e in zip(at, ONE, strict=True)])
    signed = np.flatnonzero(problem.nonnegative)
    if len(signed):
        cones.add("NonnegativeConeT", len(signed), [(start[k], [(int(k), 1.0)]) for k in signed])
    if halfspaces:
        places = [(range(10 * k, 10 * k + 10), a) for k, a in halfspaces]
        rows = [(float(a @ start[at]), [*zip(at, a, strict=True)]) for at, a in places]
        cones.add("NonnegativeConeT", len(rows), rows)
    z = start + cones.solve(problem.S.T @ problem.S / problem.pull + np.eye(n), np.zeros(n))
    return np.where(problem.nonnegative, np.maximum(z, 0), z)


def _packages() -> tuple[Any, Any]:
    try:
        import clarabel
        from scipy import sparse
    except ImportError:
        raise MissingExtraError("physical parameters need the packages clarabel and SciPy", "identify") from None
    return clarabel, sparse
