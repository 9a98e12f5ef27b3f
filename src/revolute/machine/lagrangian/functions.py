"""Recursions of a system's functions and of Lagrange multipliers, with derivatives of the graph instead of SymPy's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from revolute.dynamics.constrained import Constraints
from revolute.dynamics.positive_definite import triangular
from revolute.dynamics.sparse_factorization import factors_of, filled
from revolute.graph import Node, gradient, jacobian
from revolute.machine.lagrangian.nodes import Traced, Values
from revolute.spatial import Scalars, Tree

if TYPE_CHECKING:
    from revolute.machine.lagrangian.system import System


def traced(value: Callable[[Traced], Any]) -> Callable[..., Any]:
    """The recursion that evaluates `value` in a traced state."""
    return lambda system, *state, values=None: value(Traced(system, values, *state))


def inverse_dynamics(system: System, q: Scalars, qd: Scalars, qdd: Scalars, values: Values = None) -> Tree:
    """Forces tau of a motion, in addition to Q."""
    return Traced(system, values, q, qd).forces(qdd)


def forward_dynamics(system: System, q: Scalars, qd: Scalars, tau: Scalars, values: Values = None) -> Tree:
    """Accelerations."""
    if system.constraints:
        return constrained_accelerations(system, q, qd, tau, values)[0]
    at = Traced(system, values, q, qd)
    return triangular(at.hessian()).solve([t - b for t, b in zip(tau, at.forces([0.0] * system.n), strict=True)])


def linearize(system: System, q: Scalars, qd: Scalars, tau: Scalars, values: Values = None) -> Tree:
    """A and B of d/dt (dq, dqd) = A (dq, dqd) + B dtau, from the derivatives of the accelerations. BP 7.2.2."""
    n = range(system.n)
    rows = jacobian(forward_dynamics(system, q, qd, tau, values), (*q, *qd, *tau))
    A: list[list[Any]] = [[float(system.n + i == j) for j in range(2 * system.n)] for i in n]
    A += [[row.get(j, 0.0) for j in range(2 * system.n)] for row in rows]
    return A, [[0.0 for _ in n] for _ in n] + [[row.get(2 * system.n + j, 0.0) for j in n] for row in rows]


mass_matrix = traced(lambda at: [at.node(x) for x in at.system.M])
gravity_forces = traced(lambda at: gradient(at.node(at.system.potential), at.q))
kinetic_energy = traced(lambda at: at.node(at.system.kinetic))
potential_energy = traced(lambda at: at.node(at.system.potential))
total_energy = traced(lambda at: at.node(at.system.energy))


@traced
def coriolis_matrix(at: Traced) -> list[Any]:
    """C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k / 2. LP 9.13; SHV 6.63-6.68."""
    n = range(at.system.n)
    rows = jacobian([at.node(x) for x in at.system.M], at.q)
    D = [[[rows[i * len(n) + j].get(k, 0.0) for k in n] for j in n] for i in n]
    return [sum((D[i][j][k] + D[i][k][j] - D[j][k][i]) * at.dq[k] for k in n) * 0.5 for i in n for j in n]


def constrained_accelerations(
    system: System, q: Scalars, qd: Scalars, tau: Scalars, values: Values = None
) -> tuple[list[Any], list[Any]]:
    """ddq and lambda that satisfy M ddq + bias = tau + A^T lambda and A ddq + d/dt(A, rest) (qd, 1) = 0."""
    at = Traced(system, values, q, qd)
    still = [0.0] * system.n
    load = [t - b for t, b in zip(tau, at.forces(still), strict=True)]
    return _constraints(at, rows_of(at)).solve(load, [-x for x in at.rates(speeds(at), still)])


def _constraints(at: Traced, rows: list[list[Node]]) -> Constraints:
    """The constraints with these rows of A, in the metric of the mass matrix."""
    M = at.hessian()
    return Constraints(rows, factors_of(filled(M), M))


def multipliers(system: System, q: Scalars, qd: Scalars, tau: Scalars, values: Values = None) -> Tree:
    """lambda."""
    return constrained_accelerations(system, q, qd, tau, values)[1]


def constraint_forces(system: System, q: Scalars, qd: Scalars, tau: Scalars, values: Values = None) -> Tree:
    """A^T lambda."""
    _, force = constrained_accelerations(system, q, qd, tau, values)
    return [_dot(column, force) for column in zip(*rows_of(Traced(system, values, q, qd)), strict=True)]


@traced
def position_correction(at: Traced) -> list[Any]:
    """The Newton step of q towards h = 0 of holonomic constraints, shortest in the metric of the mass matrix."""
    places = [k for k, x in enumerate(at.system.constraints) if x.holonomic]
    A, h = rows_of(at), errors(at)
    return _constraints(at, [A[k] for k in places]).solve([0.0] * at.system.n, [-h[k] for k in places])[0]


@traced
def velocity_correction(at: Traced) -> list[Any]:
    """The velocity change of minimum kinetic energy that makes A qd + rest zero."""
    return _constraints(at, rows_of(at)).solve([0.0] * at.system.n, [-v for v in speeds(at)])[0]


def rows_of(at: Traced) -> list[list[Node]]:
    """A."""
    return [[at.node(x) for x in constraint.row] for constraint in at.system.constraints]


def errors(at: Traced) -> list[Node]:
    """The errors h of the constraints; zero for non-holonomic ones."""
    return [at.node(x.expression) if x.holonomic else at.builder.const(0.0) for x in at.system.constraints]


def speeds(at: Traced) -> list[Any]:
    """A qd + rest."""
    return [_dot(row, at.dq) + at.node(x.rest) for row, x in zip(rows_of(at), at.system.constraints, strict=True)]


constraint_jacobian, constraint_error, constraint_rates = traced(rows_of), traced(errors), traced(speeds)


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Tree:
    return sum(x * y for x, y in zip(a, b, strict=True))
