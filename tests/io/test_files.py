"""Robots out to data and files, and in again: exactly as TOML, to rounding as URDF."""

import copy
import json
import math
import warnings
from dataclasses import replace
from functools import reduce
from operator import attrgetter, getitem
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_close, assert_raises
from robots import FILES, LOADABLE, chain, every_joint, loaded, one_joint, random_states

import revolute
from revolute import Drive, Inertia, InputError, Joint, Limits, Link, Mimic, ModelError, Robot, Shape, Transform
from revolute.dynamics.newton_euler import newton_euler

TREES = ("random_tree:12:1", "random_tree:12:2:base=free")
LIBRARY = {name: revolute.load(name) for name in ("panda", "planar:2", "puma560", "stanford", "ur5", *TREES)} | {
    "gravity": revolute.robots.ur5().with_gravity((0.1, -2.5, 1 / 3)),
    "every joint": every_joint(),
    "base alone": revolute.robots.planar(1).lock({"joint1": 0.3}),
}
SOME = ("/talos_full_v2", "/romeo", "/anymal", "/quadrotor_base", "/solo12", "/tiago")
"""Files of the fast tests: the largest, floating, with mimics, and with no joints."""


def through_toml(robot: Robot, tmp_path: Path) -> Robot:
    revolute.save(robot, tmp_path / "robot.toml")
    return revolute.load(tmp_path / "robot.toml")


def through_urdf(robot: Robot) -> Robot:
    free = bool(robot.n_joints) and robot.bodies[1].joint_name == "root_joint"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", revolute.ModelWarning)
        text = robot.to_urdf()
    return loaded(text, "free" if free else "fixed").with_gravity(robot.gravity)


def assert_same(ours: Robot, theirs: Robot, tolerance: float = 1e-12) -> None:
    """Names, limits, drive data, and joint forces in 5 states.

    1e-12 are some thousand roundings of the largest: inertias are moved to the centre of mass and back.
    """
    assert (ours.name, ours.joint_names) == (theirs.name, theirs.joint_names)
    assert sorted(ours.link_names) == sorted(theirs.link_names)
    for name in ("lower_limits", "upper_limits", "drives.damping", "drives.friction"):
        np.testing.assert_array_equal(attrgetter(name)(ours), attrgetter(name)(theirs))
    assert [body.drive.mimic for body in ours.bodies] == [body.drive.mimic for body in theirs.bodies]
    if ours.nv:
        states = [x.T for x in random_states(ours, 5, seed=4)]
        one, two = (np.array(newton_euler(robot, *states)) for robot in (ours, theirs))
        assert np.abs(one - two).max() <= tolerance * np.abs(one).max()


@pytest.mark.parametrize("name", LIBRARY)
def test_robots_read_back_from_toml_and_dicts_exactly(name: str, tmp_path: Path) -> None:
    robot = LIBRARY[name]
    back = through_toml(robot, tmp_path)
    assert back == robot and hash(back) == hash(robot) and back.digest == robot.digest
    data = json.loads(json.dumps(robot.to_dict()))  # infinite limits are Python's JSON, not strict JSON
    assert Robot.from_dict(data) == robot
    assert Robot.from_dict(data).to_dict() == robot.to_dict()


@pytest.mark.parametrize("name", [name for name in LIBRARY if name != "every joint"])
def test_urdf_gives_the_same_robot(name: str) -> None:
    assert_same(LIBRARY[name], through_urdf(LIBRARY[name]))


EACH = [pytest.param(key, marks=() if key.endswith(SOME) else pytest.mark.slow) for key in LOADABLE]


@pytest.mark.parametrize("key", EACH)
def test_files_of_robots_round_trip(key: str, tmp_path: Path) -> None:
    for base in ("fixed", "free"):
        robot = loaded(FILES[key], base)
        back = through_toml(robot, tmp_path)
        assert back == robot and back.digest == robot.digest
        assert_same(robot, through_urdf(robot))


def test_awkward_robots_are_exact(tmp_path: Path) -> None:
    """Names, limits, numbers and drives that files get wrong."""
    arm = Inertia.from_com(0.1, (1e-300, 1 / 3, -0.0), ((5e-324, 0, 0), (0, 2e-3, 0), (0, 0, 2e-3)))
    limits = Limits((-np.inf,), (1,), (), (2.5,)), Limits(velocity=(np.inf,))
    robot = Robot.from_links(
        'quote " back \\ tab \t ü 𝛕 \x7f <&>',
        [Link("base"), Link("a\nb", arm), Link("end", Inertia.from_com(np.float32(0.1)))],
        [
            Joint("]", "base", "a\nb", revolute.Revolute((1, 2, 3)), limits=limits[0]),
            Joint("#", "a\nb", "end", limits=limits[1], drive=Drive((0.1,), (), Mimic("]", -1.5, 0.25))),
        ],
        warn=False,
    )
    back = through_toml(robot, tmp_path)
    assert back == robot
    assert str(robot.bodies[1].inertia.h) == str(back.bodies[1].inertia.h)  # the sign of zero too


def test_a_second_tree_beside_a_floating_one_is_no_free_base() -> None:
    """Both stand on the world, so the file must have it as its root link."""
    bodies = [Joint("float", "base", "a", revolute.Free()), Joint("slide", "base", "b", revolute.Prismatic())]
    robot = Robot.from_links("two", [Link("base"), Link("a", Inertia(1.0)), Link("b", Inertia(1.0))], bodies)
    again = revolute.load(robot.to_urdf())
    assert again.link_names == robot.link_names
    assert [body.parent for body in again.bodies] == [-1, 0, 0]


def test_names_that_no_xml_can_hold_are_refused() -> None:
    ball, shell = Shape("sphere", (1,), name="\f"), Shape("mesh", (1, 1, 1), file="\f")
    for shapes in ((), (ball,), (shell,)):
        robot = Robot.from_links("r" if shapes else "\f", [Link("base", visuals=shapes)], [])
        for write in robot.to_urdf, robot.to_mjcf:
            assert_raises(ModelError, r"the name '\\x0c' has a character that XML does not allow", write)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    robot = revolute.robots.planar(2)
    assert_raises(InputError, r"must end in \.toml or \.urdf or \.xml", revolute.save, robot, tmp_path / "robot.yaml")
    assert_raises(InputError, "must be a robot, not str", revolute.save, "robot.toml", robot)
    spun = chain((Inertia(0, (1, 0, 0)), revolute.Revolute()))
    assert_raises(ModelError, "link 'l1': it has a first moment without mass", spun.to_urdf)
    revolute.save(revolute.robots.planar(1), tmp_path / "x.toml")
    assert_raises(InputError, "defines its own base", revolute.load, tmp_path / "x.toml", base="free")


def test_joints_that_formats_have_not() -> None:
    robot = every_joint()
    assert_raises(ModelError, "joint 'j2': URDF has no helical joint", robot.to_urdf)
    assert_raises(ModelError, "joint 'j6': MJCF allows free joints only at the world's origin", robot.to_mjcf)
    place = Transform(p=(1, 0, 0))
    free, planar = (one_joint(x, placement=place) for x in (revolute.Free(), revolute.Planar((1, 0, 2))))
    for one in (free, planar):
        assert type(revolute.load(one.to_urdf()).bodies[1].joint) is type(one.bodies[1].joint)
    assert_raises(ModelError, "joint 'j': MJCF allows free joints", free.to_mjcf)


def test_a_mimic_goes_through_urdf() -> None:
    arm = revolute.robots.planar(2)
    for mimic in (Mimic("joint1", -2.0, 0.5), Mimic("joint1", 1.0, -0.25), Mimic("joint1", 3.0, 0.0)):
        robot = replace(arm, bodies=(*arm.bodies[:2], replace(arm.bodies[2], drive=Drive(mimic=mimic))))
        assert through_urdf(robot).bodies[2].drive.mimic == mimic


@pytest.mark.parametrize("away", [0.0, 3e-8, -3e-8, 1e-6, 1e-3])
@pytest.mark.parametrize("half", [math.pi / 2, -math.pi / 2])
def test_a_pitch_near_a_quarter_turn_keeps_its_digits(half: float, away: float) -> None:
    """There the sine of the pitch is one to within rounding, and says nothing of the last 3e-8 rad."""
    placed = Transform.from_rpy((0, 0, 0), (0.3, half - away, -0.7))
    found = through_urdf(one_joint(revolute.Revolute(), placement=placed)).bodies[1].placement.R.matrix()
    assert_close(np.array(found, dtype=float), np.array(placed.R.matrix(), dtype=float), 1e-15)


WRONG: list[tuple[str, Any, str]] = [
    ("format", "revolute robot 9", "reads 'revolute robot 1'"),
    ("name", 3, "name: it must be text"),
    ("gravity", [0, 0], "gravity: it must be a list of three"),
    ("gravity", [0, 0, float("nan")], "gravity must be three finite"),
    ("bodies", [], r"bodies\[0\] must be the base"),
    ("bodies", {}, "bodies: it must be a list"),
    ("bodies.1.parent", 5, "its parent must come before"),
    ("bodies.1.parent", 0.0, "parent: it must be a whole number"),
    ("bodies.1.joint.type", "hinge", "no joint type 'hinge'; available: .*revolute"),
    ("bodies.1.joint", "revolute", "no joint type"),
    ("bodies.1.joint.axis", [0, 0, 0], "a joint axis must be"),
    ("bodies.1.joint.axis", [0, "x", 0], "axis: it must be a number"),
    ("bodies.1.joint.axis", [0, True, 0], "axis: it must be a number"),
    ("bodies.1.mass", 3, r"bodies, number 2 \('link1'\): there is no 'mass'; available: name, parent"),
    ("bodies.1", {"name": 5}, "bodies, number 2: 'parent' is missing"),
    ("bodies.1.inertia.m", -1, "negative"),
    ("bodies.1.limits", {"lower": [1, 2]}, "Limits.lower must have 1 number"),
    ("bodies.1.placement", {"R": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}, "left-handed"),
    ("bodies.1.placement", {"R": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}, "not orthogonal"),
    ("bodies.1.placement", {"R": [1, 2]}, "R, number 1: it must be a list of three rows"),
    ("bodies.1.drive", {"mimic": {}}, "'joint' is missing"),
    ("frames.0.body", 9, "no body 9"),
    ("colour", "red", "'colour' is unknown"),
]


@pytest.mark.parametrize(("path", "value", "words"), WRONG, ids=[f"{row[0]} {row[1]}" for row in WRONG])
def test_data_that_is_no_robot_says_where(path: str, value: Any, words: str) -> None:
    data = copy.deepcopy(revolute.robots.planar(2).to_dict())
    *keys, last = (int(key) if key.isdigit() else key for key in path.split("."))
    reduce(getitem, keys, data)[last] = value
    assert_raises((ModelError, InputError), words, Robot.from_dict, data)


def test_data_that_is_incomplete() -> None:
    data = revolute.robots.planar(2).to_dict()
    for key in data:
        assert_raises(ModelError, key, Robot.from_dict, {name: value for name, value in data.items() if name != key})
    assert_raises(InputError, "not from list", Robot.from_dict, [])
