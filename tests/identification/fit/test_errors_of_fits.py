"""Error bars of fits: intervals hold the truth as often as they say, for filtered noise too."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from recorded import fourier, sampled
from scipy import signal
from scipy.stats import chi2

import revolute
from revolute import Drive
from revolute.identification import Fit, ForceModel, Samples
from revolute.identification.fit.linear_fit import fit_model

NOISE = 0.05
ARM = revolute.robots.planar(2).with_drives({"joint1": Drive(damping=1.0, friction=2.0)})
LOW_PASS = signal.butter(4, 10, fs=100, output="sos")


def fits(robot: revolute.DrivenRobot, rows: int, seeds: range, filtered: bool) -> tuple[list[Fit], NDArray[np.float64]]:
    """A fit for each seed of the noise, and the true base parameters."""
    model, samples = ForceModel(robot), sampled(robot, rows)
    found = []
    for seed in seeds:
        noise = np.random.default_rng(seed).normal(0, NOISE, samples.tau.shape)
        noise = signal.sosfiltfilt(LOW_PASS, noise, axis=0) if filtered else noise
        found.append(fit_model(model, replace(samples, tau=samples.tau + noise)))
    return found, found[0].base.matrix @ model.values


def coverage(found: list[Fit], true: NDArray[np.float64]) -> float:
    """Share of parameters and seeds whose 95 % intervals hold the truth."""
    intervals = np.array([fit.intervals() for fit in found])
    return float(np.mean((intervals[..., 0] <= true) & (true <= intervals[..., 1])))


def white(fit: Fit) -> NDArray[np.float64]:
    """Standard errors as of residuals that are not correlated."""
    R = fit.triangle[:, :-1]
    return np.asarray(np.sqrt(np.diag(np.linalg.inv(R.T @ R))))


def mean_deviation(found: list[Fit], true: NDArray[np.float64]) -> float:
    """The square of the mean's deviation in its covariance: chi-squared with b degrees of freedom without bias."""
    mean = np.mean([fit.values for fit in found], axis=0) - true
    covariance = np.mean([fit.covariance for fit in found], axis=0) / len(found)
    return float(mean @ np.linalg.solve(covariance, mean))


@pytest.mark.slow
@pytest.mark.parametrize("filtered", [False, True])
def test_intervals_of_seven_joints_hold_the_truth_in_95_of_100_fits(filtered: bool) -> None:
    arm = revolute.robots.panda()
    drives = {x: Drive(damping=1 + k / 10, friction=2 - k / 10, armature=0.2) for k, x in enumerate(arm.joint_names)}
    found, true = fits(arm.with_drives(drives), 2000, range(200), filtered)
    assert 0.93 < coverage(found, true) < 0.97
    assert mean_deviation(found, true) < chi2.ppf(0.999, len(true))  # unbiased


def test_formulas_for_white_noise_are_too_optimistic_of_filtered_logs() -> None:
    """A low-pass at a fifth of half the rate leaves a fifth of the independent rows: errors are sqrt(5) larger."""
    found, true = fits(ARM, 1500, range(60), filtered=True)
    naive = [np.abs(fit.values - true) <= 1.96 * white(fit) for fit in found]
    assert np.mean(naive) < 0.75
    assert 0.91 < coverage(found, true) < 0.98  # 780 numbers, some 10 independent a fit: +-0.01 and more
    assert mean_deviation(found, true) < chi2.ppf(0.999, len(true))
    assert found[0].freedom < 3000 / 3


def test_errors_of_white_noise_are_those_of_the_textbook() -> None:
    fit = fit_model(ForceModel(ARM), sampled(ARM, 4000, NOISE))
    np.testing.assert_allclose(fit.standard_errors, white(fit), rtol=0.1)
    np.testing.assert_allclose(fit.noise, NOISE, rtol=0.05)
    assert fit.freedom == pytest.approx(8000 - len(fit.values), rel=0.2)


def test_robust_fits_of_normal_noise_lose_five_percent() -> None:
    """Clipped at 1.345 deviations they are 95 % efficient: errors are 1 / sqrt(0.95) of the least ones. Huber 1981."""
    samples = sampled(ARM, 8000, NOISE)
    least, robust = (fit_model(ForceModel(ARM), samples, kind) for kind in ("weighted", "huber"))
    np.testing.assert_allclose(robust.standard_errors / least.standard_errors, 0.95**-0.5, rtol=0.03)


def test_predictions_hold_measured_forces_as_often_as_they_say() -> None:
    fit = fit_model(ForceModel(ARM), sampled(ARM, 600, NOISE))
    other = sampled(ARM, 4000, NOISE, seed=2)
    for level in (0.5, 0.95):
        ends = fit.predict_with_interval(other, level)[..., 1:]
        held = np.mean((ends[..., 0] <= other.tau) & (other.tau <= ends[..., 1]))
        assert held == pytest.approx(level, abs=0.03)  # sqrt(0.25 / 8000) is 0.006; the noise is known within 3 %


def test_noise_that_is_not_correlated_across_a_gap() -> None:
    """Two logs in turn: the end of the first tells nothing about the start of the second."""
    arm = revolute.robots.planar(1).with_drives()
    t, q, qd, qdd = fourier(1, 2000, 100.0)
    noise = signal.sosfiltfilt(LOW_PASS, np.random.default_rng(0).normal(0, 1, (2000, 1)), axis=0)
    samples = Samples(t, q, qd, qdd, arm.inverse_dynamics(q, qd, qdd) + noise)
    model = ForceModel(arm)
    whole = fit_model(model, samples)
    twice = fit_model(model, [samples, replace(samples, t=t + 100.0)])
    np.testing.assert_allclose(twice.values, whole.values, rtol=1e-9)
    np.testing.assert_allclose(twice.standard_errors, whole.standard_errors / np.sqrt(2), rtol=0.1)
