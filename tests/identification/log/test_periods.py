"""Means over periods: exact derivatives, noise, hostile input."""

from typing import Any

import numpy as np
from comparing import assert_raises

import revolute
from revolute.errors import InputError, ShapeError
from revolute.identification import ForceModel, average_periods
from revolute.identification.fit.linear_fit import fit_model

STEPS, PERIOD, COUNT = 400, 4.0, 20
T = np.arange(STEPS * (COUNT + 1)) * (PERIOD / STEPS)
W = 2 * np.pi / PERIOD * np.arange(1, 6)


def motion(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two joints, five harmonics."""
    a, b = np.random.default_rng(seed).uniform(-0.5, 0.5, (2, 2, 5)) / np.arange(1, 6)
    sin, cos = np.sin(T[:, None, None] * W), np.cos(T[:, None, None] * W)
    rates = a * sin + b * cos, W * (a * cos - b * sin), -(W**2) * (a * sin + b * cos)
    q, qd, qdd = (x.sum(axis=-1) for x in rates)
    return q, qd, qdd


def test_without_noise_the_derivatives_are_exact() -> None:
    q, qd, qdd = motion(1)
    one = average_periods(T, q, 3 * q, PERIOD)
    assert (one.count, one.harmonics, len(one.samples)) == (COUNT, 5, STEPS)
    for found, expected in ((one.samples.q, q), (one.samples.qd, qd), (one.samples.qdd, qdd), (one.samples.tau, 3 * q)):
        np.testing.assert_allclose(found, expected[:STEPS], rtol=0, atol=1e-10)  # roundings of 400-term sums, W^2 = 60


def test_noise_is_that_between_periods_and_the_mean_has_less() -> None:
    (q, _, qdd), rng = motion(2), np.random.default_rng(3)
    mixed = np.array([[1.0, 0.5], [0.0, 0.8]])
    tau = q + rng.standard_normal(q.shape) @ mixed
    one = average_periods(T, q + rng.normal(0, 1e-3, q.shape), tau, PERIOD)
    assert one.harmonics == 5
    # variances from 8000 numbers have relative errors of sqrt(2 / 8000) = 1.6 %
    np.testing.assert_allclose(one.force_noise, mixed.T @ mixed, rtol=0.1)
    np.testing.assert_allclose(np.diag(one.position_noise), 1e-6, rtol=0.1)
    # ten coefficients of variance 2 s^2 / n each, times W^4: the noise of accelerations is that of few harmonics
    expected = 1e-3 * np.sqrt(np.sum(2 * W**4) / (STEPS * COUNT))
    assert 0.5 * expected < np.sqrt(np.mean((one.samples.qdd - qdd[:STEPS]) ** 2)) < 2 * expected


def test_a_right_model_has_a_misfit_of_one_and_a_wrong_one_more() -> None:
    arm, rng = revolute.robots.planar(2).with_drives(), np.random.default_rng(5)
    q, qd, qdd = motion(4)
    tau = arm.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.5, q.shape)
    one = average_periods(T, q + rng.normal(0, 1e-5, q.shape), tau, PERIOD)
    fit = fit_model(ForceModel(arm, drives=[], offsets=False), one.samples)
    # residuals of 400 samples: +- 7 % for each joint
    np.testing.assert_allclose(one.misfit(fit.predict(one.samples)), 1, atol=0.3)
    assert one.misfit(0.9 * fit.predict(one.samples)).min() > 3


def test_hostile_logs_are_refused() -> None:
    q = motion(6)[0]
    holed = np.where(np.arange(len(q))[:, None] == 7, np.nan, q)

    def refused(words: str, *arguments: Any, error: type[Exception] = InputError, **options: Any) -> None:
        assert_raises(error, words, average_periods, *arguments, **options)

    refused("at least two must remain", T[:700], q[:700], q[:700], 4.01)
    refused(r"is 400\.5000 steps of 0\.01 s; it must be a whole number", T, q, q, 4.005)
    refused("equal steps", T**1.1, q, q, PERIOD)
    refused("tau is not finite in row 7", T, q, holed, PERIOD)
    refused(r"must have shapes \(T,\), \(T, nv\) and \(T, nv\)", T, q, q[:, :1], PERIOD, error=ShapeError)
    refused("at most 199 harmonics", T, q, q, PERIOD, harmonics=200)
    refused("period must be a positive number", T, q, q, -4.0)
