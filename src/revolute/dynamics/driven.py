"""Dynamics of a robot with its drives: links, rotors, gears, friction and springs, for any scalar type.

With phi = A q + b,

    A^T (ID(phi, A qd, A qdd) + I_a A qdd + friction(A qd) + K (phi - rest_position)) = tau

A is constant, so it adds no velocity-dependent terms, and A^T C A is the C of the Christoffel symbols of A^T M A.
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
from revolute.spatial import ZERO, Rows, Scalar, Scalars, Wrenches


def driven_inverse_dynamics(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, qdd: Scalars, wrenches: Wrenches = None, **base: Scalars
) -> list[Scalar]:
    """Inverse dynamics: the generalized forces tau of the coordinates q, by the equation of this module.

    Args:
        model: kinematic tree, including the rotors that are modelled as bodies.
        drives: A and b, by which the joints follow q.
        q, qd, qdd: independent coordinates [rad, m], their velocities and accelerations.
        wrenches: {link name: (m, f)} that the environment applies to links: see `newton_euler`.
        **base: base_twist and base_acceleration of a moving base: see `newton_euler`.
    """
    phi, phid, phidd = drives.positions(model, q), drives.rates(qd), drives.rates(qdd)
    parts = (
        newton_euler(model, phi, phid, phidd, wrenches, **base),
        [I * a for I, a in zip(rotor_inertias(model), phidd, strict=True)],
        friction_forces(model, phid, drives.smoothing),
        spring_forces(model, phi),
    )
    return drives.projected([sum(terms) for terms in zip(*parts, strict=True)])


def driven_bias_forces(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, wrenches: Wrenches = None, **base: Scalars
) -> list[Scalar]:
    """tau at zero acceleration: C qd + g + friction + springs."""
    return driven_inverse_dynamics(model, drives, q, qd, (0,) * len(qd), wrenches, **base)


def driven_friction_forces(model: Model, drives: Drivetrain, qd: Scalars) -> list[Scalar]:
    """The part of tau that overcomes friction."""
    return drives.projected(friction_forces(model, drives.rates(qd), drives.smoothing))


def driven_gravity_forces(model: Model, drives: Drivetrain, q: Scalars) -> list[Scalar]:
    """The gravity forces A^T g."""
    return drives.projected(gravity_forces(model, drives.positions(model, q)))


def driven_spring_forces(model: Model, drives: Drivetrain, q: Scalars) -> list[Scalar]:
    """The part of tau that balances the springs."""
    return drives.projected(spring_forces(model, drives.positions(model, q)))


def driven_mass_matrix(model: Model, drives: Drivetrain, q: Scalars) -> Rows:
    """The mass matrix A^T (M + I_a) A."""
    return drives.projected_symmetric(_with_rotors(model, mass_matrix(model, drives.positions(model, q))))


def driven_generalized_momentum(model: Model, drives: Drivetrain, q: Scalars, qd: Scalars) -> list[Scalar]:
    """The momentum A^T (M + I_a) A qd, without forming M."""
    phi, phid = drives.positions(model, q), drives.rates(qd)
    links = generalized_momentum(model, phi, phid)
    rotors = (I * v for I, v in zip(rotor_inertias(model), phid, strict=True))
    return drives.projected([sum(parts) for parts in zip(links, rotors, strict=True)])


def driven_lagrangian_partials(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, wrenches: Wrenches = None
) -> tuple[list[Scalar], list[Scalar]]:
    """dL/dqd, and dL/dq minus friction forces: see `lagrangian_partials`."""
    phi, phid = drives.positions(model, q), drives.rates(qd)
    momenta, forces = lagrangian_partials(model, phi, phid, wrenches)
    losses = friction_forces(model, phid, drives.smoothing), spring_forces(model, phi)
    momenta = [x + I * v for x, I, v in zip(momenta, rotor_inertias(model), phid, strict=True)]
    forces = [x - (dry + spring) for x, dry, spring in zip(forces, *losses, strict=True)]
    return drives.projected(momenta), drives.projected(forces)


def driven_velocities(model: Model, drives: Drivetrain, q: Scalars, momenta: Scalars) -> list[Scalar]:
    """The velocities qd that solve A^T (M + I_a) A qd = momenta."""
    if not drives.uncoupled:
        return driven_factors(model, drives, q).solve(momenta)
    weightless, phi = replace(model, gravity=ZERO), drives.positions(model, q)
    return articulated_body(weightless, phi, (0,) * model.nv, momenta, None, rotor_inertias(model))


def driven_factors(model: Model, drives: Drivetrain, q: Scalars) -> Factors:
    """L and D of A^T (M + I_a) A = L^T D L."""
    M = driven_mass_matrix(model, drives, q)
    return factors_of(filled(M), M)


def driven_mass_matrix_inverse(model: Model, drives: Drivetrain, q: Scalars) -> Rows:
    """The inverse of A^T (M + I_a) A, from its sparse factors."""
    return driven_factors(model, drives, q).inverse()


def driven_coriolis_matrix(model: Model, drives: Drivetrain, q: Scalars, qd: Scalars) -> Rows:
    """The Coriolis matrix A^T C A."""
    return drives.projected_matrix(equations_of_motion(model, drives.positions(model, q), drives.rates(qd))[1])


def driven_centrifugal_and_coriolis_forces(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars
) -> tuple[list[Scalar], list[Scalar]]:
    """Terms of A^T C A qd with squares and with products of entries of qd: see `centrifugal_and_coriolis_forces`.

    They are not A^T times the terms in phid: the square of an entry of A qd contains products of entries of qd. The
    Christoffel symbols of A^T M A are

        Gamma_abc = sum_ijk A_ia A_jb A_kc Gamma_ijk
    """
    of_joints = [drives.projected_matrix(G) for G in christoffel_symbols(model, drives.positions(model, q))]
    n = range(drives.space.nv)
    columns = [[drives.projected([G[b][c] for G in of_joints]) for c in n] for b in n]
    return squares_and_products([[[columns[b][c][a] for c in n] for b in n] for a in n], qd)


def driven_equations_of_motion(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars
) -> tuple[Rows, Rows, list[Scalar]]:
    """M, C and g of M qdd + C qd + g + friction + springs = tau."""
    M, C, g = equations_of_motion(model, drives.positions(model, q), drives.rates(qd))
    M = drives.projected_symmetric(_with_rotors(model, M))
    return M, drives.projected_matrix(C), drives.projected(g)


def driven_forward_dynamics(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None, **base: Scalars
) -> list[Scalar]:
    """Forward dynamics: qdd, from the sparse factors of A^T (M + I_a) A."""
    return _accelerations(model, drives, driven_factors(model, drives, q), q, qd, tau, wrenches, **base)


def driven_articulated_body(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None, **base: Scalars
) -> list[Scalar]:
    """qdd of a robot with uncoupled joints, by the articulated-body algorithm with the joint inertias I_a."""
    phi = drives.positions(model, q)
    friction, springs = friction_forces(model, qd, drives.smoothing), spring_forces(model, phi)
    on_links = [force - (dry + spring) for force, dry, spring in zip(tau, friction, springs, strict=True)]
    return articulated_body(model, phi, qd, on_links, wrenches, rotor_inertias(model), **base)


def driven_inverse_dynamics_partials(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, qdd: Scalars, wrenches: Wrenches = None
) -> tuple[Rows, Rows, Rows]:
    """dtau/dq, dtau/dqd and M; derivatives are along joint velocities, as in `inverse_dynamics_partials`."""
    phi, phid, phidd = drives.positions(model, q), drives.rates(qd), drives.rates(qdd)
    by_phi, by_phid, M = inverse_dynamics_partials(model, phi, phid, phidd, wrenches)
    slopes, at = spring_slopes(model, phi), enumerate(by_phi)
    by_phi = [[x + slopes[i, j] if (i, j) in slopes else x for j, x in enumerate(row)] for i, row in at]
    by_phi = drives.still_rotors(by_phi)
    by_phid = _with_diagonal(by_phid, friction_slopes(model, phid, drives.smoothing))
    by_q, by_qd = drives.projected_matrix(by_phi), drives.projected_matrix(by_phid)
    return by_q, by_qd, drives.projected_symmetric(_with_rotors(model, M))


def driven_forward_dynamics_partials(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> tuple[Rows, Rows, Rows]:
    """dqdd/dq, dqdd/dqd and M^-1: see `forward_dynamics_partials`."""
    factors = driven_factors(model, drives, q)
    qdd = _accelerations(model, drives, factors, q, qd, tau, wrenches)
    by_q, by_qd, _ = driven_inverse_dynamics_partials(model, drives, q, qd, qdd, wrenches)
    return acceleration_partials(factors, by_q), acceleration_partials(factors, by_qd), factors.inverse()


def driven_linearize(
    model: Model, drives: Drivetrain, q: Scalars, qd: Scalars, tau: Scalars, wrenches: Wrenches = None
) -> tuple[Rows, Rows]:
    """A and B of d/dt (dq, dqd) = A (dq, dqd) + B dtau: see `linearize`."""
    return state_matrices(drives.space, qd, *driven_forward_dynamics_partials(model, drives, q, qd, tau, wrenches))


def driven_kinetic_energy(model: Model, drives: Drivetrain, q: Scalars, qd: Scalars) -> Scalar:
    """Kinetic energy of links and rotors."""
    phid = drives.rates(qd)
    rotors = (I / 2 * (v * v) for I, v in zip(rotor_inertias(model), phid, strict=True) if I != 0)
    return sum(rotors, start=energy.kinetic_energy(model, drives.positions(model, q), phid))


def driven_potential_energy(model: Model, drives: Drivetrain, q: Scalars) -> Scalar:
    """Potential energy of gravity and joint springs, K (phi - rest_position)^2 / 2."""
    phi = drives.positions(model, q)
    return spring_energy(model, phi, energy.potential_energy(model, phi))


def _accelerations(
    model: Model, drives: Drivetrain, factors: Factors, q: Scalars, qd: Scalars, tau: Scalars,
    wrenches: Wrenches = None, **base: Scalars,
) -> list[Scalar]:
    bias = driven_bias_forces(model, drives, q, qd, wrenches, **base)
    return factors.solve([force - b for force, b in zip(tau, bias, strict=True)])


def _with_rotors(model: Model, M: Rows) -> Rows:
    return _with_diagonal(M, rotor_inertias(model))


def _with_diagonal(M: Rows, diagonal: Scalars) -> Rows:
    return [
        [x + d if i == j and d != 0 else x for j, x in enumerate(row)]
        for (i, row), d in zip(enumerate(M), diagonal, strict=True)
    ]
