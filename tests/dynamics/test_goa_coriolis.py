"""GOA's Coriolis matrix, its derivatives and regressors: identities, the paper's equations in NumPy, complex steps."""

from itertools import product
from pathlib import Path
from typing import Any

import goa
import numpy as np
import pytest
from comparing import EPS, assert_close, assert_each, assert_raises
from physics import by_positions, coordinate_rates, slope
from robots import SEEDS, every, floating_tool, signature, state, traced, trees_and_tools, value

import revolute
from revolute import InputError, Robot
from revolute.dynamics.goa_coriolis import goa_difference, goa_symbols_difference
from revolute.graph import count

# Some hundred operations along a chain on either side, on terms of up to ten times the largest that may cancel.
ROUNDING = 3e3 * EPS
GOA = {"kind": "goa"}
KINDLY = {
    "coriolis_matrix": 2, "equations_of_motion": 2, "coriolis_matrix_rate": 3, "equations_of_motion_rates": 3,
    "equations_of_motion_second_rates": 4, "coriolis_matrix_partials": 2, "coriolis_matrix_regressor": 2,
    "slotine_li_regressor": 4,
}
"""Functions with the option `kind`, and how many arrays they take."""


def size(robot: Robot, q: np.ndarray, *rates: np.ndarray) -> float:
    """The size of terms of C, which may cancel: M times a velocity."""
    M = np.abs(value(robot, "mass_matrix", q)).max(initial=1e-3)
    return float(M * (1 + sum(np.abs(x).max(initial=0) for x in rates)))


@every(trees_and_tools(most=6), SEEDS)
def test_c_is_that_of_the_paper(robot: Robot, seed: int) -> None:
    """It has the forces C qd of others, and C + C^T = Mdot, so that Mdot - 2 C is skew-symmetric: GOA remark 5."""
    q, qd, _ = state(robot, seed)
    M, C, g, Md = traced(robot, "equations_of_motion", q, qd, **GOA, mass_matrix_rate=True)
    scale = size(robot, q, qd)
    for ours in (C, traced(robot, "coriolis_matrix", q, qd, **GOA)[0]):
        assert_close(ours, goa.coriolis_matrix(robot, q, qd), ROUNDING, scale)
    assert_close(C @ qd, value(robot, "coriolis_forces", q, qd), ROUNDING, scale * np.abs(qd).sum())
    for rate in (Md, C + C.T):
        assert_close(rate, value(robot, "mass_matrix_rate", q, qd), ROUNDING, scale)
    for ours, name in ((M, "mass_matrix"), (g, "gravity_forces")):
        assert_close(ours, traced(robot, name, q)[0], ROUNDING, scale)


@every(trees_and_tools(most=4), SEEDS)
def test_rates_are_complex_steps_of_the_paper(robot: Robot, seed: int) -> None:
    """GOA 25b."""
    q, qd, qdd = state(robot, seed)
    rates = coordinate_rates(robot, q, qd)
    expected = slope(lambda s: goa.coriolis_matrix(robot, q + s * rates, qd + s * qdd))
    scale = size(robot, q, qd) * (1 + np.abs(qd).max(initial=0)) + size(robot, q, qdd)
    assert_close(traced(robot, "coriolis_matrix_rate", q, qd, qdd, **GOA)[0], expected, 10 * ROUNDING, scale)
    M, C, g, Md, Cd, gd = traced(robot, "equations_of_motion_rates", q, qd, qdd, **GOA)
    assert_close(Cd, expected, 10 * ROUNDING, scale)
    assert_close(C, goa.coriolis_matrix(robot, q, qd), ROUNDING, scale)
    plain = traced(robot, "equations_of_motion_rates", q, qd, qdd)
    assert_each(assert_close, (M, g, Md, gd), (plain[0], *plain[2:4], plain[5]), 10 * ROUNDING, scale)


def test_second_rates_are_differences_of_rates() -> None:
    """Fourth-order differences along a cubic motion: their error is some h^4 = 1e-12, and EPS / h = 2e-13."""
    robot = revolute.robots.random_tree(4, rng=3)
    q, qd, qdd = state(robot, 1)
    qddd, h = state(robot, 2)[2], 1e-3

    def rate(t: float) -> np.ndarray:
        now = (q + t * qd + t**2 / 2 * qdd + t**3 / 6 * qddd, qd + t * qdd + t**2 / 2 * qddd, qdd + t * qddd)
        return robot.kernel("coriolis_matrix_rate", kind="goa")(*now)

    expected = (8 * (rate(h) - rate(-h)) - (rate(2 * h) - rate(-2 * h))) / (12 * h)
    Mdd, Cdd, gdd = robot.kernel("equations_of_motion_second_rates", kind="goa")(q, qd, qdd, qddd)
    assert_close(Cdd, expected, 1e-9)
    plain = robot.kernel("equations_of_motion_second_rates")(q, qd, qdd, qddd)
    assert_close(Mdd, plain[0], 10 * ROUNDING)
    assert_close(gdd, plain[2], 10 * ROUNDING)


@every(trees_and_tools(most=4), SEEDS)
def test_partials_are_complex_steps_of_the_paper(robot: Robot, seed: int) -> None:
    """GOA 24b and 24c."""
    q, qd, _ = state(robot, seed)
    by_q, by_qd = traced(robot, "coriolis_matrix_partials", q, qd, **GOA)
    scale = size(robot, q, qd)
    assert_close(by_q, by_positions(lambda x: goa.coriolis_matrix(robot, x, qd), robot, q), 10 * ROUNDING, scale)
    slopes = [goa.coriolis_matrix(robot, q, e) for e in np.eye(robot.nv)]  # C is linear in qd
    assert_close(by_qd, np.stack(slopes, -1), ROUNDING, scale)


@every(trees_and_tools(most=6), SEEDS)
def test_symbols_of_the_difference_contract_to_it(robot: Robot, seed: int) -> None:
    q, qd, _ = state(robot, seed)
    cube = np.array(goa_symbols_difference(robot, list(q)), dtype=float)
    difference = np.array(goa_difference(robot, list(q), list(qd)), dtype=float)
    assert_close(cube @ qd, difference, ROUNDING, size(robot, q, qd))
    for swapped in (cube.transpose(1, 0, 2), cube.transpose(0, 2, 1), cube.transpose(2, 1, 0)):
        np.testing.assert_array_equal(cube, -swapped)


@every(trees_and_tools(most=5), SEEDS)
def test_regressors_are_those_of_the_paper(robot: Robot, seed: int) -> None:
    """GOA 13b and 16, entry by entry; and times the parameters they are C, and M qddr + C qdr + g."""
    q, qd, qdr = state(robot, seed)
    qddr, pi = state(robot, seed + 1)[1], robot.inertial_parameters.ravel()
    dC = traced(robot, "coriolis_matrix_regressor", q, qd, **GOA)[0]
    Y = traced(robot, "slotine_li_regressor", q, qd, qdr, qddr, **GOA)[0]
    assert_close(dC, goa.coriolis_matrix_regressor(robot, q, qd), ROUNDING, 1 + np.abs(dC).max(initial=0))
    assert_close(Y, goa.slotine_li_regressor(robot, q, qd, qdr, qddr), ROUNDING, 1 + np.abs(Y).max(initial=0))
    M, C, g = traced(robot, "equations_of_motion", q, qd, **GOA)
    assert_close(dC @ pi, C, ROUNDING, (np.abs(dC) @ np.abs(pi)).max(initial=1e-3) + size(robot, q, qd))
    assert_close(Y @ pi, M @ qddr + C @ qdr + g, ROUNDING, (np.abs(Y) @ np.abs(pi)).max(initial=1e-3))


def test_for_the_true_velocity_both_regressors_are_that_of_inverse_dynamics() -> None:
    robot = floating_tool()
    q, qd, qdd = state(robot)
    Y = robot.slotine_li_regressor(q, qd, qd, qdd, kind="goa")
    assert_close(Y, robot.regressor(q, qd, qdd), ROUNDING)
    other = robot.slotine_li_regressor(q, qd, qdd, qdd, kind="goa")
    assert np.abs(other - robot.slotine_li_regressor(q, qd, qdd, qdd)).max() > 1e-2


def test_the_page_on_the_coriolis_matrix_has_these_counts() -> None:
    page = (Path(__file__).parents[2] / "docs" / "coriolis.md").read_text(encoding="utf-8")
    names = "equations_of_motion", "coriolis_matrix_rate", "coriolis_matrix_partials", *(
        "coriolis_matrix", "coriolis_matrix_regressor", "slotine_li_regressor"
    )
    ratios = []
    for name, robot in product(names, (revolute.robots.ur5(), revolute.robots.dh_arm(6))):
        ours, goa = (count(signature(robot, name, kind).graph()).arithmetic for kind in ({}, GOA))
        ratios.append(goa / ours)
    assert f"takes {min(ratios):.1f} to {max(ratios):.1f} times\nas many operations" in page


def called(robot: Any, name: str, *arrays: Any, **options: Any) -> Any:
    """The results of a method, or of the kernel of a function that is none."""
    return getattr(robot, name)(*arrays, **options) if name in dir(robot) else robot.kernel(name, **options)(*arrays)


@pytest.mark.parametrize("name", KINDLY)
def test_the_kind_is_an_option_of_methods_and_kernels(name: str) -> None:
    robot, n = floating_tool(), KINDLY[name]
    rng = np.random.default_rng(7)
    arrays = [robot.random_configuration(rng=rng), *rng.standard_normal((n - 1, robot.nv))]
    found, default, christoffel = (called(robot, name, *arrays, **x) for x in (GOA, {}, {"kind": "christoffel"}))
    several = found if isinstance(found, tuple) else (found,)
    for ours, theirs in zip(several, traced(robot, name, *arrays, **GOA), strict=True):
        assert_close(ours, theirs, ROUNDING, np.abs(theirs).max())
    assert_each(np.testing.assert_array_equal, christoffel, default)
    for kind in ("lagrange", None, 2):
        assert_raises(InputError, r"kind.*'christoffel'.*'goa'", called, robot, name, *arrays, kind=kind)


def test_masses_may_be_inputs() -> None:
    robot = revolute.robots.random_tree(4, rng=8)
    q, qd, qdd = state(robot)
    others = robot.inertial_parameters * np.random.default_rng(9).uniform(0.5, 2, (3, 4, 10))
    dC = robot.kernel("coriolis_matrix_regressor", kind="goa")(q, qd)
    C = robot.kernel("coriolis_matrix", parameters="inertial", kind="goa")(q, qd, others)
    assert_close(C, np.einsum("jkp,bp->bjk", dC, others.reshape(3, -1)), ROUNDING)
    own = robot.kernel("coriolis_matrix_rate", parameters="inertial", kind="goa")(q, qd, qdd, robot.inertial_parameters)
    assert_close(own, robot.kernel("coriolis_matrix_rate", kind="goa")(q, qd, qdd), ROUNDING)
