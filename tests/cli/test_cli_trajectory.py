"""`revolute trajectory` and `excite`: the motions on the command line are those of the library."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import run

import revolute
from revolute import trajectory
from revolute.identification import ExcitationLimits, excite
from revolute.io import trajectory as tables

UR5 = revolute.robots.ur5()
WAY = [[0, -1, 1, 0, 0, 0], [0.5, -0.5, 0.5, 1, 0.1, 0], [1, -1, 1, 0, 0, 0]]
VIA = [x for q in WAY for x in ("--via", ",".join(map(str, q)))]
invoke = partial(run, "trajectory")


def same(path: Path, motion: trajectory.Trajectory, dt: float = 0.001) -> None:
    rows, exact = tables.read(UR5, path), motion.sample(dt)
    for name in ("t", "q", "qd", "qdd"):
        np.testing.assert_array_equal(getattr(rows, name), getattr(exact, name))


@pytest.mark.parametrize("kind", ["cubic", "quintic", "minimum_jerk", "spline"])
def test_kinds_through_waypoints(kind: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    said, _ = invoke("ur5", *VIA, "--kind", kind, "--times", "0,0.8,2", "-o", out)
    same(out, getattr(trajectory, kind)(UR5, WAY, [0, 0.8, 2]))
    assert said.startswith(f"ur5: {kind.replace('_', ' ')}, 2 s\n") and f"Written to {out}, every 0.001 s" in said


def test_kinds_that_take_their_times_from_limits(tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    given = "acceleration=5,elbow_joint.velocity=1,jerk=40"
    velocity, ramp = {"elbow_joint": 1.0}, dict.fromkeys(UR5.joint_names, 5.0)
    invoke("ur5", *VIA, "--kind", "trapezoid", "--limits", given, "-o", out, "--step", 0.01)
    same(out, trajectory.trapezoid(UR5, WAY, velocity=velocity, acceleration=ramp), 0.01)
    invoke("ur5", *VIA, "--kind", "jerk_limited", "--limits", given, "-o", out, "--step", 0.01)
    same(out, trajectory.jerk_limited(UR5, WAY, velocity=velocity, acceleration=5.0, jerk=40.0), 0.01)


def test_moving_ends(tmp_path: Path) -> None:
    out, ends = tmp_path / "out.csv", ("--start-velocity", "elbow_joint=0.5", "--end-velocity", "0.1,0,0,0,0,-0.2")
    first, last = np.array([0, 0, 0.5, 0, 0, 0]), np.array([0.1, 0, 0, 0, 0, -0.2])
    limits, moving = {"acceleration": 5.0, "jerk": 40.0}, {"start_velocity": first, "end_velocity": last}
    invoke("ur5", *VIA, "--kind", "jerk_limited", "--limits", "acceleration=5,jerk=40", *ends, "-o", out)
    same(out, trajectory.jerk_limited(UR5, WAY, **limits, **moving))
    invoke("ur5", *VIA, "--kind", "trapezoid", "--limits", "acceleration=5", *ends, "-o", out)
    same(out, trajectory.trapezoid(UR5, WAY, acceleration=5.0, **moving))
    invoke("ur5", *VIA, "--duration", "2", *ends, "-o", out)
    same(out, trajectory.quintic(UR5, WAY, 2.0, velocities=[first, 0 * first, last]))
    path = trajectory.spline(UR5, WAY, np.concatenate([[0], np.linalg.norm(np.diff(WAY, axis=0), axis=1)]).cumsum())
    start = ",".join(f"{x!r}" for x in (0.3 * path.qd(0.0)).tolist())
    invoke("ur5", *VIA, "--time-optimal", "--start-velocity", start, "-o", out)
    same(out, trajectory.time_optimal(path, UR5, start_velocity=0.3 * path.qd(0.0)))


POSES = ("0.4,0.2,0.5,0,3.1,0", "0.5,0.2,0.5,0,3.1,0", "0.5,0.3,0.4,0.2,3.1,0")
NEAR = [0.0, -1.5, 1.5, 0.0, 1.5, 0.0]


@pytest.mark.parametrize("table", [False, True])
def test_lines_between_poses_with_rounded_corners(table: bool, tmp_path: Path) -> None:
    out, file = tmp_path / "out.csv", tmp_path / "poses.csv"
    rows = [[float(x) for x in pose.split(",")] for pose in POSES]
    file.write_text("\n".join(["x,y,z,roll,pitch,yaw", *POSES]))
    texts = ("x=0.4,y=0.2,z=0.5,pitch=3.1", *POSES[1:])  # what is not named is zero
    via = ("--via", file) if table else [x for text in texts for x in ("--via", text)]
    place = ("--frame", "tool0", "--blend", "0.03", "--q0", ",".join(map(str, NEAR)))
    said, _ = invoke("ur5", *via, *place, "--duration", "3", "-o", out, "--around")
    assert said.startswith("ur5: lines, 3 s\n- within all limits")
    poses = [revolute.Transform.from_rpy(row[:3], row[3:]).matrix() for row in rows]
    q0 = UR5.inverse_kinematics(poses[0], "tool0", NEAR).q
    same(out, trajectory.follow(UR5, "tool0", trajectory.lines(poses, 3.0, blend=0.03), q0))
    fast, _ = invoke("ur5", *via, *place, "--time-optimal", "--json")
    assert json.loads(fast)["ok"] and json.loads(fast)["duration"] < 1.0


def test_waypoints_of_a_file_have_its_times(tmp_path: Path) -> None:
    out, via = tmp_path / "out.csv", tmp_path / "via.csv"
    tables.write(via, ["t", *tables.position_names(UR5)], np.array([1.0, 1.5, 3.0]), np.array(WAY))
    invoke("ur5", "--via", via, "-o", out)
    same(out, trajectory.quintic(UR5, WAY, [0, 0.5, 2]))


def test_json_has_what_is_checked(tmp_path: Path) -> None:
    out, plot = tmp_path / "fast.csv", tmp_path / "fast.png"
    said, _ = invoke("ur5", *VIA, "--time-optimal", "--limits", "velocity=1.5", "--json", "-o", out, "--plot", plot)
    data = json.loads(said)
    assert data["robot"] == "ur5" and data["kind"] == "spline" and data["ok"] is True and len(data["notes"]) >= 1
    assert {row["kind"] for row in data["largest"]} == {"position", "velocity", "acceleration", "torque"}
    assert {row["joint"] for row in data["largest"]} == set(UR5.joint_names)
    assert {row["limit"] for row in data["largest"] if row["kind"] == "acceleration"} == {None}
    assert tables.read(UR5, out).t[-1] == data["duration"]  # type: ignore[index]
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_the_fastest_of_a_trajectory_and_friction(tmp_path: Path) -> None:
    said, _ = invoke("ur5", *VIA, "--kind", "minimum_jerk", "--duration", 3, "--fastest", "--drives")
    scaling = trajectory.uniform_scaling(trajectory.minimum_jerk(UR5, WAY, 3.0), UR5.with_drives())
    assert f"- {scaling}" in said and "- within all limits" in said


def test_limits_that_are_passed_are_counted() -> None:
    report = trajectory.quintic(UR5, WAY, 0.5).check(UR5)
    data = json.loads(invoke("ur5", *VIA, "--duration", 0.5, "--json")[0])
    assert data["ok"] is False and sum(not row["within"] for row in data["largest"]) == len(report.excesses) > 1


SMALL = ("planar:2", "--duration", 3, "--harmonics", 2, "--limits", "velocity=3,acceleration=10", "--starts", 1)


def test_an_exciting_motion_is_that_of_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("revolute.cli.commands.excite.SOON", 0.0)
    out, picture = tmp_path / "excitation.csv", tmp_path / "excitation.png"
    words = ("--position", "joint1=-1:1", "--box", "tip=,,-1:1.5,,", "--height", -1.5)
    said, begun = run("excite", *SMALL, *words, "--periods", 2, "-o", out, "--plot", picture)
    assert begun.startswith("Finding a motion; searches: 1 (--starts). ") and begun.count("\n") == 1
    robot, box = revolute.robots.planar(2), ((-np.inf, -np.inf, -1), (1.5, np.inf, np.inf))
    places: dict[str, Any] = {"position": {"joint1": (-1, 1)}, "box": {"tip": box}, "height": -1.5}
    limits = ExcitationLimits(velocity=3.0, acceleration=10.0, **places)
    found = excite(robot, duration=3.0, harmonics=2, limits=limits, starts=1)
    written, t = trajectory.load(robot, out), np.arange(600) / 100
    assert written.duration == 6.0 and picture.stat().st_size > 1000
    np.testing.assert_allclose(written.q(t), found.trajectory.q(t), atol=1e-12)
    assert "condition number" in said and "joint2.friction" in said and "100 rows per second" in said


def test_an_exciting_motion_as_json() -> None:
    data = json.loads(run("excite", *SMALL, "--criterion", "condition", "--json")[0])
    assert data["criterion"] == "condition" and np.exp(data["value"]) == pytest.approx(data["condition"])
    assert {x["name"] for x in data["parameters"]} >= {"joint1.friction", "joint2.offset"}
    assert len(data["cosines"]) == 2 and all(x["share"] <= 1 for x in data["limits"])
