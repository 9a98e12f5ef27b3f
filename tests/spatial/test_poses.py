"""Poses from and to matrices, quaternions, twists and SciPy; exponential and logarithm, LP 3.2-3.3; R A R^T."""

import math
import sys
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from comparing import EPS, assert_raises
from hypothesis import strategies as st
from processes import printed
from robots import every
from scipy.spatial.transform import Rotation as OfSciPy

from revolute import InputError, Rotation, Transform, Twist
from revolute.graph import STRUCTURE, Input, count, trace
from revolute.spatial.vectors import Matrix

angles = st.one_of(
    st.floats(0, math.pi),
    st.floats(-300, -1).map(lambda k: 10.0**k),
    st.floats(-17, -1).map(lambda k: math.pi - 10.0**k),
    st.sampled_from([0.0, math.pi / 2, math.pi, np.nextafter(math.pi, 0)]),
)
"""Angles up to half a turn, many of them next to nothing and to half a turn."""

vectors = st.lists(st.floats(-3, 3), min_size=3, max_size=3).map(np.array)
directions = vectors.filter(lambda v: np.linalg.norm(v) > 1e-3).map(lambda v: v / np.linalg.norm(v)) | st.sampled_from(
    [np.array(axis, dtype=float) for axis in ((1, 0, 0), (0, -1, 0), (0, 0, 1))]
)


def exact_exp(twist: np.ndarray) -> np.ndarray:
    """exp [V] by mpmath, with 60 digits."""
    with mpmath.workdps(60):
        w, v = twist[:3].tolist(), twist[3:].tolist()
        rows = [[0, -w[2], w[1], v[0]], [w[2], 0, -w[0], v[1]], [-w[1], w[0], 0, v[2]], [0, 0, 0, 0]]
        power = total = mpmath.eye(4)
        for k in range(1, 80):  # |V| < 9: the last term is below 9^80 / 80!, some 1e-43
            power = power * mpmath.matrix(rows) / k
            total = total + power
        return np.array(total.tolist(), dtype=float)


def array(V: Twist) -> np.ndarray:
    return np.array([*V.ang, *V.lin])


def pose(seed: int) -> Transform:
    rng = np.random.default_rng(seed)
    return Transform.from_rpy(rng.standard_normal(3).tolist(), rng.uniform(-3, 3, 3).tolist())


@every(directions, angles, vectors, examples=100)
def test_exp_is_the_exponential_of_the_matrix(axis: np.ndarray, angle: float, v: np.ndarray) -> None:
    """Its entries are sums of some ten products of at most |v| + 1, each rounded a few times: 64 eps of |v| + 1."""
    twist = np.array([*angle * axis, *v])
    found = Transform.exp(Twist(twist[:3].tolist(), twist[3:].tolist())).matrix()
    np.testing.assert_allclose(found, exact_exp(twist), rtol=0, atol=64 * EPS * (1 + np.linalg.norm(v)))


@every(directions, angles, vectors, examples=300)
def test_log_is_the_inverse_of_exp_up_to_half_a_turn(axis: np.ndarray, angle: float, v: np.ndarray) -> None:
    """log doubles errors of the quaternion, and v grows by half an angle over its sine: below 64 eps of |v| + 4.

    From half a turn on, to rounding, the twist may be the one of the opposite sense: then poses are compared.
    """
    twist = np.array([*angle * axis, *v])
    X = Transform.exp(twist.tolist())
    found = array(X.log())
    atol = 64 * EPS * (4 + np.linalg.norm(v))
    np.testing.assert_allclose(Transform.exp(found.tolist()).matrix(), X.matrix(), rtol=0, atol=atol)
    assert np.linalg.norm(found[:3]) <= math.pi * (1 + 4 * EPS)
    if angle < math.pi - 16 * EPS:
        np.testing.assert_allclose(found, twist, rtol=0, atol=atol)


@pytest.mark.parametrize("angle", [1e-300, 1e-160, 1e-20, 1e-9, 1e-5])
def test_log_of_a_small_turn_has_all_digits(angle: float) -> None:
    """The matrix holds a small w with a relative error of some eps, and log keeps it."""
    w = angle * np.array([0.48, -0.6, 0.64])
    np.testing.assert_allclose(Transform.exp([*w.tolist(), 1, 2, 3]).log().ang, w, rtol=16 * EPS, atol=0)


@pytest.mark.parametrize("seed", range(5))
def test_matrices_and_quaternions_come_back(seed: int) -> None:
    X = pose(seed)
    again = Transform.from_matrix(X.matrix())
    assert again == X.merged() and np.array_equal(again.matrix(), X.matrix())
    quaternion = X.R.to_scipy().as_quat()
    for sign in (1, -1):
        other = Transform.from_quaternion((sign * quaternion).tolist(), X.p)
        np.testing.assert_allclose(other.matrix(), X.matrix(), rtol=0, atol=16 * EPS * 4)


@pytest.mark.parametrize("seed", range(5))
def test_quaternions_go_out_and_come_back(seed: int) -> None:
    """q and -q are one rotation; the one that comes out has w >= 0. A half turn has w = 0, up to rounding."""
    R = pose(seed).R
    x, y, z, w = quaternion = R.quaternion()
    assert w >= 0 and abs(math.hypot(x, y, z, w) - 1) <= 4 * EPS
    np.testing.assert_allclose(quaternion, R.to_scipy().as_quat(canonical=True), rtol=0, atol=16 * EPS)
    for each in (quaternion, (-x, -y, -z, -w)):
        np.testing.assert_allclose(Rotation.from_quaternion(each).matrix(), R.matrix(), rtol=0, atol=16 * EPS)
    assert Transform(R, (1, 2, 3)).quaternion() == quaternion
    assert Rotation().quaternion() == (0, 0, 0, 1)
    axis = np.array([x, y, z]) / math.hypot(x, y, z)
    half = Rotation.about(axis, -1.0, 0.0).quaternion()
    assert abs(half[3]) <= EPS and abs(abs(axis @ half[:3]) - 1) <= 8 * EPS


def test_scalar_is_last() -> None:
    quarter = Transform.from_quaternion((math.sqrt(0.5), 0, 0, math.sqrt(0.5)), (1, 2, 3))
    expected = [[1, 0, 0, 1], [0, 0, -1, 2], [0, 1, 0, 3], [0, 0, 0, 1]]
    np.testing.assert_allclose(quarter.matrix(), expected, rtol=0, atol=4 * EPS)


def test_a_matrix_is_an_array() -> None:
    assert Transform().matrix().dtype == float and np.array_equal(Transform().matrix(), np.eye(4))
    assert Transform(p=(1j, 0, 1)).matrix().dtype == complex
    a = sympy.Symbol("a")
    matrix = Transform(p=(a, 0, 1)).matrix()
    assert matrix.dtype == object and matrix[0, 3] is a
    assert Transform.from_matrix(matrix) == Transform(p=(a, 0, 1))


def test_few_digits_become_the_nearest_rotation() -> None:
    """Rounded to seven digits, entries are off by 5e-8; a rotation's own rounding is some eps."""
    X = pose(3)
    R = Transform.from_matrix(X.matrix().round(7)).matrix()[:3, :3]
    np.testing.assert_allclose(R, X.matrix()[:3, :3], rtol=0, atol=2e-7)
    np.testing.assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=16 * EPS)


def test_rotations_of_scipy_come_in_and_go_out() -> None:
    theirs = OfSciPy.from_rotvec([0.1, -0.7, 0.3])
    for ours in (Rotation.from_matrix(theirs), Transform(theirs, (1, 2, 3)).R):  # type: ignore[arg-type]
        np.testing.assert_array_equal(ours.matrix(), theirs.as_matrix())
        np.testing.assert_allclose(ours.to_scipy().as_rotvec(), theirs.as_rotvec(), rtol=0, atol=16 * EPS)
    assert Rotation.from_matrix(OfSciPy.identity()) == Rotation() == Transform(OfSciPy.identity()).R  # type: ignore[arg-type]


def test_scipy_is_not_imported_for_poses() -> None:
    """In a process of its own, which finds the same source."""
    code = (
        "import sys; sys.path[:0] = eval(sys.argv[1]); from revolute import Transform; "
        "Transform.exp([1, 2, 3, 4, 5, 6]).log(); Transform.from_quaternion([0, 0, 0, 1]); "
        "print('scipy' in sys.modules)"
    )
    assert printed(code, repr(sys.path)) == "False\n"


def test_a_pose_is_short_to_read() -> None:
    a = sympy.Symbol("a")
    assert repr(Transform()) == "Transform()"
    assert repr(Transform(p=(0.1 + 0.2, -1e-17, 1))) == "Transform(p=(0.3, 0, 1))"
    turned = Transform.from_rpy((1, 0, 0), (0.1, -0.2, 2 / 3))
    assert repr(turned) == "Transform(R=Rotation.from_rpy(0.1, -0.2, 0.666667), p=(1, 0, 0))"
    assert eval(repr(turned)).p == turned.p
    assert repr(Transform(p=(a, 0, 1))) == "Transform(p=(a, 0, 1))"
    assert repr(Transform.from_rpy(rpy=(0, 0, a)).R).startswith("Rotation(factors=(((cos(a), -sin(a), 0)")
    assert repr(Rotation.from_matrix([[2, 0, 0], [0, 1, 0], [0, 0, 1]])).startswith("Rotation(factors=")


AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0)]


def turn(axis: tuple[int, int, int], angle: float) -> Rotation:
    return Rotation.about(axis, math.cos(angle), math.sin(angle))


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", [0.7, -2.1, math.pi / 2, math.pi, 3e-9])
def test_conjugation_is_the_product_with_the_matrix_on_both_sides(axis: tuple[int, int, int], angle: float) -> None:
    A = np.random.default_rng(5).uniform(-1, 1, (3, 3))
    rotation = turn(axis, angle) @ turn((1, 0, 0), 0.4) @ turn((0, 1, 0), -1.1)
    R = np.array(rotation.matrix())
    found = np.array(rotation.conjugate(Matrix(A.tolist())))
    # three factors of some 10 roundings each, of entries below 4
    assert np.abs(found - R @ A @ R.T).max() < 3 * 10 * 4 * EPS
    np.testing.assert_array_equal(rotation.conjugate(A), found)


@pytest.mark.parametrize("axis", AXES)
def test_symmetric_matrices_stay_exactly_symmetric(axis: tuple[int, int, int]) -> None:
    B = turn(axis, 0.7).conjugate(Matrix(((2.0, 0.3, -0.1), (0.3, 1.5, 0.2), (-0.1, 0.2, 1.0))))
    assert B == B.T
    assert turn(axis, 0.7).conjugate(Matrix(((2, 0, 0), (0, 2, 0), (0, 0, 2)))) == ((2, 0, 0), (0, 2, 0), (0, 0, 2))


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize(("angle", "expected"), [(0.7, (8, 9)), (math.pi / 2, (0, 0)), (math.pi, (0, 0))])
def test_constant_turns_take_eight_products_and_quarter_turns_none(
    axis: tuple[int, int, int], angle: float, expected: tuple[int, int]
) -> None:
    """BP section 6.4, of a symmetric matrix."""
    c, s = (round(x, 12) for x in (math.cos(angle), math.sin(angle)))

    def conjugate(e: list[object]) -> object:
        A = Matrix(((e[0], e[1], e[2]), (e[1], e[3], e[4]), (e[2], e[4], e[5])))
        return [("B", (9,), [x for row in Rotation.about(axis, c, s).conjugate(A) for x in row])]

    found = count(trace("conjugate", conjugate, [Input("e", (6,))], STRUCTURE))
    assert (found.multiplications, found.additions) == expected


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Transform.from_matrix(np.eye(3)), r"must be one \(4, 4\) matrix, not an array of shape \(3, 3\)"),
        (lambda: Transform.from_matrix(np.zeros((2, 4, 4))), "one at a time"),
        (lambda: Transform.from_matrix(np.diag([1, 1, 1, 2])), "last row must be 0, 0, 0, 1"),
        (lambda: Transform.from_matrix(np.diag([1, 1, -1, 1])), "left-handed"),
        (lambda: Transform.from_matrix(np.diag([1, 2, 1, 1])), "not orthogonal"),
        (lambda: Transform.from_matrix(np.full((4, 4), np.nan)), "finite"),
        (lambda: Transform.from_matrix("here"), r"\(4, 4\)"),
        (lambda: Transform.from_quaternion((0, 0, 0, 0)), "has the length 0; give"),
        (lambda: Transform.from_quaternion((0, 0, 0, 1.01)), "length 1.01"),
        (lambda: Transform.from_quaternion((0, 0, 1)), "4 numbers"),
        (lambda: Transform.from_quaternion((0, 0, 0, math.nan)), "4 finite numbers"),
        (lambda: Rotation.from_rpy(sympy.Symbol("a"), 0, 0).quaternion(), "substitute values for its symbols first"),
        (lambda: Transform.exp((0, 0, 1)), "6 numbers"),
        (lambda: Transform.exp((0, 0, math.inf, 0, 0, 0)), "6 finite numbers"),
        (lambda: Transform.exp((0, 0, sympy.Symbol("a"), 0, 0, 0)), "substitute values for its symbols first"),
        (lambda: Transform(p=(sympy.Symbol("a"), 0, 0)).log(), "substitute values for its symbols first"),
        (lambda: Rotation.from_rpy(sympy.Symbol("a"), 0, 0).rpy(), "substitute values for its symbols first"),
        (lambda: Rotation.from_matrix(OfSciPy.random(3, random_state=0)), "one at a time"),
        (lambda: Transform(OfSciPy.random(3, random_state=0)), "one at a time"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_pose_is_refused(make: Any, message: str) -> None:
    assert_raises(InputError, message, make)
