"""What can be compiled of a system. Derivatives are taken of the graph: SymPy's never enter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.compiler.signature import Signature
from revolute.dynamics.positive_definite import triangular
from revolute.errors import InputError, UnknownNameError
from revolute.graph import Input, Node, gradient, jacobian, pushforward
from revolute.machine.lagrangian.nodes import nodes
from revolute.machine.lagrangian.symbols import Expression, Symbol
from revolute.machine.lagrangian.system import System

__all__ = ["signature"]

MOST_INPUTS = 60
"""NumPy's ufuncs take 64 arrays, results included."""


class _Traced:
    """A system's energies as nodes, with what Lagrange's equations make of them."""

    def __init__(self, system: System, parameters: Sequence[Symbol], scalars: Sequence[Any], q: Any, qd: Any) -> None:
        self.system, self.q, self.dq = system, q, qd
        self.builder = q[0].builder
        self.known = dict(zip(parameters, scalars, strict=True))
        self.known |= dict(zip((*system.q, *system.dq), (*q, *qd), strict=False))  # some need no velocities

    def node(self, x: Expression) -> Node:
        (found,) = nodes([x], self.known)
        return found if isinstance(found, Node) else self.builder.const(found)

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
        if system.time in self.known:
            tangents[self.known[system.time]] = {0: 1.0}
        changes = [row.get(0, 0.0) for row in pushforward(self.momenta(), tangents)]
        drives = gradient(self.node(system.readable_kinetic - system.potential), self.q)
        losses = gradient(self.node(system.dissipation), self.dq)
        given = [self.node(x) for x in system.forces]
        return [a - b + c - f for a, b, c, f in zip(changes, drives, losses, given, strict=True)]


def _inverse_dynamics(at: _Traced, qdd: Any) -> list[Any]:
    return at.forces(qdd)


def _forward_dynamics(at: _Traced, tau: Any) -> list[Any]:
    bias = at.forces([0.0] * at.system.n)
    return triangular(at.hessian()).solve([t - b for t, b in zip(tau, bias, strict=True)])


def _mass_matrix(at: _Traced) -> list[Any]:
    return [at.node(x) for x in at.system.M]


def _coriolis_matrix(at: _Traced) -> list[Any]:
    """C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k / 2. LP 9.13; SHV 6.3."""
    n = range(at.system.n)
    rows = jacobian(_mass_matrix(at), at.q)
    D = [[[rows[i * at.system.n + j].get(k, 0.0) for k in n] for j in n] for i in n]
    return [sum((D[i][j][k] + D[i][k][j] - D[j][k][i]) * at.dq[k] for k in n) * 0.5 for i in n for j in n]


def _gravity_forces(at: _Traced) -> list[Any]:
    return list(gradient(at.node(at.system.potential), at.q))


def signature(system: System, name: str) -> Signature:
    """The function of that name for a system.

    Raises:
        UnknownNameError: no such function.
        InputError: a mass matrix of an energy that has none, or more parameters than a kernel takes.
    """
    T, U, D, Q, n = system.kinetic, system.potential, system.dissipation, system.forces, system.n
    table: dict[str, tuple[tuple[str, ...], tuple[str, tuple[int, ...]], tuple[Expression, ...], Any]] = {
        "inverse_dynamics": (("q", "qd", "qdd"), ("tau", (n,)), (T, U, D, *Q), _inverse_dynamics),
        "forward_dynamics": (("q", "qd", "tau"), ("qdd", (n,)), (T, U, D, *Q), _forward_dynamics),
        "mass_matrix": (("q",), ("M", (n, n)), (T,), _mass_matrix),
        "coriolis_matrix": (("q", "qd"), ("C", (n, n)), (T,), _coriolis_matrix),
        "gravity_forces": (("q",), ("g", (n,)), (U,), _gravity_forces),
        "kinetic_energy": (("q", "qd"), ("T", ()), (T,), lambda at: [at.node(T)]),
        "potential_energy": (("q",), ("U", ()), (U,), lambda at: [at.node(U)]),
    }
    if name not in table:
        raise UnknownNameError(f"no function '{name}'; there are: {', '.join(table)}")
    arrays, output, parts, formula = table[name]
    if name in ("mass_matrix", "coriolis_matrix"):
        system.require_quadratic()
    parameters = system.symbols_of(*parts)
    if len(parameters) > MOST_INPUTS - len(arrays):
        raise InputError(f"'{system.name}' has {len(parameters)} parameters, too many for a kernel: use subs for some")

    def body(q: Any, *rest: Any) -> list[Any]:
        named = dict(zip(arrays[1:], rest, strict=False))
        scalars = [x for (x,) in rest[len(arrays) - 1 :]]
        at = _Traced(system, parameters, scalars, q, named.pop("qd", ()))
        return list(formula(at, *named.values()))

    inputs = [Input(x, (n,), "coordinates") for x in arrays]
    return Signature(name, (*inputs, *(Input(x.name, ()) for x in parameters)), (output,), body)
