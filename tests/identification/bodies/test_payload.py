"""Loads on links from short logs: error bars that cover, frames, what a log does not tell; collision thresholds."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from identification.arms import NOISE, PANDA, motion

import revolute
from revolute import Inertia, InputError, ModelWarning, ShapeError, TrajectoryError, UnknownNameError
from revolute.identification import Payload, Samples, collision_thresholds, payload, read_log
from revolute.model.parameters import implausibility, to_vector

LINK = "panda_link8"
PARCEL = Inertia.box(1.5, (0.2, 0.15, 0.1), revolute.Transform(p=(0.02, -0.01, 0.08)))


def ten(inertia: Inertia) -> np.ndarray:
    return np.array(to_vector(inertia), dtype=float)


TRUE = ten(PARCEL)
WITH, WITHOUT = motion(3, 400), motion(4, 400)
LOADED = PANDA.with_payload(LINK, PARCEL).inverse_dynamics(WITH.q, WITH.qd, WITH.qdd)
EMPTY = PANDA.inverse_dynamics(WITHOUT.q, WITHOUT.qd, WITHOUT.qdd)


def found(seed: int, first: bool) -> Payload:
    rng = np.random.default_rng(seed)
    log = replace(WITH, tau=LOADED + rng.normal(0, NOISE, LOADED.shape))
    empty = replace(WITHOUT, tau=EMPTY + rng.normal(0, NOISE, EMPTY.shape))
    return payload(PANDA, log, LINK, without=empty if first else None)


@pytest.mark.parametrize("first", [False, True], ids=["known robot", "two logs"])
@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(100, 300), marks=pytest.mark.slow)], ids=["20", "200"])
def test_error_bars_cover(first: bool, seeds: Any) -> None:
    """95 % intervals hold the ten parameters in 95 % of the cases, and bodies are real in all."""
    loads = [found(seed, first) for seed in seeds]
    inside = np.array([(x.intervals()[:, 0] < TRUE) & (x.intervals()[:, 1] > TRUE) for x in loads])
    # deviation of the share, if the ten were independent: sqrt(0.05 0.95 / (10 n)); they are not: twice as much
    slack = 3 * 2 * np.sqrt(0.05 * 0.95 / inside.size)
    assert abs(inside.mean() - 0.95) < slack
    errors = np.array([x.com - np.array(PARCEL.com()) for x in loads]) / np.array([x.com_errors for x in loads])
    assert np.abs(np.mean(errors**2) - 1) < 6 * np.sqrt(2 / errors.size)
    assert all(implausibility(x.inertia, 0.0) is None for x in loads)
    assert np.abs(np.mean([x.estimate for x in loads], axis=0) - TRUE).max() < 0.01


def test_an_exact_log_gives_the_load_exactly() -> None:
    load = payload(PANDA, replace(WITH, tau=LOADED), LINK)
    np.testing.assert_allclose(load.estimate, TRUE, atol=1e-10)
    np.testing.assert_allclose(ten(load.inertia), TRUE, atol=1e-6)
    assert "payload on 'panda_link8': 1.5 +-" in str(load) and "<Payload on 'panda_link8'" in repr(load)


def test_the_frame_of_the_link_is_that_of_the_load() -> None:
    """The same log, told in the frames of two links of one body."""
    near, far = (payload(PANDA, replace(WITH, tau=LOADED), link) for link in ("panda_link7", LINK))
    moved = PANDA.robot.frame(LINK).placement @ far.inertia
    np.testing.assert_allclose(ten(moved), ten(near.inertia), atol=1e-5)
    loaded = PANDA.with_payload("panda_link7", near.inertia)
    np.testing.assert_allclose(loaded.inverse_dynamics(WITH.q, WITH.qd, WITH.qdd), LOADED, atol=1e-3)


def test_a_log_is_read_as_those_of_other_functions() -> None:
    log = read_log(PANDA, {"t": WITH.t, "q": WITH.q, "tau": LOADED})
    whole = payload(PANDA, log.samples(torque_cutoff=np.inf, every=1), LINK)
    assert np.allclose(payload(PANDA, log, LINK).estimate, whole.estimate, rtol=1e-9)


def test_drift_of_sensors_is_told_from_the_load() -> None:
    drift = np.array([0.5, -0.5, 0.4, -0.4, 0.3, -0.3, 0.2])
    log = replace(WITH, tau=LOADED + drift + np.random.default_rng(1).normal(0, NOISE, LOADED.shape))
    kept, wrong = (payload(PANDA, log, LINK, offsets=x) for x in (True, False))
    assert abs(kept.mass - 1.5) < 4 * kept.mass_error < 0.02
    assert np.linalg.norm(wrong.com - PARCEL.com()) > np.linalg.norm(kept.com - PARCEL.com())
    named = dict(zip(kept.fit.names, kept.fit.values, strict=True))
    assert abs(named["panda_joint1.offset"] - 0.5) < 0.02


def test_what_a_log_does_not_tell_is_named() -> None:
    """A planar arm under gravity along the plane feels mass, centre and Izz, and nothing across it."""
    arm = revolute.robots.planar(2)
    load = Inertia.box(2.0, (0.1, 0.2, 0.1), revolute.Transform(p=(0.1, 0.05, 0.3)))
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.standard_normal((3, 300, 2))
    tau = arm.with_payload("tip", load).inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.01, (300, 2))
    log, words = Samples(np.arange(300) / 100, q, qd, qdd, tau), "does not determine mz, Ixx, Iyy, Ixy, Ixz, Iyz of"
    told = assert_warns(ModelWarning, words, payload, arm, log, "tip")
    assert np.isinf(told.standard_errors[[3, 4, 5, 7, 8, 9]]).all() and np.isinf(told.com_errors).all()
    assert abs(told.mass - 2) < 4 * told.mass_error and abs(told.estimate[1] - 0.2) < 4 * told.standard_errors[1]
    assert implausibility(told.inertia, 0.0) is None


def test_a_load_that_no_body_has_is_told() -> None:
    """Forces with the wrong sign: a warning, and a real body all the same."""
    words = "load on 'panda_link8' are not physically consistent: m"
    load = assert_warns(ModelWarning, words, payload, PANDA, replace(WITH, tau=-LOADED), LINK)
    assert implausibility(load.inertia, 0.0) is None


@pytest.mark.parametrize("options, error, text", [
    ({"link": "hand"}, UnknownNameError, "no link 'hand'"),
    ({"link": "panda_link0"}, InputError, "'panda_link0' does not move"),
    ({"robot": "panda"}, InputError, "must be of the type Robot"),
    ({"log": 3}, InputError, "a log must be a file, a Log, Samples"),
    ({"log": ["none.csv"]}, TrajectoryError, r"none\.csv: no such file"),
    ({"log": motion(1, 10, revolute.robots.ur5())}, ShapeError, "6 positions and 6 forces"),
    ({"log": []}, InputError, "the log has no parts"),
])  # fmt: skip
def test_broken_logs_are_refused(options: dict[str, Any], error: type[Exception], text: str) -> None:
    given: dict[str, Any] = {"robot": PANDA, "log": replace(WITH, tau=LOADED), "link": LINK, **options}
    assert_raises(error, text, payload, **given)
    assert_raises(InputError, "level must be between 0 and 1", found(0, False).intervals, 95)


ARM = revolute.robots.planar(2)
DT = 1e-3


def noisy(seed: int, seconds: float, deviation: float = 0.2) -> Samples:
    """At rest, so that the residual is the filtered noise of the sensors."""
    n = round(seconds / DT)
    still = np.zeros((n, 2))
    tau = ARM.gravity_forces(still) + np.random.default_rng(seed).normal(0, deviation, (n, 2))
    return Samples(np.arange(n) * DT, still, still, still, tau)


def test_alarms_come_as_often_as_chosen() -> None:
    """At a rate of 7200 an hour, two a second: in 60 s some 120 a joint, counted in another log."""
    found = collision_thresholds(ARM, noisy(1, 60), 0.02, false_alarms=7200)
    level = np.abs(found.bias) + found.deviations * np.sqrt(2 * np.log(2 * found.crossings / 2))
    residuals = found.observer().run(*(getattr(noisy(2, 60), x) for x in ("q", "qd", "tau")))
    above = np.abs(residuals) > level
    alarms = np.sum(above[1:] & ~above[:-1], axis=0) / 60
    # filtered noise is no smooth process: it crosses a level in bursts. Rice's rate holds to a factor of two here
    assert (alarms > 1).all() and (alarms < 4).all()
    assert (found.thresholds >= found.largest).all()
    expected = 0.2 * np.sqrt(DT / (2 * 0.02))  # of white noise through a filter of first order
    np.testing.assert_allclose(found.deviations, expected, rtol=0.1)


def test_a_push_is_seen_and_silence_is_not() -> None:
    found = collision_thresholds(ARM, [noisy(1, 20), noisy(2, 20)], 0.02)
    observer, log = found.observer(), noisy(3, 20)
    assert not (np.abs(observer.run(log.q, log.qd, log.tau)) > found.thresholds).any()
    pushed = observer.run(log.q, log.qd, log.tau - np.array([0.0, 2 * found.thresholds[1]]))  # motors held against it
    assert (np.abs(pushed[-1]) > found.thresholds).tolist() == [False, True]
    assert "N m" in repr(found)


def test_rarer_alarms_need_higher_thresholds() -> None:
    log = noisy(1, 5)
    rates = [collision_thresholds(ARM, log, 0.02, false_alarms=x).thresholds for x in (1e6, 1.0, 1e-6)]
    assert (rates[0] <= rates[1]).all() and (rates[1] < rates[2]).all()


def test_broken_logs_of_collisions_are_refused() -> None:
    log = noisy(1, 1)
    words, short = r"time steps differ: most are 0\.001 s, and one is 0\.501 s", "needs 101 to settle"
    uneven, empty = replace(log, t=log.t + 0.5 * (log.t > 0.5)), replace(log, tau=np.nan * log.tau)
    cases = ((uneven, words), (log[:50], short), (empty, "forces are missing"), ([], "no log has two samples"))
    for wrong, message in cases:
        assert_raises(InputError, message, collision_thresholds, ARM, wrong, 0.02)
    assert_raises(InputError, "must be a positive rate per hour", collision_thresholds, ARM, log, 0.02, false_alarms=0)
    assert_raises(InputError, "time_constant must be positive", collision_thresholds, ARM, log, -1.0)
    assert_raises(ShapeError, r"q has shape \(1000, 2\)", collision_thresholds, revolute.robots.ur5(), log, 0.02)
