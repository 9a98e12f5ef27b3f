"""`revolute ik`: positions on the command line are those of the library."""

import json
import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from cli.calling import CART, run, table
from files import written

import revolute
from revolute import Transform
from revolute.io import trajectory

TIP = 2e-6
"""Largest error of an entry of a pose: of the default tolerance, and of printing."""
invoke = partial(run, "ik")


def test_a_pose_is_reached_and_drawn(tmp_path: Path) -> None:
    picture = tmp_path / "ur5.svg"
    said, _ = invoke("ur5", "--xyz", "0.4,0.2,0.5", "--rpy", "0,3.1,0.4", "--plot", picture)
    assert "ur5: tool0 reaches the pose" in said and "ur5: tool0 reaches its pose" in picture.read_text()
    robot = revolute.robots.ur5()
    q = [float(line.split()[1]) for line in said.splitlines() if "_joint" in line]
    pose = Transform.from_rpy((0.4, 0.2, 0.5), (0, 3.1, 0.4)).matrix()
    np.testing.assert_allclose(robot.forward_kinematics(q, "tool0"), pose, atol=TIP)


def test_a_position_is_reached_from_a_start_as_json() -> None:
    said, _ = invoke("planar:2", "--xyz", "x=1,y=1", "--q0", "0.1,1.4", "--json")
    data = json.loads(said)
    assert data["frame"] == "tip" and data["joints"] == ["joint1", "joint2"] and data["converged"] is True
    np.testing.assert_allclose(data["q"], [0, math.pi / 2], atol=1e-5)
    assert data["rotation_error"] == 0 and data["position_error"] <= 1e-6 and data["restarts"] == 0


def test_angles_beyond_a_turn_look_like_degrees(tmp_path: Path) -> None:
    place = "--xyz", "0.4,0.2,0.5"
    turned = written(tmp_path / "poses.csv", "x,y,z,roll,pitch,yaw\n0.4,0.2,0.5,0,90,0\n")
    for words, source, angle in (
        ((*place, "--rpy", "0,180,0"), "--rpy", "180 looks like degrees, 3.142 rad"),
        ((*place, "--q0", "0,-90,90,0,0,0"), "--q0", "-90 looks like degrees, -1.571 rad"),
        ((*place, "--posture", "elbow_joint=45"), "--posture", "45 looks like degrees, 0.7854 rad"),
        (("--poses", turned), turned, "90 looks like degrees, 1.571 rad"),
    ):
        assert invoke("ur5", *words)[1] == f"Warning: {source}: angles are in radians; {angle}\n"
    ends = "--frame", "tool0", "--via", "0.4,0.2,0.5,0,180,0", "--via", "0.4,0.25,0.5,0,180,0", "--duration", 2
    assert run("trajectory", "ur5", *ends)[1].startswith("Warning: --via: angles are in radians; 180 looks")
    assert invoke("ur5", *place, "--rpy", "0,3.14,6.2832", "--q0", "0,-6.28,0,0,0,0")[1] == ""
    rail = written(tmp_path / "cart.urdf", CART.replace('lower="-1" upper="1"', 'lower="-9" upper="9"'))
    assert invoke(rail, "--xyz", "7,0,0", "--frame", "cart", "--q0", "rail=7")[1] == ""


def test_out_of_reach_is_an_exit_status_and_a_distance() -> None:
    said, _ = invoke("planar:2", "--xyz", "3,0,0", status=1)
    assert "tip does not reach the position" in said and "1 m are left" in said
    data = json.loads(invoke("planar:2", "--xyz", "3,0,0", "--json", "--restarts", 3, status=1)[0])
    assert data["converged"] is False and data["restarts"] == 3
    assert data["position_error"] == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize("turn", ["roll,pitch,yaw", "qx,qy,qz,qw"])
def test_a_table_of_poses_becomes_a_table_of_positions(tmp_path: Path, turn: str) -> None:
    robot = revolute.robots.ur5()
    q = np.array([0, -1.5, 1.5, 0, 1, 0]) + 0.4 * np.linspace(0, 1, 15)[:, None]
    poses = [Transform.from_matrix(x) for x in robot.forward_kinematics(q, "tool0")]
    turns = [list(x.R.to_scipy().as_quat()) if turn[0] == "q" else x.R.rpy() for x in poses]
    rows = np.array([(k / 10, *x.p, *y) for k, (x, y) in enumerate(zip(poses, turns, strict=True))])
    given, out = table(tmp_path / "poses.csv", f"t,x,y,z,{turn}", rows), tmp_path / "motion.csv"
    said, _ = invoke("ur5", "--poses", given, "--path", "--q0", "0,-1.5,1.5,0,1,0", "-o", out)
    assert "reaches 15 of 15 poses" in said
    names = ("t", *(f"q.{x}" for x in robot.joint_names), "rotation_error", "position_error", "converged")
    assert trajectory.open_table(out).columns == names
    found = trajectory.open_table(out).rows(names)
    np.testing.assert_allclose(found[:, 1:7], q, atol=1e-4)
    np.testing.assert_array_equal(found[:, [0, 9]], np.column_stack([rows[:, 0], np.ones(15)]))


def test_poses_of_a_table_that_are_not_reached_are_listed(tmp_path: Path) -> None:
    points = written(tmp_path / "points.csv", "x,y,z\n" + "1,1,0\n" + "3,0,0\n" * 12)
    said, _ = invoke("planar:2", "--poses", points, "--restarts", 2, status=1)
    assert "tip reaches 1 of 13 positions" in said
    assert "- position 2 is not reached: 1 m are left" in said and "- and 2 more" in said


def test_redundant_joints_rest_and_limits_may_be_left_out() -> None:
    near, _ = invoke("planar:3", "--xyz", "1.5,0,0", "--posture", "0,0,0", "--json")
    wanted = revolute.robots.planar(3).inverse_kinematics([1.5, 0, 0], "tip", rows="linear", posture=[0, 0, 0])
    np.testing.assert_array_equal(json.loads(near)["q"], wanted.q)
    free, _ = invoke("panda", "--xyz", "0.4,0,0.5", "--no-limits", "--posture", "middle", "--seed", 4, "--json")
    assert json.loads(free)["frame"] == "panda_link8"


def test_all_solutions_are_listed_and_written(tmp_path: Path) -> None:
    robot, out = revolute.robots.ur5(), tmp_path / "solutions.csv"
    pose = Transform.from_rpy((0.4, 0.2, 0.5), (0, 3.1, 0.4)).matrix()
    wanted = robot.inverse_kinematics(pose, "tool0", all=True).q
    words = "ur5", "--xyz", "0.4,0.2,0.5", "--rpy", "0,3.1,0.4", "--all"
    said, _ = invoke(*words, "-o", out, "--plot", tmp_path / "ways.svg")
    assert f"tool0 has {len(wanted)} solutions" in said and "without --all" not in said
    assert "ways" in {x.stem for x in tmp_path.iterdir()}
    names = ("pose", *(f"q.{x}" for x in robot.joint_names))
    np.testing.assert_allclose(trajectory.open_table(out).rows(names)[:, 1:], wanted, atol=1e-12)
    np.testing.assert_array_equal(json.loads(invoke(*words, "--json")[0])["q"], wanted)
    near = ",".join(map(str, wanted[3]))
    branch = json.loads(invoke(*words, "--q0", near, "--branch", "--json")[0])["q"]
    np.testing.assert_allclose(branch, wanted[3:4], atol=1e-9)


def test_solutions_of_a_table_are_counted_and_redundant_joints_held(tmp_path: Path) -> None:
    points = written(tmp_path / "points.csv", "x,y,z\n1,1,0\n3,0,0\n")
    said, _ = invoke("planar:2", "--poses", points, "--all", status=1)
    assert "- pose 1: 2 solutions" in said and "- pose 2: 0 solutions" in said
    assert "without --all shows the nearest positions, and how much is left" in said
    both = json.loads(invoke("planar:2", "--poses", points, "--all", "--json", status=1)[0])
    assert len(both["q"][0]) == 2 and both["q"][1] == [] and both["converged"] == [True, False]
    none = json.loads(invoke("planar:2", "--xyz", "3,0,0", "--all", "--json", status=1)[0])
    assert none["q"] == [] and none["converged"] is False
    invoke("planar:3", "--xyz", "1.5,0,0", "--all", status=1)
    held, _ = invoke("planar:3", "--xyz", "1.5,0,0", "--all", "--hold", "joint3=0.3", "--json")
    assert [q[2] for q in json.loads(held)["q"]] == [0.3, 0.3]


def test_messages_about_all_solutions_name_options_of_the_shell(tmp_path: Path) -> None:
    pose = "--xyz", "0.4,0.2,0.5", "--rpy", "0,3.1,0.4"
    for words in (["--turns"], ["--branch"], ["--hold", "elbow_joint=1"]):
        said = invoke("ur5", *pose, *words, status=1)[1]
        assert f"{words[0][2:]} applies only to all solutions; give all, too" in said
    assert "branch needs q0" in invoke("ur5", *pose, "--all", "--branch", status=1)[1]
    said = " ".join(invoke("planar:3", "--xyz", "1.5,0,0", "--all", status=1)[1].split())
    assert "hold 1 joint, such as 'joint3'" in said


def test_nothing_is_drawn_without_solutions(tmp_path: Path) -> None:
    picture = tmp_path / "none.svg"
    said, complaint = invoke("planar:2", "--xyz", "3,0,0", "--all", "--plot", picture, status=1)
    assert "tip has 0 solutions" in said and not picture.exists() and "row" not in complaint
