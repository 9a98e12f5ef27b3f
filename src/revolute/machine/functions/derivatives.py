"""Recursions of derivatives: with respect to positions, velocities and joint placements, and along motions."""

from __future__ import annotations

from typing import Any

from revolute.compiler.signature import flat
from revolute.dynamics import inverse_dynamics_partials as of_forces
from revolute.dynamics import jacobian
from revolute.dynamics.christoffel_symbols import christoffel_symbols
from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.goa_coriolis import goa_difference, goa_symbols_difference
from revolute.dynamics.large_coriolis import coriolis_matrix_partials_in_loops
from revolute.dynamics.large_regressors import is_large
from revolute.dynamics.linear_models import total
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.machine.functions.kinematics import of_point, rows_of
from revolute.machine.functions.traced import along, along_motion, by_positions, cost
from revolute.model.displaced import displaced
from revolute.model.model import Model
from revolute.model.reduce import aligned, reduced, reduced_for_slopes, reduced_in_place
from revolute.spatial import Rows, Scalars, Tree


def gravity_forces_partials(model: Model, q: Scalars) -> Tree:
    """dg/dq, by recursion or by differentiating the graph, whichever needs fewer operations."""
    reduced_model, zeros = reduced_for_slopes(model), (0,) * model.nv
    graph = by_positions(model, newton_euler(reduced_model, q, zeros, zeros), q)
    return min(flat(of_forces.gravity_forces_partials(reduced_model, q)), flat(graph), key=cost)


def mass_matrix_partials(model: Model, q: Scalars) -> Tree:
    """dM/dq, by recursion or by differentiating the graph, whichever needs fewer operations."""
    reduced_model = reduced(model)
    rows = [row for matrix in of_forces.mass_matrix_partials(reduced_model, q) for row in matrix]
    return min(flat(rows), flat(by_positions(model, flat(mass_matrix(reduced_model, q)), q)), key=cost)


def coriolis_matrix_partials(model: Model, q: Scalars, qd: Scalars, kind: str = "christoffel") -> Tree:
    """dC/dq and dC/dqd."""
    reduced_model = reduced_for_slopes(model) if kind == "christoffel" else reduced_in_place(model)
    C: Rows = [[0] * model.nv for _ in range(model.nv)]
    by_q = [C[0]] * model.nv**2
    if is_large(model):
        by_q, by_qd = map(flat, coriolis_matrix_partials_in_loops(reduced_model, q, qd))
    else:
        C, by_qd = equations_of_motion(reduced_model, q, qd)[1], flat(christoffel_symbols(reduced_model, q))
    if kind != "christoffel":
        C = total(C, goa_difference(aligned(model), q, qd))
        by_qd = total(by_qd, flat(goa_symbols_difference(aligned(model), q)))
    return total(by_q, by_positions(model, flat(C), q)), by_qd


@of_point
def jacobian_partials(model: Model, q: Scalars, frame: str, reference: str = "body") -> Tree:
    """dJ/dq."""
    return by_positions(model, _jacobian(model, q, frame, reference), q)


@of_point
def jacobian_rate_partials(model: Model, q: Scalars, qd: Scalars, frame: str, reference: str = "body") -> Tree:
    """d(dJ/dt)/dq, and d(dJ/dt)/dqd, which is dJ/dq."""
    J = _jacobian(model, q, frame, reference)
    return by_positions(model, along_motion(model, J, q, qd), q), by_positions(model, J, q)


@of_point
def jacobian_third_rate(
    model: Model, q: Scalars, qd: Scalars, qdd: Scalars, qddd: Scalars, frame: str, reference: str = "body"
) -> Tree:
    """d3J/dt3."""
    second = jacobian.jacobian_second_rate(aligned(model), q, qd, qdd, frame, reference)
    return along_motion(model, rows_of(second), q, qd, qdd, qddd)


def _jacobian(model: Model, q: Scalars, frame: str, reference: str) -> list[Any]:
    return rows_of(jacobian.jacobian(aligned(model), q, frame, reference))


def inverse_dynamics_second_partials(model: Model, q: Scalars, qd: Scalars, qdd: Scalars) -> Tree:
    """d2tau/dq2, d2tau/dq dqd, d2tau/dqd2 and dM/dq."""
    n, reduced_model = range(model.nv), reduced_for_slopes(model)
    first_q, first_qd, _ = of_forces.inverse_dynamics_partials(reduced_model, q, qd, qdd)
    # derivatives along different joints commute; the outer joint comes first, as its derivatives need fewer operations
    last = [at.stop for body, at in zip(model.bodies, model.v_index, strict=True) for _ in range(body.joint.nv)]
    wanted = [range(last[j]) for _ in n for j in n] + [n for _ in n for _ in n]
    # one pass over the graph computes both derivatives, which share most of their nodes
    slopes = by_positions(model, [*flat(first_q), *flat(first_qd)], q, wanted)
    second_q, second_q_qd = slopes[: model.nv**2], slopes[model.nv**2 :]

    def by_both(i: int, j: int, k: int) -> Tree:
        outer, inner = (j, k) if k < last[j] else (k, j)
        return second_q[i * model.nv + outer][inner]

    G = christoffel_symbols(reduced_model, q)
    return (
        [by_both(i, j, k) for i in n for j in n for k in n],
        [second_q_qd[i * model.nv + k][j] for i in n for j in n for k in n],
        [G[i][j][k] + G[i][k][j] for i in n for j in n for k in n],
        of_forces.mass_matrix_partials(reduced_model, q),
    )


def inverse_dynamics_differential(model: Model, q: Scalars, qd: Scalars, qdd: Scalars, *changes: Scalars) -> Tree:
    """dtau."""
    return along(model, newton_euler(reduced(model), q, qd, qdd), (q, qd, qdd), changes)


def inverse_dynamics_rates(model: Model, q: Scalars, qd: Scalars, qdd: Scalars, *rates: Scalars) -> Tree:
    """tau, dtau/dt, d2tau/dt2."""
    return force_rates(model, newton_euler(reduced(model), q, qd, qdd), q, qd, qdd, *rates)


def force_rates(space: Model, tau: Scalars, *motion: Scalars) -> Tree:
    """Forces tau, and their first and second time derivatives for a motion q, qd ... qdddd of the joints of `space`."""
    taud = along_motion(space, tau, *motion[:-1])
    return tau, taud, along_motion(space, taud, *motion)


def placement_jacobian(model: Model, q: Scalars, frame: str, reference: str = "body") -> Tree:
    """The columns of J that belong to displacements of joint frames, as scalars row by row."""
    moved = displaced(model, frame)
    J = jacobian.jacobian(aligned(moved.model), moved.positions(q), frame, reference)
    return rows_of(J[k] for k in moved.displacements)
