"""Delays of forces against positions, to a fraction of a sample; triangular factors of rows."""

from __future__ import annotations

import numpy as np
import pytest
from recorded import arm, motion, noisy, truth

from revolute import InputError
from revolute.identification import ForceModel, Samples, read_log
from revolute.identification.fit.triangle import Triangle
from revolute.identification.log.delay import torque_delay

DRIVES = ("armature", "damping", "friction")


@pytest.fixture(scope="module")
def model() -> ForceModel:
    return ForceModel(arm(), drives=DRIVES)


@pytest.mark.parametrize("late", [-0.0123, 0.0, 0.0017, 0.031])
def test_delays_are_found_to_a_fraction_of_a_sample(model: ForceModel, late: float) -> None:
    """Noise of 2 % in 1,500 x 6 forces that change by some 3 times themselves a second: 0.02 / 3 / 95 = 7e-5 s."""
    t = truth().t
    arrays = noisy(motion(t)) | {"tau": noisy(motion(t - late))["tau"]}
    log = read_log(arm(), arrays)
    found = torque_delay(model, log.samples(every=1))
    assert abs(found.seconds - late) < 4 * 7e-5 and not found.at_limit  # a step is 5e-3 s
    assert found.residual <= found.residual_without
    corrected = log.samples(every=1, delay=found.seconds)
    assert abs(torque_delay(model, corrected).seconds) < 2e-4


def test_forces_of_a_log_are_taken_later() -> None:
    """Cubic polynomials between samples of 5 ms, of a motion of 0.5 Hz at most: errors of 1e-7 and less."""
    t = truth(4.0).t
    log = read_log(arm(), {"t": t, "q": motion(t).q, "tau": motion(t - 0.0071).tau})
    late = log.samples(8.0, every=1, delay=0.0071)
    now = read_log(arm(), {"t": t, "q": motion(t).q, "tau": motion(t).tau}).samples(8.0, every=1)
    both = np.intersect1d(np.round(late.t, 6), np.round(now.t, 6), return_indices=True)[1:]
    assert len(both[0]) >= len(late) - 5
    a, b = late.tau[both[0]], now.tau[both[1]]
    assert np.sqrt(np.mean((a - b) ** 2)) < 0.02 * np.sqrt(np.mean(b**2))  # but for steps of friction, which move


def test_a_longer_delay_than_is_tried_is_told(model: ForceModel) -> None:
    t = truth().t
    samples = truth()
    late = Samples(t, samples.q, samples.qd, samples.qdd, motion(t - 0.2).tau)
    assert torque_delay(model, late, most=0.03).at_limit


@pytest.mark.parametrize(("rows", "most"), [(slice(0, 40), 0.05), (slice(0, 1), 0.05), (slice(None), 0.0)])
def test_too_few_samples_for_a_delay(model: ForceModel, rows: slice, most: float) -> None:
    with pytest.raises(InputError, match="too few for delays"):
        torque_delay(model, truth()[rows], most)


# --- triangles ------------------------------------------------------------------------------


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


def test_rows_that_are_not_finite_are_refused() -> None:
    result = Triangle(2)
    with pytest.raises(InputError, match="row 1 is not finite"):
        result.add([[1.0, 2.0], [1.0, np.nan]])
    assert result.rows == 0
