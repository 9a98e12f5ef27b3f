"""Floating bases: wrenches of contacts, momentum in flight, and logs that leave out what touches the robot."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from floater import ROBOT, TRUE, T, flight

import revolute
from revolute import Robot
from revolute.errors import InputError, ModelWarning, TrajectoryError, UnknownNameError
from revolute.identification import ForceModel, Samples, Term, check_log, read_log, validate, with_wrenches
from revolute.identification.fit.linear_fit import fit_model

Array = np.ndarray


def pushed(robot: Robot) -> tuple[Samples, Array]:
    """A motion that is prescribed, with the forces of the joints, and the (T, 6) wrench on the box that it needs."""
    h = 1e-3
    # derivatives of fourth order of functions with frequencies below 8 rad/s: (8 h)^4 / 30, 1e-10
    steps = [(_curve(T + k * h), c) for k, c in ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))]
    q, qd = _curve(T)
    qdd = sum(c * curve[1] for curve, c in steps) / h
    tau = robot.inverse_dynamics(q, qd, qdd)
    return Samples(T, q, qd, qdd, np.where(np.arange(robot.nv) < 6, np.nan, tau)), tau[:, :6]


def _curve(t: Array) -> tuple[Array, Array]:
    """q and qd: sines, and a quaternion of sines, far from the origin."""
    rng = np.random.default_rng(4)
    w, a, phase = rng.uniform(1, 8, (9, 3)), rng.normal(0, 0.3, (9, 3)), rng.uniform(0, 6, (9, 3))
    x = np.sum(a * np.sin(t[:, None, None] * w + phase), axis=-1)
    v = np.sum(a * w * np.cos(t[:, None, None] * w + phase), axis=-1)
    u, ud = np.column_stack([x[:, :3], np.ones(len(t))]), np.column_stack([v[:, :3], np.zeros(len(t))])
    length = np.linalg.norm(u, axis=1, keepdims=True)
    e = u / length
    ed = ud / length - e * np.sum(u * ud, axis=1, keepdims=True) / length**2
    omega = 2 * (e[:, 3:] * ed[:, :3] - ed[:, 3:] * e[:, :3] - np.cross(e[:, :3], ed[:, :3]))
    q = np.column_stack([x[:, 3:6] + [3.0, -2.0, 1.0], e, x[:, 6:8]])
    velocity = np.einsum("tji,tj->ti", ROBOT.forward_kinematics(q, "box")[:, :3, :3], v[:, 3:6])
    return q, np.column_stack([omega, velocity, v[:, 6:8]])


FLIGHT = flight(TRUE)
PUSHED, PULL = pushed(TRUE)
ALL = {"flight": with_wrenches(ROBOT, FLIGHT, {}), "pushed": with_wrenches(ROBOT, PUSHED, {"box": PULL})}


def bare(**options: Any) -> ForceModel:
    return ForceModel(ROBOT, drives=[], offsets=False, **options)


def exact(fit: Any) -> Array:
    return np.asarray(fit.base.matrix[:, :30] @ TRUE.inertial_parameters.ravel())


def noisy(log: Samples, seed: int, acceleration: float = 0.0) -> Samples:
    """Noise of forces, and of accelerations; not of what is exactly zero."""
    rng = np.random.default_rng(seed)
    tau = log.tau + rng.normal(0, 0.02, log.tau.shape) * (log.tau != 0)
    return replace(log, qdd=log.qdd + rng.normal(0, acceleration, log.qdd.shape), tau=tau)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("momentum", [None, 0.1])
def test_all_masses_are_told_by_wrenches_and_by_momentum(name: str, momentum: float | None) -> None:
    """In flight, forces of joints fix the scale, and momentum that stays all ratios."""
    fit = fit_model(bare(momentum=momentum), ALL[name])
    # trapezoids of wrenches of up to 8 rad/s and 200 N at 500 Hz: 200 (8 / 500)^2 / 12 = 4e-3 N of 10 kg
    np.testing.assert_allclose(fit.values, exact(fit), atol=1e-9 if momentum is None else 1e-3)
    assert fit.rank == len(fit.names) == 24
    mass = np.array([float(each.endswith(".m")) for each in fit.model.names])
    factors = np.linalg.lstsq(fit.base.matrix.T, mass, rcond=None)[0]
    np.testing.assert_allclose(factors @ fit.base.matrix, mass, atol=1e-9)  # the total mass is told


def test_joints_alone_tell_less() -> None:
    fit = fit_model(bare(), FLIGHT)
    assert len(fit.names) == 14 and not any("box" in name for name in fit.names)
    np.testing.assert_allclose(fit.values, exact(fit), atol=1e-9)


def test_momentum_is_that_of_the_mass_matrix_and_changes_by_gravity_alone_in_flight() -> None:
    """Rows of one window, times the true parameters, are zero; and those of one instant's momentum are M qd."""
    model = bare(momentum=0.5)
    momenta, forces, right = model.momenta(ALL["flight"], np.arange(30))
    pi = TRUE.inertial_parameters.ravel()
    expected = (TRUE.mass_matrix(FLIGHT.q) @ FLIGHT.qd[..., None])[..., 0]
    np.testing.assert_allclose(momenta @ pi, expected, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_allclose(forces @ pi, TRUE.gravity_forces(FLIGHT.q), atol=1e-9)
    assert not right[:, :6].any()


def test_terms_depend_on_velocities_beside_momentum_too() -> None:
    drag = Term("drag", lambda q, qd, qdd: -qd * abs(qd))
    model = bare(momentum=0.5, terms=[drag])
    _, forces, _ = model.momenta(ALL["flight"], np.arange(31))
    np.testing.assert_array_equal(forces[..., 30], -FLIGHT.qd * abs(FLIGHT.qd))


def test_noise_of_accelerations_spoils_instants_and_not_momentum() -> None:
    """With 1 rad/s^2 of noise, zero masses fit rows of zeros best; windows have none of it in base rows."""
    log = noisy(ALL["flight"], 0, 1.0)
    assert_raises(InputError, r"too noisy for rows with zero forces.*momentum=0\.1", fit_model, bare(), log)
    fit = fit_model(bare(momentum=0.1), log, decimate=5)
    weight = fit.values[fit.names.index("box.m + upper.m + lower.m")]
    assert weight == pytest.approx(TRUE.inertial_parameters[:, 0].sum(), rel=0.02)


@pytest.mark.parametrize("name", ALL)
def test_intervals_hold_the_true_values(name: str) -> None:
    model = bare(momentum=0.1)
    held = []
    for seed in range(6):
        fit = fit_model(model, noisy(ALL[name], seed), decimate=5)
        held.append(np.abs(fit.values - exact(fit)) <= 1.96 * fit.standard_errors + 1e-4)
    assert np.mean(held) > 0.88  # 95 % of 6 x 24, which are not independent; rounding of trapezoids aside


def test_blocks_give_the_rows_of_the_whole_log() -> None:
    """Windows go on from block to block, and begin anew behind a gap."""
    model = bare(momentum=0.1)
    log = ALL["pushed"]
    whole, parts = fit_model(model, log), fit_model(model, [log[:777], log[777:1300], log[1300:]])
    np.testing.assert_allclose(parts.values, whole.values, rtol=1e-9, atol=1e-12)
    assert whole.rows == 2 * len(log) + 6 * ((len(log) - 1) // 50)
    gap = fit_model(model, [log[:770], log[1000:]])
    assert gap.rows == 2 * (770 + 1000) + 6 * ((770 - 1) // 50 + 999 // 50)


def test_held_masses_and_terms_are_on_the_right_side() -> None:
    only = ForceModel(ROBOT, drives=[], offsets=False, only=["box"], momentum=0.1)
    only.values[:30] = TRUE.inertial_parameters.ravel()
    fit = fit_model(only, ALL["flight"])  # in flight, without a force of joints that it could explain
    np.testing.assert_allclose(fit.values, exact(fit), atol=1e-3)
    free = replace(FLIGHT, tau=np.where(np.arange(8) < 6, 0.0, np.nan * FLIGHT.tau))
    words = "all forces are zero, so the log determines only ratios of masses"
    assert_raises(InputError, words, fit_model, bare(), free)


def test_a_base_has_no_drives_and_no_offsets() -> None:
    names = ForceModel(ROBOT).names[30:]
    assert names and not any(name.startswith("free") for name in names)


def test_momentum_is_for_bases_that_float() -> None:
    words, fixed = "the base of 'planar2' is fixed: load it with base='free'", revolute.robots.planar(2)
    assert_raises(InputError, words, ForceModel, fixed, momentum=0.1)
    assert_raises(InputError, "momentum must be a positive length of windows", ForceModel, ROBOT, momentum=-1.0)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pushed robot with a wrench sensor; the base has no torque columns."""
    path = tmp_path_factory.mktemp("floating") / "log.csv"
    names = ["t", *(f"q.{n}" for n in ROBOT.position_names), "tau.shoulder", "tau.elbow"]
    names += [f"ft_{axis}" for axis in ("mx", "my", "mz", "fx", "fy", "fz")]
    columns = np.column_stack([PUSHED.t, PUSHED.q, PUSHED.tau[:, 6:], PULL])
    np.savetxt(path, columns, "%.9g", ",", header=",".join(names), comments="")
    return path


@pytest.mark.parametrize("momentum", [None, 0.2])
def test_a_log_with_wrenches_is_read_and_fitted(table: Path, momentum: float | None) -> None:
    log = read_log(ROBOT, table, {"wrench": {"box": "ft_{axis}"}})
    assert log.touched == ("box",) and log.has_forces.all()
    fit = revolute.identify(bare(momentum=momentum), log)
    # what the low-pass of positions takes from the motion
    np.testing.assert_allclose(fit.values, exact(fit), atol=0.02)
    assert validate(fit, log).verdict.startswith("good: residuals of all 8 joints")


def test_without_wrenches_joints_alone_are_fitted_and_the_ground_is_missed(table: Path) -> None:
    with pytest.warns(ModelWarning, match="the motion of 'free' requires forces of .* the log has none"):
        fit = revolute.identify(bare(), table)
    assert len(fit.names) == 14
    in_flight = read_log(ROBOT, table, {"wrench": {}})
    assert in_flight.touched == () and not in_flight.samples().tau[:, :6].any()
    assert check_log(ROBOT, in_flight)[0].kind == "contacts"


def test_columns_of_wrenches_that_are_not_there_are_named(table: Path) -> None:
    wrong: list[tuple[Any, str, type[Exception]]] = [
        ({"foot": "ft_{axis}"}, "wrench: there is no link 'foot'; available: 'world', 'box'", UnknownNameError),
        ({"box": "foot_{axis}"}, "has no column 'foot_mx'", InputError),
        ({"box": "ft_"}, r"the pattern 'ft_' for the wrench on 'box' needs \{axis\} in it", InputError),
        ({"box": ["ft_fz"]}, "the wrench on 'box' needs six columns", InputError),
        ("ft_{axis}", r"wrench must be \{link: columns\}", InputError),
    ]
    for columns, words, error in wrong:
        assert_raises(error, words, read_log, ROBOT, table, {"wrench": columns})
    assert_raises(InputError, "wrenches must be a dict", with_wrenches, ROBOT, PUSHED, PULL)
    some = {f"q.{name}": x for name, x in zip(ROBOT.position_names, PUSHED.q.T, strict=True)}
    assert_raises(TrajectoryError, "elbow", read_log, ROBOT, {"t": PUSHED.t, **some, "tau.shoulder": PUSHED.tau[:, 6]})


def wrong(change: str) -> Samples:
    """The pushed robot with one mistake."""
    q, qd, qdd, tau, pull = PUSHED.q.copy(), PUSHED.qd, PUSHED.qdd, noisy(PUSHED, 1).tau, PULL
    match change:
        case "reversed wrench":
            pull = -pull
        case "forces first":
            pull = pull[:, [3, 4, 5, 0, 1, 2]]
        case "kilogram-force":
            pull = pull * [1, 1, 1, 0.102, 0.102, 0.102]
        case "scalar first":
            q = q[:, [0, 1, 2, 6, 3, 4, 5, 7, 8]]
        case "linear first":
            qd, qdd = (x[:, [3, 4, 5, 0, 1, 2, 6, 7]] for x in (qd, qdd))
        case "swapped joints":
            tau = tau[:, [0, 1, 2, 3, 4, 5, 7, 6]]
        case "amperes":
            tau = tau / 20
    return with_wrenches(ROBOT, Samples(PUSHED.t, q, qd, qdd, tau), {"box": pull})


@pytest.mark.parametrize(("change", "kind", "words"), [
    ("none", None, ""),
    ("reversed wrench", "reversed", "free.v"),
    ("forces first", "contacts", "moments first"),
    ("kilogram-force", "size of forces", "Are they in N and N m"),
    ("scalar first", "contacts", "order of quaternions"),
    ("linear first", "contacts", "angular first"),
    ("swapped joints", "swapped", "'shoulder' and 'elbow' seem to be exchanged"),
    ("amperes", "size of forces", "if they are currents"),
])  # fmt: skip
def test_mistakes_are_told(change: str, kind: str | None, words: str) -> None:
    found = check_log(ROBOT, wrong(change))
    if kind is None:
        assert not found
    else:
        assert any(doubt.kind == kind and words in doubt.text for doubt in found), found


def test_flight_is_no_doubt() -> None:
    assert not check_log(ROBOT, noisy(FLIGHT, 1)) and not check_log(ROBOT, noisy(ALL["flight"], 1))
