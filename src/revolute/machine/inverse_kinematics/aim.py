"""Move redundant joints towards a rest configuration while the poses stay reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from revolute.errors import InputError
from revolute.machine.inverse_kinematics.arguments import CALLER, configurations
from revolute.machine.inverse_kinematics.attempts import Attempts, Found
from revolute.machine.machine import Array
from revolute.model.configurations import difference, integrate, neutral
from revolute.model.model import Model
from revolute.model.whole_turns import Turning
from revolute.records import dataclass

__all__ = ["Aim", "aim_of"]

LONGEST = 0.5
"""Maximum length of a step [rad, m]: longer ones deviate too far from straight lines."""

ROUNDS = 60
"""Maximum number of steps."""

SHORTEST = 1e-6
"""Length of a step below which the search ends [rad, m]."""


@dataclass(frozen=True, eq=False)
class Aim:
    """The target of redundant joints: least |w (rest - q)|^2.

    Attributes:
        space: the model whose joints are the coordinates q.
        rest: (nq,) where joints should be.
        weights: (nv,) 1 for joints that should, 0 for others.
        turning: coordinates that take the shortest rotation.
    """

    space: Model
    rest: Array
    weights: Array
    turning: tuple[Turning, ...]

    def way(self, q: Array) -> Array:
        """(N, nv) the small motions that lead straight there."""
        return np.asarray(difference(self.space, q, self.rest, self.turning) * self.weights)

    def approached(
        self, search: Attempts, null_motion: Callable[[Array, Array, Array], Array], found: Found, poses: Array
    ) -> Found:
        """Solutions moved towards the target, as far as poses and limits allow. Liegeois 1977.

        The way to rest is projected on motions that keep the poses. A step along them is corrected by a search, and
        accepted only if the poses are reached again and the distance decreases; otherwise it is halved.
        """
        q, steps = found.q.copy(), found.iterations.copy()
        going = np.flatnonzero(found.converged)
        scale = np.ones(len(q))
        for _ in range(ROUNDS):
            if not len(going):
                break
            way = self.way(q[going])
            z = null_motion(way, q[going], poses[going])
            length = np.sqrt((z * z).sum(axis=1))
            z *= (scale[going] * LONGEST / np.maximum(length, LONGEST))[:, None]
            worth = length * scale[going] > SHORTEST
            going, way, z = going[worth], way[worth], z[worth]
            if not len(going):
                break
            moved = np.clip(integrate(self.space, q[going], z), *search.limits)
            trial = search.find(poses[going], moved, None, 0)
            distance, new_distance = (np.sqrt((x * x).sum(axis=1)) for x in (way, self.way(trial.q)))
            taken = trial.converged & (new_distance < distance)
            steps[going] += trial.iterations + 1
            q[going[taken]] = trial.q[taken]
            scale[going[~taken]] /= 2
        return found._replace(q=q, iterations=steps)


def aim_of(space: Model, rest: Any, lower: Array, upper: Array, turning: tuple[Turning, ...]) -> Aim:
    """The aim of the argument `rest`: positions, or "middle" of the limits.

    Raises:
        InputError: neither.
    """
    weights = np.ones(space.nv)
    if not isinstance(rest, str):
        positions = configurations(space, "rest", rest)
        if positions.ndim > 1:
            raise InputError(f"{CALLER}: rest must be one configuration, ({space.nq},), not {positions.shape}")
        return Aim(space, positions, weights, turning)
    if rest != "middle":
        raise InputError(f"{CALLER}: rest must be joint positions, or 'middle' of the limits, not {rest!r}")
    middle = np.array(neutral(space), dtype=float)
    limited = np.isfinite(lower) & np.isfinite(upper)
    middle[limited] = (lower[limited] + upper[limited]) / 2
    for body, at, to in zip(space.bodies, space.q_index, space.v_index, strict=True):
        if not (body.joint.nq == body.joint.nv and limited[at].all()):
            weights[to] = 0
    return Aim(space, middle, weights, turning)
