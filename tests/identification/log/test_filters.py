"""Filters and derivatives: linear, without phase, exact for polynomials, and the same in blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from revolute import InputError, ShapeError
from revolute.identification.log.decimation import Decimation
from revolute.identification.log.filters import _spectrum, advised_cutoff, low_pass, settling_rows

RATE = 200.0
T = np.arange(1200) / RATE


def noise(columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(len(T), columns))


@settings(deadline=None, max_examples=30)
@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(2.0, 60.0))
def test_the_low_pass_is_linear(a: float, b: float, cutoff: float) -> None:
    x, y = noise(1, 1), noise(1, 2)
    together = low_pass(a * x + b * y, RATE, cutoff)
    apart = a * low_pass(x, RATE, cutoff) + b * low_pass(y, RATE, cutoff)
    assert np.abs(together - apart).max() <= 1e-10 * (1 + abs(a) + abs(b))  # some thousand roundings of 1e-16


@pytest.mark.parametrize("cutoff", [2.0, 10.0, 40.0])
def test_the_low_pass_has_no_phase(cutoff: float) -> None:
    """Backward in time it is the same filter, but for the last of the transients at both ends."""
    x = noise(1)
    x[:300], x[-300:] = 0, 0
    assert np.abs(low_pass(x[::-1], RATE, cutoff)[::-1] - low_pass(x, RATE, cutoff)).max() < 1e-6


@pytest.mark.parametrize("cutoff", [2.0, 10.0, 40.0])
def test_the_low_pass_halves_the_cutoff_frequency_and_keeps_slow_motion(cutoff: float) -> None:
    inner = slice(400, -400)
    at, slow, fast = (np.sin(2 * np.pi * f * T) for f in (cutoff, cutoff / 8, 2.2 * cutoff))
    assert np.abs(low_pass(at, RATE, cutoff) - at / 2)[inner].max() < 1e-3  # |H|^2 = 1/2
    assert np.abs(low_pass(slow, RATE, cutoff) - slow)[inner].max() < 1e-6  # 1 / (1 + 8^-8)
    assert np.abs(low_pass(fast, RATE, cutoff))[inner].max() < 2e-3  # 1 / (1 + 2.2^8), and less by warping


@pytest.mark.parametrize("order", [1, 4, 7])
@pytest.mark.parametrize(("rows", "columns"), [(2, 1), (60, 3), (3000, 8), (3000, 17)])
def test_the_low_pass_is_that_of_scipy(rows: int, columns: int, order: int) -> None:
    signal = pytest.importorskip("scipy.signal")
    x = np.cumsum(np.random.default_rng(rows).normal(size=(rows, columns)), axis=0)
    pad = min(settling_rows(RATE, 5.0, order, 1e-3), rows - 1)
    theirs = signal.sosfiltfilt(signal.butter(order, 5.0, fs=RATE, output="sos"), x, axis=0, padlen=pad)
    # roundings of 1e-16, each grown by the inverse squares of the angles of the poles, 2 pi 5 / 200
    assert np.abs(low_pass(x, RATE, 5.0, order) - theirs).max() <= 1e-12 * np.abs(theirs).max()


@pytest.mark.parametrize("factor", [2, 7, 64])
def test_the_filter_of_decimation_is_that_of_scipy(factor: int) -> None:
    signal = pytest.importorskip("scipy.signal")
    impulse = np.zeros(60 * factor + 1)
    impulse[30 * factor] = 1
    _, answer = Decimation(factor).add(np.zeros((len(impulse), 1, 1)), impulse[:, None])
    taps = signal.firwin(20 * factor + 1, 0.8 / factor, window="hamming")
    np.testing.assert_allclose(answer[10:31, 0], taps[::-factor], atol=1e-16)


@pytest.mark.parametrize(("rows", "size"), [(1000, 1000), (1000, 333), (999, 200), (9, 9)])
def test_the_spectrum_is_that_of_scipy(rows: int, size: int) -> None:
    signal = pytest.importorskip("scipy.signal")
    x = np.random.default_rng(rows).normal(size=(rows, 2))
    f, power = _spectrum(x, RATE, size)
    expected, theirs = signal.welch(x, RATE, nperseg=size, axis=0)
    np.testing.assert_array_equal(f, expected)
    np.testing.assert_allclose(power / power.sum(), theirs / theirs.sum(), rtol=1e-11)


def test_a_column_does_not_depend_on_its_neighbours() -> None:
    x = noise(19)
    together = low_pass(x, RATE, 5.0)
    assert np.array_equal(together[:, [18, 3]], low_pass(x[:, [18, 3]], RATE, 5.0))


def test_straight_lines_pass() -> None:
    """They are continued by their reflection, which is the line itself, until 1e-3 of a transient are left."""
    line = 3 * T - 1
    assert np.abs(low_pass(line, RATE, 10.0) - line).max() < 1e-3 * 3 / 10  # times slope by period


def test_columns_with_holes_stay_as_they_are() -> None:
    x = noise(2)
    x[7, 1] = np.nan
    y = low_pass(x, RATE, 5.0)
    assert np.array_equal(y[:, 1], x[:, 1], equal_nan=True) and not np.array_equal(y[:, 0], x[:, 0])


@pytest.mark.parametrize(("rate", "cutoff"), [(0.0, 1.0), (100.0, 0.0), (100.0, -1.0), (np.nan, 1.0)])
def test_frequencies_are_positive(rate: float, cutoff: float) -> None:
    with pytest.raises(InputError, match="must be positive"):
        low_pass(T, rate, cutoff)


def test_the_advice_is_five_bandwidths_of_the_motion() -> None:
    t = np.arange(20_000) / 1000
    q = np.stack([np.sin(2 * np.pi * f * t) for f in (0.5, 1.0, 1.5)], axis=1)
    advised = advised_cutoff(q + 1e-5 * np.random.default_rng(0).normal(size=q.shape), 1000)
    assert 5.0 <= advised <= 7.5  # five times 1 Hz; a spectrum has lines each quarter of a hertz


def test_a_robot_at_rest_has_a_cutoff_too() -> None:
    assert advised_cutoff(np.zeros((500, 2)), 100.0) == 20.0


# --- parallel decimation --------------------------------------------------------------------


def equations(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    Y, pi = rng.normal(size=(rows, 2, 5)), rng.normal(size=5)
    return Y, pi, Y @ pi


@pytest.mark.parametrize("factor", [2, 3, 10])
def test_decimation_keeps_the_equation(factor: int) -> None:
    """F tau = (F Y) pi for every linear filter F."""
    Y, pi, tau = equations(900)
    F_Y, F_tau = Decimation(factor).add(Y, tau)
    assert len(F_tau) > 20 and np.abs(F_Y @ pi - F_tau).max() < 1e-13


@pytest.mark.parametrize("factor", [2, 7])
def test_decimation_in_blocks_is_that_of_the_whole(factor: int) -> None:
    Y, _, tau = equations(900)
    whole, stream = Decimation(factor).add(Y, tau), Decimation(factor)
    cuts = np.sort(np.random.default_rng(3).choice(900, 12))
    parts = [stream.add(*part) for part in zip(np.split(Y, cuts), np.split(tau, cuts), strict=True)]
    for k in range(2):  # sums in another order: 1e-16 times the root of 140 taps
        assert np.abs(np.concatenate([part[k] for part in parts]) - whole[k]).max() < 1e-14


def test_decimation_keeps_slow_and_removes_fast() -> None:
    t = np.arange(4000) / 1000
    slow, fast = np.sin(2 * np.pi * 2 * t), np.sin(2 * np.pi * 80 * t)
    Y = np.stack([slow, fast], axis=1)[:, None]
    F_Y, _ = Decimation(10).add(Y, slow[:, None])  # cut off at 40 Hz
    assert np.abs(F_Y[:, 0, 0] - slow[100:-100:10][: len(F_Y)]).max() < 3e-3  # Hamming's ripple: 0.2 %
    assert np.abs(F_Y[:, 0, 1]).max() < 3e-3


def test_a_missing_force_spoils_its_neighbours_alone() -> None:
    Y, _, tau = equations(900)
    tau[450, 1] = np.nan
    _, F_tau = Decimation(3).add(Y, tau)
    centres = 30 + 3 * np.arange(len(F_tau))
    assert np.array_equal(np.isnan(F_tau[:, 1]), np.abs(centres - 450) <= 30)
    assert np.isfinite(F_tau[:, 0]).all()


def test_a_factor_of_one_changes_nothing() -> None:
    Y, _, tau = equations(20)
    F_Y, F_tau = Decimation(1).add(Y, tau)
    assert np.array_equal(F_Y, Y) and np.array_equal(F_tau, tau)


def test_rows_of_regressor_and_forces_belong_together() -> None:
    Y, _, tau = equations(90)
    with pytest.raises(ShapeError, match="regressor has shape"):
        Decimation(2).add(Y, tau[:-1])
