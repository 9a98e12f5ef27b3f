"""Validation: figures of residuals that were made to order, and a test of bias that is right as often as it says."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from numpy.typing import NDArray
from recorded import sampled
from scipy.signal import lfilter

import revolute
from revolute.errors import InputError, ShapeError
from revolute.identification import Fit, Samples, validate
from revolute.identification.bodies.physical import consistent
from revolute.identification.validation.bias import autocorrelation, bias, bins_of, correlation_length
from revolute.identification.validation.validate import KeptRows
from revolute.io import trajectory

Array = NDArray[np.float64]
ARM = revolute.robots.planar(2).with_drives(
    {"joint1": revolute.Drive(damping=0.5, friction=1.0), "joint2": revolute.Drive(damping=0.2, friction=0.5)}
)
NOISE = 0.05


def motion(seed: int, rows: int = 3000) -> Samples:
    return sampled(ARM, rows, NOISE, seed=seed)


def shifted(samples: Samples, change: Array) -> Samples:
    return replace(samples, tau=samples.tau + change)


@pytest.fixture(scope="module")
def fit() -> Fit:
    return revolute.identify(ARM, motion(0))


def coloured(rho: float, rows: int, rng: np.random.Generator) -> Array:
    """Noise e_k = rho e_(k-1) + w_k of variance 1, from its stationary state."""
    w = rng.standard_normal(rows)
    w[1:] *= np.sqrt(1 - rho**2)
    return np.asarray(lfilter([1.0], [1.0, -rho], w))


def test_white_noise_on_another_log_is_all_that_is_left(fit: Fit) -> None:
    v = validate(fit, motion(1))
    # 3000 samples: the RMS scatters by 1 / sqrt(6000) = 1.3 %, five times that
    np.testing.assert_allclose(v.rms, NOISE, rtol=0.065)
    np.testing.assert_allclose(v.signal_rms, np.sqrt(np.mean(motion(1).tau ** 2, axis=0)))
    np.testing.assert_allclose(v.relative, v.rms / v.signal_rms)
    # share within 95 %: sqrt(0.05 * 0.95 / 3000) = 0.4 %, five times that
    np.testing.assert_allclose(v.inside, 0.95, atol=0.02)
    assert (v.effective > 0.8 * 3000).all() and v.rows == 3000
    assert v.verdict.startswith("good: ") and v.notes == ()
    assert repr(v).startswith("<Validation: 3,000 samples, good: ")
    assert all(b is not None and not b.significant for b in (*v.bias_by_speed, *v.bias_by_pose))


def test_friction_that_the_model_lacks_is_a_bias_by_speed_of_that_joint(fit: Fit) -> None:
    log = motion(2)
    extra = np.column_stack([np.zeros(3000), 0.3 * np.tanh(log.qd[:, 1] / 0.05) * np.abs(log.qd[:, 1]) ** 2])
    v = validate(fit, shifted(log, extra))
    by_speed = v.bias_by_speed[1]
    assert by_speed is not None and by_speed.significant and by_speed.share > 0.5
    (note,) = [note for note in v.notes if "bias by speed" in note]
    assert note.startswith("joint2: ") and "friction" in note
    first = v.bias_by_speed[0]
    assert first is not None and not first.significant
    # the means are the means: rows of a bin by hand
    e = (shifted(log, extra).tau - fit.predict(log))[:, 1]
    low, high = by_speed.edges[:2]
    inside = (log.qd[:, 1] >= low) & (log.qd[:, 1] < high)
    np.testing.assert_allclose(by_speed.means[0], e[inside].mean())


def test_a_spring_that_the_model_lacks_is_a_bias_by_pose(fit: Fit) -> None:
    log = motion(3)
    v = validate(fit, shifted(log, np.column_stack([0.5 * log.q[:, 0], np.zeros(3000)])))
    by_pose = v.bias_by_pose[0]
    assert by_pose is not None and by_pose.significant
    assert any(note.startswith("joint1: bias by pose") for note in v.notes)


@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_noise_is_called_biased_as_rarely_as_it_should_be(rho: float) -> None:
    rejected = 0
    for seed in range(100):
        rng, t = np.random.default_rng(seed), np.arange(4000) / 100
        speed = np.cos(2 * np.pi * 0.1 * np.outer(t, np.arange(1, 6)) + rng.uniform(0, 6, 5)) @ rng.standard_normal(5)
        e = coloured(rho, 4000, rng)
        bins = bins_of(speed, np.isfinite(e))
        assert bins is not None
        rejected += bias(e, bins).p < 0.05
    # 5 of 100 are expected; more than 13 have a probability of 0.05 %
    assert rejected <= 13


def test_a_log_worth_a_few_independent_samples_proves_no_bias() -> None:
    rng = np.random.default_rng(3)
    e, bins = coloured(0.99, 1000, rng), bins_of(np.sin(np.arange(1000) / 50), np.ones(1000, dtype=bool))
    assert bins is not None
    found = bias(e, bins)
    assert np.isnan(found.p) and not found.significant  # some 5 samples for 10 bins


@pytest.mark.parametrize("rho", [0.5, 0.9, 0.98])
def test_the_correlation_length_is_that_of_the_process(rho: float) -> None:
    e = coloured(rho, 200_000, np.random.default_rng(5))[:, None]
    length = correlation_length(autocorrelation([e], 1000))[0]
    # (1 + rho) / (1 - rho); relative error sqrt(2 (2 window + 1) / n), Sokal 1997, window = 5 lengths; three of these
    exact = (1 + rho) / (1 - rho)
    assert abs(length / exact - 1) < 3 * np.sqrt(2 * (10 * exact + 1) / 200_000) + np.exp(-10)


def test_autocorrelation_by_its_definition_over_stretches_with_gaps() -> None:
    rng = np.random.default_rng(6)
    runs = [rng.standard_normal((40, 2)), rng.standard_normal((25, 2))]
    runs[0][7, 1] = np.nan
    mean = np.nanmean(np.concatenate(runs), axis=0)
    e = [np.nan_to_num(run - mean) for run in runs]
    for k in (0, 1, 30):
        by_hand = sum((x[: max(len(x) - k, 0)] * x[k:]).sum(axis=0) for x in e) / sum((x**2).sum(axis=0) for x in e)
        np.testing.assert_allclose(autocorrelation(runs, 30)[k], by_hand, atol=1e-14)


def test_correlated_residuals_are_worth_fewer_samples(fit: Fit) -> None:
    log = motion(4)
    slow = np.column_stack([coloured(0.98, 3000, np.random.default_rng(k)) for k in (7, 8)])
    v = validate(fit, shifted(log, slow))
    assert (v.effective < 100).all()
    assert any("times that of the fit" in note for note in v.notes)


def test_blocks_are_one_log_and_forces_may_be_missing(fit: Fit) -> None:
    part = motion(9)
    part.tau[:, 1] = np.nan
    part.tau[100:120, 0] = np.nan
    whole, blocks = validate(fit, part), validate(fit, (part[k : k + 700] for k in range(0, 3000, 700)))
    np.testing.assert_allclose(blocks.rms[0], whole.rms[0], rtol=1e-12)
    assert np.isnan(whole.rms[1]) and whole.bias_by_speed[1] is None and whole.bias_by_pose[1] is None
    assert whole.notes == ("joint2: no forces were measured",) and "1 joints" in whole.verdict
    assert json.dumps(whole.to_dict()) and "joint2" in str(whole)


def test_long_logs_are_thinned_and_sums_are_those_of_all_rows() -> None:
    kept, log = KeptRows(2, most=100), motion(10, 1000)
    zero = np.zeros((1000, 2))
    for k in range(0, 1000, 90):
        rows = slice(k, k + 90)
        kept.add(log[rows], zero[rows], zero[rows], zero[rows])
    assert kept.total == 1000 and kept.rows <= 100 and kept.rows == len(kept.columns()[0])
    np.testing.assert_allclose(kept.squares, (log.tau**2).sum(axis=0))
    assert kept.stride == 16 and kept.spacing == pytest.approx(0.16)


def test_errors_of_parameters_explain_what_a_short_fit_cannot_know() -> None:
    """A fit of a few samples has wrong parameters: its residuals are biased, but no more than its errors say."""
    rejected = 0
    for seed in range(20):
        v = validate(revolute.identify(ARM, motion(100 + seed, 60)), motion(200 + seed))
        rejected += sum(b is not None and b.p < 0.01 for b in (*v.bias_by_speed, *v.bias_by_pose))
    assert rejected <= 12  # of 80; without the errors of parameters nearly all


def test_wrong_arguments_are_refused(fit: Fit) -> None:
    for level, words in ((95, "between 0 and 1"), ("all", "a number, not 'all'")):
        assert_raises(InputError, f"validate: level must be {words}", validate, fit, motion(1), level=level)
    assert_raises(InputError, "no samples", validate, fit, [])
    nothing = replace(motion(1, 100), tau=np.full((100, 2), np.nan))
    assert validate(fit, nothing).verdict == "no forces were measured"
    three = Samples(np.arange(4), *np.zeros((4, 4, 3)))
    assert_raises(ShapeError, "3 positions and 3 forces, but the robot has 2 and 2", validate, fit, three)


def test_measured_and_predicted_forces_are_decimated_alike(fit: Fit) -> None:
    log = motion(1)
    whole, v = validate(fit, log), validate(fit, log, decimate=8)
    # white noise: the filter passes 0.8 of an eighth of the band; sqrt(0.1), within five deviations 1 / sqrt(2 n)
    np.testing.assert_allclose(v.rms, NOISE * np.sqrt(0.1), rtol=5 / np.sqrt(2 * v.rows) + 0.05)
    # rows within ten kept ones of an end are lost: the first is that at 80, the last at 8 * 365
    assert v.rows == (3000 - 161) // 8 + 1 and v.curves.t[0] == pytest.approx(0.8) and v.lags[1] == pytest.approx(0.08)
    np.testing.assert_allclose(v.curves.q, log.q[80:-80:8][: v.rows], atol=5e-3)  # ripple of Hamming's window
    np.testing.assert_allclose(v.signal_rms, whole.signal_rms, rtol=0.05)
    blocks = validate(fit, [log[k : k + 700] for k in range(0, 3000, 700)], decimate=8)
    np.testing.assert_allclose(blocks.rms, v.rms, rtol=1e-9)
    parts = validate(fit, [log[:1000], log[1500:]], decimate=8)  # a gap: each part loses its ends
    assert parts.rows == ((1000 - 161) // 8 + 1) + ((1500 - 161) // 8 + 1) and (parts.rms < 2 * NOISE).all()


def test_forces_that_no_real_body_has_are_told() -> None:
    arm, log = revolute.robots.planar(1).with_drives({"joint1": revolute.Drive(friction=1.0)}), motion(12)
    q, qd, qdd = log.q[:, :1], log.qd[:, :1], log.qdd[:, :1]
    noise, tau = 1e-3 * log.tau[:, :1], arm.inverse_dynamics(q, qd, qdd)
    logs = [Samples(log.t, q, qd, qdd, x) for x in (tau - 2 * np.sign(qd) + noise, noise - tau)]
    pushed, turned = (revolute.identify(arm, x, check=False) for x in logs)
    words = "'joint1': .* consistent bodies .* Is their sign reversed"
    assert_warns(revolute.ModelWarning, words, consistent, pushed)
    grown = "'link1' would have .* times the inertia"
    assert_warns(revolute.ModelWarning, grown, assert_warns, revolute.ModelWarning, words, consistent, turned)


def test_steps_of_friction_bias_no_parameter_of_a_log(tmp_path: Path) -> None:
    """Forces that pass a low-pass alone have round steps: friction came out a tenth too small, at ten of its errors."""
    log, names = motion(5, 6000), ["t", "q1", "q2", "tau1", "tau2"]
    trajectory.write(tmp_path / "log.csv", names, log.t, log.q, log.tau)
    fit = revolute.identify(ARM, tmp_path / "log.csv")
    k = [fit.names.index(f"joint{j}.friction") for j in (1, 2)]
    assert (abs(fit.values[k] - [1.0, 0.5]) < 4 * fit.standard_errors[k]).all()
    assert (fit.standard_errors[k] < 0.02).all()
    assert validate(fit, tmp_path / "log.csv").verdict.startswith("good: ")
