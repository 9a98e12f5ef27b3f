"""Least squares plus entropic distances, under physical consistency, solved by Clarabel. Lee, Wensing & Park 2020.

The distance of K from the identity is tr K - log det K - 4. A conic program maximizes log det K as sum_i t_i, with

    [D Z^T; Z K] >= 0,  t_i <= log Z_ii,  Z lower triangular,  D = diag(Z_11, Z_22, Z_33, Z_44)

as in the MOSEK Modeling Cookbook, 6.2.3.
"""

from collections.abc import Sequence

import numpy as np

from revolute.errors import InputError, extra
from revolute.identification.bodies.scaled_problem import COLUMNS, ROWS, ScaledProblem, to_vector
from revolute.identification.samples import Array, scipy

HalfSpaces = Sequence[tuple[int, Array]]
"""Pairs (index of a link, (10,) vector a) that constrain the link's K by a . K >= 0."""

TOLERANCE = 1e-11
"""Tolerance of the solver. At the minimum the objective is flat, so variables are less accurate than the objective."""

UNIT = to_vector(np.eye(4))


def minimized(problem: ScaledProblem, halfspaces: HalfSpaces) -> Array:
    """(n,) z that minimize the sum of squared residuals, entropic distances of links, squared distances of scalars."""
    # The solver's variables are w, with z = start + W w, then Z and t of each link. `start` is the minimum without
    # constraints, so the tolerance is not relative to the squares. W turns and scales z so that the squares are at most
    # w . w / 2; without W, regressors with columns of very different lengths fail by rounding errors.
    with extra("physical parameters require the package clarabel", "identify"):
        import clarabel
    sparse = scipy().sparse.csc_matrix
    start, links, entries = problem.nearest(), len(problem.links), problem.entries
    n, C = len(start), _inequalities(problem, halfspaces)
    _, singular, V = np.linalg.svd(problem.S / np.sqrt(problem.pull))
    squares = np.concatenate([singular, np.zeros(n - len(singular))]) ** 2
    W = V.T / np.sqrt(squares + 1)
    K, factor, logarithm = (np.kron(np.eye(links), columns) for columns in _cone_columns())
    A = np.block([
        [K @ W[:entries], factor],
        [np.zeros((12 * links, n)), logarithm],
        [C @ W, np.zeros((len(C), 14 * links))],
    ])
    b = np.concatenate([K @ start[:entries], np.tile([0.0, 1.0, 0.0], 4 * links), C @ start])
    P = np.zeros((A.shape[1], A.shape[1]))
    P[:n, :n] = np.diag(squares / (squares + 1)) + W[entries:].T @ W[entries:]
    slope = np.tile(UNIT, links) + (problem.z0 - start)[:entries]  # of traces and squares, at start
    costs = np.concatenate([slope @ W[:entries], np.tile([0.0] * 10 + [-1.0] * 4, links)])
    cones = [clarabel.PSDTriangleConeT(8)] * links + [clarabel.ExponentialConeT()] * (4 * links)
    cones += [clarabel.NonnegativeConeT(len(C))] * bool(len(C))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_feas = settings.tol_gap_abs = settings.tol_gap_rel = TOLERANCE
    solver = clarabel.DefaultSolver(sparse(np.triu(P)), costs, sparse(-A), b, cones, settings)
    solution = solver.solve()
    if str(solution.status) not in ("Solved", "AlmostSolved"):
        raise InputError(
            f"physical: no physically consistent parameters were found; the solver ended with '{solution.status}'. "
            "Forces may have the wrong sign; regions may be too small for the log; the pull of the prior may be too "
            "weak; or the inertias of the description may be far too small: give links inertias of uniform solids"
        )
    z: Array = start + W @ np.array(solution.x[:n])
    return np.where(problem.nonnegative, np.maximum(z, 0), z)


def _cone_columns() -> tuple[Array, Array, Array]:
    """Coefficients of K (36, 10) and of Z, t (36, 14) in a link's matrix, and of Z, t (12, 14) in exponential cones."""
    K, factor, logarithm = np.zeros((36, 10)), np.zeros((36, 14)), np.zeros((12, 14))
    for k, (i, j) in enumerate(zip(ROWS, COLUMNS, strict=True)):
        K[_place(4 + i, 4 + j), k] = 1
        factor[_place(i, 4 + j), k] = np.sqrt(2)
        if i == j:
            factor[_place(i, i), k] = 1
            logarithm[3 * i, 10 + i] = logarithm[3 * i + 2, k] = 1  # the cone exp(t_i) <= Z_ii
    return K, factor, logarithm


def _place(i: int, j: int) -> int:
    """Index of the entry i, j >= i of a symmetric matrix in the solver's vectors: upper triangle by columns."""
    return j * (j + 1) // 2 + i


def _inequalities(problem: ScaledProblem, halfspaces: HalfSpaces) -> Array:
    """(m, n) C of the constraints C z >= 0: first nonnegative scalars, then half-spaces."""
    signed = np.flatnonzero(problem.nonnegative)
    C = np.zeros((len(signed) + len(halfspaces), len(problem.z0)))
    C[np.arange(len(signed)), signed] = 1
    for row, (k, a) in zip(C[len(signed) :], halfspaces, strict=True):
        row[10 * k : 10 * k + 10] = a / np.linalg.norm(a)
    return C
