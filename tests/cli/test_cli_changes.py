"""Robots that a command line changes and writes: options of `revolute torque`; `revolute convert`, `lock`, `export`."""

import json
from pathlib import Path

import numpy as np
import pytest
from cli.calling import invoke
from files import names

import revolute
from revolute.io import trajectory

UR5 = revolute.robots.ur5()
T = np.arange(50) / 50
Q = 0.5 * np.sin(np.outer(T, np.arange(1, 7)))
QD, QDD = 0.3 * Q, 0.2 * Q + 1
FORCES = trajectory.rate_names(UR5, "tau")


@pytest.fixture
def motion(tmp_path: Path) -> Path:
    path = tmp_path / "motion.csv"
    rates = [*trajectory.rate_names(UR5, "qd"), *trajectory.rate_names(UR5, "qdd")]
    trajectory.write(path, ["t", *trajectory.position_names(UR5), *rates], T, Q, QD, QDD)
    return path


def forces(motion: Path, *options: object) -> np.ndarray:
    """Joint forces that the command writes, without t."""
    out = motion.with_name("out.csv")
    invoke("torque", "ur5", motion, "-o", out, *options)
    table = trajectory.open_table(out)
    return table.rows(table.columns[1:])


def test_a_payload_is_a_point_mass_on_its_link(motion: Path) -> None:
    loaded = UR5.with_payload("tool0", revolute.Inertia.from_com(4.0, (0, 0.01, 0.08)))
    assert np.array_equal(forces(motion, "--payload", "tool0=4,0,0.01,0.08"), loaded.inverse_dynamics(Q, QD, QDD))
    both = loaded.with_payload("upper_arm_link", revolute.Inertia.from_com(1.0))
    options = ["--payload", "tool0=4,0,0.01,0.08", "--payload", "upper_arm_link=1"]
    assert np.array_equal(forces(motion, *options), both.inverse_dynamics(Q, QD, QDD))


def test_a_wrench_takes_off_its_jacobian_times_itself(motion: Path) -> None:
    """tau(w) = tau(0) - J^T w, with w along the axes of the link."""
    w = np.array([1.0, -2.0, 3.0, 4.0, 5.0, -20.0])
    found = forces(motion, "--wrench", "tool0=1,-2,3,4,5,-20")
    expected = UR5.inverse_dynamics(Q, QD, QDD) - np.einsum("tij,i->tj", UR5.jacobian(Q, "tool0"), w)
    assert found == pytest.approx(expected, abs=1e-10)  # some 300 N m at 1e-16, over a chain of six joints


def test_locked_joints_have_no_forces_and_other_joints_carry_them(motion: Path) -> None:
    held = UR5.lock({"wrist_2_joint": 1.5, "wrist_3_joint": 0.0})
    found = forces(motion, "--lock", "wrist_2_joint=1.5,wrist_3_joint")
    assert np.array_equal(found, held.inverse_dynamics(Q[:, :4], QD[:, :4], QDD[:, :4]))


def test_drives_and_many_files_are_changed_too(motion: Path) -> None:
    folder, out = motion.parent / "logs", motion.parent / "forces"
    folder.mkdir()
    motion.rename(folder / "a.csv")
    options = ["--payload", "tool0=4", "--wrench", "tool0=0,0,0,1,0,0", "--drives"]
    said = invoke("torque", "ur5", folder, "-o", out, *options)
    loaded = UR5.with_payload("tool0", revolute.Inertia.from_com(4.0)).with_drives()
    rows = trajectory.open_table(out / "a.csv").rows(FORCES)
    wrenches = {"tool0": np.array([0, 0, 0, 1.0, 0, 0])}
    assert np.array_equal(rows, loaded.inverse_dynamics(Q, QD, QDD, wrenches=wrenches))
    assert "- payload tool0=4\n- wrench tool0=0,0,0,1,0,0\n" in said


def test_the_report_has_the_loads_of_every_joint(motion: Path) -> None:
    page = motion.with_name("loads.html")
    said = invoke("torque", "ur5", motion, "--report", page, "--payload", "tool0=50")
    text = page.read_text(encoding="utf-8")
    assert f"Report in {page}" in said and text.startswith("<!doctype html>")
    assert "http" not in text.replace("http-equiv", "")
    assert "ur5: joint loads along motion.csv" in text and "<li>payload tool0=50</li>" in text
    assert text.count("<svg") == 6 and all(name in text for name in ("shoulder pan", "elbow", "wrist 3"))
    loaded = UR5.with_payload("tool0", revolute.Inertia.from_com(50.0)).inverse_dynamics(Q, QD, QDD)
    assert text.count('class="bad"') == np.sum(abs(loaded).max(axis=0) > UR5.effort_limits) > 0


@pytest.mark.filterwarnings("ignore::revolute.ModelWarning")
@pytest.mark.parametrize("suffix", ["toml", "urdf", "xml"])
def test_a_robot_is_converted_from_each_format_to_each(tmp_path: Path, suffix: str) -> None:
    """The mass matrix is the same on the way from the library by this format to TOML, to the digits of the files."""
    middle, last = tmp_path / f"ur5.{suffix}", tmp_path / "last.toml"
    assert f"Written to {middle}: ur5, 6 joints" in invoke("convert", "ur5", middle)
    invoke("convert", middle, last)
    assert revolute.load(last).mass_matrix(Q) == pytest.approx(UR5.mass_matrix(Q), abs=1e-9)


def test_a_locked_robot_moves_as_that_with_joints_held(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    assert "ur5, 4 joints" in invoke("lock", "ur5", "elbow_joint=0.5,wrist_3_joint=-1", "-o", path)
    assert revolute.load(path) == UR5.lock({"elbow_joint": 0.5, "wrist_3_joint": -1.0})
    invoke("lock", "random_tree:2:3:base=free", "root_joint", "-o", path)
    assert revolute.load(path).joint_names == ("joint1", "joint2")


def test_a_joint_without_a_position_is_locked_at_zero_or_the_nearest_limit(tmp_path: Path) -> None:
    path, panda = tmp_path / "arm.toml", revolute.robots.panda()
    invoke("lock", "panda", "panda_joint4", "panda_joint1", "-o", path)
    assert revolute.load(path) == panda.lock({"panda_joint1": 0.0, "panda_joint4": float(panda.upper_limits[3])})
    assert panda.upper_limits[3] < 0


def test_the_code_that_the_command_writes_is_what_the_method_writes(tmp_path: Path) -> None:
    said = invoke("export", "planar:2", "mass_matrix", "jacobian", "--frame", "tip", "-o", tmp_path / "a" / "b")
    assert names(tmp_path / "a" / "b") == ["planar2.c", "planar2.h", "planar2_test.c"]
    assert "planar2.c  " in said
    own = {"jacobian": {"frame": "tip"}}
    _, code, *_ = revolute.robots.planar(2).to_c(["mass_matrix", "jacobian"], tmp_path, options=own)
    assert code.read_text() == (tmp_path / "a" / "b" / "planar2.c").read_text()


def test_code_by_options_files_and_json(tmp_path: Path) -> None:
    options = "--dtype=float32 --layout=column --sincos=own --batch --casadi --target=wasm32 --language c++ --json"
    said = invoke("export", "planar:2", "mass_matrix", "-o", tmp_path / "arm.c", *options.split())
    files = sorted(Path(file).name for file in json.loads(said)["files"])
    assert names(tmp_path) == files == ["arm.c", "arm.h", "arm.hpp", "arm.wasm", "arm_casadi.c", "arm_test.c"]
    assert "arm_mass_matrix_batch" in (tmp_path / "arm.h").read_text()
