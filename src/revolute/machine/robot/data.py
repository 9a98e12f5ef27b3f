"""Methods of `Robot`: its mass, joints by name and drives as arrays; symbols instead of numbers, and equations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from revolute.arguments import nearest
from revolute.machine.robot.base import Array, Group
from revolute.model import Model, substituted
from revolute.model.body import DRIVE_FIELDS
from revolute.model.columns import JointData, drive_column, joint_data

if TYPE_CHECKING:
    from revolute.symbolic import Equations


class JointDrives:
    """Drives of a robot's joints: each field of `revolute.Drive` except `mimic`, as a read-only array (nv,).

    Entries are in the order of qd. Fields that a drive does not set have their defaults: 1 for `gear_ratio`, inf for
    `stribeck_speed`, `friction` for `friction_backward`, and otherwise 0.
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Array:
        if name not in DRIVE_FIELDS:
            raise AttributeError(f"drives have no {name!r}; {nearest(name, DRIVE_FIELDS)}")
        vars(self)[name] = column = drive_column(self._model, name)
        return column

    def __dir__(self) -> list[str]:
        return sorted((*super().__dir__(), *DRIVE_FIELDS))


class Data(Group):
    """The mass, joints by name, and drives of the joints in the order of qd."""

    @cached_property
    def mass(self) -> Any:
        """Total mass of all links, including the base [kg]: a float, or a SymPy expression if masses contain symbols.

        A fixed base does not move: `center_of_mass` and momenta exclude it.

        Example:
            >>> round(revolute.robots.ur5().mass, 3)
            20.994
        """
        mass = sum(body.inertia.m for body in self.bodies)
        return mass if getattr(mass, "free_symbols", None) else float(mass)

    def joint(self, name: str) -> JointData:
        """Data of a joint: type, axis, parent, child, placement, limits, drive, its slices of q and qd.

        Args:
            name: name of the joint: see `joint_names`.

        Raises:
            UnknownNameError: no joint has that name.

        Example:
            >>> elbow = revolute.robots.ur5().joint("elbow_joint")
            >>> elbow.type, elbow.axis, elbow.parent, elbow.child
            ('revolute', (0, 1, 0), 'upper_arm_link', 'forearm_link')
            >>> elbow.placement, elbow.limits.effort, elbow.q
            (Transform(p=(0, -0.1197, 0.425)), (150.0,), slice(2, 3, None))
        """
        return joint_data(self, name)

    @cached_property
    def drives(self) -> JointDrives:
        """Drives of all joints, in the order of qd: `robot.drives.damping`. They act only in robots `with_drives`.

        Example:
            >>> revolute.robots.planar(2).drives.gear_ratio
            array([1., 1.])
        """
        return JointDrives(self)


class Symbolic(Group):
    """Symbols instead of numbers, and the equations of motion in SymPy."""

    def subs(self, values: Mapping[Any, Any]) -> Self:
        """The robot with values for some or all of its symbols: {symbol or its name: value}.

        A value is a number or a SymPy expression. Once all symbols have numeric values, every method works.

        Raises:
            UnknownNameError: the robot does not have the symbol.
            InputError: a value is neither a finite number nor an expression.

        Example:
            >>> import sympy
            >>> g = sympy.Symbol("g")
            >>> arm = revolute.robots.planar(2).with_gravity((0, -g, 0))
            >>> arm.subs({g: 1.62}).gravity_forces([0, 0]).round(3)
            array([3.24, 0.81])
        """
        return substituted(self, values)

    def equations(self, budget: float = 20.0, grouped: bool = False) -> Equations:
        """The equations of motion in SymPy: M(q) ddq + C(q, dq) dq + g(q) = tau. LP 9.81-9.88; SHV 6.63-6.68.

        Coordinates are named q1, q2 ... in the order of q, their time derivatives dq1 ... and ddq1 ..., in the order of
        qd. Angles of parallel joints are added, and like terms are collected.

        Args:
            budget: time limit for each quantity [s]. Slower quantities, and quantities of large robots, are
                not simplified, as `simplified` reports.
            grouped: whether to write the equations with the constants Theta_1 ... of `Equations.parameters`, which are
                groups of lengths, masses and inertias.

        Returns:
            M, C, g, christoffel, tau, kinetic, potential and lagrangian, each computed on first
            access: a `revolute.symbolic.Equations`.

        Raises:
            InputError: the budget is invalid, or a symbol has the name of a coordinate.

        Example:
            >>> import sympy
            >>> from revolute import Joint, Inertia, Link, Revolute, Robot
            >>> m, r, g = sympy.symbols("m r g")
            >>> links = [Link("base"), Link("rod", Inertia.from_com(m, (r, 0, 0)))]
            >>> joints = [Joint("hinge", "base", "rod", Revolute())]
            >>> pendulum = Robot.from_links("pendulum", links, joints, gravity=(0, -g, 0))
            >>> pendulum.equations().tau
            Matrix([[ddq1*m*r**2 + g*m*r*cos(q1)]])
            >>> pendulum.equations(grouped=True).tau
            Matrix([[Theta_1*ddq1 + Theta_2*g*cos(q1)]])
        """
        from revolute.symbolic import Equations

        return Equations(self, budget, grouped)
