"""`ConstrainedEquations`: the equations of motion of a robot with closed loops."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import sympy

from revolute.dynamics.coordinate_rates import coordinate_rates
from revolute.dynamics.drive_forces import friction_forces, rotor_inertias, spring_energy, spring_forces
from revolute.model import Closure, Model, aligned
from revolute.spatial.scalar import Expression, Scalars
from revolute.symbolic.coordinates import require_free
from revolute.symbolic.equations import Equations
from revolute.symbolic.form import factored
from revolute.symbolic.sheet import Label, Sheet, Shown, block_of, check_names
from revolute.symbolic.show import QUANTITIES, coordinate_list, coordinate_names

_QUANTITIES = {
    **{name: QUANTITIES[name] for name in ("M", "C", "g")},
    "springs": ("forces that hold the springs", "s", 1),
    "friction": ("forces that overcome friction", "f", 1),
    "e": ("errors of the loops", "e", 1),
    "J": ("derivatives of the errors", "J", 2),
    "drift": ("rates dJ dq", "d", 1),
    "tau": ("joint forces", "tau", 1),
    **{name: QUANTITIES[name] for name in ("kinetic", "potential", "lagrangian")},
}
"""{quantity: (heading, letter, number of indices)}, for the sheet of equations."""

_FORMS = tuple(
    Label(
        f"M(q) ddq + C(q, dq) dq + g(q){text} = tau + J^T lambda, J ddq + dJ dq = 0, e(q) = 0",
        rf"M(q)\,\ddot{{q}} + C(q, \dot{{q}})\,\dot{{q}} + g(q){latex} = \tau + J^T \lambda,"
        r" \quad J \ddot{q} + \dot{J} \dot{q} = 0, \quad e(q) = 0",
    )
    for text, latex in (("", ""), (" + s(q) + f(dq)", r" + s(q) + f(\dot{q})"))
)
"""Equations of motion as text and LaTeX, without and with drives."""


class _ConstrainedTree(Equations):
    """Equations of the tree, and the errors of its closures."""

    def __init__(self, robot: Model, closures: tuple[Closure, ...], budget: float) -> None:
        super().__init__(robot, budget)
        self._closures = closures

    @property
    def e(self) -> list[Any]:
        """Errors of all closures."""
        return self._expressions("e")

    @property
    def _recursions(self) -> Mapping[str, Callable[..., list[Any]]]:
        def errors(model: Model, q: Scalars, *_: Any) -> list[Any]:
            return [x for closure in self._closures for x in closure.error(model, q)]

        return {**super()._recursions, "e": errors}

    def _robot(self, name: str) -> Model:
        return aligned(self.robot) if name == "e" else super()._robot(name)


class ConstrainedEquations(Shown):
    """M ddq + C dq + g = tau + J^T lambda with J ddq + dJ dq = 0 in SymPy: see `ConstrainedRobot.equations`.

    With drives, M includes rotors, and springs and friction are on the left side. Everything is computed on first use.
    Terminals, notebooks, `latex` and `save` show M, C, g, e, J and drift (with drives also springs and friction), or
    the quantities that you select: these or "tau", "kinetic", "potential", "lagrangian".

    Attributes:
        q, dq, ddq: symbols of the tree's coordinates, as in `Equations`.
        multipliers: symbols lambda1 ..., one for each row of the constraints: see `ConstrainedRobot.row_names`.
        row_names: names of the rows.
    """

    def __init__(
        self, robot: Model, closures: tuple[Closure, ...], row_names: tuple[str, ...], drives: bool, smoothing: float,
        budget: float,
    ) -> None:
        self._robot, self._tree = robot, _ConstrainedTree(robot, closures, budget)
        self._drives, self._smoothing, self.row_names = drives, smoothing, row_names
        self.q, self.dq, self.ddq = self._tree.q, self._tree.dq, self._tree.ddq
        self.multipliers = tuple(sympy.Symbol(f"lambda{k}") for k in range(1, len(row_names) + 1))
        require_free(self.multipliers, robot.symbols, robot.name, "multiplier")

    @cached_property
    def M(self) -> Expression:
        """(nv, nv) mass matrix of the tree, with rotors if the robot has drives."""
        rotors = rotor_inertias(self._robot) if self._drives else [0] * self._robot.nv
        return sympy.ImmutableDenseMatrix(self._tree.M + sympy.diag(*rotors))

    @property
    def C(self) -> Expression:
        """(nv, nv) Coriolis matrix of Christoffel symbols, with Mdot = C + C^T."""
        return self._tree.C

    @property
    def g(self) -> Expression:
        """(nv, 1) gravity forces."""
        return self._tree.g

    @cached_property
    def springs(self) -> Expression:
        """(nv, 1) forces that balance the springs of the drives; zero without drives."""
        return self._column(spring_forces(self._robot, self.q))

    @cached_property
    def friction(self) -> Expression:
        """(nv, 1) forces that overcome the friction of the drives; zero without drives."""
        return self._column(friction_forces(self._robot, self.dq, self._smoothing))

    @cached_property
    def e(self) -> Expression:
        """(m, 1) errors of the loops [m, cosines]: zero if the loops are closed."""
        return sympy.ImmutableDenseMatrix(len(self.multipliers), 1, self._tree.e)

    @cached_property
    def J(self) -> Expression:
        """(m, nv) Jacobian of e with respect to joint velocities: de/dt = J dq."""
        return sympy.ImmutableDenseMatrix(self.e.jacobian(self.q) * self._rates)

    @cached_property
    def drift(self) -> Expression:
        """(m, 1) dJ/dt dq: J ddq + drift = 0 while the loops stay closed."""
        speeds = self.J * self._velocities
        return (speeds.jacobian(self.q) * self._rates * self._velocities).applyfunc(_collected).as_immutable()

    @cached_property
    def tau(self) -> Expression:
        """(nv, 1) joint forces M ddq + C dq + g (+ springs + friction) - J^T lambda."""
        tree, multipliers = self._tree.tau, sympy.Matrix(len(self.multipliers), 1, self.multipliers)
        rotors = (self.M - self._tree.M) * sympy.Matrix(len(self.ddq), 1, self.ddq)
        return sympy.ImmutableDenseMatrix(tree + rotors + self.springs + self.friction - self.J.T * multipliers)

    @cached_property
    def kinetic(self) -> Expression:
        """Kinetic energy."""
        velocities = self._velocities
        return self._tree.kinetic + (velocities.T * (self.M - self._tree.M) * velocities)[0] / 2

    @cached_property
    def potential(self) -> Expression:
        """Potential energy of gravity, and of springs if the robot has drives."""
        return self._tree.potential + (spring_energy(self._robot, self.q) if self._drives else 0)

    @cached_property
    def lagrangian(self) -> Expression:
        """Kinetic minus potential energy."""
        return self.kinetic - self.potential

    def simplified(self, *names: str) -> bool:
        """Whether these quantities of the tree, or "e", were simplified within the budget."""
        return self._tree.simplified(*names)

    def __repr__(self) -> str:
        rows = len(self.multipliers)
        return f"<ConstrainedEquations of {self._robot.name!r}, {self._robot.nv} coordinates, {rows} constraint rows>"

    def _sheet(self, quantities: tuple[str, ...]) -> Sheet:
        check_names(quantities, _QUANTITIES)
        rows, nv = len(self.multipliers), self._robot.nv
        shapes = {"e": (rows,), "J": (rows, nv), "drift": (rows,)}
        shown = quantities or ("M", "C", "g", *(("springs", "friction") if self._drives else ()), "e", "J", "drift")
        names = ", ".join(f"{x} {name}" for x, name in zip(self.multipliers, self.row_names, strict=True))
        coordinates = f"{coordinate_list(self._tree)}; {names}"
        named = [(name, _QUANTITIES[name]) for name in shown]
        blocks = tuple(block_of(self, x, name, shapes.get(name, (nv,) * x[2])) for name, x in named)
        return Sheet(self._robot.name, _FORMS[self._drives], coordinates, blocks, coordinate_names(self._tree))

    @cached_property
    def _velocities(self) -> Any:
        return sympy.Matrix(len(self.dq), 1, self.dq)

    @cached_property
    def _rates(self) -> Any:
        """(nq, nv) matrix N: the time derivative of q is N dq."""
        return sympy.Matrix(len(self.q), 1, coordinate_rates(self._robot, self.q, self.dq)).jacobian(self.dq)

    def _column(self, forces: list[Any]) -> Any:
        values = forces if self._drives else [0] * self._robot.nv
        return sympy.ImmutableDenseMatrix(len(values), 1, values)


def _collected(x: Any) -> Any:
    """The expression as a sum of distinct sines and cosines, each with a factored polynomial of velocities."""
    waves = sorted(x.atoms(sympy.sin, sympy.cos), key=sympy.default_sort_key)
    collected = sympy.collect(x.expand(), waves, factored)
    whole = {number: sympy.Integer(number) for number in collected.atoms(sympy.Float) if float(number).is_integer()}
    return collected.xreplace(whole)
