"""`Equations`: a robot's equations of motion as a person reads them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from numbers import Real
from typing import Any

import sympy

from revolute.dynamics.christoffel_symbols import christoffel_symbols
from revolute.dynamics.energy import potential_energy
from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.errors import InputError
from revolute.joints import Prismatic, Revolute
from revolute.reduce import aligned, reduced
from revolute.robot import Robot
from revolute.scalar import Scalar
from revolute.symbolic.form import Form
from revolute.symbolic.fourier import OutOfTime, Ring
from revolute.symbolic.steps import Steps, traced
from revolute.symbolic.waves import Plane
from revolute.symbols import mapped, scalars
from revolute.vectors import ZERO

__all__ = ["Equations"]

Scalars = list[Scalar]


class Equations:
    """M(q) ddq + C(q, dq) dq + g(q) = tau in SymPy: see `Robot.equations`.

    Everything is computed when it is first asked for, by the recursions that compute numbers,
    over scalars that put trigonometric sums in order as they go. What takes longer than the
    budget comes unsimplified, and `simplified` says so.

    Attributes:
        robot: whose equations they are.
        budget: seconds for each quantity.
        q, dq, ddq: symbols of positions q1 ..., velocities dq1 ... and accelerations ddq1 ...,
            in the order of the robot's coordinates.
    """

    def __init__(self, robot: Robot, budget: float = 20.0) -> None:
        if not (isinstance(budget, (int, float)) and budget >= 0):
            raise InputError(f"equations: budget must be a number of seconds, not {budget!r}")
        self.robot = robot
        self.budget = float(budget)
        self.q, self.dq, self.ddq = (
            tuple(sympy.Symbol(f"{letter}{k + 1}") for k in range(size))
            for letter, size in (("q", robot.nq), ("dq", robot.nv), ("ddq", robot.nv))
        )
        own = {symbol.name for symbol in (*self.q, *self.dq, *self.ddq)}
        for symbol in robot.symbols:
            if symbol.name in own:
                raise InputError(
                    f"equations: robot '{robot.name}' has a symbol '{symbol.name}', which is the name of a coordinate; "
                    f"give it another: robot.subs({{'{symbol.name}': sympy.Symbol(...)}})"
                )
        self._ring = Ring(math.inf)
        self._found: dict[str, tuple[Scalars | None, list[Any]]] = {}

    # --- what there is ---------------------------------------------------------------------

    @property
    def M(self) -> Any:
        """(nv, nv) mass matrix. LP 9.58; JIN 37."""
        return sympy.ImmutableDenseMatrix(self.robot.nv, self.robot.nv, self._expressions("M"))

    @property
    def C(self) -> Any:
        """(nv, nv) Coriolis matrix of Christoffel's symbols: Mdot = C + C^T. LP 9.61."""
        return sympy.ImmutableDenseMatrix(self.robot.nv, self.robot.nv, self._expressions("C"))

    @property
    def g(self) -> Any:
        """(nv, 1) gravity forces."""
        return sympy.ImmutableDenseMatrix(self.robot.nv, 1, self._expressions("g"))

    @property
    def christoffel(self) -> Any:
        """(nv, nv, nv) Christoffel's symbols: C_ij = sum_k Gamma_ijk dq_k. LP 9.9-9.13; SHV 6.2."""
        return sympy.ImmutableDenseNDimArray(self._expressions("christoffel"), (self.robot.nv,) * 3)

    @property
    def tau(self) -> Any:
        """(nv, 1) joint forces M ddq + C dq + g: mass matrix times accelerations, then the rest."""
        if not self.simplified("M", "c", "g"):
            return sympy.ImmutableDenseMatrix(self.robot.nv, 1, self._steps("tau").expanded())
        c = sympy.ImmutableDenseMatrix(self.robot.nv, 1, self._expressions("c"))
        return sympy.ImmutableDenseMatrix(
            [sympy.Add(*(m * a for m, a in zip(self.M.row(i), self.ddq, strict=True)), c[i], self.g[i])
             for i in range(self.robot.nv)]
        )

    @property
    def kinetic(self) -> Any:
        """Kinetic energy dq^T M dq / 2. LP 9.8; JIN 36."""
        M, v = self.M, self.dq
        half = sympy.Rational(1, 2)
        return sympy.Add(
            *(M[i, j] * v[i] * v[j] * (half if i == j else 1) for i in range(len(v)) for j in range(i, len(v)))
        )

    @property
    def potential(self) -> Any:
        """Potential energy, zero where all mass is at the base's origin. JIN 38."""
        return self._expressions("potential")[0]

    @property
    def lagrangian(self) -> Any:
        """Kinetic less potential energy. LP 9.1; JIN 27."""
        return self.kinetic - self.potential

    def simplified(self, *names: str) -> bool:
        """Whether quantities were simplified within the budget."""
        return all(self._quantity(name)[0] is not None for name in names)

    # --- how it is found -------------------------------------------------------------------

    def _expressions(self, name: str) -> list[Any]:
        return self._quantity(name)[1]

    def _quantity(self, name: str) -> tuple[Scalars | None, list[Any]]:
        """Scalars, if time was enough for them, and expressions of a quantity."""
        if name not in self._found:
            self._ring.deadline = time.monotonic() + self.budget
            try:
                values = _RECURSIONS[name](self._robot(name), *self._coordinates)
                self._found[name] = values, self._written(values)
            except OutOfTime:
                self._found[name] = None, self._steps(name).expanded()
        return self._found[name]

    def _written(self, scalars: Scalars) -> list[Any]:
        written = {id(x): x for x in scalars}  # symmetric matrices have the same scalar twice
        expressions = {key: self._form.expression(x) for key, x in written.items()}
        return [expressions[id(x)] for x in scalars]

    def _steps(self, name: str) -> Steps:
        return traced(self._robot(name, exact=True), _RECURSIONS[name], (self.q, self.dq, self.ddq))

    def _robot(self, name: str, exact: bool = False) -> Robot:
        robot = aligned(self.robot) if name == "potential" else reduced(self.robot)
        return robot if exact else mapped(robot, self._ring.scalar)

    @cached_property
    def _coordinates(self) -> list[list[Any]]:
        return [[self._ring.generator(x) for x in symbols] for symbols in (self.q, self.dq, self.ddq)]

    @cached_property
    def _form(self) -> Form:
        digit = self._ring.digit
        masses = {digit(x) for body in self.robot.bodies for x in getattr(body.inertia.m, "free_symbols", ())}
        rates = {digit(x) for x in (*self.dq, *self.ddq)}
        decimal = not self.robot.symbols and any(isinstance(x, float) and x != int(x) for x in scalars(self.robot))
        return Form(self._ring, self._planes(), frozenset(masses), frozenset(rates), decimal)

    def _planes(self) -> tuple[Plane, ...]:
        """Chains of revolute joints whose axes stay parallel."""
        planes: list[list[tuple[int, int]]] = []
        last: dict[int, list[tuple[int, int]]] = {}  # the plane that ends with a body
        for i, body in enumerate(self.robot.bodies):
            if isinstance(body.joint, Revolute):
                before, sign = _parallel(self.robot, i)
                plane = last.pop(before, None) if sign else None
                if plane is None:
                    plane, sign = [], 1
                    planes.append(plane)
                else:
                    sign *= plane[-1][1]
                plane.append((self._ring.digit(self.q[self.robot.q_index[i].start]), sign))
                last[i] = plane
        return tuple(map(tuple, planes))


def _parallel(robot: Robot, i: int) -> tuple[int, int]:
    """The next body towards the base that turns, and 1 or -1 if its axis is always parallel or opposite, else 0."""
    body = robot.bodies[i]
    R, p = body.placement.R, body.parent
    while isinstance(robot.bodies[p].joint, Prismatic):
        R, p = robot.bodies[p].placement.R @ R, robot.bodies[p].parent
    joint, carrier = body.joint, robot.bodies[p].joint
    if not (isinstance(joint, Revolute) and isinstance(carrier, Revolute)):
        return p, 0
    for sign in (1, -1):
        apart = R @ joint.axis - carrier.axis * sign
        if all(abs(float(x)) < 1e-12 if isinstance(x, Real) else x == 0 for x in apart):
            return p, sign
    return p, 0


def _flat(rows: Any) -> Scalars:
    return [x for row in rows for x in row]


def _still(robot: Robot) -> tuple[int, ...]:
    return (0,) * robot.nv


_RECURSIONS: dict[str, Callable[..., Scalars]] = {
    "M": lambda robot, q, qd, qdd: _flat(mass_matrix(robot, q)),
    "C": lambda robot, q, qd, qdd: _flat(equations_of_motion(robot, q, qd)[1]),
    "c": lambda robot, q, qd, qdd: newton_euler(replace(robot, gravity=ZERO), q, qd, _still(robot)),
    "g": lambda robot, q, qd, qdd: newton_euler(robot, q, _still(robot), _still(robot)),
    "christoffel": lambda robot, q, qd, qdd: _flat(_flat(christoffel_symbols(robot, q))),
    "tau": newton_euler,
    "potential": lambda robot, q, qd, qdd: [potential_energy(robot, q)],
}
"""The scalars of each quantity, from a robot and its state."""
