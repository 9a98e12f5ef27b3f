"""Logs of real arms, beside what was published of them. They are no part of the repository."""

import numpy as np
import pytest

import revolute
from bench import identification_logs as logs
from revolute.identification import ForceModel
from revolute.identification.fit.linear_fit import fit_model

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not logs.DATA.is_dir(), reason="the published logs are not there")]


def rms(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt(np.mean(x**2, axis=0)))


def test_base_parameters_of_a_tx40_are_those_that_figaroh_published() -> None:
    robot, samples = logs.tx40()
    model, published = logs.tx40_model(robot), logs.tx40_published()
    fit = fit_model(model, samples, decimate=50)
    forms = np.array([logs.form(x.name, model.names) for x in published])
    chosen = forms[:, fit.base.columns]
    np.testing.assert_allclose(chosen @ fit.base.matrix, forms * model.fitted, atol=1e-9)  # they are base parameters
    theirs = np.array([x.weighted for x in published])
    deviations = np.abs(theirs) * [x.weighted_percent / 100 for x in published]
    assert np.sum(np.abs(chosen @ fit.values - theirs) <= 3 * deviations) >= 58
    ours, published_squares = fit.sums.squares(fit.values), fit.sums.squares(np.linalg.solve(chosen, theirs))
    assert ours.sum() < published_squares.sum()
    assert 22 <= len(fit.essential(1e-3).values) <= 28  # published: 25


def test_fits_of_a_ur10_predict_another_motion_as_the_authors_model_does() -> None:
    """The reference is a model too: of shoulder and elbow, theirs and ours differ by less than 30 % of the torque."""
    robot, exciting, other = logs.ur10()
    fit = revolute.identify(ForceModel(robot, drives=logs.DRIVES), exciting)
    np.testing.assert_array_less(fit.residual_rms, [3.5, 3.1, 2.2, 0.65, 0.6, 1.9])
    assert (rms(fit.predict(other) - other.tau) < 0.3 * rms(other.tau)).all()


def test_a_counterbalance_of_a_kr300_has_the_force_of_its_gas() -> None:
    """Fitted on one motion, it predicts two others; without it joint 2 is far off."""
    arm = logs.kr300()
    fits = []
    for terms in ([], logs.kr300_counterbalance()):
        names = ForceModel(arm, drives=logs.DRIVES, terms=terms).names
        model = ForceModel(arm, drives=logs.DRIVES, terms=terms, only=names[10 * arm.n_joints :])
        fits.append(fit_model(model, logs.kr300_log("C")))
    without, fit = fits
    k = fit.names.index("counterbalance.force")
    assert abs(fit.values[k] - logs.kr300_counterbalance()[0].value) < 2 * fit.standard_errors[k]
    for name in "AB":
        samples = logs.kr300_log(name)
        shares = [rms(each.predict(samples) - samples.tau)[1] / rms(samples.tau)[1] for each in (without, fit)]
        assert shares[1] < 0.25 < 0.4 < shares[0]
