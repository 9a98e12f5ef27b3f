"""Exciting motions: criteria and their gradients, limits, and that a search is better than chance."""

from dataclasses import fields, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import Drive, InputError, Limits, ShapeError, TrajectoryError, UnknownNameError
from revolute.identification import ExcitationLimits, ExcitingMotion, ExpectedLog, ForceModel, Samples, Term, excite
from revolute.identification.excitation.information import CRITERIA
from revolute.identification.excitation.problem import INFORMATION, Problem, problem_of
from revolute.identification.excitation.search import candidates, random_curve
from revolute.trajectory import load

COUPLING = [[1, 0], [-1, 0.5]]
SHORT: dict[str, Any] = {"duration": 4.0, "harmonics": 3, "starts": 1}
STEP = 1e-30
"""Of complex steps: derivatives are exact to rounding."""


@cache
def arm() -> revolute.Robot:
    """Two links that swing in a vertical plane, with dry friction and limits of their own."""
    plain = revolute.robots.planar(2)
    limits = Limits(lower=(-2.0,), upper=(2.0,), velocity=(3.0,), effort=(60.0,))
    drive = Drive(damping=(0.5,), friction=(2.0,), armature=(0.1,))
    base, *moving = plain.bodies
    return replace(plain, bodies=(base, *(replace(body, limits=limits, drive=drive) for body in moving)))


def problem(criterion: str = "d", robot: Any = None, **changed: Any) -> Problem:
    model = robot if isinstance(robot, ForceModel) else ForceModel(robot or arm())
    given = {"limits": ExcitationLimits(), "log": ExpectedLog(), **grouped(changed)}
    return problem_of(model, 4.0, 3, criterion, True, given["limits"], given["log"])


def grouped(given: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `excite` with those of limits and of the log in their groups."""
    groups: dict[str, Any] = {"limits": ExcitationLimits, "log": ExpectedLog}
    fields_of = {name: [x.name for x in fields(kind)] for name, kind in groups.items()}
    found = {name: x for name, x in given.items() if not any(name in of for of in fields_of.values())}
    inside = {name: {k: x for k, x in given.items() if k in of} for name, of in fields_of.items()}
    return found | {name: groups[name](**own) for name, own in inside.items() if own}


def some_curve(made: Problem) -> tuple[np.ndarray, Any]:
    """A curve within limits, and the basis of the criterion."""
    x = random_curve(made, candidates(made, np.random.default_rng(0)), np.random.default_rng(1))
    return x, made.curves.basis(made.instants(INFORMATION))


@cache
def swing() -> ExcitingMotion:
    limits = ExcitationLimits(box={"tip": ((-2.0, -2.0, -1.5), (1.5, 2.0, 1.0))})
    return excite(arm(), **SHORT, limits=limits)


def by_complex_step(f: Any, x: np.ndarray) -> np.ndarray:
    """The gradient of an analytic function."""
    slopes = np.zeros(x.size)
    for k in range(x.size):
        moved = x.ravel() + 0j
        moved[k] += STEP * 1j
        slopes[k] = f(moved.reshape(x.shape)).imag / STEP
    return slopes.reshape(x.shape)


def analytic(criterion: str, W: np.ndarray) -> Any:
    """The criteria by determinant and eigenvalues of W^T W, without absolute values and conjugates."""
    G = W.T @ W
    if criterion == "d":
        return -np.log(np.linalg.det(G)) / len(G)
    s = np.linalg.eigvals(G)
    s = s[np.argsort(s.real)]
    return np.log(s[-1] / s[0]) / 2


def test_rows_without_rank_are_bad_not_an_error() -> None:
    for criterion in CRITERIA.values():
        for W, least in ((np.ones((6, 2)), 30), (np.zeros((6, 2)), 0)):
            value, slopes = criterion(W)
            assert least <= value < np.inf and np.isfinite(slopes).all()


def smooth_criterion(made: Problem, criterion: str, x: np.ndarray) -> Any:
    """The whole criterion over complex scalars: curve, recursion of the regressor, weights, determinant."""
    q, qd, qdd = made.curves.motion(x, made.curves.basis(made.instants(INFORMATION)))
    robot = made.information.regressor.robot
    entries = robot._signature("regressor", {}).body(list(q.T), list(qd.T), list(qdd.T))
    Y = np.array([np.broadcast_to(entry, len(q)) for entry in entries]).T.reshape(len(q), robot.nv, -1)
    ones = np.broadcast_to(np.eye(robot.nv), (len(q), robot.nv, robot.nv))  # columns of offsets
    return analytic(criterion, made.information.matrix(np.concatenate([Y, ones], axis=-1)))


@pytest.mark.parametrize(("name", "criterion"), [*product(("arm", "coupled"), CRITERIA), ("ur5", "d")])
def test_the_gradient_is_that_of_a_complex_step(name: str, criterion: str) -> None:
    robots = {"arm": arm(), "coupled": arm().with_drives(coupling=COUPLING), "ur5": revolute.robots.ur5()}
    made = problem(criterion, robots[name], **({} if name == "ur5" else {"velocity": 3.0}))
    x, basis = some_curve(made)
    value, gradient = made.objective(x, basis)
    np.testing.assert_allclose(value, analytic(criterion, made_rows(made, x, basis)), rtol=1e-9)
    exact = by_complex_step(lambda at: smooth_criterion(made, criterion, at), x)
    np.testing.assert_allclose(gradient, exact, atol=1e-9 * np.abs(exact).max())


def made_rows(made: Problem, x: np.ndarray, basis: Any) -> np.ndarray:
    return made.information.matrix(made.information.regressor(*made.curves.motion(x, basis)))


def test_terms_of_anyone_have_central_differences() -> None:
    """A term that is a column of the regressor itself: the same gradient, to the error of differences."""
    spring = Term("joint1.spring", lambda q, qd, qdd: np.column_stack([np.sin(q[:, 0]) * qd[:, 1], qdd[:, 0] ** 2]))
    made = problem(robot=ForceModel(arm(), terms=[spring]))
    x, basis = some_curve(made)
    _, gradient = made.objective(x, basis)
    for direction in np.random.default_rng(2).standard_normal((3, x.size)):
        h = 1e-5  # of central differences: errors of h^2 and of eps/h are both about 1e-10
        ends_of_step = [made.objective(x + sign * h * direction, basis)[0] for sign in (1, -1)]
        np.testing.assert_allclose((ends_of_step[0] - ends_of_step[1]) / (2 * h), gradient @ direction, rtol=1e-6)


@pytest.mark.parametrize("coupling", [None, COUPLING])
def test_limits_have_their_slopes(coupling: Any) -> None:
    """Those of the robot, and of a joint that follows both coordinates."""
    robot = arm() if coupling is None else arm().with_drives(coupling=coupling)
    made = problem("d", robot, height=-1.5, box={"tip": ((-2, -2, -2), (1.8, 2, 2))}, acceleration=20.0)
    names = {name for limit in made.limits for name in limit.names}
    assert coupling is None or {f"{x} of 'joint2'" for x in ("position", "velocity", "torque")} <= names
    (x, _), basis, h = some_curve(made), made.curves.basis(made.instants(4)), 1e-6
    direction = np.random.default_rng(3).standard_normal(x.size)
    for limit in made.limits:
        high, low = (limit.values(*made.curves.motion(x + sign * h * direction, basis)) for sign in (1, -1))
        slopes = made.curves.jacobian(basis, limit.slopes(*made.curves.motion(x, basis))) @ direction
        np.testing.assert_allclose((high - low) / (2 * h), slopes, atol=1e-6 * max(1, np.abs(slopes).max()))


def test_all_limits_hold_between_samples() -> None:
    found = swing()
    assert found.check(5000).ok
    q, qd, _ = found.trajectory(np.linspace(0, 4, 20001))
    tip = arm().forward_kinematics(q, "tip")[:, :3, 3]
    assert (tip <= [1.5, 2.0, 1.0]).all() and (tip >= [-2.0, -2.0, -1.5]).all()
    assert found.binding and all(reach.share <= 1 for reach in found.reaches)
    np.testing.assert_allclose(found.trajectory([0.0, 4.0])[1:], 0, atol=1e-12)  # it starts and ends at rest
    reaches = {reach.name: reach.value for reach in found.reaches}
    for name, x in (("position", q), ("velocity", qd)):
        values = [reaches[f"{name} of 'joint{k}'"] for k in (1, 2)]
        np.testing.assert_allclose(np.abs(values), np.abs(x).max(axis=0), rtol=1e-3)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_it_is_better_than_chance(criterion: str) -> None:
    made = problem(criterion)
    rng = np.random.default_rng(5)
    centers = candidates(made, rng)
    basis = made.curves.basis(made.instants(INFORMATION))
    drawn = [made.objective(random_curve(made, centers, rng), basis)[0] for _ in range(300)]
    found = excite(arm(), **SHORT, criterion=criterion)
    assert found.starts.min() < min(drawn) - 0.1
    assert found.evaluations >= found.iterations > 0


def test_standard_errors_are_those_of_least_squares() -> None:
    """With rows as many as samples of the log: the covariance of ordinary least squares, (W^T W)^-1."""
    found = swing()
    t = np.arange(400) / found.rate
    q, qd, qdd = found.trajectory(t)
    Y = found.model.regressor(Samples(t, q, qd, qdd, 0 * qd))[..., found.base.columns] / 0.6  # noise: 1 % of 60 N m
    covariance = np.linalg.inv(np.einsum("tib,tic->bc", Y, Y))
    # a sum over 400 instants and one over 60, of the same integral but for jumps of friction
    np.testing.assert_allclose(found.standard_errors, np.sqrt(covariance.diagonal()), rtol=0.1)


def test_what_limits_keep_from_moving_is_named() -> None:
    slow, noisy = ExcitationLimits(velocity={"joint2": 1e-3}), ExpectedLog(noise=1.0)
    still = excite(arm(), **SHORT, limits=slow, log=noisy)
    assert set(still.unexcited) & {"joint2.armature", "joint2.damping"}
    assert not any(name in str(swing()).splitlines()[-1] for name in swing().names)


def test_a_prior_is_information() -> None:
    """What is known beforehand to a standard deviation is never known worse afterwards."""
    model = ForceModel(arm())
    deviations = np.full(len(model.names), np.inf)
    k = model.names.index("joint1.damping")
    deviations[k] = 1e-3
    made = problem(robot=model, prior=deviations)
    x, basis = some_curve(made)
    W = made_rows(made, x, basis)
    scaled = np.sqrt(np.linalg.inv(W.T @ W).diagonal())
    at = made.information.base.columns.tolist().index(k)
    assert scaled[at] * made.information.scale[at] <= 1e-3
    W0 = made_rows(problem(robot=model), x, basis)
    rest = np.sqrt(np.linalg.inv(W0.T @ W0).diagonal())
    assert (scaled <= rest * (1 + 1e-9)).all() and rest[at] * made.information.scale[at] > 1e-3


def test_terms_that_are_not_defined_everywhere_are_told() -> None:
    nowhere = Term("gas.force", lambda q, qd, qdd: np.where(np.abs(q) < 5.0, np.nan, qd))
    assert_raises(InputError, "finite|no unknown|gas.force", excite, ForceModel(arm(), terms=[nowhere]), **SHORT)
    inside = Term("gas.force", lambda q, qd, qdd: np.where(np.abs(q) < 1.0, q**2, np.nan))
    ranges = ExcitationLimits(position={"joint1": (-0.9, 0.9), "joint2": (-0.9, 0.9)})
    found = excite(ForceModel(arm(), terms=[inside]), **SHORT, limits=ranges)
    assert np.isfinite(found.value) and "gas.force" in found.names


def test_files_and_texts(tmp_path: Path) -> None:
    found = swing()
    found.save(tmp_path / "excitation.csv", rate=50.0, periods=2)
    again = load(arm(), tmp_path / "excitation.csv")
    assert again.duration == 8.0
    np.testing.assert_allclose(again.q(5.0), found.trajectory.q(1.0), atol=1e-12)
    assert_raises(InputError, "more than 20,000,000 rows", found.save, tmp_path / "long.csv", rate=1e9)
    assert repr(found).startswith("<ExcitingMotion of 'planar2': 4 s, 3 harmonics")
    assert "condition number" in str(found)


def test_what_does_not_fit_is_named() -> None:
    floating = revolute.robots.random_tree(2, rng=1, base="free")
    wrong: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (InputError, "criterion", {"criterion": "a"}),
        (InputError, "duration", {"duration": 0.0}),
        (InputError, "rate", {"rate": -1.0}),
        (InputError, "harmonics", {"harmonics": 1}),
        (InputError, "starts", {"starts": 0}),
        (InputError, "noise|prior", {"prior": [1.0]}),
        (ShapeError, "noise", {"noise": [1.0, 0.0]}),
        (UnknownNameError, "joint9", {"position": {"joint9": (0, 1)}}),
        (InputError, "cannot move", {"position": {"joint1": (3.0, 4.0)}}),
        (InputError, "lowest, highest", {"position": {"joint1": 3.0}}),
        (UnknownNameError, "hand", {"box": {"hand": ([0] * 3, [1] * 3)}}),
        (InputError, "below highest", {"box": {"tip": ([1] * 3, [0] * 3)}}),
        (InputError, "random configurations at rest.*'tip'", {"box": {"tip": ([5] * 3, [6] * 3)}}),
        (InputError, "torque of 'joint1'", {"torque": {"joint1": 1e-3}}),
        (UnknownNameError, "velocity", {"velocity": {"joint9": 1.0}}),
        (InputError, "height", {"height": "low"}),
    ]
    for error, words, given in wrong:
        assert_raises(error, words, excite, arm(), **{**SHORT, **grouped(given)})
    assert_raises(InputError, "several axes", excite, floating)
    assert_raises(InputError, "joint1' has no limits", excite, revolute.robots.planar(2))
    assert_raises(InputError, "robot must be a Robot or a DrivenRobot", excite, "ur5")
    stone = revolute.Robot.from_links("stone", [revolute.Link("stone")], [])
    assert_raises(InputError, "has no moving joint", excite, stone)
    weak = {**SHORT, "duration": 0.3, "limits": ExcitationLimits(torque=0.5)}  # enough to hang down at rest
    assert_raises((TrajectoryError, InputError), "limit", excite, arm(), **weak)
