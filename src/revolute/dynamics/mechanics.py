"""Functions of a machine that integration steps call."""

from __future__ import annotations

from collections.abc import Callable

from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial.scalar import Scalars

__all__ = ["Mechanics"]


@dataclass(frozen=True)
class Mechanics:
    """A machine under forces that are constant during a step, in addition to state-dependent forces.

    Attributes:
        space: a model with its coordinates.
        accelerate: qdd(q, qd).
        missing_forces: of a motion (q, qd, qdd): inverse dynamics minus acting forces; zero for qdd of `accelerate`.
        lagrangian_partials: dL/dqd, and dL/dq plus all acting forces: see `hamilton.lagrangian_partials`.
        velocities: qd(q, p) = M^-1 p.
    """

    space: Model
    accelerate: Callable[[Scalars, Scalars], Scalars]
    missing_forces: Callable[[Scalars, Scalars, Scalars], Scalars]
    lagrangian_partials: Callable[[Scalars, Scalars], tuple[Scalars, Scalars]]
    velocities: Callable[[Scalars, Scalars], Scalars]
