"""Recursions of robots with their drives, for functions with terms of rotors, friction or springs.

q, qd and qdd are the robot's own coordinates, which the joints of the tree follow: phi = A q + b.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from revolute.compiler.signature import flat
from revolute.dynamics import driven, driven_task_space
from revolute.dynamics.coordinate_rates import coordinate_rates
from revolute.dynamics.drive_forces import friction_slopes, spring_slopes
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.goa_coriolis import goa_difference
from revolute.dynamics.linear_models import total
from revolute.dynamics.manipulability import squared_manipulability
from revolute.dynamics.mechanics import Mechanics
from revolute.dynamics.mobility import TwistRows
from revolute.dynamics.parameter_partials import driven_slopes
from revolute.dynamics.sparse_factorization import elimination_count
from revolute.graph import Node, pushforward
from revolute.machine.functions import contacts, derivatives
from revolute.machine.functions import task_space as of_links
from revolute.machine.functions.joint_space import with_rates, with_transpose
from revolute.machine.functions.simulation import driven_momentum_and_rate
from revolute.machine.functions.traced import along, by_positions, cost
from revolute.model import Model, aligned, reduced, reduced_in_place
from revolute.spatial import Scalar, Scalars, Tree, Wrenches, sqrt

Rows = tuple[int, ...]


def positions(tree: Model, drives: Drivetrain, q: Scalars) -> Tree:
    """Positions of the robot's own joints, which come before those of rotors."""
    return drives.positions(tree, q)[: tree.nq - len(drives.rotors)]


def velocities(tree: Model, drives: Drivetrain, qd: Scalars) -> Tree:
    """Velocities of the robot's own joints."""
    return drives.rates(qd)[: tree.nv - len(drives.rotors)]


def lagrangian(tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars) -> Scalar:
    """L = T - U."""
    return driven.driven_kinetic_energy(tree, drives, q, qd) - driven.driven_potential_energy(tree, drives, q)


def total_energy(tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars) -> Scalar:
    """T + U."""
    return driven.driven_kinetic_energy(tree, drives, q, qd) + driven.driven_potential_energy(tree, drives, q)


def hamiltonian(tree: Model, drives: Drivetrain, q: Scalars, momenta: Scalars) -> Scalar:
    """p^T M^-1 p / 2 + U, with momenta p = M qd."""
    qd = driven.driven_factors(tree, drives, q).solve(momenta)
    kinetic = sum(a * b for a, b in zip(momenta, qd, strict=True)) / 2
    return kinetic + driven.driven_potential_energy(tree, drives, q)


def hamiltons_equations(tree: Model, drives: Drivetrain, q: Scalars, momenta: Scalars, tau: Scalars) -> Tree:
    """qd, and the rate of M qd: M qdd + (C + C^T) qd = tau - g - friction - springs + C^T qd."""
    qd = driven.driven_factors(tree, drives, q).solve(momenta)
    _, beta = driven_momentum_and_rate(tree, drives, q, qd)
    return qd, [force + x for force, x in zip(tau, beta, strict=True)]


def power(tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, qdd: Scalars) -> Scalar:
    """qd^T tau."""
    tau = driven.driven_inverse_dynamics(tree, drives, q, qd, qdd)
    return sum(v * force for v, force in zip(qd, tau, strict=True))


def coriolis_matrix(tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, kind: str = "christoffel") -> Tree:
    """C."""
    return _of_kind(driven.driven_coriolis_matrix(_same_forces(tree, kind), drives, q, qd), tree, drives, q, qd, kind)


def equations_of_motion(
    tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, mass_matrix_rate: bool = False, kind: str = "christoffel"
) -> Tree:
    """M, C, g, and dM/dt on request."""
    M, C, g = driven.driven_equations_of_motion(_same_forces(tree, kind), drives, q, qd)
    C = _of_kind(C, tree, drives, q, qd, kind)
    return (M, C, g, with_transpose(C)) if mass_matrix_rate else (M, C, g)


def _same_forces(tree: Model, kind: str) -> Model:
    """The reduced tree; for kinds other than "christoffel" in the frames of `aligned`, so that results can be added."""
    return reduced(tree) if kind == "christoffel" else reduced_in_place(tree)


def _of_kind(C: Any, tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, kind: str) -> Tree:
    """The Coriolis matrix of a kind: C for "christoffel", otherwise C + A^T (C_GOA - C) A."""
    if kind == "christoffel":
        return C
    difference = goa_difference(aligned(tree), drives.positions(tree, q), drives.rates(qd))
    return total(C, drives.projected_matrix(difference))


def equations_of_motion_rates(
    tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, qdd: Scalars, kind: str = "christoffel"
) -> Tree:
    """M, C, g and their rates."""
    return with_rates(drives.space, *equations_of_motion(tree, drives, q, qd, kind=kind), q, qd, qdd)


def inverse_dynamics_rates(
    tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, qdd: Scalars, *rates: Scalars
) -> Tree:
    """tau and its first two rates."""
    tau = driven.driven_inverse_dynamics(reduced(tree), drives, q, qd, qdd)
    return derivatives.force_rates(drives.space, tau, q, qd, qdd, *rates)


def inverse_dynamics_differential(
    tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, qdd: Scalars, *changes: Scalars
) -> Tree:
    """The change of tau for small changes of q, qd and qdd."""
    return along(drives.space, driven.driven_inverse_dynamics(reduced(tree), drives, q, qd, qdd), (q, qd, qdd), changes)


def _curvatures(tree: Model, slopes: Scalars, state: Scalars) -> list[Scalar]:
    """(nv, nv, nv) derivatives of `slopes`, first derivatives of forces that depend only on their joint's `state`."""
    n = range(tree.nv)
    curvatures: list[list[list[Scalar]]] = [[[0] * tree.nv for _ in n] for _ in n]
    for k, (x, slope) in enumerate(zip(state, slopes, strict=True)):
        if isinstance(x, Node) and isinstance(slope, Node):
            curvatures[k][k][k] = pushforward([slope], {x: {0: 1}})[0].get(0, 0)
    return flat(flat(rows) for rows in curvatures)


def second_partials_at_joints(tree: Model, drives: Drivetrain, phi: Scalars, phid: Scalars, phidd: Scalars) -> Tree:
    """Second derivatives of inverse dynamics with respect to the motion of the joints, with friction and springs."""
    by_phi, by_phi_phid, by_phid, by_phidd = derivatives.inverse_dynamics_second_partials(tree, phi, phid, phidd)
    of_friction = _curvatures(tree, friction_slopes(tree, phid, drives.smoothing), phid)
    slopes, n = spring_slopes(tree, phi), range(tree.nv)
    of_springs = flat(by_positions(tree, [slopes.get((i, j), 0) for i in n for j in n], phi))
    by_phi = [x + y for x, y in zip(by_phi, of_springs, strict=True)]
    by_phid = [x + y for x, y in zip(by_phid, of_friction, strict=True)]
    return by_phi, by_phi_phid, by_phid, by_phidd


task_space_dynamics = of_links.of_task(driven_task_space.driven_task_space_dynamics)
task_space_forces = of_links.of_task(driven_task_space.driven_task_space_forces)
dynamically_consistent_inverse = of_links.of_task(driven_task_space.driven_dynamically_consistent_inverse)
linearize_task = of_links.of_task(driven_task_space.driven_linearize_task)


def manipulability(
    tree: Model, drives: Drivetrain, q: Scalars, frame: str, reference: str = "body", rows: str | Rows = "all"
) -> Tree:
    """w of J A."""
    task = TwistRows(frame, reference, of_links.numbers(rows))
    return sqrt(squared_manipulability(driven_task_space.driven_task_rows(tree, drives, q, task)))


def manipulability_gradient(
    tree: Model, drives: Drivetrain, q: Scalars, frame: str, reference: str = "body", rows: str | Rows = "all"
) -> Tree:
    """dw/dq."""
    task = TwistRows(frame, reference, of_links.numbers(rows))
    return of_links.gradient(drives.space, q, driven_task_space.driven_task_rows(tree, drives, q, task))


def check_square(tree: Model, drives: Drivetrain, **options: Any) -> None:
    """Raise `InputError` unless there are as many rows as independent coordinates."""
    of_links.check_square(tree, freedoms=drives.space.nv, **options)


def forward_dynamics(
    tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None, **base: Scalars
) -> Tree:
    """qdd by articulated bodies or by the mass matrix, whichever needs fewer operations; `base`: motion of the base."""
    if not drives.uncoupled:
        return driven.driven_forward_dynamics(tree, drives, q, qd, tau, wrenches, **base)
    bodies = driven.driven_articulated_body(tree, drives, q, qd, tau, wrenches, **base)
    if elimination_count(tree) > cost(bodies):
        return bodies
    return min(bodies, driven.driven_forward_dynamics(tree, drives, q, qd, tau, wrenches, **base), key=cost)


def state_rate(
    tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> Tree:
    """dq/dt and qdd."""
    return coordinate_rates(drives.space, q, qd), forward_dynamics(reduced(tree), drives, q, qd, tau, wrenches)


def sensitivity_rate(
    tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> Tree:
    """dq/dt, qdd, A and dqdd/dpi: the time derivative of sensitivities S is A S + (0, dqdd/dpi)."""
    arrays, same_forces = (q, qd, tau, wrenches), reduced(tree)
    A, _ = driven.driven_linearize(same_forces, drives, *arrays)
    qdd = driven.driven_forward_dynamics(same_forces, drives, *arrays)
    return coordinate_rates(drives.space, q, qd), qdd, A, driven_slopes(same_forces, tree, drives, *arrays)


def step(method: Callable[..., Any]) -> Callable[..., Any]:
    """A recursion for the state after one step of length h; `sticking` requires semi-implicit Euler."""

    def next_state(
        tree: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, h: Scalars,
        wrenches: Wrenches = None, sticking: bool = False,
    ) -> Tree:
        if sticking:
            return contacts.touching_step(contacts.of_driven(tree, drives, True), q, qd, tau, h, wrenches=wrenches)[:2]
        return method(_mechanics(reduced(tree), drives, tau, wrenches), q, qd, h[0])

    return next_state


def _mechanics(tree: Model, drives: Drivetrain, tau: Scalars, wrenches: Wrenches) -> Mechanics:
    def accelerate(q: Scalars, qd: Scalars) -> Tree:
        recursion = driven.driven_articulated_body if drives.uncoupled else driven.driven_forward_dynamics
        return recursion(tree, drives, q, qd, tau, wrenches)

    def missing_forces(q: Scalars, qd: Scalars, qdd: Scalars) -> Tree:
        needed = driven.driven_inverse_dynamics(tree, drives, q, qd, qdd, wrenches)
        return [a - b for a, b in zip(needed, tau, strict=True)]

    def partials(q: Scalars, qd: Scalars) -> Tree:
        momenta, forces = driven.driven_lagrangian_partials(tree, drives, q, qd, wrenches)
        return momenta, [a + b for a, b in zip(forces, tau, strict=True)]

    return Mechanics(
        drives.space, accelerate, missing_forces, partials, partial(driven.driven_velocities, tree, drives)
    )
