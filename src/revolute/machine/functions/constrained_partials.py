"""Recursions of closed loops: impulses, linear models, and derivatives by variation of the equations."""

from dataclasses import replace
from typing import Any

from revolute.dynamics.constrained import Constraints
from revolute.dynamics.driven import driven_inverse_dynamics_partials
from revolute.dynamics.forward_dynamics_partials import known_columns
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials as tree_partials
from revolute.dynamics.linear_models import brackets, product, total
from revolute.dynamics.mobility import dot
from revolute.machine.functions import closures
from revolute.machine.functions.closures import Loops, Switches
from revolute.machine.functions.traced import by_positions, by_rates
from revolute.model import Model, reduced
from revolute.spatial import ZERO, Rows, Scalar, Scalars, Tree, Wrenches, transposed


def forward_dynamics_partials(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None,
    stabilization: Scalars = (0,), active: Switches = None, **target: Scalars,
) -> tuple[Rows, Rows, Rows]:
    """dqdd/dq, dqdd/dqd and dqdd/dtau, by variation of the equations at constant tau.

        M dqdd - J^T df = -(dID/dq - d(J^T f)/dq) dq - dID/dqd dqd
        J dqdd = -d(J qdd + Jd qd + 2 a J qd + a^2 e)/dq dq - d(Jd qd + 2 a J qd)/dqd dqd
    """
    (a,) = stabilization
    rows, qdd, f = closures.accelerated(model, loops, q, qd, tau, wrenches, stabilization, active, **target)
    rates, slopes = loops.held(closures.drift(model, loops, q, qd), active), closures.slopes_of(model, rows.J, q)
    ID_q, ID_qd, _ = force_partials(model, loops, q, qd, qdd, wrenches)
    turning = closures.contracted(slopes, [x + 2 * a * v for x, v in zip(qdd, qd, strict=True)])
    rows_q = total(turning, by_positions(model, rates, q), scaled(rows.J, a * a))
    rows_qd = total(by_rates(rates, qd), scaled(rows.J, 2 * a))
    loads_q = total(closures.pulled(slopes, f), scaled(ID_q, -1))
    loads, required = beside(loads_q, scaled(ID_qd, -1)), scaled(beside(rows_q, rows_qd), -1)
    free_q, free_qd = known_columns(reduced(model), q, qd) if loops.forces_turn else ({}, {})
    x, P = rows.changes(loads, required, free_q | {model.nv + k: y for k, y in free_qd.items()})
    return [row[: model.nv] for row in x], [row[model.nv :] for row in x], P


def inverse_dynamics_partials(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, qdd: Scalars, motors: tuple[str, ...] | None = None,
    wrenches: Wrenches = None, active: Switches = None,
) -> tuple[Rows, Rows, Rows]:
    """dtau/dq, dtau/dqd and dtau/dqdd of the motors.

    With F = (E, J^T) for motors E, the forces of minimum norm are x = F^T y with F F^T y = ID. So motors exert y, and

        F F^T dy = dID - d(J^T f)/dq dq - J^T d(J y)/dq dq
    """
    J = closures.jacobian(model, loops, q, active)
    felt, motored = closures.exerted(model, J, motors)
    rows, slopes = closures.least(felt), closures.slopes_of(model, J, q)
    x, y = rows.solve((0,) * len(felt[0]), closures.forces(model, loops, q, qd, qdd, wrenches))
    ID_q, ID_qd, M = force_partials(model, loops, q, qd, qdd, wrenches)
    turned = product(transposed(J), closures.contracted(slopes, y))
    ID_q = total(ID_q, scaled(total(closures.pulled(slopes, x[len(motored) :]), turned), -1))
    dy = rows.responses([[*a, *b, *c] for a, b, c in zip(ID_q, ID_qd, M, strict=True)])
    tau, n = [row if k in motored else [0] * len(row) for k, row in enumerate(dy)], model.nv
    return [row[:n] for row in tau], [row[n : 2 * n] for row in tau], [row[2 * n :] for row in tau]


def impulse(model: Model, loops: Loops, q: Scalars, qd: Scalars, **options: Any) -> tuple[list[Scalar], list[Scalar]]:
    """qd+ and p of M qd+ = M qd + J^T p, J qd+ = -r J qd, with J qd and J qd+ relative to the rate of a target."""
    _, change, p = struck(model, loops, q, qd, **options)
    return [v + x for v, x in zip(qd, change, strict=True)], p


def struck(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, restitution: Scalars = (0,), active: Switches = None,
    target_rate: Scalars | None = None,
) -> tuple[Constraints, list[Scalar], list[Scalar]]:
    """The constraints, the change x = qd+ - qd, and p of `impulse`."""
    rows, (r,) = closures.constraints(model, loops, q, active), restitution
    moving = zip(rows.J, target_rate or (0,) * len(rows.J), strict=True)
    missing = loops.held([(1 + r) * (x - dot(row, qd)) for row, x in moving], active)
    return rows, *rows.solve((0,) * model.nv, missing)


def impulse_partials(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, restitution: Scalars = (0,), **options: Any
) -> tuple[Rows, Rows]:
    """dqd+/dq and dqd+/dqd. With x = qd+ - qd and restitution r:

        M dx - J^T dp = -(d(M x)/dq - d(J^T p)/dq) dq,    J dx = -d(J (x + (1 + r) qd))/dq dq - (1 + r) J dqd
    """
    (r,), (rows, change, p) = restitution, struck(model, loops, q, qd, restitution, **options)
    light, still = replace(model, gravity=ZERO), (0,) * model.nv
    momentum_q, springs_q = (force_partials(light, loops, q, still, x)[0] for x in (change, still))
    slopes, none = closures.slopes_of(model, rows.J, q), [[0] * model.nv for _ in range(model.nv)]
    rows_q = closures.contracted(slopes, [x + (1 + r) * v for x, v in zip(change, qd, strict=True)])
    loads_q = total(closures.pulled(slopes, p), springs_q, scaled(momentum_q, -1))
    x, _ = rows.changes(beside(loads_q, none), beside(scaled(rows_q, -1), scaled(rows.J, -(1 + r))), {})
    kept = [[int(i == j) for j in range(model.nv)] for i in range(model.nv)]
    return [row[: model.nv] for row in x], total(kept, [row[model.nv :] for row in x])


def linear_arrays(independent: tuple[str, ...] = ("",)) -> str:
    """Declaration of the arrays of `linearize`."""
    k = len(independent)
    return f"q qd tau -> A: {2 * k} {2 * k}; B: {2 * k} nv; C: 2 nv {2 * k}"


def linearize(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, tau: Scalars, independent: tuple[str, ...],
    wrenches: Wrenches = None,
) -> tuple[Rows, Rows, Rows]:
    """A, B and C: between closed states dq = T dy and dqd = T dyd + W dy, with J W = -d(J qd)/dq T."""
    free = closures.indices(model, independent)
    by_q, by_qd, by_tau = forward_dynamics_partials(model, loops, q, qd, tau, wrenches)
    J = closures.jacobian(model, loops, q)
    T = tangent(J, free)
    W = followed(J, free, product(closures.contracted(closures.slopes_of(model, J, q), qd), T))
    sums = scaled(product(brackets(model, qd), T), -1), total(product(by_q, T), product(by_qd, W)), product(by_qd, T)
    turned, stiffness, damping = ([rows[i] for i in free] for rows in sums)
    k = range(len(free))
    A = [[*row, *(int(i == j) for j in k)] for i, row in enumerate(turned)]
    A += [[*left, *right] for left, right in zip(stiffness, damping, strict=True)]
    B = [[0] * model.nv for _ in k] + [by_tau[i] for i in free]
    return A, B, [[*row, *(0 for _ in k)] for row in T] + [[*w, *t] for w, t in zip(W, T, strict=True)]


def reduced_arrays(independent: tuple[str, ...] = ("",)) -> str:
    """Declaration of the arrays of `reduced_dynamics`."""
    k = len(independent)
    return f"q qd -> M: {k} {k}; bias: {k}; T: nv {k}; drift: nv"


def reduced_dynamics(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, independent: tuple[str, ...], wrenches: Wrenches = None
) -> Tree:
    """T^T M T, T^T (M drift + b), T and drift of qdd = T ydd + drift."""
    free, J = closures.indices(model, independent), closures.jacobian(model, loops, q)
    T, drifted = tangent(J, free), followed(J, free, [[x] for x in closures.drift(model, loops, q, qd)])
    bias = closures.forces(model, loops, q, qd, [x for (x,) in drifted], wrenches)
    columns, half = transposed(T), transposed(product(closures.constraints(model, loops, q).factors.cholesky(), T))
    return [[dot(a, b) for b in half] for a in half], [dot(column, bias) for column in columns], T, drifted


def tangent(J: Rows, free: list[int]) -> Rows:
    """T with qd = T yd and J T = 0, for velocities yd of the coordinates `free`."""
    T = followed(J, free, [[row[k] for k in free] for row in J])
    for column, k in enumerate(free):
        T[k][column] = 1
    return T


def followed(J: Rows, free: list[int], B: Rows) -> Rows:
    """X with J X = -B, whose rows for the coordinates `free` are zero."""
    dependent = [k for k in range(len(J[0])) if k not in free]
    rows, still = closures.least([[row[k] for k in dependent] for row in J]), (0,) * len(dependent)
    solved = transposed(rows.solve(still, [-x for x in column])[0] for column in zip(*B, strict=True))
    places = dict(zip(dependent, solved, strict=True))
    return [places.get(k) or [0] * len(B[0]) for k in range(len(J[0]))]


def force_partials(
    model: Model, loops: Loops, q: Scalars, qd: Scalars, qdd: Scalars, wrenches: Wrenches = None
) -> tuple[Rows, Rows, Rows]:
    """Derivatives of the forces of the open tree with respect to q, qd and qdd."""
    same, arrays = reduced(model), (q, qd, qdd, wrenches)
    if loops.drives:
        return driven_inverse_dynamics_partials(same, loops.drives, *arrays)
    return tree_partials(same, *arrays)


def beside(left: Rows, right: Rows) -> Rows:
    """(left, right)."""
    return [[*a, *b] for a, b in zip(left, right, strict=True)]


def scaled(rows: Rows, factor: Scalar) -> Rows:
    """factor * rows."""
    return [[factor * x for x in row] for row in rows]
