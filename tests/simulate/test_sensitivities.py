"""Sensitivities of motions to parameters of links and drives, against motions of changed robots."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from comparing import SLOPE_STEPS, SLOPE_WEIGHTS, assert_close, assert_raises
from driving import direction as direction_of_all
from driving import with_parameters
from robots import state

import revolute
from revolute import DrivenRobot, InputError, Robot, ShapeError, SimulationError
from revolute.model import Drive, from_vector
from revolute.simulate import ADAPTIVE


def changed(robot: Robot, change: np.ndarray) -> Robot:
    """The robot with other inertial parameters."""
    base, *moving = robot.bodies
    rows = (robot.inertial_parameters + change.reshape(-1, 10)).tolist()
    bodies = [replace(body, inertia=from_vector(p)) for body, p in zip(moving, rows, strict=True)]
    return replace(robot, bodies=(base, *bodies))


def direction(robot: Robot, seed: int) -> np.ndarray:
    d = np.random.default_rng(seed).standard_normal(10 * robot.n_joints)
    return d / np.linalg.norm(d)


def slopes(robot: Any, d: np.ndarray, *motion: Any, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of q, along joint velocities, and of qd, along parameters d, at all instants."""
    middle = robot.simulate(*motion, **options)
    other = changed if isinstance(robot, Robot) else with_parameters
    runs = [other(robot, h * d).simulate(*motion, **options) for h in SLOPE_STEPS]
    q = sum(w * robot.difference(middle.q, run.q) for w, run in zip(SLOPE_WEIGHTS, runs, strict=True))
    return q, sum(w * run.qd for w, run in zip(SLOPE_WEIGHTS, runs, strict=True))


def geared() -> DrivenRobot:
    """A coupled arm with rotors that are bodies, friction and springs."""
    friction = {"damping": (0.3,), "friction": (0.4,), "stribeck": (0.2,), "stribeck_speed": (0.5,)}
    rotor = {"armature": (0.1,), "gear_ratio": (20.0,), "rotor_inertia": (1e-3,)}
    drive = Drive(**friction, **rotor, stiffness=(2.0,), rest_position=(0.3,))
    arm = revolute.robots.random_tree(2, rng=1)
    return arm.with_drives(
        dict.fromkeys(arm.joint_names, drive), rotors=True, coupling=[[1, 0], [-1, 2]], offset=[0.1, 0.2], smoothing=0.3
    )


@pytest.mark.filterwarnings("ignore::revolute.ModelWarning")
@pytest.mark.parametrize("kind", ["rigid", "damped", "with drives"])
def test_runge_kutta_steps_are_differentiated_exactly(kind: str) -> None:
    """Its stages commute with derivatives, so the step length does not matter; and only base parameters do."""
    robot: Any = geared() if kind == "with drives" else revolute.robots.planar(3)
    rng, n = np.random.default_rng(1), robot.nv
    motion = (*rng.standard_normal((2, n)), rng.standard_normal((11, n)), np.linspace(0, 0.5, 11))
    options: dict[str, Any] = {"wrenches": {robot.link_names[-1]: [0.1, 0.2, 0.3, 1.0, -2.0, 0.5]}}
    if kind == "damped":
        base, *moving = robot.bodies
        robot = replace(robot, bodies=(base, *(replace(x, drive=Drive(damping=(0.3,))) for x in moving)))
        options["joint_damping"] = True
    d = 0.1 * (direction_of_all if kind == "with drives" else direction)(robot, 2)
    found, plain = robot.simulate_sensitivities(*motion, **options), robot.simulate(*motion, **options)
    np.testing.assert_allclose(found.q, plain.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.qd, plain.qd, rtol=0, atol=1e-11)
    assert found.dq_dpi.shape == found.dqd_dpi.shape == (11, n, len(d))
    assert (found.dq_dpi[0] == 0).all() and (found.dqd_dpi[0] == 0).all()
    by_q, by_qd = slopes(robot, d, *motion, **options)
    assert_close(found.dq_dpi @ d, by_q, 1e-8)
    assert_close(found.dqd_dpi @ d, by_qd, 1e-8)
    base = robot.base_parameters()
    part = robot.simulate_sensitivities(*motion, columns=base.columns, **options)
    # dq/dpi = dq/d(base parameters) d(base parameters)/dpi; numbers of the matrix below 1e-9 are zeros
    assert_close(part.dq_dpi @ base.matrix, found.dq_dpi, 1e-9)


@pytest.mark.filterwarnings("ignore::revolute.ModelWarning")
@pytest.mark.parametrize("method", ["runge_kutta_4", "DOP853"])
def test_a_floating_robot(method: str) -> None:
    robot = revolute.robots.random_tree(1, rng=3, base="free")
    motion = (*state(robot), np.linspace(0, 0.1, 101))
    tight = {"rtol": 1e-11, "atol": 1e-13}
    found, d = robot.simulate_sensitivities(*motion, method, **tight), direction(robot, 1)
    by_q, by_qd = slopes(robot, d, *motion, method, **tight)
    assert_close(found.dq_dpi @ d, by_q, 1e-8)  # steps h err by h^4 = 1e-12 / s^4, and a quotient divides by STEP
    assert_close(found.dqd_dpi @ d, by_qd, 1e-8)


def test_a_pendulum_in_closed_form() -> None:
    """Small swings: J qdd = -m g c q, so dq/dJ and dq/d(mc) follow from q = q0 cos(w t), w^2 = m c g / J."""
    pendulum, t, q0 = revolute.robots.planar(1), np.linspace(0, 2, 401), 1e-5
    found = pendulum.simulate_sensitivities([q0 - np.pi / 2], [0.0], None, t, columns=[1, 6])
    h, J = 0.5, 1 / 3
    w = np.sqrt(h * 9.81 / J)
    slope = -q0 * np.sin(w * t) * t  # dq/dw
    expected = np.stack([slope * w / (2 * h), -slope * w / (2 * J)], axis=-1)
    assert_close(found.dq_dpi[:, 0], expected, 1e-6, 1e-6)  # sin q is q to q0^2; steps err by (w h)^4 w t / 120 = 1e-7
    assert found.columns.tolist() == [1, 6]


@pytest.mark.parametrize("method", ["runge_kutta_4", *ADAPTIVE])
def test_batches_are_their_rows_and_every_method_agrees(method: str) -> None:
    robot, rng, columns = revolute.robots.planar(2), np.random.default_rng(3), [1, 6, 11, 16]
    q0, more = rng.standard_normal((2, 3, 2)), (*rng.standard_normal((2, 2)), np.linspace(0, 0.1, 21))
    whole = robot.simulate_sensitivities(q0, *more, method, columns=columns)
    assert whole.q.shape == (2, 3, 21, 2) and whole.dq_dpi.shape == (2, 3, 21, 2, 4)
    one = robot.simulate_sensitivities(q0[1, 2], *more, "DOP853", columns=columns)
    assert_close(whole.dq_dpi[1, 2], one.dq_dpi, 1e-6)  # implicit methods meet rtol = 1e-9 a step least well
    assert_close(whole.q[1, 2], one.q, 1e-7)


def test_a_brake_in_closed_form() -> None:
    """J qdd = -d qd: qd = v exp(-d t / J), so that dqd/dd = -t qd / J."""
    wheel = revolute.robots.planar(1).with_gravity((0, 0, 0)).with_drives({"joint1": Drive(damping=(0.5,))})
    (damping,) = (k for k, name in enumerate(wheel.parameter_names) if name.startswith("joint1.damping"))
    t = np.linspace(0, 1, 201)
    found = wheel.simulate_sensitivities([0.0], [2.0], None, t, columns=[damping])
    expected = -3 * t * 2 * np.exp(-1.5 * t)
    assert_close(found.dqd_dpi[:, 0, 0], expected, 1e-9)  # steps err by (1.5 h)^4 1.5 t / 120 = 4e-11


def test_what_was_reached_comes_with_an_error() -> None:
    robot, t = revolute.robots.planar(2), np.linspace(0, 10, 11)
    torque = np.where(t < 4, 0.0, 1e100)[:, None] * [1, 1]
    with pytest.raises(SimulationError, match="diverge") as error:
        robot.simulate_sensitivities([0.0, 0.1], [0.0, 0.0], torque, t)
    reached = error.value.partial
    assert 4 <= len(reached.t) < 11 and len(reached.dq_dpi) == len(reached.t)


def test_wrong_arguments_are_named() -> None:
    call, start, t = revolute.robots.planar(2).simulate_sensitivities, ([0.0, 0.0], [0.0, 0.0]), [0.0, 0.1]
    message = "simulate_sensitivities: no method 'euler'; available: runge_kutta_4, RK45"
    assert_raises(InputError, message, call, *start, None, t, "euler")
    message = "must be constant or a table over time, not a function or feedback"
    assert_raises(InputError, f"torque {message}", call, *start, lambda t, q, qd: q, t)
    wrenches = {"tip": lambda t, q, qd: np.zeros(6)}
    assert_raises(InputError, rf"wrenches\['tip'\] {message}", call, *start, None, t, wrenches=wrenches)
    for columns in ([20], [-1], [1, 1], [True], [0.5], 3):
        message = r"simulate_sensitivities: columns must be (distinct numbers in 0 ... 19, not|a sequence)"
        assert_raises(InputError, message, call, *start, None, t, columns=columns)
    assert_raises(ShapeError, "simulate_sensitivities: q0 has shape", call, [0.0], [0.0, 0.0], None, t)


@pytest.mark.parametrize("method", ["runge_kutta_4", "RK45"])
def test_an_empty_batch_has_empty_motions(method: str) -> None:
    robot, none = revolute.robots.planar(2), np.zeros((0, 2))
    motion = robot.simulate_sensitivities(none, none, None, np.linspace(0, 0.1, 3), method)
    assert motion.q.shape == (0, 3, 2) and motion.dq_dpi.shape == (0, 3, 2, 20)
