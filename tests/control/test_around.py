"""What goes around controllers, and controllers of elastic joints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from motions import assert_all_raise, swing
from robots import one_joint

import revolute
from revolute import Drive, InputError, ShapeError
from revolute.control import ComputedTorque, FrictionCompensation, Limited, Measured, MotorFeedback

H = 1e-3
DRIVES = {
    "joint1": Drive(damping=(0.5,), friction=(2.0,), stribeck=(0.4,), stribeck_speed=(0.2,)),
    "joint2": Drive(damping=(0.1,), friction=(1.0,)),
}
DRIVEN = revolute.robots.planar(2).with_drives(DRIVES, smoothing=0.02)
ARM = DRIVEN.robot


def test_friction_is_added_and_cancels() -> None:
    inner = ComputedTorque(ARM, swing, 100.0)
    t, (q, qd, _) = np.arange(2001) * H, swing(0.0)
    law = FrictionCompensation(inner, smoothing=0.02)
    assert FrictionCompensation(inner, smoothing=1e-9).smoothing == 1e-9
    added = law.torque(0.3, q, qd) - inner.torque(0.3, q, qd)
    np.testing.assert_allclose(added, DRIVEN.friction_forces(swing(0.3)[1]), atol=1e-12)
    measured = FrictionCompensation(inner, [0.5, 0.25], smoothing=0.02, measured=True)
    added = measured.torque(0.3, q, -qd) - inner.torque(0.3, q, -qd)
    np.testing.assert_allclose(added, [0.5, 0.25] * DRIVEN.friction_forces(-qd), atol=1e-12)
    laws = inner, law, FrictionCompensation(inner, 0.5, smoothing=0.02, measured=True)
    errors = [np.abs(DRIVEN.simulate(q, qd, x, t).q - np.sin(t)[:, None]).max() for x in laws]
    assert errors[1] < errors[0] / 10 and errors[2] == pytest.approx(errors[0] / 2, rel=0.1)


def test_forces_stay_within_limits() -> None:
    law = Limited(revolute.control.PDWithGravity(ARM, [2.0, 1.0], 400.0, 60.0), [25.0, 6.0])
    motion = ARM.simulate(np.zeros(2), np.zeros(2), law, np.arange(3001) * H)
    assert np.abs(motion.tau).max(axis=0) == pytest.approx([25.0, 6.0], abs=1e-12)
    loop, tau = law.stepper(H), np.empty(2)
    loop.step(motion.q[5], motion.qd[5], np.array([2.0, 1.0]), np.zeros(2), out=tau)
    np.testing.assert_array_equal(tau, motion.tau[5])


def test_laws_that_learn_keep_their_state_within_others() -> None:
    inner = revolute.control.Adaptive(ARM, swing, 5.0, 3.0, rates=0.5)
    law, t = Limited(FrictionCompensation(inner), 1e6), np.arange(200) * H
    motion = DRIVEN.simulate(np.zeros(2), np.full(2, 2.0), law, t)
    assert np.ptp(motion.controller["estimates"], axis=0).max() > 5e-4
    assert "Limited around <FrictionCompensation around <Adaptive" in repr(law)


def test_errors_of_what_is_measured_differ_by_row() -> None:
    """A constant bias moves the goal by itself, on quaternions too; noise of every row is its own."""
    t, bias = np.arange(2001) * H, np.array([[0.01, -0.02], [0.03, 0.0]])
    law = ComputedTorque(ARM, [0.5, 0.2], 100.0)
    errors = np.broadcast_to(bias[:, None, :], (2, len(t), 2))
    motion = ARM.simulate(np.zeros((2, 2)), np.zeros(2), Measured(law, errors), t)
    q = motion.q[:, -1]
    np.testing.assert_allclose(motion.tau[:, -1] - ARM.gravity_forces(q), 0, atol=1e-4)
    gravity = ARM.gravity_forces(q) - ARM.gravity_forces(q + bias)
    shift = np.linalg.solve(ARM.mass_matrix(q + bias), gravity[..., None])[..., 0] / 100.0
    np.testing.assert_allclose(q, [0.5, 0.2] - bias - shift, atol=1e-5)

    free = revolute.robots.random_tree(1, rng=3, base="free")
    d = np.array([0.1, -0.2, 0.3, 0.01, 0.02, -0.03, 0.05])
    q = free.random_configuration(rng=2)
    inner = ComputedTorque(free, free.neutral(), 9.0)
    seen = Measured(inner, d, 2 * d).torque(0.0, q, np.zeros(7))
    np.testing.assert_allclose(seen, inner.torque(0.0, free.integrate(q, d), 2 * d), rtol=1e-9, atol=1e-9)


def test_motors_hold_a_point_and_follow_a_motion() -> None:
    elastic = ARM.with_elastic_joints([500.0, 400.0], rotor_inertia=0.2)
    t, zero = np.arange(8001) * H / 4, np.zeros(2)
    s, c = (np.sin(2 * t)[:, None] * [0.3, 0.2], np.cos(2 * t)[:, None] * [0.3, 0.2])
    law = MotorFeedback(elastic, s, 300.0, 30.0, rates=[2 * c, -4 * s, -8 * c, 16 * s])
    theta, thetad, _ = law.feedforward()
    motion = elastic.simulate(s[0], theta[0], 2 * c[0], thetad[0], law, t, method="runge_kutta_4")
    assert np.abs(motion.q - s).max() < 1e-4
    late = elastic.simulate(s[0], theta[0] + 0.05, 2 * c[0], thetad[0], law, t, method="runge_kutta_4")
    assert np.abs(late.q - s).max() > 1e-3 and np.abs(late.q - s)[-500:].max() < 2e-2
    point = MotorFeedback(elastic, [0.4, -0.3], 300.0, 30.0)
    theta, _, tau = point.feedforward()
    np.testing.assert_allclose(elastic.spring_forces([0.4, -0.3], theta, zero, zero), tau)
    np.testing.assert_allclose(point.torque(0.0, zero, theta, zero, zero), tau)


def test_what_does_not_fit_is_named() -> None:
    inner, elastic = ComputedTorque(ARM, swing, 100.0), ARM.with_elastic_joints(100.0, rotor_inertia=0.1)
    floating = revolute.robots.random_tree(1, rng=3, base="free").with_elastic_joints(100.0, rotor_inertia=0.1)
    space: Any = revolute.control.Impedance(ARM, "tip", np.eye(4), 1.0, 1.0, rows=(3, 4))
    loose = one_joint(revolute.Revolute(), drive=Drive(backlash=0.01)).with_elastic_joints(100.0, rotor_inertia=0.1)
    moved = MotorFeedback(elastic, np.zeros((5, 2)), 1, 1, rates=np.zeros((4, 5, 2)))
    assert_all_raise([
        (InputError, "controller must be of the type RobotController", lambda: FrictionCompensation(lambda t: 0)),
        (InputError, "share must be zero or more", lambda: FrictionCompensation(inner, -1)),
        (InputError, "smoothing must be a speed", lambda: FrictionCompensation(inner, smoothing=0)),
        (InputError, "has no qd_ref; use measured=True", lambda: FrictionCompensation(space)),
        (InputError, "limit must be positive, but is -2", lambda: Limited(inner, -2.0)),
        (ShapeError, r"q_error has shape \(3,\)",
         lambda: ARM.simulate([0, 0], [0, 0], Measured(inner, np.zeros(3)), [0, H])),
        (InputError, "every joint must have a motor", lambda: MotorFeedback(floating, np.zeros(8), 1.0, 1.0)),
        (InputError, "MotorFeedback: joint 'j' of .* has backlash",
         lambda: MotorFeedback(loose, np.zeros(1), 1.0, 1.0)),
        (ShapeError, "a motion needs rates", lambda: MotorFeedback(elastic, np.zeros((5, 2)), 1.0, 1.0)),
        (ShapeError, r"rates has shape \(3, 5, 2\)",
         lambda: MotorFeedback(elastic, np.zeros((5, 2)), 1.0, 1.0, rates=np.zeros((3, 5, 2)))),
        (InputError, "torque needs a fixed set point", lambda: moved.torque(0, *np.zeros((4, 2)))),
    ])
