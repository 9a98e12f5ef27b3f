"""A robot as optimal control uses it: coordinates, accelerations, one time step; for any scalar type."""

from collections.abc import Callable
from functools import cached_property

from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.composite_body import mass_matrix_factors
from revolute.dynamics.coordinate_rates import coordinate_rates
from revolute.dynamics.displacements import difference, integrated
from revolute.dynamics.driven import (
    driven_articulated_body,
    driven_factors,
    driven_forward_dynamics,
    driven_inverse_dynamics,
    driven_inverse_dynamics_partials,
)
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.mechanics import Mechanics
from revolute.dynamics.newton_euler import newton_euler
from revolute.dynamics.optimal.closures import Closing
from revolute.dynamics.optimal.holding import Holding
from revolute.dynamics.sparse_factorization import Factors, carriers
from revolute.dynamics.steps import IMPLICIT, METHODS
from revolute.model.contact import Contact
from revolute.model.model import Closure, Model
from revolute.model.reduce import reduced
from revolute.records import dataclass
from revolute.spatial.scalar import Rows, Scalar, Scalars, select, transposed

EXPLICIT = tuple(name for name in METHODS if name not in IMPLICIT)  # names of the explicit integration methods

FAR = 1e6
"""Maximum magnitude of a state's entries. Beyond it, the neutral state replaces the state, which counts as lost."""


@dataclass(frozen=True)
class Dynamics:
    """A tree and its drivetrain; `drives` is None if the joints are the coordinates.

    A state x is (q, qd); with `remembers` it is (q, qd, forces of the previous step). A tangent displacement of a state
    is (dq, dqd, ...), with the same parts. With `contacts`, nodes have the parameters of `Holding`; with `gains`, these
    determine the accelerations of points, not their velocities at the end of a step. `closures` close loops of a tree
    whose joints are the coordinates.
    """

    model: Model
    drives: Drivetrain | None = None
    method: str = "semi_implicit_euler"
    remembers: bool = False
    contacts: tuple[Contact, ...] = ()
    gains: bool = False
    closures: tuple[Closure, ...] = ()

    @cached_property
    def tree(self) -> Model:
        """The tree with fewer inertial parameters: its inertias differ, but it has the same joint forces and frames."""
        return reduced(self.model)

    @cached_property
    def space(self) -> Model:
        """The model whose joints are the coordinates."""
        return self.drives.space if self.drives else self.model

    @cached_property
    def size(self) -> int:
        """Number of entries of a tangent displacement of the state."""
        return self.space.nv * (3 if self.remembers else 2)

    @property
    def mass(self) -> float:
        """The mass of the moving links, or 1 if only rotors have inertia [kg]."""
        return float(sum(body.inertia.m for body in self.model.bodies[1:])) or 1.0

    @property
    def lean(self) -> bool:
        """Whether the derivatives of a step have the form that `symplectic_model` uses."""
        return self.method == "semi_implicit_euler" and not self.remembers

    def rest(self) -> list[float]:
        """The state at rest in the neutral configuration."""
        neutral = [y for body in self.space.bodies for y in body.joint.neutral()]
        return [*neutral, *(0.0,) * (self.size - self.space.nv)]

    def parts(self, x: Scalars) -> tuple[Scalars, Scalars, Scalars]:
        """The positions, the velocities and, if remembered, the forces of the previous step in a state."""
        nq, end = self.space.nq, self.space.nq + self.space.nv
        return x[:nq], x[nq:end], x[end:]

    def positions(self, q: Scalars) -> Scalars:
        """Positions of the tree's joints."""
        return self.drives.positions(self.model, q) if self.drives else q

    def rates(self, qd: Scalars) -> Scalars:
        """Velocities of the tree's joints from those of the coordinates; accelerations likewise."""
        return self.drives.rates(qd) if self.drives else qd

    def row(self, of_joints: list[Scalar]) -> list[Scalar]:
        """Derivatives along velocities of the coordinates, from those along velocities of the tree's joints."""
        return self.drives.projected(of_joints) if self.drives else of_joints

    def matrix(self, of_joints: Rows) -> Rows:
        """A bilinear form in velocities of the coordinates, from one in velocities of the tree's joints."""
        return self.drives.projected_matrix(of_joints) if self.drives else of_joints

    def factors(self, q: Scalars) -> Factors:
        """L and D of the mass matrix."""
        return driven_factors(self.tree, self.drives, q) if self.drives else mass_matrix_factors(self.tree, q)

    @property
    def holds(self) -> bool:
        """Whether there are contacts or closures, so that `accelerations` also returns their forces."""
        return bool(self.contacts or self.closures)

    @property
    def rows(self) -> int:
        """Number of forces of contacts and closures."""
        return 3 * len(self.contacts) + sum(len(closure.row_names()) for closure in self.closures)

    def accelerations(
        self, q: Scalars, qd: Scalars, tau: Scalars, numbers: Scalars = (), h: Scalar = None
    ) -> list[Scalar]:
        """The nv accelerations of the coordinates under the forces tau: see `articulated_body`.

        They are followed by the forces of contacts with the parameters `numbers` (see `Holding`), then by the forces of
        closures in a step of length h (see `Closing`).
        """
        if self.holds:
            held = Holding(self, q, numbers)
            return (Closing(held, h) if self.closures else held).accelerations(qd, tau)
        if self.drives is None:
            return articulated_body(self.tree, q, qd, tau)
        forward = driven_articulated_body if self.drives.uncoupled else driven_forward_dynamics
        return forward(self.tree, self.drives, q, qd, tau)

    def forces(self, q: Scalars, qd: Scalars, qdd: Scalars) -> list[Scalar]:
        """The nv forces that produce accelerations: see `newton_euler`."""
        if self.drives is None:
            return newton_euler(self.tree, q, qd, qdd)
        return driven_inverse_dynamics(self.tree, self.drives, q, qd, qdd)

    def force_partials(self, q: Scalars, qd: Scalars, qdd: Scalars) -> tuple[Rows, Rows, Rows]:
        """dtau/dq, dtau/dqd and M: see `inverse_dynamics_partials`."""
        if self.drives is None:
            return inverse_dynamics_partials(self.tree, q, qd, qdd)
        return driven_inverse_dynamics_partials(self.tree, self.drives, q, qd, qdd)

    @cached_property
    def related(self) -> list[list[int]]:
        """For each coordinate, the nonzero columns in its row of `force_partials`: itself, its carriers, its load."""
        if self.drives is not None:
            return [[*range(self.space.nv)]] * self.space.nv
        above = [{*before, k} for k, before in enumerate(carriers(self.model))]
        return [[j for j, them in enumerate(above) if k in them or j in above[k]] for k in range(len(above))]

    def step(
        self, x: Scalars, tau: Scalars, qdd: Scalars, h: Scalar,
        accelerate: Callable[[Scalars, Scalars], Scalars] | None = None,
    ) -> list[Scalar]:
        """The state after a step of length h under the forces tau, where qdd are the accelerations at its start.

        `accelerate` returns qdd(q, qd) for the stages of the method; by default, the robot's accelerations under tau.
        """
        q, qd, _ = self.parts(x)
        at_stage = accelerate or (lambda q, qd: self.accelerations(q, qd, tau))
        if self.method == "semi_implicit_euler":  # this method evaluates only the start
            at_stage = lambda q, qd: qdd[: len(qd)]  # noqa: E731  # without forces of contacts
        positions, v = METHODS[self.method](Mechanics(self.space, at_stage), q, qd, h)
        return [*positions, *v, *(tau if self.remembers else ())]

    def along_plan(
        self, x: Scalars, tau: Scalars, qdd: Scalars, gap: Scalars, share: Scalar, h: Scalar
    ) -> tuple[list[Scalar], list[Scalar], Scalar]:
        """The state after a step, moved back by (1 - share) of the gap, so that a fraction of each gap closes.

        Mastalli et al. 2020 (FDDP). Also return the displacement from this state to the end of the step, and 1 if the
        state is lost, else 0.
        """
        arrived = self.step(x, tau, qdd, h)
        after, lost = self.kept(self.moved(arrived, [(share - 1) * g for g in gap]))
        return after, self.difference(after, arrived), lost

    def kept(self, x: Scalars) -> tuple[list[Scalar], Scalar]:
        """The state and 0; or the neutral state and 1, if an entry of the state exceeds `FAR` or is NaN."""
        largest = 0.0
        for y in x:
            largest = select(abs(y) <= FAR, largest, FAR * 2)
        near = largest <= FAR
        return [select(near, y, still) for y, still in zip(x, self.rest(), strict=True)], select(near, 0.0, 1.0)

    def difference(self, x0: Scalars, x1: Scalars) -> list[Scalar]:
        """The tangent displacement from state x0 to x1: `JointType.difference` of positions, then plain differences."""
        nq = self.space.nq
        turns = difference(self.space, x0[:nq], x1[:nq])
        return [*turns, *(b - a for a, b in zip(x0[nq:], x1[nq:], strict=True))]

    def moved(self, x: Scalars, d: Scalars) -> list[Scalar]:
        """The state x displaced by d: the inverse of `difference`."""
        space = self.space
        q = integrated(space, x[: space.nq], d[: space.nv])
        return [*q, *(a + b for a, b in zip(x[space.nq :], d[space.nv :], strict=True))]

    def directions(self, q: Scalars) -> Rows:
        """For each position, its derivative along each of the nv velocities."""
        n = self.space.nv
        return transposed([coordinate_rates(self.space, q, [int(k == j) for j in range(n)]) for k in range(n)])
