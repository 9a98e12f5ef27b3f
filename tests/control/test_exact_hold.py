"""Discrete-time linear models in place, against those of `linearize` and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import revolute
from revolute.control.extended_kalman import ExactHold


@pytest.mark.parametrize("h", [1e-3, 0.05, 2.0])
def test_it_is_the_exact_hold_of_linearize(h: float) -> None:
    """From none to many doublings; a doubling adds an error of rounding, relative to the largest entry."""
    robot = revolute.robots.random_tree(3, rng=2, types=("revolute", "spherical", "free"))
    rng = np.random.default_rng(0)
    q = robot.random_configuration((4, 2), rng=1)
    qd, tau = rng.standard_normal((2, 4, 2, robot.nv))
    hold = ExactHold((4, 2), 2 * robot.nv, robot.nv, h)
    robot.linearize(q, qd, tau, out=(hold.A, hold.B))
    for _ in range(2):  # its memory is used again
        hold()
        for found, expected in zip((hold.F, hold.G), robot.linearize(q, qd, tau, step=h), strict=True):
            size = np.abs(expected).max(axis=(-2, -1), keepdims=True)
            assert (np.abs(found - expected) < 1e-11 * size).all()


def test_the_double_integrator_has_its_closed_form() -> None:
    hold = ExactHold((), 2, 1, 0.7)
    hold.A[0, 1] = hold.B[1, 0] = 1.0
    hold()
    np.testing.assert_allclose(hold.F, [[1.0, 0.7], [0.0, 1.0]], rtol=1e-15)
    np.testing.assert_allclose(hold.G, [[0.245], [0.7]], rtol=1e-15)


def test_nothing_finite_comes_from_what_is_not() -> None:
    hold = ExactHold((), 2, 1, 0.1)
    hold.A[0, 1] = np.nan
    hold()
    assert np.isnan(hold.F).any()
