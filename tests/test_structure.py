"""Structural properties: bounds of the mass matrix against closed forms and random configurations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import revolute
from revolute import Connection, Inertia, InputError, Limits, Link, Prismatic, Robot


def eigenvalues(robot: Robot, q: np.ndarray) -> np.ndarray:
    return np.linalg.eigvalsh(robot.mass_matrix(q))


# --- bounds of the mass matrix -----------------------------------------------------------------


@pytest.mark.parametrize(("n", "base"), [(1, "fixed"), (4, "fixed"), (7, "fixed"), (3, "free")])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_are_attained_and_the_ceiling_holds(n: int, base: str, seed: int) -> None:
    robot = revolute.robots.random_tree(n, seed=seed, base=base)
    bounds = robot.inertia_bounds(samples=300, rng=seed)
    rounding = 10 * robot.nv * np.finfo(float).eps * bounds.highest  # of two ways to eigenvalues
    assert abs(eigenvalues(robot, bounds.q_lowest)[0] - bounds.lowest) <= rounding
    assert abs(eigenvalues(robot, bounds.q_highest)[-1] - bounds.highest) <= rounding
    for q in (bounds.q_lowest, bounds.q_highest):
        assert (q >= robot.lower_limits).all() and (q <= robot.upper_limits).all()
    others = eigenvalues(robot, robot.random_configuration(rng=99, shape=2000))
    sampled = eigenvalues(robot, robot.random_configuration(rng=seed, shape=300))  # the very samples
    assert bounds.lowest <= sampled.min() + rounding and bounds.highest >= sampled.max() - rounding
    assert others.max() <= bounds.ceiling and bounds.highest <= bounds.ceiling
    assert np.trace(robot.mass_matrix(bounds.q_highest)) <= bounds.ceiling * (1 + 1e-12)


def test_bounds_of_a_planar_arm() -> None:
    """M depends on the elbow alone; its eigenvalues' extremes by a search in one dimension."""
    robot = revolute.robots.planar(2)
    bounds = robot.inertia_bounds(samples=50, rng=3)

    def at(angle: float) -> np.ndarray:
        return eigenvalues(robot, np.array([0.0, angle]))

    low = minimize_scalar(lambda x: at(x)[0], bounds=(-0.5, 0.5), method="bounded", options={"xatol": 1e-9}).fun
    low = min(low, at(np.pi)[0], at(0.0)[0])
    # extremes of smooth functions: an error of 1e-5 in the angle is one of 1e-10 in the value
    assert bounds.highest == pytest.approx(at(0.0)[-1], rel=1e-8)
    assert bounds.lowest == pytest.approx(low, rel=1e-6)
    assert bounds.ceiling == pytest.approx(8 / 3 + 1 / 3, rel=1e-14)  # its trace, stretched


def test_refinement_improves_on_samples() -> None:
    robot = revolute.robots.ur5()
    few = robot.inertia_bounds(samples=20, rng=1)
    many = eigenvalues(robot, robot.random_configuration(rng=2, shape=20_000))
    assert few.highest > 0.999 * many[:, -1].max()
    assert few.lowest < 1.001 * many[:, 0].min()
    assert few.samples == 20


def slider(limits: Limits) -> Robot:
    """A point mass of 2 kg on a slide that a hinge turns."""
    arm = Inertia.from_com(1.0, (0, 0, 0), np.eye(3))
    return Robot.from_links(
        "slider",
        [Link("base"), Link("arm", arm), Link("mass", Inertia.from_com(2.0))],
        [
            Connection("hinge", "base", "arm", revolute.Revolute((0, 0, 1))),
            Connection("slide", "arm", "mass", Prismatic((1, 0, 0)), limits=limits),
        ],
    )


def test_bounds_need_limits_of_slides() -> None:
    """M = diag(1 + 2 x^2, 2): within -3 ... 2 m eigenvalues from 1 to 19, and a trace of 21."""
    bounds = slider(Limits(lower=(-3.0,), upper=(2.0,))).inertia_bounds(samples=100)
    assert bounds.highest == pytest.approx(19, rel=1e-14)
    assert bounds.lowest == pytest.approx(1, rel=1e-8)
    assert bounds.ceiling == pytest.approx(21, rel=1e-14)
    without = slider(Limits()).inertia_bounds(samples=100)
    assert without.ceiling == np.inf
    assert 2 <= without.highest <= 3  # within a metre, as sampled


def test_mass_matrices_of_a_free_body_are_bounded() -> None:
    """A free body of mass m and inertia I about its centre: M does not depend on where it is."""
    box = Inertia.from_com(2.0, (0.1, 0.2, 0.3), np.diag([0.2, 0.3, 0.4]))
    robot = Robot.from_links(
        "box", [Link("world"), Link("box", box)], [Connection("fly", "world", "box", revolute.Free())]
    )
    bounds = robot.inertia_bounds(samples=3)
    expected = eigenvalues(robot, robot.neutral())
    assert (bounds.lowest, bounds.highest) == (pytest.approx(expected[0]), pytest.approx(expected[-1]))
    assert bounds.ceiling == pytest.approx(0.9 + 2 * 2 * 0.14 + 6)


def test_what_cannot_be_bounded_is_told() -> None:
    robot = revolute.robots.planar(2)
    for samples in (0, -1, 2.5, True):
        with pytest.raises(InputError, match="samples must be a positive number"):
            robot.inertia_bounds(samples=samples)
    with pytest.raises(InputError, match="no moving joint"):
        robot.lock({"joint1": 0.0, "joint2": 0.0}).inertia_bounds()
