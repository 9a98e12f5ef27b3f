"""Logs that are damaged in the ways that people damage them: each is told by name, and good logs are not."""

import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from logs import REAL, UR10, ur10
from recorded import arm, motion, named, noisy, sampled, truth

import revolute
from revolute import InputError, ModelWarning
from revolute.identification import ForceModel, Log, LogFinding, MotorSide, Samples, check_log, read_log, validate
from revolute.io import trajectory

Arrays = dict[str, np.ndarray]
NAMES = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint")


def told(change: Callable[[Arrays], Any], **options: Any) -> tuple[LogFinding, ...]:
    arrays = noisy(truth())
    changed = change(arrays)
    return check_log(arm(), read_log(arm(), arrays if changed is None else changed, **options))


def test_a_good_log_is_not_doubted() -> None:
    assert told(lambda arrays: None) == ()


@pytest.mark.parametrize("quantities", [("q",), ("tau",), ("q", "tau")], ids=" and ".join)
@pytest.mark.parametrize(("i", "j"), [(0, 1), (1, 2), (2, 4)])
def test_exchanged_joints_are_named(quantities: tuple[str, ...], i: int, j: int) -> None:
    order = [{i: j, j: i}.get(k, k) for k in range(6)]
    found = told(lambda arrays: arrays | {name: arrays[name][:, order] for name in quantities})
    assert [doubt.kind for doubt in found] == ["swapped"] and set(found[0].names) == {NAMES[i], NAMES[j]}


@pytest.mark.parametrize("quantity", ["q", "tau"])
@pytest.mark.parametrize("k", [0, 2, 5])
def test_reversed_signs_are_named(quantity: str, k: int) -> None:
    found = told(lambda arrays: arrays | {quantity: arrays[quantity] * np.where(np.arange(6) == k, -1, 1)})
    assert [doubt.names for doubt in found if doubt.kind == "reversed"] == [(NAMES[k],)]


def test_degrees_are_told() -> None:
    found, none = (told(lambda arrays: arrays | {"q": np.degrees(arrays["q"])}, units=x) for x in (None, "deg"))
    assert [doubt.kind for doubt in found] == ["degrees"] and "units='deg'" in str(found[0]) and none == ()
    found = told(lambda arrays: None, units="deg")  # radians that are called degrees
    assert found[0].kind == "unmoved" and found[0].names == NAMES and "another unit" in str(found[0])


def test_degrees_of_joints_without_limits_are_told() -> None:
    robot = revolute.robots.planar(2)
    log = sampled(robot.with_drives({"joint1": revolute.Drive(damping=1.0)}), 1500, 0.05)
    found = check_log(robot, read_log(robot, {"t": log.t, "q": np.degrees(log.q), "tau": log.tau}))
    assert [doubt.kind for doubt in found] == ["degrees"]
    assert check_log(robot, read_log(robot, {"t": log.t, "q": log.q, "tau": log.tau})) == ()


@pytest.mark.parametrize("factor", [0.05, 1 / 100])
def test_currents_and_torques_of_motors_are_told(factor: float) -> None:
    found = told(lambda arrays: arrays | {"tau": factor * arrays["tau"]})
    assert [doubt.kind for doubt in found] == ["size of forces"] and "gains" in str(found[0])
    for gains in (np.full(6, 1 / factor), "unknown"):
        currents = {"units": {"tau": "A"}, "motor_side": MotorSide(gains=gains)}
        assert told(lambda arrays: arrays | {"tau": factor * arrays["tau"]}, **currents) == ()


@pytest.mark.parametrize("late", [0.02, -0.02])
def test_columns_of_two_clocks_are_told(late: float) -> None:
    found = told(lambda arrays: arrays | {"tau": noisy(motion(truth().t - late))["tau"]})
    assert [doubt.kind for doubt in found] == ["unsynchronised"]
    delay = float(re.findall("delay=([-.0-9]+)", str(found[0]))[0])
    assert abs(delay - late) < 6e-4  # see test_delays_are_found_to_a_fraction_of_a_sample


def test_missing_cells_are_counted() -> None:
    def drop(arrays: Arrays) -> None:
        arrays["q"][100:120, 2] = np.nan
        arrays["tau"][::50, 1] = np.nan

    found = told(drop)
    assert {doubt.kind for doubt in found} == {"missing"}
    assert [doubt.names for doubt in found] == [("q.elbow_joint",), ("tau.shoulder_lift_joint",)]
    assert "1 % of 'q.elbow_joint'" in str(found[0]) and "2 % of 'tau.shoulder_lift_joint'" in str(found[1])


def test_empty_channels_are_named() -> None:
    there = np.column_stack([*np.ones((4, 2000)), np.zeros(2000), truth().t >= 7.5])
    found = told(lambda arrays: arrays | {"tau": there * arrays["tau"]})
    assert [doubt.kind for doubt in found] == ["empty"] and found[0].names == NAMES[4:]


def test_forces_that_are_left_out_on_purpose_are_no_doubt() -> None:
    chosen, arrays = {"tau": [f"tau{k}" if k < 5 else None for k in range(1, 7)]}, noisy(truth())
    assert check_log(arm(), read_log(arm(), arrays, chosen)) == ()
    arrays["tau"][:, 4] = np.nan
    assert [doubt.names for doubt in check_log(arm(), read_log(arm(), arrays))] == [(NAMES[4],)]


def test_joints_at_rest_are_named() -> None:
    q, qd, qdd = (x * [1, 1, 1, 1, 0, 1] for x in (truth().q, truth().qd, truth().qdd))
    tau = arm().inverse_dynamics(q, qd, qdd) + 5 * qd
    found = check_log(arm(), read_log(arm(), noisy(Samples(truth().t, q, qd, qdd, tau))))
    assert ("unmoved", ("wrist_2_joint",)) in [(doubt.kind, doubt.names) for doubt in found]


def test_short_logs_are_told() -> None:
    found = told(lambda arrays: {name: x[:400] for name, x in arrays.items()})
    assert found[-1].kind == "short" and "too few for" in str(found[-1])


def test_doubts_are_warnings_on_request() -> None:
    arrays = noisy(truth())
    log = read_log(arm(), arrays | {"tau": arrays["tau"] * [1, -1, 1, 1, 1, 1]})
    words = "log: friction of 'shoulder_lift_joint' accelerates"
    assert assert_warns(ModelWarning, words, check_log, arm(), log, warn=True) == check_log(arm(), log)


def test_logs_of_other_robots_are_refused() -> None:
    other = Samples(np.arange(50.0), *np.zeros((4, 50, 2)))
    assert_raises(InputError, "the log has 2 coordinates, and the robot 6", check_log, arm(), other)
    assert_raises(InputError, "log must be of the type Samples, not 3", check_log, arm(), 3)


def test_a_log_of_a_ur10_is_not_doubted_nor_its_file() -> None:
    log = ur10()
    assert check_log(log.robot, log) == check_log(log.robot, UR10) == ()


@pytest.mark.parametrize("name", ["ur10", "tx40", "kr300"])
def test_real_logs_are_not_doubted(name: str) -> None:
    log = REAL[name]()
    assert check_log(log.robot, log) == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur10", "tx40"])
@pytest.mark.parametrize(("i", "j"), [(0, 1), (1, 2), (3, 4), (4, 5)])
def test_exchanged_forces_of_real_logs_are_named(name: str, i: int, j: int) -> None:
    log = REAL[name]()
    samples = log.samples()
    samples.tau[:, [i, j]] = samples.tau[:, [j, i]]
    found = check_log(log.robot, samples)
    names = log.model.coordinate_names
    assert [doubt.kind for doubt in found] == ["swapped"] and set(found[0].names) == {names[i], names[j]}


def test_the_currents_of_a_tiago_are_told() -> None:
    """Its columns of effort are currents of motors; two motors turn against their joints; the wrist has none."""
    log: Log = REAL["tiago"]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = check_log(log.robot, log)
    kinds = {doubt.kind: doubt for doubt in found}
    assert set(kinds) == {"empty", "reversed", "size of forces"}
    assert kinds["empty"].names == ("arm_5_joint", "arm_6_joint", "arm_7_joint")
    assert {doubt.names for doubt in found if doubt.kind == "reversed"} == {("arm_3_joint", "arm_4_joint")}
    trial = validate(replace(revolute.identify(log.robot, log, check=False), findings=found), log)
    worst = log.robot.joint_names[np.nanargmax(trial.relative)]
    # residuals in A are no fraction of efforts in N m
    assert np.isnan(trial.of_rated).all() and np.isfinite(trial.efforts).all()
    assert trial.verdict.startswith("poor: ") and f"worst is {worst} with " in trial.verdict
    assert trial.verdict.endswith("contradicts the robot: reversed, size of forces")


def messages(log: Arrays | Path) -> str:
    """What `identify` warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        revolute.identify(arm(), log if isinstance(log, Path) else read_log(arm(), log))
    assert all(each.category is ModelWarning and each.filename == __file__ for each in caught)
    return "\n".join(str(each.message) for each in caught)


def test_identification_warns_of_damaged_logs_alone(tmp_path: Path) -> None:
    log = noisy(truth())
    swapped = messages(log | {"tau": log["tau"][:, [0, 2, 1, 3, 4, 5]]})
    assert "forces of 'shoulder_lift_joint' and 'elbow_joint' seem to be exchanged" in swapped
    columns, path = named(log), tmp_path / "log.csv"
    trajectory.write(path, list(columns), *columns.values())
    assert messages(log) == "" == messages(path)


def test_samples_blocks_and_iterators_are_looked_at() -> None:
    samples = truth()
    turned = replace(samples, tau=samples.tau * [1, 1, -1, 1, 1, 1])
    blocks = [turned[k : k + 300] for k in range(0, len(turned), 300)]
    words = "samples: friction of 'elbow_joint' accelerates"
    for log in (turned, blocks, iter(blocks)):
        fit = assert_warns(ModelWarning, words, revolute.identify, arm(), log)
        assert fit.rows == 6 * len(samples)
    quiet = revolute.identify(arm(), turned, check=False)
    np.testing.assert_allclose(quiet.values, fit.values, rtol=1e-9, atol=1e-9)  # sums in another order


def test_robots_without_joints_are_refused() -> None:
    table = revolute.Robot.from_links("table", [revolute.Link("top")], [])
    for call, *log in ((ForceModel,), (revolute.identify, "log.csv"), (read_log, {"t": np.arange(3.0)})):
        assert_raises(InputError, "robot 'table' has no moving joint", call, table, *log)


@pytest.mark.parametrize("log", [3, [3], {"t": np.arange(3.0)}, None])
def test_what_is_no_log_is_refused(log: object) -> None:
    assert_raises(InputError, "a log", revolute.identify, revolute.robots.planar(1), log)
