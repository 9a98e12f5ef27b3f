"""What a step of integration asks of a machine, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial.scalar import Scalar

__all__ = ["Mechanics"]

Vector = Sequence[Scalar]


def _of_implicit_steps(*_: Vector) -> NoReturn:
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
    accelerate: Callable[[Vector, Vector], Vector]
    missing_forces: Callable[[Vector, Vector, Vector], Vector] = _of_implicit_steps
    lagrangian_partials: Callable[[Vector, Vector], tuple[Vector, Vector]] = _of_implicit_steps
    velocities: Callable[[Vector, Vector], Vector] = _of_implicit_steps
