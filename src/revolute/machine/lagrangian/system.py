"""`System`: a mechanical system given by its energies, as SymPy and as machine code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy
from numpy.typing import ArrayLike

from revolute.arguments import mapping
from revolute.errors import InputError
from revolute.machine.declare import declared
from revolute.machine.function import Function, Subject
from revolute.machine.lagrangian import functions
from revolute.machine.lagrangian.equations import SystemEquations
from revolute.machine.lagrangian.symbols import Symbol, look_up
from revolute.machine.machine import Machine
from revolute.model.identity import digest, exact_text

__all__ = ["System"]

MOST_INPUTS = 60
"""Largest number of inputs: NumPy's ufuncs take 64 arrays, results included."""

_ALL = ("kinetic", "potential", "dissipation", "forces")

Values = Mapping[Any, ArrayLike] | None
"""{symbol or its name: value} for parameters."""


def _quadratic(system: System) -> None:
    system.require_quadratic()


@dataclass(frozen=True, eq=False)
class System(Machine, SystemEquations):
    """A mechanical system given by its energies; `revolute.lagrange` makes it.

        M ddq + C dq + g + dD/d(dq) = Q + tau

    Equations are SymPy expressions in the symbols q, dq, ddq. Numbers come from kernels, which
    are compiled at the first call: leading axes of arrays are a batch, as in `Robot`.

    In a terminal, a notebook, and by `latex` and `save`, it prints the energies and the equations
    of motion, or the named ones of "kinetic", "potential", "dissipation", "lagrangian", "energy",
    "equations", "M", "C", "g", "christoffel", "tau", "momenta" and "accelerations".

    Attributes:
        name: for messages.
        q, dq, ddq: the symbols of coordinates, velocities and accelerations.
        kinetic, potential, dissipation: T, U and Rayleigh's D.
        forces: the generalised forces Q that act besides tau.
        driven: whether forces Q were given: then `accelerations` are those under Q alone.
        time: the symbol of time, if coordinates are functions of it.
    """

    _kind = "system"

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
        """Forces (..., n) of a motion, besides Q. LP 9.11.

        Args:
            q, qd, qdd: (..., n) coordinates, velocities, accelerations.
            values: numbers or arrays (...) for all parameters: {symbol or its name: value}.
            out: array for the result.
            threads: threads for a large batch; by default all cores where it pays.

        Raises:
            InputError: a parameter has no value; the message names it.
            UnknownNameError: a value for something else than a parameter.
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

        Not finite where coordinates have no inertia. Arguments and errors: see
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
        """Values of these parameters in a call."""
        name = function.name
        numbers = mapping(f"{name}: values", {} if values is None else values)
        value_of = {look_up(x, self.parameters, f"{name}: parameter"): y for x, y in numbers.items()}
        needed = self._symbols(function)
        if missing := [x for x in needed if x not in value_of]:
            listed = ", ".join(f"'{x}'" for x in missing)
            raise InputError(f"{name} of '{self.name}': no value for {listed}: give values={{name: number}}, or subs")
        return [value_of[x] for x in needed]

    @cached_property
    def digest(self) -> str | None:
        """A name for the system's content, the same in every process; None with functions outside SymPy."""
        text = exact_text(self)
        return None if text is None else digest((text, sympy.__version__))

    def __repr__(self) -> str:
        return f"<System {self.name!r}: coordinates {', '.join(map(str, self.q))}>"
