"""LQR about an equilibrium: closed forms, the cost that it promises, an acrobot, quaternions, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from motions import sliders
from robots import chain

import revolute
from revolute import Inertia, InputError, Joint, Link, Robot, ShapeError, UnknownNameError
from revolute.control import LQR
from revolute.control.riccati import uncontrollable_modes

UPRIGHT = np.array([np.pi / 2, 0.0])
STEP = 0.01


def acrobot(**options: Any) -> LQR:
    """A motor at the elbow alone."""
    robot, weights = revolute.robots.planar(2), [10.0, 10.0, 1.0, 1.0]
    return LQR(robot, UPRIGHT, weights, [0.1], actuated=["joint2"], **options)


def test_the_double_integrator_has_its_closed_form() -> None:
    """I q'' = u: K = (sqrt(q1 / r), sqrt(q2 / r + 2 I sqrt(q1 / r)))."""
    rod, stiffness = revolute.robots.planar(1).with_gravity((0, 0, 0)), np.sqrt(3.0 / 0.5)
    K = LQR(rod, [0.4], [3.0, 0.2], [0.5]).K
    np.testing.assert_allclose(K, [[stiffness, np.sqrt(0.2 / 0.5 + 2 * stiffness / 3)]], rtol=1e-10)


def test_a_force_between_two_bodies_does_not_move_their_common_centre() -> None:
    with pytest.raises(InputError, match=r"forces at 'b' cannot stabilize the modes 0 1/s of 'a', 'b'"):
        LQR(sliders(), [0.1, -0.2], np.ones(4), [0.05], actuated=["b"], dt=0.02)


def test_the_cost_of_a_linear_robot_is_the_promised_one() -> None:
    """sum x^T Q x + u^T R u over all samples = x_0^T P x_0; what is left after 2000 is below rounding."""
    Q, R = np.array([2.0, 1.0, 0.1, 0.3]), np.full(2, 0.05)
    lqr = LQR(sliders(), [0.1, -0.2], Q, R, dt=0.02)
    assert np.abs(lqr.poles).max() ** 2000 < 1e-16
    motion = lqr.robot.simulate([0.5, 0.3], [0.1, -0.4], lqr.torque, np.arange(2001) * 0.02)
    x = np.concatenate([motion.q - lqr.q, motion.qd], axis=-1)
    cost = (x**2 @ Q + motion.tau**2 @ R).sum()
    np.testing.assert_allclose(cost, lqr.cost_to_go(motion.q[0], motion.qd[0]), rtol=1e-9)


def test_poles_are_the_decay_of_small_deviations() -> None:
    """A deviation of 1e-6 along any mode is multiplied by its pole in a step: the model is exact, less 1e-6^2."""
    lqr = acrobot(dt=STEP)
    A, B = lqr.robot.linearize(UPRIGHT, np.zeros(2), lqr.tau, step=STEP)
    poles, modes = np.linalg.eig(A - B[:, 1:] @ lqr.K)
    assert (np.abs(poles) < 1).all()
    x = 1e-6 * modes.T.real
    motion = lqr.robot.simulate(UPRIGHT + x[:, :2], x[:, 2:], lqr.torque, [0.0, STEP])
    after = np.concatenate([motion.q[:, 1] - UPRIGHT, motion.qd[:, 1]], axis=-1)
    np.testing.assert_allclose(after, 1e-6 * (poles * modes).T.real, atol=1e-10)
    np.testing.assert_allclose(np.sort(np.abs(poles)), np.sort(np.abs(lqr.poles)), rtol=1e-9)


def test_an_acrobot_stays_upright_in_its_region_and_falls_beyond() -> None:
    """Starts at 80 % of the level in the picture of docs/estimation.md come upright, in any direction; far ones not.

    Near the equilibrium the cost to go falls at once.
    """
    lqr, x, t = acrobot(dt=0.005), np.random.default_rng(2).standard_normal((40, 4)), np.arange(3001) * 0.005
    x *= np.sqrt(0.8 * 226 / lqr.cost_to_go(UPRIGHT + x[:, :2], x[:, 2:]))[:, None]
    motion = lqr.robot.simulate(UPRIGHT + x[:, :2], x[:, 2:], lqr.state_feedback(), t)
    assert not motion.tau[..., 0].any() and np.abs(motion.q[:, -1] - UPRIGHT).max() < 1e-3
    x *= 1e-3
    motion = lqr.robot.simulate(UPRIGHT + x[:, :2], x[:, 2:], lqr.state_feedback(), t[:101])
    cost = lqr.cost_to_go(motion.q, motion.qd)
    assert cost.shape == (40, 101) and (np.diff(cost) < 0).all()
    far = UPRIGHT + np.array([0.3, 0.0])
    assert_raises(revolute.SimulationError, "diverges", lqr.robot.simulate, far, [0.0, 0.0], lqr.torque, t)


def test_both_forms_of_the_law_are_one() -> None:
    """For a state, a batch, a motion; with an array for the result."""
    lqr, rng = acrobot(dt=STEP), np.random.default_rng(4)
    q, qd = UPRIGHT + 0.01 * rng.standard_normal((5, 3, 2)), 0.01 * rng.standard_normal((5, 3, 2))
    expected = lqr.tau - np.concatenate([q - UPRIGHT, qd], axis=-1) @ np.vstack([np.zeros(4), lqr.K]).T
    np.testing.assert_allclose(lqr.torque(0.0, q, qd), expected, atol=1e-12)
    out = np.empty(2)
    assert lqr.torque(0.0, q[1, 2], qd[1, 2], out=out) is out
    np.testing.assert_allclose(out, expected[1, 2], atol=1e-12)


@pytest.mark.parametrize("flat", [True, False])
def test_continuous_joints_turn_the_shortest_way_on_request(flat: bool) -> None:
    """A state some turns away is the same state; without `wrap` it is not. `StateFeedback` cannot say so."""
    robot = revolute.robots.planar(2) if flat else floating_body()
    q = UPRIGHT if flat else np.array([0.0, 0, 0, 0, 0, 0, 1, -3])
    lqr, counted = (LQR(robot, q, np.ones(2 * robot.nv), np.ones(robot.nv), dt=STEP, wrap=x) for x in (True, False))
    rng = np.random.default_rng(7)
    states, qd = robot.integrate(q, 0.01 * rng.standard_normal((5, robot.nv))), rng.standard_normal((5, robot.nv))
    turned = states + 2 * np.pi * np.array([*np.zeros(robot.nq - 1), 3])
    for law in (lqr.torque, lambda _, *state: lqr.cost_to_go(*state)):
        np.testing.assert_allclose(law(0.0, turned, qd), law(0.0, states, qd), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(lqr.torque(0.0, states, qd), counted.torque(0.0, states, qd))
    assert np.abs(counted.torque(0.0, turned, qd) - counted.torque(0.0, states, qd)).max() > 1
    assert_raises(InputError, "does not support wrap; pass `torque` itself", lqr.state_feedback)


def floating_body() -> Robot:
    """A free body with an arm, without weight: q has a quaternion."""
    box = Inertia.from_com(2.0, (0.1, 0.2, -0.3), np.diag([0.2, 0.3, 0.4]))
    arm = Inertia.from_com(1.0, (0.3, 0, 0), 0.05 * np.eye(3))
    return chain((box, revolute.Free()), (arm, revolute.Revolute((0, 1, 0))), gravity=(0, 0, 0))


def test_quaternions_are_no_special_case() -> None:
    """A body that floats turns to its reference from 2 rad away, for q and -q alike."""
    robot = floating_body()
    goal = robot.integrate(robot.neutral(), [0.4, -0.2, 0.9, 0.1, 0.2, 0.3, 0.5])
    lqr = LQR(robot, goal, np.ones(14), np.full(7, 0.1), dt=0.02)
    start = robot.integrate(goal, [[1.2, -1.0, 1.2, 0.5, -0.5, 0.3, -0.4], [0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    motion = robot.simulate(start, np.zeros((2, 7)), lqr.torque, np.arange(1001) * 0.02)
    assert np.abs(robot.difference(goal, motion.q[:, -1])).max() < 1e-5
    forces, out = lqr.torque(0.0, start, np.zeros(7)), np.empty((2, 7))
    assert lqr.torque(0.0, start, np.zeros(7), out=out) is out
    np.testing.assert_array_equal(out, forces)
    start[:, 3:7] *= -1
    np.testing.assert_allclose(lqr.torque(0.0, start, np.zeros(7)), forces, atol=1e-12)


def test_drives_are_part_of_the_model() -> None:
    """A spring at the shoulder takes part of the weight off the force that holds; damping is in A."""
    drive = revolute.Drive(stiffness=(50.0,), damping=(0.3,), armature=(0.2,))
    arm = revolute.robots.planar(1).with_drives({"joint1": drive})
    lqr = LQR(arm, [0.3], [1.0, 1.0], [0.1], dt=STEP)
    np.testing.assert_allclose(lqr.tau, [9.81 / 2 * np.cos(0.3) + 50 * 0.3], rtol=1e-12)
    np.testing.assert_allclose(arm.simulate([0.5], [0.0], lqr.torque, np.arange(2001) * STEP).q[-1], lqr.q, atol=1e-8)


def test_modes_out_of_reach_are_those_of_the_free_branch() -> None:
    """Two pendulums side by side, one with a motor: the other's two modes, +-i sqrt(3 g / 2 l)."""
    rod, names = Inertia.from_com(1.0, (0, -0.5, 0), np.diag([1 / 12, 0, 1 / 12])), ("left", "right")
    joints = [Joint(f"{name} hinge", "base", name, revolute.Revolute((0, 0, 1))) for name in names]
    links = [Link("base"), *(Link(name, rod) for name in names)]
    pendulums = Robot.from_links("pendulums", links, joints, gravity=(0, -9.81, 0))
    A, B = pendulums.linearize(np.zeros(2), np.zeros(2), np.zeros(2))
    modes, shares = uncontrollable_modes(A, B[:, :1])
    np.testing.assert_allclose(np.sort_complex(modes), np.array([-1j, 1j]) * np.sqrt(1.5 * 9.81), atol=1e-12)
    np.testing.assert_allclose(shares[:, [0, 2]], 0, atol=1e-12)
    assert len(uncontrollable_modes(A, B)[0]) == 0
    with pytest.raises(InputError, match=r"'left hinge' cannot stabilize the modes 0 [+-]3.84i 1/s of 'right hinge'"):
        LQR(pendulums, np.zeros(2), np.ones(4), [1.0], actuated=["left hinge"])


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"robot": "planar"}, InputError, "LQR: robot must be of the type Robot or DrivenRobot"),
        ({"q": [0.0, 0.0]}, InputError, "q is not an equilibrium: .* only at joint2, 'joint2' accelerates by "),
        ({"q": [0.0]}, ShapeError, r"q has shape \(1,\), but robot 'planar2' needs \(2,\)"),
        ({"q": [np.nan, 0.0]}, InputError, "LQR: q is not finite"),
        ({"Q": np.ones(3)}, ShapeError, r"Q has shape \(3,\), but \(4,\), a diagonal, or \(4, 4\) is needed"),
        ({"Q": [1.0, 1.0, -1.0, 1.0]}, InputError, "Q is not positive semi-definite: its lowest eigenvalue is -1"),
        ({"Q": np.triu(np.ones((4, 4)))}, InputError, "Q is not symmetric"),
        ({"R": [0.0]}, InputError, "R is not positive definite: its lowest eigenvalue is 0"),
        ({"R": [np.inf]}, InputError, "R is not finite"),
        ({"R": [1.0, 1.0]}, ShapeError, r"R has shape \(2,\), but \(1,\)"),
        ({"actuated": ["jiont2"]}, UnknownNameError, "no coordinate 'jiont2'; near: joint2"),
        ({"actuated": []}, InputError, "actuated must name at least one coordinate, without duplicates"),
        ({"actuated": "joint2"}, InputError, "actuated must be a sequence"),
        ({"dt": 0.0}, InputError, "dt must be a positive time"),
        ({"dt": "1"}, InputError, "dt must be a positive time .*, not .1."),
        ({"wrap": 1}, InputError, "LQR: wrap must be of the type bool"),
    ],
)
def test_bad_input_is_named(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    given: dict[str, Any] = {"robot": revolute.robots.planar(2), "q": UPRIGHT, "Q": np.ones(4), "R": [1.0]}
    assert_raises(error, message, LQR, **{**given, "actuated": ["joint2"], **changes})


@pytest.mark.parametrize("dt", [None, 1e-3])
def test_weights_that_do_not_see_a_mode_are_refused(dt: float | None) -> None:
    """Without weight and without a weight on positions any position is as good."""
    robot = revolute.robots.planar(2).with_gravity((0, 0, 0))
    with pytest.raises(InputError, match=r"no stabilizing solution.*give all states that do not decay by themselves"):
        LQR(robot, [1.0, 0.5], [0.0, 0.0, 1.0, 1.0], [1.0, 1.0], dt=dt)


def test_states_that_do_not_fit_are_named() -> None:
    lqr, message = acrobot(dt=STEP), r" has shape \(3,\), but robot 'planar2' needs \(..., 2\)"
    assert_raises(ShapeError, "q" + message, lqr.torque, 0.0, np.zeros(3), np.zeros(2))
    assert_raises(ShapeError, "qd" + message, lqr.cost_to_go, np.zeros(2), np.zeros(3))
    message = "batches of q and qd do not broadcast"
    assert_raises(ShapeError, message, lqr.cost_to_go, np.zeros((2, 2)), np.zeros((3, 2)))


def test_without_scipy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scipy.linalg", None)
    assert_raises(revolute.MissingExtraError, r'LQR needs SciPy.*pip install "\.\[scipy\]"', acrobot, dt=STEP)
