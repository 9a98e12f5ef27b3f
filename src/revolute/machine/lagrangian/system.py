"""`System`: the equations of motion of coordinates and energies, as SymPy and as machine code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import sympy
from numpy.typing import ArrayLike

from revolute.arguments import instances, mapping
from revolute.errors import InputError
from revolute.machine.declare import declared
from revolute.machine.function import Function, Subject
from revolute.machine.lagrangian import functions
from revolute.machine.lagrangian.hamiltonian import Hamiltonian
from revolute.machine.lagrangian.readable import readable
from revolute.machine.lagrangian.regressor import regressor
from revolute.machine.lagrangian.show import latex_names, sheet
from revolute.machine.lagrangian.symbols import Expression, Symbol, expression, look_up, named
from revolute.machine.machine import Machine
from revolute.model.identity import digest, exact_text
from revolute.symbolic.sheet import Sheet, Shown

__all__ = ["System"]

MOST_INPUTS = 60
"""NumPy's ufuncs take 64 arrays, results included."""

_ALL = ("kinetic", "potential", "dissipation", "forces")

Values = Mapping[Any, ArrayLike] | None
"""{symbol or its name: value} for parameters."""


def _quadratic(system: System) -> None:
    system.require_quadratic()


@dataclass(frozen=True, eq=False)
class System(Machine, Shown):
    """A mechanical system given by its energies; `revolute.lagrange` makes it.

        M ddq + C dq + g + dD/d(dq) = Q + tau

    Equations are SymPy expressions in the symbols q, dq, ddq. Numbers come from kernels, which
    are made when they are first called: leading axes of arrays are a batch, as in `Robot`.

    Printed (in a terminal, a notebook, by `latex`, `save`) are the energies and the equations of
    motion, or what is named of "kinetic", "potential", "dissipation", "lagrangian", "energy",
    "equations", "M", "C", "g", "christoffel", "tau", "momenta" and "accelerations".

    Attributes:
        name: for messages.
        q, dq, ddq: the symbols of coordinates, velocities and accelerations.
        kinetic, potential, dissipation: T, U and Rayleigh's D.
        forces: the generalised forces Q that act besides tau.
        driven: the forces were given: `accelerations` are those without further ones.
        time: the symbol of time, if coordinates were functions of it.
    """

    _kind = "system"

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

    # --- equations ---------------------------------------------------------------------

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
        """The symbols that are neither coordinates nor velocities, by name; time is one of them."""
        return self.symbols_of(self.kinetic, self.potential, self.dissipation, *self.forces)

    @cached_property
    def momenta(self) -> sympy.Matrix:
        """(n,) generalised momenta p = dT/d(dq). SHV problem "generalized momentum"."""
        return sympy.Matrix([readable(_partial(self.readable_kinetic, v), self.dq) for v in self.dq])

    @cached_property
    def M(self) -> sympy.Matrix:
        """(n, n) mass matrix, T = dq^T M dq / 2. LP 9.10; JIN 36; SHV 6.3.

        Raises:
            InputError: the kinetic energy is not quadratic in the velocities; the message names one.
        """
        self.require_quadratic()
        return self._hessian

    @cached_property
    def christoffel(self) -> sympy.Array:
        """(n, n, n) symbols Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2. LP 9.13; JIN 46; SHV 6.3.

        SHV numbers them c_jki: the equation's index comes last there, first here.
        """
        D = [[[_partial(x, z) for z in self.q] for x in row] for row in self.M.tolist()]
        n = range(self.n)
        return sympy.Array([[[readable((D[i][j][k] + D[i][k][j] - D[j][k][i]) / 2) for k in n] for j in n] for i in n])

    @cached_property
    def C(self) -> sympy.Matrix:
        """(n, n) Coriolis matrix C_ij = sum_k Gamma_ijk dq_k, with which dM/dt - 2 C is skew. JIN 45; SHV 6.3, 6.5."""
        n = range(self.n)
        return sympy.Matrix(
            [[sympy.factor(sum(self.christoffel[i, j, k] * self.dq[k] for k in n)) for j in n] for i in n]
        )

    @cached_property
    def g(self) -> sympy.Matrix:
        """(n,) forces g = dU/dq that hold the system still: of gravity, of springs. JIN 42; SHV 6.3."""
        return sympy.Matrix([readable(_partial(self.potential, x)) for x in self.q])

    @cached_property
    def tau(self) -> sympy.Matrix:
        """(n,) the forces that a motion needs besides Q: d/dt dL/d(dq) - dL/dq + dD/d(dq) - Q. LP 9.11.

        Grouped by accelerations and by products of velocities.
        """
        rates = [*zip(self.q, self.dq, strict=True), *zip(self.dq, self.ddq, strict=True)]
        if self.time is not None:
            rates.append((self.time, sympy.S.One))
        L = self.readable_kinetic - self.potential
        found = []
        for x, v, force in zip(self.q, self.dq, self.forces, strict=True):
            p = _partial(L, v)
            change = sum((_partial(p, y) * rate for y, rate in rates), sympy.S.Zero)
            found.append(change - _partial(L, x) + _partial(self.dissipation, v) - force)
        return sympy.Matrix([readable(x, (*self.ddq, *self.dq)) for x in found])

    @cached_property
    def equations(self) -> tuple[sympy.Eq, ...]:
        """n equations of motion: what the motion needs = the given forces Q, or symbols tau where none were given."""
        return tuple(
            sympy.Eq(readable(y + f, (*self.ddq, *self.dq)), f + t)
            for y, f, t in zip(self.tau, self.forces, self.unknown, strict=True)
        )

    @cached_property
    def unknown(self) -> tuple[Symbol, ...]:
        """Symbols of the forces tau where none were given, `tau1` for q1; zeros where some were."""
        if self.driven:
            return (sympy.S.Zero,) * self.n
        return tuple(sympy.Symbol(f"tau{k}") for k in range(1, self.n + 1))

    @cached_property
    def accelerations(self) -> sympy.Matrix:
        """(n,) ddq under the given forces, or under symbols tau1, tau2 where none were given. LP 9.2.

        Raises:
            InputError: some motion has no inertia; the message names a velocity.
        """
        self._require_inertia("accelerations")
        still = dict.fromkeys(self.ddq, sympy.S.Zero)
        rest = sympy.Matrix(self.unknown) - self.tau.xreplace(still)
        A = self._hessian
        solved = A.adjugate() * rest / A.det() if self.n <= 3 else A.LUsolve(rest)
        return solved.applyfunc(sympy.factor_terms)

    def regressor(self, known: tuple[Symbol, ...] = ()) -> tuple[sympy.Matrix, sympy.Matrix]:
        """Y and Theta with tau = Y(q, dq, ddq) Theta: the equations are linear in parameters. SHV 6.5.

        Theta is a base: the fewest constants that determine all forces, in the order in which
        the equations show them.

        Args:
            known: parameters that belong to Y, such as the acceleration of gravity.

        Returns:
            Y (n, p) and Theta (p,).

        Raises:
            UnknownNameError: a known one is no parameter of this system.
            InputError: the equations are no sum of products of parameters and motions.
        """
        given = {look_up(x, self.parameters, "known: parameter") for x in instances("known", known, object)}
        constants = [x for x in self.parameters if x not in given and x is not self.time]
        return regressor(self.tau, constants)

    @cached_property
    def hamiltonian(self) -> Hamiltonian:
        """The energy as a function of coordinates and momenta, and Hamilton's equations. SHV ch. 6 problems.

        Raises:
            InputError: the kinetic energy is not quadratic in the velocities, or some motion has no inertia.
        """
        self.require_quadratic()
        self._require_inertia("Hamilton's form")
        p = tuple(named(f"p{k}", x, ()) for k, x in enumerate(self.q, 1))
        clash = set(p) & {*self.q, *self.parameters}
        if clash:
            p = tuple(named(f"p_{x.name}", x, ()) for x in self.q)
        return Hamiltonian.of(self.q, p, self.M, self.potential)

    def latex_of(self, x: Any) -> str:
        """An expression of this system in LaTeX, with dots over rates.

        Example:
            >>> import revolute, sympy
            >>> m, theta1, dtheta1 = sympy.symbols("m theta1 dtheta1")
            >>> wheel = revolute.lagrange([theta1], m * dtheta1**2 / 2)
            >>> print(wheel.latex_of(wheel.tau[0]))
            \\ddot{\\theta}_{1} m
        """
        return str(sympy.latex(x, symbol_names=latex_names(self)))

    def _sheet(self, quantities: tuple[str, ...]) -> Sheet:
        return sheet(self, quantities)

    def subs(self, values: Mapping[Any, Any]) -> System:
        """The system with numbers, or other expressions, for parameters: {symbol or its name: value}.

        Raises:
            UnknownNameError: the system has no such parameter.

        Example:
            >>> import revolute, sympy
            >>> m, x, dx = sympy.symbols("m x dx")
            >>> revolute.lagrange([x], m * dx**2 / 2).subs({"m": 2}).M
            Matrix([[2]])
        """
        given = mapping("subs: values", values)
        table = {look_up(x, self.parameters, "subs: parameter"): expression(y, str(x)) for x, y in given.items()}
        T, U, D = (x.subs(table, simultaneous=True) for x in (self.kinetic, self.potential, self.dissipation))
        forces = tuple(x.subs(table, simultaneous=True) for x in self.forces)
        return replace(self, kinetic=T, potential=U, dissipation=D, forces=forces)

    # --- numbers -----------------------------------------------------------------------

    @declared(functions.inverse_dynamics, "q qd qdd -> tau: nv", symbols_in=_ALL)
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        values: Values = None,
        *,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        """Forces (..., n) that a motion needs besides Q. LP 9.11.

        Args:
            q, qd, qdd: (..., n) coordinates, velocities, accelerations.
            values: numbers or arrays (...) for all parameters: {symbol or its name: value}.
            out: array for the result.
            threads: threads for a large batch; by default all cores where it pays.

        Raises:
            InputError: a parameter has no value; the message names it.
            UnknownNameError: a value for what is no parameter.
            ShapeError, DtypeError: arrays that do not fit, or are not real numbers.

        Example:
            >>> import revolute, sympy
            >>> k, x, dx = sympy.symbols("k x dx")
            >>> spring = revolute.lagrange([x], dx**2 / 2, k * x**2 / 2)
            >>> spring.inverse_dynamics([[1.0], [2.0]], [0.0], [0.0], {"k": 10})
            array([[10.],
                   [20.]])
        """

    @declared(functions.forward_dynamics, "q qd tau -> qdd: nv", symbols_in=_ALL)
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        values: Values = None,
        *,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        """Accelerations (..., n) under the forces tau (..., n), which act besides Q. LP 9.2.

        Not a number where coordinates have no inertia. Arguments and errors: see
        `inverse_dynamics`.
        """

    @declared(functions.mass_matrix, "q -> M: nv nv", symbols_in=("kinetic",), check=_quadratic)
    def mass_matrix(self, q: ArrayLike, values: Values = None, *, out: Any = None, threads: int | None = None) -> Any:
        """The mass matrix (..., n, n): see `M`. Arguments and errors: see `inverse_dynamics`."""

    @declared(functions.coriolis_matrix, "q qd -> C: nv nv", symbols_in=("kinetic",), check=_quadratic)
    def coriolis_matrix(
        self, q: ArrayLike, qd: ArrayLike, values: Values = None, *, out: Any = None, threads: int | None = None
    ) -> Any:
        """The Coriolis matrix (..., n, n): see `C`. Arguments and errors: see `inverse_dynamics`."""

    @declared(functions.gravity_forces, "q -> g: nv", symbols_in=("potential",))
    def gravity_forces(
        self, q: ArrayLike, values: Values = None, *, out: Any = None, threads: int | None = None
    ) -> Any:
        """Forces (..., n) that hold the system still: see `g`. Arguments and errors: see `inverse_dynamics`."""

    @declared(functions.kinetic_energy, "q qd -> T", symbols_in=("kinetic",))
    def kinetic_energy(
        self, q: ArrayLike, qd: ArrayLike, values: Values = None, *, out: Any = None, threads: int | None = None
    ) -> Any:
        """Kinetic energy (...) [J]. Arguments and errors: see `inverse_dynamics`."""

    @declared(functions.potential_energy, "q -> U", symbols_in=("potential",))
    def potential_energy(
        self, q: ArrayLike, values: Values = None, *, out: Any = None, threads: int | None = None
    ) -> Any:
        """Potential energy (...) [J]. Arguments and errors: see `inverse_dynamics`."""

    def _subject(self, function: Function, options: Mapping[str, Any]) -> Subject:
        words = dict.fromkeys(("nq", "nv"), "coordinates")
        return Subject(self.name, (self,), dict.fromkeys(words, self.n), self.digest, self._symbols(function), words)

    def _symbols(self, function: Function) -> tuple[Symbol, ...]:
        """The parameters that are inputs of a function."""
        symbols = self._inputs.get(function.name)
        if symbols is None:
            parts = [getattr(self, part) for part in function.symbols_in]
            symbols = self.symbols_of(*(x for part in parts for x in (part if isinstance(part, tuple) else (part,))))
            if len(symbols) > MOST_INPUTS - len(function.arrays().inputs):
                listed = f"'{self.name}' has {len(symbols)} parameters"
                raise InputError(f"{listed}, too many for a kernel: use subs for some")
            self._inputs[function.name] = symbols
        return symbols

    @cached_property
    def _inputs(self) -> dict[str, tuple[Symbol, ...]]:
        """Parameters that are inputs, by function."""
        return {}

    def _values(self, function: Function, values: Values) -> list[ArrayLike]:
        """What a call gives for them."""
        name = function.name
        numbers = mapping(f"{name}: values", {} if values is None else values)
        given = {look_up(x, self.parameters, f"{name}: parameter"): y for x, y in numbers.items()}
        wanted = self._symbols(function)
        if missing := [x for x in wanted if x not in given]:
            listed = ", ".join(f"'{x}'" for x in missing)
            raise InputError(f"{name} of '{self.name}': no value for {listed}: give values={{name: number}}, or subs")
        return [given[x] for x in wanted]

    @cached_property
    def digest(self) -> str | None:
        """A name for the system's content, the same in every process; None with functions not of SymPy."""
        text = exact_text(self)
        return None if text is None else digest((text, sympy.__version__))

    @cached_property
    def readable_kinetic(self) -> Expression:
        """The kinetic energy, grouped by products of velocities."""
        return readable(self.kinetic, self.dq)

    # --- parts ---------------------------------------------------------------------------

    def symbols_of(self, *expressions: Expression) -> tuple[Symbol, ...]:
        """The parameters in some expressions, by name."""
        found = set().union(*(x.free_symbols for x in expressions)) - {*self.q, *self.dq, *self.ddq}
        return tuple(sorted(found, key=lambda x: x.name))

    def require_quadratic(self) -> None:
        """The kinetic energy is a quadratic form in the velocities, or `InputError`."""
        rest = dict.fromkeys(self.dq, sympy.S.Zero)
        for v in self.dq:
            curved = [x for x in self._hessian if v in x.free_symbols]
            linear = sympy.simplify(_partial(self.kinetic, v).subs(rest))
            if curved or linear != 0:
                raise InputError(
                    f"'{self.name}' has no mass matrix: its kinetic energy is not quadratic in the velocity '{v}'"
                    + (f" (it has the term {linear * v})" if linear != 0 else "")
                )
        offset = sympy.simplify(self.kinetic.subs(rest))
        if offset != 0:
            raise InputError(f"'{self.name}' has no mass matrix: at rest its kinetic energy is {offset}, not 0")

    def _require_inertia(self, what: str) -> None:
        """Raises `InputError` where a motion has no kinetic energy: of one velocity; of some together, where n <= 3."""
        A = self._hessian
        without = [f"of '{v}'" for k, v in enumerate(self.dq) if not any(A.row(k))]
        if not without and self.n <= 3 and sympy.expand(A.det()) == 0:
            without = [f"with {', '.join(map(str, self.dq))} together"]
        if without:
            raise InputError(f"'{self.name}' has no {what}: its kinetic energy is zero for a motion {without[0]}")

    @cached_property
    def _hessian(self) -> sympy.Matrix:
        """d2T/d(dq)2: the mass matrix where there is one."""
        p = [_partial(self.readable_kinetic, v) for v in self.dq]
        lower = [[readable(_partial(x, v)) for v in self.dq[: i + 1]] for i, x in enumerate(p)]
        return sympy.Matrix(self.n, self.n, lambda i, j: lower[max(i, j)][min(i, j)])

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        return f"<System {self.name!r}: coordinates {', '.join(map(str, self.q))}>"


def _partial(x: Expression, symbol: Symbol) -> Expression:
    """dx/dsymbol for real numbers: SymPy's derivatives of |x| are those of complex ones otherwise."""
    if not x.has(sympy.Abs, sympy.sign):
        return x.diff(symbol)
    real = {y: sympy.Dummy(y.name, real=True) for y in {*x.free_symbols, symbol}}
    back = {y: z for z, y in real.items()}
    return x.subs(real).diff(real[symbol]).subs(back)
