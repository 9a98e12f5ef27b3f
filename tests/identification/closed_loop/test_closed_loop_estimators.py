"""Instrumental variables and forces alone: estimates from simulations of the closed loop."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from loops import ARM, DRIVES, GAINS, MODEL, TRUTH, direct_inverse, instrumental, law
from scipy import stats

import revolute
from revolute import Drive, control
from revolute.errors import InputError, ShapeError
from revolute.identification import ClosedLoop, ForceModel, Samples, Term
from revolute.identification.bodies.physical import consistent
from revolute.identification.closed_loop.instrumental_variables import Pairs
from revolute.identification.closed_loop.simulation import ClosedLoopSimulation, driven_parameters
from revolute.identification.fit.equations import BaseEquations
from revolute.identification.fit.least_squares import added, weighted
from revolute.identification.fit.linear_fit import errors, fit_model
from revolute.identification.forces.base_parameters import base_columns

Array = np.ndarray
T = np.arange(4001) / 1000
W = 2 * np.pi * np.array([[0.3, 0.8], [0.5, 0.7]])


def swing(t: Any) -> tuple[Array, Array, Array]:
    """Two sines a joint, at rest at t = 0 in position, velocity and acceleration."""
    x = np.asarray(t, dtype=float)[..., None, None]
    s, ds, dds = x**3 / (1 + x**3), 3 * x**2 / (1 + x**3) ** 2, 6 * x * (1 - 2 * x**3) / (1 + x**3) ** 3
    y, dy, ddy = np.sin(W * x), W * np.cos(W * x), -(W**2) * np.sin(W * x)
    parts = s * y, ds * y + s * dy, dds * y + 2 * ds * dy + s * ddy
    q, qd, qdd = (0.5 * part.sum(axis=-1) for part in parts)
    return q, qd, qdd


REFERENCE = control.MotionTable(T, *swing(T))
STILL = Samples(T, *np.zeros((4, len(T), 2)))


def feedback(reference: Any) -> revolute.StateFeedback:
    return revolute.StateFeedback(*GAINS, reference.q, reference.qd)


@pytest.fixture(scope="module")
def motion() -> Samples:
    """What happened: with the forces of the controller, which overcome the offsets."""
    return truly(MODEL, TRUTH)


def truly(model: ForceModel, parameters: Array) -> Samples:
    def controller(t: float, q: Array, qd: Array) -> Array:
        return law(REFERENCE).torque(t, q, qd) - parameters[26:28]

    full = driven_parameters(model, parameters)
    found = model.robot.simulate([0.0, 0.0], [0.0, 0.0], controller, T, parameters=full)
    return Samples(T, found.q, found.qd, found.qdd, found.tau + parameters[26:28])


def noisy(motion: Samples, seed: int, position: float = 4e-6, force: float = 0.1) -> Samples:
    """Noise of positions, differentiated twice without any filter, and of forces."""
    rng = np.random.default_rng(seed)
    e = rng.normal(0, position, motion.q.shape)
    de = np.gradient(e, T, axis=0)
    q, qd, qdd = motion.q + e, motion.qd + de, motion.qdd + np.gradient(de, T, axis=0)
    return Samples(T, q, qd, qdd, motion.tau + rng.normal(0, force, q.shape))


def true_values(model: ForceModel, truth: Array) -> Array:
    return np.asarray(base_columns(model).matrix @ truth)


@pytest.mark.parametrize("estimate", [instrumental, direct_inverse])
def test_without_noise_the_true_values_are_found_from_a_wrong_start(motion: Samples, estimate: Any) -> None:
    fit = estimate(MODEL, motion, law, REFERENCE)
    expected = true_values(MODEL, TRUTH)
    # iterations end when predicted forces change by 1e-6 of the measured ones; the columns have a condition of ~100
    np.testing.assert_allclose(fit.values, expected, rtol=1e-3, atol=1e-4)
    assert len(fit.history) == fit.iterations + 1
    np.testing.assert_allclose(fit.base.matrix @ fit.parameters, fit.values, rtol=1e-8, atol=1e-9)


def test_noise_of_positions_biases_least_squares_alone(motion: Samples) -> None:
    expected, count = true_values(MODEL, TRUTH), 12
    logs = [noisy(motion, seed) for seed in range(count)]
    loop = ClosedLoop(law, REFERENCE)
    found = {
        "least squares": [fit_model(MODEL, log) for log in logs],
        "instrumental": [instrumental(MODEL, log, loop) for log in logs],
        "forces alone": [direct_inverse(MODEL, log, loop) for log in logs],
    }
    worst = {}
    for name, fits in found.items():
        values = np.array([fit.values for fit in fits]) - expected
        worst[name] = float((np.abs(values.mean(axis=0)) / values.std(axis=0, ddof=1)).max())
        if name != "least squares":
            held = np.abs(values) <= 1.96 * np.array([fit.standard_errors for fit in fits])
            assert held.mean() > 0.85, name  # 95 % of 13 x 12 intervals, which are not independent
    # largest mean of 13 parameters, in spreads: chance exceeds 2 spreads / sqrt(12) x 3.5 in less than 1 %
    chance = float(stats.t.ppf(1 - 0.005 / 13, count - 1) / np.sqrt(count))
    assert worst["instrumental"] < chance
    assert worst["forces alone"] < chance
    assert worst["least squares"] > 5 * chance
    assert max(fit.iterations for name in ("instrumental", "forces alone") for fit in found[name]) <= 10


def test_the_test_of_exogeneity_tells_noisy_positions(motion: Samples) -> None:
    loop = ClosedLoop(law, REFERENCE)
    biased = instrumental(MODEL, noisy(motion, 1), loop)
    assert biased.exogeneity.probability < 1e-6
    assert biased.exogeneity.statistic > 1 and 0 < biased.exogeneity.directions <= len(biased.values)
    clean = [instrumental(MODEL, noisy(motion, seed, position=1e-9), loop) for seed in range(8)]
    # uniform probabilities: all of eight below 0.3 with a chance of 7e-5
    assert max(fit.exogeneity.probability for fit in clean) > 0.3
    assert 0.0 < biased.strength < 0.99 < clean[0].strength <= 1 + 1e-9


def test_the_regressor_as_its_own_instrument_is_least_squares(motion: Samples) -> None:
    log, base = noisy(motion, 5), base_columns(MODEL)
    rows, known = BaseEquations(MODEL, base, log), base.matrix @ MODEL.values
    pairs, sums = Pairs(rows, BaseEquations(MODEL, base, log)), added(rows, base.active)
    ours, our_weights = pairs.solve(known)
    plain, weights = weighted(sums, known)
    # weights agree to 1e-6, where their iterations end
    np.testing.assert_allclose(our_weights, weights, rtol=1e-5)
    np.testing.assert_allclose(ours.values, plain.values, rtol=1e-4, atol=1e-6)
    covariance, *_ = errors(rows, rows.base.active, sums, plain, weights)
    np.testing.assert_allclose(pairs.errors(ours, weights)[0], covariance, rtol=1e-3)
    assert pairs.strength(weights) == pytest.approx(1, abs=1e-9)


def test_springs_as_terms_move_as_springs_of_drives() -> None:
    """Forces of terms are those along the motion before; repeated, the motion is that of the force itself."""
    spring = Term("spring", lambda q, qd, qdd: (q - 0.2) * [1.0, 0.0], 4.0)
    by_term = ForceModel(ARM, drives=[], offsets=False, terms=[spring])
    drive = {"joint1": Drive(stiffness=4.0, rest_position=0.2)}
    simulation = ClosedLoopSimulation(by_term, ClosedLoop(law, REFERENCE), STILL)
    motion = simulation.run(by_term.values)
    for _ in range(6):
        motion = simulation.run(by_term.values, motion)
    exact = ARM.with_drives(drive).simulate([0.0, 0.0], [0.0, 0.0], law(REFERENCE), T)
    # a row's force is held for the step of 1 ms: 4 N m/rad x 2 rad/s x 0.5 ms of 600 N m/rad
    np.testing.assert_allclose(motion.q, exact.q, atol=3e-5)


def test_drives_that_are_held_take_part() -> None:
    held = np.array([name.endswith(".damping") for name in MODEL.names])
    parameters = np.where(held, MODEL.values, TRUTH)
    log, some = truly(MODEL, parameters), ForceModel(MODEL.robot, drives=["armature", "friction"])
    assert some.names == MODEL.names
    for estimate in (instrumental, direct_inverse):
        fit = estimate(some, log, law, REFERENCE)
        np.testing.assert_allclose(fit.values, fit.base.matrix @ parameters, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kind", ["function", "object", "state feedback"])
def test_controllers_of_all_kinds_move_alike(kind: str, motion: Samples) -> None:
    def torque(t: float, q: Array, qd: Array) -> Array:
        row = REFERENCE.row(t)
        return GAINS[0] * (REFERENCE.q[row] - q) + GAINS[1] * (REFERENCE.qd[row] - qd)

    controllers = {
        "function": lambda reference: torque,
        "object": SimpleNamespace(torque=torque),
        "state feedback": revolute.StateFeedback(*GAINS, np.zeros(2)),
    }
    loops = (ClosedLoop(made, REFERENCE) for made in (controllers[kind], feedback))
    ours, expected = (ClosedLoopSimulation(MODEL, loop, motion[:400]).run(TRUTH) for loop in loops)
    np.testing.assert_allclose(ours.q, expected.q, rtol=0, atol=1e-10)  # sums in another order


def test_scaled_gains_keep_the_motion_of_scaled_robots() -> None:
    weightless = ForceModel(ARM.with_gravity((0, 0, 0)), drives=[], offsets=False)
    loop = ClosedLoop(feedback, REFERENCE, rescaled=True)
    simulation = ClosedLoopSimulation(weightless, loop, STILL)
    motions = [simulation.run(factor * weightless.values) for factor in (1.0, 1.7)]
    np.testing.assert_allclose(motions[1].q, motions[0].q, rtol=0, atol=1e-9)  # M(q) qdd = K e, both sides times 1.7
    plain = ClosedLoopSimulation(weightless, replace(loop, rescaled=False), STILL)
    np.testing.assert_allclose(motions[0].q, plain.run(weightless.values).q, rtol=0, atol=1e-9)  # gains as they are


def refused(words: str, *given: Any, error: type[Exception] = InputError, **options: Any) -> None:
    """Estimates raise this error: from a log, a controller, its reference, and options of the loop."""
    for estimate in (instrumental, direct_inverse):
        assert_raises(error, words, estimate, MODEL, *given, **options)


def test_what_is_missing_is_named(motion: Samples) -> None:
    refused("log need its controller", motion, None, REFERENCE)
    refused("need the reference of its controller", motion, law)
    short = control.MotionTable(T[:1001], *(x[:1001] for x in swing(T)))
    refused("the reference ends at t=1 s, and the log at t=4 s", motion, law, short)
    refused(r"controller\(reference\) raised TypeError", motion, lambda: None, REFERENCE)
    refused("must return a controller, not int", motion, lambda reference: 3, REFERENCE)
    one, stacked = (control.MotionTable(T, *map(f, swing(T))) for f in (lambda x: x[:, :1], lambda x: np.stack([x, x])))
    refused("reference: q has shape", motion, law, one, error=ShapeError)
    words = r"reference of the log: q has shape \(2, 4001, 2\), not \(T, 2\)"
    refused(words, motion, law, stacked, error=ShapeError)
    panda = revolute.robots.panda()
    frame = control.Impedance(panda, "panda_link8", panda.forward_kinematics(panda.home(), "panda_link8"), 100.0, 20.0)
    refused("Impedance follows a frame; give a function", motion, frame)
    refused("no two consecutive samples", motion[:1], law, REFERENCE)
    refused("step must be a positive number", motion, law, REFERENCE, step=-1.0)


def test_simulations_take_the_steps_of_the_loop(motion: Samples) -> None:
    """More than the most that friction asks for."""
    simulation = ClosedLoopSimulation(MODEL, ClosedLoop(law, REFERENCE, step=1e-5), motion[:3])
    assert simulation._steps(TRUTH) == 100
    assert simulation.run(TRUTH).q.shape == (3, 2)


def test_hostile_logs_and_starts_are_refused(motion: Samples) -> None:
    words = r"start has shape \(3,\), and the model has 28 parameters"
    refused(words, motion, law, REFERENCE, start=np.zeros(3), error=ShapeError)
    refused("start is not finite", motion, law, REFERENCE, start=np.full(28, np.nan))
    refused("loop of the first estimate cannot be simulated", motion, law, REFERENCE, start=-MODEL.values)
    stiff = ClosedLoop(lambda x: control.PDWithGravity(ARM, x, 1e9, 1e6), REFERENCE)
    refused("cannot be simulated: .*steps of .* are too long", motion, stiff)
    words, gains = "unknown gains and Search terms need one of the estimators", ForceModel(ARM, gains=["joint1"])
    assert_raises(InputError, words, direct_inverse, gains, motion, law, REFERENCE)
    refused("did not settle in 1 iterations", motion, law, REFERENCE, iterations=1)
    refused("no measured forces", replace(motion, tau=np.full_like(motion.tau, np.nan)), law, REFERENCE)
    refused("parts of a log must be files, Logs or Samples, not int", [3], law, REFERENCE)


def test_gaps_and_missing_forces_do_no_harm(motion: Samples) -> None:
    whole = replace(motion, tau=motion.tau.copy())
    whole.tau[500:600, 1] = np.nan
    blocks = [whole[:1000], whole[1000:1400], whole[2000:]]  # the second follows the first; the third does not
    fit = instrumental(MODEL, blocks, law, REFERENCE)
    np.testing.assert_allclose(fit.values, true_values(MODEL, TRUTH), rtol=1e-3, atol=1e-4)
    assert fit.rows == 2 * len(T) - 100 - 2 * 600


def test_closed_loops_and_estimators_belong_together(motion: Samples) -> None:
    fit = direct_inverse(MODEL, motion, law, REFERENCE)
    real = consistent(fit)
    assert fit.estimator == "direct_inverse" and real.iterations == fit.iterations
    own = assert_warns(revolute.ModelWarning, "lacks the constant offsets", real.robot)
    assert np.linalg.eigvalsh(own.mass_matrix(motion.q[::100])).min() > 0
    words, loop = r"simulates the log: .* loop=ClosedLoop\(controller, reference\)", ClosedLoop(law, REFERENCE)
    assert_raises(InputError, words, revolute.identify, MODEL, motion, estimator="instrumental")
    words = "requires one of the estimators instrumental, direct_inverse"
    assert_raises(InputError, words, revolute.identify, MODEL, motion, loop=loop)


def test_dry_friction_that_sticks_is_found() -> None:
    """The log has exact Coulomb friction, joints at rest among it; simulations smooth it over 0.01 rad/s."""
    model = ForceModel(ARM.with_drives(DRIVES), drives=["armature", "damping", "friction"], offsets=False)
    full, fine = driven_parameters(model, TRUTH[:26]), np.arange(10 * len(T) - 9) / 10_000
    options = {"method": "semi_implicit_euler", "sticking": True, "parameters": full, "every": 10}
    stuck = model.robot.simulate([0.0, 0.0], [0.0, 0.0], law(REFERENCE), fine, **options)
    log = noisy(Samples(T, stuck.q, stuck.qd, stuck.qdd, stuck.tau), 1, position=1e-7)
    assert np.sum(np.diff(stuck.q, axis=0) == 0) > 50  # instants at rest
    loop = ClosedLoop(law, REFERENCE, step=1e-4)  # the controller acts every 0.1 ms
    expected = true_values(model, TRUTH[:26])
    for estimate in (instrumental, direct_inverse):
        fit = estimate(model, log, loop)
        # what smoothing leaves is some 2 % of the friction, and of damping, which makes up for it
        np.testing.assert_allclose(fit.values[-4:], expected[-4:], rtol=0.05)
    # little more than the noise of 0.1 N m: the simulated joint creeps where the real one sticks, under the same force
    assert fit.residual_rms.max() < 0.13
