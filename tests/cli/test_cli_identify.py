"""`revolute identify`: from simulated logs to a robot file, a report and JSON; and what it says of broken input."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import run
from numpy.typing import NDArray

import revolute
from revolute.cli.commands.log_options import LogOptions
from revolute.cli.commands.logs import LogBlocks, open_log

Array = NDArray[np.float64]
DRIVES = {"joint1": revolute.Drive(damping=0.5, friction=1.0), "joint2": revolute.Drive(damping=0.2, friction=0.5)}
TRUE = revolute.robots.planar(2).with_drives(DRIVES)
NOISE = 0.05
invoke = partial(run, "identify")


def motion(seed: int, rows: int = 4000) -> dict[str, Array]:
    """t, q and tau at 200 Hz, with white noise on the forces."""
    rng, t = np.random.default_rng(seed), np.arange(rows) / 200
    w = 2 * np.pi * 0.2 * np.arange(1, 6)
    a, b = rng.normal(0, 0.5, (2, 5, 2))
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q, qd, qdd = s @ a + c @ b, c @ (a * w[:, None]) - s @ (b * w[:, None]), -(w**2 * s) @ a - (w**2 * c) @ b
    return {
        "t": t,
        "q": q,
        "qd": qd,
        "qdd": qdd,
        "tau": TRUE.inverse_dynamics(q, qd, qdd) + rng.normal(0, NOISE, q.shape),
    }


def write(path: Path, names: str, *columns: Array) -> Path:
    np.savetxt(path, np.column_stack(columns), "%.9g", ",", header=names, comments="")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two logs, and a robot whose file has other masses and no friction."""
    place = tmp_path_factory.mktemp("identify")
    for name, seed in (("a.csv", 0), ("b.csv", 1)):
        m = motion(seed)
        write(place / name, "t,q1,q2,tau1,tau2", m["t"], m["q"], m["tau"])
    plain = revolute.robots.planar(2)
    guess = plain.with_inertial_parameters(1.3 * plain.inertial_parameters)
    revolute.save(guess, place / "arm.toml")  # with gravity along its plane, which URDF does not know
    return place


def test_from_logs_to_a_robot_a_report_and_a_verdict(folder: Path, tmp_path: Path) -> None:
    model, page = tmp_path / "model.toml", tmp_path / "report.html"
    said, _ = invoke(
        folder / "arm.toml", folder / "a.csv", "--validate", folder / "b.csv", "-o", model, "--report", page
    )
    assert "Validation log b.csv: good: residuals of all 2 joints are below 10% of their signals" in said
    assert f"Written to {model}" in said and f"Report in {page}" in said and "200 Hz, low-pass of" in said
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    m = motion(2)
    found = revolute.load(model).with_drives().inverse_dynamics(m["q"], m["qd"], m["qdd"])
    exact = TRUE.inverse_dynamics(m["q"], m["qd"], m["qdd"])
    # the low-pass rounds the steps of friction where joints turn back, so that the fit is off by a share of 1 N m
    rms = np.sqrt(np.mean((found - exact) ** 2, axis=0))
    assert (rms < 0.02 * np.sqrt(np.mean(exact**2, axis=0))).all()


def test_json_has_all_figures(folder: Path) -> None:
    data = json.loads(invoke(folder / "arm.toml", folder / "a.csv", "--validate", folder / "b.csv", "--json")[0])
    assert set(data) == {"robot", "verdict", "fit", "logs"} and data["verdict"].startswith("good: ")
    assert list(data["logs"]) == ["Validation log b.csv", "Log of the fit a.csv"]
    trial = data["logs"]["Validation log b.csv"]
    assert set(trial) == {"samples", "level", "verdict", "notes", "joints"} and trial["verdict"] == data["verdict"]
    joint = trial["joints"]["joint1"]
    figures = ("rms", "signal_rms", "relative", "mean", "inside", "independent_samples")
    assert joint["grade"] == "good" and joint["of_rated_effort"] is None  # there is no rated effort
    assert set(joint) == {"unit", "grade", "of_rated_effort", *figures, "bias_by_speed", "bias_by_pose"}
    assert joint["unit"] == "N m" and all(isinstance(joint[name], float) for name in figures)
    assert joint["rms"] / joint["signal_rms"] == pytest.approx(joint["relative"])
    assert set(joint["bias_by_speed"]) == {"p", "share", "centres", "means", "errors"}
    assert len(data["fit"]["parameters"]) >= 20


def figures(*arguments: object) -> Any:
    """JSON without names of files."""
    data = json.loads(invoke(*arguments, "--json")[0])
    return data["fit"], list(data["logs"].values())


def test_columns_units_and_motors_of_a_file_give_the_same_model(folder: Path, tmp_path: Path) -> None:
    m = motion(0)
    ratios = np.array([[50.0, 0], [10.0, -80.0]])  # the second motor turns with the first joint, too
    offset = np.array([0.1, -0.2])
    write(tmp_path / "q.csv", "stamp,axis_1,axis_2", 1e3 * m["t"], np.degrees((m["q"] - offset) @ ratios.T))
    write(tmp_path / "tau.csv", "amps_1,amps_2", np.linalg.solve(ratios.T, m["tau"].T).T / [0.5, 0.25])
    (tmp_path / "log.toml").write_text(
        """
        units = {t = "ms", q = "deg", tau = "A"}
        columns = {t = "stamp", q = "axis_{n}", tau = ["amps_1", "amps_2"]}
        [motor_side]
        ratios = [[50, 0], [10, -80]]
        offset = [0.1, -0.2]
        gains = [0.5, 0.25]
        """,
        encoding="utf-8",
    )
    log = f"q={tmp_path / 'q.csv'},tau={tmp_path / 'tau.csv'}"
    changed, _ = figures(folder / "arm.toml", log, "--columns", tmp_path / "log.toml", "--no-physical")
    plain, _ = figures(folder / "arm.toml", folder / "a.csv", "--no-physical")
    assert changed["parameters"] == pytest.approx(plain["parameters"], rel=1e-4, abs=1e-4)  # nine digits were written


def test_degrees_rate_and_columns_by_options(folder: Path, tmp_path: Path) -> None:
    m = motion(0)
    log = write(tmp_path / "log.csv", "pos_1,pos_2,u,v", np.degrees(m["q"]), m["tau"])
    options = ["--degrees", "--rate", 200, "--columns", "q=pos_{n}", "--columns", "tau=u,v", "--no-physical"]
    changed, _ = figures(folder / "arm.toml", log, *options)
    plain, _ = figures(folder / "arm.toml", folder / "a.csv", "--no-physical")
    assert changed["parameters"] == pytest.approx(plain["parameters"], rel=1e-4, abs=1e-4)


def test_parts_of_a_log_and_gains(folder: Path, tmp_path: Path) -> None:
    m = motion(0)
    log = write(tmp_path / "log.csv", "t,q1,q2,tau1,tau2", m["t"], m["q"], m["tau"] / [2.0, 3.0])
    fit, (own,) = figures(folder / "arm.toml", log, "--gains", "2,3", "--times", "2,12", "--cutoff", 8, "--no-physical")
    assert own["joints"]["joint1"]["relative"] < 0.01
    # decimation by 10 passes 0.8 of 10 Hz; of the 201 kept rows in 10 s it loses ten at each end
    assert own["samples"] == 181 and fit["rows"] == 362


def test_joints_that_did_not_move_are_locked(folder: Path, tmp_path: Path) -> None:
    m = motion(0)
    one = TRUE.robot.lock({"joint2": 0.0}).with_drives()
    tau = one.inverse_dynamics(m["q"][:, :1], m["qd"][:, :1], m["qdd"][:, :1])
    log = write(tmp_path / "log.csv", "t,joint1,joint1_effort", m["t"], m["q"][:, :1], tau)
    _, said = invoke(folder / "arm.toml", log, status=1)
    assert "joint2" in said and "--joints" in said
    _, (own,) = figures(folder / "arm.toml", log, "--joints", "joint1", "--no-physical")
    assert list(own["joints"]) == ["joint1"] and own["joints"]["joint1"]["relative"] < 0.02


def test_several_logs_and_no_other_to_validate(folder: Path) -> None:
    said, _ = invoke(folder / "arm.toml", folder / "a.csv", folder / "b.csv", "--no-offsets", "--estimator", "huber")
    assert "Log of the fit a.csv and b.csv, without a log to validate: good" in said
    assert said.count("200 Hz, low-pass of") == 2


BROKEN = [
    (["arm.toml", "none.csv"], "none.csv"),
    (["arm.toml", "a.csv", "--estimator", "best"], "unknown estimator 'best'; available: weighted, ordinary, huber"),
    (["arm.toml", "a.csv", "--joints", "jiont1"], "there is no joint 'jiont1'; near: joint1"),
    (["arm.toml", "a.csv", "--only", "jiont1"], "there is no parameter, link or joint 'jiont1'; near: joint1"),
    (["arm.toml", "a.csv", "-o", "model.txt"], "robots are written as .urdf, .xml, .toml"),
    (["arm.toml", "a.csv", "--report", "report.pdf"], "reports are written as .html"),
    (["arm.toml", "a.csv", "-o", "none/model.urdf"], "there is no folder none"),
    (["arm.toml", "a.csv", "-o", "arm.toml"], "the same file as arm.toml"),
    (["arm.toml", "a.csv", "--validate", "b.csv", "-o", "b.csv"], "the same file as b.csv"),
    (["arm.toml", "a.csv", "--columns", "q"], "--columns: 'q' is not a .toml file, QUANTITY=COLUMNS"),
    (["arm.toml", "a.csv", "--columns", "none.toml"], "none.toml: cannot be read: No such file"),
    (["arm.toml", "a.csv", "--columns", "bad.toml"], "bad.toml: not TOML"),
    (["arm.toml", "a.csv", "--columns", "odd.toml"], "odd.toml: unknown key 'colums'; available: columns, units"),
    (["arm.toml", "a.csv", "--columns", "motor.toml"], "motor_side: unknown key 'ratio'; available: ratios, offset"),
    (["arm.toml", "a.csv", "--columns", "drive.toml"], "coupled_drives: each needs a name and a direction"),
    (["arm.toml", "a.csv", "--columns", "five.toml"], "coupled_drives: each needs a name and a direction"),
    (["arm.toml", "a.csv", "--columns", "three.toml"], "'m' has 3 components, but the robot has 2 coordinates"),
    (["arm.toml", "a.csv", "--columns", "times.toml"], "--times: needs a first and a later last time"),
    (["arm.toml", "a.csv", "--columns", "joints.toml"], "joints must be a list of names, not []"),
    (["arm.toml", "a.csv", "--columns", "q=x_{n}"], "x_1"),
    (["arm.toml", "a.csv", "--times", "5,1"], "--times: needs a first and a later last time"),
    (["arm.toml", "a.csv", "--times", "500,600"], "--times: no log has samples from 500 to 600 s"),
    (["arm.toml", "a.csv", "--gains", "2"], "--gains has 1 numbers, but 2 are required"),
    (["arm.toml", "a.csv", "--cutoff", "-3"], "cutoff must be a positive number"),
    (["arm.toml", "words.csv"], "words.csv"),
    (["arm.toml", "empty.csv"], "empty.csv"),
]


@pytest.mark.parametrize(
    ("arguments", "message"), BROKEN, ids=lambda x: " ".join(x[1:])[:40] if isinstance(x, list) else ""
)
def test_broken_input_is_one_line(
    arguments: list[str], message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    Path("bad.toml").write_text("columns = {", encoding="utf-8")
    Path("odd.toml").write_text('colums = {q = "q{n}"}', encoding="utf-8")
    Path("motor.toml").write_text("[motor_side]\nratio = [1, 2]", encoding="utf-8")
    Path("drive.toml").write_text('[[coupled_drives]]\nname = "motor"', encoding="utf-8")
    Path("five.toml").write_text("coupled_drives = 5", encoding="utf-8")
    Path("three.toml").write_text('[[coupled_drives]]\nname = "m"\ndirection = [1, 0, 0]', encoding="utf-8")
    Path("times.toml").write_text('times = [1, "b"]', encoding="utf-8")
    Path("joints.toml").write_text("joints = []", encoding="utf-8")
    Path("words.csv").write_text("t,q1,q2,tau1,tau2\n0,a,b,c,d\n", encoding="utf-8")
    Path("empty.csv").write_text("", encoding="utf-8")
    _, said = invoke(*arguments, status=1)
    lines = [line for line in said.splitlines() if line]
    assert len(lines) == 1 and lines[0].startswith("Error: ") and message in lines[0], said


def test_long_logs_are_read_anew_each_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(TRUE.robot, str(folder / "a.csv"), LogOptions().settings())
    counts: list[int] = []
    kept = LogBlocks([log], {}, [folder / "a.csv"], counts.append)
    monkeypatch.setattr("revolute.cli.commands.logs.LONG", 1)
    anew = LogBlocks([log], {}, [folder / "a.csv"], counts.append)
    for blocks in (kept, anew):
        first, second = ([x.tau for x in blocks] for _ in range(2))
        np.testing.assert_array_equal(np.concatenate(first), np.concatenate(second))
    assert len(counts) == 3  # one block, read once or twice


def test_forces_of_a_joint_may_be_left_out(folder: Path, tmp_path: Path) -> None:
    m = motion(0)
    log = write(tmp_path / "log.csv", "t,q1,q2,elbow", m["t"], m["q"], m["tau"][:, 1:])
    options = ["--columns", "tau=none,elbow", "--no-physical"]
    _, (own,) = figures(folder / "arm.toml", log, *options)
    assert own["joints"]["joint1"]["rms"] is None and own["joints"]["joint2"]["relative"] < 0.02
    assert own["notes"] == ["joint1: no forces were measured"]


def test_what_is_fitted_can_be_chosen(folder: Path) -> None:
    fit, _ = figures(folder / "arm.toml", folder / "a.csv", "--only", "link2,joint2", "--no-physical", "--asymmetric")
    names = [row["name"] for row in fit["base_parameters"]]
    assert names and all("link2" in name or "joint2" in name for name in names)
    assert any("joint2.friction_backward" in name for name in names)


def test_gains_can_be_unknown_where_something_is_known(folder: Path, tmp_path: Path) -> None:
    m = motion(0)
    log = write(tmp_path / "log.csv", "t,q1,q2,tau1,tau2", m["t"], m["q"], m["tau"] / [2.0, 4.0])
    revolute.save(revolute.robots.planar(2), tmp_path / "true.toml")  # whose second link is as it should be
    options = ["--gains", "unknown", "--only", "link1,joint1,joint2", "--no-physical", "--no-offsets"]
    fit, _ = figures(tmp_path / "true.toml", log, *options)
    assert fit["parameters"]["joint1.gain"] == pytest.approx(2.0, rel=0.02)
    assert fit["parameters"]["joint2.gain"] == pytest.approx(4.0, rel=0.02)
    _, said = invoke(folder / "arm.toml", log, "--gains", "unknown", status=1)
    assert said.splitlines()[-1].startswith("Error: ") and "gain" in said


def test_a_load_is_found_and_written(folder: Path, tmp_path: Path) -> None:
    brick = revolute.Inertia.box(2.0, (0.3, 0.2, 0.1), revolute.Transform(p=(0.1, 0.05, 0.0)))
    loaded = TRUE.robot.with_payload("tip", brick).with_drives()
    m = motion(3)
    added, alone = (x.inverse_dynamics(m["q"], m["qd"], m["qdd"]) for x in (loaded, TRUE))
    log = write(tmp_path / "with.csv", "t,q1,q2,tau1,tau2", m["t"], m["q"], m["tau"] + added - alone)
    revolute.save(TRUE.robot, tmp_path / "arm.toml")
    said, warned = run("payload", tmp_path / "arm.toml", log, "--link", "tip", "-o", tmp_path / "loaded.toml")
    assert said.startswith("payload on 'tip': ") and f"Written to {tmp_path / 'loaded.toml'}" in said
    assert "does not determine" in warned  # a planar arm feels no inertia across its plane
    data = json.loads(run("payload", tmp_path / "arm.toml", log, "--link", "tip", "--json")[0])
    # of the ten parameters a planar arm tells m x, m y, and m r^2 + Izz with m apart from it by gravity
    assert abs(data["parameters"]["mx"]["estimate"] - 0.2) < 5 * data["parameters"]["mx"]["standard_error"] < 0.1
    found, exact = (
        x.inverse_dynamics(m["q"], m["qd"], m["qdd"]) for x in (revolute.load(tmp_path / "loaded.toml"), loaded.robot)
    )
    assert np.sqrt(np.mean((found - exact) ** 2)) < 0.01 * np.sqrt(np.mean(exact**2))
    both = json.loads(
        run("payload", folder / "arm.toml", log, "--link", "tip", "--without", folder / "a.csv", "--json")[0]
    )
    assert abs(both["mass"] - 2.0) < 0.2 and set(both) == {
        "link", "mass", "mass_error", "centre_of_mass", "centre_of_mass_errors", "parameters"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--link", "hand"], "hand"),
        (["--link", "tip", "-o", "a.csv"], "same file as a.csv"),
        (["--link", "tip", "--without", "none.csv"], "none.csv"),
    ],
)
def test_broken_input_of_payloads_is_one_line(
    arguments: list[str], message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    _, said = run("payload", "arm.toml", "a.csv", *arguments, status=1)
    assert said.startswith("Error: ") and len(said.splitlines()) == 1 and message in said


def test_a_log_of_a_real_robot(tmp_path: Path) -> None:
    """A UR10 of others: all joints but the last are known to be predicted within 20 % of the signal."""
    data = Path(__file__).parents[2] / "docs" / "learn" / "data" / "ur10"
    model = tmp_path / "ur10.urdf"
    said, _ = invoke(data / "ur10_robot.urdf", data / "log.csv", "-o", model, "--json")
    (own,) = json.loads(said)["logs"].values()
    shares = [joint["relative"] for joint in own["joints"].values()]
    assert max(shares[:5]) < 0.2 and all(joint["bias_by_speed"] for joint in own["joints"].values())
    run("check", "--strict", model)
