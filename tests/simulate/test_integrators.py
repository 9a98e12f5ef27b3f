"""Integrators: orders, symmetry, symplecticity, what they conserve on every kind of joint, and steps not solved."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from robots import BOX, chain, one_joint, state

import revolute
from revolute import Drive, Inertia, Link, Robot, SimulationError
from revolute.dynamics.steps import IMPLICIT

SLIDE = revolute.Prismatic((1, 0, 0))


@cache
def tree(base: str) -> Robot:
    """Every kind of joint whose velocities are not rates of its coordinates, and one-axis joints."""
    joints = [revolute.Free()] * (base == "free") + [revolute.Spherical(), revolute.Planar((0, 1, 0)), SLIDE]
    return chain(*((BOX, joint) for joint in joints), gravity=(0, 0, 0 if base == "free" else -9.81))


@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_steps_are_symmetric(base: str, method: str) -> None:
    """With reversed velocities the same steps lead back, to the accuracy of their solution and its growth."""
    robot, t = tree(base), np.arange(201) * 2e-3
    q, qd, _ = state(robot, 1)
    there = robot.simulate(q, qd, None, t, method)
    back = robot.simulate(there.q[-1], -there.qd[-1], None, t, method)
    assert np.abs(robot.difference(q, back.q[-1])).max() < 1e-11
    assert np.abs(qd + back.qd[-1]).max() < 1e-11
    assert np.abs(robot.difference(q, there.q[-1])).max() > 0.1


def test_a_free_tree_keeps_its_momenta() -> None:
    """Noether's theorem for the discrete action: exactly, while implicit midpoint errs by its order."""
    robot, spread = tree("free"), {}
    for method in IMPLICIT:
        motion = robot.simulate(*state(robot, 1)[:2], None, np.arange(1001) * 5e-3, method)
        h, c = robot.centroidal_momentum(motion.q, motion.qd), robot.center_of_mass(motion.q)
        # the moment about the origin and the linear momentum, along fixed axes
        momentum = np.concatenate([h[:, :3] + np.cross(c, h[:, 3:]), h[:, 3:]], axis=-1)
        spread[method] = np.ptp(momentum, axis=0).max() / np.abs(momentum).max()
    assert spread["variational_midpoint"] < 1e-12 and spread["implicit_midpoint"] > 1e-7


@pytest.mark.parametrize("kind", ["robot", "driven", "elastic"])
def test_the_step_is_symplectic(kind: str) -> None:
    """Jacobian A of (q, p) -> (q1, p1): A^T J A = J. Central differences err by 1e-6^2 and by rounding / 1e-6."""
    arm = revolute.robots.planar(2)
    springs = {"joint1": Drive(armature=(0.3,), stiffness=(20.0,))}
    machine: Any = arm.with_drives(springs) if kind == "driven" else arm
    if kind == "elastic":
        machine = arm.with_elastic_joints(50.0, rotor_inertia=0.3)
    n = 4 if kind == "elastic" else 2
    stepper = machine.stepper(0.005, "variational_midpoint")

    def mass(x: np.ndarray) -> np.ndarray:
        M = np.zeros((*x.shape[:-1], n, n))
        M[..., :2, :2] = (arm if kind == "elastic" else machine).mass_matrix(x[..., :2])
        M[..., 2:, 2:] = 0.3 * np.eye(n - 2)
        return M

    def mapped(state: np.ndarray) -> np.ndarray:
        x, p = state[..., :n].copy(), state[..., n:]
        v = np.linalg.solve(mass(x), p[..., None])[..., 0]
        stepper.step(x, v, np.full(2, 3.0))
        return np.concatenate([x, (mass(x) @ v[..., None])[..., 0]], axis=-1)

    start = np.random.default_rng(3).standard_normal(2 * n)
    moves = 1e-6 * np.eye(2 * n)
    A = ((mapped(start + moves) - mapped(start - moves)) / 2e-6).T
    J = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    assert np.abs(A.T @ J @ A - J).max() < 1e-8
    assert np.abs(A - np.eye(2 * n)).max() > 1e-3


def test_energy_is_bounded_without_a_trend() -> None:
    """A double pendulum over 10^6 steps of 10 ms: means of tenths differ by a part of the swing in each of them.

    The swing is of order h^2 w^2 / 12 with w up to 10 rad/s. The energy of Runge and Kutta's steps falls all the time.
    """
    arm, t = revolute.robots.planar(2), np.arange(1_000_001) * 0.01
    start = ([-np.pi / 2 + 0.4, 0.3], [0.0, 0.0])
    kept, lost = (
        arm.simulate(*start, None, t, method).energy[1:].reshape(10, -1)
        for method in ("variational_midpoint", "runge_kutta_4")
    )
    swing = np.ptp(kept, axis=1)
    assert np.ptp(kept.mean(axis=1)) < 0.005 * swing[0] and np.ptp(swing) < 0.01 * swing[0]
    assert swing[0] < 1e-2 * np.ptp(arm.potential_energy([start[0], [-np.pi / 2, 0.0]]))
    assert (np.diff(lost.mean(axis=1)) < -0.5 * np.ptp(lost[0])).all()


@pytest.mark.parametrize("method", IMPLICIT)
def test_an_oscillator_turns_by_a_fixed_angle_and_keeps_its_energy(method: str) -> None:
    """tan(angle / 2) = w h / 2 a step: both methods are the midpoint rule there."""
    machine = one_joint(SLIDE, Inertia(m=2.0), drive=Drive(stiffness=(50.0,))).with_drives()
    h, w, steps = 0.1, 5.0, 200
    motion = machine.simulate([0.3], [0.0], None, np.arange(steps + 1) * h, method)
    angles = 2 * np.arctan(w * h / 2) * np.arange(steps + 1)
    np.testing.assert_allclose(motion.q[:, 0], 0.3 * np.cos(angles), rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.energy, motion.energy[0], rtol=1e-13)


def test_stiff_friction_needs_no_small_steps() -> None:
    """The implicit midpoint rule multiplies a speed that dies at the rate a by (1 - a h/2)/(1 + a h/2)."""
    robot = one_joint(SLIDE, Inertia(m=2.0), drive=Drive(damping=(2000.0,)))
    motion = robot.simulate([0.0], [1.0], None, np.arange(11) * 0.01, "implicit_midpoint", joint_damping=True)
    np.testing.assert_allclose(motion.qd[:, 0], (-4 / 6) ** np.arange(11.0), rtol=0, atol=1e-14)
    with pytest.raises(SimulationError, match=r"steps of 0\.01 s are too long.*is 1e\+03 /s, and steps of 0\.00\d+ s"):
        robot.simulate([0.0], [1.0], None, np.arange(501) * 0.01, "runge_kutta_4", joint_damping=True)


def test_rotations_at_constant_speed_are_exact() -> None:
    """Of a ball at 1 rad a step; quaternions as four numbers err by far more."""
    ball = Inertia.from_com(1.0, (0, 0, 0), 0.2 * np.eye(3))
    robot = Robot.from_links("ball", [Link("ball", ball)], [], base="free", gravity=(0, 0, 0))
    qd, t = np.array([0.6, 0.0, 0.8, 1.0, 2.0, 3.0]), np.arange(11.0)
    errors = {}
    for method in ("runge_kutta_4", "runge_kutta_munthe_kaas_4"):
        motion = robot.simulate(robot.neutral(), qd, None, t, method)
        turn = np.concatenate([np.sin(t[:, None] / 2) * qd[:3], np.cos(t[:, None] / 2)], axis=-1)
        found = motion.q[:, 3:]
        errors[method] = np.abs(found * np.sign((found * turn).sum(axis=-1, keepdims=True)) - turn).max()
        assert np.abs(np.linalg.norm(found, axis=-1) - 1).max() < 1e-15 * 4
    assert errors["runge_kutta_munthe_kaas_4"] < 1e-14 and errors["runge_kutta_4"] > 1e-4


def test_a_step_that_is_not_solved_is_told() -> None:
    """Row 1 rests where it hangs; row 0 falls through most of a turn in a step."""
    arm = revolute.robots.planar(2)
    q0, t = [[0.0, 0.0], [-np.pi / 2, 0.0]], [0.0, 0.001, 0.7, 1.4]
    for method in IMPLICIT:
        with pytest.raises(SimulationError, match=rf"{method} did not solve its equations in the step to t=0\.7 s of "
                           r"row 0 of the batch: the last correction was larger than 1e-09.*smaller steps") as caught:
            arm.simulate(q0, [0.0, 0.0], None, t, method)
        assert len(caught.value.partial.t) == 2
        with pytest.raises(SimulationError, match=r"in the step to t=0\.7 s: the last correction"):
            arm.simulate(q0[0], [0.0, 0.0], lambda t, q, qd: 0 * q, t, method)


@pytest.mark.parametrize("method", IMPLICIT)
def test_a_steppers_state_that_is_not_solved_becomes_nan_alone(method: str) -> None:
    q = np.array([[-np.pi / 2, 0.0], [0.0, 0.0], [-np.pi / 2, 0.0]])
    qd = np.zeros((3, 2))
    revolute.robots.planar(2).stepper(0.7, method).step(q, qd, np.zeros(2))
    assert np.isnan(q[1]).all() and np.isnan(qd[1]).all()
    assert np.isfinite(q[::2]).all() and np.abs(qd[::2]).max() < 1e-12


@pytest.mark.parametrize("method", IMPLICIT)
def test_a_robot_held_at_rest_stays(method: str) -> None:
    """Rounding of forces that cancel passes the criterion."""
    robot = revolute.robots.panda()
    q = np.random.default_rng(2).uniform(-1, 1, (20, 7))
    motion = robot.simulate(q, np.zeros(7), robot.gravity_forces(q)[:, None].repeat(6, 1), np.arange(6) * 0.01, method)
    assert np.abs(motion.q - q[:, None]).max() < 1e-12
