"""Lagrange's equations of a system in SymPy: from coordinates and energies to M, C, g and tau."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import sympy

from revolute.arguments import instances, mapping
from revolute.errors import InputError
from revolute.machine.lagrangian.constraints import Constraint, substituted
from revolute.machine.lagrangian.forms import Hamiltonian, readable, regressor
from revolute.machine.lagrangian.show import latex_names, sheet
from revolute.machine.lagrangian.symbols import Expression, Symbol, derivative, expression, look_up, named
from revolute.symbolic.form import factored
from revolute.symbolic.sheet import Sheet, Shown


@dataclass(frozen=True, eq=False)
class SystemEquations(Shown):
    """The equations of motion of a system, each computed on first access: see `System`."""

    name: str
    q: tuple[Symbol, ...]
    dq: tuple[Symbol, ...]
    ddq: tuple[Symbol, ...]
    kinetic: Expression
    potential: Expression
    dissipation: Expression
    forces: tuple[Expression, ...]
    driven: bool = False
    time: Symbol | None = None
    constraints: tuple[Constraint, ...] = ()

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.q)

    @property
    def lagrangian(self) -> Expression:
        """L = T - U [J]. LP 9.9."""
        return self.kinetic - self.potential

    @property
    def energy(self) -> Expression:
        """T + U [J]."""
        return self.kinetic + self.potential

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """The symbols that are neither coordinates nor velocities, sorted by name; time may be one of them."""
        return self.symbols_of(
            self.kinetic, self.potential, self.dissipation, *self.forces, *self.constraint_expressions
        )

    @property
    def constraint_expressions(self) -> tuple[Expression, ...]:
        """Constraint expressions, which must be zero."""
        return tuple(x.expression for x in self.constraints)

    @cached_property
    def momenta(self) -> sympy.Matrix:
        """(n,) generalised momenta p = dT/d(dq). SHV problem "generalized momentum"."""
        return sympy.Matrix([readable(derivative(self.readable_kinetic, v), self.dq) for v in self.dq])

    @cached_property
    def M(self) -> sympy.Matrix:
        """(n, n) mass matrix, T = dq^T M dq / 2. LP 9.10; JIN 36; SHV 6.50-6.53.

        Raises:
            InputError: the kinetic energy is not quadratic in the velocities; the message names a velocity.
        """
        self.require_quadratic()
        return self._hessian

    @cached_property
    def christoffel(self) -> sympy.Array:
        """(n, n, n) symbols Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2. LP 9.13; JIN 46; SHV 6.63-6.68.

        SHV writes c_jki, with the equation's index last; here it is first.
        """
        D = [[[derivative(x, z) for z in self.q] for x in row] for row in self.M.tolist()]
        n = range(self.n)
        return sympy.Array([[[readable((D[i][j][k] + D[i][k][j] - D[j][k][i]) / 2) for k in n] for j in n] for i in n])

    @cached_property
    def C(self) -> sympy.Matrix:
        """(n, n) matrix C_ij = sum_k Gamma_ijk dq_k, so dM/dt - 2 C is skew. JIN 45; SHV 6.63-6.68, 6.112-6.114."""
        n = range(self.n)
        return sympy.Matrix([[factored(sum(self.christoffel[i, j, k] * self.dq[k] for k in n)) for j in n] for i in n])

    @cached_property
    def g(self) -> sympy.Matrix:
        """(n,) forces g = dU/dq that hold the system at rest against gravity and springs. JIN 42; SHV 6.63-6.68."""
        return sympy.Matrix([readable(derivative(self.potential, x)) for x in self.q])

    @cached_property
    def tau(self) -> sympy.Matrix:
        """(n,) forces that a motion needs in addition to Q: d/dt dL/d(dq) - dL/dq + dD/d(dq) - Q. LP 9.11.

        Their terms are grouped by accelerations and by products of velocities.
        """
        rates = [*zip(self.q, self.dq, strict=True), *zip(self.dq, self.ddq, strict=True)]
        if self.time is not None:
            rates.append((self.time, sympy.S.One))
        L = self.readable_kinetic - self.potential
        forces = []
        for x, v, force in zip(self.q, self.dq, self.forces, strict=True):
            p = derivative(L, v)
            momentum_rate = sum((derivative(p, y) * rate for y, rate in rates), sympy.S.Zero)
            forces.append(momentum_rate - derivative(L, x) + derivative(self.dissipation, v) - force)
        return sympy.Matrix([readable(x, (*self.ddq, *self.dq)) for x in forces])

    @cached_property
    def equations(self) -> tuple[sympy.Eq, ...]:
        """n equations of motion: left-hand sides = the given forces Q, or symbols tau if none are given."""
        return self._free_equations()

    def _free_equations(self) -> tuple[sympy.Eq, ...]:
        """The equations of motion without constraints."""
        return tuple(
            sympy.Eq(readable(y + f, (*self.ddq, *self.dq)), f + t)
            for y, f, t in zip(self.tau, self.forces, self.unknown, strict=True)
        )

    @cached_property
    def unknown(self) -> tuple[Symbol, ...]:
        """Symbols of the forces tau, `tau1` for q1; zeros if forces Q were given."""
        if self.driven:
            return (sympy.S.Zero,) * self.n
        return tuple(sympy.Symbol(f"tau{k}") for k in range(1, self.n + 1))

    @cached_property
    def accelerations(self) -> sympy.Matrix:
        """(n,) ddq under the given forces Q, or under symbols tau1, tau2 if none were given. LP 9.2.

        Raises:
            InputError: a motion has no inertia; the message names a velocity.
        """
        return self._free_accelerations()

    def _free_accelerations(self) -> sympy.Matrix:
        """The accelerations without constraints."""
        self._require_inertia("accelerations")
        rest = sympy.Matrix(self.unknown) - self.tau.xreplace(dict.fromkeys(self.ddq, sympy.S.Zero))
        A = self._hessian
        solved = A.adjugate() * rest / A.det() if self.n <= 3 else A.LUsolve(rest)
        return solved.applyfunc(sympy.factor_terms)

    def regressor(self, known: tuple[Symbol, ...] = ()) -> tuple[sympy.Matrix, sympy.Matrix]:
        """Y and Theta with tau = Y(q, dq, ddq) Theta: the equations are linear in parameters. SHV 6.122.

        See also SHV 6.123-6.133. Theta is a minimal set of constants that determine all forces, in order of appearance
        in the equations. With constraints Y Theta is tau + A^T lambda, as in `inverse_dynamics`.

        Args:
            known: parameters that belong to Y, such as the acceleration of gravity.

        Returns:
            Y (n, p) and Theta (p,).

        Raises:
            UnknownNameError: a symbol in `known` is not a parameter of this system.
            InputError: the equations are not linear in parameters.
        """
        excluded = {look_up(x, self.parameters, "known: parameter") for x in instances("known", known, object)}
        return regressor(self.tau, [x for x in self.parameters if x not in excluded and x is not self.time])

    @cached_property
    def hamiltonian(self) -> Hamiltonian:
        """The energy as a function of coordinates and momenta, and Hamilton's equations. SHV ch. 6 problems.

        Raises:
            InputError: the system has constraints, its kinetic energy is not quadratic in the velocities, or some
                motion has no inertia.
        """
        if self.constraints:
            raise InputError(
                f"'{self.name}' has constraints: `hamiltonian` applies only to systems without them; "
                "use `forward_dynamics` and `multipliers`"
            )
        self.require_quadratic()
        self._require_inertia("Hamilton's form")
        p = tuple(named(f"p{k}", x, ()) for k, x in enumerate(self.q, 1))
        if set(p) & {*self.q, *self.parameters}:
            p = tuple(named(f"p_{x.name}", x, ()) for x in self.q)
        return Hamiltonian.of(self.q, p, self.M, self.potential)

    def latex_of(self, x: Any) -> str:
        """An expression of this system in LaTeX, with dots over rates.

        Example:
            >>> import sympy
            >>> m, theta1, dtheta1 = sympy.symbols("m theta1 dtheta1")
            >>> wheel = revolute.lagrange([theta1], m * dtheta1**2 / 2)
            >>> print(wheel.latex_of(wheel.tau[0]))
            \\ddot{\\theta}_{1} m
        """
        return str(sympy.latex(x, symbol_names=latex_names(self)))

    def _sheet(self, quantities: tuple[str, ...]) -> Sheet:
        return sheet(self, quantities)

    def subs(self, values: Mapping[Any, Any]) -> Self:
        """The system with numbers, or other expressions, for parameters: {symbol or its name: value}.

        Raises:
            UnknownNameError: the system has no such parameter.

        Example:
            >>> import sympy
            >>> m, x, dx = sympy.symbols("m x dx")
            >>> revolute.lagrange([x], m * dx**2 / 2).subs({"m": 2}).M
            Matrix([[2]])
        """
        numbers = mapping("subs: values", values)
        table = {look_up(x, self.parameters, "subs: parameter"): expression(y, str(x)) for x, y in numbers.items()}
        T, U, D = (x.subs(table, simultaneous=True) for x in (self.kinetic, self.potential, self.dissipation))
        forces = tuple(x.subs(table, simultaneous=True) for x in self.forces)
        held = substituted(self, table)
        return replace(self, kinetic=T, potential=U, dissipation=D, forces=forces, constraints=held)

    @cached_property
    def readable_kinetic(self) -> Expression:
        """The kinetic energy, grouped by products of velocities."""
        return readable(self.kinetic, self.dq)

    def symbols_of(self, *expressions: Expression) -> tuple[Symbol, ...]:
        """The parameters in the given expressions, sorted by name."""
        symbols = set().union(*(x.free_symbols for x in expressions)) - {*self.q, *self.dq, *self.ddq}
        return tuple(sorted(symbols, key=lambda x: x.name))

    def require_quadratic(self) -> None:
        """Raise `InputError` unless the kinetic energy is a quadratic form in the velocities."""
        rest = dict.fromkeys(self.dq, sympy.S.Zero)
        for v in self.dq:
            curved = [x for x in self._hessian if v in x.free_symbols]
            linear = sympy.simplify(derivative(self.kinetic, v).subs(rest))
            if curved or linear != 0:
                raise InputError(
                    f"'{self.name}' has no mass matrix: its kinetic energy is not quadratic in the velocity '{v}'"
                    + (f" (it has the term {linear * v})" if linear != 0 else "")
                )
        offset = sympy.simplify(self.kinetic.subs(rest))
        if offset != 0:
            raise InputError(f"'{self.name}' has no mass matrix: at rest its kinetic energy is {offset}, not 0")

    def _require_inertia(self, what: str) -> None:
        """Raise `InputError` if motion along one velocity, or in any direction if n <= 3, has no kinetic energy."""
        A = self._hessian
        without = [f"of '{v}'" for k, v in enumerate(self.dq) if not any(A.row(k))]
        if not without and self.n <= 3 and sympy.expand(A.det()) == 0:
            without = [f"with {', '.join(map(str, self.dq))} together"]
        if without:
            raise InputError(f"'{self.name}' has no {what}: its kinetic energy is zero for a motion {without[0]}")

    @cached_property
    def _hessian(self) -> sympy.Matrix:
        """d2T/d(dq)2: the mass matrix if T is quadratic."""
        p = [derivative(self.readable_kinetic, v) for v in self.dq]
        lower = [[readable(derivative(x, v)) for v in self.dq[: i + 1]] for i, x in enumerate(p)]
        return sympy.Matrix(self.n, self.n, lambda i, j: lower[max(i, j)][min(i, j)])

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
