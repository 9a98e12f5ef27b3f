"""Low-pass filters and their settling; decimation; delays of forces; triangular factors."""

import math
from dataclasses import replace

import numpy as np
import pytest
from comparing import assert_raises
from recorded import arm, fourier, motion, noisy, truth
from scipy import signal

import revolute
from revolute import InputError, ShapeError
from revolute.identification import ForceModel, read_log
from revolute.identification.fit.triangle import Triangle
from revolute.identification.log.decimation import Decimation
from revolute.identification.log.delay import torque_delay
from revolute.identification.log.filters import _spectrum, advised_cutoff, low_pass, settling_rows

RATE = 200.0
T = np.arange(1200) / RATE


@pytest.mark.parametrize(("rows", "columns"), [(2, 1), (60, 3), (3000, 17)])
def test_the_low_pass_is_that_of_scipy(rows: int, columns: int) -> None:
    x = np.cumsum(np.random.default_rng(rows).normal(size=(rows, columns)), axis=0)
    pad = min(settling_rows(RATE, 5.0), rows - 1)
    theirs = signal.sosfiltfilt(signal.butter(4, 5.0, fs=RATE, output="sos"), x, axis=0, padlen=pad)
    # roundings of 1e-16, each grown by the inverse squares of the angles of the poles, 2 pi 5 / 200
    assert np.abs(low_pass(x, RATE, 5.0) - theirs).max() <= 1e-12 * np.abs(theirs).max()


@pytest.mark.parametrize(("rows", "size"), [(1000, 1000), (1000, 333), (999, 200), (9, 9)])
def test_the_spectrum_is_that_of_scipy(rows: int, size: int) -> None:
    x = np.random.default_rng(rows).normal(size=(rows, 2))
    f, power = _spectrum(x, RATE, size)
    expected, theirs = signal.welch(x, RATE, nperseg=size, axis=0)
    np.testing.assert_array_equal(f, expected)
    np.testing.assert_allclose(power / power.sum(), theirs / theirs.sum(), rtol=1e-11)


@pytest.mark.parametrize("cutoff", [0.5, 5.0, 40.0])
def test_filters_settle_as_their_slowest_pole_decays(cutoff: float) -> None:
    _, poles, _ = signal.butter(4, cutoff, fs=RATE, output="zpk")
    assert settling_rows(RATE, cutoff, 1e-14) == math.ceil(math.log(1e-14) / math.log(abs(poles).max()))


@pytest.mark.parametrize("factor", [2, 7, 64])
def test_the_filter_of_decimation_is_that_of_scipy(factor: int) -> None:
    impulse = np.zeros(60 * factor + 1)
    impulse[30 * factor] = 1
    _, answer = Decimation(factor).add(np.zeros((len(impulse), 1, 1)), impulse[:, None])
    taps = signal.firwin(20 * factor + 1, 0.8 / factor, window="hamming")
    np.testing.assert_allclose(answer[10:31, 0], taps[::-factor], atol=1e-16)


def test_columns_with_holes_stay_as_they_are() -> None:
    x = np.random.default_rng(0).normal(size=(len(T), 2))
    x[7, 1] = np.nan
    y = low_pass(x, RATE, 5.0)
    assert np.array_equal(y[:, 1], x[:, 1], equal_nan=True) and not np.array_equal(y[:, 0], x[:, 0])


@pytest.mark.parametrize(("rate", "cutoff"), [(0.0, 1.0), (100.0, 0.0), (100.0, -1.0), (np.nan, 1.0)])
def test_frequencies_are_positive(rate: float, cutoff: float) -> None:
    assert_raises(InputError, "must be positive", low_pass, T, rate, cutoff)


def test_the_advice_is_five_bandwidths_of_the_motion() -> None:
    t = np.arange(20_000) / 1000
    q = np.stack([np.sin(2 * np.pi * f * t) for f in (0.5, 1.0, 1.5)], axis=1)
    advised = advised_cutoff(q + 1e-5 * np.random.default_rng(0).normal(size=q.shape), 1000)
    assert 5.0 <= advised <= 7.5  # five times 1 Hz; a spectrum has lines each quarter of a hertz
    assert advised_cutoff(np.zeros((500, 2)), 100.0) == 20.0  # at rest


def equations(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    Y, pi = rng.normal(size=(rows, 2, 5)), rng.normal(size=5)
    return Y, pi, Y @ pi


@pytest.mark.parametrize("factor", [2, 3, 10])
def test_decimation_keeps_the_equation(factor: int) -> None:
    """F tau = (F Y) pi for every linear filter F."""
    Y, pi, tau = equations(900)
    F_Y, F_tau = Decimation(factor).add(Y, tau)
    assert len(F_tau) > 20 and np.abs(F_Y @ pi - F_tau).max() < 1e-13


def test_rows_of_regressor_and_forces_belong_together() -> None:
    Y, _, tau = equations(90)
    assert_raises(ShapeError, "regressor has shape", Decimation(2).add, Y, tau[:-1])
    F_Y, F_tau = Decimation(1).add(Y, tau)
    assert np.array_equal(F_Y, Y) and np.array_equal(F_tau, tau)


@pytest.mark.parametrize("factor", [2, 7])
def test_decimation_in_blocks_is_that_of_the_whole(factor: int) -> None:
    Y, _, tau = equations(900)
    whole, stream = Decimation(factor).add(Y, tau), Decimation(factor)
    cuts = np.sort(np.random.default_rng(3).choice(900, 12))
    parts = [stream.add(*part) for part in zip(np.split(Y, cuts), np.split(tau, cuts), strict=True)]
    for k in range(2):  # sums in another order: 1e-16 times the root of 140 taps
        assert np.abs(np.concatenate([part[k] for part in parts]) - whole[k]).max() < 1e-14


def test_a_missing_force_spoils_its_neighbours_alone() -> None:
    Y, _, tau = equations(900)
    tau[450, 1] = np.nan
    _, F_tau = Decimation(3).add(Y, tau)
    centres = 30 + 3 * np.arange(len(F_tau))
    assert np.array_equal(np.isnan(F_tau[:, 1]), np.abs(centres - 450) <= 30)
    assert np.isfinite(F_tau[:, 0]).all()


@pytest.fixture(scope="module")
def model() -> ForceModel:
    return ForceModel(arm(), drives=["armature", "damping", "friction"])


@pytest.mark.parametrize("late", [-0.0123, 0.0, 0.0017, 0.031])
def test_delays_are_found_to_a_fraction_of_a_sample(model: ForceModel, late: float) -> None:
    """Noise of 2 % in forces of 9 s is 0.16 ms without the jumps of friction; smoothed ones, as here, are 0.12 ms."""
    log = read_log(arm(), noisy(truth()) | {"tau": noisy(motion(truth().t - late))["tau"]})
    found = torque_delay(model, log.beginning(math.inf))
    assert abs(found.seconds - late) < 6e-4 and not found.at_limit  # a step is 5e-3 s
    assert found.residual <= found.residual_without
    again = torque_delay(model, replace(log, delay=found.seconds).beginning(math.inf))
    assert abs(again.seconds) < 1e-4  # the same noise


@pytest.mark.parametrize("friction", [0.0, 1.5])
@pytest.mark.parametrize(("rate", "late"), [(125, 0.0), (125, 0.02), (500, 0.0)])
@pytest.mark.parametrize("robot", [revolute.robots.planar(2), revolute.robots.ur5()], ids=["planar", "ur5"])
def test_dry_friction_biases_neither_the_delay_nor_itself(
    robot: revolute.Robot, rate: int, late: float, friction: float
) -> None:
    """Jumps of friction are sampled to 1 / rate. Filtered forces with jumps in the regressor were 0.2 to 1 ms off."""
    real = robot.with_drives({name: revolute.Drive(damping=2.0, friction=friction) for name in robot.joint_names})
    t = np.arange(40 * rate) / rate
    shift = int(late * 500)  # late by whole samples of 500 Hz, of which every fourth one is logged at 125 Hz
    _, *state = fourier(robot.nv, 40 * 500 + shift, 500)
    q = state[0][shift :: 500 // rate]
    tau = real.inverse_dynamics(*state)[: 40 * 500 : 500 // rate]
    tau += 0.01 * np.random.default_rng(2).standard_normal(tau.shape)
    log = read_log(robot, {"t": t, "q": q, "tau": tau}, delay="auto")
    assert abs(log.delay - late) < 1e-4
    fit = revolute.identify(robot, log)
    at = [k for k, name in enumerate(fit.names) if name.endswith(".friction")]
    assert (np.abs(fit.values[at] - friction) < 4 * fit.standard_errors[at]).all()


def test_a_longer_delay_than_is_tried_is_told(model: ForceModel) -> None:
    late = replace(truth(), tau=motion(truth().t - 0.2).tau)
    assert torque_delay(model, late, most=0.03).at_limit


@pytest.mark.parametrize(("rows", "most"), [(slice(0, 40), 0.05), (slice(0, 1), 0.05), (slice(None), 0.0)])
def test_too_few_samples_for_a_delay(model: ForceModel, rows: slice, most: float) -> None:
    assert_raises(InputError, "too few for delays", torque_delay, model, truth()[rows], most)


@pytest.mark.parametrize("rows", [1, 5, 40, 3000])
def test_a_triangle_is_the_factor_of_all_rows(rows: int) -> None:
    A = np.random.default_rng(rows).normal(size=(rows, 12))
    A[:, 7] = A[:, 2] - A[:, 3]  # dependent columns, as those of regressors
    result = Triangle(12)
    for part in np.array_split(A, min(rows, 5)):
        result.add(part)
    assert result.R.shape == (min(rows, 12), 12) and result.rows == rows
    assert np.abs(result.R.T @ result.R - A.T @ A).max() < 1e-14 * rows * 20
    assert np.array_equal(result.R, np.triu(result.R))


def test_a_triangle_keeps_the_digits_that_normal_equations_lose() -> None:
    """Columns that differ by 1e-9 have A^T A = ones in float64; R has their difference."""
    A = np.array([[1, 1], [1e-9, 0], [0, 1e-9]])
    result = Triangle(2)
    result.add(A)
    assert np.linalg.matrix_rank(A.T @ A) == 1
    assert abs(result.R[1, 1]) == pytest.approx(np.sqrt(2) * 1e-9, rel=1e-6)
    assert_raises(InputError, "row 1 is not finite", result.add, [[1.0, 2.0], [1.0, np.nan]])
    assert result.rows == 3
