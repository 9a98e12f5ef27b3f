"""The identities of BP ch. 3-4 on which the tensor formulations stand, at random tensors."""

import numpy as np
import pytest

from revolute import Inertia
from revolute.published.tensors import (
    angular_acceleration,
    bracket,
    dual,
    euler_moment,
    euler_of_inertia,
    inertia_of_euler,
    outer,
    point_inertia,
    trace,
    vect,
)
from revolute.spatial.vectors import Matrix, Vector, cross, dot, tilde

SEEDS = range(5)


def vectors(seed: int, n: int) -> list[Vector]:
    return [Vector(x) for x in np.random.default_rng(seed).standard_normal((n, 3)).tolist()]


def symmetric(seed: int) -> Matrix:
    a = np.random.default_rng(100 + seed).standard_normal((3, 3))
    return Matrix((a @ a.T).tolist())


def close(a: object, b: object) -> None:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    # products of up to four factors of size 5, some 30 roundings each
    assert np.abs(a - b).max() <= 30 * 5**4 * np.finfo(float).eps, (a, b)


@pytest.mark.parametrize("seed", SEEDS)
def test_dual_operator(seed: int) -> None:
    u, v, w, r = vectors(seed, 4)
    close(tilde(u) @ v, cross(u, v))  # 3.4.1
    close(dual(tilde(u)), u)  # 3.3.31-3.3.33
    close(tilde(u) @ v, -(tilde(v) @ u))  # 3.4.6
    close(dot(cross(u, r), cross(v, w)), dot(u, tilde(r) @ (tilde(v) @ w)))  # 3.4.9
    T = Matrix(np.random.default_rng(seed).standard_normal((3, 3)).tolist())
    close(vect(T.T), -vect(T))  # 3.4.31
    close(vect(symmetric(seed)), (0, 0, 0))  # 3.3.26
    close(vect(tilde(u)), dual(tilde(u)))  # 3.3.30


@pytest.mark.parametrize("seed", SEEDS)
def test_products_of_skew_symmetric_tensors(seed: int) -> None:
    u, v, w = vectors(seed, 3)
    U, V = tilde(u), tilde(v)
    one = Matrix(np.eye(3).tolist())
    close(U @ V, outer(v, u) - one * dot(u, v))  # 3.4.10
    close(dot(u, v), -trace(U @ V) / 2)  # 3.4.16
    close(trace(symmetric(seed) @ U), 0)  # 3.4.17
    close(V @ U @ U + U @ U @ V, U * dot(u, v) * -1 - V * dot(u, u))  # 3.4.18
    close(U @ V @ U, U * -dot(u, v))  # 3.4.19a
    close(U @ V @ U, V @ U @ U + U @ U @ V - V * (trace(U @ U) / 2))  # 3.4.19b
    close(V @ V @ U @ U - U @ U @ V @ V, bracket(U, V) * dot(u, v))  # 3.4.20
    close(tilde(cross(u, v)), outer(v, u) - outer(u, v))  # 3.4.26a
    close(tilde(cross(u, v)), bracket(U, V))  # 3.4.26c
    close(cross(u, v), vect(outer(u, v)) * -2)  # 3.4.32
    close(cross(u, v), vect(U @ V) * 2)  # 3.4.33
    close(tilde(tilde(w) @ (U @ v)), U * dot(w, v) - V * dot(w, u))  # 3.4.34


@pytest.mark.parametrize("seed", SEEDS)
def test_products_with_symmetric_tensors(seed: int) -> None:
    u, v = vectors(seed, 2)
    I = symmetric(seed)
    J = euler_of_inertia(I)
    close(tilde(I @ v), tilde(v) * trace(I) - (I @ tilde(v) + tilde(v) @ I))  # 3.4.36
    close(dot(u, I @ v), -trace(tilde(u) @ J @ tilde(v)))  # 3.4.39


@pytest.mark.parametrize("seed", SEEDS)
def test_euler_and_inertia_tensors(seed: int) -> None:
    r, w, wd = vectors(seed, 3)
    I = symmetric(seed)
    J = euler_of_inertia(I)
    close(inertia_of_euler(J), I)  # 4.3.6-4.3.7
    close(trace(I), 2 * trace(J))  # 4.3.29
    close(point_inertia(2.0, r), tilde(r) @ tilde(r) * -2.0)  # 4.3.8-4.3.9
    close(euler_of_inertia(point_inertia(2.0, r)), outer(r, r) * 2.0)  # 4.3.10
    body = Inertia.from_com(2.0, r, I)
    close(euler_of_inertia(body.I), J + outer(r, r) * 2.0)  # 4.3.10
    close(tilde(I @ w), J @ tilde(w) - (J @ tilde(w)).T)  # 4.3.30, angular momentum
    close(I @ wd + cross(w, I @ w), (J @ wd + tilde(w) @ (J @ w)) * -1 + wd * trace(J))  # 4.3.38


@pytest.mark.parametrize("seed", SEEDS)
def test_angular_acceleration_and_eulers_equation(seed: int) -> None:
    r, w, wd = vectors(seed, 3)
    I = symmetric(seed)
    J = euler_of_inertia(I)
    Omega = angular_acceleration(w, wd)
    close(Omega, tilde(wd) + tilde(w) @ tilde(w))  # 4.2.12
    close(vect(Omega), wd)  # 4.2.14
    close(Omega @ r, cross(wd, r) + cross(w, cross(w, r)))  # 4.2.22, 4.2.24
    skew = Omega @ J - (Omega @ J).T
    close(skew, (Omega @ I).T - Omega @ I + tilde(wd) * trace(I))  # 4.3.41, 4.3.42
    close(dual(skew), I @ wd + cross(w, I @ w))  # 4.3.35
    close(euler_moment(Omega, J), dual(skew))  # 5.3.29
    close(euler_moment(Omega, outer(r, r)), cross(r, Omega @ r))  # 5.3.21


@pytest.mark.parametrize("seed", SEEDS)
def test_rates_of_a_turning_tensor(seed: int) -> None:
    """R(t) = exp(tilde(w) t), I = R I' R^T: complex steps are exact."""
    (w,) = vectors(seed, 1)
    I = np.array(symmetric(seed))
    step = np.eye(3) + 1e-30j * np.array(tilde(w))
    rate = np.imag(step @ I @ step.T) / 1e-30
    close(rate, np.array(tilde(w)) @ I - I @ np.array(tilde(w)))  # 4.3.16
    J = np.array(euler_of_inertia(Matrix(I.tolist())))
    close(-rate, np.array(tilde(w)) @ J - J @ np.array(tilde(w)))  # 4.3.18, 4.3.19
