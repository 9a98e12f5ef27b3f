"""Recursions of a system's functions and of Lagrange multipliers. Derivatives come from the graph, not from SymPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import nan
from typing import TYPE_CHECKING, Any

from revolute.dynamics.positive_definite import Triangular, triangular
from revolute.graph import Node, gradient, jacobian
from revolute.machine.lagrangian.nodes import Traced, Values

if TYPE_CHECKING:
    from revolute.machine.lagrangian.system import System


def inverse_dynamics(system: System, q: Any, qd: Any, qdd: Any, values: Values = None) -> Any:
    """Forces tau of a motion, in addition to Q."""
    return Traced(system, values, q, qd).forces(qdd)


def forward_dynamics(system: System, q: Any, qd: Any, tau: Any, values: Values = None) -> Any:
    """Accelerations."""
    if system.constraints:
        return constrained_accelerations(system, q, qd, tau, values)[0]
    at = Traced(system, values, q, qd)
    return triangular(at.hessian()).solve([t - b for t, b in zip(tau, at.forces([0.0] * system.n), strict=True)])


def linearize(system: System, q: Any, qd: Any, tau: Any, values: Values = None) -> Any:
    """A and B of d/dt (dq, dqd) = A (dq, dqd) + B dtau: the derivatives of the accelerations. BP 7.2.2."""
    n = range(system.n)
    rows = jacobian(forward_dynamics(system, q, qd, tau, values), (*q, *qd, *tau))
    A: list[list[Any]] = [[float(system.n + i == j) for j in range(2 * system.n)] for i in n]
    A += [[row.get(j, 0.0) for j in range(2 * system.n)] for row in rows]
    return A, [[0.0 for _ in n] for _ in n] + [[row.get(2 * system.n + j, 0.0) for j in n] for row in rows]


def mass_matrix(system: System, q: Any, values: Values = None) -> Any:
    """M."""
    return [Traced(system, values, q).node(x) for x in system.M]


def coriolis_matrix(system: System, q: Any, qd: Any, values: Values = None) -> Any:
    """C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k / 2. LP 9.13; SHV 6.63-6.68."""
    n = range(system.n)
    rows = jacobian(mass_matrix(system, q, values), q)
    D = [[[rows[i * system.n + j].get(k, 0.0) for k in n] for j in n] for i in n]
    return [sum((D[i][j][k] + D[i][k][j] - D[j][k][i]) * qd[k] for k in n) * 0.5 for i in n for j in n]


def gravity_forces(system: System, q: Any, values: Values = None) -> Any:
    """g = dU/dq."""
    return list(gradient(Traced(system, values, q).node(system.potential), q))


def kinetic_energy(system: System, q: Any, qd: Any, values: Values = None) -> Any:
    """T."""
    return Traced(system, values, q, qd).node(system.kinetic)


def potential_energy(system: System, q: Any, values: Values = None) -> Any:
    """U."""
    return Traced(system, values, q).node(system.potential)


def total_energy(system: System, q: Any, qd: Any, values: Values = None) -> Any:
    """T + U."""
    return Traced(system, values, q, qd).node(system.energy)


DEPENDENT = 1e-13
"""Relative rounding error of a pivot, which is sin^2 of the angle between a row and the span of the preceding rows."""


@dataclass(frozen=True)
class ConstraintRows:
    """Rows A of constraints A qd + b = 0, and the accelerations due to their forces.

    Attributes:
        A: m rows of n scalars.
        W: M^-1 A^T, a list of its columns.
        factors: of the mobility S = A M^-1 A^T.
        independent: true if no row depends on the preceding rows, in the metric M^-1.
    """

    A: Sequence[Sequence[Any]]
    W: Sequence[Sequence[Any]]
    factors: Triangular
    independent: Node

    @classmethod
    def of(cls, inertia: Triangular, A: Sequence[Sequence[Any]]) -> ConstraintRows:
        """The rows A, with factors of the mass matrix."""
        W = [inertia.solve(row) for row in A]
        S = [[_dot(row, column) for column in W] for row in A]
        factors = triangular(S)
        # pivot k is the squared length of the component of row k that is independent of the preceding rows
        margins = [D - DEPENDENT * S[k][k] for k, D in enumerate(factors.D)]
        return cls(A, W, factors, reduce(Node.minimum, margins) > 0.0)

    def multipliers(self, required: Sequence[Any]) -> list[Any]:
        """lambda with S lambda = required; NaN if rows are dependent."""
        return [self.independent.select(x, nan) for x in self.factors.solve(required)]

    def moved(self, force: Sequence[Any]) -> list[Any]:
        """M^-1 A^T lambda."""
        return [_dot(row, force) for row in zip(*self.W, strict=True)]


def constrained_accelerations(system: System, q: Any, qd: Any, tau: Any, values: Values = None) -> tuple[Any, Any]:
    """ddq and lambda of M ddq + bias = tau + A^T lambda, A ddq + d/dt(A, rest) (qd, 1) = 0.

        (A M^-1 A^T) lambda = -(Ad qd + d/dt rest) - A M^-1 (tau - bias)
    """
    at = Traced(system, values, q, qd)
    inertia = triangular(at.hessian())
    still = [0.0] * system.n
    free = inertia.solve([t - b for t, b in zip(tau, at.forces(still), strict=True)])
    rows = ConstraintRows.of(inertia, _rows(at))
    drift = at.rates(_speeds(at, rows.A), still)
    force = rows.multipliers([-d - _dot(row, free) for row, d in zip(rows.A, drift, strict=True)])
    return [a + b for a, b in zip(free, rows.moved(force), strict=True)], force


def multipliers(system: System, q: Any, qd: Any, tau: Any, values: Values = None) -> Any:
    """lambda."""
    return constrained_accelerations(system, q, qd, tau, values)[1]


def constraint_forces(system: System, q: Any, qd: Any, tau: Any, values: Values = None) -> Any:
    """A^T lambda."""
    force = multipliers(system, q, qd, tau, values)
    return [_dot(column, force) for column in zip(*_rows(Traced(system, values, q, qd)), strict=True)]


def constraint_jacobian(system: System, q: Any, values: Values = None) -> Any:
    """A."""
    return _rows(Traced(system, values, q))


def constraint_error(system: System, q: Any, values: Values = None) -> Any:
    """h of holonomic constraints, zero for others."""
    return _errors(Traced(system, values, q))


def constraint_rates(system: System, q: Any, qd: Any, values: Values = None) -> Any:
    """A qd + rest."""
    at = Traced(system, values, q, qd)
    return _speeds(at, _rows(at))


def position_correction(system: System, q: Any, qd: Any, values: Values = None) -> Any:
    """Newton step of minimum kinetic energy to h = 0: M^-1 A^T lambda with S lambda = -h, of holonomic rows."""
    at = Traced(system, values, q, qd)
    places = [k for k, x in enumerate(system.constraints) if x.holonomic]
    A, h = _rows(at), _errors(at)
    rows = ConstraintRows.of(triangular(at.hessian()), [A[k] for k in places])
    return rows.moved(rows.multipliers([-h[k] for k in places]))


def velocity_correction(system: System, q: Any, qd: Any, values: Values = None) -> Any:
    """The velocity change of minimum kinetic energy to A qd + rest = 0."""
    at = Traced(system, values, q, qd)
    rows = ConstraintRows.of(triangular(at.hessian()), _rows(at))
    return rows.moved(rows.multipliers([-v for v in _speeds(at, rows.A)]))


def _rows(at: Traced) -> list[list[Node]]:
    return [[at.node(x) for x in constraint.row] for constraint in at.system.constraints]


def _errors(at: Traced) -> list[Node]:
    return [at.node(x.expression) if x.holonomic else at.builder.const(0.0) for x in at.system.constraints]


def _speeds(at: Traced, A: Sequence[Sequence[Any]]) -> list[Node]:
    """A qd + rest."""
    return [_dot(row, at.dq) + at.node(x.rest) for row, x in zip(A, at.system.constraints, strict=True)]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum(x * y for x, y in zip(a, b, strict=True))
