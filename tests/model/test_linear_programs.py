"""Linear programmes: corners against all corners, sets without bound, and sets without points."""

from itertools import combinations

import numpy as np
import pytest

from revolute.model.polytope import Contradiction, corner


def corners(G: np.ndarray, h: np.ndarray) -> np.ndarray:
    """All points where n of the half-spaces' boundaries meet, as far as they are in all half-spaces."""
    found = []
    for rows in map(list, combinations(range(len(G)), G.shape[1])):
        if abs(np.linalg.det(G[rows])) > 1e-9:
            x = np.linalg.solve(G[rows], h[rows])
            if (G @ x <= h + 1e-9).all():
                found.append(x)
    return np.array(found)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_corner_is_found(seed: int) -> None:
    """Of a box and more half-spaces around a point; whole numbers make corners of more than n half-spaces."""
    rng = np.random.default_rng(seed)
    n = 1 + seed % 4
    more = rng.integers(-2, 3, (4, n)) if seed % 2 else rng.standard_normal((4, n))
    G = np.concatenate([np.eye(n), -np.eye(n), more[more.any(axis=1)]])
    h = G @ rng.uniform(-0.5, 0.5, n) + (1 if seed % 2 else rng.uniform(0.1, 2, len(G)))
    c = rng.standard_normal(n)
    x = corner(c, G, h)
    assert x is not None and (G @ x <= h + 1e-12).all()
    assert c @ x == pytest.approx((corners(G, h) @ c).max(), abs=1e-12)


def test_what_half_spaces_leave_open_has_no_bound() -> None:
    strip = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1.0, 2.0])
    assert corner(np.array([1.0, 0.0]), *strip) is None
    one = corner(np.array([3.0, 3.0]), *strip)
    assert one is not None and one.sum() == pytest.approx(1.0)
    assert corner(np.array([-1.0]), np.array([[1.0]]), np.array([2.0])) is None


def test_a_contradiction_has_its_rows() -> None:
    """x <= 1, y <= 2, x + y >= 3.1; z <= 5 has no part in it."""
    G = np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0], [-1, -1, 0]])
    with pytest.raises(Contradiction) as caught:
        corner(np.zeros(3), G, np.array([5, 1, 2, -3.1]))
    assert sorted(caught.value.rows) == [1, 2, 3]
    assert corner(np.zeros(3), G, np.array([5, 1, 2, -3.0])) is not None
