"""The functions of a robot or system that integration steps call."""

from collections.abc import Callable
from typing import NoReturn

from revolute.model.model import Model
from revolute.records import dataclass
from revolute.spatial.scalar import Scalar, Scalars

Solve = Callable[[Scalars], Scalars]


def _of_implicit_steps(*_: Scalars) -> NoReturn:
    raise NotImplementedError("these mechanics support explicit steps only")


@dataclass(frozen=True)
class Mechanics:
    """A robot or system under state-dependent forces and forces that are constant during a step.

    Explicit steps use only the first two attributes.
    """

    space: Model  # a model whose joints have the coordinates q
    accelerate: Callable[[Scalars, Scalars], Scalars]  # qdd(q, qd)
    # function of (q, qd, qdd), inverse dynamics minus acting forces: zero for qdd of `accelerate`
    missing_forces: Callable[[Scalars, Scalars, Scalars], Scalars] = _of_implicit_steps
    # dL/dqd, and dL/dq plus all acting forces: see `hamilton.lagrangian_partials`
    lagrangian_partials: Callable[[Scalars, Scalars], tuple[Scalars, Scalars]] = _of_implicit_steps
    velocities: Callable[[Scalars, Scalars], Scalars] = _of_implicit_steps  # qd(q, p) = M^-1 p
    rolled: bool = False  # whether the stages of a step are a loop, because accelerations are long
    # function of (q, qd, h); it returns the solution of Newton's equations of `implicit_midpoint`, a function of their
    # right-hand side. None: by dual numbers.
    midpoint_solver: Callable[[Scalars, Scalars, Scalar], Solve] | None = None
    # function of (q, h) for constraints; it returns functions for `variational_midpoint`: the constraint errors of an
    # end of the step, divided by h, and the solution of Newton's equations of momenta and these errors
    held: Callable[[Scalars, Scalar], tuple[Solve, Solve]] | None = None
