"""Hamilton's equations and the Lagrangian's derivatives: slopes of H and L, motions, energies. SHV ch. 6, exercises."""

import numpy as np
import pytest
from comparing import EPS, assert_close, assert_raises
from physics import by_positions, unit_rates
from robots import every, signature, state, trees, value

import revolute
from revolute import ModelError, Robot, ShapeError
from revolute.dynamics.hamilton import lagrangian_partials

SEED = 20261122


def canonical(robot: Robot, seed: int = SEED) -> tuple[np.ndarray, ...]:
    """Positions, momenta, velocities and forces of one state."""
    q, qd, tau = state(robot, seed)
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

    def slope(dq: np.ndarray, dp: np.ndarray) -> float:
        return float(np.imag(value(robot, "hamiltonian", q + 1e-30j * dq, p + 1e-30j * dp)) / 1e-30)

    by_p = np.array([slope(0 * q, e) for e in np.eye(robot.nv)])
    by_q = np.array([slope(rate, 0 * p) for rate in unit_rates(robot, q)])
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
    slopes = by_positions(lambda x: value(robot, "lagrangian", x, qd), robot, q)
    terms = np.abs(slopes).max() + np.abs(p).max() * np.abs(qd).max()
    assert_close(by_qd, p, 1e3 * EPS, terms)
    assert_close(by_q, slopes + value(robot, "jacobian", q, frame=link).T @ load, 1e4 * EPS, terms + 10)


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
    idle = Robot.from_links(
        "idle",
        [revolute.Link("base"), revolute.Link("tip")],
        [revolute.Connection("j", "base", "tip", revolute.Revolute((0, 0, 1)), revolute.Transform())],
    )
    for call in (lambda: idle.hamiltonian([0.0], [1.0]), lambda: idle.hamiltons_equations([0.0], [1.0], [0.0])):
        assert_raises(ModelError, "joint 'j' can move without moving any mass", call)
