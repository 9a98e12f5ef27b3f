"""The functions of a robot or system that integration steps call."""

from collections.abc import Callable
from typing import NoReturn

from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial.scalar import Rows, Scalar, Scalars


def _of_implicit_steps(*_: Scalars) -> NoReturn:
    raise NotImplementedError("these mechanics are for explicit steps")


@dataclass(frozen=True)
class Mechanics:
    """A robot or system under state-dependent forces and forces that are constant during a step.

    Explicit steps use only the first two attributes.

    Attributes:
        space: a model whose joints have the coordinates q.
        accelerate: qdd(q, qd).
        missing_forces: function of (q, qd, qdd), inverse dynamics minus acting forces: zero for qdd of `accelerate`.
        lagrangian_partials: dL/dqd, and dL/dq plus all acting forces: see `hamilton.lagrangian_partials`.
        velocities: qd(q, p) = M^-1 p.
        rolled: whether the stages of a step are a loop, because accelerations are long.
        midpoint_slopes: derivatives, at (q, qd, h), of h/2 missing_forces at the midpoint with respect to the velocity
            there; None: by dual numbers.
    """

    space: Model
    accelerate: Callable[[Scalars, Scalars], Scalars]
    missing_forces: Callable[[Scalars, Scalars, Scalars], Scalars] = _of_implicit_steps
    lagrangian_partials: Callable[[Scalars, Scalars], tuple[Scalars, Scalars]] = _of_implicit_steps
    velocities: Callable[[Scalars, Scalars], Scalars] = _of_implicit_steps
    rolled: bool = False
    midpoint_slopes: Callable[[Scalars, Scalars, Scalar], Rows] | None = None
