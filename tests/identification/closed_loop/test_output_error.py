"""Closed-loop output error: parameters from positions alone."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from loops import ARM, GAINS, MODEL, TRUTH, law, output_error
from scipy import stats

import revolute
from revolute import control
from revolute.errors import InputError, ShapeError
from revolute.identification import ClosedLoop, ForceModel, Samples
from revolute.identification.closed_loop.output_error import OutputError
from revolute.identification.closed_loop.simulation import driven_parameters

Array = np.ndarray
T = np.arange(2001) / 500
W = np.array([2.0, 5.0])
SWING = np.outer(T, W)
REFERENCE = control.MotionTable(T, 1 - np.cos(SWING), np.sin(SWING) * W, np.cos(SWING) * W**2)
NOISE = 2e-5


@pytest.fixture(scope="module")
def motion() -> Samples:
    def controller(t: float, q: Array, qd: Array) -> Array:
        return law(REFERENCE).torque(t, q, qd) - TRUTH[26:28]

    fine = np.arange(2 * len(T) - 1) / 1000  # steps of 1 ms, as simulations take them
    full = driven_parameters(MODEL, TRUTH)
    found = MODEL.robot.simulate([0.0, 0.0], [0.0, 0.0], controller, fine, parameters=full, every=2)
    return Samples(T, found.q, found.qd, found.qdd, found.tau + TRUTH[26:28])


def noisy(motion: Samples, seed: int) -> Samples:
    """Noise of positions, and of the first velocity; no forces."""
    rng = np.random.default_rng(seed)
    q, qd = motion.q + rng.normal(0, NOISE, motion.q.shape), motion.qd + rng.normal(0, 1e-2, motion.q.shape)
    return Samples(T, q, qd, motion.qdd, np.full_like(motion.tau, np.nan))


def test_without_noise_the_true_values_are_found_from_a_wrong_start(motion: Samples) -> None:
    fit = output_error(MODEL, motion, law, REFERENCE)
    # the controller of the log and that of the simulation act at the same instants: what is left is rounding
    np.testing.assert_allclose(fit.values, fit.base.matrix @ TRUTH, rtol=1e-7, atol=1e-8)
    assert fit.estimator == "output_error" and fit.iterations <= 6
    assert len(fit.history) == len(fit.position_rms) == fit.iterations + 1
    assert (fit.position_rms[0] > 1e-3).all() and (fit.position_rms[-1] < 1e-9).all()
    assert (fit.residual_rms < 1e-4 * fit.signal_rms).all()  # forces, which the estimate has not used


def test_noise_of_positions_is_no_bias_and_intervals_hold(motion: Samples) -> None:
    count = 10
    fits = [output_error(MODEL, noisy(motion, seed), law, REFERENCE) for seed in range(count)]
    errors = np.array([fit.values for fit in fits]) - fits[0].base.matrix @ TRUTH
    held = np.abs(errors) <= 1.96 * np.array([fit.standard_errors for fit in fits])
    assert held.mean() > 0.88  # 95 % of 13 x 10 intervals, which are not independent
    chance = stats.t.ppf(1 - 0.005 / len(errors[0]), count - 1) / np.sqrt(count)
    assert (np.abs(errors.mean(axis=0)) < chance * errors.std(axis=0, ddof=1)).all()
    # chi-squared of 1900 residuals: 2 % are over one standard deviation
    np.testing.assert_allclose(fits[0].position_noise, NOISE, rtol=0.1)
    assert np.isnan(fits[0].residual_rms).all()


def test_derivatives_are_those_of_complete_simulations(motion: Samples) -> None:
    """S times a small step is the difference of two motions, but for the square of the step."""
    compared = OutputError(MODEL, motion, ClosedLoop(law, REFERENCE), 1)
    (chunk,), (here,) = compared.at(TRUTH)
    sizes = np.abs(compared.base.matrix) @ np.abs(TRUTH)
    step = 1e-3 * np.random.default_rng(1).uniform(-1, 1, len(sizes)) * sizes
    _, (there,) = compared.at(TRUTH + compared.directions @ step)
    moved = (there.q - here.q)[-len(chunk.tau) :]
    np.testing.assert_allclose(chunk.Y @ step, moved, atol=1e-2 * np.abs(moved).max())


def test_functions_that_know_no_batches_control_too(motion: Samples) -> None:
    """One state at a time: the sums of this law would be wrong, and not raise, for two states of two joints."""
    K_p, K_d = GAINS

    def made(reference: Any) -> Any:
        def torque(t: float, q: Array, qd: Array) -> Array:
            row = reference.row(t)
            assert q.shape == (2,)
            return ARM.gravity_forces(q) + K_p * (reference.q[row] - q) + K_d * (reference.qd[row] - qd)

        return torque

    loops = (ClosedLoop(x, REFERENCE) for x in (made, law))
    ours, theirs = (OutputError(MODEL, motion[:700], loop, 1).at(TRUTH)[0][0] for loop in loops)
    # differences of 1e-5 of a parameter, of positions that are summed in another order: rounding over 1e-5
    np.testing.assert_allclose(ours.Y, theirs.Y, atol=1e-6 * np.abs(theirs.Y).max())


def test_what_does_not_fit_is_refused(motion: Samples) -> None:
    def refused(words: str, *given: Any, error: type[Exception] = InputError, **options: Any) -> None:
        assert_raises(error, words, output_error, MODEL, *given, **options)

    refused("log need its controller", motion, None)
    refused("does not support rescaled=True", motion, law, REFERENCE, rescaled=True)
    refused("start has shape", motion, law, REFERENCE, start=[1.0], error=ShapeError)
    refused("loop of the first estimate cannot be simulated", motion, law, REFERENCE, start=-MODEL.values)
    refused("did not settle in 1 iterations", motion, law, REFERENCE, iterations=1)
    refused(r"affects .* s of the block's 0\.2 s", motion[:101], law, REFERENCE)
    free = revolute.robots.random_tree(1, rng=1, base="free")
    log = Samples(np.arange(9) / 100, free.home()[None].repeat(9, axis=0), *np.zeros((3, 9, free.nv)))
    words = "cannot compare quaternions"
    assert_raises(InputError, words, output_error, ForceModel(free), log, law, REFERENCE)


def test_a_gap_begins_anew(motion: Samples) -> None:
    """The second block begins in the middle of the motion, from the state that was measured there."""
    fit = output_error(MODEL, [motion[:900], motion[1000:]], law, REFERENCE)
    # what is left of the first state after a rounding of times: the law acts at other instants
    np.testing.assert_allclose(fit.values, fit.base.matrix @ TRUTH, rtol=1e-6, atol=1e-7)
    assert fit.compared < 2 * (len(T) - 100)
    assert replace(fit, estimator="x").iterations == fit.iterations
