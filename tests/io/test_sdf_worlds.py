"""Worlds of SDF with several models: which is the robot, what it stands on, and what joints of the world hold."""

from pathlib import Path

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import ModelError, Robot
from revolute.errors import InputError, ModelWarning

INERTIAL = """<inertial><pose>0.5 0 0 0 0 0</pose><mass>2</mass>
<inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>"""


def joint(name: str, parent: str, child: str, kind: str = "revolute") -> str:
    axis = "<axis><xyz>0 1 0</xyz></axis>" * (kind == "revolute")
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{axis}</joint>'


def model(name: str, more: str = "", hinged: bool = True) -> str:
    """Two links and a hinge, or one link."""
    second = f'<link name="l">{INERTIAL}</link>{joint("j", "b", "l")}' * hinged
    return f'<model name="{name}">{more}<link name="b">{INERTIAL}</link>{second}</model>'


def ground(name: str = "ground_plane", pose: str = "0 0 0 0 0 0") -> str:
    return f'<model name="{name}"><static>true</static><pose>{pose}</pose><link name="link">{INERTIAL}</link></model>'


def load(content: str, name: str | None = None, outer: str = "world") -> Robot:
    inside = f'<world name="w">{content}</world>' if outer == "world" else content
    return revolute.load(f'<sdf version="1.10">{inside}</sdf>', model=name)


@pytest.mark.parametrize("outer", ["world", "file"])
def test_the_ground_is_no_robot(outer: str) -> None:
    for content in (ground() + model("arm"), model("arm") + ground() + ground("wall", "0 3 0 0 0 1")):
        for name in (None, "arm"):
            robot = load(content, name, outer)
            assert (robot.name, robot.joint_names, robot.link_names) == ("arm", ("j",), ("world", "b", "l"))
            np.testing.assert_array_equal(robot.gravity_forces([0.0]), load(model("arm")).gravity_forces([0.0]))
    assert load(ground() + model("arm"), "ground_plane", outer).nv == 0
    assert load(ground(), outer=outer).nv == 0


def test_one_of_several_is_chosen() -> None:
    content = ground() + model("left", "<pose>0 1 0 0 0 0</pose>") + model("right", hinged=False)
    assert_raises(ModelError, r"several models, 'ground_plane', 'left', 'right'; select one: ", load, content)
    left, right = load(content, "left"), load(content, "right")
    assert (left.name, left.nv, right.name, right.nv) == ("left", 1, "right", 0)
    np.testing.assert_array_equal(left.forward_kinematics([0.0], "l")[:3, 3], [0, 1, 0])
    words = "it has no model 'middle'; it has 'ground_plane', 'left', 'right'"
    assert_raises(ModelError, words, load, content, "middle")
    assert_raises(ModelError, "it has no models; add a <model>", load, "")
    urdf = '<robot name="a"><link name="b"/></robot>'
    assert_raises(InputError, "only an SDF file can have several models", revolute.load, urdf, model="a")
    assert_raises(InputError, "'ur5' is a robot of the library", revolute.load, "ur5", model="a")


def test_joints_of_the_world_hold_the_robot() -> None:
    """A rod of 2 kg whose centre is 0.5 m from its hinge at the world."""
    robot = load(model("m", "<pose>0 0 1 0 0 0</pose>", hinged=False) + joint("hinge", "world", "m::b"))
    assert robot.joint_names == ("hinge",)
    np.testing.assert_allclose(robot.gravity_forces([0.0]), [-2 * 9.81 * 0.5], rtol=1e-15)
    np.testing.assert_array_equal(robot.forward_kinematics([0.0], "b")[:3, 3], [0, 0, 1])
    hinge = joint("hinge", "ground_plane::link", "m::b")
    on_ground = load(ground(pose="0 0 7 0 0 0") + model("m", hinged=False) + hinge)
    assert on_ground.joint_names == ("hinge",) and on_ground.link_names[0] == "world"
    with pytest.raises(ModelError, match="child is the world"):
        load(ground() + model("m") + joint("weld", "m::b", "ground_plane::link", "fixed"))


def test_joints_of_the_world_join_models() -> None:
    gripper = model("gripper", '<pose relative_to="arm::l">0 0 0.3 0 0 0</pose>')
    robot = load(model("arm") + gripper + ground() + joint("flange", "arm::l", "gripper::b", "fixed"))
    assert (robot.name, robot.joint_names) == ("arm", ("j", "gripper::j"))
    assert robot.mass == 8
    np.testing.assert_array_equal(robot.forward_kinematics([0.0, 0.0], "gripper::l")[:3, 3], [0, 0, 0.3])
    other = load(model("arm") + gripper + joint("flange", "arm::l", "gripper::b", "fixed"), "gripper")
    assert other.name == "gripper" and {*other.joint_names} == {"j", "arm::j"}
    alone = load(model("arm") + model("other") + model("gripper") + joint("flange", "arm::l", "gripper::b"), "other")
    assert alone.joint_names == ("j",)


def test_frames_of_the_world() -> None:
    frames = '<frame name="corner"><pose relative_to="wall">1 0 0 0 0 0</pose></frame>'
    frames += '<frame name="tip" attached_to="arm::l"><pose>0 0 2 0 0 0</pose></frame>'
    robot = load(model("arm") + ground("wall", "0 3 0 0 0 0") + frames)
    for q in (0.0, 0.7):
        np.testing.assert_allclose(robot.forward_kinematics([q], "corner")[:3, 3], [1, 3, 0], atol=1e-15)
        expected = [2 * np.sin(q), 0, 2 * np.cos(q)]
        np.testing.assert_allclose(robot.forward_kinematics([q], "tip")[:3, 3], expected, atol=1e-15)


def test_what_is_static_and_moves_is_a_robot() -> None:
    still = model("arm", "<static>true</static>")
    with pytest.warns(ModelWarning, match="model 'arm': it is <static>"):
        assert load(ground() + still).joint_names == ("j",)
    assert_raises(ModelError, "several models, 'arm', 'other'", load, still + model("other"))


def test_files_that_worlds_include(tmp_path: Path) -> None:
    for name, text in (("floor", ground()), ("arm", model("arm"))):
        (tmp_path / f"{name}.sdf").write_text(f'<sdf version="1.10">{text}</sdf>')
    path = tmp_path / "world.sdf"

    def load_world(content: str, name: str | None = None) -> Robot:
        path.write_text(f'<sdf version="1.10"><world name="w">{content}</world></sdf>')
        return revolute.load(path, model=name)

    arm, floor = (f"<include><uri>{name}.sdf</uri></include>" for name in ("arm", "floor"))
    assert load_world(floor + arm).joint_names == load_world(floor + arm, "arm").joint_names == ("j",)
    assert load_world(arm + model("other"), "other").name == "other"
    assert_raises(ModelError, "several models, 'other', 'arm'", load_world, arm + model("other"))
    sun = "<include><uri>model://sun</uri></include>"
    with pytest.warns(ModelWarning, match="besides its model it includes 'model://sun': ignored"):
        assert load_world(sun + arm).name == "arm"
    assert_raises(ModelError, "'model://sun': not found from", load_world, sun)


@pytest.mark.parametrize(("version", "read"), [("1.4", True), ("1.5", True), ("1.6", False), ("1.10", False)])
def test_gravity_in_physics_is_that_of_old_worlds(version: str, read: bool) -> None:
    inside = f"<physics><gravity>0 0 -3</gravity></physics>{model('arm')}"
    text = f'<sdf version="{version}"><world name="w">{inside}</world></sdf>'
    if read:
        assert tuple(revolute.load(text).gravity) == (0, 0, -3)
        return
    with pytest.warns(ModelWarning, match="<gravity> in <physics> is ignored since SDFormat 1.6; write it in <world>"):
        assert tuple(revolute.load(text).gravity) == (0, 0, -9.81)
    assert_raises(ModelError, "<gravity> in <physics>", revolute.load, text, strict=True)


def test_links_without_gravity() -> None:
    """Without weight on all links that move, the robot has no gravity; otherwise the difference is told."""
    off = "<gravity>false</gravity>"

    def arm(post: str, rod: str, base: str = "fixed") -> Robot:
        links = f'<link name="b">{post}{INERTIAL}</link><link name="l">{rod}{INERTIAL}</link><link name="tip">{off}'
        light = INERTIAL.replace("<mass>2", "<mass>0").replace("<ixx>1", "<ixx>0").replace("<iyy>2", "<iyy>0")
        links += f'{light.replace("<izz>2.5", "<izz>0")}</link>{joint("k", "l", "tip", "fixed")}'
        text = f'<sdf version="1.9"><model name="m">{links}{joint("j", "b", "l")}</model></sdf>'
        return revolute.load(text, base=base)

    for post in ("", off):
        with pytest.warns(ModelWarning, match="text: the robot's gravity is 0, since no moving link has weight"):
            assert tuple(arm(post, off).gravity) == (0, 0, 0)
    for base, post, rod, name in (("free", off, "", "b"), ("free", "", off, "l")):
        with pytest.warns(ModelWarning, match=f"not modelled: SDF turns gravity off for '{name}'; here it acts"):
            assert tuple(arm(post, rod, base).gravity) == (0, 0, -9.81)
    for post in ("", off):  # the load of a fixed link is on the ground
        assert tuple(arm(post, "<gravity>1</gravity>").gravity) == (0, 0, -9.81)


def test_an_included_ground_may_have_a_placement_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slab").mkdir()
    (tmp_path / "slab" / "model.config").write_text("<model><sdf>slab.sdf</sdf></model>")
    corner = '<static>1</static><frame name="corner"><pose>0 1 0 0 0 0</pose></frame>'
    (tmp_path / "slab" / "slab.sdf").write_text(f'<sdf version="1.9">{model("slab", corner, hinged=False)}</sdf>')
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", str(tmp_path))
    placed = "<include><uri>slab</uri><pose>0 3 0 0 0 0</pose><placement_frame>corner</placement_frame></include>"
    robot = load(placed + model("arm") + joint("on", "slab", "arm::b"))
    assert robot.joint_names == ("on", "j")
    top = load(placed + model("arm", "<pose relative_to='slab'>0 0 0 0 0 0</pose>"))
    np.testing.assert_array_equal(top.forward_kinematics([0.0], "b")[:3, 3], [0, 2, 0])
