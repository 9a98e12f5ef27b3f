"""Control laws by identities: what they are as formulas, and what the closed loops do."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from robots import one_joint

import revolute
from revolute.control import Adaptive, ComputedTorque, FeedforwardPD, MotionTable, PassivityBased, SlidingMode

H = 1e-3
BALL = one_joint(revolute.Spherical(), revolute.Inertia.from_com(2.0, (0.1, 0.2, 0.3), np.diag([0.3, 0.2, 0.1])))
ROBOTS = {"panda": revolute.robots.panda, "planar": lambda: revolute.robots.planar(3)}


def sine(robot: revolute.Robot, amplitude: float = 0.3) -> Callable[[float], tuple[np.ndarray, ...]]:
    """A motion about the middle, of another phase for each joint."""
    phase = np.arange(robot.nv)

    def reference(t: Any) -> tuple[np.ndarray, ...]:
        s, c = amplitude * np.sin(2 * t + phase), amplitude * np.cos(2 * t + phase)
        return robot.home() + s, 2 * c, -4 * s

    return reference


@pytest.mark.parametrize("name", ROBOTS)
def test_laws_are_their_formulas(name: str) -> None:
    robot, rng = ROBOTS[name](), np.random.default_rng(1)
    q, q_ref = robot.random_configuration((2, 5), rng=rng)
    (qd, qd_ref, qdd_ref), (K, L) = rng.standard_normal((3, 5, robot.nv)), rng.uniform(1, 5, (2, robot.nv))
    reference, e, ed = (q_ref, qd_ref, qdd_ref), q - q_ref, qd - qd_ref
    v, a = qd_ref - L * e, qdd_ref - L * ed
    s = qd - v
    Y, pi = robot.slotine_li_regressor(q, qd, v, a), robot.inertial_parameters
    passive = Y @ pi.ravel() - K * s
    rho, phi = np.full(robot.nv, 3.0), np.full(robot.nv, 0.7)

    def law(name: str, *arrays: Any, **options: Any) -> Any:
        return robot.kernel(name, **options)(q, qd, *arrays)

    wanted = {
        "pd_with_gravity": (reference[:2], (L, K), robot.gravity_forces(q) - L * e - K * ed),
        "computed_torque": (reference, (L, K), robot.inverse_dynamics(q, qd, qdd_ref - L * e - K * ed)),
        "feedforward_pd": (reference, (L, K), robot.inverse_dynamics(*reference) - L * e - K * ed),
        "passivity_based": ((*reference, L), (K,), passive),
        "sliding_mode": ((*reference, L, rho, phi), (K,), passive - rho * np.clip(s / phi, -1, 1)),
    }
    for label, (before, gains, tau) in wanted.items():
        np.testing.assert_allclose(law(label, *before, *gains), tau, rtol=1e-11, atol=1e-10)
        np.testing.assert_allclose(law(label, *before, *map(np.diag, gains), full=True), tau, rtol=1e-11, atol=1e-10)
        given = law(label, *before, *gains, pi, parameters="inertial")
        np.testing.assert_allclose(given, tau, rtol=1e-11, atol=1e-10)
    rates = np.random.default_rng(2).uniform(0, 1, pi.shape)
    lower, upper = pi - 0.01, pi + 0.01
    tau, following = law("adaptive", *reference, L, rates, lower, upper, 0.1, pi, K)
    np.testing.assert_allclose(tau, passive, rtol=1e-11, atol=1e-10)
    free = pi - 0.1 * rates * np.einsum("rij,ri->rj", Y, s).reshape(-1, *pi.shape)
    np.testing.assert_allclose(following, np.clip(free, lower, upper), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("base", ["free", "spherical"])
def test_errors_of_quaternions_are_those_of_the_group(base: str) -> None:
    """e, its rate, and a = dv/dt, by central differences along motions of robot and reference."""
    from revolute.dynamics.control.tracking import tracking

    robot = revolute.robots.random_tree(2, rng=4, base="free") if base == "free" else BALL
    rng = np.random.default_rng(3)
    q, q_ref = robot.random_configuration(2, rng=rng)
    qd, qd_ref, qdd_ref = 0.5 * rng.standard_normal((3, robot.nv))

    def at(h: float) -> Any:
        moved = robot.integrate(q, h * qd), robot.integrate(q_ref, h * qd_ref + h**2 / 2 * qdd_ref)
        return tracking(robot, list(moved[0]), list(qd), list(moved[1]), list(qd_ref + h * qdd_ref), list(qdd_ref))

    h = 1e-5
    now, before, after = at(0.0), at(-h), at(h)
    for rate, x in (("rate", "e"), ("a", "v")):
        slope = (np.array(getattr(after, x)) - np.array(getattr(before, x))) / (2 * h)
        np.testing.assert_allclose(getattr(now, rate), slope, atol=2e-8, err_msg=x)  # h^2 of third derivatives ~ 100
    turn = slice(0, 3)
    np.testing.assert_allclose(now.e[turn], robot.difference(q_ref, q)[turn], atol=1e-12)
    np.testing.assert_allclose(np.dot(now.e[turn], now.rate[turn]), np.dot(now.e[turn], now.ed[turn]), atol=1e-12)


def test_computed_torque_makes_the_error_linear() -> None:
    """Semi-implicit Euler with the right model: u = -K_p e - K_d ed, ed += h u, e += h ed, joint by joint."""
    robot, t = revolute.robots.panda(), np.arange(1001) * H
    K_p, K_d = np.linspace(50, 200, 7), np.linspace(20, 30, 7)
    law = ComputedTorque(robot, robot.home(), K_p, K_d)
    motion = robot.simulate(robot.home() + 0.2, np.zeros(7), law, t, "semi_implicit_euler")
    e, ed = np.full(7, 0.2), np.zeros(7)
    for k in range(len(t) - 1):
        ed = ed - H * (K_p * e + K_d * ed)
        e = e + H * ed
        np.testing.assert_allclose(motion.q[k + 1] - robot.home(), e, atol=1e-11)


def test_a_ball_is_turned_by_almost_half_a_turn() -> None:
    """On the group: the energy of the error falls, wherever the motion begins."""
    axis, goal = np.array([1.0, 2.0, -2.0]) / 3, BALL.neutral()
    law = ComputedTorque(BALL, goal, 9.0, 6.0)
    motion = BALL.simulate(BALL.integrate(goal, 3.1 * axis), np.zeros(3), law, np.arange(4001) * H)
    e = BALL.difference(goal, motion.q)
    V = (motion.qd**2).sum(axis=-1) / 2 + 9 * (e**2).sum(axis=-1) / 2
    assert V[0] > 40 and (np.diff(V) < 1e-9).all() and V[-1] < 1e-5 * V[0]
    np.testing.assert_allclose(e, np.outer(e @ axis, axis), atol=5e-4)  # about its axis, but for forces held for h


@pytest.mark.parametrize("kind", [ComputedTorque, FeedforwardPD, PassivityBased, SlidingMode])
def test_references_are_followed(kind: Any) -> None:
    robot, t = revolute.robots.ur5(), np.arange(2001) * H
    reference, D = sine(robot), np.diag(robot.mass_matrix(robot.home()))
    gains = {ComputedTorque: (100.0,), FeedforwardPD: (400 * D, 40 * D)}.get(kind, (10.0, 20 * D))
    q, qd, _ = reference(t[:, None])
    motion = robot.simulate(q[0], qd[0], kind(robot, reference, *gains), t)
    assert np.abs(motion.q - q).max() < 5e-4  # forces lag by half a step
    late = robot.simulate(q[0] + 0.1, qd[0], kind(robot, reference, *gains), t)
    assert np.abs(late.q - q)[-1].max() < 2e-4


def test_the_energy_of_the_sliding_variable_falls() -> None:
    """dV/dt = -s^T K s for V = s^T M s / 2: its integral by the trapezoid rule, with forces that are held for h."""
    robot, t = revolute.robots.ur5(), np.arange(4001) * H / 8
    reference, K, L = sine(robot), np.array([20, 20, 10, 2, 2, 1.0]), 8.0
    q_ref, qd_ref, _ = reference(t[:, None])
    motion = robot.simulate(q_ref[0] + 0.2, qd_ref[0], PassivityBased(robot, reference, L, K), t)
    s = motion.qd - qd_ref + L * (motion.q - q_ref)
    V = np.einsum("ti,tij,tj->t", s, robot.mass_matrix(motion.q), s) / 2
    loss = np.einsum("ti,i,ti->t", s, K, s)
    lost = np.concatenate([[0], np.cumsum((loss[1:] + loss[:-1]) / 2 * np.diff(t))])
    np.testing.assert_allclose(V + lost, V[0], rtol=5e-3)
    assert V[-1] < 0.05 * V[0]


def test_sliding_mode_holds_an_unknown_load_in_the_layer() -> None:
    robot, t = revolute.robots.ur5(), np.arange(20_001) * H / 10
    loaded = robot.with_payload("tool0", revolute.Inertia.sphere(3.0, 0.1))
    goal, L, phi = robot.home() + 0.4, 5.0, 0.1
    D, rho = np.diag(robot.mass_matrix(goal)), np.array([60, 90, 90, 25, 25, 8.0])
    found = {}
    for bound in (0.0, rho):
        law = SlidingMode(robot, goal, L, 5 * D, bound=bound, boundary=phi)
        motion = loaded.simulate(robot.home(), np.zeros(6), law, t)
        s = motion.qd[15_000:] + L * (motion.q[15_000:] - goal)
        found[np.ndim(bound)] = np.abs(s).max(axis=0), motion.q[-1] - goal
    assert (found[1][0] < phi).all() and np.abs(found[1][1]).max() < phi / L
    assert found[0][0].max() > phi  # without the term the load pushes it out


def test_adaptive_control_learns_from_half_the_parameters() -> None:
    """The error goes to zero, and Lyapunov's function falls, but for the explicit steps of the learning: h^2 each."""
    robot, t = revolute.robots.ur5(), np.arange(40_001) * H / 4
    reference, pi = sine(robot), robot.inertial_parameters
    tables = np.array(reference(t[:, None]))
    D, L, rate = np.diag(robot.mass_matrix(robot.home())), 5.0, 10.0
    law = Adaptive(robot, MotionTable(t, *tables), L, 15 * D, rates=rate, estimates=pi / 2)
    motion = robot.simulate(tables[0, 0], tables[1, 0], law, t, "semi_implicit_euler")
    estimates = motion.controller["estimates"]
    s = motion.qd - tables[1] + L * (motion.q - tables[0])
    kinetic = np.einsum("ti,tij,tj->t", s, robot.mass_matrix(motion.q), s) / 2
    V = kinetic + ((estimates - pi) ** 2).sum(axis=(-1, -2)) / (2 * rate)
    error = np.abs(motion.q - tables[0]).max(axis=-1)
    assert error.max() > 0.01 and error[-4000:].max() < 0.025 * error.max()
    assert np.diff(V).max() < 1e-5 * V[0] and (np.diff(V[::400]) < 0).all()
    never = Adaptive(robot, MotionTable(t, *tables), L, 15 * D, rates=0.0, estimates=pi / 2)
    stays = robot.simulate(tables[0, 0], tables[1, 0], never, t, "semi_implicit_euler")
    assert np.abs(stays.q - tables[0]).max(axis=-1)[-4000:].max() > 100 * error[-4000:].max()


def test_samples_hold_and_trajectories_have_methods() -> None:
    robot, t = revolute.robots.planar(2), np.arange(201) * H
    reference = sine(robot)
    tables = np.array(reference(t[:, None]))
    parts = SimpleNamespace(**{name: lambda t, k=k: reference(t)[k] for k, name in enumerate(("q", "qd", "qdd"))})
    first, *others = (
        robot.simulate(tables[0, 0], tables[1, 0], ComputedTorque(robot, given, 100.0), t).q
        for given in (reference, parts, MotionTable(t, *tables))
    )
    for other in others:
        np.testing.assert_array_equal(other, first)
    coarse = ComputedTorque(robot, MotionTable(t[::10], *tables[:, ::10]), 100.0)
    np.testing.assert_array_equal(coarse.torque(0.0095, tables[0, 3], tables[1, 3]), coarse.torque(0.0, *tables[:2, 3]))
