"""Configurations by joints' names: from dicts and back, home, named ones, and those of SRDF."""

import copy
import math
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from files import written

import revolute
from revolute import InputError, ModelError, ShapeError, UnknownNameError
from revolute.model.named_configurations import NamedConfiguration

UR5, PANDA = revolute.robots.ur5(), revolute.robots.panda()
FREE = revolute.robots.random_tree(3, rng=1, base="free")
SRDF = """
<robot name="ur5">
  <group name="arm"><chain base_link="base_link" tip_link="tool0"/></group>
  <group_state name="up" group="arm">
    <joint name="shoulder_lift_joint" value="-1.5"/>
    <joint name="wrist_1_joint" value="-1.25"/>
  </group_state>
  <group_state name="home" group="arm"><joint name="elbow_joint" value="0.25"/></group_state>
  <group_state name="home" group="hand"><joint name="wrist_3_joint" value="0.5"/></group_state>
</robot>"""


@pytest.mark.parametrize("robot", [UR5, PANDA, FREE, UR5.with_drives()], ids=lambda robot: type(robot).__name__)
@pytest.mark.parametrize("shape", [(), 4, (2, 3)])
def test_there_and_back(robot: Any, shape: Any) -> None:
    q = robot.random_configuration(shape, rng=1)
    values = robot.joint_values(q)
    assert len(values) == robot.neutral().size - (6 if robot is FREE else 0)
    np.testing.assert_array_equal(robot.configuration(values), q)
    np.testing.assert_array_equal(robot.configuration(dict(reversed(values.items()))), q)
    np.testing.assert_array_equal(robot.configuration({}, others=q), q)


def test_joints_that_are_not_named_stay() -> None:
    q = UR5.configuration({"elbow_joint": 90 * revolute.deg})
    assert q.tolist() == [0, 0, math.pi / 2, 0, 0, 0]
    assert UR5.configuration({"wrist_3_joint": 1.0}, others=q).tolist() == [0, 0, math.pi / 2, 0, 0, 1]
    assert FREE.configuration({"root_joint.x": 2.0}).tolist() == [2, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    assert FREE.configuration({"root_joint": [1, 2, 3, 0, 0, 0, 1]})[:3].tolist() == [1, 2, 3]


@pytest.mark.parametrize(("given", "message"), [
    ({"elbow": 1.0}, "robot 'ur5' has no joint 'elbow'; near: elbow_joint"),
    ({"forearm_link": 1.0}, "has no joint 'forearm_link'; 'forearm_link' is a link; 'elbow_joint' carries it"),
    ({"elbow_joint": "up"}, "configuration: 'elbow_joint' must be real numbers"),
    ({"elbow_joint": [1.0, 2.0], "wrist_1_joint": [1.0, 2.0, 3.0]}, "positions do not broadcast: 'elbow_joint'"),
    ([1.0], "give a name, or a dict"),
    ("up", "robot 'ur5' has no configuration 'up'; available: none; with_configurations adds some"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(given: Any, message: str) -> None:
    assert_raises((InputError, UnknownNameError), re.escape(message), UR5.configuration, given)


def test_more_refusals() -> None:
    words = r"joint 'root_joint' has 7 positions \(root_joint.x, .*\), not shape \(2,\)"
    assert_raises(ShapeError, words, FREE.configuration, {"root_joint": [1.0, 2.0]})
    twice = {"root_joint": FREE.neutral()[:7], "root_joint.x": 1.0}
    assert_raises(InputError, r"'root_joint\.x' is given twice", FREE.configuration, twice)
    words = r" has shape \(5,\), but robot 'ur5' needs \(\.\.\., 6\)"
    assert_raises(ShapeError, f"others{words}", UR5.configuration, {}, others=np.zeros(5))
    assert_raises(ShapeError, f"q{words}", UR5.joint_values, np.zeros(5))


def test_home_is_within_limits() -> None:
    q = replace(PANDA, configurations=()).home()
    assert (q >= PANDA.lower_limits).all() and (q <= PANDA.upper_limits).all()
    assert (PANDA.neutral() > PANDA.upper_limits).any()  # so something had to move
    np.testing.assert_array_equal(FREE.home(), FREE.neutral())
    named = PANDA.with_configurations({"home": {"panda_joint4": -1.0}})
    assert named.home()[3] == -1.0 and np.count_nonzero(named.home()) == 1


def test_states_of_srdf(tmp_path: Path) -> None:
    path = written(tmp_path / "ur5.srdf", SRDF)
    for source in (SRDF, path, str(path)):
        robot = UR5.with_configurations(source)
        assert [x.name for x in robot.configurations] == ["up", "home"]
        assert robot.configuration("up").tolist() == [0, -1.5, 0, -1.25, 0, 0]
        assert robot.home().tolist() == [0, 0, 0.25, 0, 0, 0.5]  # of both groups


@pytest.mark.parametrize(("old", "new", "message"), [
    ("<robot", "<model", "SRDF text: broken XML"),
    ('"elbow_joint"', '"elbow"', "SRDF text: 'home': robot 'ur5' has no joint 'elbow'; near: elbow_joint"),
    ('value="0.25"', 'value="a"', "group_state 'home': joint 'elbow_joint': <joint> has value='a': 'a' is not a"),
    ('value="0.25"', 'value=""', "joint 'elbow_joint': its value is empty; give a number"),
    ('value="0.25"', 'value="1 2"', "SRDF text: 'home': each joint with one coordinate needs one finite number"),
    ('value="0.25"', "", "joint 'elbow_joint': <joint> has no attribute 'value'; add it"),
    ('name="wrist_3_joint"', 'name="elbow_joint"', "it has different positions in two groups; keep one"),
    ("group_state", "state", "SRDF text: it has no <group_state>, so no named configuration"),
    ("robot", "sdf", "SRDF text: its root element is <sdf>, but that of SRDF must be <robot>"),
])  # fmt: skip
def test_damaged_srdf(old: str, new: str, message: str) -> None:
    errors = (ModelError, InputError, UnknownNameError)
    assert_raises(errors, re.escape(message), UR5.with_configurations, SRDF.replace(old, new))


def test_names_are_data_of_the_robot_and_change_no_code(tmp_path: Path) -> None:
    robot = UR5.with_configurations({"up": {"elbow_joint": 1.0}, "all": np.arange(6.0)})
    assert robot != UR5 and robot.digest == UR5.digest
    assert robot.kernel("mass_matrix") is UR5.kernel("mass_matrix")
    revolute.save(robot, tmp_path / "ur5.toml")
    for again in (
        copy.copy(robot), pickle.loads(pickle.dumps(robot)), revolute.Robot.from_dict(robot.to_dict()),
        revolute.load(tmp_path / "ur5.toml"), robot.with_gravity(UR5.gravity),
    ):
        assert again == robot and again.configuration("all").tolist() == [0, 1, 2, 3, 4, 5]
    assert robot.with_configurations({"up": {}}).configuration("up").tolist() == [0] * 6


def test_edited_robots_keep_what_they_can() -> None:
    robot = UR5.with_configurations({"all": np.arange(6.0)})
    assert robot.lock({"elbow_joint": 0.0}).configuration("all").tolist() == [0, 1, 3, 4, 5]
    assert robot.subtree("forearm_link").configuration("all").tolist() == [3, 4, 5]


@pytest.mark.parametrize("wrong", [
    [NamedConfiguration("a", (), ())],
    (NamedConfiguration("a", (), ()),) * 2,
    (NamedConfiguration("a", ("elbow_joint",), ()),),
    (NamedConfiguration("a", ("elbow_joint",), ((math.nan,),)),),
    (NamedConfiguration("a", ("elbow_joint",), ((1.0, 2.0),)),),
    (NamedConfiguration("a", ("elbow_joint",) * 2, ((1.0,), (2.0,))),),
    (NamedConfiguration(1, (), ()),),  # type: ignore[arg-type]
    (NamedConfiguration("a", ("elbow_joint",), (("b",),)),),  # type: ignore[arg-type]
])  # fmt: skip
def test_robots_are_made_of_right_ones_alone(wrong: Any) -> None:
    assert_raises(InputError, "configuration", replace, UR5, configurations=wrong)
