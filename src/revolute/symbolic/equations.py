"""`Equations`: a robot's equations of motion in symbolic form."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import sympy

from revolute.compiler.progress import progress_line
from revolute.compiler.signature import flat
from revolute.dynamics.christoffel_symbols import christoffel_symbols
from revolute.dynamics.energy import kinetic_energy, potential_energy
from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import bias_forces, gravity_forces, newton_euler
from revolute.errors import InputError, UnknownNameError
from revolute.model import Model, aligned, reduced_in_place
from revolute.model.scalars import of_links, scalars
from revolute.model.symbols import mapped
from revolute.spatial import ZERO, Expression, Scalar, dot
from revolute.symbolic import show
from revolute.symbolic.constants import moment_offset, with_parameter_symbols, without_rounding
from revolute.symbolic.coordinates import coordinate_symbols
from revolute.symbolic.form import Form
from revolute.symbolic.fourier import OutOfTime, Ring
from revolute.symbolic.grouping import Grouping
from revolute.symbolic.planes import parallel_planes
from revolute.symbolic.sheet import Sheet, Shown
from revolute.symbolic.steps import Steps, shared, traced

Scalars = list[Scalar]
_SHOWN = ("M", "C", "g")
MOMENT = 1.0
"""Time limit for each quantity that a notebook displays automatically [s]."""
TERMS = 2000
"""Maximum number of terms of a simplified scalar, up to a budget of 20 s. A Puma needs 846, a Panda 53,349."""


class Equations(Shown):
    """M(q) ddq + C(q, dq) dq + g(q) = tau in SymPy: see `Robot.equations`.

    Quantities are computed on first use, by the recursions that also compute numbers, with scalars that simplify
    trigonometric sums during evaluation. A quantity that takes longer than the budget, or has sums of more than 2000
    terms (for budgets above 20 s, 100 terms per second), is not simplified: `simplified` reports this. `steps` returns
    quantities with named common terms; quantities that are not simplified are shown in this form. Terminals, notebooks,
    `latex` and `save` show M, C and g, or the quantities that you select: these or "christoffel", "tau", "kinetic",
    "potential", "lagrangian". Numbers are shown with six digits.

    Quaternions are assumed to have unit length.

    Floats below 1e-12 of the largest coefficient of an entry, or 1e-16 of the largest of the whole quantity, are
    dropped as rounding errors; a float within 1e-12 of a multiple of 1/8 is replaced by this multiple.

    Attributes:
        robot: the robot.
        budget: time limit for each quantity [s].
        grouped: whether quantities are written with the constants of `parameters`.
        q, dq, ddq: symbols of positions q1 ..., velocities dq1 ... and accelerations ddq1 ...,
            in the order of the robot's coordinates.
    """

    def __init__(self, robot: Model, budget: float = 20.0, grouped: bool = False) -> None:
        if not (isinstance(budget, (int, float)) and budget >= 0):
            raise InputError(f"equations: budget must be a number of seconds, zero or more, not {budget!r}")
        self.robot = robot
        self.budget = float(budget)
        self.grouped = bool(grouped)
        self.q, self.dq, self.ddq = coordinate_symbols("q", robot.nq, robot.nv, robot.symbols, robot.name)
        self._ring = Ring(math.inf, max(TERMS, TERMS / 20 * budget))
        self._computed: dict[str, Scalars | None] = {}
        self._simplified: dict[str, list[Any] | None] = {}
        self._unsimplified: dict[str, list[Any]] = {}

    # --- quantities ------------------------------------------------------------------------

    @property
    def M(self) -> Expression:
        """(nv, nv) mass matrix. LP 9.61; JIN 37."""
        return sympy.ImmutableDenseMatrix(self.robot.nv, self.robot.nv, self._expressions("M"))

    @property
    def C(self) -> Expression:
        """(nv, nv) Coriolis matrix of Christoffel symbols, with Mdot = C + C^T. LP 9.87."""
        return sympy.ImmutableDenseMatrix(self.robot.nv, self.robot.nv, self._expressions("C"))

    @property
    def g(self) -> Expression:
        """(nv, 1) gravity forces."""
        return sympy.ImmutableDenseMatrix(self.robot.nv, 1, self._expressions("g"))

    @property
    def christoffel(self) -> Expression:
        """(nv, nv, nv) Christoffel symbols, with C_ij = sum_k Gamma_ijk dq_k. LP 9.13; SHV 6.63-6.68."""
        return sympy.ImmutableDenseNDimArray(self._expressions("christoffel"), (self.robot.nv,) * 3)

    @property
    def tau(self) -> Expression:
        """(nv, 1) joint forces M ddq + C dq + g: mass matrix times accelerations, then the rest."""
        nv = self.robot.nv
        if not self.simplified("M", "c", "g"):
            return sympy.ImmutableDenseMatrix(nv, 1, self._expressions("tau"))
        M, c, g = self.M, self._expressions("c"), self._expressions("g")
        rows = [[*(m * a for m, a in zip(M.row(i), self.ddq, strict=True)), c[i], g[i]] for i in range(nv)]
        return sympy.ImmutableDenseMatrix(nv, 1, [sympy.Add(*row) for row in rows])

    @property
    def kinetic(self) -> Expression:
        """Kinetic energy dq^T M dq / 2. LP 9.10; JIN 36."""
        if not self.simplified("kinetic"):
            return self._expressions("kinetic")[0]
        M, v = self.M, self.dq
        half = sympy.Rational(1, 2)
        return sympy.Add(
            *(M[i, j] * v[i] * v[j] * (half if i == j else 1) for i in range(len(v)) for j in range(i, len(v)))
        )

    @property
    def potential(self) -> Expression:
        """Potential energy, zero if all mass is at the base's origin. JIN 38."""
        return self._expressions("potential")[0]

    @property
    def lagrangian(self) -> Expression:
        """Kinetic minus potential energy. LP 9.9; JIN 27."""
        if not self.simplified("lagrangian"):
            return self._expressions("lagrangian")[0]
        return self.kinetic - self.potential

    def parameters(self) -> dict[Any, Any]:
        """The constants Theta_1 ... of lengths, masses and inertias in which M, C and g are linear. SHV 6.123-6.133.

        M, C and g are sums of products of a constant and a function of the state; the planar elbow has five constants.
        Symbols of gravity are not included. For a numeric robot, the constants are its base inertial parameters (see
        `Robot.base_parameters`), which contain mass and inertia of later links, but no lengths; an elbow has four of
        these constants.

        Returns:
            {symbol: value}: values are expressions, or numbers for a numeric robot.

        Raises:
            InputError: M and g could not be simplified within the budget.
        """
        if self._numeric and not self.grouped:
            return self._grouped_equations.parameters()
        if self._grouping is None:
            raise InputError(f"parameters: M and g were not simplified within {self.limits}; increase budget")
        self._ring.deadline = math.inf
        constants = self._grouping.symbols().items()
        return {symbol: self._with_values(self._form.expression(x)) for symbol, x in constants}

    def simplified(self, *names: str) -> bool:
        """Whether quantities ("M", "C", "g", "christoffel", "tau" ...) were simplified within the budget."""
        parts = {"tau": ("M", "c", "g"), "kinetic": ("M",), "lagrangian": ("M", "potential")}
        return all(self._simplified_entries(part) is not None for name in names for part in parts.get(name, (name,)))

    def steps(self, name: str) -> Steps:
        """A quantity with named common terms, in order of evaluation: the shorter of two forms.

        One form is the recursion, in its order of evaluation. The other is the simplified quantity, if there is one: it
        is shorter for arms with parallel joints, where it contains sines and cosines of sums. The sine and cosine of q2
        are named s2 and c2, those of q2 + q3 s23 and c23, or s2_3 and c2_3 with ten coordinates or more; other terms
        are x1, x2 ...

        Args:
            name: "M", "C", "g", "christoffel", "tau", "kinetic", "potential" or "lagrangian".

        Returns:
            lines (name, expression), and the results, flat in row order.

        Raises:
            UnknownNameError: the quantity does not exist.

        Example:
            >>> steps = revolute.robots.planar(2).equations().steps("g")
            >>> steps.lines
            ((c1, cos(q1)), (c12, cos(q1 + q2)), (x1, 4.905*c12))
            >>> steps.results
            (14.715*c1 + x1, x1)
        """
        if name not in show.QUANTITIES:
            raise UnknownNameError(f"equations have no steps of '{name}'; available: {', '.join(show.QUANTITIES)}")
        inputs = self.q, self.dq, self.ddq
        steps = traced(self._robot(name), self._recursions[name], inputs)
        if self.grouped or not self.simplified(name):
            return steps
        value = getattr(self, name)
        entries = sympy.flatten(value) if show.QUANTITIES[name][2] else [value]
        return min(steps, shared(entries, inputs, self.robot.symbols), key=lambda x: x.operations)

    @property
    def limits(self) -> str:
        """The limits of simplification, for messages."""
        return f"{self.budget:g} s and {self._ring.most:g} terms"

    # --- printing --------------------------------------------------------------------------

    def _sheet(self, quantities: tuple[str, ...]) -> Sheet:
        return show.sheet(self, quantities or _SHOWN)

    def _glance(self) -> Sheet:
        """M, C and g, if they are simplified or can be simplified quickly."""
        quick = Equations(self.robot, min(self.budget, MOMENT), self.grouped)
        quick._simplified |= {name: x for name, x in self._simplified.items() if x is not None}
        for name in _SHOWN:
            if quick.simplified(name):
                self._simplified[name] = quick._simplified[name]
        return show.sheet(quick, _SHOWN, glance=True)

    def __repr__(self) -> str:
        return f"<Equations of {self.robot.name!r}, {self.robot.nv} coordinates>"

    # --- computation -----------------------------------------------------------------------

    def _expressions(self, name: str) -> list[Any]:
        """A quantity's entries in SymPy, simplified within the time limit."""
        if self.simplified(name) and (entries := self._simplified_entries(name)) is not None:
            return entries
        if name not in self._unsimplified:
            self._unsimplified[name] = self.steps(name).expanded()
        return self._unsimplified[name]

    def _simplified_entries(self, name: str) -> list[Any] | None:
        """A quantity's simplified entries; None if the time limit was too short."""
        if name not in self._simplified:
            with progress_line(f"simplifying {name} of {self.robot.name}, {self.budget:g} s at most") as line:
                grouping = self._grouping if self.grouped else None
                scalars = self._scalars(name)
                try:
                    if scalars is None or (self.grouped and grouping is None):
                        raise OutOfTime
                    self._simplified[name] = self._sympy_entries(scalars, grouping)
                except OutOfTime:
                    self._simplified[name] = None
                    line.result = ", not simplified"
        return self._simplified[name]

    def _scalars(self, name: str) -> Scalars | None:
        """The recursion's results as scalars of the ring; None if the time limit was too short."""
        self._ring.deadline = time.monotonic() + self.budget
        if name not in self._computed:
            try:
                named, values = self._parametrized
                model = mapped(named if values else self._robot(name), self._ring.scalar)
                scalars = self._recursions[name](model, *self._coordinates)
                if self._numeric:
                    scalars = without_rounding(scalars, self._ring, values)
                if values and name == "potential":
                    scalars = [scalars[0] - dot(moment_offset(self.robot), model.gravity)]
                self._computed[name] = scalars
            except OutOfTime:
                self._computed[name] = None
        return self._computed[name]

    @property
    def _recursions(self) -> Mapping[str, Callable[..., Scalars]]:
        """{quantity: function of the robot and its state that returns the scalars}."""
        return _RECURSIONS

    @cached_property
    def _grouping(self) -> Grouping | None:
        M, g = self._scalars("M"), self._scalars("g")
        if M is None or g is None:
            return None
        nv = self.robot.nv
        gravity = {x for component in self.robot.gravity for x in getattr(component, "free_symbols", ())}
        state = frozenset(map(self._ring.digit, (*self.q, *self.dq, *self.ddq, *gravity)))
        try:
            return Grouping(self._ring, [M[i * nv + j] for i in range(nv) for j in range(i, nv)] + g, state)
        except OutOfTime:
            return None

    def _sympy_entries(self, scalars: Scalars, grouping: Grouping | None) -> list[Any]:
        distinct = {id(x): x for x in scalars}  # scalars occur twice in symmetric matrices
        if grouping is not None:
            distinct = {key: grouping.replaced(x) for key, x in distinct.items()}
        expressions = {key: self._with_values(self._form.expression(x)) for key, x in distinct.items()}
        return [expressions[id(x)] for x in scalars]

    def _robot(self, name: str) -> Model:
        """The robot with inertias reduced as far as the quantity allows: regrouping changes energies, but not
        forces."""
        return aligned(self.robot) if name in ("kinetic", "potential", "lagrangian") else reduced_in_place(self.robot)

    @cached_property
    def _parametrized(self) -> tuple[Model, dict[Any, Any]]:
        """For grouped equations of a numeric robot: the robot with symbols as parameters, and the symbols' values."""
        return with_parameter_symbols(self.robot) if self.grouped and self._numeric else (self.robot, {})

    def _with_values(self, x: Any) -> Any:
        """An expression with the values of `_parametrized` inserted."""
        values = self._parametrized[1]
        return x.xreplace({symbol: self._form.expression(y) for symbol, y in values.items()}) if values else x

    @cached_property
    def _numeric(self) -> bool:
        """Whether the robot has no symbols except those of gravity and drives."""
        return not any(getattr(x, "free_symbols", ()) for body in self.robot.bodies for x in of_links(body))

    @cached_property
    def _grouped_equations(self) -> Equations:
        return Equations(self.robot, self.budget, grouped=True)

    @cached_property
    def _coordinates(self) -> list[list[Any]]:
        q, dq, ddq = ([self._ring.generator(x) for x in symbols] for symbols in (self.q, self.dq, self.ddq))
        for body, at in zip(self.robot.bodies, self.robot.q_index, strict=True):
            if (start := body.joint.quaternion_at) is not None:
                x, y, z, w = q[at][start:]
                self._ring.ones.append(x * x + y * y + z * z + w * w)
        return [q, dq, ddq]

    @cached_property
    def _form(self) -> Form:
        digit = self._ring.digit
        masses = {digit(x) for body in self.robot.bodies for x in getattr(body.inertia.m, "free_symbols", ())}
        rates = {digit(x) for x in (*self.dq, *self.ddq)}
        numbers = scalars(self.robot.gravity, self.robot.bodies, self.robot.frames)
        decimal = self._numeric and any(isinstance(x, float) and x != int(x) for x in numbers)
        constants = frozenset(map(digit, self.robot.symbols))
        planes = parallel_planes(self.robot, [digit(x) for x in self.q])
        return Form(self._ring, planes, frozenset(masses), frozenset(rates), constants, decimal)


_RECURSIONS: dict[str, Callable[..., Scalars]] = {
    "M": lambda model, q, qd, qdd: flat(mass_matrix(model, q)),
    "C": lambda model, q, qd, qdd: flat(equations_of_motion(model, q, qd)[1]),
    "c": lambda model, q, qd, qdd: bias_forces(replace(model, gravity=ZERO), q, qd),
    "g": lambda model, q, qd, qdd: gravity_forces(model, q),
    "christoffel": lambda model, q, qd, qdd: flat(flat(christoffel_symbols(model, q))),
    "tau": newton_euler,
    "kinetic": lambda model, q, qd, qdd: [kinetic_energy(model, q, qd)],
    "potential": lambda model, q, qd, qdd: [potential_energy(model, q)],
    "lagrangian": lambda model, q, qd, qdd: [kinetic_energy(model, q, qd) - potential_energy(model, q)],
}
