"""Motions with closed loops: orders of all methods, closed states, steppers, laws, events, and the double four-bar."""

from typing import Any

import numpy as np
import pytest
import test_constrained
from comparing import assert_raises
from test_constrained import double_four_bar, double_four_bar_state, five_bar, five_bar_state, parallelogram
from test_constrained_rows import linkage, state

import revolute
from revolute import ConstrainedRobot, InputError, PointClosure, SimulationError
from revolute.control import LQR, ComputedTorque, MotionTable
from revolute.dynamics.steps import METHODS

ORDERS = {
    "explicit_euler": 1, "semi_implicit_euler": 1, "runge_kutta_4": 4, "runge_kutta_munthe_kaas_4": 4,
    "implicit_midpoint": 2, "variational_midpoint": 2,
}  # fmt: skip


def cases() -> dict[str, tuple[ConstrainedRobot, tuple[np.ndarray, np.ndarray]]]:
    """Independent rows, redundant rows on a turntable and on a free body, and drives."""
    arm = revolute.robots.planar(3)
    slider = arm.with_drives({"joint1": revolute.Drive(damping=(0.5,), armature=(0.2,), stiffness=3.0)}).robot
    driven = slider.with_closures(PointClosure("tip", at_b=(2.0, 0.0, 0.0)), drives=True)
    return {
        "five-bar": (five_bar(), five_bar_state(0.3, 1.5, 0.5, -0.8)),
        "turntable": (linkage("axis"), state("axis")),
        "free": (linkage("point", False), state("point", False)),
        "driven": (driven, driven.project([0.5, -1.0, 0.2], [1.0, 0.0, 0.0])),
    }


CASES = cases()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("method", METHODS)
def test_methods_have_their_orders_and_close_the_loops(name: str, method: str) -> None:
    machine, start = CASES[name]
    tau, short, errors = 0.2 * np.cos(np.arange(machine.robot.nv)), 0.04, []
    exact = machine.simulate(*start, tau, [0.0, short], "DOP853", rtol=1e-13, atol=1e-13)
    for steps in (8, 16):
        motion = machine.simulate(*start, tau, np.linspace(0, short, steps + 1), method)
        assert np.abs(machine.error(motion.q)).max() < 1e-12
        assert np.abs(np.einsum("tmn,tn->tm", machine.jacobian(motion.q), motion.qd)).max() < 1e-11
        errors.append(np.abs(motion.q[-1] - exact.q[-1]).max() + np.abs(motion.qd[-1] - exact.qd[-1]).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[method], abs=0.35) or errors[1] < 1e-12


@pytest.mark.parametrize("method", ["semi_implicit_euler", "runge_kutta_4", "implicit_midpoint"])
def test_steppers_functions_and_batches_give_the_bits_of_motions(method: str) -> None:
    machine, (q, qd) = CASES["turntable"]
    tau, t = np.array([0.3, -0.2, 0.1, 0.4]), np.linspace(0, 0.02, 11)
    motion = machine.simulate(q, qd, tau, t, method)
    assert np.array_equal(machine.simulate(q, qd, lambda *_: tau, t, method).q, motion.q)
    batch = machine.simulate(np.stack([q] * 17), np.stack([qd] * 17), tau, t, method)
    assert (batch.q == motion.q).all() and (batch.qdd == motion.qdd).all()
    stepper, x, xd = machine.stepper(t[1], method), q.copy(), qd.copy()
    for k in range(10):
        stepper = machine.stepper(t[k + 1] - t[k], method)
        stepper.step(x, xd, tau)
    assert np.array_equal(x, motion.q[-1]) and np.array_equal(xd, motion.qd[-1])


def test_laws_events_and_limits_act_in_compiled_loops() -> None:
    """A five-bar linkage is held by a law, stops at an event, and at a limit."""
    machine, (q, qd) = five_bar(), five_bar_state(0.3, 1.5, 0.0, 0.0)
    goal, t = five_bar_state(0.5, 1.2, 0.0, 0.0)[0], np.linspace(0, 3, 3001)
    gains = np.array([float(name in ("q1", "q2")) for name in machine.robot.joint_names])
    hold = machine.inverse_dynamics(goal, qd, qd, motors=["q1", "q2"])
    law = revolute.StateFeedback(200 * gains, 40 * gains, goal, tau=hold)
    motion = machine.simulate(q, qd, law, t, "semi_implicit_euler")
    assert np.abs(motion.q[-1] - goal).max() < 1e-3 and np.abs(machine.error(motion.q)).max() < 1e-12

    def forces(t: float, q: np.ndarray, qd: np.ndarray) -> Any:
        return law.tau - law.position_gains * (q - law.q_ref) - law.velocity_gains * qd

    lasting = machine.simulate(q, qd, forces, t[:101], "semi_implicit_euler")
    np.testing.assert_allclose(lasting.q, motion.q[:101], rtol=0, atol=1e-12)
    event = revolute.Event(lambda t, q, qd: q[0] - motion.q[np.searchsorted(motion.t, 0.2), 0], name="half way")
    stopped = machine.simulate(q, qd, law, t, "semi_implicit_euler", events=[event])
    assert stopped.event is not None and stopped.event.name == "half way" and stopped.t[-1] < 0.4
    assert np.abs(machine.error(stopped.q)).max() < 1e-12


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("crossed", [False, True])
def test_methods_pass_a_singular_position_on_its_branch_or_say_so(crossed: bool, method: str) -> None:
    arguments = *test_constrained.on_a_branch(0.05, crossed, -9.0), None, np.linspace(0, 0.02, 11), method
    if method == "variational_midpoint":
        unsolved = f"{method} did not solve its equations in the step to .* steps than 0\\.002 s"
        assert_raises(SimulationError, unsolved, parallelogram().simulate, *arguments)
        return
    motion = parallelogram().simulate(*arguments)
    assert test_constrained.leaves_its_branch(motion.q, crossed) < 1e-8 and motion.q[-1, 0] < -0.1
    assert np.abs(parallelogram().error(motion.q)).max() < 1e-12


def test_the_double_four_bar_of_the_iftomm_benchmark() -> None:
    """Bars of 1 m and 1 kg fall from upright at 1 m/s and pass the flat, singular position nine times in 10 s."""
    motion = double_four_bar().simulate(*double_four_bar_state(np.pi / 2, -1.0), None, np.linspace(0, 10, 4001))
    sign = double_four_bar_state(1.0)[0]
    angle = motion.q[:, 0] * sign[0]
    assert np.abs(motion.q - angle[:, None] * sign).max() < 1e-8  # couplers stay level
    assert np.abs(double_four_bar().error(motion.q)).max() < 1e-12
    assert np.abs(motion.energy - motion.energy[0]).max() < 1e-3
    assert (np.diff(np.sign(np.sin(angle))) != 0).sum() >= 9


def test_wrong_rates_and_dry_friction_are_refused() -> None:
    for rate in (-1.0, np.inf, "fast"):
        assert_raises(InputError, "stabilization must be a rate", five_bar().stepper, 1e-3, stabilization=rate)
    text = "stepper: variational_midpoint closes the loops by itself"
    assert_raises(InputError, text, five_bar().stepper, 1e-3, "variational_midpoint", stabilization=10.0)
    assert_raises(InputError, "stepper: no method 'rk4'", five_bar().stepper, 1e-3, "rk4")
    rubbing = revolute.robots.planar(2).with_drives({"joint1": revolute.Drive(friction=(0.5,))}, smoothing=0.01).robot
    held = rubbing.with_closures(revolute.JointClosure("joint2", None, (0.0,)), drives=True)
    text = "simulate: joint 'joint1' of 'planar2' has friction that jumps where it reverses"
    assert_raises(InputError, text, held.simulate, [0.1, 0.0], [0.0, 0.0], None, [0.0, 0.1])


def test_controllers_of_the_tree_drive_the_loops_and_others_say_why_not() -> None:
    """Computed torque of the open tree, with motors at all joints, needs no forces of the closures on a closed path."""
    machine, t = five_bar(), np.linspace(0, 1, 1001)
    angles = np.stack([0.3 + 0.2 * np.sin(t), 1.5 - 0.1 * np.sin(2 * t)])
    rates = np.stack([0.2 * np.cos(t), -0.2 * np.cos(2 * t)])
    turns = np.stack([-0.2 * np.sin(t), 0.4 * np.sin(2 * t)])
    q, qd = (np.stack(x) for x in zip(*map(five_bar_state, *angles, *rates), strict=True))
    _, qdd = (np.stack(x) for x in zip(*map(five_bar_state, *angles, *turns), strict=True))
    law = ComputedTorque(machine.robot, MotionTable(t, q, qd, qdd), np.full(4, 400.0), np.full(4, 40.0))
    motion = machine.simulate(*five_bar_state(0.35, 1.45, 0.2, -0.2), law, t, "runge_kutta_4")
    assert np.abs(motion.q[-1] - q[-1]).max() < 1e-3 and np.abs(machine.error(motion.q)).max() < 1e-12
    text = "closed loops couple the joints of 'five-bar': use its tree"
    assert_raises(InputError, f"LQR: {text}", LQR, machine, q[0], np.ones(8), np.ones(4))
    assert_raises(InputError, f"ComputedTorque: {text}", ComputedTorque, machine, MotionTable(t, q, qd, qdd), 400.0)


def lift(gravity: float = -9.81) -> ConstrainedRobot:
    """A double pendulum on a lift; the lift is led."""
    rod = revolute.Inertia.from_com(1.0, (0.3, 0.1, 0.0), 0.02 * np.eye(3))
    names = ("lift", "upper", "lower")
    links = [revolute.Link("base"), *(revolute.Link(name, rod) for name in names)]
    kinds = revolute.Prismatic((0, 0, 1)), revolute.Revolute((0, 1, 0)), revolute.Revolute((0, 1, 0))
    places = [revolute.Transform(p=(0.5 * (name == "lower"), 0, 0)) for name in names]
    joints = [
        revolute.Joint(name, parent, name, kind, place)
        for name, parent, kind, place in zip(names, ("base", *names), kinds, places, strict=False)
    ]
    robot = revolute.Robot.from_links("lift", links, joints, gravity=(0, 0, gravity))
    return robot.with_closures(revolute.JointClosure("lift", None, (0.0,)))


RISE = 3.0
"""Acceleration of the lift [m/s^2]."""

LEFT = {"explicit_euler": 3e-3, "semi_implicit_euler": 3e-3, "variational_midpoint": 1e-4}
"""Relative errors of steps that end beside their targets, and are projected."""


@pytest.mark.parametrize("method", [*METHODS, "DOP853", "Radau"])
def test_a_lift_that_is_led_feels_like_more_gravity(method: str) -> None:
    """With tables of the target and its rate; torque functions take single steps, with the same result."""
    t, tau = np.linspace(0, 0.2, 41), np.array([0.0, 0.5, -0.2])
    q, qd = np.array([[0.1, 0.4, -0.8], [0.1, -1.0, 0.3]]), np.array([0.3, 0.5, 1.0])
    paths = 0.1 + 0.3 * t + RISE * t**2 / 2, 0.3 + RISE * t
    led = {"target": paths[0][:, None], "target_rate": paths[1][:, None]}
    found = lift().simulate(q, qd, tau, t, method, **led)
    expected = lift(-9.81 - RISE).simulate(q * [0, 1, 1], qd * [0, 1, 1], tau, t, method)
    for name, moving in (("q", paths[0]), ("qd", paths[1]), ("qdd", RISE + 0 * t)):
        here, still = getattr(found, name), getattr(expected, name)
        size = 10 * np.abs(still).max()
        np.testing.assert_allclose(here[..., 1:], still[..., 1:], rtol=0, atol=size * LEFT.get(method, 1e-9))
        np.testing.assert_allclose(here[..., 0], np.broadcast_to(moving, (2, len(t))), rtol=0, atol=1e-8)
    single = lift().simulate(q[0], qd, lambda t, q, qd: tau, t, method, **led)
    np.testing.assert_allclose(single.q, found.q[0], rtol=0, atol=1e-9)


def test_targets_are_functions_of_time_cubic_between_instants_and_known_at_events() -> None:
    arm, q, t = revolute.robots.ur5(), np.array([0.1, -0.9, 0.9, 0.3, 0.5, 0.2]), np.linspace(0, 0.5, 26)
    machine = arm.with_closures(arm.hold("tool0", q))

    def target(time: float) -> np.ndarray:
        return np.array([0.1 * time**3, 0.05 * time, -0.1 * time**2, 0.2 * time, 0.0, 0.1 * time**2])

    def rate(time: float) -> np.ndarray:
        return np.array([0.3 * time**2, 0.05, -0.2 * time, 0.2, 0.0, 0.2 * time])

    stop = revolute.Event(lambda time, q, qd: time - 0.237)
    for given in ({}, {"target_rate": rate}):
        motion = machine.simulate(q, 0 * q, None, t, target=target, events=[stop], **given)
        assert motion.t[-1] == pytest.approx(0.237) and len(motion.t) == 13
        errors = machine.error(motion.q) - [target(time) for time in motion.t]
        speeds = np.einsum("tmn,tn->tm", machine.jacobian(motion.q), motion.qd) - [rate(time) for time in motion.t]
        assert np.abs(errors[:-1]).max() < 1e-12 and np.abs(errors[-1]).max() < 1e-7
        assert np.abs(speeds).max() < (1e-10 if given else 1e-3)
    held = machine.simulate(q, 0 * q, None, t, target=target(0.5), every=5)
    assert np.abs(machine.error(held.q) - target(0.5)).max() < 1e-12
    assert np.abs(held.qd).max() < 1e-6


@pytest.mark.parametrize("method", ["semi_implicit_euler", "runge_kutta_4", "variational_midpoint", "RK45"])
def test_closures_open_and_close_during_a_motion(method: str) -> None:
    """The tip of an arm is held in x and y, then let go, then its last joint is locked."""
    arm, t = revolute.robots.planar(3), np.linspace(0, 0.06, 61)
    closures = PointClosure("tip", at_b=(2.0, 0.0, 0.0)), revolute.JointClosure("joint3", None, (0.2,))
    machine = arm.with_closures(closures)
    held = arm.with_closures(closures[:1])
    q, qd = held.project([0.5, -1.0, 0.2], [1.0, 0.0, 0.0])
    active = np.repeat([[1.0, 0.0], [0.0, 0.0]], [30, 31], axis=0)
    motion = machine.simulate(q, qd, None, t, method, active=active)
    first = held.simulate(q, qd, None, t[:31], method)
    last = arm.simulate(first.q[-1], first.qd[-1], None, t[30:], method)
    np.testing.assert_allclose(motion.q, [*first.q[:-1], *last.q], rtol=0, atol=1e-7)
    struck = machine.simulate([0.5, -1.0, 0.2], [1.0, 0.0, 2.0], None, t, method, active=lambda t: [0, t > 0.0295])
    q3, v3 = struck.q[:, 2], struck.qd[:, 2]
    assert np.abs(v3[1:31]).min() > 0.5 and np.abs(v3[31:]).max() < 1e-10 and np.abs(q3[31:] - 0.2).max() < 1e-12


@pytest.mark.parametrize("batch", [(), (3,)])
def test_steps_take_masks_and_targets(batch: tuple[int, ...]) -> None:
    machine, h = lift(), 0.005
    t, ones = np.arange(4) * h, np.ones((*batch, 1))
    path = np.array([0.1 + 0.3 * t + RISE * t**2 / 2, 0.3 + RISE * t, RISE + 0 * t, 0 * t]).T
    q, qd = machine.project(np.ones((*batch, 1)) * [0.1, 0.4, -0.8] if batch else [0.1, 0.4, -0.8], target=[0.1])
    qd = qd + np.array([0.3, 0.5, 1.0])
    motion = machine.simulate(q, qd, None, t, target=path[:, :1], target_rate=path[:, 1:2], active=[1.0])
    stepper = machine.stepper(h, switched=True, led=True)
    for row in path[:-1]:
        stepper.step(q, qd, np.zeros(3), ones, row)
    np.testing.assert_allclose(q, motion.q[..., -1, :], rtol=0, atol=1e-12)
    np.testing.assert_allclose(qd, motion.qd[..., -1, :], rtol=0, atol=1e-12)


def test_messages_of_masks_and_targets() -> None:
    machine, q = lift(), np.zeros(3)
    for given, words in (
        ({"target_rate": [0.1]}, "target_rate is the rate of a target"),
        ({"target": [0.1, 0.2]}, r"simulate: target has shape \(2,\), but 'lift' needs \(1,\), \(..., 11, 1\)"),
        ({"active": np.ones((11, 2))}, r"simulate: active has shape \(11, 2\)"),
        ({"target": [np.nan]}, "simulate: target is not finite"),
    ):
        assert_raises(revolute.RevoluteError, words, machine.simulate, q, q, None, np.linspace(0, 0.1, 11), **given)
