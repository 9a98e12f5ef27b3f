"""`System`: a mechanical system given by its energies, as SymPy and as machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import sympy
from numpy.typing import ArrayLike

from revolute.arguments import mapping
from revolute.compiler.bound import compiled
from revolute.errors import InputError
from revolute.machine.declare import declared, has_kernel
from revolute.machine.function import Function, MachineData
from revolute.machine.lagrangian import functions
from revolute.machine.lagrangian.constraints import constraints_of
from revolute.machine.lagrangian.equations import SystemEquations
from revolute.machine.lagrangian.motion import MotionOwner, Request, Simulation, simulate
from revolute.machine.lagrangian.symbols import Symbol, look_up
from revolute.machine.linear_models import linear_model
from revolute.machine.machine import Array, Machine, Out, Threads
from revolute.model.identity import digest, exact_text

if TYPE_CHECKING:
    from revolute.machine.lagrangian.constrained_system import ConstrainedSystem

MOST_INPUTS = 60  # maximum number of inputs of a kernel: a NumPy ufunc supports 64 arrays, including its results
_ALL = ("kinetic", "potential", "dissipation", "forces")
MECHANICS = (*_ALL, "constraint_expressions")  # names of the fields of a system that determine its accelerations
Values = Mapping[Any, ArrayLike] | None  # values of the parameters, as {symbol or name of the symbol: value}


def _quadratic(system: System) -> None:
    system.require_quadratic()


@dataclass(frozen=True, eq=False)
class System(SystemEquations, Machine):
    """A mechanical system defined by its energies, created by `revolute.lagrange`.

        M ddq + C dq + g + dD/d(dq) = Q + tau

    Equations are SymPy expressions in the symbols q, dq, ddq. Kernels, compiled at the first call,
    compute numeric results: leading axes of arrays are a batch, as in `Robot`.

    Terminals, notebooks, `latex` and `save` show the energies and the equations of motion, or selected quantities of
    "kinetic", "potential", "dissipation", "lagrangian", "energy", "equations", "M", "C", "g", "christoffel", "tau",
    "momenta" and "accelerations".

    Attributes:
        name: name of the system, for messages.
        q, dq, ddq: the symbols of coordinates, velocities and accelerations.
        kinetic, potential, dissipation: T, U and Rayleigh's D.
        forces: the generalised forces Q in addition to tau.
        driven: whether forces Q were given: then `accelerations` are due to Q only.
        time: the symbol of time, if coordinates are functions of it.
    """

    _kind = "system"

    @declared(functions.inverse_dynamics, "q qd qdd -> tau: nv", symbols_in=_ALL)
    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, values: Values = None, *, out: Out = None,
        threads: Threads = None,
    ) -> Array:
        """Forces (..., n) that a motion needs in addition to Q. LP 9.11.

        Args:
            q, qd, qdd: (..., n) coordinates, velocities, accelerations.
            values: numbers or arrays (...) for all parameters: {symbol or its name: value}.
            threads: number of threads for a large batch; by default all cores if that is faster.

        Raises:
            InputError: a parameter has no value; the message names it.
            UnknownNameError: a value is given for a name that is not a parameter.

        Example:
            >>> import sympy
            >>> k, x, dx = sympy.symbols("k x dx")
            >>> spring = revolute.lagrange([x], dx**2 / 2, k * x**2 / 2)
            >>> spring.inverse_dynamics([[1.0], [2.0]], [0.0], [0.0], {"k": 10})
            array([[10.],
                   [20.]])
        """

    @declared(functions.forward_dynamics, "q qd tau -> qdd: nv", symbols_in=MECHANICS)
    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, values: Values = None, *, out: Out = None,
        threads: Threads = None,
    ) -> Array:
        """Accelerations (..., n) due to the forces tau (..., n) in addition to Q. LP 9.2.

        Accelerations are not finite if a motion has no inertia. Arguments and errors: see `inverse_dynamics`.
        """

    @declared(functions.mass_matrix, "q -> M: nv nv", symbols_in=("kinetic",), check=_quadratic)
    def mass_matrix(self, q: ArrayLike, values: Values = None, *, out: Out = None, threads: Threads = None) -> Array:
        """The mass matrix (..., n, n): see `M`. Arguments and errors: see `inverse_dynamics`."""

    @declared(functions.coriolis_matrix, "q qd -> C: nv nv", symbols_in=("kinetic",), check=_quadratic)
    def coriolis_matrix(
        self, q: ArrayLike, qd: ArrayLike, values: Values = None, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """The Coriolis matrix (..., n, n): see `C`. Arguments and errors: see `inverse_dynamics`."""

    @declared(functions.gravity_forces, "q -> g: nv", symbols_in=("potential",))
    def gravity_forces(self, q: ArrayLike, values: Values = None, *, out: Out = None, threads: Threads = None) -> Array:
        """Forces (..., n) that hold the system at rest: see `g`. Arguments and errors: see `inverse_dynamics`."""

    @declared(functions.kinetic_energy, "q qd -> T", symbols_in=("kinetic",))
    def kinetic_energy(
        self, q: ArrayLike, qd: ArrayLike, values: Values = None, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """Kinetic energy (...) [J]. Arguments and errors: see `inverse_dynamics`."""

    @declared(functions.potential_energy, "q -> U", symbols_in=("potential",))
    def potential_energy(
        self, q: ArrayLike, values: Values = None, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """Potential energy (...) [J]. Arguments and errors: see `inverse_dynamics`."""

    @declared(functions.total_energy, "q qd -> E", symbols_in=("kinetic", "potential"))
    def total_energy(
        self, q: ArrayLike, qd: ArrayLike, values: Values = None, *, out: Out = None, threads: Threads = None
    ) -> Array:
        """Kinetic and potential energy T + U (...) [J]. Arguments and errors: see `inverse_dynamics`."""

    @compiled
    @has_kernel(functions.linearize, "q qd tau -> A: 2nv 2nv; B: 2nv nv", symbols_in=MECHANICS)
    def linearize(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, values: Values = None, *, step: ArrayLike | None = None,
        out: Out = None, threads: Threads = None,
    ) -> tuple[Array, Array]:
        """The linear model x' = A x + B u of small deviations from a motion, x = (dq, dqd), u = dtau. BP 7.2.2.

        Args:
            q, qd, tau: (..., n) the state and the forces in addition to Q.
            values: see `inverse_dynamics`.
            step: (...) length of a time step [s], for the discrete-time model x[k+1] = A x[k] + B u[k] with constant u
                during the step. None for continuous time.
            out: two arrays for the results in continuous time.

        Returns:
            A (..., 2n, 2n) and B (..., 2n, n).

        Raises:
            InputError: the step is not positive, or is combined with `out`; otherwise see `inverse_dynamics`.

        Example:
            >>> import sympy
            >>> k, x, dx = sympy.symbols("k x dx")
            >>> spring = revolute.lagrange([x], dx**2 / 2, k * x**2 / 2)
            >>> A, B = spring.linearize([0.0], [0.0], [0.0], {"k": 10})
            >>> A + 0.0, B
            (array([[  0.,   1.],
                   [-10.,   0.]]), array([[0.],
                   [1.]]))
        """
        state = (q, qd, tau, *self._values(self._function("linearize"), values))
        return linear_model(self, state, None, step, out, threads)

    @cached_property
    def _owner(self) -> MotionOwner:
        names = tuple(self.coordinate_names)
        return MotionOwner(self.name, names, names, names, machine=self)

    def simulate(
        self, q0: ArrayLike, qd0: ArrayLike, torque: Any, t: ArrayLike, method: str = "runge_kutta_4",
        values: Values = None, *, rtol: float = 1e-9, atol: float = 1e-11, events: Sequence[Any] = (), every: int = 1,
        progress: bool | None = None,
    ) -> Simulation:
        """The motion from an initial state under the forces tau in addition to Q. LP Euler integration.

        Args:
            q0, qd0: (..., n) coordinates and velocities at t[0].
            torque: tau: None for zero; (n,) constant; (..., T, n); or a function of (t, q, qd): see `Robot.simulate`.
            t: (T,) increasing times [s], or a duration [s]. If the system depends on time, t is this time.
            method: "runge_kutta_4", with one step of constant tau from each time to the next; or one of SciPy's
                adaptive solvers, which call a function for tau at every stage: "RK45", "DOP853", "Radau", "BDF",
                "LSODA".
            values: numbers or arrays (...) for all parameters except time.
            rtol, atol, events, every, progress: see `Robot.simulate`.

        Returns:
            times, states, accelerations, forces tau and energies: a `revolute.simulate.Simulation`.

        Raises:
            InputError, ShapeError: the arguments do not fit.
            MissingExtraError: an adaptive method needs SciPy, which is not installed.
            SimulationError: the function for tau raises an exception or returns forces that are not finite, or the
                motion diverges. The message names the time and the coordinate; `partial` is the motion up to that time.

        Example:
            >>> import sympy
            >>> k, x, dx = sympy.symbols("k x dx")
            >>> spring = revolute.lagrange([x], dx**2 / 2, k * x**2 / 2)
            >>> t = np.linspace(0, np.pi, 201)
            >>> motion = spring.simulate([1.0], [0.0], None, t, values={"k": 4})
            >>> motion.q[[0, 100, 200], 0].round(6)
            array([ 1., -1.,  1.])
        """
        request = Request(q0, qd0, torque, t, method, None, rtol, atol, events, False, every, progress)
        return simulate(self, request, values)

    def with_inertial_parameters(self, parameters: Any, *, implausible: str = "warn") -> NoReturn:
        """Not supported: a system has symbols instead of links. Set their values with `subs`.

        Raises:
            InputError: always, with the names of the symbols.
        """
        symbols = ", ".join(x.name for x in self.parameters)
        raise InputError(
            f"'{self.name}' is defined by its energies: it has no links with inertial parameters. "
            + (f"Its symbols are {symbols}: give them numbers by subs({{...}})" if symbols else "It has no symbols")
        )

    def with_constraints(self, constraints: Mapping[str, Any] | Sequence[Any]) -> ConstrainedSystem:
        """The system with constraints, enforced by Lagrange multipliers. SHV 6.15-6.18.

        Args:
            constraints: expressions that must be zero, or equations; a list or a dict {name: expression}. Constraints
                without velocities are holonomic, h(q, t) = 0; constraints with velocities must be linear in them,
                A(q, t) dq + b(q, t) = 0.

        Returns:
            a `ConstrainedSystem`. Existing constraints of the system are kept.

        Raises:
            InputError: a constraint is not real, contains accelerations, is not linear in the rates, or has neither
                coordinates nor rates; or names are not unique. The message names the constraint.
            UnknownNameError: a constraint contains a function of time that is not a coordinate.

        Example:
            >>> import sympy
            >>> x, y, dx, dy, l = sympy.symbols("x y dx dy l")
            >>> particle = revolute.lagrange([x, y], (dx**2 + dy**2) / 2, 9.81 * y)
            >>> pendulum = particle.with_constraints({"rod": x**2 + y**2 - l**2})
            >>> pendulum.forward_dynamics([0.0, -0.5], [1.0, 0.0], [0.0, 0.0], {"l": 0.5}) + 0.0
            array([0., 2.])
        """
        from revolute.machine.lagrangian.constrained_system import ConstrainedSystem

        parts = {x.name: getattr(self, x.name) for x in fields(self)}
        return ConstrainedSystem(**{**parts, "constraints": constraints_of(self, constraints)})

    @property
    def nq(self) -> int:
        """Number of coordinates, equal to `nv` and `n`."""
        return self.n

    @property
    def nv(self) -> int:
        """Number of velocities, equal to `nq` and `n`."""
        return self.n

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(x.name for x in self.q)

    def _labels(self) -> Mapping[str, Sequence[str]]:
        return {"nq": self.coordinate_names, "nv": self.coordinate_names}

    def _machine_data(self, function: Function, options: Mapping[str, Any]) -> MachineData:
        words = dict.fromkeys(("nq", "nv"), "coordinates")
        sizes = {**dict.fromkeys(words, self.n), "2nv": 2 * self.n, "rows": len(self.constraints)}
        return MachineData(self.name, (self,), sizes, self.digest, self._symbols(function), words)

    def _symbols(self, function: Function) -> tuple[Symbol, ...]:
        """The parameters that are inputs of a function."""
        symbols = self._inputs.get(function.name)
        if symbols is None:
            parts = [getattr(self, part) for part in function.symbols_in]
            symbols = self.symbols_of(*(x for part in parts for x in (part if isinstance(part, tuple) else (part,))))
            if len(symbols) > MOST_INPUTS - len(function.arrays().inputs):
                listed = f"'{self.name}' has {len(symbols)} parameters"
                raise InputError(f"{listed}, too many for a kernel: use subs to give some of them numbers")
            self._inputs[function.name] = symbols
        return symbols

    @cached_property
    def _inputs(self) -> dict[str, tuple[Symbol, ...]]:
        return {}

    def _values(self, function: Function, values: Values) -> list[ArrayLike]:
        """The values of a function's parameters, from the argument `values` of a call."""
        return self._values_of(self._symbols(function), values, function.name)

    def _values_of(self, needed: Sequence[Symbol], values: Values, name: str) -> list[ArrayLike]:
        """Values of the parameters `needed`; messages begin with `name`, which is that of a method."""
        numbers = mapping(f"{name}: values", {} if values is None else values)
        value_of = {look_up(x, self.parameters, f"{name}: parameter"): y for x, y in numbers.items()}
        if missing := [x for x in needed if x not in value_of]:
            listed = ", ".join(f"'{x}'" for x in missing)
            raise InputError(f"{name} of '{self.name}': no value for {listed}: give values={{name: number}}, or subs")
        return [value_of[x] for x in needed]

    @cached_property
    def digest(self) -> str | None:
        """A hash of the system's content, the same in every process; None if it uses functions from outside SymPy."""
        text = exact_text(self)
        return None if text is None else digest((text, sympy.__version__))

    def __repr__(self) -> str:
        return f"<System {self.name!r}: coordinates {', '.join(map(str, self.q))}>"
