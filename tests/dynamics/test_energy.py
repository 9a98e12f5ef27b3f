"""Energies, momenta, Hamilton's equations: first principles on random trees, then Pinocchio. SHV ch. 6, exercises."""

from dataclasses import replace

import numpy as np
import physics
import pytest
from comparing import EPS, assert_close, assert_raises
from hypothesis import strategies as st
from peers import ANGULAR_FIRST, of_each_kind, peers, symmetric
from physics import (
    advance,
    by_positions,
    kinetic_energy,
    poses,
    potential_energy,
    pseudo_inertias,
    slope,
    slopes,
)
from robots import SEEDS, every, one_joint, pin, signature, state, trees, value

import revolute
from revolute import Inertia, ModelError, Robot, ShapeError
from revolute.dynamics.hamilton import lagrangian_partials

SEED = 20250812


@st.composite
def robots(draw: st.DrawFn, most: int = 8) -> Robot:
    """Random trees, fixed and free; the base, which does not move, has no mass to be counted."""
    robot = draw(trees(most))
    return replace(robot, bodies=(replace(robot.bodies[0], inertia=Inertia()), *robot.bodies[1:]))


# A complex step is exact; what is left is rounding, some 100 operations a body.


@every(robots())
def test_energies_are_those_of_mass_points(robot: Robot) -> None:
    q, qd, _ = state(robot)
    T, U = value(robot, "kinetic_energy", q, qd), value(robot, "potential_energy", q)
    depth = 1 + np.abs(poses(robot, q)[:, :3, 3]).max()
    weight = sum(body.inertia.m for body in robot.bodies) * 9.81
    tolerance = 100 * len(robot.bodies) * EPS
    assert abs(T - kinetic_energy(robot, q, qd)) <= tolerance * T * depth
    assert abs(U - np.real(potential_energy(robot, q))) <= tolerance * weight * depth
    assert value(robot, "lagrangian", q, qd) == pytest.approx(T - U, rel=0, abs=4 * EPS * (T + abs(U)))
    assert value(robot, "total_energy", q, qd) == pytest.approx(T + U, rel=0, abs=4 * EPS * (T + abs(U)))


@every(robots())
def test_generalized_momentum_is_the_gradient_of_the_kinetic_energy(robot: Robot) -> None:
    q, qd, _ = state(robot)
    p = value(robot, "generalized_momentum", q, qd)
    # T is quadratic in qd, so a central difference with any step is its slope
    unit = np.eye(robot.nv)
    T = [[value(robot, "kinetic_energy", q, qd + s * e) for e in unit] for s in (1, -1)]
    gradient = np.subtract(*T) / 2
    assert np.abs(p - gradient).max() <= 200 * len(robot.bodies) * EPS * np.abs(T).max()
    assert p @ qd / 2 == pytest.approx(value(robot, "kinetic_energy", q, qd), rel=200 * len(robot.bodies) * EPS)


def momentum_of_points(robot: Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """(6,): from the pseudo-inertias: linear, and angular about the centre of mass."""
    inertias = pseudo_inertias(robot)
    T = poses(robot, q)
    Td = physics.pose_rates(robot, q, qd)
    places = {name: k for k, name in enumerate(robot.link_names)}
    moments = sum((T[places[n]] @ S @ T[places[n]].T)[:3, 3] for n, S in inertias.items() if n in places)
    mass = sum(S[3, 3] for S in inertias.values())
    momentum, W = np.zeros(3), np.zeros((3, 3))
    to_com = np.eye(4)
    to_com[:3, 3] = -moments / mass
    for name, S in inertias.items():
        if name in places:
            k = places[name]
            momentum += (Td[k] @ S)[:3, 3]
            W += (to_com @ T[k] @ S @ Td[k].T)[:3, :3]  # integral of (x - c) xdot^T dm
    return np.array([W[1, 2] - W[2, 1], W[2, 0] - W[0, 2], W[0, 1] - W[1, 0], *momentum])


@every(robots(most=6))
def test_centroidal_momentum_is_that_of_mass_points(robot: Robot) -> None:
    q, qd, _ = state(robot)
    found, expected = value(robot, "centroidal_momentum", q, qd), momentum_of_points(robot, q, qd)
    depth = 1 + np.abs(poses(robot, q)[:, :3, 3]).max()
    A = value(robot, "centroidal_momentum_matrix", q)
    size = np.abs(A).max() * np.abs(qd).sum() * depth
    assert np.abs(found - expected).max() <= 200 * len(robot.bodies) * EPS * size
    assert np.abs(A @ qd - found).max() <= 200 * len(robot.bodies) * EPS * size


@every(robots(most=6))
def test_the_rate_of_centroidal_momentum(robot: Robot) -> None:
    q, qd, qdd = state(robot)
    h = 1e-4
    k = [value(robot, "centroidal_momentum", *advance(robot, q, qd, qdd, t)) for t in (h, -h, 2 * h, -2 * h)]
    expected = (8 * (k[0] - k[1]) - (k[2] - k[3])) / (12 * h)
    found = value(robot, "centroidal_momentum_rate", q, qd, qdd)
    size = 1 + np.abs(found).max() + np.abs(k).max() * (1 + np.abs(qd).max())
    assert np.abs(found - expected).max() <= (100 * h**2 + 1e3 * EPS / h) * size


@every(st.integers(1, 6), SEEDS)
def test_a_floating_robot_without_forces_falls_and_keeps_its_spin(n: int, seed: int) -> None:
    """With the accelerations of free motion, only weight changes the momentum."""
    robot = revolute.robots.random_tree(n, rng=seed, base="free")
    q, qd, _ = state(robot)
    bias = value(robot, "bias_forces", q, qd)
    M = np.array([value(robot, "generalized_momentum", q, e) for e in np.eye(robot.nv)])
    rate = value(robot, "centroidal_momentum_rate", q, qd, np.linalg.solve(M, -bias))
    weight = sum(body.inertia.m for body in robot.bodies[1:]) * np.array(robot.gravity)
    size = np.linalg.cond(M) * EPS * 100 * len(robot.bodies) * (np.abs(bias).max() + np.abs(weight).max())
    assert np.abs(rate - [0, 0, 0, *weight]).max() <= size


def test_the_base_of_a_fixed_robot_does_not_count() -> None:
    robot = revolute.robots.ur5()
    bare = replace(robot, bodies=(replace(robot.bodies[0], inertia=Inertia()), *robot.bodies[1:]))
    q, qd, _ = state(robot)
    assert robot.bodies[0].inertia.m > 0
    assert robot.potential_energy(q) == bare.potential_energy(q)
    assert np.array_equal(robot.centroidal_momentum(q, qd), bare.centroidal_momentum(q, qd))


def test_a_robot_without_mass_or_joints_has_no_energy() -> None:
    robot = revolute.robots.planar(2)
    massless = replace(robot, bodies=tuple(replace(body, inertia=Inertia()) for body in robot.bodies))
    for empty in (massless, robot.lock({"joint1": 0.0, "joint2": 0.0})):
        q, qd = np.zeros(empty.nq), np.ones(empty.nv)
        assert empty.kinetic_energy(q, qd) == empty.potential_energy(q) == 0
        assert not empty.centroidal_momentum(q, qd).any()
        assert empty.centroidal_momentum_matrix(q).shape == (6, empty.nv)


@of_each_kind
def test_energies_and_momenta_agree_with_pinocchio(name: str, base: str) -> None:
    robot, model, data, q, qd, qdd, (x,), order = peers(name, base, 1, SEED)
    functions = {
        "T": ("kinetic_energy", (q, qd)), "U": ("potential_energy", (q,)), "p": ("generalized_momentum", (q, qd)),
        "k": ("centroidal_momentum", (q, qd)), "A": ("centroidal_momentum_matrix", (q,)),
        "kd": ("centroidal_momentum_rate", (q, qd, qdd)),
    }
    results = {key: value(robot, function, *(z[0] for z in arrays)) for key, (function, arrays) in functions.items()}
    mass = pin.computeTotalMass(model)
    if mass == 0:  # Pinocchio divides by it
        assert not any(np.any(found) for found in results.values())
        return
    results |= {"p": results["p"][order], "A": results["A"][:, order]}
    v, a = qd[0, order], qdd[0, order]
    M = symmetric(pin.crba(model, data, x))
    A = pin.computeCentroidalMap(model, data, x).copy()
    arms = np.sqrt(np.diag(M).max(initial=0))
    expected = {
        "T": pin.computeKineticEnergy(model, data, x, v),
        "U": pin.computePotentialEnergy(model, data, x),
        "p": M @ v,
        "k": pin.computeCentroidalMomentum(model, data, x, v).vector[ANGULAR_FIRST],
        "A": A[ANGULAR_FIRST],
        "kd": pin.computeCentroidalMomentumTimeVariation(model, data, x, v, a).vector[ANGULAR_FIRST],
    }
    reach = 1 + np.abs(pin.centerOfMass(model, data, x)).max()
    # Files print pi/2 with 12 digits, which Revolute takes as exact: a chain tilts by 5e-11,
    # so components err by 1e-9 of the whole they are part of
    sizes = {"U": 9.81 * mass * reach, "A": np.abs(A).max(initial=0) + arms * np.sqrt(mass)}
    for key, wanted in expected.items():
        size = sizes.get(key, np.abs(wanted).max(initial=0))
        assert np.abs(results[key] - wanted).max(initial=0) <= 1e-9 * size + 1e-12, key


@every(trees(6))
def test_the_power_of_joint_forces_changes_the_energy(robot: Robot) -> None:
    """dH/dt = qd^T tau; the slope of H along the motion by a complex step, which is exact."""
    q, qd, qdd = state(robot)
    power, tau = (value(robot, name, q, qd, qdd) for name in ("power", "inverse_dynamics"))
    terms = np.abs(qd) @ np.abs(tau)  # which cancel
    assert abs(power - qd @ tau) <= 1e-13 * terms
    assert abs(power - slope(lambda s: value(robot, "total_energy", *advance(robot, q, qd, qdd, s)))) <= 1e-12 * terms


def test_a_kilogram_is_a_mass_like_others() -> None:
    """Rods of 1 kg: T = qd^T M qd / 2 to some roundings."""
    robot, q, qd = revolute.robots.planar(2), np.array([0.3, -1.2]), np.array([0.7, 1.1])
    expected = qd @ value(robot, "mass_matrix", q) @ qd / 2
    assert value(robot, "kinetic_energy", q, qd) == pytest.approx(expected, rel=1e-14)


def canonical(robot: Robot) -> tuple[np.ndarray, ...]:
    """Positions, momenta, velocities and forces of one state."""
    q, qd, tau = state(robot)
    return q, value(robot, "generalized_momentum", q, qd), qd, tau


def rates(robot: Robot, *arrays: np.ndarray) -> list[np.ndarray]:
    """qd and pd by the recursion, on numbers."""
    body = signature(robot, "hamiltons_equations", {}).body
    return [np.array(x) for x in body(*(list(x) for x in arrays))]


@every(trees(6))
def test_rates_of_momenta_are_newton_eulers(robot: Robot) -> None:
    """pd = d/dt(M qd) = Mdot qd + M qdd, with M qdd = tau - C qd - g: exact but for rounding."""
    q, p, qd, tau = canonical(robot)
    found_qd, pd = rates(robot, q, p, tau)
    bias = value(robot, "inverse_dynamics", q, found_qd, np.zeros(robot.nv))
    turning = value(robot, "mass_matrix_rate", q, found_qd) @ found_qd
    terms = [np.abs(x).max(initial=1) for x in (tau, bias, turning)]
    assert np.abs(pd - (tau - bias + turning)).max() <= 1e4 * EPS * sum(terms)
    condition = np.linalg.cond(value(robot, "mass_matrix", q))
    assert np.abs(found_qd - qd).max() <= 1e3 * EPS * condition * np.abs(qd).max()


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_rates_are_derivatives_of_the_hamiltonian(base: str) -> None:
    """qd = dH/dp and pd = tau - dH/dq + ad^T p, by complex steps, which are exact; ad of a free base's velocities."""
    robot = revolute.robots.random_tree(5, rng=3, base=base)
    q, p, qd, tau = canonical(robot)
    found_qd, pd = rates(robot, q, p, tau)

    by_p = slopes(lambda d: value(robot, "hamiltonian", q, p + d), np.eye(robot.nv))
    by_q = by_positions(lambda x: value(robot, "hamiltonian", x, p), robot, q)
    np.testing.assert_allclose(found_qd, by_p, rtol=1e-11, atol=1e-11 * np.abs(qd).max())
    turning = np.zeros(robot.nv)
    for body, at in zip(robot.bodies, robot.v_index, strict=True):
        turning[at] = np.array(body.joint.bracket(qd[at]), dtype=float).T @ p[at]
    wanted = tau - by_q + turning
    np.testing.assert_allclose(pd, wanted, atol=1e-11 * np.abs(wanted).max())
    assert (base == "free") == bool(np.abs(turning).max() > 1e-3)


@every(trees(6))
def test_derivatives_of_the_lagrangian(robot: Robot) -> None:
    """dL/dqd is the momentum, dL/dq a complex step along velocities; wrenches act by J^T."""
    q, p, qd, _ = canonical(robot)
    link, load = robot.link_names[-1], np.array([0.3, -0.1, 0.7, 1.0, -2.0, 0.5])
    by_qd, by_q = (np.array(x, dtype=float) for x in lagrangian_partials(robot, list(q), list(qd), {link: list(load)}))
    expected = by_positions(lambda x: value(robot, "lagrangian", x, qd), robot, q)
    terms = np.abs(expected).max() + np.abs(p).max() * np.abs(qd).max()
    assert_close(by_qd, p, 1e3 * EPS, terms)
    assert_close(by_q, expected + value(robot, "jacobian", q, frame=link).T @ load, 1e4 * EPS, terms + 10)


@every(trees(6))
def test_the_hamiltonian_is_the_energy(robot: Robot) -> None:
    """H(q, M qd) = T + U, with rounding of M^-1 by its condition."""
    q, p, qd, _ = canonical(robot)
    E, condition = value(robot, "total_energy", q, qd), np.linalg.cond(value(robot, "mass_matrix", q))
    T, U = value(robot, "kinetic_energy", q, qd), value(robot, "potential_energy", q)
    assert abs(value(robot, "hamiltonian", q, p) - E) <= 1e3 * EPS * (condition * abs(T) + abs(U) + 1)


def test_what_cannot_be_says_why() -> None:
    robot = revolute.robots.planar(2)
    assert_raises(ShapeError, r"momentum .*\(3,\)", robot.hamiltonian, [0.0, 0.0], [0.0, 0.0, 0.0])
    idle = one_joint(revolute.Revolute(), Inertia())
    for call in (lambda: idle.hamiltonian([0.0], [1.0]), lambda: idle.hamiltons_equations([0.0], [1.0], [0.0])):
        assert_raises(ModelError, "joint 'j' can move without moving any mass", call)
