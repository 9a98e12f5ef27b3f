"""Recursions of a system's functions. Derivatives are those of the graph, never SymPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from revolute.dynamics.positive_definite import triangular
from revolute.graph import gradient, jacobian
from revolute.machine.lagrangian.multipliers import constrained_accelerations
from revolute.machine.lagrangian.traced import Traced, Values

if TYPE_CHECKING:
    from revolute.machine.lagrangian.system import System

__all__ = [
    "coriolis_matrix", "forward_dynamics", "gravity_forces", "inverse_dynamics", "kinetic_energy", "linearize",
    "mass_matrix", "potential_energy", "total_energy",
]


def inverse_dynamics(system: System, q: Any, qd: Any, qdd: Any, values: Values = None) -> Any:
    """Forces tau of a motion, in addition to Q."""
    return Traced(system, values, q, qd).forces(qdd)


def forward_dynamics(system: System, q: Any, qd: Any, tau: Any, values: Values = None) -> Any:
    """Accelerations."""
    if system.constraints:
        return constrained_accelerations(system, q, qd, tau, values)[0]
    at = Traced(system, values, q, qd)
    bias = at.forces([0.0] * system.n)
    return triangular(at.hessian()).solve([t - b for t, b in zip(tau, bias, strict=True)])


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
