"""Functions of a machine that steps of integration call."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial.scalar import Scalars

__all__ = ["Mechanics"]


def _of_implicit_steps(*_: Scalars) -> NoReturn:
    raise NotImplementedError("these mechanics are for explicit steps")


@dataclass(frozen=True)
class Mechanics:
    """A machine under forces that are constant during a step, besides those that depend on the state.

    Explicit steps need the first two.

    Attributes:
        space: a model with its coordinates.
        accelerate: qdd(q, qd).
        missing_forces: of a motion (q, qd, qdd): inverse dynamics less the forces that act; zero for accelerate's qdd.
        lagrangian_partials: dL/dqd, and dL/dq with all forces that act: see `hamilton.lagrangian_partials`.
        velocities: qd(q, p) = M^-1 p.
    """

    space: Model
    accelerate: Callable[[Scalars, Scalars], Scalars]
    missing_forces: Callable[[Scalars, Scalars, Scalars], Scalars] = _of_implicit_steps
    lagrangian_partials: Callable[[Scalars, Scalars], tuple[Scalars, Scalars]] = _of_implicit_steps
    velocities: Callable[[Scalars, Scalars], Scalars] = _of_implicit_steps
