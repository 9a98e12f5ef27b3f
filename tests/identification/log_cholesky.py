"""Real bodies by least squares over log-Cholesky parameters, without constraints: a reference. Rucker, Wensing 2022."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from revolute.errors import InputError
from revolute.identification.bodies.interior_point import inside
from revolute.identification.bodies.scaled_problem import ScaledProblem, scaled_problem, to_matrix, to_vector
from revolute.identification.forces.force_model import ForceModel
from revolute.identification.samples import Array
from revolute.model.pseudo_inertia import ABOVE, to_log_cholesky

__all__ = ["DISTANCES", "from_log_cholesky", "log_cholesky", "log_cholesky_rates"]

def log_cholesky(source: Any, model: ForceModel, *, prior: str = "entropic", pull: float = 1.0) -> Array:
    """(p,) full parameters as those of `physical`, where they are not at the edge of what is possible."""
    problem = scaled_problem(source, model, pull)
    return problem.parameters(minimized_log_cholesky(problem, prior, inside(problem)))


def from_log_cholesky(theta: Array) -> Array:
    """(..., 4, 4) J of (..., 10) theta: the inverse of `to_log_cholesky`."""
    U = _factor(theta)
    return np.asarray(U @ np.swapaxes(U, -1, -2))


def log_cholesky_rates(theta: Array) -> Array:
    """(..., 10, 4, 4) derivatives of J by theta."""
    U, scale = _factor(theta), np.exp(theta[..., 0])
    dU = np.zeros((*theta.shape, 4, 4))
    dU[..., 0, :, :] = U
    for k in range(3):
        dU[..., 1 + k, k, k] = U[..., k, k]
    for k, (i, j) in enumerate(ABOVE, 4):
        dU[..., k, i, j] = scale
    half = dU @ np.swapaxes(U, -1, -2)[..., None, :, :]
    return np.asarray(half + np.swapaxes(half, -1, -2))


def _factor(theta: Array) -> Array:
    U: Array = np.zeros((*theta.shape[:-1], 4, 4))
    for k in range(3):
        U[..., k, k] = np.exp(theta[..., 1 + k])
    U[..., 3, 3] = 1
    for k, (i, j) in enumerate(ABOVE, 4):
        U[..., i, j] = theta[..., k]
    return np.asarray(np.exp(theta[..., 0])[..., None, None] * U)


def _entropic(k: Array) -> Array:
    """f with f^2 / 2 = k - 1 - log k, and the sign of k - 1."""
    return np.asarray(np.sign(k - 1) * np.sqrt(2 * np.maximum(k - 1 - np.log(k), 0)))


def _entropic_rate(k: Array) -> Array:
    f = _entropic(k)
    near = np.abs(k - 1) < 1e-4
    slope = 1 - 2 * (k - 1) / 3  # f = (k - 1) - (k - 1)^2 / 3 + ...
    return np.where(near, slope, (1 - 1 / k) / np.where(near, 1, f))


DISTANCES: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "entropic": (_entropic, _entropic_rate),
    "euclidean": (lambda k: k - 1, np.ones_like),
    "affine": (np.log, lambda k: 1 / k),
}
"""f and its derivative: the distance of K from 1 is |f(K)|^2 / 2."""


def minimized_log_cholesky(problem: ScaledProblem, prior: str, start: Array) -> Array:
    """(n,) variables z of a minimum, by Gauss and Newton with exact derivatives, from a start with K > 0.

    The distances are squares of functions of a matrix, so least squares they are all three. "affine" is convex along
    geodesics, and not along straight lines.

    Raises:
        InputError: no minimum was found.
    """
    links, entries = len(problem.links), problem.entries
    S, c = problem.S / np.sqrt(problem.pull), problem.c / np.sqrt(problem.pull)
    c = c - S @ problem.nearest()
    R: Array = np.asarray(np.linalg.qr(np.column_stack([S, c]), mode="r"))[: len(problem.z0)]
    S, c = R[:, :-1], R[:, -1] + R[:, :-1] @ problem.nearest()
    f, rate = DISTANCES[prior]

    def variables(x: Array) -> Array:
        K = from_log_cholesky(x[:entries].reshape(links, 10))
        return np.concatenate([to_vector(K).ravel(), x[entries:]])

    def residuals(x: Array) -> Array:
        z = variables(x)
        k, V = np.linalg.eigh(to_matrix(z[:entries].reshape(links, 10)))
        distances = to_vector((V * f(np.maximum(k, 1e-300))[:, None, :]) @ np.swapaxes(V, -1, -2))
        return np.concatenate([S @ z - c, distances.ravel(), z[entries:] - problem.z0[entries:]])

    def jacobian(x: Array) -> Array:
        theta = x[:entries].reshape(links, 10)
        dK, own = log_cholesky_rates(theta), to_matrix(to_vector(from_log_cholesky(theta)))
        rows = np.zeros((len(S) + len(x), len(x)))
        for n, (moves, K) in enumerate(zip(dK, own, strict=True)):
            at = slice(10 * n, 10 * n + 10)
            rows[: len(S), at] = S[:, at] @ to_vector(moves).T
            rows[len(S) + 10 * n : len(S) + 10 * n + 10, at] = to_vector(_rates(K, moves, f, rate)).T
        rows[: len(S), entries:] = S[:, entries:]
        rows[len(S) + entries :, entries:] = np.eye(len(x) - entries)
        return rows

    theta = to_log_cholesky(to_matrix(start[:entries].reshape(links, 10)))
    x0 = np.concatenate([theta.ravel(), start[entries:]])
    lower = np.where(problem.nonnegative, 0, -np.inf)
    x0 = np.where(problem.nonnegative, np.maximum(x0, 1e-6), x0)
    found = least_squares(residuals, x0, jacobian, (lower, np.inf), xtol=1e-12, ftol=1e-15, gtol=1e-9, max_nfev=500)
    if found.status < 1 and not found.optimality < 1e-3:
        raise InputError("physical: Gauss and Newton's method found no minimum; try prior='entropic', or more pull")

    return variables(found.x)


def _rates(K: Array, moves: Array, f: Callable[[Array], Array], rate: Callable[[Array], Array]) -> Array:
    """(10, 4, 4) derivatives of f(K) along ten moves of K. Daleckii & Krein 1965."""
    k, V = np.linalg.eigh(K)
    gaps = k[:, None] - k
    close = np.abs(gaps) < 1e-7 * np.abs(k).max()
    middle = rate((k[:, None] + k) / 2)
    quotient = np.where(close, middle, (f(k)[:, None] - f(k)) / np.where(close, 1, gaps))
    return np.asarray(V @ (quotient * (V.T @ moves @ V)) @ V.T)
