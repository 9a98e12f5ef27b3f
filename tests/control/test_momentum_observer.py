"""The generalised-momentum observer: its balance, its time constant, no bias, collisions, bad input."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from robots import BOX, chain, floating_tool, random_states

import revolute
from revolute import DtypeError, InputError, ShapeError
from revolute.control import MomentumObserver
from revolute.dynamics.hamilton import momentum_and_rate

PANDA = revolute.robots.panda()
STEP = 1e-3


@pytest.mark.parametrize("types", [(), ("spherical", "planar", "revolute", "free", "prismatic")])
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_momentum_and_rate_are_those_of_the_matrices(base: str, types: tuple[str, ...]) -> None:
    """p = M qd, beta = C^T qd - g, for every type of joint."""
    robot = revolute.robots.random_tree(4, rng=5, base=base, types=types)
    q, qd, _ = random_states(robot, 1, seed=1)
    p, beta = momentum_and_rate(robot, q[0].tolist(), qd[0].tolist())
    np.testing.assert_allclose(p, robot.generalized_momentum(q[0], qd[0]), rtol=1e-10, atol=1e-10)
    expected = robot.coriolis_matrix(q[0], qd[0]).T @ qd[0] - robot.gravity_forces(q[0])
    np.testing.assert_allclose(beta, expected, rtol=1e-10, atol=1e-10 * (1 + np.abs(expected).max()))


def sampling_error(robot: Any, motion: Any) -> np.ndarray:
    """(nv,) by how much the mean force of a step may be wrong.

    By the trapezoidal rule h^2 / 12 times the second derivative of beta; twice that, as second differences on a grid
    may miss a peak. And by the simulation: what a step of momentum changes when two half steps are taken for it.
    """
    h = np.diff(motion.t[:2])[0]
    C = robot.coriolis_matrix(motion.q, motion.qd)
    beta = np.einsum("tij,ti->tj", C, motion.qd) - robot.gravity_forces(motion.q)
    second = np.diff(beta, 2, axis=-2)  # h^2 beta''
    q, qd, fine_q, fine_qd = (x.copy() for x in (motion.q, motion.qd) * 2)
    robot.stepper(h, "runge_kutta_4").step(q, qd, motion.tau)
    for _ in range(2):
        robot.stepper(h / 2, "runge_kutta_4").step(fine_q, fine_qd, motion.tau)
    of_steps = robot.generalized_momentum(fine_q, fine_qd) - robot.generalized_momentum(q, qd)
    return 2 * np.abs(second).max(axis=-2) / 12 + 2 * np.abs(of_steps).max(axis=-2) / h + 1e-10


def under(robot: Any, push: np.ndarray, seconds: float = 0.3) -> tuple[Any, np.ndarray]:
    """A motion of a Panda under feedback and under forces `push` besides; the feedback's forces alone."""
    t = np.arange(round(seconds / STEP) + 1) * STEP
    turns = np.array([0.3, -0.2, 0.3, 0.2, 0.3, -0.2, 0.3])
    q_ref = PANDA.home() + np.sin(10 * t)[:, None] * turns
    M = PANDA.mass_matrix(PANDA.home())
    hold = PANDA.gravity_forces(PANDA.home()) + push
    law = revolute.StateFeedback(900 * M, 60 * M, q_ref, 10 * np.cos(10 * t)[:, None] * turns, hold)
    motion = robot.simulate(PANDA.home(), np.zeros(7), law, t)
    assert 1.0 < np.abs(motion.qd).max() < 10.0
    return motion, motion.tau - push


@pytest.mark.parametrize("times", [0.02, [0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.1]])
def test_a_step_of_external_force_appears_with_the_time_constant(times: Any) -> None:
    """r = tau_ext (1 - exp(-t / T)) at all samples, joint by joint, while the arm moves."""
    push = np.array([5.0, -4.0, 3.0, 2.0, -1.0, 0.5, 0.3])
    motion, tau = under(PANDA, push)
    r = MomentumObserver(PANDA, times, STEP).run(motion.q, motion.qd, tau)
    expected = push * (1 - np.exp(-motion.t[:, None] / np.asarray(times)))
    bound = sampling_error(PANDA, motion)
    assert (bound < 0.01 * np.abs(push)).all()
    assert (np.abs(r - expected) <= bound).all()


def test_there_is_no_bias_with_the_true_model() -> None:
    """Without external forces r stays within the sampling error for 5 s, and its mean far below: no drift."""
    motion, tau = under(PANDA, np.zeros(7), 5.0)
    r, bound = MomentumObserver(PANDA, 0.02, STEP).run(motion.q, motion.qd, tau), sampling_error(PANDA, motion)
    assert (np.abs(r) <= bound).all()
    assert (np.abs(r[-1885:].mean(axis=0)) < 0.1 * bound + 1e-9).all()  # three periods of the motion


def test_a_wrench_appears_as_its_joint_forces() -> None:
    """J^T w of a contact at the flange, after many time constants."""
    wrench, hold = np.array([0.1, 0.2, -0.1, 5.0, -3.0, 8.0]), PANDA.gravity_forces(PANDA.home())
    start = PANDA.home(), np.zeros(7), hold, np.arange(201) * STEP
    motion = PANDA.simulate(*start, wrenches={"panda_link8": wrench})
    r = MomentumObserver(PANDA, 0.002, STEP).run(motion.q, motion.qd, hold)
    forces = np.swapaxes(PANDA.jacobian(motion.q, "panda_link8"), -1, -2) @ wrench
    # the filter lags behind a ramp by T times its rate; and T = 2 steps smooths the mean over a step
    lag = 0.004 * np.abs(np.gradient(forces, STEP, axis=0)).max(axis=0)
    assert (np.abs(r - forces)[20:] <= lag + sampling_error(PANDA, motion) + 1e-3 * np.abs(forces).max()).all()
    assert np.abs(forces).max() > 1.0


def test_drives_and_damping_are_no_external_forces() -> None:
    """Friction, rotors and springs of the model do not appear; of a robot without them they do."""
    data = {name: revolute.Drive(damping=(2.0,), armature=(0.3,), stiffness=(4.0,)) for name in PANDA.joint_names[:7]}
    driven = PANDA.with_drives(data)
    motion, tau = under(driven, np.zeros(7), 0.5)
    known = MomentumObserver(driven, 0.02, STEP, joint_damping=True).run(motion.q, motion.qd, tau)
    unknown = MomentumObserver(PANDA, 0.02, STEP).run(motion.q, motion.qd, tau)
    assert np.abs(known).max() < 2e-3 < 1.0 < np.abs(unknown).max()  # what sampling leaves is 1.2e-3

    pendulum = revolute.robots.planar(1).bodies[1].inertia, revolute.Revolute()
    rod = chain(pendulum, gravity=(0, -9.81, 0), drive=revolute.Drive(damping=(0.5,)))
    swing = rod.simulate([0.0], [0.0], None, np.arange(501) * STEP, joint_damping=True)
    blind, aware = (
        MomentumObserver(rod, 0.01, STEP, joint_damping=damping).run(swing.q, swing.qd, np.zeros(1))
        for damping in (False, True)
    )
    assert np.abs(aware).max() < 1e-4
    np.testing.assert_allclose(blind[-1], -0.5 * swing.qd[-1], atol=0.5 * 0.011 * np.abs(swing.qdd).max())


def test_joints_without_damping_have_none() -> None:
    joint = revolute.Revolute()
    robot = chain((BOX, joint), (BOX, joint), at=1.0, gravity=(0, -9.81, 0), drive=revolute.Drive(damping=(0.5,)))
    motion = robot.simulate([0.0, 0.0], [0.0, 0.0], lambda time, q, qd: -qd * [0.0, 0.5], np.arange(301) * STEP)
    observer = MomentumObserver(robot, 0.01, STEP, joint_damping=True)
    assert np.abs(observer.run(motion.q, motion.qd, np.zeros(2))).max() < 0.02 < np.abs(motion.qd).max()


@pytest.mark.parametrize("seed", [0, 1])
def test_free_and_other_joints_are_observed_too(seed: int) -> None:
    """A floating robot that is pushed at every velocity: the balance holds along the bodies' own axes."""
    robot = floating_tool()
    q, qd, _ = random_states(robot, 1, seed=seed)
    push = np.random.default_rng(seed).standard_normal(robot.nv)
    t = np.arange(301) * 1e-4
    motion = robot.simulate(q[0], qd[0], push, t)
    r = MomentumObserver(robot, 0.003, 1e-4).run(motion.q, motion.qd, np.zeros(robot.nv))
    expected = push * (1 - np.exp(-t[:, None] / 0.003))
    assert (np.abs(r - expected) <= sampling_error(robot, motion) + 1e-6).all()


def test_collisions_are_found_at_the_joints_above_their_thresholds() -> None:
    """A push of 4 N m crosses 2 N m after T ln 2, at the sample that follows; other joints stay below."""
    motion, tau = under(PANDA, 4.0 * np.eye(7)[3])
    observer = MomentumObserver(PANDA, 0.02, STEP, thresholds=[2.0] * 7)
    found = np.zeros((len(motion.t), 7), bool)
    for k in range(len(found)):
        observer.step(motion.q[k], motion.qd[k], tau[max(k - 1, 0)])
        found[k] = observer.collisions
    assert int(np.argmax(found[:, 3])) == int(np.ceil(0.02 * np.log(2) / STEP))
    np.testing.assert_array_equal(found.any(axis=0), np.eye(7)[3])


def test_rows_of_a_batch_are_observers_of_their_own() -> None:
    motion, tau = under(PANDA, np.zeros(7), 0.05)
    q, qd = (np.stack([x, x[::-1].copy()]) for x in (motion.q, motion.qd))
    observer = MomentumObserver(PANDA, 0.02, STEP, thresholds=1.0)
    both = observer.run(q, qd, tau)
    assert both.shape == (2, 51, 7) and observer.collisions.shape == (2, 7)
    for k in range(2):
        np.testing.assert_array_equal(both[k], observer.run(q[k], qd[k], tau))


def test_a_step_changes_arrays_of_its_own_in_place() -> None:
    observer = MomentumObserver(PANDA, 0.01, STEP, thresholds=0.1)
    q, qd, tau = PANDA.home(), np.ones(7), np.zeros(7)
    observer.step(q, qd, tau)
    residual, collisions = observer.residual, observer.collisions
    assert observer.step(q, qd, tau) is residual and observer.collisions is collisions
    assert residual.any() and collisions.any()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(observer)).step(q, qd, tau), observer.step(q, qd, tau))
    observer.reset()
    assert not observer.step(q, qd, tau).any()


def test_bad_input_is_named() -> None:
    arm = revolute.robots.planar(2)
    for arguments, options, error, message in (
        (("arm", 0.1, 0.1), {}, InputError, "MomentumObserver: robot must be of the type Robot or DrivenRobot"),
        ((arm, 0.0, 0.1), {}, InputError, "time_constant must be positive times"),
        ((arm, [0.1, np.nan], 0.1), {}, InputError, "time_constant is not finite"),
        ((arm, [0.1] * 3, 0.1), {}, ShapeError, r"time_constant has shape \(3,\), but \(2,\) or one number"),
        ((arm, 0.1, -1), {}, InputError, "dt must be a positive time"),
        ((arm, 0.1, 0.1), {"thresholds": [1.0, -1.0]}, InputError, "thresholds must not be negative"),
        ((arm, 0.1, 0.1), {"joint_damping": "yes"}, InputError, "joint_damping must be of the type bool"),
    ):
        assert_raises(error, message, MomentumObserver, *arguments, **options)
    observer, zero = MomentumObserver(arm, 0.1, 0.1), np.zeros(2)
    message = r"q has shape \(3,\), but robot 'planar2' needs \(..., 2\)"
    assert_raises(ShapeError, message, observer.step, np.zeros(3), zero, zero)
    observer.step(zero, zero, zero)
    message = r"its first step fixed the batch \(\); call reset\(\) to change it"
    assert_raises(ShapeError, message, observer.step, np.zeros((4, 2)), np.zeros((4, 2)), zero)
    assert_raises(ShapeError, r"run: q has shape \(2,\), but \(..., T, 2\) is needed", observer.run, zero, zero, zero)
    message = "batches and instants of q, qd and tau do not broadcast"
    assert_raises(ShapeError, message, observer.run, np.zeros((5, 2)), np.zeros((6, 2)), zero)
    assert_raises(DtypeError, "run: tau must be real numbers", observer.run, np.zeros((5, 2)), np.zeros((5, 2)), "tau")
