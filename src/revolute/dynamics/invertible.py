"""Robots whose mass matrix has no inverse in any state."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.dynamics.mass_matrix import mass_matrix
from revolute.errors import ModelError
from revolute.model.model import Model
from revolute.model.parameters import to_vector
from revolute.spatial.vectors import dot

__all__ = ["always_idle", "idle_coordinates", "largest_inertias", "require_invertible"]

STATES = 3
"""Arbitrary states in which a mass matrix is singular, if it is so in all states."""

ROUNDING = 16 * np.finfo(float).eps
"""Of sums along a branch, relative to the largest term, per joint."""


@lru_cache(maxsize=16)
def require_invertible(model: Model) -> None:
    """M(q) has an inverse in almost all states, or `ModelError`. LP 8.89; RBDA 6.2.

    Inertias that are no numbers are taken on trust.
    """
    if not model.nv or not all(isinstance(x, Real) for body in model.bodies for x in to_vector(body.inertia)):
        return
    idle = idle_coordinates(model)
    joints = [body for body, at in zip(model.bodies, model.v_index, strict=True) if any(idle[at])]
    if not joints:
        return
    names = ", ".join(f"'{body.joint_name}'" for body in joints[:4]) + (", ..." if len(joints) > 4 else "")
    raise ModelError(
        f"robot '{model.name}' has no finite accelerations: joint{'s' * (len(joints) > 1)} {names} can move without "
        f"moving any mass, so that its mass matrix is singular in every state. Link '{joints[-1].name}', or what it "
        f"carries, needs inertia about its joint's axis; or hold the joint: robot.lock"
    )


def idle_coordinates(model: Model) -> NDArray[np.bool_]:
    """Which of the nv velocities take part in motions without energy, qd^T M qd = 2 T = 0, in every state.

    These are the joints that move no inertia of their own; if there are none, those that can
    move together without moving any.
    """
    return always_idle(model, lambda q: (mass_matrix(model, q), largest_inertias(model, q)))


def always_idle(space: Model, inertias: Callable[[list[float]], tuple[Any, Any]]) -> NDArray[np.bool_]:
    """The same of any mass matrix.

    Args:
        space: a robot with the same coordinates.
        inertias: of positions, the mass matrix, and what bounds each entry of its diagonal.
    """
    rng = np.random.default_rng(0)
    found = np.ones(space.nv, dtype=bool)
    for _ in range(STATES):
        if not found.any():
            break
        joints = [body.joint for body in space.bodies]
        q = [x for j in joints for x in j.random(rng, [-math.inf] * j.nq, [math.inf] * j.nq)]
        found &= _idle(*(np.array(x, dtype=float) for x in inertias(q)))
    return found


def _idle(M: NDArray[np.float64], largest: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The same in one state.

    An entry of M's diagonal is zero if it is nothing beside the inertia that it is a part of.
    Scaled to a diagonal of ones, M is singular if its lowest eigenvalue is rounding.
    """
    diagonal, nv = np.diag(M), len(M)
    if not np.isfinite(M).all():  # of figures far beyond any robot's nothing is known
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
    """For every velocity, a bound of its inertia: that of all mass that it carries, about any axis."""
    bodies, found = model.bodies, np.zeros(model.nv)
    I = [body.inertia for body in bodies]
    for i in range(len(bodies) - 1, 0, -1):
        body = bodies[i]
        for at, S in enumerate(body.joint.columns(), model.v_index[i].start):
            found[at] = dot(S.ang, S.ang) * sum(I[i].I[k][k] for k in range(3)) + dot(S.lin, S.lin) * I[i].m
        I[body.parent] += body.placement @ body.joint.transform(q[model.q_index[i]]) @ I[i]
    return found
