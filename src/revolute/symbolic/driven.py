"""`DrivenEquations`: the equations of motion of a robot with its drives."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import sympy

from revolute.dynamics.drive_forces import friction_forces, rotor_inertias, spring_forces
from revolute.dynamics.driven import driven_potential_energy
from revolute.dynamics.drivetrain import Drivetrain
from revolute.model.edit import with_gravity
from revolute.model.model import Model
from revolute.spatial.scalar import Expression
from revolute.symbolic.coordinates import coordinate_symbols
from revolute.symbolic.equations import Equations
from revolute.symbolic.sheet import GLANCE, size


class DrivenEquations:
    """M(q) ddq + C(q, dq) dq + g(q) + springs(q) + friction(dq) = tau: see `DrivenRobot.equations`.

    M, C and g of the tree are evaluated at the joint positions A q + b, projected (A^T M A) and expanded, so that
    opposite angles cancel. All quantities are computed on first use.

    Attributes:
        q, dq, ddq: symbols q1 ..., dq1 ..., ddq1 ..., in the order of the coordinates.
    """

    def __init__(self, name: str, tree: Model, drives: Drivetrain, budget: float) -> None:
        self._name, self._tree, self._drives = name, tree, drives
        self._equations = Equations(tree, budget)
        self.q, self.dq, self.ddq = coordinate_symbols("q", drives.space.nq, drives.space.nv, tree.symbols, name)

    @cached_property
    def M(self) -> Expression:
        """(nv, nv) mass matrix of links and rotors, A^T (M + I_a) A."""
        whole = self._equations.M + sympy.diag(*rotor_inertias(self._tree))
        return self._inserted(self._A.T * whole * self._A)

    @cached_property
    def C(self) -> Expression:
        """(nv, nv) Coriolis matrix A^T C A of Christoffel symbols, with Mdot = C + C^T."""
        return self._inserted(self._A.T * self._equations.C * self._A)

    @cached_property
    def g(self) -> Expression:
        """(nv, 1) gravity forces."""
        return self._inserted(self._A.T * self._equations.g)

    @cached_property
    def springs(self) -> Expression:
        """(nv, 1) forces that balance the joint springs, A^T K (A q + b - rest)."""
        return self._column(spring_forces(self._tree, self._drives.positions(self._tree, self.q)))

    @cached_property
    def friction(self) -> Expression:
        """(nv, 1) forces that overcome friction."""
        return self._column(friction_forces(self._tree, self._drives.rates(self.dq), self._drives.smoothing))

    @cached_property
    def tau(self) -> Expression:
        """(nv, 1) generalized forces of the coordinates: the left side of the equations."""
        velocities, accelerations = (sympy.Matrix(len(x), 1, x) for x in (self.dq, self.ddq))
        moving = self.M * accelerations + (self.C * velocities).expand()
        return sympy.ImmutableDenseMatrix(moving + self.g + self.springs + self.friction)

    @cached_property
    def kinetic(self) -> Expression:
        """Kinetic energy of links and rotors, dq^T M dq / 2."""
        velocities = sympy.Matrix(len(self.dq), 1, self.dq)
        return (velocities.T * self.M * velocities)[0].expand() / 2

    @cached_property
    def potential(self) -> Expression:
        """Potential energy of gravity and springs."""
        links = self._equations.potential
        springs = driven_potential_energy(with_gravity(self._tree, (0, 0, 0)), self._drives, self.q)
        return self._inserted(sympy.Matrix([[links]]))[0] + springs

    def latex(self) -> str:
        r"""LaTeX of the equations, one line per coordinate, for an `aligned` or `align*` environment.

        Example:
            >>> print(revolute.robots.planar(1, mass=3).with_drives().equations().latex())
            ddq_{1} + 14.715 \cos{\left(q_{1} \right)} &= \tau_{1}
        """
        return " \\\\\n".join(f"{sympy.latex(x)} &= \\tau_{{{k}}}" for k, x in enumerate(self.tau, 1))

    def __repr__(self) -> str:
        return f"<DrivenEquations of {self._name!r}, {len(self.dq)} coordinates>"

    def __str__(self) -> str:
        return "\n".join(f"tau{k} = {x}" for k, x in enumerate(self.tau, 1))

    def _repr_latex_(self) -> str:
        if size(self.tau, GLANCE) > GLANCE:
            return rf"$$\text{{{len(self.tau)} equations, too long to show here: print(equations)}}$$"
        return f"$$\\begin{{aligned}}\n{self.latex()}\n\\end{{aligned}}$$"

    @cached_property
    def _A(self) -> Any:
        A = sympy.zeros(self._tree.nv, len(self.dq))
        for i, row in enumerate(self._drives.A):
            for k, factor in row:
                A[i, k] = factor
        return A

    def _inserted(self, matrix: Any) -> Any:
        """Substitute joint positions A q + b and velocities A dq into a matrix of the tree."""
        tree = self._equations
        q, qd = self._drives.positions(self._tree, self.q), self._drives.rates(self.dq)
        table = dict(zip((*tree.q, *tree.dq), (*q, *qd), strict=True))
        return sympy.ImmutableDenseMatrix(matrix.applyfunc(lambda x: sympy.expand(x.xreplace(table))))

    def _column(self, forces: Sequence[Any]) -> Any:
        return sympy.ImmutableDenseMatrix(len(self.dq), 1, self._drives.projected(forces))
