"""URDF files that SDF includes, against the same model written as SDF."""

from pathlib import Path

import pytest
from comparing import assert_raises, assert_warns
from files import written
from robots import loaded
from test_sdf import AT, URDF_INERTIAL, assert_same, joint, link, sdf
from test_sdf_models import ARM, PLACED, POSE, assert_same_place

import revolute
from revolute import Free, Mimic, ModelError, ModelWarning, Planar
from revolute.dynamics.kinematics import frame_pose
from revolute.examine import examine

ORIGIN = f'<origin xyz="{" ".join(AT.split()[:3])}" rpy="{" ".join(AT.split()[3:])}"/>'
LINKS = ("palm", "finger")


def part(name: str, mass: float, inside: str = "") -> str:
    return f'<link name="{name}">{URDF_INERTIAL.format(mass=mass)}{inside}</link>'


def hinge(name: str, parent: str, child: str, inside: str = "", kind: str = "revolute") -> str:
    ends = f'{ORIGIN}<parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def urdf(inside: str) -> str:
    return f'<robot name="hand">{inside}</robot>'


LIMITS = '<limit lower="-1" upper="2" effort="50" velocity="8"/><dynamics damping=".5" friction=".2"/>'
HAND = part("finger", 0.3) + part("palm", 0.8) + hinge("knuckle", "palm", "finger", LIMITS)
"""The root link is the second: nothing depends on the order in the file."""
MOVES = (
    "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>50</effort><velocity>8</velocity></limit>"
    "<dynamics><damping>.5</damping><friction>.2</friction></dynamics></axis>"
)
TWIN = (
    link("palm", "", 0.8)
    + link("finger", '<pose relative_to="knuckle"/>', 0.3)
    + joint("knuckle", "revolute", "palm", "finger", f'<pose relative_to="palm">{AT}</pose>{MOVES}')
)
"""The same as SDF."""
WELD = joint("weld", "fixed", "upper", "hand::palm", "")


def folder_of(folder: Path, inside: str, uri: str = "hand.urdf", include: str = "") -> Path:
    """An SDF file that includes a URDF file beside it."""
    (folder / "hand.urdf").write_text(urdf(inside))
    return written(folder / "arm.sdf", sdf(f"{ARM}<include><uri>{uri}</uri>{include}</include>{WELD}"))


@pytest.mark.parametrize("way", ["file", "model.config"])
def test_an_included_urdf_is_as_if_it_were_written_as_sdf(way: str, tmp_path: Path) -> None:
    uri = {"file": "hand.urdf", "model.config": "model://hand"}[way]
    path = folder_of(tmp_path, HAND, uri, f"<pose>{POSE}</pose>")
    if way == "model.config":
        (tmp_path / "hand").mkdir()
        (tmp_path / "hand" / "model.config").write_text('<model><sdf version="1.9">hand.urdf</sdf></model>')
        (tmp_path / "hand.urdf").rename(tmp_path / "hand" / "hand.urdf")
    robot = revolute.load(path)
    twin = loaded(sdf(f'{ARM}<model name="hand" canonical_link="palm"><pose>{POSE}</pose>{TWIN}</model>{WELD}'))
    assert_same(robot, twin, ("base", "hand::palm", "hand::finger"))
    ours, theirs = (each.bodies[each.joint_index("hand::knuckle")] for each in (robot, twin))
    assert (ours.limits, ours.drive) == (theirs.limits, theirs.drive)


def test_the_root_link_carries_the_frame_of_the_model(tmp_path: Path) -> None:
    """It is the canonical link, though the finger stands first in the file."""
    path = folder_of(tmp_path, HAND)
    robot = loaded(path)
    path.write_text(path.read_text().replace("hand::palm", "hand"))
    assert_same(loaded(path), robot, ("base", "hand::palm", "hand::finger"))


def test_name_placement_frame_and_merge_are_as_for_sdf(tmp_path: Path) -> None:
    placed = f"<name>tool</name><pose relative_to='upper'>{POSE}</pose><placement_frame>finger</placement_frame>"
    path = folder_of(tmp_path, HAND, include=placed)
    path.write_text(path.read_text().replace("hand::", "tool::"))
    robot = loaded(path)
    assert robot.joint_names == ("hip", "tool::knuckle")
    q = [0.3, 0.0]  # the pose is that of the finger where its joint is at zero
    assert_same_place(frame_pose(robot, q, "upper").inverse() @ frame_pose(robot, q, "tool::finger"), PLACED)
    path.write_text(path.read_text().replace("<include>", '<include merge="true">').replace("tool::", ""))
    assert loaded(path).joint_names == ("hip", "knuckle")


WORLD = f'<world name="w"><include><uri>hand.urdf</uri><pose>{POSE}</pose></include></world>'


def test_a_world_may_include_its_robot_as_urdf(tmp_path: Path) -> None:
    (tmp_path / "hand.urdf").write_text(urdf(HAND))
    path = written(tmp_path / "lab.sdf", f'<sdf version="1.9">{WORLD}</sdf>')
    robot = loaded(path)
    assert robot.name == "hand"
    assert_same(robot, loaded(sdf(f"<pose>{POSE}</pose>{TWIN}")), LINKS)
    assert_same(loaded(path, "free"), loaded(tmp_path / "hand.urdf", "free"), LINKS)


def test_a_root_link_world_is_the_world(tmp_path: Path) -> None:
    """As SDFormat has it: the joint on it holds the model, and the pose of the model moves both."""
    held = hinge("mount", "world", "palm", kind="fixed")
    (tmp_path / "hand.urdf").write_text(urdf('<link name="world"/>' + held + HAND))
    robot = loaded(written(tmp_path / "lab.sdf", f'<sdf version="1.9">{WORLD}</sdf>'))
    alone = loaded(tmp_path / "hand.urdf")
    assert robot.joint_names == ("knuckle",)
    assert_same_place(frame_pose(robot, [0.4], "finger"), PLACED @ frame_pose(alone, [0.4], "finger"))


def test_joints_that_sdf_lacks_move_and_mimics_follow_their_own(tmp_path: Path) -> None:
    moving = (
        part("nail", 0.1) + part("plate", 0.2) + part("ball", 0.3)
        + hinge("second", "finger", "nail", '<mimic joint="knuckle" multiplier="2"/>', "continuous")
        + hinge("slip", "palm", "plate", kind="planar") + hinge("loose", "palm", "ball", kind="floating")
    )  # fmt: skip
    path = folder_of(tmp_path, HAND + moving)
    with pytest.warns(ModelWarning, match="mimic joints") as caught:
        robot = revolute.load(path)
    assert len(caught) == 1
    joints = {body.joint_name: body for body in robot.bodies}
    assert joints["hand::second"].drive.mimic == Mimic("hand::knuckle", 2.0)
    assert isinstance(joints["hand::slip"].joint, Planar)
    assert isinstance(joints["hand::loose"].joint, Free)


def test_shapes_and_gears_of_an_included_urdf_are_kept(tmp_path: Path) -> None:
    box = '<visual><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry></visual>'
    mesh = '<visual><geometry><mesh filename="palm.stl"/></geometry></visual>'
    broken = '<visual><geometry><box size="1 2"/></geometry></visual>'
    gear = '<transmission name="t"><joint name="knuckle"/><actuator name="m"><mechanicalReduction>7'
    inside = HAND + gear + "</mechanicalReduction></actuator></transmission>"
    inside = inside.replace("</link>", box + broken + "</link>", 1).replace('"palm">', f'"palm">{mesh}', 1)
    path = folder_of(tmp_path, inside, include="<name>hand</name>")
    robot = assert_warns(ModelWarning, "hand.urdf: link 'finger': a <visual> is ignored", revolute.load, path)
    frames = {frame.name: frame for frame in robot.frames}
    assert [shape.size for shape in frames["hand::finger"].visuals] == [(1, 2, 3)]
    assert frames["hand::palm"].visuals[0].file == str(tmp_path / "palm.stl")
    assert robot.bodies[robot.joint_index("hand::knuckle")].drive.gear_ratio == (7,)
    examined = examine(path)
    assert (examined.links, examined.sized) == (4, 0)  # a link with a shape that is not read has no known size
    (tmp_path / "hand.urdf").write_text((tmp_path / "hand.urdf").read_text().replace(broken, ""))
    assert examine(path).sized == 1


WRONG = {
    "a cycle": (HAND + hinge("back", "finger", "palm"), "hand.urdf: its joints form a cycle"),
    "two roots": (HAND + part("loose", 1), "hand.urdf: it has 2 roots"),
    "no links": ("", "hand.urdf: it has no links"),
    "a name twice": (HAND.replace("knuckle", "palm"), "model 'hand': duplicate name 'hand::palm'"),
    "a fault": (HAND.replace('xyz="0 1 0"', 'xyz="0 0 0"'), "hand.urdf: joint 'knuckle': <axis> has xyz='0 0 0'"),
    "xacro": (HAND.replace('xyz="0 1 0"', 'xyz="${a}"'), "hand.urdf: this is xacro"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_a_urdf_is_said(case: str, tmp_path: Path) -> None:
    inside, words = WRONG[case]
    assert_raises(ModelError, words.replace("$", r"\$"), revolute.load, folder_of(tmp_path, inside))
