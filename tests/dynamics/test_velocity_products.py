"""Centrifugal and Coriolis forces, and the coefficients h_ijk of JIN 41."""

import numpy as np
from comparing import EPS, assert_close, assert_each
from physics import slope
from robots import SEEDS, every, signature, state, trees, trees_and_tools, value

import revolute
from revolute import Robot
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler

TOLERANCE = 1e3 * EPS
"""Two ways of some hundred operations along a chain."""


def forces(robot: Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """C qd by Newton and Euler."""
    weightless = robot.with_gravity((0, 0, 0))
    return np.array(newton_euler(weightless, list(q), list(qd), [0] * robot.nv), dtype=float)


def split(robot: Robot, q: np.ndarray, qd: np.ndarray) -> list[np.ndarray]:
    """The two parts by their definition: forces of single velocities, and the rest."""
    centrifugal = sum(forces(robot, q, x) for x in np.diag(qd))
    return [centrifugal, forces(robot, q, qd) - centrifugal]


@every(trees_and_tools(8), SEEDS)
def test_centrifugal_forces_are_those_of_single_velocities(robot: Robot, seed: int) -> None:
    q, qd, _ = state(robot, seed)
    recursion = signature(robot, "centrifugal_and_coriolis_forces", {}).body
    found = [np.array(x, dtype=float) for x in recursion(list(q), list(qd))]
    expected = split(robot, q, qd)
    scale = np.abs(np.array(mass_matrix(robot, list(q)), dtype=float)).max() * (qd @ qd)  # of terms that may cancel
    assert_each(assert_close, found, expected, TOLERANCE, scale)


@every(trees(6), SEEDS)
def test_the_coefficients_sum_to_the_forces(robot: Robot, seed: int) -> None:
    q, qd, _ = state(robot, seed)
    h = value(robot, "quadratic_velocity_coefficients", q)
    G = value(robot, "christoffel_symbols", q)
    terms = max(1e-3, np.abs(h).max(initial=0) * np.abs(qd).sum() ** 2)  # that may cancel
    assert_close(np.einsum("ijk,j,k", h, qd, qd), forces(robot, q, qd), TOLERANCE, terms)
    assert_close(h + h.swapaxes(1, 2), G + G.swapaxes(1, 2), TOLERANCE, np.abs(h).max(initial=1e-3))


@every(trees(6, bases=("fixed",)), SEEDS)
def test_the_coefficients_are_those_of_the_definition(robot: Robot, seed: int) -> None:
    """JIN 41, with dM/dq by complex steps."""
    q = state(robot, seed)[0]
    D = np.stack([slope(lambda s, e=e: mass_matrix(robot, list(q + s * e))) for e in np.eye(robot.nv)], axis=-1)
    expected = D - D.transpose(2, 0, 1) / 2
    assert_close(value(robot, "quadratic_velocity_coefficients", q), expected, TOLERANCE)


def test_the_planar_arm() -> None:
    """Two rods of 1 kg and 1 m, in closed form: centrifugal (-s qd2^2, s qd1^2) / 2, Coriolis (-s qd1 qd2, 0)."""
    q, qd = np.random.default_rng(0).uniform(-3, 3, (2, 20, 2))
    s, (a, b) = np.sin(q[:, 1]), qd.T
    centrifugal, coriolis = revolute.robots.planar(2).kernel("centrifugal_and_coriolis_forces")(q, qd)
    np.testing.assert_allclose(centrifugal, np.stack([-s * b * b, s * a * a], axis=-1) / 2, rtol=0, atol=1e-14)
    np.testing.assert_allclose(coriolis, np.stack([-s * a * b, 0 * a], axis=-1), rtol=0, atol=1e-14)


def test_joints_on_different_branches_have_no_symbols() -> None:
    """Nothing that one of two arms on a trunk does changes the inertia of the other."""
    arm = revolute.robots.planar(2)
    robot = arm.attach(arm, "link1", prefix="other_")
    q, _, _ = state(robot, 1)
    left, right = [1], [k for k, name in enumerate(robot.joint_names) if name.startswith("other_")]
    symbols = value(robot, "christoffel_symbols", q)
    assert symbols.any() and not symbols[np.ix_(left, right, range(robot.nv))].any()
    assert not symbols[np.ix_(range(robot.nv), left, right)].any()
