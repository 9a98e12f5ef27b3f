"""Dynamics of a robot with its drives: links, rotors, gears, friction and springs, for any scalar type.

With q = A p + b,

    A^T (ID(q, A pd, A pdd) + I_a A pdd + friction(A pd) + K (q - rest)) = tau

A is constant, so it adds no velocity-dependent terms, and A^T C A is the matrix of Christoffel symbols of A^T M A.
Coupling by constraints yields the same equations: A^T removes the coupling forces, which do no work. SHV 6.92-6.99, ex.
6.1; Featherstone, RBDA 9.6.
"""

from dataclasses import replace

from revolute.dynamics import energy
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.christoffel_symbols import christoffel_symbols, squares_and_products
from revolute.dynamics.drive_forces import (
    friction_forces,
    friction_slopes,
    rotor_inertias,
    spring_energy,
    spring_forces,
    spring_slopes,
)
from revolute.dynamics.drivetrain import Drivetrain
from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.forward_dynamics_partials import acceleration_partials
from revolute.dynamics.hamilton import lagrangian_partials
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.linear_models import state_matrices
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.momentum import generalized_momentum
from revolute.dynamics.newton_euler import gravity_forces, newton_euler
from revolute.dynamics.sparse_factorization import Factors, factors_of, filled
from revolute.model.model import Model
from revolute.spatial.scalar import Rows, Scalar, Scalars, Wrenches
from revolute.spatial.vectors import ZERO


def driven_inverse_dynamics(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars, pdd: Scalars, wrenches: Wrenches = None, **base: Scalars
) -> list[Scalar]:
    """Inverse dynamics: the forces tau on the coordinates p, by the equation of this module.

    Args:
        model: kinematic tree, with its rotors if they are bodies.
        drives: A and b, by which the joints follow p.
        p, pd, pdd: independent coordinates [rad, m], their velocities and accelerations.
        wrenches: {link name: (m, f)} that the environment applies to links: see `newton_euler`.
        **base: base_twist and base_acceleration of a moving base: see `newton_euler`.
    """
    q, qd, qdd = drives.positions(model, p), drives.rates(pd), drives.rates(pdd)
    parts = (
        newton_euler(model, q, qd, qdd, wrenches, **base),
        [I * a for I, a in zip(rotor_inertias(model), qdd, strict=True)],
        friction_forces(model, qd, drives.smoothing),
        spring_forces(model, q),
    )
    return drives.projected([sum(terms) for terms in zip(*parts, strict=True)])


def driven_bias_forces(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars, wrenches: Wrenches = None, **base: Scalars
) -> list[Scalar]:
    """tau at zero acceleration: C pd + g + friction + springs."""
    return driven_inverse_dynamics(model, drives, p, pd, (0,) * len(pd), wrenches, **base)


def driven_friction_forces(model: Model, drives: Drivetrain, pd: Scalars) -> list[Scalar]:
    """The part of tau that overcomes friction."""
    return drives.projected(friction_forces(model, drives.rates(pd), drives.smoothing))


def driven_gravity_forces(model: Model, drives: Drivetrain, p: Scalars) -> list[Scalar]:
    """A^T g."""
    return drives.projected(gravity_forces(model, drives.positions(model, p)))


def driven_spring_forces(model: Model, drives: Drivetrain, p: Scalars) -> list[Scalar]:
    """The part of tau that balances the springs."""
    return drives.projected(spring_forces(model, drives.positions(model, p)))


def driven_mass_matrix(model: Model, drives: Drivetrain, p: Scalars) -> Rows:
    """A^T (M + I_a) A."""
    return drives.projected_symmetric(_with_rotors(model, mass_matrix(model, drives.positions(model, p))))


def driven_generalized_momentum(model: Model, drives: Drivetrain, p: Scalars, pd: Scalars) -> list[Scalar]:
    """A^T (M + I_a) A pd, without M."""
    q, qd = drives.positions(model, p), drives.rates(pd)
    links = generalized_momentum(model, q, qd)
    rotors = (I * v for I, v in zip(rotor_inertias(model), qd, strict=True))
    return drives.projected([sum(parts) for parts in zip(links, rotors, strict=True)])


def driven_lagrangian_partials(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars, wrenches: Wrenches = None
) -> tuple[list[Scalar], list[Scalar]]:
    """dL/dpd, and dL/dp minus friction forces: see `lagrangian_partials`."""
    q, qd = drives.positions(model, p), drives.rates(pd)
    momenta, forces = lagrangian_partials(model, q, qd, wrenches)
    losses = friction_forces(model, qd, drives.smoothing), spring_forces(model, q)
    momenta = [x + I * v for x, I, v in zip(momenta, rotor_inertias(model), qd, strict=True)]
    forces = [x - (dry + spring) for x, dry, spring in zip(forces, *losses, strict=True)]
    return drives.projected(momenta), drives.projected(forces)


def driven_velocities(model: Model, drives: Drivetrain, p: Scalars, momenta: Scalars) -> list[Scalar]:
    """The velocities pd that solve A^T (M + I_a) A pd = momenta."""
    if not drives.uncoupled:
        return driven_factors(model, drives, p).solve(momenta)
    weightless, q = replace(model, gravity=ZERO), drives.positions(model, p)
    return articulated_body(weightless, q, (0,) * model.nv, momenta, None, rotor_inertias(model))


def driven_factors(model: Model, drives: Drivetrain, p: Scalars) -> Factors:
    """L and D of A^T (M + I_a) A = L^T D L."""
    M = driven_mass_matrix(model, drives, p)
    return factors_of(filled(M), M)


def driven_mass_matrix_inverse(model: Model, drives: Drivetrain, p: Scalars) -> Rows:
    """The inverse of A^T (M + I_a) A, from its sparse factors."""
    return driven_factors(model, drives, p).inverse()


def driven_coriolis_matrix(model: Model, drives: Drivetrain, p: Scalars, pd: Scalars) -> Rows:
    """A^T C A."""
    return drives.projected_matrix(equations_of_motion(model, drives.positions(model, p), drives.rates(pd))[1])


def driven_centrifugal_and_coriolis_forces(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars
) -> tuple[list[Scalar], list[Scalar]]:
    """Centrifugal and Coriolis terms of A^T C A pd in the velocities pd: see `centrifugal_and_coriolis_forces`.

    They are not A^T times the terms in qd, because a square of A pd contains products of pd. The Christoffel symbols of
    A^T M A are

        Gamma_abc = sum_ijk A_ia A_jb A_kc Gamma_ijk
    """
    of_joints = [drives.projected_matrix(G) for G in christoffel_symbols(model, drives.positions(model, p))]
    n = range(drives.space.nv)
    columns = [[drives.projected([G[b][c] for G in of_joints]) for c in n] for b in n]
    return squares_and_products([[[columns[b][c][a] for c in n] for b in n] for a in n], pd)


def driven_equations_of_motion(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars
) -> tuple[Rows, Rows, list[Scalar]]:
    """M, C and g of M pdd + C pd + g + friction + springs = tau."""
    M, C, g = equations_of_motion(model, drives.positions(model, p), drives.rates(pd))
    M = drives.projected_symmetric(_with_rotors(model, M))
    return M, drives.projected_matrix(C), drives.projected(g)


def driven_forward_dynamics(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars, tau: Scalars, wrenches: Wrenches = None, **base: Scalars
) -> list[Scalar]:
    """pdd, from the sparse factors of A^T (M + I_a) A."""
    return _accelerations(model, drives, driven_factors(model, drives, p), p, pd, tau, wrenches, **base)


def driven_articulated_body(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars, tau: Scalars, wrenches: Wrenches = None, **base: Scalars
) -> list[Scalar]:
    """pdd of uncoupled joints, by the articulated-body algorithm with joint inertias I_a."""
    q = drives.positions(model, p)
    friction, springs = friction_forces(model, pd, drives.smoothing), spring_forces(model, q)
    on_links = [force - (dry + spring) for force, dry, spring in zip(tau, friction, springs, strict=True)]
    return articulated_body(model, q, pd, on_links, wrenches, rotor_inertias(model), **base)


def driven_inverse_dynamics_partials(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars, pdd: Scalars, wrenches: Wrenches = None
) -> tuple[Rows, Rows, Rows]:
    """dtau/dp, dtau/dpd and M; derivatives are along joint velocities, as in `inverse_dynamics_partials`."""
    q, qd, qdd = drives.positions(model, p), drives.rates(pd), drives.rates(pdd)
    by_q, by_qd, M = inverse_dynamics_partials(model, q, qd, qdd, wrenches)
    by_q = drives.still_rotors(_with_diagonal(by_q, spring_slopes(model, q)))
    by_qd = _with_diagonal(by_qd, friction_slopes(model, qd, drives.smoothing))
    by_p, by_pd = drives.projected_matrix(by_q), drives.projected_matrix(by_qd)
    return by_p, by_pd, drives.projected_symmetric(_with_rotors(model, M))


def driven_forward_dynamics_partials(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> tuple[Rows, Rows, Rows]:
    """dpdd/dp, dpdd/dpd and M^-1: see `forward_dynamics_partials`."""
    factors = driven_factors(model, drives, p)
    pdd = _accelerations(model, drives, factors, p, pd, tau, wrenches)
    by_p, by_pd, _ = driven_inverse_dynamics_partials(model, drives, p, pd, pdd, wrenches)
    return acceleration_partials(factors, by_p), acceleration_partials(factors, by_pd), factors.inverse()


def driven_linearize(
    model: Model, drives: Drivetrain, p: Scalars, pd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> tuple[Rows, Rows]:
    """A and B of d/dt (dp, dpd) = A (dp, dpd) + B dtau: see `linearize`."""
    return state_matrices(drives.space, pd, *driven_forward_dynamics_partials(model, drives, p, pd, tau, wrenches))


def driven_kinetic_energy(model: Model, drives: Drivetrain, p: Scalars, pd: Scalars) -> Scalar:
    """Kinetic energy of links and rotors."""
    qd = drives.rates(pd)
    rotors = (I / 2 * (v * v) for I, v in zip(rotor_inertias(model), qd, strict=True) if I != 0)
    return sum(rotors, start=energy.kinetic_energy(model, drives.positions(model, p), qd))


def driven_potential_energy(model: Model, drives: Drivetrain, p: Scalars) -> Scalar:
    """Potential energy of gravity and joint springs, K (q - rest)^2 / 2."""
    q = drives.positions(model, p)
    return spring_energy(model, q, energy.potential_energy(model, q))


def _accelerations(
    model: Model, drives: Drivetrain, factors: Factors, p: Scalars, pd: Scalars, tau: Scalars,
    wrenches: Wrenches = None, **base: Scalars,
) -> list[Scalar]:
    bias = driven_bias_forces(model, drives, p, pd, wrenches, **base)
    return factors.solve([force - b for force, b in zip(tau, bias, strict=True)])


def _with_rotors(model: Model, M: Rows) -> Rows:
    return _with_diagonal(M, rotor_inertias(model))


def _with_diagonal(M: Rows, diagonal: Scalars) -> Rows:
    return [
        [x + d if i == j and d != 0 else x for j, x in enumerate(row)]
        for (i, row), d in zip(enumerate(M), diagonal, strict=True)
    ]
