"""Delays of forces against positions, to a fraction of a sample; and what a motion tells of the parameters."""

from __future__ import annotations

import numpy as np
import pytest
from recorded import RATE, arm, motion, noisy, truth

import revolute
from revolute import InputError, ShapeError
from revolute.identification import ForceModel, Samples, read_log
from revolute.identification.excitation.log_excitation import excitation
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


# --- excitation -----------------------------------------------------------------------------


def triangle(model: ForceModel, samples: Samples, with_forces: bool) -> Triangle:
    Y = model.regressor(samples)
    rows = np.concatenate([Y, samples.tau[..., None]], axis=-1) if with_forces else Y
    result = Triangle(rows.shape[-1])
    result.add(rows.reshape(-1, rows.shape[-1]))
    return result


@pytest.mark.parametrize("with_forces", [False, True])
def test_a_rich_motion_determines_all_base_parameters(model: ForceModel, with_forces: bool) -> None:
    """58 of a UR10 with two frictions, rotors and offsets: as Petrone, Ferrentino and Chiacchio 2025 count."""
    found = excitation(model, triangle(model, truth(), with_forces))
    assert found.rank == found.possible == 58 and not found.undetermined and not found.unmoved
    assert 1 < found.condition < 300


def test_the_condition_number_is_that_of_scaled_base_columns() -> None:
    """A pendulum has four: weight in two directions, inertia, offset. Random phases are nearly orthogonal."""
    pendulum = ForceModel(revolute.robots.planar(1), drives=())
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-np.pi, np.pi, (4000, 1)), *rng.normal(size=(2, 4000, 1))
    found = excitation(pendulum, triangle(pendulum, Samples(np.arange(4000.0), q, qd, qdd, q), False))
    columns = np.stack([np.cos(q), np.sin(q), qdd, np.ones_like(q)], axis=-1)[:, 0]
    values = np.linalg.svd(columns / np.linalg.norm(columns, axis=0), compute_uv=False)
    assert (
        found.possible == 4 and found.condition < 1.2 and found.condition == pytest.approx(values[0] / values[-1], 0.05)
    )


def test_joints_at_rest_are_named(model: ForceModel) -> None:
    samples = truth()
    moving = np.array([1, 1, 1, 0, 0, 0])
    still = Samples(samples.t, samples.q * moving, samples.qd * moving, samples.qdd * moving, samples.tau)
    found = excitation(model, triangle(model, still, True))
    assert found.rank < found.possible == 58
    assert "wrist_3_joint.friction" in found.unmoved and "wrist_3_joint.armature" in found.undetermined
    assert not any(name.startswith("shoulder_pan_joint.") for name in found.undetermined)
    assert "directions not determined" in str(found) and "wrist_3_joint.damping" in str(found)


def test_weak_parameters_are_told_by_name(model: ForceModel) -> None:
    """A wrist that turns by a ten-thousandth of the others' angle; the condition number of scaled columns is blind."""
    samples, share = truth(), np.array([1, 1, 1, 1, 1, 1e-4])
    slow = Samples(samples.t, samples.q * share, samples.qd * share, samples.qdd * share, samples.tau)
    found = excitation(model, triangle(model, slow, True))
    assert found.weak == ("wrist_3_joint.armature", "wrist_3_joint.damping") and found.condition < 300
    assert not excitation(model, triangle(model, samples, True)).weak


def test_poor_directions_are_told_by_name() -> None:
    """A pendulum that swings by 0.02 rad shows cos q as an offset but for q^2 / 2, sin q as qdd but for q^3 / 6."""
    pendulum = ForceModel(revolute.robots.planar(1), drives=())
    t = np.arange(2000) / 100
    q, qd, qdd = (0.02 * f[:, None] for f in (np.sin(t), np.cos(t), -np.sin(t)))
    found = excitation(pendulum, triangle(pendulum, Samples(t, q, qd, qdd, q), False))
    assert found.condition > 1e3 and len(found.poor) == 2
    assert all(name in found.poor[0] for name in ("link1.my", "link1.Izz"))
    assert all(name in found.poor[1] for name in ("link1.mx", "joint1.offset"))
    assert "poorly excited" in str(found)


def test_a_triangle_of_another_model_is_refused(model: ForceModel) -> None:
    with pytest.raises(ShapeError, match="the triangle has 3 columns"):
        excitation(model, Triangle(3))


def test_a_triangle_without_rows_determines_nothing(model: ForceModel) -> None:
    found = excitation(model, Triangle(len(model.names)))
    assert found.rank == 0 and found.possible == 58 and found.condition == np.inf


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


def test_the_motion_is_what_it_says() -> None:
    """The helper's velocities are the slopes of its positions."""
    a, b = motion(np.array([1.0])), motion(np.array([1.0 + 1e-6]))
    assert np.abs((b.q - a.q) / 1e-6 - a.qd).max() < 1e-4 and RATE == 200.0
