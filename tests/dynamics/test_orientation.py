"""Euler angles of all sequences and quaternions, against elementary rotations and poses that turn."""

import numpy as np
import pytest
import sympy
from physics import EULER_SEQUENCES, axes_of, slope, turn

from revolute.dynamics.orientation import euler_angles, euler_rates, euler_singularity, quaternion, quaternion_rates
from revolute.graph import Builder
from revolute.spatial import Matrix
from revolute.spatial.scalar import atan2, select

SEED = 5


def rotation(sequence: str, angles: np.ndarray) -> np.ndarray:
    return np.linalg.multi_dot([turn(axis, angle) for axis, angle in zip(sequence, angles, strict=True)])


def random_angles(sequence: str, n: int = 20) -> np.ndarray:
    """Anywhere in the ranges of the angles, 0.05 rad from singular ones."""
    rng = np.random.default_rng([SEED, *map(ord, sequence)])
    angles = rng.uniform(-np.pi, np.pi, (n, 3))
    low, high = (0, np.pi) if sequence[0] == sequence[2] else (-np.pi / 2, np.pi / 2)
    angles[:, 1] = rng.uniform(low + 0.05, high - 0.05, n)
    return angles


@pytest.mark.parametrize("sequence", EULER_SEQUENCES)
def test_angles_are_those_of_the_rotation_and_their_rates_turn_about_the_axes(sequence: str) -> None:
    """To rounding over the smallest sine or cosine, 0.05."""
    for angles in random_angles(sequence):
        R, E = Matrix(rotation(sequence, angles).tolist()), axes_of(sequence, angles)
        np.testing.assert_allclose(euler_angles(R, sequence), angles, rtol=0, atol=2e-14)
        np.testing.assert_allclose(np.array(euler_rates(R, sequence)) @ E, np.eye(3), atol=2e-13)
        assert euler_singularity(R, sequence) == pytest.approx(np.linalg.det(E) ** 2, rel=1e-12)


@pytest.mark.parametrize("sequence", EULER_SEQUENCES)
def test_parallel_axes_are_singular(sequence: str) -> None:
    middle = 0.0 if sequence[0] == sequence[2] else np.pi / 2
    R = Matrix(rotation(sequence, np.array([0.4, middle, -0.7])).tolist())
    assert euler_singularity(R, sequence) < 1e-30


def random_quaternions(n: int = 100) -> np.ndarray:
    """Of all orientations, with each component the largest of some, and some without w."""
    x = np.random.default_rng(SEED).standard_normal((n, 4))
    x[::10, 3] = 0.0
    x[:4] = np.eye(4)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def matrix_of(x: np.ndarray) -> np.ndarray:
    """R u = u + 2 w v x u + 2 v x (v x u)."""
    v, w = x[:3], x[3]
    V = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * V + 2 * V @ V


def test_quaternions_are_those_of_the_rotation() -> None:
    for x in random_quaternions():
        found = np.array(quaternion(Matrix(matrix_of(x).tolist())))
        sign = np.sign(x[3]) if x[3] else np.sign(found @ x)
        np.testing.assert_allclose(found * sign, x, atol=4e-16 * 4)
        assert found[3] >= 0


def test_rates_of_quaternions_are_those_of_turning_rotations() -> None:
    """dR/dt = tilde(w) R, with dR/dt by a complex step along B w; and 4 B^T is the inverse of B."""
    rng = np.random.default_rng(SEED)
    for x in random_quaternions(20):
        w, B = rng.standard_normal(3), np.array(quaternion_rates(x))
        rate = slope(lambda s, x=x, w=w, B=B: matrix_of(x + s * (B @ w)))
        turning = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        np.testing.assert_allclose(rate, turning @ matrix_of(x), atol=1e-14)
        np.testing.assert_allclose(4 * B.T @ B, np.eye(3), atol=1e-15)
        assert abs(x @ B @ w) < 1e-15


def test_arctangents_and_choices_take_any_scalar() -> None:
    y, x = np.random.default_rng(SEED).standard_normal((2, 9))
    np.testing.assert_array_equal(atan2(y, x), np.arctan2(y, x))
    floats = [atan2(float(a), float(b)) for a, b in zip(y, x, strict=True)]
    np.testing.assert_allclose(floats, np.arctan2(y, x), rtol=4e-16)  # two libraries, each within an ulp
    (node,) = Builder().input("x", 1)
    assert (atan2(node, 2.0).op, atan2(2.0, node).args[1]) == ("atan2", node)
    assert atan2(2.0, node).args[0].value == 2.0
    np.testing.assert_array_equal(select(y > x, y, x), np.maximum(y, x))
    a, b = sympy.symbols("a b")
    assert atan2(a, b) == sympy.atan2(a, b) and atan2(1.0, b) == sympy.atan2(1.0, b)
    assert select(a > b, a, b).subs({a: 3, b: 2}) == 3
    assert select(np.bool_(True), 1, 2) == 1
