"""Sums of sines and cosines over time."""

import numpy as np
from comparing import assert_each, assert_raises

import revolute
from revolute import InputError, ShapeError, TrajectoryError
from revolute.trajectory import FourierTrajectory

ARM = revolute.robots.planar(3)


def motion(seed: int = 0, harmonics: int = 4) -> FourierTrajectory:
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, harmonics, 3))
    return FourierTrajectory(ARM, rng.standard_normal(3), a, b, 7.0)


def test_rates_are_derivatives() -> None:
    """Central differences: their error is about h^2 times the third derivative, (4 w)^2, plus rounding eps/h."""
    one, h = motion(), 1e-5
    t = np.random.default_rng(1).uniform(0, 7, 20)
    for values, rates in ((one.q, one.qd), (one.qd, one.qdd), (one.qdd, one.jerk)):
        np.testing.assert_allclose((values(t + h) - values(t - h)) / (2 * h), rates(t), atol=1e-8)


def test_the_mean_is_the_center_and_powers_are_those_of_coefficients() -> None:
    """Parseval; even samples of a period integrate exactly below their number of harmonics."""
    one = motion()
    q, qd, _ = one(np.arange(32) * one.duration / 32)
    np.testing.assert_allclose(q.mean(axis=0), one.center, atol=1e-14)
    np.testing.assert_allclose((qd**2).mean(axis=0), (one.cosines**2 + one.sines**2).sum(axis=0) / 2, rtol=1e-13)


def test_it_repeats() -> None:
    one, t = motion(), np.linspace(0, 7, 9)
    assert_each(np.testing.assert_allclose, one(t), one(t + 14.0), atol=1e-13)


def test_conditions_of_rest() -> None:
    a, b = np.array([[1.0], [0.5], [-1.5]]), np.array([[3.0], [0.0], [-1.0]])  # sums of a_k and k b_k are zero
    swing = FourierTrajectory(revolute.robots.planar(1), [0.2], a, b, 2.0)
    for t in (0.0, 2.0):
        _, qd, qdd = swing(t)
        np.testing.assert_allclose([qd, qdd], 0, atol=1e-14)


def test_what_does_not_fit_is_named() -> None:
    floating = revolute.robots.random_tree(2, rng=1, base="free")
    assert_raises(InputError, "several axes", FourierTrajectory, floating, [0] * 9, [[0] * 8], [[0] * 8], 1.0)
    assert_raises(ShapeError, "center", FourierTrajectory, ARM, [0.0], [[0] * 3], [[0] * 3], 1.0)
    for cosines, sines in (([[0.0] * 2], [[0.0] * 2]), ([0.0] * 3, [0.0] * 3), ([[0.0] * 3] * 2, [[0.0] * 3])):
        assert_raises(ShapeError, "N, 3", FourierTrajectory, ARM, [0.0] * 3, cosines, sines, 1.0)
    for wrong in (0.0, -1.0, np.inf, np.nan):
        assert_raises(InputError, "duration", FourierTrajectory, ARM, [0.0] * 3, [[0] * 3], [[0] * 3], wrong)
    assert_raises(TrajectoryError, "finite", FourierTrajectory, ARM, [np.nan] * 3, [[0] * 3], [[0] * 3], 1.0)
