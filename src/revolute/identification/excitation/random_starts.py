"""Random curves within limits, as starts of searches."""

from __future__ import annotations

from typing import Any

import numpy as np

from revolute.errors import InputError
from revolute.identification.excitation.problem import INFORMATION, PER_WAVE, Problem
from revolute.identification.samples import Array

__all__ = ["candidates", "random_curve", "starts"]

CENTERS, DRAWS, SHRINKS, SHRINK = 2000, 20, 12, 0.75
"""Numbers of random configurations per centre and of curves per start; maximum reductions, and their factor."""


def starts(problem: Problem, count: int, rng: np.random.Generator) -> list[Array]:
    """The best `count` of many random curves, best first.

    Raises:
        InputError: no configuration is within the limits.
    """
    centers = candidates(problem, rng)
    basis = problem.curves.basis(problem.instants(INFORMATION))
    drawn = [random_curve(problem, centers, rng) for _ in range(DRAWS * count)]
    values = [problem.criterion(_matrix(problem, x, basis))[0] for x in drawn]
    return [drawn[k] for k in np.argsort(values, kind="stable")[:count]]


def random_curve(problem: Problem, centers: Array, rng: np.random.Generator) -> Array:
    """(nv m,) a curve about one of the centres, as large as joint limits allow, reduced to satisfy the other limits."""
    curves = problem.curves
    basis = curves.basis(problem.instants(2 * PER_WAVE))
    x = rng.standard_normal(curves.shape)
    x[:, 0] = centers[rng.integers(len(centers))] / curves.reach
    q, qd, qdd = curves.motion(x, basis)
    middle = x[:, 0] * curves.reach
    room = np.full(len(x), np.inf)
    for limit, values, offset in zip(problem.limits, (q - middle, qd, qdd), (middle, 0, 0), strict=False):
        room = np.minimum(room, (limit.upper - offset) / values.max(axis=0))
        room = np.minimum(room, (limit.lower - offset) / values.min(axis=0))
    x[:, 1:] *= (np.where(np.isfinite(room), room, 1.0) * rng.uniform(0.6, 1.0))[:, None]
    for _ in range(SHRINKS):
        if max(excess.max(initial=-np.inf) for excess in problem.excesses(x, basis)) <= 0:
            break
        x[:, 1:] *= SHRINK
    return x.ravel()


def candidates(problem: Problem, rng: np.random.Generator) -> Array:
    """(k, nv) configurations at rest within all limits, away from joint limits."""
    lower, upper = problem.limits[0].lower, problem.limits[0].upper
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * np.pi, -np.pi))
    high = np.where(np.isfinite(upper), upper, low + 2 * np.pi)
    q = low + (high - low) * rng.uniform(0.1, 0.9, (CENTERS, len(low)))
    still = np.zeros_like(q)
    worst = np.full(len(q), -np.inf)
    cause = np.zeros(len(q), dtype=int)
    names: list[str] = []
    for limit in problem.limits:
        excess = limit.excess((q, still, still)).max(axis=1, initial=-np.inf)
        for k, name in enumerate(limit.names):
            cause = np.where(excess[:, k] > worst, len(names), cause)
            worst = np.maximum(worst, excess[:, k])
            names.append(name)
    inside = worst <= 0
    if not inside.any():
        name = names[np.bincount(cause).argmax()]
        raise InputError(
            f"excite: none of {CENTERS} random configurations at rest is within the limits; most pass that of {name}: "
            "widen it"
        )
    return q[inside][np.argsort(worst[inside], kind="stable")[: max(1, int(inside.sum()) // 2)]]


def _matrix(problem: Problem, x: Array, basis: Any) -> Array:
    return problem.information.matrix(problem.information.regressor(*problem.curves.motion(x, basis)))
