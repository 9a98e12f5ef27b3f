"""Scaled least squares under physical consistency: an interior-point Newton method, or the solver clarabel.

The entropic and the affine-invariant distances are infinite where K is singular. So they serve as barriers for the
matrix inequalities K > 0, and no conic solver is needed. Lee, Wensing & Park 2020; Nocedal & Wright 2006, 19.
"""

from collections.abc import Callable, Sequence

import numpy as np

from revolute.errors import InputError, extra
from revolute.identification.bodies.scaled_problem import BASIS, ScaledProblem, to_matrix, to_vector
from revolute.identification.samples import Array

HalfSpaces = Sequence[tuple[int, Array]]
"""Pairs (index of a link, (10,) vector a) that constrain the link's K by a . K >= 0."""

MOST, DONE = 300, 1e-11
"""Maximum number of Newton steps; and tolerance of the products of slacks and multipliers and of the squared Newton
decrement, relative to the weight of the prior."""

FIRST = 100.0
"""Initial weight of the barrier on the central path, repeatedly divided by ten. Nesterov & Nemirovskii 1994."""

NEAR = 0.95
"""Maximum length of a step, as a fraction of the distance to the boundary of the feasible set."""

RATES: dict[str, Callable[[Array], Array]] = {"entropic": lambda k: 1 - 1 / k, "affine": lambda k: np.log(k) / k}
"""Derivatives with respect to an eigenvalue k of K, of the distance k - 1 - log k ("entropic") or (log k)^2 / 2."""


ROUNDING = 1e-13
"""Minimum eigenvalue of a matrix K, relative to the largest one; smaller or negative ones are rounding errors."""


def minimized_inside(problem: ScaledProblem, prior: str, halfspaces: HalfSpaces) -> Array:
    """(n,) variables z of the minimum, for the prior "entropic" or "affine".

    Steps are along the singular vectors of S, where the second derivatives of the squares are diagonal: so rounding
    errors in well-determined directions do not affect the others.
    """
    n, entries = len(problem.z0), problem.entries
    _, singular, V = np.linalg.svd(problem.S / np.sqrt(problem.pull))
    squares = np.concatenate([singular, np.zeros(n - len(singular))]) ** 2
    C = inequalities(problem, halfspaces)
    start = problem.nearest()
    # start between the prior and the unconstrained minimum, at a point where every matrix K is positive definite
    to = start - problem.z0
    least = float(np.linalg.eigvalsh(to_matrix(to[:entries].reshape(-1, 10))).min(initial=0))
    z = problem.z0 + min(1.0, 0.5 / max(-least, 0.5)) * to
    z = np.where(problem.nonnegative, np.maximum(z, 1e-2), z)
    slack, multiplier = np.maximum(C @ z, 1e-2), np.ones(len(C))
    weight, decrement = FIRST, np.inf
    for _ in range(MOST):
        slopes, blocks, root = _distance(to_matrix(z[:entries].reshape(-1, 10)), RATES[prior])
        gradient: Array = V.T @ (squares * (V @ (z - start))) + problem.z0 - start  # gradient of the squares
        gradient[:entries] += weight * slopes
        gradient[entries:] += (z - problem.z0)[entries:]
        missing = C @ z - slack
        mu = min(max(decrement, 1e-3), 1.0) * float(slack @ multiplier) / max(len(slack), 1)
        curvature = V @ _diagonal(weight * blocks, n) @ V.T + np.diag(squares)
        lower = mu / multiplier - slack - missing
        found = _newton(curvature, C @ V.T, slack / multiplier, V @ (C.T @ multiplier - gradient), lower)
        if found is None:
            break
        turned, to_multiplier = found
        step = V.T @ turned
        to_slack = C @ step + missing
        changes = np.linalg.eigvalsh(root @ to_matrix(step[:entries].reshape(-1, 10)) @ root)
        size = np.sqrt(np.sum(changes**2))
        room = NEAR / max(-float(changes.min(initial=0)), NEAR)
        share = min(1.0, room, _room(slack, to_slack), 1 / max(size, 1.0))
        z, slack = z + share * step, slack + share * to_slack
        multiplier = multiplier + _room(multiplier, to_multiplier) * to_multiplier
        decrement = size**2 + (np.sum(step[entries:] ** 2) + squares @ turned**2) / weight
        if weight > 1:
            weight = max(1.0, weight / 10) if decrement < 1 else weight
        elif decrement < DONE and slack @ multiplier < DONE and np.abs(missing).max(initial=0) < DONE:
            return np.asarray(np.where(problem.nonnegative, np.maximum(z, 0), z))
    raise InputError(
        "physical: no physically consistent parameters were found. Forces may have the wrong sign; regions may be too "
        "small for the log; the pull of the prior may be too weak; or the inertias of the description may be "
        "placeholders, far too small: give links those of uniform solids of about their mass and size"
    )


def _newton(H: Array, C: Array, ratios: Array, upper: Array, lower: Array) -> tuple[Array, Array] | None:
    """Step and change of multipliers: H step - C^T change = upper, C step + ratios change = lower. None if singular."""
    system = np.block([[H, -C.T], [C, np.diag(ratios)]])
    try:
        solution = np.linalg.solve(system, np.concatenate([upper, lower]))
    except np.linalg.LinAlgError:
        return None
    return solution[: len(H)], solution[len(H) :]


def _diagonal(blocks: Array, n: int) -> Array:
    """(n, n) block-diagonal matrix: the blocks of the links, then ones for scalar variables."""
    H = np.eye(n)
    for k, block in enumerate(blocks):
        H[10 * k : 10 * k + 10, 10 * k : 10 * k + 10] = block
    return H


def _distance(K: Array, rate: Callable[[Array], Array]) -> tuple[Array, Array, Array]:
    """Gradient (10 l,) and second derivatives (l, 10, 10) of the distances of l matrices K, and K^(-1/2).

    The distances are sums over eigenvalues, so the second derivatives are divided differences of `rate`: Daleckii
    & Krein 1965. They are at least half of those of the entropic distance, which is convex.
    """
    k, U = np.linalg.eigh(K)
    k = np.maximum(k, ROUNDING * k[:, -1:])
    r, product = rate(k), k[:, :, None] * k[:, None, :]
    gaps = k[:, :, None] - k[:, None, :]
    close = np.abs(gaps) < 1e-6 * k[:, None, -1:]
    nudge = 1e-4 * k
    slope = (rate(k + nudge) - rate(k - nudge)) / (2 * nudge)
    mean = (slope[:, :, None] + slope[:, None, :]) / 2
    quotient = np.where(close, mean, (r[:, :, None] - r[:, None, :]) / np.where(close, 1, gaps))
    quotient = np.maximum(quotient, 0.5 / product)
    turned = np.swapaxes(U, 1, 2)[:, None] @ BASIS @ U[:, None]
    blocks = np.einsum("laij,lij,lbij->lab", turned, quotient, turned)
    gradient = to_vector((U * r[:, None, :]) @ np.swapaxes(U, 1, 2)).ravel()
    return gradient, blocks, (U * (k**-0.5)[:, None, :]) @ np.swapaxes(U, 1, 2)


def inequalities(problem: ScaledProblem, halfspaces: HalfSpaces) -> Array:
    """(m, n) C with C z >= 0: nonnegative scalars, and half-spaces."""
    signed = np.flatnonzero(problem.nonnegative)
    C = np.zeros((len(signed) + len(halfspaces), len(problem.z0)))
    C[np.arange(len(signed)), signed] = 1
    for row, (k, a) in zip(C[len(signed) :], halfspaces, strict=True):
        row[10 * k : 10 * k + 10] = a / np.linalg.norm(a)
    return C


def _room(x: Array, step: Array) -> float:
    """Largest fraction of a step, at most 1, after which x is still positive."""
    return min(1.0, NEAR / float(max((-step / x).max(initial=0), NEAR)))


LEAST = 1e-6
"""Minimum eigenvalue of K, the pseudo-inertia relative to the pseudo-inertia in the robot's description."""

ONE: Array = to_vector(np.eye(4))


def minimized(problem: ScaledProblem, halfspaces: HalfSpaces) -> Array:
    """(n,) variables z of the minimum of squares and |K - 1|^2 pull / 2.

    The variables of the conic problem are steps from the unconstrained minimum, and its objective is relative to the
    pull. So the solver's tolerances apply to the cost of the constraints, not to the much larger squares.
    """
    with extra("physical parameters require the packages clarabel and SciPy", "identify"):
        import clarabel
        from scipy import sparse
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
            f"physical: the solver ended with '{solution.status}'; regions may be too small for the log, or the pull "
            "of the prior too weak: try a larger one"
        )
    z: Array = start + np.array(solution.x)
    return np.where(problem.nonnegative, np.maximum(z, 0), z)
