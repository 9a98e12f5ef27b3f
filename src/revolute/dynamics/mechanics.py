"""The functions of a robot or system that integration steps call."""

from collections.abc import Callable
from typing import NoReturn

from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial.scalar import Scalar, Scalars

Solve = Callable[[Scalars], Scalars]


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
        midpoint_solver: function of (q, qd, h); it returns the solution of Newton's equations of `implicit_midpoint`, a
            function of their right-hand side. None: by dual numbers.
        held: function of (q, h) for constraints; it returns functions for `variational_midpoint`: the constraint errors
            of an end of the step, divided by h, and the solution of Newton's equations of momenta and these errors.
    """

    space: Model
    accelerate: Callable[[Scalars, Scalars], Scalars]
    missing_forces: Callable[[Scalars, Scalars, Scalars], Scalars] = _of_implicit_steps
    lagrangian_partials: Callable[[Scalars, Scalars], tuple[Scalars, Scalars]] = _of_implicit_steps
    velocities: Callable[[Scalars, Scalars], Scalars] = _of_implicit_steps
    rolled: bool = False
    midpoint_solver: Callable[[Scalars, Scalars, Scalar], Solve] | None = None
    held: Callable[[Scalars, Scalar], tuple[Solve, Solve]] | None = None
