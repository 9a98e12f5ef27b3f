"""Detection of mass matrices that are singular in every state."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.dynamics.articulated_body import over
from revolute.dynamics.articulated_inertia import ArticulatedInertia
from revolute.dynamics.kinematics import poses_in_parents
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.errors import ModelError
from revolute.model import Model, to_vector
from revolute.model.configurations import random_configurations
from revolute.spatial.vectors import dot

STATES = 3
"""Number of random states tested. A mass matrix that is singular in all of these states counts as always singular."""

ROUNDING = 16 * np.finfo(float).eps
"""Relative rounding error of a sum along a branch of the tree, per joint of the branch."""

MANY = 60  # number of velocities from which a test by articulated bodies, in linear time, precedes the other tests
CLEAR = 1e-6  # ratio of an inertia to its rounding bound above which the inertia is significant


@lru_cache(maxsize=16)
def require_invertible(model: Model) -> None:
    """Raise `ModelError` unless M(q) is invertible in almost all states. LP 9.89; RBDA 6.2.

    Inertias that contain symbols are not checked.
    """
    if not model.nv or not all(isinstance(x, Real) for body in model.bodies for x in to_vector(body.inertia)):
        return
    idle = idle_coordinates(model)
    if not (joints := [body for body, at in zip(model.bodies, model.v_index, strict=True) if any(idle[at])]):
        return
    names = ", ".join(f"'{body.joint_name}'" for body in joints[:4]) + (", ..." if len(joints) > 4 else "")
    raise ModelError(
        f"robot '{model.name}' has no finite accelerations: joint{'s' * (len(joints) > 1)} {names} can move without "
        f"moving any mass, so that its mass matrix is singular in every state. Link '{joints[-1].name}', or what it "
        f"carries, needs inertia about its joint's axis; or hold the joint: robot.lock"
    )


def idle_coordinates(model: Model) -> NDArray[np.bool_]:
    """For each velocity, whether it belongs to motions without kinetic energy, 2 T = qd^T M qd = 0, in every state.

    These are the joints that move no inertia; if there are no such joints, those whose combined motion moves none.
    """
    if model.nv >= MANY and _clearly_regular(model):
        return np.zeros(model.nv, dtype=bool)
    return always_idle(model, lambda q: (mass_matrix(model, q), largest_inertias(model, q)))


def _clearly_regular(model: Model) -> bool:
    """Whether every D of M = L^T D L is clearly positive in one random state. RBDA 7.3."""
    # Each D is compared to an upper bound: the inertia of its articulated body about any axis.
    X = poses_in_parents(model, _random_state(model, np.random.default_rng(0)))
    IA = [ArticulatedInertia.of(body.inertia) for body in model.bodies]
    for i in range(len(model.bodies) - 1, 0, -1):
        body = model.bodies[i]
        for S in reversed(body.joint.columns()):
            U = IA[i] @ S
            D, (I, M) = S.power(U), (sum(A[k][k] for k in range(3)) for A in (IA[i].I, IA[i].M))
            if not math.inf > D > CLEAR * (dot(S.ang, S.ang) * I + dot(S.lin, S.lin) * M):
                return False
            IA[i] = IA[i].less(S, U, over(U, 1 / D, S))
        IA[body.parent] += IA[i].moved(X[i])
    return True


def _random_state(space: Model, rng: np.random.Generator) -> list[float]:
    ends = np.full(space.nq, math.inf)
    row: list[float] = random_configurations("a random state", space, -ends, ends, 1, rng)[0].tolist()
    return row


def always_idle(space: Model, inertias: Callable[[list[float]], tuple[Any, Any]]) -> NDArray[np.bool_]:
    """`idle_coordinates` from a function of q that returns a mass matrix and an upper bound for each diagonal entry."""
    rng = np.random.default_rng(0)
    idle = np.ones(space.nv, dtype=bool)
    for _ in range(STATES):
        if not idle.any():
            break
        idle &= _idle(*(np.array(x, dtype=float) for x in inertias(_random_state(space, rng))))
    return idle


def _idle(M: NDArray[np.float64], largest: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Idle coordinates in one state.

    A diagonal entry of M is treated as zero if it is within the rounding error of its bound in `largest`. After scaling
    to a unit diagonal, M is singular if its smallest eigenvalue is within rounding error.
    """
    diagonal, nv = np.diag(M), len(M)
    if not np.isfinite(M).all():  # an overflow permits no conclusion
        return np.zeros(nv, dtype=bool)
    idle = diagonal <= ROUNDING * nv * largest
    if idle.any():
        return np.asarray(idle)
    scale = np.sqrt(diagonal)
    eigenvalues, vectors = np.linalg.eigh(M / scale / scale[:, None])
    if abs(eigenvalues[0]) > ROUNDING * nv:
        return np.asarray(idle)
    share = np.abs(vectors[:, 0])
    return np.asarray(share > 1e-3 * share.max())


def largest_inertias(model: Model, q: Sequence[float]) -> NDArray[np.float64]:
    """For every velocity, an upper bound of its inertia: the inertia of the joint's entire load about any axis."""
    bodies, bounds = model.bodies, np.zeros(model.nv)
    I = [body.inertia for body in bodies]
    for i in range(len(bodies) - 1, 0, -1):
        body = bodies[i]
        for at, S in enumerate(body.joint.columns(), model.v_index[i].start):
            bounds[at] = dot(S.ang, S.ang) * sum(I[i].I[k][k] for k in range(3)) + dot(S.lin, S.lin) * I[i].m
        I[body.parent] += body.placement @ body.joint.transform(q[model.q_index[i]]) @ I[i]
    return bounds
