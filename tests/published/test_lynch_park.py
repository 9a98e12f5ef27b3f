"""Lynch and Park's twists, wrenches and stacked matrices, in their own frames, by LP's equations in NumPy."""

from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import InputError, published

PLACES = (((0.1, 0, 0.2), (0.3, 0, 0.5)), ((0.3, 0.1, 0.5), (0, 0.4, 0)), ((0.6, 0, 0.9), (0.2, 0.1, 0)))
SCREWS = [(0, 0, 1, 0, 0, 0), (0, 1, 0, -0.4, 0, 0), (0, 0, 0, 0.6, 0, 0.8)]
SPATIAL = [np.diag(x) for x in ([0.03, 0.04, 0.02, 3, 3, 3], [0.02, 0.05, 0.04, 2, 2, 2], [0.01, 0.02, 0.02, 1, 1, 1])]
OF_SCREWS = revolute.Robot.from_screws(
    SCREWS, [revolute.Transform.from_rpy(*place).matrix() for place in (*PLACES, ((0.8, 0, 1.1), (0, 0.7, 0)))], SPATIAL
)
OBLIQUE = revolute.robots.random_tree(4, rng=3, branching=0)  # the last joint is about y
for k, angles in enumerate(((0.3, 0.5, -0.2), (1.2, -0.4, 0.1), (0, 0.7, 2.0), (-0.6, 0.2, 0.9)), 1):
    OBLIQUE = OBLIQUE.with_frame(f"turned{k}", f"link{k}", revolute.Transform.from_rpy((0.2, -0.1 * k, 0.3), angles))
OBLIQUE = OBLIQUE.with_frame("tool", "link4", revolute.Transform.from_rpy((0.1, 0.4, -0.2), (0.8, -0.3, 0.5)))
CASES = {
    "screws": (OF_SCREWS, ["frame1", "frame2", "frame3"], "flange"),
    "slide": (revolute.robots.stanford(), None, "flange"),
    "other axes": (OBLIQUE, None, None),
    "other axes and a tool": (OBLIQUE, None, "tool"),
    "turned frames": (OBLIQUE, [f"turned{k}" for k in range(1, 5)], "tool"),
    "frames of links": (revolute.robots.puma560(), [f"link{k}" for k in range(1, 7)], "flange"),
}


def column(x: Any) -> np.ndarray:
    return np.array([*x.ang, *x.lin], dtype=float)


def skew(a: Any) -> np.ndarray:
    return np.cross(np.eye(3), a)


def Ad(T: revolute.Transform) -> np.ndarray:
    R = np.array(T.R.matrix())
    return np.block([[R, np.zeros((3, 3))], [skew(T.p) @ R, R]])


def ad(V: np.ndarray) -> np.ndarray:
    return np.block([[skew(V[:3]), np.zeros((3, 3))], [skew(V[3:]), skew(V[:3])]])


def block_diagonal(parts: list[np.ndarray]) -> np.ndarray:
    return np.block([[x if i == j else np.zeros_like(x) for j in range(len(parts))] for i, x in enumerate(parts)])


def same(a: Any, b: Any) -> None:
    """Sums of some hundred products of numbers below 1e3."""
    np.testing.assert_allclose(np.array(a, dtype=float), b, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_links_and_stacked_matrices_obey_the_equations(name: str) -> None:
    arm, frames, tip = CASES[name]
    n = arm.nv
    q, qd, qdd = np.random.default_rng(n).normal(size=(3, n))
    F_tip = np.array([0.5, -0.2, 0.3, 4.0, -1.0, 2.0])
    links = published.lynch_park_links(arm, q, tip, frames)
    states = published.lynch_park_states(arm, q, qd, qdd, F_tip, tip, frames)
    stacked = published.stacked_matrices(arm, q, frames)
    A, G, Gamma, L = (np.array(x, dtype=float) for x in (stacked.A, stacked.G, stacked.Gamma, stacked.L))
    V, Vd, F = (np.concatenate([column(x) for x in part]) for part in (states.V, states.Vd, states.F))  # 9.62-9.63

    back = [Ad(T.inverse()) for T in links.T]
    same(A, block_diagonal([column(a)[:, None] for a in links.A]))  # 9.64
    for i in range(1, n):
        same(Gamma[6 * i : 6 * i + 6, 6 * i - 6 : 6 * i], back[i])  # 9.68
    same(np.count_nonzero(np.linalg.matrix_power(Gamma, n)), 0)
    same(L @ (np.eye(6 * n) - Gamma), np.eye(6 * n))  # 9.76
    base, end = np.zeros((2, 6 * n))
    base[:6], end[-6:] = back[0] @ [0, 0, 0, *-np.array(arm.gravity)], Ad(links.tip.inverse()).T @ F_tip  # 9.70-9.71
    ad_A = block_diagonal([ad(x) for x in (A @ qd).reshape(n, 6)])
    ad_V = block_diagonal([ad(x) for x in V.reshape(n, 6)])
    same(V, Gamma @ V + A @ qd)  # 9.72
    same(Vd, Gamma @ Vd + A @ qdd - ad_A @ (Gamma @ V) + base)  # 9.73, with the sign of 9.48
    same(F, Gamma.T @ F + G @ Vd - ad_V.T @ G @ V + end)  # 9.74
    same(states.tau, A.T @ F)  # 9.75
    same(A.T @ L.T @ G @ L @ A, arm.mass_matrix(q))  # 9.82
    at = frames or [frame.name for frame in arm.frames if frame.name in arm.link_names[1:]]
    if frames:
        same(V.reshape(n, 6), [arm.velocity(q, qd, frame) for frame in at])
    wrenches = {tip or arm.link_names[-1]: -F_tip} if tip else None
    if tip:
        same(states.tau, arm.inverse_dynamics(q, qd, qdd, wrenches=wrenches))  # 9.81
        same(published.lynch_park(arm, q, qd, qdd, F_tip, tip), states.tau)
        same(published.lynch_park_stacked(arm, q, qd, qdd, F_tip, tip), states.tau)


def test_frames_are_those_of_the_user() -> None:
    """LP's own screws A_i, of `from_screws`, are those of the arm at home. LP 9.51."""
    links = published.lynch_park_links(OF_SCREWS, [0.3, -0.2, 0.4], frames=["frame1", "frame2", "frame3"])
    home = [revolute.Transform.from_rpy(*place) for place in PLACES]
    for A, G, M, S, spatial in zip(links.A, links.G, home, SCREWS, SPATIAL, strict=True):
        same(column(A), Ad(M.inverse()) @ S)
        same(column(G.momentum(revolute.Twist((1, 2, 3), (4, 5, 6)))), spatial @ np.arange(1, 7))


def test_wrong_frames_are_named() -> None:
    arm = revolute.robots.planar(2)
    assert_raises(InputError, "the tip must be a frame of the last link, but 'link1' is not",
                  published.lynch_park_links, arm, [0, 0], "link1")
    assert_raises(InputError, "frames must name one frame of each of the 2 links",
                  published.lynch_park_links, arm, [0, 0], None, ["link2", "link1"])
