"""Methods of `Robot`: symbols instead of numbers, and equations in SymPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from revolute.machine.robot.base import Group
from revolute.model.symbols import substituted

if TYPE_CHECKING:
    from revolute.symbolic import Equations

__all__ = ["Symbolic"]


class Symbolic(Group):
    """Symbols instead of numbers, and the equations of motion in SymPy."""

    def subs(self, values: Mapping[Any, Any]) -> Self:
        """The robot with values for some or all of its symbols: {symbol or its name: value}.

        A value is a number or a SymPy expression. Once all symbols have numbers, every method works.

        Raises:
            UnknownNameError: the robot does not have the symbol.
            InputError: a value is neither a finite number nor an expression.

        Example:
            >>> import sympy, revolute
            >>> g = sympy.Symbol("g")
            >>> arm = revolute.robots.planar(2).with_gravity((0, -g, 0))
            >>> arm.subs({g: 1.62}).gravity_forces([0, 0]).round(3)
            array([3.24, 0.81])
        """
        return substituted(self, values)

    def equations(self, budget: float = 20.0, grouped: bool = False) -> Equations:
        """The equations of motion in SymPy: M(q) ddq + C(q, dq) dq + g(q) = tau. LP 9.81-9.88; SHV 6.63-6.68.

        Coordinates are named q1, q2 ... in the order of q, their time derivatives dq1 ... and ddq1 ..., in the order of
        qd. Angles of parallel joints are added, and like terms collected.

        Args:
            budget: time limit for each quantity [s]. Slower quantities are not simplified, as `simplified` reports.
            grouped: write them with the constants Theta_1 ... of `Equations.parameters`, which are
                groups of lengths, masses and inertias.

        Returns:
            M, C, g, christoffel, tau, kinetic, potential and lagrangian, each computed on first
            access: a `revolute.symbolic.Equations`.

        Raises:
            InputError: the budget is invalid, or a symbol has the name of a coordinate.

        Example:
            >>> import revolute, sympy
            >>> from revolute import Connection, Inertia, Link, Revolute, Robot
            >>> m, r, g = sympy.symbols("m r g")
            >>> links = [Link("base"), Link("rod", Inertia.from_com(m, (r, 0, 0)))]
            >>> joints = [Connection("hinge", "base", "rod", Revolute())]
            >>> pendulum = Robot.from_links("pendulum", links, joints, gravity=(0, -g, 0))
            >>> pendulum.equations().tau
            Matrix([[ddq1*m*r**2 + g*m*r*cos(q1)]])
            >>> pendulum.equations(grouped=True).tau
            Matrix([[Theta_1*ddq1 + Theta_2*g*cos(q1)]])
        """
        from revolute.symbolic import Equations

        return Equations(self, budget, grouped)
