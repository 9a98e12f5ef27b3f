"""Move redundant joints towards a posture while frames keep their poses, by a projection in machine code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.compiler.kernel import Kernel, compiled
from revolute.compiler.signature import Signature
from revolute.dynamics.damped_least_squares import mean_square, unforced_motion
from revolute.errors import InputError
from revolute.graph import Input
from revolute.machine.functions.inverse_kinematics import Frames, Rows
from revolute.machine.inverse_kinematics.arguments import CALLER, configurations
from revolute.machine.inverse_kinematics.plan import Found
from revolute.machine.inverse_kinematics.search import LEAST, PosedMachine, error_rows, free_joints, held
from revolute.machine.machine import Array
from revolute.model import Model, exact_text
from revolute.model.configurations import Turning, nearest, neutral
from revolute.records import dataclass
from revolute.spatial.scalar import Scalars

if TYPE_CHECKING:
    from revolute.machine.robot import Robot

LONGEST = 0.5  # maximum length of a step [rad, m]; longer steps deviate too far from straight lines
ROUNDS = 60  # maximum number of steps of the search
SHORTEST = 1e-6  # minimum length of a step [rad, m]; the search ends at a shorter one


@dataclass(frozen=True, eq=False)
class Posture:
    """The target of redundant joints: minimise |w (posture - q)|^2; weights w (nv,) are 1, or 0 without a target.

    `posture` is (nq,), or (N, nq) for N solutions. `turning` are coordinates whose differences use the shortest
    rotation.
    """

    space: Robot
    posture: Array
    weights: Array
    turning: tuple[Turning, ...]

    def way(self, q: Array, of: Array) -> Array:
        """(M, nv) displacements from q to the target; `of` are the indices of the M rows of q among the N solutions."""
        posture = self.posture if self.posture.ndim == 1 else self.posture[of]
        target = nearest(np.broadcast_to(posture, q.shape), q, self.turning)
        return np.asarray(self.space.difference(q, target) * self.weights)

    def approached(
        self, limits: tuple[Array, Array], find: Callable[[Array, Array], Found],
        null_motion: Callable[[Array, Array, Array], Array], found: Found,
    ) -> Found:
        """N solutions moved towards the target, as far as poses and limits, (nq,) or (N, nq), allow. Liegeois 1977.

        `null_motion(displacements, q, rows)` projects displacements onto motions that keep the poses of the solutions
        with the indices `rows`; `find(rows, q)` searches from q for these poses. A step is accepted only if its pose is
        reached again and the distance decreases; otherwise the step is halved.
        """
        q, steps = found.q.copy(), found.iterations.copy()
        going = np.flatnonzero(found.converged)
        scale, (lower, upper) = np.ones(len(q)), (np.broadcast_to(x, q.shape) for x in limits)
        for _ in range(ROUNDS):
            if not len(going):
                break
            way = self.way(q[going], going)
            z = null_motion(way, q[going], going)
            length = np.sqrt((z * z).sum(axis=1))
            z *= (scale[going] * LONGEST / np.maximum(length, LONGEST))[:, None]
            worth = length * scale[going] > SHORTEST
            going, way, z = going[worth], way[worth], z[worth]
            if not len(going):
                break
            moved = np.clip(self.space.integrate(q[going], z), lower[going], upper[going])
            trial = find(going, moved)
            distance, new_distance = (np.sqrt((x * x).sum(axis=1)) for x in (way, self.way(trial.q, going)))
            taken = trial.converged & (new_distance < distance)
            steps[going] += trial.iterations + 1
            q[going[taken]] = trial.q[taken]
            scale[going[~taken]] /= 2
        return found._replace(q=q, iterations=steps)


def posture_of(space: Robot, posture: Any, lower: Array, upper: Array, turning: tuple[Turning, ...]) -> Posture:
    """The target that the argument `posture` describes: positions, or the "middle" of the limits."""
    weights = np.ones(space.nv)
    if not isinstance(posture, str):
        positions = configurations(space, "posture", posture)
        if positions.ndim > 1:
            raise InputError(f"{CALLER}: posture must be one configuration, ({space.nq},), not {positions.shape}")
        return Posture(space, positions, weights, turning)
    if posture != "middle":
        raise InputError(f"{CALLER}: posture must be joint positions, or 'middle' of the limits, not {posture!r}")
    middle = np.array(neutral(space), dtype=float)
    limited = np.isfinite(lower) & np.isfinite(upper)
    middle[limited] = (lower[limited] + upper[limited]) / 2
    for body, at, to in zip(space.bodies, space.q_index, space.v_index, strict=True):
        if not (body.joint.nq == body.joint.nv and limited[at].all()):
            weights[to] = 0
    return Posture(space, middle, weights, turning)


def null_motion(machine: PosedMachine, frames: Frames, rows: Rows) -> Kernel:
    """The kernel (z, q, poses, lower, upper) -> the part of small motions z at q that leaves poses unchanged."""
    key = ("null_motion", frames, rows)
    if key not in machine._loops:
        error, identity, owner = machine._identified("chord_error", {"frames": frames, "rows": rows})
        identity = identity and exact_text((identity, "null_motion"))
        again = partial(null_motion, machine, frames, rows)
        form = _null_motion(machine._space, error)
        machine._loops[key] = compiled(machine._kind, owner, form, np.float64, identity, again)
    kernel: Kernel = machine._loops[key]
    return kernel


def _null_motion(space: Model, error: Signature) -> Signature:
    """Project a small motion onto the null space of the task Jacobian, with joints at limits fixed. Liegeois 1977."""
    n, nv, poses = space.nq, space.nv, error.inputs[1].shape

    def body(wish: Scalars, q: Scalars, poses: Scalars, lower: Scalars, upper: Scalars) -> Any:
        z = wish
        _, J = error_rows(space, error, q, poses)
        for _ in range(2):  # a joint may be pushed beyond its limit by the desired motion, or only by its projection
            free = free_joints(space, q, z, lower, upper)
            J, wish = held(J, free), [x * f for x, f in zip(wish, free, strict=True)]
            z = unforced_motion(J, wish, LEAST * mean_square(J))
        return z

    limits = Input("lower", (n,)), Input("upper", (n,))
    inputs = (Input("z", (nv,)), Input("q", (n,)), Input("poses", poses), *limits)
    return Signature("null_motion", inputs, (("z", (nv,)),), body)
