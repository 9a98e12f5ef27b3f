"""LQR along a trajectory: a swing-up that feedforward and a fixed LQR miss, Riccati's equation, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
from comparing import assert_raises
from motions import sliders
from robots import one_joint

import revolute
from revolute import InputError, ShapeError, SimulationError, StateFeedback, UnknownNameError
from revolute.control import LQR, TimeVaryingLQR

ACROBOT = revolute.robots.planar(2)
UPRIGHT = np.array([np.pi / 2, 0.0])
Q, R, STEP = np.array([10.0, 10.0, 1.0, 1.0]), np.array([0.1]), 0.005
OFF = 1e-5  # [rad]; the regulator would hold an end that is no equilibrium 60 times as far from upright


def swing_up(seconds: float, damping: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """t, q, qd and tau of a motion of an acrobot that ends upright, at rest but for `OFF`.

    A damper at the elbow lets it fall from there. The robot has no friction of its own, so its motions may go back in
    time: with the same forces, and velocities turned round.
    """
    t = np.arange(round(seconds / STEP) + 1) * STEP
    damper = StateFeedback(np.zeros((2, 2)), [[0.0, 0.0], [0.0, damping]])
    fall = ACROBOT.simulate(UPRIGHT + np.array([OFF, 0.0]), [0.0, 0.0], damper, t)
    return t, fall.q[::-1], -fall.qd[::-1], np.vstack([fall.tau[:-1][::-1], np.zeros((1, 2))])


def follower(*trajectory: np.ndarray) -> TimeVaryingLQR:
    end = LQR(ACROBOT, UPRIGHT, Q, R, actuated=["joint2"], dt=STEP)
    return TimeVaryingLQR(ACROBOT, *trajectory, Q, R, actuated=["joint2"], end=end.P)


def test_it_follows_a_swing_up_that_feedforward_and_one_lqr_miss() -> None:
    """From all sides of the start; 3 s after the end it holds the acrobot upright."""
    t, q, qd, tau = swing_up(12.0, 1.0)
    lqr = follower(t, q, qd, tau)
    beside = q[0] + 0.1 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    motion = ACROBOT.simulate(beside, qd[0], lqr.torque, np.arange(len(t) + 600) * STEP)
    goal = q[-1] - [OFF, 0.0]
    assert not motion.tau[..., 0].any() and np.abs(motion.q[:, len(t) - 1] - goal).max() < 0.01
    assert np.abs(motion.q[:, -1] - goal).max() < 2e-3
    blind = ACROBOT.simulate(beside, qd[0], tau, t)
    assert np.abs(blind.q[:, -1] - goal).max(axis=-1).min() > 0.5
    fixed = LQR(ACROBOT, UPRIGHT, Q, R, actuated=["joint2"], dt=STEP)
    assert_raises(SimulationError, "diverges", ACROBOT.simulate, beside, qd[0], fixed.torque, t)


def test_on_the_trajectory_it_gives_its_forces() -> None:
    t, q, qd, tau = swing_up(2.0, 1.0)
    lqr = follower(t, q, qd, tau)
    times = [(k, t[k] + later) for k in (0, 1, 7, -1) for later in (0.0, 0.4 * STEP)]
    for k, time in [*times, (0, -1.0), (-1, 9.0), (300, sum([STEP] * 300))]:  # the last one is 2e-15 s early
        np.testing.assert_allclose(lqr.torque(time, q[k], qd[k]), tau[k], atol=1e-12)


def test_about_an_equilibrium_it_is_the_lqr() -> None:
    """Riccati's equation stays at its fixed point; from elsewhere it goes there, and P is a stack of costs."""
    t, rest = np.arange(401), (np.broadcast_to(UPRIGHT, (401, 2)), np.zeros((401, 2)), np.zeros((401, 2)))
    lqr, slow = (LQR(ACROBOT, UPRIGHT, Q, R, actuated=["joint2"], dt=dt) for dt in (STEP, 0.05))
    along = follower(t * STEP, *rest)
    np.testing.assert_allclose(along.K, np.broadcast_to(lqr.K, along.K.shape), rtol=1e-6)
    np.testing.assert_allclose(along.P, np.broadcast_to(lqr.P, along.P.shape), rtol=1e-6)
    along = TimeVaryingLQR(ACROBOT, t * 0.05, *rest, Q, R, actuated=["joint2"])
    np.testing.assert_allclose(along.K[0], slow.K, rtol=1e-6)


def test_the_cost_of_a_linear_robot_is_the_promised_one() -> None:
    """The sum over all steps, of lengths that differ, and x^T P_end x at the end."""
    robot, rng = sliders(), np.random.default_rng(1)
    t = np.cumsum(rng.uniform(0.01, 0.1, 80))
    path = robot.simulate([0.1, 0.2], [0.3, -0.2], rng.standard_normal((80, 2)), t)
    weights, costs, end = np.array([2.0, 1.0, 0.1, 0.3]), np.array([0.05, 0.1]), np.array([5.0, 4.0, 3.0, 2.0])
    lqr = TimeVaryingLQR(robot, t, path.q, path.qd, path.tau, weights, costs, end=end)
    motion = robot.simulate([0.5, -0.3], [0.1, 0.4], lqr.torque, t)
    x = np.concatenate([motion.q - path.q, motion.qd - path.qd], axis=-1)
    cost = (x[:-1] ** 2 @ weights).sum() + ((motion.tau - path.tau)[:-1] ** 2 @ costs).sum() + x[-1] ** 2 @ end
    np.testing.assert_allclose(cost, lqr.cost_to_go(0, motion.q[0], motion.qd[0]), rtol=1e-10)
    np.testing.assert_allclose(lqr.cost_to_go(79, motion.q[-1], motion.qd[-1]), x[-1] ** 2 @ end, rtol=1e-12)


def test_quaternions_are_no_special_case() -> None:
    """A top that spins freely is followed from 0.3 rad beside, where feedforward keeps the error."""
    box = revolute.Inertia.from_com(1.0, (0.0, 0.0, 0.2), np.diag([0.05, 0.04, 0.02]))
    top, t, spin = one_joint(revolute.Spherical(), box), np.arange(401) * STEP, [0.3, 0.2, 8.0]
    free = top.simulate(top.neutral(), spin, None, t)
    lqr = TimeVaryingLQR(top, t, free.q, free.qd, free.tau, [1.0, 1.0, 1.0, 0.01, 0.01, 0.01], np.full(3, 0.01))
    beside = top.integrate(top.neutral(), [[0.3, 0.1, -0.2], [-0.1, 0.3, 0.3]])
    followed, blind = (
        np.abs(top.difference(free.q[-1], top.simulate(beside, spin, law, t).q[:, -1])) for law in (lqr.torque, None)
    )
    assert followed.max() < 1e-3 and blind.max(axis=-1).min() > 0.1


def test_continuous_joints_turn_the_shortest_way_on_request() -> None:
    t = np.arange(101) * STEP
    fall = ACROBOT.simulate([1.5, 0.2], [0.0, 0.0], None, t)
    lqr, counted = (TimeVaryingLQR(ACROBOT, t, fall.q, fall.qd, fall.tau, Q, [1, 1], wrap=x) for x in (True, False))
    q, qd = fall.q[50] + [0.01, -0.02], fall.qd[50] + 0.1
    np.testing.assert_allclose(lqr.torque(t[50], q - 4 * np.pi, qd), counted.torque(t[50], q, qd), rtol=1e-9)
    np.testing.assert_allclose(lqr.cost_to_go(50, q + 2 * np.pi, qd), counted.cost_to_go(50, q, qd), rtol=1e-9)
    assert np.abs(counted.torque(t[50], q - 4 * np.pi, qd) - counted.torque(t[50], q, qd)).max() > 1


def test_bad_input_is_named() -> None:
    t, q, qd, tau = swing_up(0.1, 1.0)

    def made(**changes: Any) -> TimeVaryingLQR:
        given: dict[str, Any] = {"t": t, "q": q, "qd": qd, "tau": tau, "Q": Q, "R": R, "actuated": ["joint2"]}
        return TimeVaryingLQR(ACROBOT, **{**given, **changes})

    for changes, message in (
        ({"t": t[::-1]}, "t must be at least two increasing times"),
        ({"t": t[:1]}, "t must be at least two increasing times"),
        ({"q": q * np.nan}, "TimeVaryingLQR: q is not finite"),
        ({"tau": tau + np.array([0.1, 0.0])}, "tau has forces at 'joint1', which is not actuated"),
        ({"R": [-0.1]}, "R is not positive definite"),
        ({"end": -Q}, "end is not positive semi-definite"),
    ):
        assert_raises(InputError, message, made, **changes)
    assert_raises(ShapeError, r"qd has shape \(20, 2\), but robot 'planar2' needs \(21, 2\)", made, qd=qd[1:])
    assert_raises(UnknownNameError, "no coordinate 'elbow'; available: joint1, joint2", made, actuated=["elbow"])
    assert_raises(InputError, r"k must be an index of t, 0 ... 20, not 21", made().cost_to_go, 21, q[0], qd[0])
    assert_raises(ShapeError, r"qd has shape \(3,\)", made().torque, 0.0, np.zeros(2), np.zeros(3))
