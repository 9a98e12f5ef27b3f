"""Fits of base parameters: against dense least squares, known parameters, and what is left out."""

import json
from dataclasses import replace

import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from recorded import fourier, sampled

import revolute
from revolute import Drive, InputError, ShapeError, UnknownNameError
from revolute.identification import ForceModel, Samples, Search, Term, counterbalance, coupled_drive
from revolute.identification.fit.equations import BaseEquations
from revolute.identification.fit.linear_fit import fit_model
from revolute.identification.forces.base_parameters import base_columns, random_samples, typical_sizes
from revolute.identification.forces.friction import with_friction
from revolute.identification.forces.terms import lengths

DRIVES = {
    "joint1": Drive(damping=1.0, friction=2.0, armature=0.3),
    "joint2": Drive(damping=0.5, friction=1.0, armature=0.1),
}
ARM = revolute.robots.planar(2).with_drives(DRIVES)
MODEL = ForceModel(ARM)
BASE = base_columns(MODEL)
TRUE = BASE.matrix @ MODEL.values
NOISY = sampled(ARM, 3000, np.array([0.5, 0.05]))


def rows(samples: Samples) -> tuple[np.ndarray, np.ndarray]:
    """Regressor of base parameters (T, nv, b), and forces."""
    return MODEL.regressor(samples)[..., BASE.columns], samples.tau


def test_base_parameters_are_enough_for_all_forces_and_no_more() -> None:
    Y = MODEL.regressor(random_samples(MODEL, 200))
    np.testing.assert_allclose(Y[..., BASE.columns] @ BASE.matrix, Y, atol=1e-9 * abs(Y).max())
    assert np.linalg.matrix_rank(Y[..., BASE.columns].reshape(400, -1)) == len(BASE) == len(BASE.names)


def test_base_parameters_are_those_of_the_robot() -> None:
    """Without offsets the two ways must find the same columns."""
    model = ForceModel(ARM, offsets=False)
    own = ARM.base_parameters()
    base = base_columns(model)
    assert base.names == own.names
    np.testing.assert_allclose(base.matrix, own.matrix, atol=1e-9)


def test_the_robot_of_a_fit_lacks_its_offsets_and_says_which() -> None:
    fit = revolute.identify(ARM, replace(NOISY, tau=NOISY.tau + np.array([0.0, 2.0])))
    words = r"lacks the constant offsets of the fit: joint2 (2|1\.99|2\.01) N m; .*offsets=False"
    own = assert_warns(revolute.ModelWarning, words, fit.robot, implausible="accept")
    missing = fit.predict(NOISY) - own.inverse_dynamics(NOISY.q, NOISY.qd, NOISY.qdd)
    offsets = [fit.parameters[fit.model.names.index(f"joint{k}.offset")] for k in (1, 2)]
    np.testing.assert_allclose(missing, np.broadcast_to(offsets, missing.shape), atol=1e-9 * abs(NOISY.tau).max())


@pytest.mark.parametrize("estimator", ["ordinary", "weighted"])
def test_least_squares_are_lapacks(estimator: str) -> None:
    """Both are backward stable: they differ by the condition of some 100 times rounding."""
    fit, (Y, tau) = fit_model(MODEL, NOISY, estimator), rows(NOISY)
    root = np.sqrt(fit.weights)
    dense = np.linalg.lstsq((Y * root[:, None]).reshape(-1, len(BASE)), (tau * root).ravel(), rcond=None)[0]
    np.testing.assert_allclose(fit.values, dense, rtol=1e-9)
    np.testing.assert_allclose(fit.residual_rms, np.sqrt(np.mean((tau - Y @ dense) ** 2, axis=0)), rtol=1e-10)
    np.testing.assert_allclose(fit.signal_rms, np.sqrt(np.mean(tau**2, axis=0)), rtol=1e-10)


def test_weights_are_the_reciprocal_variances_of_residuals() -> None:
    fit = fit_model(MODEL, NOISY)
    np.testing.assert_allclose(fit_model(MODEL, NOISY, "ordinary").weights, 1)
    np.testing.assert_allclose(fit.weights, fit.noise**-2.0, rtol=1e-5)  # iterations end at 1e-6
    np.testing.assert_allclose(fit.noise, [0.5, 0.05], rtol=0.05)  # 1 / sqrt(2 * 3000) is 0.013


def test_huber_fits_satisfy_their_equations_and_do_not_follow_outliers() -> None:
    tau = NOISY.tau.copy()
    tau[::20] += 20.0
    bad = replace(NOISY, tau=tau)
    fit, plain = fit_model(MODEL, bad, "huber"), fit_model(MODEL, bad)
    Y, tau = rows(bad)
    u = (tau - Y @ fit.values) * np.sqrt(fit.weights)
    clipped = np.einsum("tkb,tk->b", Y, np.clip(u, -1.345, 1.345) * np.sqrt(fit.weights))
    sizes = np.einsum("tkb,tk->b", abs(Y), np.sqrt(fit.weights) * np.ones_like(u))
    assert (abs(clipped) < 1e-3 * sizes).all()
    scale = fit.standard_errors
    assert np.linalg.norm((fit.values - TRUE) / scale) < 0.2 * np.linalg.norm((plain.values - TRUE) / scale)


def test_blocks_give_the_fit_of_the_whole_log() -> None:
    """Errors too: they look across the ends of blocks."""
    whole = fit_model(MODEL, NOISY)
    parts = fit_model(MODEL, [NOISY[k : k + 701] for k in range(0, 3000, 701)])
    np.testing.assert_allclose(parts.values, whole.values, rtol=1e-9)
    np.testing.assert_allclose(parts.standard_errors, whole.standard_errors, rtol=1e-6)


def test_chunks_say_whether_they_continue_the_one_before() -> None:
    """Five blocks of 600 instants and then another log: at least 1024 instants a chunk, none across the two logs."""
    later = replace(NOISY, t=NOISY.t + 100.0)
    chunks = list(BaseEquations(MODEL, BASE, [*(NOISY[k : k + 600] for k in range(0, 3000, 600)), later]))
    assert [len(chunk.tau) for chunk in chunks] == [1200, 1200, 600, 2048, 952]
    assert [chunk.continues for chunk in chunks] == [False, True, True, False, True]


def test_a_pass_that_ends_early_leaves_all_rows_to_the_next() -> None:
    """Correlations read a part of the log: what was kept of that part is not the log."""
    some = [NOISY[k : k + 600] for k in range(0, 3000, 600)]
    equations = BaseEquations(MODEL, BASE, some, kept=2500 * 2 * len(BASE) * 8)
    assert len(list(equations)) == 3
    next(iter(equations))
    assert sum(len(chunk.tau) for chunk in equations) == 3000


def test_parallel_decimation_keeps_equations_exact() -> None:
    """Friction jumps, so a filter of forces alone would leave a residual."""
    fit = fit_model(MODEL, sampled(ARM, 3000), decimate=5)
    np.testing.assert_allclose(fit.values, TRUE, atol=1e-9)
    assert fit.rows < 2 * 3000 / 5


def test_forces_that_were_not_measured_are_left_out() -> None:
    Y, tau = rows(replace(NOISY, tau=NOISY.tau.copy()))
    tau[100:200, 1] = np.nan
    fit, there = fit_model(MODEL, replace(NOISY, tau=tau), "ordinary"), np.isfinite(tau)
    dense = np.linalg.lstsq(Y[there], tau[there], rcond=None)[0]
    np.testing.assert_allclose(fit.values, dense, rtol=1e-9)
    assert fit.rows == 5900


def test_coordinates_without_measured_forces_have_no_base_parameters_of_their_own() -> None:
    fit = fit_model(MODEL, replace(NOISY, tau=NOISY.tau * [np.nan, 1]))
    assert not any("joint1" in name for name in fit.names)
    assert fit.rank == len(fit.names) and np.isfinite(fit.standard_errors).all()
    np.testing.assert_allclose(fit.predict(NOISY)[:, 1], sampled(ARM, 3000).tau[:, 1], atol=0.02)


def test_errors_of_a_twentieth_of_a_typical_size_are_the_most_near_zero() -> None:
    fit = fit_model(MODEL, NOISY)
    sizes = np.abs(fit.base.matrix) @ typical_sizes(fit.model, fit.parameters)
    for share, verdict in ((0.049, "near zero"), (0.051, "poorly excited")):
        zero = replace(fit, values=0 * fit.values, covariance=np.diag((share * sizes) ** 2))
        assert set(zero.verdicts) == {verdict}


def test_what_a_log_does_not_move_keeps_the_robots_values_and_is_named() -> None:
    t, *motion = fourier(2, 1000, 100.0)
    q, qd, qdd = (x * [1, 0] for x in motion)
    tau = ARM.inverse_dynamics(q, qd, qdd) + np.random.default_rng(0).normal(0, 0.1, q.shape)
    fit = fit_model(MODEL, Samples(t, q, qd, qdd, tau))
    at = fit.names.index("joint2.damping")
    assert fit.rank < len(fit.names) and fit.condition == np.inf
    assert fit.values[at] == pytest.approx(0.5, abs=1e-12) and fit.standard_errors[at] == np.inf
    assert fit.verdicts[at] == "poorly excited" and fit.poor[at]
    assert "joint2.damping" in str(fit) and "0.5 " not in str(fit)
    assert json.loads(json.dumps(fit.to_dict()))["base_parameters"][at]["standard_error"] is None


def test_drives_that_are_not_fitted_keep_the_robots_values() -> None:
    """Springs and damping of the description are part of the forces, and of the robot that a fit gives."""
    arm = revolute.robots.planar(1).with_drives({"joint1": Drive(damping=2.0, friction=1.0, stiffness=5.0)})
    samples = sampled(arm, 500)
    fit = revolute.identify(ForceModel(arm, drives=["friction"], offsets=False), samples)
    assert fit.names == ("link1.mx", "link1.my", "link1.Izz", "joint1.friction")
    np.testing.assert_allclose(fit.predict(samples), samples.tau, atol=1e-9)
    own = fit.robot(implausible="accept")
    np.testing.assert_allclose(own.inverse_dynamics(samples.q, samples.qd, samples.qdd), samples.tau, atol=1e-9)


def test_a_motor_that_moves_two_joints() -> None:
    wrist = coupled_drive("motor", [1, 1])
    t, q, qd, qdd = fourier(2, 1000, 100.0)
    v = qd.sum(axis=1)
    tau = ARM.inverse_dynamics(q, qd, qdd) + (0.2 * qdd.sum(axis=1) + 0.7 * v + 1.1 * np.sign(v))[:, None]
    fit = fit_model(ForceModel(ARM, terms=wrist), Samples(t, q, qd, qdd, tau))
    found = dict(zip(fit.names, fit.values, strict=True))
    assert found["motor.damping"] == pytest.approx(0.7) and found["motor.friction"] == pytest.approx(1.1)


@pytest.mark.parametrize("compression", [None, 0.5])
def test_counterbalances_give_and_take_what_their_springs_store(compression: float | None) -> None:
    """The work of a spring along a motion is the change of its energy, the integral of the pull over the length."""
    fixed, moving = ("base", (0.1, 0.5, 0.0)), ("link2", (0.3, -0.1, 0.0))
    terms = counterbalance(ARM, "spring", fixed, moving, length=0.6, compression=compression, exponent=1.3)
    t, q, qd, qdd = fourier(2, 20001, 2000.0, size=0.1)
    x = lengths(ARM, fixed, moving, q)[0] - 0.6
    for term in terms:
        work = np.trapezoid(np.sum(term.factor(q, qd, qdd) * qd, axis=1), t)
        stored = x if compression is None else (1 - compression * x) ** -0.3 / (0.3 * compression)
        stored = x**2 / 2 if term.name == "spring.stiffness" else stored
        assert work == pytest.approx(stored[-1] - stored[0], abs=1e-6)  # the trapezoidal rule's error is (1/2000)^2


def test_springs_are_found() -> None:
    ends = ("base", (0.1, 0.8, 0)), ("link1", (0.3, 0, 0))
    terms = counterbalance(ARM, "spring", *ends, length=0.6, compression=1.0)
    samples = sampled(ARM, 2000)
    tau = samples.tau + 500 * terms[0].factor(samples.q, samples.qd, samples.qdd)
    fit = fit_model(ForceModel(ARM, terms=terms), replace(samples, tau=tau))
    assert fit.values[fit.names.index("spring.force")] == pytest.approx(500, rel=1e-6)
    tight = ForceModel(ARM, terms=counterbalance(ARM, "spring", *ends, length=0.5, compression=9.0))
    assert_raises(InputError, r"spring\.force.*not finite", fit_model, tight, samples)


def test_stribeck_speeds_and_directions_of_friction_are_found() -> None:
    gear = Drive(damping=1.0, friction=2.0, friction_backward=1.5, stribeck=1.2, stribeck_speed=0.05)
    arm = revolute.robots.planar(1).with_drives({"joint1": gear})
    plain = revolute.robots.planar(1)
    samples = sampled(arm, 8000, 0.02, 200.0)
    kinds = ("damping", "friction")
    fit = revolute.identify(ForceModel(plain, drives=kinds, offsets=False, asymmetric=True, stribeck="search"), samples)
    found = dict(zip(fit.names, fit.values, strict=True))
    speed, error = fit.searched["joint1.stribeck_speed"]
    assert abs(speed - 0.05) < 4 * error < 0.004
    values = [found[f"joint1.{kind}"] for kind in ("friction", "friction_backward", "stribeck")]
    np.testing.assert_allclose(values, [2.0, 1.5, 1.2], atol=0.05)
    assert fit.robot(implausible="accept").robot.bodies[1].drive.stribeck_speed[0] == pytest.approx(0.05, rel=0.05)


def test_gains_of_drives_are_found_where_a_payload_is_known() -> None:
    """Currents in place of forces; the last link with its load is known, the rest is not."""
    arm = revolute.robots.planar(2).with_drives(DRIVES).with_gravity((0, -9.81, 0))
    samples = sampled(arm, 3000, 0.02)
    currents = replace(samples, tau=samples.tau / [20.0, 5.0])
    free = ForceModel(arm, gains=arm.coordinate_names)
    only = [name for name in free.names if not name.startswith("link2")]
    fit = revolute.identify(ForceModel(arm, only=only, gains=arm.coordinate_names), currents)
    at = [fit.names.index(f"{name}.gain") for name in arm.coordinate_names]
    np.testing.assert_allclose(fit.values[at], [20.0, 5.0], rtol=0.01)
    np.testing.assert_allclose(fit.predict(currents), samples.tau, atol=0.15)
    assert_raises(InputError, r"does not determine joint1\.gain", revolute.identify, free, currents)


def test_numbers_that_are_searched_add_to_the_errors_of_all_others() -> None:
    """The compression of a gas spring: given, or found from the same log."""
    arm = revolute.robots.planar(1)

    def gas(compression: float) -> list[Term]:
        ends = ("base", (0, 0.8, 0)), ("link1", (0.3, 0, 0))
        return counterbalance(arm, "gas", *ends, length=0.8, compression=compression)

    samples = sampled(arm.with_drives(), 3000, 0.1)
    tau = samples.tau + 2000 * gas(1.5)[0].factor(samples.q, samples.qd, samples.qdd)
    log = replace(samples, tau=tau)
    given = revolute.identify(ForceModel(arm, drives=[], terms=gas(1.5)), log)
    found = revolute.identify(ForceModel(arm, drives=[], terms=[Search("compression", gas, 0.1, 1.9)]), log)
    true = given.base.matrix @ given.model.values
    at = given.names.index("gas.force")
    true[at] = 2000
    for fit in (given, found):
        assert (abs(fit.values - true) < 4 * fit.standard_errors).all()
    assert found.standard_errors[at] > 1.5 * given.standard_errors[at]
    value, error = found.searched["compression"]
    assert abs(value - 1.5) < 4 * error < 0.1
    assert "compression" in str(found) and found.to_dict()["searched"]["compression"]["value"] == value
    assert_raises(InputError, "0 < lower < upper", Search, "compression", gas, 2.0, 1.0)


def test_essential_parameters_are_the_true_ones() -> None:
    """Of a planar arm about a level axis: no first moments along y, no offsets."""
    fit = fit_model(MODEL, sampled(ARM, 4000, 0.05))
    few = fit.essential(1e-3)
    assert set(few.names) == {name for name, x in zip(BASE.names, TRUE, strict=True) if abs(x) > 1e-12}
    assert (few.standard_errors <= fit.standard_errors[[fit.names.index(name) for name in few.names]] * 1.001).all()
    np.testing.assert_allclose(few.base.matrix @ few.parameters, few.values, atol=1e-9)
    samples = sampled(ARM, 200)
    np.testing.assert_allclose(few.predict(samples), samples.tau, atol=0.05)
    assert fit.f_test(["joint1.offset", "link1.my"]).probability > 1e-3 > fit.f_test(["joint1.friction"]).probability


def test_the_table_and_json() -> None:
    fit = fit_model(MODEL, NOISY)
    text = str(fit)
    assert text.startswith("<Fit of 'planar2': 13 base parameters") and "residual rms" in text
    assert all(len(line) < 120 for line in text.splitlines())
    data = json.loads(json.dumps(fit.to_dict()))
    assert [x["name"] for x in data["base_parameters"]] == list(fit.names)
    assert data["coordinates"]["joint1"]["residual_rms"] == fit.residual_rms[0]


def test_what_does_not_fit_is_refused() -> None:
    assert_raises(InputError, "unknown estimator 'best'", fit_model, MODEL, NOISY, "best")
    words = "only: there is no parameter, link or joint 'link9'"
    assert_raises(UnknownNameError, words, ForceModel, ARM, only=["link9"])
    for argument in ("only", "drives", "gains"):
        assert_raises(InputError, f"{argument} must be a sequence", ForceModel, ARM, **{argument: "link2"})
    assert_raises(UnknownNameError, "gains: there is no coordinate 'motor'", ForceModel, ARM, gains=["motor"])
    words, wide = "2 positions and 2 forces, but the robot has 3 and 3", revolute.robots.planar(3)
    assert_raises(ShapeError, words, revolute.identify, wide, NOISY)
    assert_raises(InputError, "no measured forces", fit_model, MODEL, replace(NOISY, tau=np.nan * NOISY.tau))
    assert_raises(InputError, "blocks of Samples, not ndarray", fit_model, MODEL, [np.zeros(3)])
    assert_raises(InputError, "stribeck must be", ForceModel, ARM, stribeck="fast")
    assert_raises(UnknownNameError, "there is no joint 'joint7'", with_friction, ARM, stribeck={"joint7": 0.1})
    odd, fit = ForceModel(ARM, terms=[Term("odd", lambda q, qd, qdd: qd[0])]), fit_model(MODEL, NOISY)
    assert_raises(ShapeError, "term 'odd'", revolute.identify, odd, NOISY)
    for call, level in ((fit.intervals, 95), (fit.intervals, 1.0), (fit.essential, 0.0), (fit.essential, 1.0)):
        assert_raises(InputError, "level must be between 0 and 1", call, level)
    assert_raises(UnknownNameError, "f_test: there is no base parameter", fit.f_test, ["link1.m"])
    assert_raises(InputError, "f_test: names must be a sequence", fit.f_test, "link1.m")
    assert_raises(InputError, "a log must be Samples, or blocks of Samples, not int", fit.predict, 3)


def test_modules_of_scipy_are_found_after_an_interrupted_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C leaves the module, but not the attribute of its package."""
    import scipy.linalg.lapack

    monkeypatch.delattr(scipy.linalg, "lapack")
    assert fit_model(MODEL, NOISY).rank == len(BASE)
