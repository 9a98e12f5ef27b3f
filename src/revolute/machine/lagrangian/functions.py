"""Recursions of a system's functions. Derivatives are those of the graph, never SymPy's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from revolute.dynamics.positive_definite import triangular
from revolute.graph import Node, gradient, jacobian, pushforward
from revolute.machine.lagrangian.nodes import nodes
from revolute.machine.lagrangian.symbols import Expression, Symbol

if TYPE_CHECKING:
    from revolute.machine.lagrangian.system import System

__all__ = [
    "coriolis_matrix",
    "forward_dynamics",
    "gravity_forces",
    "inverse_dynamics",
    "kinetic_energy",
    "mass_matrix",
    "potential_energy",
]

Values = Mapping[Symbol, Any] | None
"""Scalars for the system's parameters."""


class _Traced:
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
        tangents = dict(zip((*self.q, *self.dq), ({0: x} for x in (*self.dq, *qdd)), strict=True))
        if system.time in self.values:
            tangents[self.values[system.time]] = {0: 1.0}
        changes = [row.get(0, 0.0) for row in pushforward(self.momenta(), tangents)]
        slopes = gradient(self.node(system.readable_kinetic - system.potential), self.q)
        losses = gradient(self.node(system.dissipation), self.dq)
        applied = [self.node(x) for x in system.forces]
        return [a - b + c - f for a, b, c, f in zip(changes, slopes, losses, applied, strict=True)]


def inverse_dynamics(system: System, q: Any, qd: Any, qdd: Any, values: Values = None) -> Any:
    """Forces tau of a motion, besides Q."""
    return _Traced(system, values, q, qd).forces(qdd)


def forward_dynamics(system: System, q: Any, qd: Any, tau: Any, values: Values = None) -> Any:
    """Accelerations."""
    at = _Traced(system, values, q, qd)
    bias = at.forces([0.0] * system.n)
    return triangular(at.hessian()).solve([t - b for t, b in zip(tau, bias, strict=True)])


def mass_matrix(system: System, q: Any, values: Values = None) -> Any:
    """M."""
    return [_Traced(system, values, q).node(x) for x in system.M]


def coriolis_matrix(system: System, q: Any, qd: Any, values: Values = None) -> Any:
    """C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k / 2. LP 9.13; SHV 6.3."""
    n = range(system.n)
    rows = jacobian(mass_matrix(system, q, values), q)
    D = [[[rows[i * system.n + j].get(k, 0.0) for k in n] for j in n] for i in n]
    return [sum((D[i][j][k] + D[i][k][j] - D[j][k][i]) * qd[k] for k in n) * 0.5 for i in n for j in n]


def gravity_forces(system: System, q: Any, values: Values = None) -> Any:
    """g = dU/dq."""
    return list(gradient(_Traced(system, values, q).node(system.potential), q))


def kinetic_energy(system: System, q: Any, qd: Any, values: Values = None) -> Any:
    """T."""
    return _Traced(system, values, q, qd).node(system.kinetic)


def potential_energy(system: System, q: Any, values: Values = None) -> Any:
    """U."""
    return _Traced(system, values, q).node(system.potential)
