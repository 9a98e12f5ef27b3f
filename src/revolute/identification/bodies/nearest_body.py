"""The physically consistent parameters nearest to an estimate of ten parameters."""

from __future__ import annotations

import numpy as np

from revolute.errors import InputError
from revolute.identification.bodies.interior_point import minimized_inside
from revolute.identification.bodies.scaled_problem import ScaledProblem
from revolute.identification.bodies.symmetric_vectors import to_vector, vectors_to_parameters
from revolute.identification.samples import Array
from revolute.model.parameters import from_vector
from revolute.model.parameters import to_vector as ten_parameters
from revolute.model.pseudo_inertia import pseudo_inertia
from revolute.spatial import Inertia

__all__ = ["nearest_body"]

RADIUS = 0.1
"""Radius of gyration of the prior [m], where the log does not determine the inertia."""

PULLS = (1e-3, 1.0, 1e3, 1e6)
"""Weights of the prior, tried until a body is consistent; 1 is one measurement with an error of 100 %."""


def nearest_body(estimate: Array, covariance: Array) -> Inertia:
    """The real body nearest to the estimate, in units of its errors; the prior is a ball of its mass and centre."""
    known = np.isfinite(np.diag(covariance))
    values, vectors = np.linalg.eigh(covariance[np.ix_(known, known)])
    values = np.maximum(values, 1e-16 * values.max(initial=0) + 1e-24)
    S = np.zeros((len(values), 10))
    S[:, known] = (vectors / np.sqrt(values)).T
    mass = max(float(estimate[0]), 1e-2)
    com = np.clip(estimate[1:4] / mass, -1, 1)
    ball = Inertia.from_com(mass, com.tolist(), (mass * RADIUS**2 * np.eye(3)).tolist())
    prior = pseudo_inertia(np.array(ten_parameters(ball), dtype=float))
    T = vectors_to_parameters(np.linalg.cholesky(prior))
    z0, none = to_vector(np.eye(4)), np.zeros(10, dtype=bool)
    for pull in PULLS:
        problem = ScaledProblem(S @ T, S @ estimate, T, np.zeros(10), z0, (0,), prior[None], none, pull)
        try:
            return from_vector(problem.parameters(minimized_inside(problem, "entropic", ())).tolist())
        except InputError:
            continue
    raise InputError(
        f"payload: no real body is near the estimate, whose mass is {estimate[0]:.4g} kg; check that the log is of "
        "this robot, and that its forces are those of the joints"
    )
