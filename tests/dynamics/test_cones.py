"""Impulses of contacts, bounds and limits: their laws, other solvers, and problems without a good answer."""

from typing import Any

import numpy as np
import pytest

from revolute.dynamics.cones import solve
from revolute.dynamics.coupling import Dense


def problem(seed: int, contacts: int, freedoms: int, rows: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A, b and friction of random contacts, and rows after them."""
    rng = np.random.default_rng(seed)
    J = rng.standard_normal((3 * contacts + rows, freedoms))
    A = J @ np.diag(rng.uniform(0.5, 2, freedoms)) @ J.T
    return A, J @ rng.standard_normal(freedoms), rng.uniform(0, 1, contacts)


def solved(A: Any, b: Any, friction: Any, bounds: Any = (), limits: Any = ()) -> tuple[np.ndarray, np.ndarray, float]:
    with np.errstate(all="ignore"):  # a step of the interior point that is not finite is not taken
        p, residual = solve(Dense(np.asarray(A).tolist()), list(b), list(friction), bounds, limits)
    return np.array(p), A @ np.array(p) + b, residual


@pytest.mark.parametrize("seed", range(40))
def test_the_law_of_contacts_bounds_and_limits(seed: int) -> None:
    """To the accuracy of the rounds; rows outnumber freedoms in every second problem."""
    n = 1 + seed % 3
    A, b, mu = problem(seed, n, 9 if seed % 2 else 3 * n + 6, rows=4)
    p, u, residual = solved(A, b, mu, [(-0.3, 0.2), (0.1, np.inf)], [0.05, 0.4])
    assert residual <= 1e-12
    (pn, *pt), (un, *ut) = p[: 3 * n].reshape(n, 3).T, u[: 3 * n].reshape(n, 3).T
    friction, slip = np.hypot(*pt), np.hypot(*ut)
    assert (pn >= 0).all() and un.min() >= -1e-9 and np.abs(pn * un).max() <= 1e-9
    assert (friction <= mu * pn * (1 + 1e-14)).all()
    sticks = friction < mu * pn - 1e-9
    assert slip[sticks].max(initial=0) <= 1e-9
    power = np.array(pt)[0] * np.array(ut)[0] + np.array(pt)[1] * np.array(ut)[1]
    np.testing.assert_allclose(power, -mu * pn * slip, rtol=0, atol=1e-9)  # opposite to the slip, at the cone
    (p0, p1, p2, p3), (u0, u1, u2, u3) = p[3 * n :], u[3 * n :]
    assert -0.3 - 1e-9 <= u0 <= 0.2 + 1e-9 and (abs(p0) <= 1e-12 or abs(u0 - (-0.3 if p0 > 0 else 0.2)) <= 1e-9)
    assert u1 >= 0.1 - 1e-9 and p1 >= 0 and abs(p1 * (u1 - 0.1)) <= 1e-9
    for x, v, limit in ((p2, u2, 0.05), (p3, u3, 0.4)):
        assert abs(x) <= limit and abs(v * (limit - abs(x))) <= 1e-9 and x * v <= 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_clarabel_finds_the_same_velocities_where_the_problem_is_convex(seed: int) -> None:
    """Without friction: the least p^T A p / 2 + b^T p over p_n >= 0. With more rows than freedoms, p is not unique."""
    clarabel, sparse = pytest.importorskip("clarabel"), pytest.importorskip("scipy.sparse")
    A, b, _ = problem(seed, 4, 7)
    p, u, residual = solved(A, b, np.zeros(4))
    n = slice(0, 12, 3)
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.tol_gap_abs, settings.tol_gap_rel = False, 1e-13, 1e-13
    cones = [clarabel.NonnegativeConeT(4)]
    H = sparse.csc_matrix(np.triu(A[n, n]))
    found = clarabel.DefaultSolver(H, b[n], sparse.csc_matrix(-np.eye(4)), np.zeros(4), cones, settings).solve()
    assert residual <= 1e-12 and np.abs(p.reshape(4, 3)[:, 1:]).max() == 0
    np.testing.assert_allclose(u[n], A[n, n] @ np.array(found.x) + b[n], rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_clarabel_finds_the_same_impulses_for_a_given_bound_of_friction(seed: int) -> None:
    """Fixed normal impulses, by normal velocities that a large compliance prescribes: discs, a convex problem."""
    clarabel, sparse = pytest.importorskip("clarabel"), pytest.importorskip("scipy.sparse")
    A, b, mu = problem(seed, 3, 12)
    pn, t = np.array([1.0, 0.5, 0.2]), [1, 2, 4, 5, 7, 8]
    stiff, load = A.copy(), b.copy()
    for k in range(3):
        stiff[3 * k, 3 * k], load[3 * k] = 1e9, -1e9 * pn[k]
    p, _, residual = solved(stiff, load, mu)
    assert residual <= 1e-11
    np.testing.assert_allclose(p[::3], pn, atol=1e-7)
    H, g = A[np.ix_(t, t)], b[t] + A[np.ix_(t, [0, 3, 6])] @ p[::3]
    G, h = np.zeros((9, 6)), np.zeros(9)
    for k in range(3):
        h[3 * k] = mu[k] * p[3 * k]
        G[3 * k + 1, 2 * k] = G[3 * k + 2, 2 * k + 1] = -1.0
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.tol_gap_abs, settings.tol_gap_rel = False, 1e-13, 1e-13
    cones = [clarabel.SecondOrderConeT(3)] * 3
    found = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(H)), g, sparse.csc_matrix(G), h, cones, settings).solve()
    np.testing.assert_allclose(p[t], found.x, rtol=0, atol=1e-6)


def test_rows_that_cannot_move() -> None:
    """Contacts without any mobility, or with mobility in one tangential direction: finite, and no impulse there."""
    p, _, residual = solved(np.zeros((3, 3)), [0.0, 0.0, 0.0], [0.5])
    assert residual == 0 and (p == 0).all()
    oblique = np.outer([1, 3, 4], [1, 3, 4]) / 25  # of one freedom, which moves along all axes
    p, u, residual = solved(oblique, np.array([1, 3, 4]) * -0.2, [10.0])
    assert residual <= 1e-12 and np.abs(u).max() <= 1e-12 and np.isfinite(p).all()


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.8, pytest.param(1.5, marks=pytest.mark.slow)])
def test_plates_with_more_points_than_freedoms(friction: float) -> None:
    """Two plates on four corners each, coupled by a body: 24 rows of rank 12. Rounds alone leave 1e-4 to 1e-2."""
    corners = np.array([(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.06, 0.06)])
    rng = np.random.default_rng(1)
    open_ = 0
    for _ in range(12):
        M = np.linalg.inv(np.diag([0.02, 0.02, 0.02, 3, 3, 3, 0.02, 0.02, 0.02, 3, 3, 3]) + 0.5 * np.ones((12, 12)))
        J = np.zeros((24, 12))
        for k in range(8):
            arm = corners[k % 4] + np.einsum("ij,j->i", 0.01 * rng.standard_normal((3, 3)), corners[k % 4])
            cross = np.cross(arm, np.eye(3)[[2, 0, 1]])
            J[3 * k : 3 * k + 3, 6 * (k // 4) : 6 * (k // 4) + 6] = np.hstack([cross, np.eye(3)[[2, 0, 1]]])
        b = J @ rng.standard_normal(12) * 0.3
        b[::3] += rng.uniform(0, 0.2, 8) - 0.3
        A = J @ M @ J.T
        p, u, residual = solved(A, b, np.full(8, friction))
        assert np.isfinite(p).all()
        open_ += residual > 1e-8
        if residual <= 1e-8:
            P, U = p.reshape(8, 3), u.reshape(8, 3)
            slip, size = np.linalg.norm(U[:, 1:], axis=1), p.max() * np.abs(A).max()
            assert P[:, 0].min() >= 0 and U[:, 0].min() >= -1e-6 * size
            assert np.abs(P[:, 0] * U[:, 0]).max() <= 1e-6 * size * p.max()
            assert (np.linalg.norm(P[:, 1:], axis=1) <= friction * P[:, 0] * (1 + 1e-9) + 1e-12).all()
            power = np.einsum("ki,ki->k", P[:, 1:], U[:, 1:])
            np.testing.assert_allclose(power, -friction * P[:, 0] * slip, rtol=0, atol=1e-6 * size * p.max())
    assert not open_


def test_a_problem_that_no_rounds_solve_has_a_residual() -> None:
    """Friction that drags a contact down faster than its impulse lifts it (Painleve): finite, and reported."""
    A = np.array([[1.0, 3.0, 0.0], [3.0, 10.0, 0.0], [0.0, 0.0, 1.0]])
    p, u, residual = solved(A, [-1.0, -5.0, 0.0], [2.0])
    assert np.isfinite(p).all() and np.isfinite(residual)
    assert residual > 1e-9 or (u[0] >= -1e-9 and abs(u[0] * p[0]) <= 1e-9)


@pytest.mark.parametrize("seed", [18, 30, 34])
def test_limits_that_active_sets_do_not_solve_are_kept(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Impulses are within them to the bit."""
    monkeypatch.setattr("revolute.dynamics.dry_friction.ROUNDS", 1)
    A, b, _ = problem(seed, 0, 20, rows=20)
    limits = np.random.default_rng(seed).uniform(0, 0.3, 20)
    p, u, residual = solved(A, b, [], (), limits.tolist())
    assert residual <= 1e-12 and (np.abs(p) <= limits).all()
    assert np.abs(u[np.abs(p) < limits]).max(initial=0) <= 1e-9 and (p * u <= 1e-9).all()
