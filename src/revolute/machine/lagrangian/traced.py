"""A system's energies and constraints as nodes of a graph. Derivatives are those of the graph, never SymPy's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from revolute.graph import Node, gradient, jacobian, pushforward
from revolute.machine.lagrangian.nodes import nodes
from revolute.machine.lagrangian.symbols import Expression, Symbol

if TYPE_CHECKING:
    from revolute.machine.lagrangian.system import System

__all__ = ["Traced", "Values"]

Values = Mapping[Symbol, Any] | None
"""Scalars for the system's parameters."""


class Traced:
    """A system's energies as nodes, and the terms of Lagrange's equations."""

    def __init__(self, system: System, values: Values, q: Any, qd: Any = ()) -> None:
        self.system, self.q, self.dq = system, q, qd
        self.builder = q[0].builder
        self.values = {**(values or {}), **dict(zip((*system.q, *system.dq), (*q, *qd), strict=False))}

    def node(self, x: Expression) -> Node:
        """An expression as a node."""
        (value,) = nodes([x], self.values)
        return value if isinstance(value, Node) else self.builder.const(value)

    def momenta(self) -> list[Node]:
        """p = dT/d(dq)."""
        return gradient(self.node(self.system.readable_kinetic), self.dq)

    def hessian(self) -> list[list[Any]]:
        """dp/d(dq)."""
        return [[row.get(j, 0.0) for j in range(self.system.n)] for row in jacobian(self.momenta(), self.dq)]

    def forces(self, qdd: Sequence[Any]) -> list[Any]:
        """d/dt dL/d(dq) - dL/dq + dD/d(dq) - Q. LP 9.11; JIN 27."""
        system = self.system
        changes = self.rates(self.momenta(), qdd)
        slopes = gradient(self.node(system.readable_kinetic - system.potential), self.q)
        losses = gradient(self.node(system.dissipation), self.dq)
        applied = [self.node(x) for x in system.forces]
        return [a - b + c - f for a, b, c, f in zip(changes, slopes, losses, applied, strict=True)]

    def rates(self, x: Sequence[Node], qdd: Sequence[Any]) -> list[Any]:
        """dx/dt along a motion."""
        tangents = dict(zip((*self.q, *self.dq), ({0: rate} for rate in (*self.dq, *qdd)), strict=True))
        if self.system.time in self.values:
            tangents[self.values[self.system.time]] = {0: 1.0}
        return [row.get(0, 0.0) for row in pushforward(x, tangents)]
