"""A robot as optimal control uses it: coordinates, accelerations, one time step; over any scalar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.coordinate_rates import coordinate_rates, normalized
from revolute.dynamics.driven import (
    driven_articulated_body,
    driven_forward_dynamics,
    driven_inverse_dynamics,
    driven_inverse_dynamics_partials,
)
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.mechanics import Mechanics
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.steps import IMPLICIT, METHODS
from revolute.model.model import Model
from revolute.model.reduce import reduced
from revolute.records import dataclass
from revolute.spatial.scalar import Scalar, transposed

__all__ = ["EXPLICIT", "Dynamics"]

Vec = Sequence[Scalar]
Rows = list[list[Scalar]]

EXPLICIT = tuple(name for name in METHODS if name not in IMPLICIT)
"""Methods of steps that solve no equations."""


@dataclass(frozen=True)
class Dynamics:
    """A tree, and the drivetrain that its joints follow, if any.

    Attributes:
        model: the tree, with its own link frames and inertias.
        drives: how the joints of the tree follow the coordinates; None if the joints are the coordinates.
        method: of steps, one of `EXPLICIT`.
        remembers: the state has the forces of the step before, too.

    A state x is (q, qd), or (q, qd, forces before); a small motion of it is (dq, dqd, ...), of the same parts in the
    tangent space.
    """

    model: Model
    drives: Drivetrain | None = None
    method: str = "semi_implicit_euler"
    remembers: bool = False

    @cached_property
    def tree(self) -> Model:
        """The tree with fewer inertial parameters: the same forces and frames, other inertias."""
        return reduced(self.model)

    @cached_property
    def space(self) -> Model:
        """The model whose joints are the coordinates."""
        return self.drives.space if self.drives else self.model

    @cached_property
    def size(self) -> int:
        """Numbers of a small motion of the state."""
        return self.space.nv * (3 if self.remembers else 2)

    @property
    def lean(self) -> bool:
        """Whether small motions have the constant derivatives of `symplectic_model`."""
        return self.method == "semi_implicit_euler" and not self.remembers

    def rest(self) -> list[float]:
        """The state at rest in the neutral configuration."""
        neutral = [y for body in self.space.bodies for y in body.joint.neutral()]
        return [*neutral, *(0.0,) * (self.size - self.space.nv)]

    def parts(self, x: Vec) -> tuple[Vec, Vec, Vec]:
        """Positions, velocities and the forces before, if any, of a state."""
        nq, end = self.space.nq, self.space.nq + self.space.nv
        return x[:nq], x[nq:end], x[end:]

    def positions(self, q: Vec) -> Vec:
        """Positions of the tree's joints."""
        return self.drives.positions(self.model, q) if self.drives else q

    def rates(self, qd: Vec) -> Vec:
        """Velocities of the tree's joints, or accelerations."""
        return self.drives.rates(qd) if self.drives else qd

    def accelerations(self, q: Vec, qd: Vec, tau: Vec) -> list[Scalar]:
        """The nv accelerations of the coordinates under the forces tau: see `articulated_body`."""
        if self.drives is None:
            return articulated_body(self.tree, q, qd, tau)
        forward = driven_articulated_body if self.drives.uncoupled else driven_forward_dynamics
        return forward(self.tree, self.drives, q, qd, tau)

    def forces(self, q: Vec, qd: Vec, qdd: Vec) -> list[Scalar]:
        """The nv forces that produce accelerations: see `newton_euler`."""
        if self.drives is None:
            return newton_euler(self.tree, q, qd, qdd)
        return driven_inverse_dynamics(self.tree, self.drives, q, qd, qdd)

    def force_partials(self, q: Vec, qd: Vec, qdd: Vec) -> tuple[Rows, Rows, Rows]:
        """dtau/dq, dtau/dqd and M: see `inverse_dynamics_partials`."""
        if self.drives is None:
            return inverse_dynamics_partials(self.tree, q, qd, qdd)
        return driven_inverse_dynamics_partials(self.tree, self.drives, q, qd, qdd)

    def step(
        self, x: Vec, tau: Vec, qdd: Vec, h: Scalar, accelerate: Callable[[Vec, Vec], Vec] | None = None
    ) -> list[Scalar]:
        """The state after a step.

        Args:
            x: the state.
            tau, qdd: forces, and the accelerations under them at the start.
            h: length of the step.
            accelerate: qdd(q, qd) at the stages of methods that have some: by default of the robot under tau.
        """
        q, qd, _ = self.parts(x)
        if self.method == "semi_implicit_euler":  # velocities first, then positions with the new ones
            v: Vec = [a + h * b for a, b in zip(qd, qdd, strict=True)]
            rates = coordinate_rates(self.space, q, v)
            positions: Vec = normalized(self.space, [a + h * rate for a, rate in zip(q, rates, strict=True)])
        else:
            at_stage = accelerate or (lambda q, qd: self.accelerations(q, qd, tau))
            positions, v = METHODS[self.method](Mechanics(self.space, at_stage), q, qd, h)
        return [*positions, *v, *(tau if self.remembers else ())]

    def difference(self, x0: Vec, x1: Vec) -> list[Scalar]:
        """The small motion from a state x0 to x1: `Joint.difference` of positions, then the rest."""
        space, nq = self.space, self.space.nq
        places = zip(space.bodies, space.q_index, strict=True)
        turns = [d for body, at in places for d in body.joint.difference(x0[at], x1[at])]
        return [*turns, *(b - a for a, b in zip(x0[nq:], x1[nq:], strict=True))]

    def moved(self, x: Vec, d: Vec) -> list[Scalar]:
        """The state x after a small motion d, so that `difference` gives it back."""
        space = self.space
        places = zip(space.bodies, space.q_index, space.v_index, strict=True)
        q = [y for body, at, to in places for y in body.joint.integrate(x[at], d[to])]
        return [*q, *(a + b for a, b in zip(x[space.nq :], d[space.nv :], strict=True))]

    def directions(self, q: Vec) -> Rows:
        """For each position, its derivative along each of the nv velocities."""
        n = self.space.nv
        columns = [coordinate_rates(self.space, q, [int(k == j) for j in range(n)]) for k in range(n)]
        return transposed(columns)
