"""Full parameters of real bodies: true minima, which predict as well as least squares."""

import sys
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from identification.arms import MODEL, log, rank_deficient_solution

import revolute
from revolute import InputError, MissingExtraError, ModelWarning, UnknownNameError
from revolute.identification import ForceModel, Region
from revolute.identification.bodies.physical import consistent, physical
from revolute.identification.bodies.scaled_problem import BASIS, ScaledProblem, in_deviations, scaled_problem, to_matrix
from revolute.identification.bodies.scaled_problem import to_vector as vectors
from revolute.model.parameters import to_vector
from revolute.model.pseudo_inertia import from_pseudo_inertia, pseudo_inertia

LOG = log(1)
PANDA_HAND = MODEL.robot.robot.bodies[7].name


def measured(seed: int) -> np.ndarray:
    """Rows [Y tau] in standard deviations of the noise of this seed."""
    triangle = LOG.triangle(seed)
    return in_deviations(triangle.R, triangle.rows - len(MODEL.names))


ROWS = measured(2)


def fitted(robot: Any, **options: Any) -> ForceModel:
    return ForceModel(robot, **{"drives": ["damping", "friction"], "offsets": False, **options})


def described(inertias: np.ndarray) -> ForceModel:
    return fitted(MODEL.robot.with_inertial_parameters(inertias, implausible="accept"))


def rows_of(truth: np.ndarray) -> np.ndarray:
    """(k, p + 1) rows [Y tau] of a log without noise."""
    return np.concatenate([LOG.Y, (LOG.Y @ truth)[..., None]], axis=-1).reshape(-1, len(truth) + 1)


def variables(problem: ScaledProblem, parameters: np.ndarray) -> np.ndarray:
    return np.linalg.lstsq(problem.T, parameters - problem.fixed, rcond=None)[0]


def cost(problem: ScaledProblem, z: np.ndarray) -> float:
    """The objective, from its definition, over the pull."""
    k = np.linalg.eigvalsh(to_matrix(z[: problem.entries].reshape(-1, 10)))
    squares = np.sum((problem.S @ z - problem.c) ** 2) / problem.pull + np.sum((z - problem.z0)[problem.entries :] ** 2)
    return float(squares / 2 + np.sum(k - 1 - np.log(k)))


def slope(problem: ScaledProblem, z: np.ndarray) -> np.ndarray:
    """The gradient of the objective with a pull of 1."""
    gradient = problem.S.T @ (problem.S @ z - problem.c) + z - problem.z0
    K = to_matrix(z[: problem.entries].reshape(-1, 10))
    gradient[: problem.entries] += vectors(2 * np.eye(4) - K - np.linalg.inv(K)).ravel()
    return np.asarray(gradient)


def test_pseudo_inertias_are_second_moments() -> None:
    """J is the sum of (x, 1) (x, 1)^T dm."""
    rng = np.random.default_rng(0)
    masses, places = rng.uniform(0.1, 1, 5), rng.standard_normal((5, 3))
    body = revolute.Inertia.particles(masses.tolist(), places.tolist())
    points = np.column_stack([places, np.ones(5)])
    parameters = np.array(to_vector(body))
    J = pseudo_inertia(parameters)
    np.testing.assert_allclose(J, (points.T * masses) @ points, atol=1e-14)
    np.testing.assert_allclose(from_pseudo_inertia(J), parameters, atol=1e-14)


@pytest.mark.parametrize("last", [None, -0.05], ids=["a body", "no body"])
def test_the_newton_decrement_is_zero_at_the_minimum(last: float | None) -> None:
    """The objective is convex: half the decrement is its distance from the minimum, in standard deviations squared."""
    truth = LOG.truth.copy()
    truth[66] = last or truth[66]  # Izz of the last link
    R = np.linalg.qr(rows_of(truth) / 0.05, mode="r")
    problem = scaled_problem(R, MODEL, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # of a link that grows to explain the negative moment of another
        z = variables(problem, physical(R, MODEL))
    K = to_matrix(z[: problem.entries].reshape(-1, 10))
    smallest = np.linalg.eigvalsh(K)[:, 0].min()
    assert 0 < smallest < 1e-3 if last else smallest > 0.1
    H = problem.S.T @ problem.S + np.diag(np.arange(len(z)) >= problem.entries)
    for k, inverse in enumerate(np.linalg.inv(K)):
        part = slice(10 * k, 10 * k + 10)
        H[part, part] += np.einsum("aij,bji->ab", inverse @ BASIS, inverse @ BASIS)
    gradient = slope(problem, z)
    assert gradient @ np.linalg.solve(H, gradient) < 1e-7


def test_friction_is_not_negative() -> None:
    """Forces of a drive that would give energy: its friction is zero, and the rest is the minimum with it."""
    truth = LOG.truth.copy()
    truth[70:73] = -0.5
    R = np.linalg.qr(rows_of(truth) / 0.05, mode="r")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # of a thin link, which takes up what friction cannot
        pi = physical(R, MODEL)
    assert (pi[70:] >= 0).all() and pi[70:73].max() < 1e-6
    MODEL.robot.with_parameters(dict(zip(MODEL.names, pi, strict=True)), implausible="refuse")
    problem = scaled_problem(R, MODEL, 1.0)
    gradient = slope(problem, variables(problem, pi))[70:]
    size = np.linalg.norm(problem.S[:, 70:], axis=0)
    assert (gradient > -1e-3 * size).all() and (gradient[:3] > 1e3).all()
    assert (np.abs(gradient[pi[70:] > 1e-3]) < 1e-3 * size[pi[70:] > 1e-3]).all()


def test_without_measurements_the_description_remains() -> None:
    R = 1e-9 * np.eye(len(MODEL.names) + 1)
    pi = physical(R, MODEL)
    description = scaled_problem(R, MODEL, 1.0)  # thin links of the description have become thicker
    np.testing.assert_allclose(pi, description.parameters(description.z0), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(pi, MODEL.values, rtol=1e-2, atol=1e-4)


def test_results_do_not_depend_on_units_or_frames() -> None:
    """The same log in grams and newton-millimetres-per-gram: masses a thousand times, regressors a thousandth."""
    scaled, factors = fitted(MODEL.robot), np.where(np.arange(84) < 70, 1e3, 1.0)
    scaled.values = MODEL.values * factors
    ours, theirs = physical(ROWS, MODEL), physical(ROWS / [*factors, 1], scaled) / factors
    np.testing.assert_allclose(theirs, ours, rtol=1e-5, atol=1e-7)


def test_links_without_mass_stay_so() -> None:
    arm = revolute.robots.planar(3)
    empty = arm.with_inertial_parameters(arm.inertial_parameters * np.array([[1], [0], [1]]))
    pi = physical(np.random.default_rng(4).standard_normal((100, 31)), fitted(empty, drives=[]))
    assert not pi[10:20].any() and pi[:10].all()


def prediction(Y: np.ndarray, pi: np.ndarray, truth: np.ndarray) -> float:
    return float(np.sqrt(np.mean((Y @ (pi - truth)) ** 2)))


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 203), marks=pytest.mark.slow)], ids=["few", "200"])
def test_real_bodies_predict_as_well_as_least_squares(seeds: Any) -> None:
    """All seeds positive definite; errors of forces on another motion within 2 % of those of least squares, or less."""
    Y = log(7).Y
    ratios = []
    for seed in seeds:
        R = measured(seed)
        free, pi = prediction(Y, rank_deficient_solution(R), LOG.truth), physical(R, MODEL)
        assert np.linalg.eigvalsh(pseudo_inertia(pi[:70].reshape(-1, 10))).min() > 0
        assert (pi[70:] >= 0).all()
        ratios.append(prediction(Y, pi, LOG.truth) / free)
    assert np.mean(ratios) < 1.02


@pytest.mark.parametrize("kind", ["box", "ellipsoid"])
def test_a_region_holds_the_mass(kind: str) -> None:
    """It is kept, and the minimum is that within it: no step that stays in it makes it better."""
    com = np.array(MODEL.robot.robot.bodies[7].inertia.com(), dtype=float)
    half = np.full(3, 0.08)
    region = Region.box(com - half, com + half) if kind == "box" else Region.ellipsoid(com, half)
    problem = scaled_problem(ROWS, MODEL, 1.0)
    free, held = (physical(ROWS, MODEL, regions=x) for x in (None, {PANDA_HAND: region}))
    assert not region.holds(free[60:70]) and region.holds(held[60:70], 1e-7)
    best, z = cost(problem, variables(problem, held)), variables(problem, held)
    assert best > cost(problem, variables(problem, free)) + 1e-3
    rng, kept = np.random.default_rng(5), 0
    for _ in range(200):
        near = z + 1e-2 * rng.standard_normal(len(z)) / np.maximum(np.linalg.norm(problem.S, axis=0), 1)
        if region.holds(problem.parameters(near)[60:70], 0):
            kept += 1
            assert cost(problem, near) > best - 1e-6
    assert kept > 10


@pytest.mark.parametrize("options, error, text", [
    ({"pull": 0.0}, InputError, "pull must be a positive number"),
    ({"pull": "much"}, InputError, "pull must be a positive number"),
    ({"R": np.eye(85)[:84]}, InputError, "all forces are zero"),
    ({"regions": {"hand": None}}, UnknownNameError, "no moving link 'hand'"),
    ({"regions": {PANDA_HAND: 3}}, InputError, "must be a Region, not int"),
    ({"model": described(np.zeros((7, 10)))}, InputError, "no link has a mass in the description"),
])  # fmt: skip
def test_broken_arguments_are_refused(options: dict[str, Any], error: type[Exception], text: str) -> None:
    assert_raises(error, text, physical, **{"R": ROWS, "model": MODEL, **options})


def test_a_fit_becomes_a_robot_of_real_bodies() -> None:
    """The robot of the fit is one, and predicts as well."""
    rng = np.random.default_rng(6)
    samples = replace(LOG.samples, tau=LOG.Y @ LOG.truth + rng.normal(0, 0.05, LOG.samples.tau.shape))
    fit = revolute.identify(fitted(MODEL.robot), samples)
    real = consistent(fit)
    np.testing.assert_array_equal(real.values, fit.base.matrix @ real.parameters)
    assert not (real.parameters == fit.parameters).all()
    forces = real.robot(implausible="refuse").inverse_dynamics(samples.q, samples.qd, samples.qdd)
    truth = LOG.Y @ LOG.truth
    errors = [np.sqrt(np.mean((x - truth) ** 2)) for x in (forces, fit.predict(samples))]
    assert errors[0] < 1.02 * errors[1]
    np.testing.assert_allclose(consistent(real).parameters, real.parameters, atol=1e-9)
    some = consistent(revolute.identify(fitted(MODEL.robot, only=["panda_link7"]), samples)).parameters
    np.testing.assert_array_equal(some[:60], MODEL.values[:60])
    assert np.linalg.eigvalsh(pseudo_inertia(some[60:70]))[0] > 0
    for only, words in ((["panda_link7.m"], "'panda_link7' is fitted only in part"), ([], "has no parameter to fit")):
        assert_raises(InputError, words, physical, ROWS, fitted(MODEL.robot, only=only))


@pytest.mark.parametrize(("inertias", "words"), [
    (np.tile([1e-3, 0, 0, 0, 1e-6, 1e-6, 1e-6, 0, 0, 0], (7, 1)), ", which the prior holds back"),
    (np.tile([1, 0, 0, 0, 0, 0, 0, 0, 0, 0], (7, 1)), ", which the prior holds back"),
    (1e-2 * MODEL.robot.robot.inertial_parameters, ""),
])  # fmt: skip
def test_placeholders_in_a_description_are_told(inertias: np.ndarray, words: str) -> None:
    """Links of a gram, points, or a hundredth: no prior for an arm of 14 kg, since entropic distances grow with ratios.

    Never a silent bad model.
    """
    words = f"panda_link2.* times the inertia of the description{words}"
    assert_warns(ModelWarning, words, physical, ROWS, described(inertias))


def test_a_search_that_ends_without_a_result_is_told() -> None:
    """The last link's mass in a box that is 5 m away from its place."""
    com = np.array(MODEL.robot.robot.bodies[7].inertia.com(), dtype=float) + 5
    far = {PANDA_HAND: Region.box(com, com + 1e-3)}
    words = "no physically consistent parameters were found; the solver ended with"
    assert_raises(InputError, words, physical, ROWS, MODEL, regions=far)


def test_the_search_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    physical(ROWS, MODEL)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("row", [[1, 0, 0, 0, 1, 1, 1, 0, 0, 0], [100, 0, 0, 10, 10, 10, 10, 0, 0, 0]])
def test_rough_descriptions_are_good_enough(row: list[float]) -> None:
    """Unit masses and inertias, or all too heavy: predictions as good as those of least squares."""
    model = described(np.tile(row, (7, 1)))
    free = prediction(LOG.Y, rank_deficient_solution(ROWS), LOG.truth)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        pi = physical(ROWS, model)
    assert prediction(LOG.Y, pi, LOG.truth) < 1.05 * free


def test_without_clarabel_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    assert_raises(MissingExtraError, "clarabel", physical, ROWS, MODEL)
