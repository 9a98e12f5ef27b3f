"""A cost defined by a user's function of scalars."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import user_scalars
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.errors import InputError
from revolute.model.identity import OUTSIDE
from revolute.optimal.costs.cost import Array, Between, Cost, CostNode
from revolute.spatial.scalar import Scalar, Scalars


@dataclass(frozen=True, eq=False)
class Residual(Cost):
    """User-defined errors: `f(model, q, qd, tau, p)` returns a list of scalars, traced once and differentiated.

    f may use + - * /, the functions of `revolute.spatial.scalar` in place of NumPy's, and recursions of
    `revolute.dynamics` such as `frame_pose(model, q, "tool0")`. For a value that should stay between bounds, return
    `Between(value, lower, upper)`. q and qd are those of the model's joints; with drives they are computed from the
    coordinates.

    Attributes:
        f: the function of the errors.
        goal: default of p, an array; `solve(goal={name: p})` replaces it.
        of_forces: whether f depends on tau; it then applies from the first node on, and not to the last one.

    Example:
        >>> from revolute.dynamics.kinematics import frame_pose
        >>> from revolute.optimal import Residual
        >>> def height(model, q, qd, tau, p):
        ...     return [frame_pose(model, q, "tool0").p[2] - p[0]]
        >>> Residual(height, 10.0, goal=[0.5]).called()
        'height'
    """

    f: Callable[..., Sequence[Any]]
    weight: ArrayLike = field(default=1.0, metadata=OUTSIDE)
    name: str = field(default="", metadata=OUTSIDE, kw_only=True)
    hard: bool = field(default=False, kw_only=True)
    goal: ArrayLike = field(default=(), metadata=OUTSIDE, kw_only=True)
    of_forces: bool = field(default=False, kw_only=True)  # type: ignore[misc]
    word: ClassVar[str] = "residual"

    def __post_init__(self) -> None:
        if not callable(self.f):
            raise InputError(f"Residual: f must be a function of (model, q, qd, tau, p), not {self.f!r}")

    def called(self) -> str:
        return self.name or getattr(self.f, "__name__", self.word)

    def size(self, dynamics: Dynamics) -> int:
        q, still, before = dynamics.parts(dynamics.rest())
        node = CostNode(q, still, still, still, before, 1.0, dynamics.positions(q), dynamics.rates(still))
        return len(self.errors(dynamics, node, np.ravel(np.asarray(self.goal, float)).tolist()))

    def goal_shape(self, dynamics: Dynamics) -> tuple[int, ...]:
        return np.shape(self.goal)

    def default_goal(self, dynamics: Dynamics) -> Array:
        return np.asarray(self.goal, float)

    def errors(self, dynamics: Dynamics, node: CostNode, goal: Scalars) -> list[Scalar | Between]:
        what = f"Residual '{self.called()}': f(model, q, qd, tau, p)"
        return user_scalars(what, self.f, dynamics.model, node.joints, node.rates, node.tau, goal, also=Between)
