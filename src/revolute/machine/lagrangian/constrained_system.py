"""A Lagrangian system whose motion is constrained."""

from dataclasses import dataclass
from functools import cached_property

import sympy
from numpy.typing import ArrayLike

from revolute.errors import InputError
from revolute.machine.declare import declared, internal
from revolute.machine.lagrangian import functions
from revolute.machine.lagrangian.motion import project
from revolute.machine.lagrangian.symbols import Symbol, derivative
from revolute.machine.lagrangian.system import MECHANICS, System, Values
from revolute.machine.machine import Array, Out, Threads

_HELD = ("constraint_expressions",)
_MOVED = ("kinetic", *_HELD)


@dataclass(frozen=True, eq=False)
class ConstrainedSystem(System):
    """A Lagrangian system with constraints, created by `System.with_constraints`. SHV 6.15-6.18.

        M ddq + C dq + g + dD/d(dq) = Q + tau + A^T lambda
        h(q, t) = 0  with A = dh/dq (holonomic),    A(q, t) dq + b(q, t) = 0 (non-holonomic)

    Constraint forces A^T lambda do no work in displacements that the constraints allow. `forward_dynamics`,
    `linearize`, `simulate`, `equations` and `accelerations` obey the constraints; `inverse_dynamics` and `tau` return
    the sum of tau and A^T lambda, and `regressor` describes this sum. `hamiltonian` is not supported. The mass matrix
    must be invertible. Rows of A may depend on each other: the multipliers are then those of minimum norm. For nearly
    dependent rows see `revolute.dynamics.constrained`.

    `simulate` needs an initial state that satisfies the constraints within 1e-6 (see `project`). It projects the state
    after every step, so that only rounding errors remain, and at the stages within a step, where dependent rows would
    otherwise seem independent. `linearize` differentiates the accelerations of all n coordinates: deviations must
    satisfy the constraints.

    Attributes:
        constraints: the constraints with their names and rows; see `constraint_names`.
    """

    _kind = "constrained system"
    _parts = (
        internal("position_correction", functions.position_correction, "q qd -> dq: nv", symbols_in=_MOVED),
        internal("velocity_correction", functions.velocity_correction, "q qd -> dqd: nv", symbols_in=_MOVED),
    )

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """A name for each of the m constraints."""
        return tuple(x.name for x in self.constraints)

    @declared(functions.multipliers, "q qd tau -> lambda: rows", symbols_in=MECHANICS)
    def multipliers(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, values: Values = None, *, out: Out = None,
        threads: Threads = None,
    ) -> Array:
        """Lagrange multipliers lambda (..., m), one for each constraint. SHV 6.15-6.18.

        Args:
            q, qd: (..., n) a state that satisfies the constraints.
            tau: (..., n) forces in addition to Q.
            values, out, threads: see `inverse_dynamics`.

        Returns:
            (..., m) factors of the rows of A, in A^T lambda.

        Raises:
            InputError, UnknownNameError, ShapeError, DtypeError: see `inverse_dynamics`.

        Example:
            >>> import sympy
            >>> x, y, dx, dy = sympy.symbols("x y dx dy")
            >>> particle = revolute.lagrange([x, y], (dx**2 + dy**2) / 2, 9.81 * y)
            >>> bead = particle.with_constraints([x**2 + y**2 - 1])
            >>> bead.multipliers([0.0, -1.0], [2.0, 0.0], [0.0, 0.0])  # 2 lambda y = 9.81 + 2^2
            array([-6.905])
        """

    @declared(functions.constraint_forces, "q qd tau -> A^T lambda: nv", symbols_in=MECHANICS)
    def constraint_forces(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, values: Values = None, *, out: Out = None,
        threads: Threads = None,
    ) -> Array:
        """Generalised forces A^T lambda (..., n) of the constraints. Arguments and errors: see `multipliers`."""

    @declared(functions.constraint_error, "q -> h: rows", symbols_in=_HELD)
    def constraint_error(
        self, q: ArrayLike, values: Values = None, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """h(q) (..., m); zero for non-holonomic constraints. Arguments and errors: see `inverse_dynamics`."""

    @declared(functions.constraint_rates, "q qd -> A qd + b: rows", symbols_in=_HELD)
    def constraint_rates(
        self, q: ArrayLike, qd: ArrayLike, values: Values = None, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """A qd + b (..., m), which is zero for velocities that the constraints allow. See `inverse_dynamics`."""

    @declared(functions.constraint_jacobian, "q -> A: rows nv", symbols_in=_HELD)
    def constraint_jacobian(
        self, q: ArrayLike, values: Values = None, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """The matrix A (..., m, n): dh/dq for holonomic constraints. Arguments and errors: see `inverse_dynamics`."""

    def project(self, q: ArrayLike, qd: ArrayLike, values: Values = None, *, most: int = 50) -> tuple[Array, Array]:
        """The nearest state that satisfies the constraints, by Newton's method in the metric of the kinetic energy.

        Args:
            q, qd: (..., n) a state near one that satisfies the constraints.
            values: numbers or arrays (...) for the parameters of the constraints and of the kinetic energy, including
                time.
            most: maximum number of Newton steps.

        Returns:
            q and qd.

        Raises:
            InputError: a parameter has no value, or no such state is found; the message names the parameter or the
                constraint.
            UnknownNameError: a value is given for a name that is not a parameter.

        Example:
            >>> import sympy
            >>> x, y, dx, dy = sympy.symbols("x y dx dy")
            >>> particle = revolute.lagrange([x, y], (dx**2 + dy**2) / 2)
            >>> bead = particle.with_constraints([x**2 + y**2 - 1])
            >>> q, qd = bead.project([3.0, 4.0], [1.0, 0.0])
            >>> q.round(6), qd.round(6)
            (array([0.6, 0.8]), array([ 0.64, -0.48]))
        """
        return project(self, q, qd, values, most)

    @cached_property
    def lambdas(self) -> tuple[Symbol, ...]:
        """(m,) symbols of the multipliers, `lambda1` for the first constraint."""
        names = [f"lambda{k}" for k in range(1, len(self.constraints) + 1)]
        known = {x.name for x in (*self.q, *self.parameters)}
        return tuple(sympy.Symbol(f"{x}_" if x in known else x) for x in names)

    @cached_property
    def A(self) -> sympy.Matrix:
        """(m, n) matrix A, one row for each constraint."""
        return sympy.Matrix([list(x.row) for x in self.constraints])

    @cached_property
    def equations(self) -> tuple[sympy.Eq, ...]:
        """n equations of motion with the constraint forces on the right, and the m constraints."""
        forces = self.A.T * sympy.Matrix(self.lambdas)
        motion = [sympy.Eq(x.lhs, x.rhs + f) for x, f in zip(self._free_equations(), forces, strict=True)]
        return (*motion, *(sympy.Eq(x.expression, 0) for x in self.constraints))

    @cached_property
    def accelerations(self) -> sympy.Matrix:
        """(n,) ddq under the given forces Q, or under symbols tau1, tau2 ... Constraints must be independent."""
        rates = [*zip(self.q, self.dq, strict=True), *([(self.time, sympy.S.One)] if self.time is not None else [])]
        speeds = self.A * sympy.Matrix(self.dq) + sympy.Matrix([x.rest for x in self.constraints])
        drift = sum(
            (speeds.applyfunc(lambda y, x=x: derivative(y, x)) * v for x, v in rates),
            sympy.zeros(len(self.constraints), 1),
        )
        free, W = self._free_accelerations(), self.M.LUsolve(self.A.T)
        S = self.A * W
        det = S.det()
        if det.equals(0):
            raise InputError(
                f"accelerations: rows of the constraints of '{self.name}' depend on each other in every state: use "
                "`forward_dynamics`, or remove dependent rows"
            )
        force = S.adjugate() * (-drift - self.A * free) / det
        return (free + W * force).applyfunc(sympy.factor_terms)
