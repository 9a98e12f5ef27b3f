"""Scaled least squares under linear matrix inequalities, by clarabel. Sousa & Cortesao 2014; Goulart & Chen 2024."""

from __future__ import annotations

from typing import Any

import numpy as np

from revolute.errors import InputError, extra
from revolute.identification.bodies.interior_point import HalfSpaces, inequalities
from revolute.identification.bodies.scaled_problem import ScaledProblem
from revolute.identification.bodies.symmetric_vectors import to_vector
from revolute.identification.samples import Array

__all__ = ["LEAST", "minimized"]

LEAST = 1e-6
"""Minimum eigenvalue of K, the pseudo-inertia relative to that of the description."""

ONE: Array = to_vector(np.eye(4))


def minimized(problem: ScaledProblem, halfspaces: HalfSpaces) -> Array:
    """(n,) variables z of the minimum of squares and |K - 1|^2 pull / 2.

    The variables of the conic problem are steps from the unconstrained minimum, and its objective is relative to the
    pull. So the solver's tolerances apply to the cost of the constraints, not to the much larger squares.
    """
    clarabel, sparse = _packages()
    start, C = problem.nearest(), inequalities(problem, halfspaces)
    n, entries, links = len(start), problem.entries, len(problem.links)
    A = np.concatenate([np.eye(entries, n), C])
    b = np.concatenate([start[:entries] - LEAST * np.tile(ONE, links), C @ start])
    cones = [clarabel.PSDTriangleConeT(4)] * links + [clarabel.NonnegativeConeT(len(C))] * bool(len(C))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    P = sparse.csc_matrix(np.triu(problem.S.T @ problem.S / problem.pull + np.eye(n)))
    solution = clarabel.DefaultSolver(P, np.zeros(n), sparse.csc_matrix(-A), b, cones, settings).solve()
    if str(solution.status) not in ("Solved", "AlmostSolved"):
        raise InputError(
            f"physical: the solver ends with '{solution.status}'; regions may be too small for the log, or the prior's "
            "pull too weak: try a larger one"
        )
    z: Array = start + np.array(solution.x)
    return np.where(problem.nonnegative, np.maximum(z, 0), z)


def _packages() -> tuple[Any, Any]:
    with extra("physical parameters need the packages clarabel and SciPy", "identify"):
        import clarabel
        from scipy import sparse
    return clarabel, sparse
