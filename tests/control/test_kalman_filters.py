"""Kalman filters: the textbook's on a linear robot, consistency over 200 runs, quaternions, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from motions import sliders
from robots import chain
from scipy.stats import binom, chi2

import revolute
from revolute import DtypeError, Inertia, InputError, Robot, ShapeError, UnknownNameError
from revolute.control import LQR, ExtendedKalmanFilter, KalmanFilter, UnscentedKalmanFilter
from revolute.control.extended_kalman import ExactHold

FILTERS = (ExtendedKalmanFilter, UnscentedKalmanFilter)
STEP, RUNS = 0.01, 200
both = pytest.mark.parametrize("kind", FILTERS)


ROD = Inertia.from_com(1.0, (0.3, 0.0, 0.0), np.diag([0.02, 0.1, 0.1]))
BALL_ARM = chain((ROD, revolute.Spherical()), (ROD, revolute.Revolute((0, 1, 0))), at=0.5)
ARM = revolute.robots.planar(2)


@both
def test_encoders_may_count_up_to_a_turn(kind: type[KalmanFilter]) -> None:
    """With `wrap` the estimate of an arm that turns over and over is that of encoders that count turns."""
    rng, motion = np.random.default_rng(2), ARM.simulate([0.3, 0.2], [9.0, 3.0], None, np.arange(301) * STEP)
    z = motion.q + 1e-3 * rng.standard_normal(motion.q.shape)
    assert abs(z[-1, 0]) > 2 * np.pi
    noises = {"torque_noise": [1e-4, 1e-4], "encoder_noise": [1e-6, 1e-6]}
    start = z[0], motion.qd[0], [1e-6, 1e-6, 1e-2, 1e-2]
    counting, wrapping, naive = (kind(ARM, STEP, *start, **noises, wrap=x) for x in (False, True, False))
    for row in z[1:]:
        counting.step(np.zeros(2), row)
        wrapping.step(np.zeros(2), (row + np.pi) % (2 * np.pi) - np.pi)
        naive.step(np.zeros(2), (row + np.pi) % (2 * np.pi) - np.pi)
    np.testing.assert_allclose(wrapping.q, counting.q, atol=1e-9)
    np.testing.assert_allclose(wrapping.qd, counting.qd, atol=1e-9)
    assert np.abs(naive.qd - counting.qd).max() > 1
    squares = [x.nees(motion.q[-1] + turn, motion.qd[-1]) for x, turn in ((wrapping, 2 * np.pi), (counting, 0.0))]
    np.testing.assert_allclose(*squares, rtol=1e-5)


@both
def test_on_a_linear_robot_they_are_the_textbook_s(kind: type[KalmanFilter]) -> None:
    """With full covariances of all noises; both filters are exact there."""
    robot, rng = sliders(), np.random.default_rng(1)
    (root, noise_root), first = rng.standard_normal((2, 2, 2)), rng.standard_normal((4, 4))
    sigma, noise = root @ root.T, 0.01 * noise_root @ noise_root.T + 1e-4 * np.eye(2)
    P = first @ first.T + 0.1 * np.eye(4)
    given = kind(robot, STEP, np.zeros(2), np.zeros(2), P, torque_noise=sigma, encoder_noise=noise)
    F, G = robot.linearize(*np.zeros((3, 2)), step=STEP)
    H, x = np.eye(2, 4), np.zeros(4)
    for tau, z in rng.standard_normal((50, 2, 2)):
        x, P = F @ x + G @ tau, F @ P @ F.T + G @ sigma @ G.T
        K = P @ H.T @ np.linalg.inv(H @ P @ H.T + noise)
        x, P = x + K @ (z - H @ x), (np.eye(4) - K @ H) @ P
        given.step(tau, z)
        np.testing.assert_allclose(np.concatenate([given.q, given.qd]), x, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(given.covariance, P, rtol=1e-8, atol=1e-10)
        np.testing.assert_array_equal(given.covariance, given.covariance.T)


ROBOTS = (ARM, BALL_ARM, pytest.param(revolute.robots.panda(), marks=pytest.mark.slow))


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda x: x.name)
@both
def test_they_are_consistent_over_200_runs(kind: type[KalmanFilter], robot: Robot) -> None:
    """NEES: the mean over runs, times 200, is chi-square with 200 * 2 nv degrees of freedom (Bar-Shalom et al. 5.4).

    At 16 instants, 0.1 s apart, it may leave its 95 % bounds as often as 16 draws of 5 % do, but for one case in
    1000; means over all instants stay between the bounds. Joint forces hold a point and damp; noise in them and in
    encoders, and errors of the first estimates, are drawn from the distributions that the filter is told.
    """
    rng, nv = np.random.default_rng(7), robot.nv
    first, sigma, noise = np.repeat([1e-3, 1e-2], nv), np.full(nv, 0.04), np.full(nv, 1e-6)
    centre = robot.integrate(robot.neutral(), np.full(nv, 0.3))
    M, hold = robot.mass_matrix(centre), robot.gravity_forces(centre)

    def draw(variances: np.ndarray) -> np.ndarray:
        return rng.standard_normal((RUNS, len(variances))) * np.sqrt(variances)

    turn, qd = np.split(draw(first), 2, axis=1)
    q, qd = robot.integrate(centre, turn), qd.copy()
    start = np.broadcast_to(centre, q.shape), np.zeros((RUNS, nv))
    given = kind(robot, STEP, *start, first, torque_noise=sigma, encoder_noise=noise)
    stepper, means = robot.stepper(STEP, "runge_kutta_4"), np.zeros(160)
    for k in range(160):
        pull = 36.0 * robot.difference(centre, given.q) + 4.0 * given.qd  # from what the filter knows
        tau = hold - pull @ M
        stepper.step(q, qd, tau + draw(sigma))
        given.step(tau, robot.integrate(q, draw(noise)))
        means[k] = given.nees(q, qd).mean()
    low, high = chi2.ppf([0.025, 0.975], RUNS * 2 * nv) / RUNS
    outside = (means[9::10] < low) | (means[9::10] > high)
    assert outside.sum() <= binom.ppf(0.999, 16, 0.05) and low < means.mean() < high


def test_both_filters_agree_where_errors_are_small() -> None:
    """Quaternions among the positions; means and covariances differ by terms of higher order."""
    robot, rng, small = BALL_ARM, np.random.default_rng(3), np.full(4, 1e-8)
    q = robot.integrate(robot.neutral(), [0.3, -0.2, 0.5, 0.4])
    motion = robot.simulate(q, np.ones(4), None, np.arange(31) * STEP)
    extended, unscented = (
        kind(robot, STEP, q, np.ones(4), np.full(8, 1e-8), torque_noise=small, encoder_noise=small)
        for kind in FILTERS
    )
    for q in motion.q[1:]:
        z = robot.integrate(q, 1e-4 * rng.standard_normal(4))
        for each in (extended, unscented):
            each.step(np.zeros(4), z)
    np.testing.assert_allclose(robot.difference(extended.q, unscented.q), 0, atol=1e-7)
    np.testing.assert_allclose(extended.qd, unscented.qd, atol=1e-6)
    # the turn of the axes by a correction, of the order of the innovation, is left out of P in both
    np.testing.assert_allclose(extended.covariance, unscented.covariance, rtol=2e-3, atol=1e-12)
    assert abs(np.linalg.norm(extended.q[:4]) - 1) < 1e-12


@both
@pytest.mark.parametrize("kappa", [0.0, 1.5])
def test_rows_of_a_batch_are_filters_of_their_own(kind: type[KalmanFilter], kappa: float) -> None:
    robot, rng = BALL_ARM, np.random.default_rng(5)
    options: dict[str, Any] = {"torque_noise": np.full(4, 0.01), "encoder_noise": np.full(4, 1e-5)}
    if kind is UnscentedKalmanFilter:
        options["kappa"] = kappa
    q = robot.integrate(robot.neutral(), rng.standard_normal((2, 3, 4)))
    qd, tau = rng.standard_normal((2, 2, 3, 4))
    together = kind(robot, STEP, q, qd, np.full(8, 1e-3), **options)
    together.step(tau, q)
    for row in np.ndindex(2, 3):
        alone = kind(robot, STEP, q[row], qd[row], np.full(8, 1e-3), **options)
        alone.step(tau[row], q[row])
        for name in ("q", "qd", "covariance"):
            np.testing.assert_allclose(getattr(together, name)[row], getattr(alone, name), atol=1e-12)


@both
def test_a_joint_without_an_encoder_is_seen_by_its_pull(kind: type[KalmanFilter]) -> None:
    """The elbow of an arm with an encoder at the shoulder alone; entries of z that do not count may be anything."""
    motion = ARM.simulate([-1.2, 0.4], [0.0, 0.0], [0.0, 0.0], np.arange(601) * STEP)
    given = kind(
        ARM, STEP, [-1.2, 0.0], [0.0, 0.0], [1e-4, 0.25, 1e-4, 1e-2],
        torque_noise=[1e-4, 1e-4], encoder_noise=[1e-6], measured=["joint1"],
    )  # fmt: skip
    for q in motion.q[1:]:
        given.step(np.zeros(2), [q[0], 99.0])
    assert given.measured == ("joint1",) and abs(given.q[1] - motion.q[-1, 1]) < 0.02
    assert given.nees(motion.q[-1], motion.qd[-1]) < chi2.ppf(0.999, 4)


@both
def test_an_acrobot_is_held_upright_by_encoders_alone(kind: type[KalmanFilter]) -> None:
    """LQR on the estimate, in a simulation that calls it once an instant: it starts without knowing where it leans."""
    upright, rng, h = np.array([np.pi / 2, 0.0]), np.random.default_rng(6), 0.005
    lqr = LQR(ARM, upright, [10.0, 10.0, 1.0, 1.0], [0.1], actuated=["joint2"], dt=h)
    noises = {"torque_noise": [1e-6, 1e-6], "encoder_noise": [1e-10, 1e-10]}
    given = kind(ARM, h, upright, [0.0, 0.0], np.full(4, 1e-4), **noises)
    tau, t = np.zeros(2), np.arange(2001) * h

    def torque(time: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        z = q + 1e-5 * rng.standard_normal(2)
        if time > 0:
            given.step(tau, z)
        else:
            given.correct(z)
        return lqr.torque(time, given.q, given.qd, out=tau)

    motion = ARM.simulate(upright + np.array([0.01, -0.02]), [0.0, 0.0], torque, t)
    assert np.abs(motion.q[-200:] - upright).max() < 0.01
    assert np.abs(given.qd - motion.qd[-1]).max() < 0.01


@both
def test_drives_are_part_of_the_model(kind: type[KalmanFilter]) -> None:
    """A robot with a spring and a rotor follows itself, without any correction to speak of."""
    arm = ARM.with_drives({"joint1": revolute.Drive(stiffness=(20.0,), damping=(0.4,), armature=(0.5,))})
    motion = arm.simulate([0.5, 0.2], [0.0, 0.0], None, np.arange(101) * STEP)
    small = np.full(2, 1e-10)
    given = kind(arm, STEP, motion.q[0], motion.qd[0], np.full(4, 1e-10), torque_noise=small, encoder_noise=small)
    for z in motion.q[1:]:
        given.step(np.zeros(2), z)
    np.testing.assert_allclose(given.qd, motion.qd[-1], atol=1e-5)


@both
def test_a_step_changes_the_same_arrays(kind: type[KalmanFilter]) -> None:
    given = kind(ARM, STEP, [0.1, 0.2], [0, 0], np.ones(4), torque_noise=[1, 1], encoder_noise=[1e-4, 1e-4])
    arrays = given.q, given.qd, given.covariance
    q, qd = given.step([0.0, 0.0], [0.1, 0.2])
    assert q is arrays[0] is given.q and qd is arrays[1] is given.qd and given.covariance is arrays[2]
    assert qd.any() and (np.diag(given.covariance)[:2] < 1e-4).all()


@both
@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"robot": None}, InputError, "robot must be of the type Robot or DrivenRobot"),
        ({"dt": -1.0}, InputError, "dt must be a positive time"),
        ({"q": [0.0]}, ShapeError, r"q has shape \(1,\), but robot 'planar2' needs \(..., 2\)"),
        ({"qd": [0.0, np.inf]}, InputError, "qd is not finite"),
        ({"q": np.zeros((2, 2)), "qd": np.zeros((3, 2))}, ShapeError, r"batches of q \(2,\) and qd \(3,\) do not"),
        ({"covariance": [1, 1, 1, 0]}, InputError, "covariance is not positive definite: its lowest eigenvalue is 0"),
        ({"covariance": np.ones((4, 4)) - 2 * np.eye(4)}, InputError, "lowest eigenvalue is -2"),
        ({"covariance": np.ones(3)}, ShapeError, r"covariance has shape \(3,\), but \(4,\), a diagonal, or \(4, 4\)"),
        ({"torque_noise": [1, -1]}, InputError, "torque_noise is not positive semi-definite"),
        ({"encoder_noise": [1, 0]}, InputError, "encoder_noise is not positive definite"),
        ({"encoder_noise": [1, 1], "measured": ["joint1"]}, ShapeError, r"encoder_noise has shape \(2,\), but \(1,\)"),
        ({"measured": ["joint9"]}, UnknownNameError, "measured: no coordinate 'joint9'; near: "),
    ],
)
def test_bad_input_is_named(
    kind: type[KalmanFilter], changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    given: dict[str, Any] = {"robot": ARM, "dt": STEP, "q": [0, 0], "qd": [0, 0]}
    given |= {"covariance": np.ones(4), "torque_noise": [1, 1], "encoder_noise": [1, 1]}
    assert_raises(error, f"{kind.__name__}: .*{message}", kind, **{**given, **changes})


@both
def test_samples_that_do_not_fit_are_named(kind: type[KalmanFilter]) -> None:
    given = kind(ARM, STEP, np.zeros((3, 2)), [0, 0], np.ones(4), torque_noise=[1, 1], encoder_noise=[1, 1])
    before = given.q.copy()
    assert_raises(InputError, "z is not finite; for a missing sample call only predict", given.correct, [np.nan, 0.0])
    np.testing.assert_array_equal(given.q, before)
    message = r"z has shape \(2, 2\), but \(3, 2\) is needed, or \(2,\)"
    assert_raises(ShapeError, message, given.correct, np.zeros((2, 2)))
    assert_raises(ShapeError, r"z has shape \(\), but", given.correct, 1.0)
    assert_raises(ShapeError, r"tau has shape \(3,\), but", given.predict, np.zeros(3))
    assert_raises(DtypeError, "z must be real numbers", given.correct, ["a", "b"])


def test_what_breaks_an_unscented_filter_is_named() -> None:
    start, options = (ARM, STEP, [0, 0], [0, 0], np.ones(4)), {"torque_noise": [1, 1], "encoder_noise": [1, 1]}
    message = "kappa must not be negative, but it is -1"
    assert_raises(InputError, message, UnscentedKalmanFilter, *start, kappa=-1, **options)
    given = UnscentedKalmanFilter(*start, **options)
    given.covariance[0, 0] = -1.0
    assert_raises(InputError, "the covariance is no longer positive definite", given.predict, [0.0, 0.0])


@pytest.mark.parametrize("h", [1e-3, 0.05, 2.0])
def test_it_is_the_exact_hold_of_linearize(h: float) -> None:
    """From none to many doublings; a doubling adds an error of rounding, relative to the largest entry."""
    robot = revolute.robots.random_tree(3, rng=2, types=("revolute", "spherical", "free"))
    q, rng = robot.random_configuration((4, 2), rng=1), np.random.default_rng(0)
    qd, tau = rng.standard_normal((2, 4, 2, robot.nv))
    hold = ExactHold((4, 2), 2 * robot.nv, robot.nv, h)
    robot.linearize(q, qd, tau, out=(hold.A, hold.B))
    for _ in range(2):  # its memory is used again
        hold()
        for found, expected in zip((hold.F, hold.G), robot.linearize(q, qd, tau, step=h), strict=True):
            size = np.abs(expected).max(axis=(-2, -1), keepdims=True)
            assert (np.abs(found - expected) < 1e-11 * size).all()
