"""`ElasticEquations`: the equations of motion of a robot with elastic joints."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import sympy

from revolute.dynamics.elastic import motor_places, on_links, spring_forces
from revolute.model.model import Model
from revolute.spatial.scalar import Expression
from revolute.symbolic.coordinates import coordinate_symbols
from revolute.symbolic.equations import Equations
from revolute.symbolic.sheet import Label, Sheet, Shown, block_of, check_names, letters
from revolute.symbolic.show import QUANTITIES, coordinate_list, coordinate_names

_QUANTITIES = {
    "M": ("mass matrix of links and motors", "M", 2),
    **{name: QUANTITIES[name] for name in ("C", "g")},
    "springs": ("forces that hold the springs", "s", 1),
    "tau": ("left sides: zero for links, motor forces for motors", "tau", 1),
    **{name: QUANTITIES[name] for name in ("kinetic", "potential", "lagrangian")},
}
"""{quantity: (heading, letter, number of indices)}, for the sheet of equations."""

_FORM = Label(
    "M(q) ddx + C(q, dq) dx + g(q) + s(x, dx) = (0, tau), x = (q, theta)",
    r"M(q)\,\ddot{x} + C(q, \dot{q})\,\dot{x} + g(q) + s(x, \dot{x}) = (0, \tau), \quad x = (q, \theta)",
)


class ElasticEquations(Shown):
    """M(q) ddx + C(q, dq) dx + g(q) + springs(x, dx) = (0, tau) in SymPy: see `ElasticRobot.equations`.

    x = (q, theta) are positions of links and motors. Everything is computed on first use. Terminals,
    notebooks, `latex` and `save` show M, C, g and springs, or the quantities that you select: these or "tau",
    "kinetic", "potential", "lagrangian".

    Attributes:
        q, dq, ddq: symbols of the links, as in `Equations`.
        theta, dtheta, ddtheta: symbols of the motors theta1 ..., in the order of joints with a motor.
    """

    def __init__(self, robot: Model, data: tuple[Iterable[Any], ...], budget: float) -> None:
        self._robot, self._links = robot, Equations(robot, budget)
        self._stiffness, self._damping, self._inertia = ([_whole(x) for x in column] for column in data)
        columns = (*self._stiffness, *self._damping, *self._inertia)
        symbols = {*robot.symbols, *(y for x in columns for y in getattr(x, "free_symbols", ()))}
        coordinate_symbols("q", robot.nq, robot.nv, symbols, robot.name)
        self.q, self.dq, self.ddq = self._links.q, self._links.dq, self._links.ddq
        n = len(self._stiffness)
        self.theta, self.dtheta, self.ddtheta = coordinate_symbols("theta", n, n, symbols, robot.name)
        self._symbols = symbols

    @cached_property
    def M(self) -> Expression:
        """(n, n) mass matrix diag(M, B) of links and motors; n is nv plus the number of motors."""
        return sympy.ImmutableDenseMatrix(sympy.diag(self._links.M, *self._inertia))

    @cached_property
    def C(self) -> Expression:
        """(n, n) Coriolis matrix diag(C, 0) of Christoffel symbols, with Mdot = C + C^T."""
        return sympy.ImmutableDenseMatrix(sympy.diag(self._links.C, *(0 for _ in self.theta)))

    @cached_property
    def g(self) -> Expression:
        """(n, 1) gravity forces (g, 0)."""
        return sympy.ImmutableDenseMatrix([*self._links.g, *(0 for _ in self.theta)])

    @cached_property
    def springs(self) -> Expression:
        """(n, 1) forces against the springs, K (q - theta) + D (dq - dtheta) for links, the opposite for motors."""
        def forces(sign: int) -> list[Any]:
            q, theta, dq, dtheta = ([sign * x for x in xs] for xs in (self.q, self.theta, self.dq, self.dtheta))
            return spring_forces(self._robot, q, theta, dq, dtheta, self._stiffness, self._damping)

        return sympy.ImmutableDenseMatrix([*on_links(self._robot, forces(-1)), *forces(1)])

    @cached_property
    def tau(self) -> Expression:
        """(n, 1) left sides of the equations: zero for links, motor forces for motors."""
        motors = (b * a for b, a in zip(self._inertia, self.ddtheta, strict=True))
        return sympy.ImmutableDenseMatrix([*self._links.tau, *motors]) + self.springs

    @cached_property
    def kinetic(self) -> Expression:
        """Kinetic energy of links and motors."""
        return self._links.kinetic + sympy.Add(*(b * v**2 / 2 for b, v in zip(self._inertia, self.dtheta, strict=True)))

    @cached_property
    def potential(self) -> Expression:
        """Potential energy of gravity and springs."""
        twists = [motor - self.q[i] for (i, _), motor in zip(motor_places(self._robot), self.theta, strict=True)]
        return self._links.potential + sympy.Add(*(k * x**2 / 2 for k, x in zip(self._stiffness, twists, strict=True)))

    @cached_property
    def lagrangian(self) -> Expression:
        """Kinetic minus potential energy."""
        return self.kinetic - self.potential

    def simplified(self, *names: str) -> bool:
        """Whether these quantities of the links were simplified within the budget."""
        return self._links.simplified(*names)

    def __repr__(self) -> str:
        return f"<ElasticEquations of {self._robot.name!r}, {len(self.q)} and {len(self.theta)} coordinates>"

    def _sheet(self, quantities: tuple[str, ...]) -> Sheet:
        check_names(quantities, _QUANTITIES)
        n = len(self.dq) + len(self.dtheta)
        places = [k for _, k in motor_places(self._robot)]
        joints = [self._robot.coordinate_names[k] for k in places]
        motors = ", ".join(f"{theta} motor of {joint}" for theta, joint in zip(self.theta, joints, strict=True))
        rates = ((r"\dot{\theta}", self.dtheta), (r"\ddot{\theta}", self.ddtheta))
        names = coordinate_names(self._links) | letters(self._symbols)
        names |= {x: f"{letter}_{{{k}}}" for letter, symbols in rates for k, x in enumerate(symbols, 1)}
        shown = [(name, _QUANTITIES[name]) for name in quantities or ("M", "C", "g", "springs")]
        blocks = tuple(block_of(self, x, name, (n,) * x[2]) for name, x in shown)
        return Sheet(self._robot.name, _FORM, f"{coordinate_list(self._links)}, {motors}", blocks, names)


def _whole(x: Any) -> Any:
    return int(x) if isinstance(x, float) and x.is_integer() else x
