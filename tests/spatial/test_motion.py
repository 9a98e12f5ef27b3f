"""Twists, wrenches and poses: identities of the Lie algebra; matrices of BP section 2.2 and LP section 9.2.2."""

from typing import Any

import numpy as np
import pytest
from comparing import EPS, assert_raises

import revolute
from revolute import Inertia, InputError, Rotation, Transform, Twist, Wrench
from revolute.dynamics.kinematics import in_child
from revolute.published.serial import serial
from revolute.spatial.vectors import ZERO, Vector, cross, tilde

SEEDS = range(5)


def random(seed: int) -> tuple[np.random.Generator, Transform]:
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return rng, Transform(Rotation.from_matrix((Q * np.linalg.det(Q)).tolist()), rng.standard_normal(3).tolist())


def motion(rng: np.random.Generator) -> Twist:
    return Twist(*rng.standard_normal((2, 3)).tolist())


def force(rng: np.random.Generator) -> Wrench:
    return Wrench(*rng.standard_normal((2, 3)).tolist())


def column(x: Twist | Wrench) -> np.ndarray:
    return np.array([*x.ang, *x.lin], dtype=float)


def close(x: Any, y: Any) -> None:
    """Products of up to four factors of size 5: some 40 roundings each."""
    a, b = (column(z) if isinstance(z, (Twist, Wrench)) else np.array(z, dtype=float) for z in (x, y))
    assert np.abs(a - b).max() <= 40 * 5**4 * EPS, (a, b)


def adjoint(X: Transform) -> np.ndarray:
    """[Ad_T] of LP 3.83, for (w, v)."""
    R, p = np.array(X.R.matrix(), dtype=float), np.array(tilde(X.p), dtype=float)
    return np.block([[R, np.zeros((3, 3))], [p @ R, R]])


def ad(V: Twist) -> np.ndarray:
    """[ad_V] of LP 9.29."""
    w, v = np.array(tilde(V.ang)), np.array(tilde(V.lin))
    return np.block([[w, np.zeros((3, 3))], [v, w]])


def se3(V: Twist) -> np.ndarray:
    """[V] of a twist."""
    return np.block([[np.array(tilde(V.ang)), np.array(V.lin)[:, None]], [np.zeros((1, 4))]])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_vector_space(seed: int) -> None:
    rng, _ = random(seed)
    for kind in (motion, force):
        a, b = kind(rng), kind(rng)
        close(a + b - b, a)
        close(-a, a * -1)
        close(2 * a, a + a)
    assert Twist() == Twist(ZERO, ZERO) and Wrench() == Wrench((0, 0, 0), [0, 0, 0])


@pytest.mark.parametrize("seed", SEEDS)
def test_matrices_of_the_book(seed: int) -> None:
    rng, X = random(seed)
    V, W, F = motion(rng), motion(rng), force(rng)
    close(X @ V, adjoint(X) @ column(V))  # LP 3.83
    close(column(X @ F), np.linalg.inv(adjoint(X)).T @ column(F))  # LP 3.98
    close(V.cross(W), ad(V) @ column(W))  # LP 9.29
    close(V.cross_force(F), -ad(V).T @ column(F))
    close(se3(V.cross(W)), se3(V) @ se3(W) - se3(W) @ se3(V))  # LP 9.27-9.30


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


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rigid_body_obeys_the_equation_in_twists_and_wrenches(seed: int) -> None:
    """F = G Vd - ad_V^T G V, 9.32-9.33, about the centre of mass and about another point."""
    rng, A = random(seed)
    root, V, Vd, R = rng.standard_normal((3, 3)), motion(rng), motion(rng), A.R.matrix()
    for r in (np.zeros(3), rng.standard_normal(3)):
        body, h = Inertia.from_com(2.0, r.tolist(), (root @ root.T).tolist(), A.R), 2.0 * np.array(tilde(r))
        G = np.block([[R @ root @ root.T @ R.T - h @ h / 2, h], [-h, 2.0 * np.eye(3)]])
        close(body.momentum(V), G @ column(V))
        wrench = body.momentum_rate(tilde(Vd.ang) + tilde(V.ang) @ tilde(V.ang), Vd.lin + cross(V.ang, V.lin))
        close(wrench, G @ column(Vd) - ad(V).T @ G @ column(V))


@pytest.mark.parametrize("seed", SEEDS)
def test_wrenches_are_rates_of_the_momentum(seed: int) -> None:
    """f = m dv/dt and m = dh/dt about the centre of mass, along axes that do not turn. LP 9.14-9.15."""
    rng, _ = random(seed)
    V, Vd, h = motion(rng), motion(rng), 1e-5
    body = Inertia.from_com(2.0, inertia=np.diag([2.0, 3.0, 4.0]))

    def momentum(t: float) -> np.ndarray:  # along the axes at t = 0, to the second order of t
        moving = Twist(V.ang + Vd.ang * t, V.lin + Vd.lin * t)
        return column(Transform.exp([*(V.ang * t), 0, 0, 0]) @ body.momentum(moving))

    wrench = body.momentum_rate(tilde(Vd.ang) + tilde(V.ang) @ tilde(V.ang), Vd.lin + cross(V.ang, V.lin))
    np.testing.assert_allclose(column(wrench), (momentum(h) - momentum(-h)) / (2 * h), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_angular_momentum_about_a_fixed_point(seed: int) -> None:
    """L_o = s x (sd + w x r_c) m + r_c x sd m + I_o' w, and without sd. BP 4.3.20-4.3.21."""
    rng, _ = random(seed)
    s, r, w, sd = rng.standard_normal((4, 3))
    m, body = 1.5, Inertia.from_com(1.5, r.tolist(), np.diag([2.0, 3.0, 4.0]))
    I = np.array(body.I)
    for rate in (sd, np.zeros(3)):
        found = Transform(p=s.tolist()) @ body.momentum(Twist(w.tolist(), rate.tolist()))
        printed = np.cross(s, rate + np.cross(w, r)) * m + np.cross(r, rate) * m + I @ w
        close(found.ang, printed)


@pytest.mark.parametrize("seed", SEEDS)
def test_poses_are_products_of_matrices(seed: int) -> None:
    """Displacements in homogeneous coordinates, BP 2.2.4-2.2.11."""
    (rng, A), (_, B) = random(seed), random(seed + 50)
    a, b, x = A.matrix(), B.matrix(), rng.standard_normal(3)
    close((A @ B).matrix(), a @ b)
    close(A.point(Vector(x)), a[:3, :3] @ x + a[:3, 3])
    close(A.inverse().matrix() @ a, np.eye(4))
    for R in (A.R, Rotation.from_rpy(0.4, np.pi / 2, 0.7)):  # at right angles roll and yaw turn about one axis
        close(Rotation.from_rpy(*R.rpy()).matrix(), R.matrix())


@pytest.mark.parametrize("seed", SEEDS)
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
    turn = Rotation.about(a.tolist(), np.cos(angle), np.sin(angle))
    np.testing.assert_allclose(np.array(turn.matrix()), T[:3, :3], rtol=0, atol=error)
    pitch = a @ np.array(pose.log().lin) / angle
    on_axis = np.cross(w, np.array(pose.log().lin)) / angle**2
    np.testing.assert_allclose(T[:3, :3] @ on_axis + T[:3, 3] - on_axis, pitch * angle * a, rtol=0, atol=error)
    others = rng.standard_normal((100, 3))
    assert (np.linalg.norm(others @ T[:3, :3].T + T[:3, 3] - others, axis=1) >= abs(pitch * angle) - error).all()


@pytest.mark.parametrize("name", ["ur5", "stanford", "puma560"])
def test_two_forms_of_the_acceleration_recursion(name: str) -> None:
    """LP 9.55 has [V_i, A_i] qd_i, LP 9.58 has [Ad V_{i-1}, A_i] qd_i; both are rates of the twists."""
    arm, z = serial(getattr(revolute.robots, name)(), "test"), (0, 0, 1)
    q, qd, qdd = np.random.default_rng(7).uniform(-1, 1, (3, arm.n)).tolist()
    rows = [
        (Twist(lin=z) if link.prismatic else Twist(ang=z), link, *state)
        for link, *state in zip(arm.links[1:], q, qd, qdd, strict=True)
    ]

    def twists(step: complex) -> list[Twist]:
        """Of all links along the motion, a complex instant later."""
        found = [Twist()]
        for A, link, x, v, a in rows:
            found.append(in_child(link.pose(x + step * v), found[-1]) + A * (v + step * a))
        return found

    V, later = twists(0), twists(1e-30j)
    first, second = Twist(), Twist()
    for i, (A, link, x, v, a) in enumerate(rows):
        X = link.pose(x)
        carried = in_child(X, V[i])
        close(X.inverse() @ V[i], carried)
        first = in_child(X, first) + V[i + 1].cross(A) * v + A * a
        second = in_child(X, second) + carried.cross(A) * v + A * a
        close(first, second)
        close(first, np.imag([*later[i + 1].ang, *later[i + 1].lin]) / 1e-30)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Twist((1, 2), (0, 0, 0)), r"Twist: ang must be three numbers, not \(1, 2\)"),
        (lambda: Wrench(lin="abc"), "Wrench: lin must be three numbers"),
        (lambda: Twist().cross(Wrench()), r"cross: other must be of the type Twist, not Wrench\("),
        (lambda: Twist().cross_force((1, 2, 3)), "cross_force: F must be of the type Wrench"),
        (lambda: Twist().power(Twist()), r"power: F must be of the type Wrench, not Twist\("),
        (lambda: Twist() * "a", "a factor of a Twist must be a number, not 'a'"),
        (lambda: None * Wrench(), "a factor of a Wrench must be a number, not None"),
        (lambda: Wrench(None), "Wrench: ang must be three numbers, not None"),
    ],
)
def test_wrong_parts_are_named(call: Any, message: str) -> None:
    assert_raises(InputError, message, call)


def test_kinds_do_not_mix() -> None:
    for other in (Wrench(), 1.0):
        with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+"):
            Twist() + other
        with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for -"):
            Twist() - other
    with pytest.raises(TypeError, match="'Wrench' and 'Twist'"):
        Wrench() + Twist()
