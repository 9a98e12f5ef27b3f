"""BP ch. 3-4: definitions, and the propositions and theorems as polynomial identities, proved with symbols."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_each, assert_raises

from revolute import Inertia, InputError, Rotation, tensors
from revolute.spatial.tensors import (
    DELTA,
    EPSILON,
    bracket,
    double_dot,
    dual,
    euler_of_inertia,
    inertia_of_euler,
    tensor_product,
    trace,
    vect,
    wedge,
)
from revolute.spatial.vectors import IDENTITY as ONE
from revolute.spatial.vectors import Matrix, Vector, cross, dot, tilde

INDICES = range(3)


def symbols(name: str) -> Vector:
    return Vector(sympy.symbols(f"{name}1:4"))


def tensor(name: str) -> Matrix:
    return Matrix([sympy.symbols(f"{name}{i}_1:4") for i in (1, 2, 3)])


def symmetric(name: str) -> Matrix:
    T = tensor(name)
    return Matrix([[T[min(i, j)][max(i, j)] for j in INDICES] for i in INDICES])


u, v, w, r, a, b, wd = map(symbols, ["u", "v", "w", "r", "a", "b", "wd"])
U, V, W = map(tilde, (u, v, w))
S, T, A = map(tensor, "STA")
I = symmetric("I")
J = euler_of_inertia(I)
k, m = sympy.symbols("k m")


def equal(x: Any, y: Any) -> None:
    """Both are the same polynomials."""
    left, right = sympy.Array(x), sympy.Array(y)
    assert left.shape == right.shape
    differences = sympy.flatten(left - right) if left.shape else [left[()] - right[()]]
    assert [sympy.expand(sympy.nsimplify(d)) for d in differences] == [0] * len(differences)


def test_products() -> None:
    equal(tensor_product(u, v) @ r, u * dot(v, r))  # 3.2.3
    equal(double_dot(T, S), trace(T @ S))  # 3.2.30
    equal(double_dot(T, S), double_dot(S, T))
    equal(tensors.norm(T) ** 2, sum(t**2 for row in T for t in row))  # 3.2.31
    equal(wedge(u, v), tensor_product(u, v) - tensor_product(v, u))  # 3.3.9


def test_invariance_under_rotation() -> None:
    """3.2.2, 3.3.2: what is no component stays; a rational rotation keeps it exact."""
    A = Matrix(sympy.Matrix([[2, -2, 1], [1, 2, 2], [-2, -1, 2]]).tolist()) * sympy.Rational(1, 3)
    assert sympy.Matrix(A) * sympy.Matrix(A).T == sympy.eye(3) and sympy.Matrix(A).det() == 1
    turned = A @ T @ A.T
    assert_each(equal, tensors.invariants(T), tensors.invariants(turned))
    equal(vect(turned), A @ vect(T))
    equal(tilde(A @ u), A @ U @ A.T)
    equal(double_dot(A @ T @ A.T, A @ S @ A.T), double_dot(T, S))
    equal(A @ DELTA @ A.T, DELTA)  # isotropic
    terms = [[[A[p][i] * A[q][j] * T[i][j] for i in INDICES for j in INDICES] for q in INDICES] for p in INDICES]
    equal(Rotation((A,)).conjugate(T), [[sum(x) for x in row] for row in terms])  # 3.2.2
    for i, j, n in itertools.product(INDICES, repeat=3):
        indices = list(itertools.product(INDICES, repeat=3))
        equal(sum(A[i][p] * A[j][q] * A[n][s] * EPSILON[p][q][s] for p, q, s in indices), EPSILON[i][j][n])


def test_components_are_those_of_dyads_of_the_basis() -> None:
    a, b, c = (Vector(sympy.Rational(x, 3) for x in row) for row in ((2, -2, 1), (1, 2, 2), (-2, -1, 2)))
    for basis in (ONE, (a, b, c)):
        entries = [[dot(e, T @ f) for f in basis] for e in basis]  # 3.2.14
        pairs = itertools.product(INDICES, repeat=2)
        dyads = [tensor_product(basis[i], basis[j]) * entries[i][j] for i, j in pairs]
        equal(sum(dyads[1:], dyads[0]), T)  # 3.2.16-3.2.17
    assert ONE == DELTA and DELTA @ v == v  # 3.2.7


@pytest.mark.parametrize("seed", range(5))
def test_angle_and_norm_of_numbers(seed: int) -> None:
    X, Y = np.random.default_rng(seed).standard_normal((2, 3, 3))
    cosine = np.trace(X @ Y.T) / np.linalg.norm(X) / np.linalg.norm(Y)
    # both are some 20 roundings away from the truth
    assert math.cos(tensors.angle(X.tolist(), Y)) == pytest.approx(cosine, abs=1e-14)
    assert tensors.norm(X) == pytest.approx(np.linalg.norm(X), rel=1e-14)
    assert tensors.angle(X, X) == 0 and tensors.angle(X, -X) == math.pi
    assert tensors.angle(X, X + 1e-12 * Y) < 1e-10
    x, y = X[0], Y[0]  # 3.2.34: skew-symmetric tensors have the angle of their vectors
    between = np.dot(x, y) / np.linalg.norm(x) / np.linalg.norm(y)
    assert math.cos(tensors.angle(tilde(x), tilde(y))) == pytest.approx(between, abs=1e-14)


@pytest.mark.parametrize("size", [1e308, 1e200, 1e-200, 5e-324])
def test_angles_of_large_and_small_tensors(size: float) -> None:
    assert tensors.angle(np.eye(3) * size, ONE) == 0
    assert tensors.angle(tilde((size, 0, 0)), tilde((0, size, 0))) == pytest.approx(math.pi / 2, rel=1e-15)


def test_isotropic_tensors() -> None:
    for i, j, p, q in itertools.product(INDICES, repeat=4):
        contracted = sum(EPSILON[i][j][n] * EPSILON[p][q][n] for n in INDICES)
        assert contracted == DELTA[i][p] * DELTA[j][q] - DELTA[i][q] * DELTA[j][p]  # 3.3.5
    for i, p in itertools.product(INDICES, repeat=2):
        assert sum(EPSILON[i][j][n] * EPSILON[p][j][n] for j in INDICES for n in INDICES) == 2 * DELTA[i][p]  # 3.3.6
    assert (EPSILON[0][1][2], EPSILON[2][1][0], EPSILON[0][0][1]) == (1, -1, 0)  # 3.3.4


def test_cartesian_decomposition() -> None:
    plus, minus = tensors.symmetric_part(T), tensors.skew_part(T)
    equal(plus + minus, T)  # 3.3.7
    equal(plus, plus.T)
    equal(minus, minus.T * -1)
    equal(double_dot(plus, minus), 0)


def test_projections() -> None:
    e = Vector(sympy.Rational(x, 7) for x in (2, -3, 6))
    along, across = tensors.projection(e), tensors.plane_projection(e)
    for P in (along, across):
        equal(P @ P, P)
        equal(P, P.T)
    equal(along @ v, e * dot(e, v))  # 3.3.10
    equal(along @ v + across @ v, v)  # 3.3.13-3.3.14
    equal(dot(e, across @ v), 0)
    P = [tensors.projection(x) for x in ONE]
    assert double_dot(P[0], P[1]) == double_dot(P[1], P[2]) == 0  # 3.3.15
    assert P[0] + P[1] + P[2] == DELTA  # 3.3.16
    assert tensors.projection((k, 0, 1))[2] == (k, 0, 1)  # the length of symbols is not known


@pytest.mark.parametrize("seed", range(5))
def test_spectral_decomposition(seed: int) -> None:
    X = np.random.default_rng(seed).standard_normal((3, 3))
    X += X.T
    parts = tensors.spectral_decomposition(X)
    values = [value for value, _ in parts]
    assert values == sorted(values)
    # an eigenvalue problem of size 5: errors of some ten roundings
    np.testing.assert_allclose(sum(value * np.array(P) for value, P in parts), X, atol=1e-13)  # 3.3.17
    for (_, P), (_, Q) in itertools.combinations(parts, 2):
        assert abs(double_dot(P, Q)) < 1e-14
    duals = [np.array(dual(e)) for e in np.linalg.eigh(X)[1].T]
    squares = sum(value * D @ D for value, D in zip(values, duals, strict=True))
    np.testing.assert_allclose(squares + np.trace(X) * np.eye(3), X, atol=1e-13)  # 3.4.38
    I1, I2, I3, _ = tensors.invariants(X)
    x, y, z = values
    np.testing.assert_allclose((I1, I2, I3), (x + y + z, x * y + y * z + z * x, x * y * z), atol=1e-12)  # 3.3.22-3.3.24


@pytest.mark.parametrize("size", [1e308, 1e200, 1e-200, 1e-320])
def test_spectral_decomposition_of_large_and_small_tensors(size: float) -> None:
    """Also of tensors with zeros, whose other entries differ from their mirror images by rounding."""
    X = np.array([[1, 0.5 + 1e-16, 0], [0.5, 1, 0], [0, 0, 1]]) * size
    values = [value / size for value, _ in tensors.spectral_decomposition(X)]
    np.testing.assert_allclose(values, (0.5, 1, 1.5), atol=1e-14)


def test_scalar_invariants() -> None:
    I1, I2, I3, I4 = tensors.invariants(T)
    x = sympy.Symbol("x")
    polynomial = (sympy.Matrix(T) - x * sympy.eye(3)).det(method="berkowitz")
    equal(polynomial, -(x**3) + I1 * x**2 - I2 * x + I3)  # 3.3.18-3.3.20
    equal(I4, double_dot(T, T.T))  # 3.3.21
    F1, F2, F3 = trace(T), trace(T @ T), trace(T @ T @ T)  # remark 3.5
    equal(I2, (F1**2 - F2) / 2)
    equal(I3, (2 * F3 + F1**3 - 3 * F1 * F2) / 6)
    I1, I2, _, I4 = tensors.invariants(I)
    equal(I4, I1**2 - 2 * I2)


def test_vector_invariant_and_dual() -> None:
    contracted = [sum(EPSILON[i][j][n] * T[n][j] for j in INDICES for n in INDICES) / 2 for i in INDICES]
    equal(vect(T), contracted)  # 3.3.27
    equal(vect(I), (0, 0, 0))
    raised = [[sum(EPSILON[i][j][n] * u[i] for i in INDICES) for j in INDICES] for n in INDICES]
    equal(dual(u), raised)  # 3.3.29
    equal(dual(u), U)  # 3.3.31
    assert dual(dual(u)) == u  # 3.3.33
    assert dual(((0, -0.3, 0.2), (0.1 + 0.2, 0, -0.1), (-0.2, 0.1, 0))) == (0.1, 0.2, 0.1 + 0.2)  # rounding is no part
    equal(vect(U), u)  # 3.3.30
    skew = [[0, -3, 2], [3, 0, -1], [-2, 1, 0]]
    for numbers in ((1, 2, 3), np.array([[1], [2], [3]]), sympy.Matrix([1, 2, 3])):
        equal(dual(numbers), skew)
    for matrix in (skew, np.array(skew), sympy.Matrix(skew)):
        assert dual(matrix) == (1, 2, 3)
    assert dual(ONE * 0) == (0, 0, 0)
    with pytest.raises(InputError, match="a tensor must be skew-symmetric"):
        dual(ONE)
    equal(vect(T), vect(tensors.skew_part(T)))  # 3.3.28


def test_other_conventions_of_vect_and_dual() -> None:
    contracted = [sum(EPSILON[i][j][n] * T[n][j] for j in INDICES for n in INDICES) for i in INDICES]
    equal(vect(T) * 2, contracted)  # 3.3.25
    equal(vect(T) * 2, (T[2][1] - T[1][2], T[0][2] - T[2][0], T[1][0] - T[0][1]))  # 3.3.26
    left = ((0, u[2], -u[1]), (-u[2], 0, u[0]), (u[1], -u[0], 0))  # 3.3.34
    equal(dual(-u), left)  # 3.3.35
    assert dual(Matrix(left) * -1) == u  # 3.3.36


def test_propositions_3_1_to_3_12() -> None:
    equal(dual(u * k), U * k)  # 3.4.2
    equal(dual(u + v), U + V)  # 3.4.3
    equal(U @ v, cross(u, v))  # 3.4.1
    equal(U @ u, (0, 0, 0))  # 3.4.4
    # 3.4.5: rank 2 unless u = 0, so nothing else is in the null space
    equal(sum(sympy.Matrix(U).minor_submatrix(i, i).det() for i in INDICES), dot(u, u))
    equal(U @ v, -(V @ u))  # 3.4.6
    equal(U.T @ v, -(U @ v))  # 3.4.7, where v . T is T^T v (3.2.24)
    equal(U.T @ v, V @ u)  # 3.4.8
    equal(dot(cross(a, u), cross(v, b)), dot(a, U @ (V @ b)))  # 3.4.9
    equal(U @ V, tensor_product(v, u) - ONE * dot(u, v))  # 3.4.10
    equal(tensor_product(v, u), U @ V + ONE * dot(v, u))  # 3.4.14
    equal(double_dot(U, V), -2 * dot(u, v))  # 3.4.15
    equal(dot(u, v), -trace(U @ V) / 2)  # 3.4.16
    equal(double_dot(I, U), 0)  # 3.4.17
    equal(V @ U @ U + U @ U @ V, V * -dot(u, u) - U * dot(v, u))  # 3.4.18
    equal(U @ V @ U, U * -dot(v, u))  # 3.4.19a
    equal(U @ V @ U, V @ U @ U + U @ U @ V - V * (trace(U @ U) / 2))  # 3.4.19b
    equal(V @ V @ U @ U - U @ U @ V @ V, bracket(U, V) * dot(u, v))  # 3.4.20
    p = cross(u, v)  # perpendicular to u
    P = tilde(p)
    equal(P @ U @ U + U @ U @ P, P * -dot(u, u))  # 3.4.22
    equal(U @ P @ U, ONE * 0)  # 3.4.23
    equal(bracket(P @ P, U @ U), ONE * 0)  # 3.4.24
    equal(U @ U @ U, U * -dot(u, u))  # 3.4.25
    equal(dual(U @ v), tensor_product(v, u) - tensor_product(u, v))  # 3.4.26a
    equal(dual(U @ v), U @ V - V @ U)  # 3.4.26b
    equal(dual(U @ v), bracket(U, V))  # 3.4.26c
    equal(dual(U @ v), wedge(v, u))  # 3.4.26d
    equal(cross(u, v), dual(bracket(U, V)))  # 3.4.29
    equal(cross(u, v), dual(wedge(v, u)))  # 3.4.30
    equal(vect(T.T), -vect(T))  # 3.4.31
    equal(cross(u, v), vect(tensor_product(u, v)) * -2)  # 3.4.32
    equal(cross(u, v), vect(U @ V) * 2)  # 3.4.33
    equal(dual(W @ (U @ v)), U * dot(w, v) - V * dot(w, u))  # 3.4.34
    equal(dual(U @ (U @ v)), (V @ U @ U + U @ U @ V) * -1 + V * trace(U @ U))  # 3.4.35
    equal(dual(I @ v), (I @ V + V @ I) * -1 + V * trace(I))  # 3.4.36
    equal(dot(u, I @ v), -trace(U @ J @ V))  # 3.4.39


def turning(t: complex) -> np.ndarray:
    """A rotation as a function of time."""
    (c, s), (d, e) = (np.cos(t**2), np.sin(t**2)), (np.cos(3 * t), np.sin(3 * t))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, d, -e], [0, e, d]])


def turning_speed(t: complex) -> np.ndarray:
    """Its rate: the rates of both factors."""
    about_z = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 0]]) * 2 * t
    about_x = np.array([[0, 0, 0], [0, 0, -1], [0, 1, 0]]) * 3
    return about_z @ turning(t) + turning(t) @ about_x


def rate(function: Any, t: float) -> np.ndarray:
    """The derivative by a complex step, exact to rounding."""
    return np.imag(np.array(function(t + 1e-30j))) / 1e-30


@pytest.mark.parametrize("t", [0.7, -1.1, 2.3])
def test_rates_of_a_rotation(t: float) -> None:
    """To 1e-13: some ten products of numbers below 10."""

    def omega(t: complex) -> Vector:
        return tensors.angular_velocity(turning(t), turning_speed(t))

    R, Rd, Rdd = turning(t), rate(turning, t), rate(turning_speed, t)
    Omega = tensors.angular_acceleration(omega(t), rate(omega, t))
    np.testing.assert_allclose(Rd, np.array(tilde(omega(t))) @ R, atol=1e-13)  # 4.2.5
    np.testing.assert_allclose(Rdd, np.array(Omega) @ R, atol=1e-12)  # 4.2.11
    body = np.array([[5, 1, 2], [1, 4, 0.5], [2, 0.5, 3]])
    moving = rate(lambda t: turning(t) @ body @ turning(t).T, t)
    found = tensors.turning_rate(omega(t), R @ body @ R.T)
    np.testing.assert_allclose(found, moving, atol=1e-12)  # 4.3.16


def test_angular_acceleration() -> None:
    Omega = tensors.angular_acceleration(w, wd)
    equal(Omega, tilde(wd) + W @ W)  # 4.2.12
    equal(tensors.skew_part(Omega), tilde(wd))
    equal(vect(Omega), wd)  # 4.2.14
    equal(Omega @ r, cross(wd, r) + cross(w, cross(w, r)))  # 4.2.22, 4.2.24


def test_euler_and_inertia_tensors() -> None:
    equal(inertia_of_euler(J), I)  # 4.3.6-4.3.7
    equal(trace(I), 2 * trace(J))  # 4.3.29
    point = tensors.point_inertia(m, r)
    equal(point, tilde(r) @ tilde(r) * -m)  # 4.3.8-4.3.9
    equal(euler_of_inertia(point), tensor_product(r, r) * m)  # 4.3.4
    equal(Inertia.from_com(m, r, I).euler(), J + tensor_product(r, r) * m)  # 4.3.10
    for i, j in itertools.product(INDICES, repeat=2):  # 4.3.13
        equal(J[i][j], trace(I) / 2 - I[i][i] if i == j else -I[i][j])


def test_entries_of_euler_and_inertia_tensors() -> None:
    (a, d, e), (_, b, f), (_, _, c) = I
    halves = ((-a + b + c) / 2, (a - b + c) / 2, (a + b - c) / 2)
    equal(euler_of_inertia(I), ((halves[0], -d, -e), (-d, halves[1], -f), (-e, -f, halves[2])))  # 4.3.13
    equal(inertia_of_euler(I), ((b + c, -d, -e), (-d, a + c, -f), (-e, -f, a + b)))  # 4.3.14


def test_rates_of_inertia() -> None:
    equal(tensors.turning_rate(w, J), tensors.turning_rate(w, I) * -1)  # 4.3.18-4.3.19
    equal(tensors.turning_rate(w, I), W @ I - I @ W)  # 4.3.17
    shift, rate = tensors.point_inertia(m, r), cross(w, r)
    by_parts = (tilde(rate) @ tilde(r) + tilde(r) @ tilde(rate)) * -m
    equal(tensors.turning_rate(w, shift), by_parts)  # about any point of the body


def test_angular_momentum() -> None:
    L = I @ w
    equal(L, J @ w * -1 + w * trace(J))  # 4.3.26
    equal(dual(L), (W @ I).T - W @ I + W * trace(I))  # 4.3.28, theorem 4.4
    equal(tensors.angular_momentum(w, J), dual(L))  # 4.3.30
    about_o = tensors.point_inertia(m, r) @ w
    equal(about_o, cross(r, cross(w, r)) * m)  # 4.3.25


def test_torque() -> None:
    Omega = tensors.angular_acceleration(w, wd)
    M = I @ wd + cross(w, I @ w)  # 4.3.2, 4.3.35
    equal(M, (J @ wd + W @ (J @ w)) * -1 + wd * trace(J))  # 4.3.38
    equal(dual(M), (Omega @ I).T - Omega @ I + tilde(wd) * trace(I))  # 4.3.41, theorem 4.5
    equal(tensors.torque(Omega, J), dual(M))  # 4.3.42
    equal(tensors.euler_moment(Omega, J), M)  # 5.3.29
    equal(tensors.euler_moment(Omega, tensor_product(r, r) * m), cross(r, Omega @ r) * m)  # 4.3.36, 5.3.21
    equal(tensors.twice_symmetric(a, b), tilde(a) @ tilde(b) + (tilde(a) @ tilde(b)).T)


def test_arrays_and_fractions_are_scalars_too() -> None:
    batch = np.arange(6.0).reshape(3, 2)
    assert np.array(tilde(Vector(batch)) @ Vector(batch)).shape == (3, 2)
    assert np.array(dual(Vector(batch)), dtype=object)[0][2].tolist() == [2, 3]
    assert tensors.norm(np.eye(3) * 2) == pytest.approx(math.sqrt(12))
    assert dual(np.array([[0, -3.0, 2], [3, 0, -1], [-2, 1, 0]])) == (1, 2, 3)
    assert dual(np.array([[1.0], [2.0], [3.0]])) == tilde((1, 2, 3))
    assert tensors.invariants([[Fraction(1, 3), 0, 0], [0, 1, 0], [0, 0, 1]])[2] == Fraction(1, 3)


@pytest.mark.parametrize("kind", [sympy.Matrix, sympy.ImmutableMatrix, sympy.SparseMatrix])
def test_matrices_of_sympy_are_vectors_and_tensors(kind: Any) -> None:
    column, row, square = kind(u), kind([list(u)]), kind([list(row) for row in T])
    assert trace(square) == trace(T) and bracket(square, S) == bracket(T, S)
    assert tensor_product(column, row) == tensor_product(u, u)
    assert dual(column) == dual(row) == U and dual(kind([list(row) for row in U])) == u
    assert tensors.angular_momentum(column, square) == tensors.angular_momentum(u, T)
    assert tensors.angle(kind([[1, 0, 0], [0, 2, 0], [0, 0, 2]]), ONE) == tensors.angle(np.diag([1, 2, 2]), ONE)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tensors.trace([[1, 2], [3, 4]]), "T must be three rows of three numbers"),
        (lambda: tensors.double_dot(ONE, 3), "S must be three rows of three numbers"),
        (lambda: tensors.wedge((1, 2), (1, 2, 3)), r"u must be three numbers, not \(1, 2\)"),
        (lambda: tensors.tensor_product((1, 2, 3), "xyz"), "v must be three numbers"),
        (lambda: tensors.projection((1, 1, 0)), "e must have length one, not 1.414213562"),
        (lambda: tensors.projection((math.nan, 1, 0)), "e must have length one, not nan"),
        (lambda: tensors.plane_projection((0, 0, 2)), "e must have length one, not 2; divide it"),
        (lambda: tensors.angle(ONE, ONE * 0), "angle: S is zero"),
        (lambda: tensors.angle(T, ONE), "T must have numbers as entries, not symbols"),
        (lambda: tensors.spectral_decomposition(((1, 2, 0), (0, 1, 0), (0, 0, 1))), "T must be symmetric; use its"),
        (lambda: tensors.spectral_decomposition(ONE * math.inf), "T must have finite entries"),
        (lambda: tensors.spectral_decomposition(np.eye(3) * 1j), "T must have real entries, not .*1j"),
        (lambda: tensors.angle(ONE, ONE * (1 + 0j)), "S must have real entries, not .*1"),
        (lambda: tensors.angle(ONE * sympy.I, ONE), "T must have real entries, not I"),
        (lambda: tensors.angle(ONE * 10**400, ONE), "T has an entry that is too large for a float"),
        (lambda: tensors.angle(np.ones((3, 3, 2)), ONE), "T must have numbers as entries, not arrays"),
        (lambda: tensors.spectral_decomposition(np.full((3, 3), 1e308)), "an eigenvalue of T is too large for a float"),
        (lambda: tensors.trace(sympy.eye(2)), "T must be three rows of three numbers, not Matrix"),
        (lambda: dual(sympy.ones(2, 1)), "x must be three numbers, not Matrix"),
        (lambda: dual({1: 0, 2: 0, 3: 0}), "x must be three numbers in a list or tuple, not {1: 0, 2: 0, 3: 0}"),
        (lambda: tensors.wedge((1, 2, 3), {1, 2, 3}), "v must be three numbers in a list or tuple, not {1, 2, 3}"),
        (lambda: tensors.trace([{1, 2, 3}] * 3), "T: a row must be three numbers in a list or tuple, not {1, 2, 3}"),
        (lambda: tensors.trace({(1, 2, 3), (4, 5, 6), (7, 8, 9)}), "T must be three rows of three numbers, not {"),
        (lambda: dual(ONE), "a tensor must be skew-symmetric; use its skew_part, or its vect"),
        (lambda: dual(7), "x must be three numbers, not 7"),
        (lambda: dual("abc"), "x: a row must be three numbers, not 'a'"),
        (lambda: tensors.angular_acceleration((1, 2, 3), None), "wd must be three numbers, not None"),
        (lambda: tensors.euler_moment(ONE, [1, 2, 3]), "J: a row must be three numbers"),
    ],
)
def test_wrong_arguments_are_named(call: Any, message: str) -> None:
    assert_raises(InputError, message, call)
