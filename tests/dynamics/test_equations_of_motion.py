"""M, C and g, their rates and derivatives, velocity products: identities, closed forms, complex steps, Pinocchio."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import EPS, assert_close, assert_each
from peers import of_each_kind, peers, symmetric
from physics import by_positions, coordinate_rates, potential_energy, slope
from robots import SEEDS, every, pin, signature, state, traced, trees, trees_and_tools, value

import revolute
from revolute import Robot
from revolute.dynamics import large_regressors
from revolute.dynamics.christoffel_symbols import christoffel_symbols
from revolute.dynamics.equations_of_motion import equations_of_motion
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.model.reduce import reduced


def terms(robot: Robot, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, C and g by the recursion; complex states give complex terms."""
    M, C, g = (np.array(x) for x in equations_of_motion(robot, list(q), list(qd)))
    return M, C, g


# Two ways of computing the same take some hundred operations along a chain; terms of up to ten
# times the largest element cancel.
ROUNDING = 3e3 * EPS


@every(trees_and_tools(), SEEDS)
def test_the_terms_are_those_of_inverse_dynamics(robot: Robot, seed: int) -> None:
    q, qd, qdd = state(robot, seed)
    for same in (robot, reduced(robot)):
        M, C, g = terms(same, q, qd)
        tau = np.array(newton_euler(robot, list(q), list(qd), list(qdd)), dtype=float)
        assert_close(M @ qdd + C @ qd + g, tau, ROUNDING)
        assert_close(M, np.array(mass_matrix(robot, list(q)), dtype=float), ROUNDING)


@every(trees_and_tools(), SEEDS)
def test_the_rate_of_the_mass_matrix_is_c_and_its_transpose(robot: Robot, seed: int) -> None:
    """Mdot by complex steps along the motion; so Mdot - 2 C is skew-symmetric."""
    q, qd, _ = state(robot, seed)
    C = terms(reduced(robot), q, qd)[1].astype(float)
    rates = coordinate_rates(robot, q, qd)
    M = np.array(mass_matrix(robot, list(q)), dtype=float)
    scale = 1e-3 + np.abs(C).max() + np.abs(M).max() * np.abs(qd).max()  # terms of Mdot, which may cancel to nothing
    assert_close(C + C.T, slope(lambda s: mass_matrix(robot, list(q + s * rates))), ROUNDING, scale)


@every(trees_and_tools(bases=("fixed",)), SEEDS)
def test_c_is_made_of_christoffel_symbols(robot: Robot, seed: int) -> None:
    """LP 9.9-9.13 word for word: derivatives of M by complex steps."""
    q, qd, _ = state(robot, seed)
    dM = by_positions(lambda x: mass_matrix(robot, list(x)), robot, q)
    symbols = (dM + dM.transpose(0, 2, 1) - dM.transpose(2, 0, 1)) / 2
    assert_close(np.array(christoffel_symbols(reduced(robot), list(q)), dtype=float), symbols, ROUNDING)
    assert_close(terms(reduced(robot), q, qd)[1].astype(float), symbols @ qd, ROUNDING)


@every(trees_and_tools(most=5), SEEDS)
def test_symbols_contract_to_c(robot: Robot, seed: int) -> None:
    """Free joints included, whose symbols are not symmetric."""
    q, qd, _ = state(robot, seed)
    symbols = np.array(christoffel_symbols(reduced(robot), list(q)), dtype=float)
    M, C = (x.astype(float) for x in terms(robot, q, qd)[:2])
    # along one straight line C is zero: the inertias are the size of what cancels
    assert_close(symbols @ qd, C, ROUNDING, np.abs(M).max(initial=1e-3))


@every(trees_and_tools(most=5), SEEDS)
def test_gravity_forces_are_slopes_of_the_potential_energy(robot: Robot, seed: int) -> None:
    q = state(robot, seed)[0]
    g = terms(reduced(robot), q, np.zeros(robot.nv))[2].astype(float)
    assert_close(g, by_positions(lambda x: potential_energy(robot, x), robot, q), ROUNDING)


def test_a_planar_arm() -> None:
    """Two rods of 1 kg and 1 m: h = -sin(q2) / 2, C = [[h v2, h (v1 + v2)], [-h v1, 0]]. SHV section 6.4; LP 9.11."""
    rng = np.random.default_rng(3)
    q, qd = rng.uniform(-3, 3, (50, 2)), rng.standard_normal((50, 2))
    h, (v1, v2) = -np.sin(q[:, 1]) / 2, qd.T
    expected = np.array([[h * v2, h * (v1 + v2)], [-h * v1, 0 * h]]).transpose(2, 0, 1)
    np.testing.assert_allclose(revolute.robots.planar(2).coriolis_matrix(q, qd), expected, rtol=0, atol=1e-14)


@of_each_kind
def test_terms_agree_with_pinocchio(name: str, base: str) -> None:
    """M, C and g: of all Coriolis matrices Pinocchio has the same one, for a free base too."""
    robot, model, data, q, qd, _, positions, order = peers(name, base, 2, seed=4)
    if robot.nv == 0:
        assert robot.coriolis_matrix([], []).shape == (0, 0)
        return
    for k in range(2):
        M, C, g = (x.astype(float) for x in terms(reduced(robot), q[k], qd[k]))
        v = qd[k, order]
        for ours in (M, np.array(mass_matrix(reduced(robot), list(q[k])), dtype=float)):
            assert_close(ours[np.ix_(order, order)], symmetric(pin.crba(model, data, positions[k])), 1e-9)
        assert_close(C[np.ix_(order, order)], pin.computeCoriolisMatrix(model, data, positions[k], v), 1e-9)
        assert_close(g[order], pin.computeGeneralizedGravity(model, data, positions[k]), 1e-9)


@every(trees_and_tools(most=5), SEEDS)
def test_rates_by_complex_steps(robot: Robot, seed: int) -> None:
    q, qd, qdd = state(robot, seed)
    rates = coordinate_rates(robot, q, qd)
    along = [slope(lambda s, k=k: terms(robot, q + s * rates, qd + s * qdd)[k]) for k in range(3)]
    *now, Md, Cd, gd = traced(robot, "equations_of_motion_rates", q, qd, qdd)
    mass, speed, push = (np.abs(x).max() for x in (now[0], qd, qdd))
    of_c = 1e-3 + mass * speed  # terms of this size cancel in the C of a body that slides
    for found, expected, size in zip(now, terms(robot, q, qd), (1e-3, of_c, 1e-3), strict=True):
        assert_close(found, expected.astype(float), ROUNDING, size)
    # M of a body alone is constant, and so is that of a turning slide: terms of these sizes cancel in their rates
    sizes = (of_c, of_c + mass * (speed**2 + push), 1e-3 + 10 * mass * speed)
    for found, expected, size in zip((Md, Cd, gd), along, sizes, strict=True):
        assert_close(found, expected, 10 * ROUNDING, size)
    for name, arrays, expected, size in (
        ("mass_matrix_rate", (q, qd), along[0], sizes[0]),
        ("coriolis_matrix_rate", (q, qd, qdd), along[1], sizes[1]),
        ("gravity_forces_rate", (q, qd), along[2], sizes[2]),
    ):
        assert_close(traced(robot, name, *arrays)[0], expected, 10 * ROUNDING, size)


@every(trees_and_tools(most=4), SEEDS)
def test_partials_of_the_coriolis_matrix(robot: Robot, seed: int) -> None:
    """To rounding of the terms that cancel: those of C are of the size of M times qd. In loops, too."""
    q, qd, _ = state(robot, seed)
    by_q, by_qd = traced(robot, "coriolis_matrix_partials", q, qd)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_regressors, "LARGE", 0)
        in_loops = traced(robot, "coriolis_matrix_partials", q, qd)
    M = np.abs(np.array(terms(robot, q, qd)[0], dtype=float)).max(initial=1e-3)
    scale = M * (1 + np.abs(qd).max(initial=0))
    slopes = np.stack([slope(lambda s, e=e: terms(robot, q, qd + s * e)[1]) for e in np.eye(robot.nv)], -1)
    expected = by_positions(lambda x: terms(robot, x, qd)[1], robot, q), slopes
    assert_each(assert_close, (by_q, by_qd), expected, 10 * ROUNDING, scale)
    assert_each(assert_close, in_loops, expected, 10 * ROUNDING, scale)


@every(trees_and_tools(most=4), SEEDS)
def test_second_partials_of_inverse_dynamics(robot: Robot, seed: int) -> None:
    q, qd, qdd = state(robot, seed)

    def first(part: int) -> Callable[..., Any]:
        return lambda x, v: inverse_dynamics_partials(robot, list(x), list(v), list(qdd))[part]

    expected = (
        by_positions(lambda x: first(0)(x, qd), robot, q),
        by_positions(lambda x: first(1)(x, qd), robot, q).transpose(0, 2, 1),
        np.stack([slope(lambda s, e=e: first(1)(q, qd + s * e)) for e in np.eye(robot.nv)], -1),
        by_positions(lambda x: first(2)(x, qd), robot, q),
    )
    assert_each(assert_close, traced(robot, "inverse_dynamics_second_partials", q, qd, qdd), expected, 30 * ROUNDING)


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
    assert_each(assert_close, found, expected, ROUNDING, scale)


@every(trees(6), SEEDS)
def test_the_coefficients_sum_to_the_forces(robot: Robot, seed: int) -> None:
    q, qd, _ = state(robot, seed)
    h = value(robot, "quadratic_velocity_coefficients", q)
    G = value(robot, "christoffel_symbols", q)
    terms = max(1e-3, np.abs(h).max(initial=0) * np.abs(qd).sum() ** 2)  # that may cancel
    assert_close(np.einsum("ijk,j,k", h, qd, qd), forces(robot, q, qd), ROUNDING, terms)
    assert_close(h + h.swapaxes(1, 2), G + G.swapaxes(1, 2), ROUNDING, np.abs(h).max(initial=1e-3))


@every(trees(6, bases=("fixed",)), SEEDS)
def test_the_coefficients_are_those_of_the_definition(robot: Robot, seed: int) -> None:
    """JIN 41, with dM/dq by complex steps."""
    q = state(robot, seed)[0]
    D = np.stack([slope(lambda s, e=e: mass_matrix(robot, list(q + s * e))) for e in np.eye(robot.nv)], axis=-1)
    assert_close(value(robot, "quadratic_velocity_coefficients", q), D - D.transpose(2, 0, 1) / 2, ROUNDING)


def test_velocity_products_of_the_planar_arm() -> None:
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
