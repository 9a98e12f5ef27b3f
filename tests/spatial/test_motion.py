"""Twists and wrenches: identities of the Lie algebra, and what does not depend on the frame."""

from typing import Any

import numpy as np
import pytest

import revolute
from revolute import Force, Inertia, InputError, Motion, Rotation, Transform
from revolute.published.serial import serial, to_child
from revolute.spatial.vectors import ZERO, tilde

SEEDS = range(5)

EPS = np.finfo(float).eps


def random(seed: int) -> tuple[np.random.Generator, Transform]:
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return rng, Transform(Rotation.of((Q * np.linalg.det(Q)).tolist()), rng.standard_normal(3).tolist())


def motion(rng: np.random.Generator) -> Motion:
    return Motion(*rng.standard_normal((2, 3)).tolist())


def force(rng: np.random.Generator) -> Force:
    return Force(*rng.standard_normal((2, 3)).tolist())


def column(x: Motion | Force) -> np.ndarray:
    return np.array([*x.ang, *x.lin], dtype=float)


def close(x: Any, y: Any) -> None:
    """Products of up to four factors of size 5: some 40 roundings each."""
    a, b = (column(z) if isinstance(z, (Motion, Force)) else np.array(z, dtype=float) for z in (x, y))
    assert np.abs(a - b).max() <= 40 * 5**4 * EPS, (a, b)


def adjoint(X: Transform) -> np.ndarray:
    """[Ad_T] of LP 3.83, for (w, v)."""
    R, p = np.array(X.R.matrix(), dtype=float), np.array(tilde(X.p), dtype=float)
    return np.block([[R, np.zeros((3, 3))], [p @ R, R]])


def ad(V: Motion) -> np.ndarray:
    """[ad_V] of LP 9.29."""
    w, v = np.array(tilde(V.ang)), np.array(tilde(V.lin))
    return np.block([[w, np.zeros((3, 3))], [v, w]])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_vector_space(seed: int) -> None:
    rng, _ = random(seed)
    for kind in (motion, force):
        a, b = kind(rng), kind(rng)
        close(a + b - b, a)
        close(-a, a * -1)
        close(2 * a, a + a)
    assert Motion() == Motion(ZERO, ZERO) and Force() == Force((0, 0, 0), [0, 0, 0])


@pytest.mark.parametrize("seed", SEEDS)
def test_matrices_of_the_book(seed: int) -> None:
    rng, X = random(seed)
    V, W, F = motion(rng), motion(rng), force(rng)
    close(X @ V, adjoint(X) @ column(V))  # LP 3.83
    close(column(X @ F), np.linalg.inv(adjoint(X)).T @ column(F))  # LP 3.98
    close(V.cross(W), ad(V) @ column(W))  # LP 9.29
    close(V.cross_force(F), -ad(V).T @ column(F))


@pytest.mark.parametrize("seed", SEEDS)
def test_brackets(seed: int) -> None:
    rng, X = random(seed)
    U, V, W = motion(rng), motion(rng), motion(rng)
    close(V.cross(W), -W.cross(V))
    close(V.cross(V), np.zeros(6))
    close(U.cross(V.cross(W)) + V.cross(W.cross(U)) + W.cross(U.cross(V)), np.zeros(6))  # Jacobi
    close(X @ V.cross(W), (X @ V).cross(X @ W))


@pytest.mark.parametrize("seed", SEEDS)
def test_power_depends_on_no_frame(seed: int) -> None:
    rng, X = random(seed)
    V, W, F = motion(rng), motion(rng), force(rng)
    close((X @ V).power(X @ F), V.power(F))
    close(V.cross(W).power(F) + W.power(V.cross_force(F)), 0)  # the rate of W . F
    body = Inertia.from_com(1.5, rng.standard_normal(3).tolist(), np.diag([2.0, 3.0, 4.0]))
    close((X @ body).momentum(X @ V), X @ body.momentum(V))
    close(V.power(body.momentum(W)), W.power(body.momentum(V)))


@pytest.mark.parametrize("name", ["ur5", "stanford", "puma560"])
def test_two_forms_of_the_acceleration_recursion(name: str) -> None:
    """LP 9.55 has [V_i, A_i] qd_i, LP 9.58 has [Ad V_{i-1}, A_i] qd_i; both are rates of the twists."""
    robot = getattr(revolute.robots, name)()
    arm = serial(robot, "test")
    q, qd, qdd = np.random.default_rng(7).uniform(-1, 1, (3, arm.n)).tolist()
    V, first, second = Motion(), Motion(), Motion()
    for i, link in enumerate(arm.links[1:]):
        z = (0, 0, 1)
        A, X = Motion(lin=z) if link.prismatic else Motion(ang=z), link.pose(q[i])
        carried = to_child(X, V)
        close(X.inverse() @ V, carried)
        V = carried + A * qd[i]
        first = to_child(X, first) + V.cross(A) * qd[i] + A * qdd[i]
        second = to_child(X, second) + carried.cross(A) * qd[i] + A * qdd[i]
        close(first, second)

        def twist(step: complex, upto: int = i) -> np.ndarray:
            """Twist of the link along the motion, a complex instant later."""
            moving = Motion()
            for k in range(upto + 1):
                z = (0, 0, 1)
                at = q[k] + step * qd[k]
                A = Motion(lin=z) if arm.links[k + 1].prismatic else Motion(ang=z)
                moving = to_child(arm.links[k + 1].pose(at), moving) + A * (qd[k] + step * qdd[k])
            return np.array([*moving.ang, *moving.lin])

        close(first, np.imag(twist(1e-30j)) / 1e-30)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Motion((1, 2), (0, 0, 0)), r"Motion: ang must be three numbers, not \(1, 2\)"),
        (lambda: Force(lin="abc"), "Force: lin must be three numbers"),
        (lambda: Motion().cross(Force()), r"cross: other must be of the type Motion, not Force\("),
        (lambda: Motion().cross_force((1, 2, 3)), "cross_force: F must be of the type Force"),
        (lambda: Motion().power(Motion()), r"power: F must be of the type Force, not Motion\("),
        (lambda: Motion() * "a", "a factor of a Motion must be a number, not 'a'"),
        (lambda: None * Force(), "a factor of a Force must be a number, not None"),
        (lambda: Force(None), "Force: ang must be three numbers, not None"),
    ],
)
def test_wrong_parts_are_named(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_kinds_do_not_mix() -> None:
    for other in (Force(), 1.0):
        with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+"):
            Motion() + other
        with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for -"):
            Motion() - other
    with pytest.raises(TypeError, match="'Force' and 'Motion'"):
        Force() + Motion()
