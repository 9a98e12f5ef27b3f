"""Poses, twists and wrenches against 4x4 and 6x6 matrices, as BP 2.2 and LP 9.2.2 print them."""

import numpy as np
import pytest

from revolute import Inertia, Transform
from revolute.spatial import Force, Motion, Vector, cross, tilde

EPS = np.finfo(float).eps


def skew(w: np.ndarray) -> np.ndarray:
    """[w], with [w] x = w x x."""
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def se3(V: np.ndarray) -> np.ndarray:
    """[V] of a twist (w, v)."""
    return np.block([[skew(V[:3]), V[3:, None]], [np.zeros((1, 4))]])


def ad(V: np.ndarray) -> np.ndarray:
    """[ad_V]. LP 9.29."""
    return np.block([[skew(V[:3]), np.zeros((3, 3))], [skew(V[3:]), skew(V[:3])]])


def motion(V: np.ndarray) -> Motion:
    return Motion(Vector(V[:3]), Vector(V[3:]))


def array(x: Motion | Force) -> np.ndarray:
    return np.array([*x.ang, *x.lin])


@pytest.mark.parametrize("seed", range(5))
def test_brackets_are_those_of_matrices(seed: int) -> None:
    """[V1, V2] = [V1][V2] - [V2][V1], 9.27-9.30; ad_V^T F is its dual, 9.31. Sums of six terms: 16 eps of ten."""
    V, W, F = np.random.default_rng(seed).standard_normal((3, 6))
    bracket = array(motion(V).cross(motion(W)))
    np.testing.assert_allclose(se3(bracket), se3(V) @ se3(W) - se3(W) @ se3(V), rtol=0, atol=16 * EPS * 10)
    dual = motion(V).cross_force(Force(Vector(F[:3]), Vector(F[3:])))
    np.testing.assert_allclose(array(dual), -ad(V).T @ F, rtol=0, atol=16 * EPS * 10)
    assert motion(W).power(dual) == pytest.approx(-F @ bracket, rel=0, abs=16 * EPS * 100)


@pytest.mark.parametrize("seed", range(5))
def test_a_rigid_body_obeys_the_equation_in_twists_and_wrenches(seed: int) -> None:
    """F = G Vd - ad_V^T G V, 9.32-9.33, about the centre of mass and about another point; some 50 terms of size 10."""
    rng = np.random.default_rng(seed)
    root, V, Vd = rng.standard_normal((3, 3)), rng.standard_normal(6), rng.standard_normal(6)
    w, v, wd, vd = Vector(V[:3]), Vector(V[3:]), Vector(Vd[:3]), Vector(Vd[3:])
    for r in (np.zeros(3), rng.standard_normal(3)):
        body = Inertia.from_com(2.0, r.tolist(), (root @ root.T).tolist())
        I = root @ root.T - 2.0 * skew(r) @ skew(r)
        G = np.block([[I, 2.0 * skew(r)], [-2.0 * skew(r), 2.0 * np.eye(3)]])
        np.testing.assert_allclose(array(body.momentum(motion(V))), G @ V, rtol=0, atol=100 * EPS * 10)
        Omega = tilde(wd) + tilde(w) @ tilde(w)
        wrench = body.momentum_rate(Omega, vd + cross(w, v))
        np.testing.assert_allclose(array(wrench), G @ Vd - ad(V).T @ G @ V, rtol=0, atol=100 * EPS * 10)


@pytest.mark.parametrize("seed", range(5))
def test_poses_are_products_of_matrices(seed: int) -> None:
    """Displacements in homogeneous coordinates, BP 2.2.4-2.2.11. Sums of four terms of size four: 16 eps of ten."""
    rng = np.random.default_rng(seed)
    A, B = (Transform.from_rpy(rng.standard_normal(3).tolist(), rng.uniform(-3, 3, 3).tolist()) for _ in range(2))
    a, b, x = np.array(A.matrix()), np.array(B.matrix()), rng.standard_normal(3)
    np.testing.assert_allclose(np.array((A @ B).matrix()), a @ b, rtol=0, atol=16 * EPS * 10)
    np.testing.assert_allclose(np.array(A.point(Vector(x))), a[:3, :3] @ x + a[:3, 3], rtol=0, atol=16 * EPS * 10)
    np.testing.assert_allclose(np.array(A.inverse().matrix()) @ a, np.eye(4), rtol=0, atol=16 * EPS * 10)


@pytest.mark.parametrize("seed", range(5))
def test_a_displacement_has_a_fixed_line_or_a_screw(seed: int) -> None:
    """BP, theorems 2.1 and 2.2. Rounding of R and of its logarithm, 16 eps of lengths of three and angles up to pi.

    A rotation about a point leaves the line along a through it: R a = a. With a translation, points of the screw's
    axis move along it by the pitch times the angle, and no point moves less.
    """
    rng = np.random.default_rng(seed)
    pose = Transform.from_rpy(rng.standard_normal(3).tolist(), rng.uniform(-3, 3, 3).tolist())
    T, w = np.array(pose.matrix()), np.array(pose.log().ang)
    angle = np.linalg.norm(w)
    a, error = w / angle, 16 * EPS * 10 / np.sin(angle)  # near half a turn the logarithm loses digits
    np.testing.assert_allclose(T[:3, :3] @ a, a, rtol=0, atol=error)
    pitch = a @ np.array(pose.log().lin) / angle
    on_axis = np.cross(w, np.array(pose.log().lin)) / angle**2
    np.testing.assert_allclose(T[:3, :3] @ on_axis + T[:3, 3] - on_axis, pitch * angle * a, rtol=0, atol=error)
    others = rng.standard_normal((100, 3))
    assert (np.linalg.norm(others @ T[:3, :3].T + T[:3, 3] - others, axis=1) >= abs(pitch * angle) - error).all()
