"""SDF models in models: nested, and from files that are included, against the same robot in one model."""

import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from files import written
from robots import loaded
from test_sdf import AT, assert_same, joint, link, sdf

import revolute
from revolute import InputError, ModelError, ModelWarning, Transform
from revolute.dynamics.kinematics import frame_pose
from revolute.io import sdf_models

POSE = "0.3 -0.1 0.2 0.5 -0.4 0.3"
PLACED = Transform.from_rpy((0.3, -0.1, 0.2), (0.5, -0.4, 0.3))
AXIS = "<axis><xyz>0 1 0</xyz></axis>"


def assert_same_place(ours: Transform, theirs: Transform) -> None:
    np.testing.assert_allclose(np.array(ours.matrix()), np.array(theirs.matrix()), atol=1e-15 * 8)


def gripper(prefix: str = "", frame: str = "") -> str:
    """A gripper that is a model of its own, or parts of another one, in which its frame has a name."""
    at = f'<pose relative_to="{frame}">' if frame else "<pose>"
    knuckle = f'<pose relative_to="{prefix}palm">{AT}</pose>{AXIS}'
    return (
        link(f"{prefix}palm", f"{at}0.1 0 0 0 0.2 0</pose>", 0.8)
        + link(f"{prefix}finger", f'<pose relative_to="{prefix}knuckle"/>', 0.3)
        + f'<frame name="{prefix}socket" attached_to="{prefix}palm"><pose>0 0 -0.1 0.3 0 0</pose></frame>'
        + joint(f"{prefix}knuckle", "revolute", f"{prefix}palm", f"{prefix}finger", knuckle)
    )


HIP = '<pose relative_to="base">0 0 0.4 0 0 0.2</pose><axis><xyz>1 0 0</xyz></axis>'
ARM = link("base") + link("upper", '<pose relative_to="hip"/>') + joint("hip", "revolute", "base", "upper", HIP)
WELD = joint("weld", "fixed", "upper", "hand::palm", "")
IN_FRAME = f'<frame name="hand"><pose>{POSE}</pose></frame>{gripper("hand::", "hand")}'
FLAT = loaded(sdf(ARM + IN_FRAME + WELD))
LINKS = ("base", "upper", "hand::palm", "hand::finger")
NESTED = f'<model name="hand"><pose>{POSE}</pose>{gripper()}</model>'


def write_model(folder: Path, inside: str, name: str = "hand", version: str = "1.9", attributes: str = "") -> Path:
    """A model as Gazebo keeps it: a folder with model.config and an SDF file."""
    (folder / name).mkdir(parents=True)
    (folder / name / "model.config").write_text(
        f'<model><name>{name}</name><sdf version="1.4">old.sdf</sdf><sdf version="{version}">new.sdf</sdf></model>'
    )
    file = folder / name / "new.sdf"
    file.write_text(f'<sdf version="{version}"><model name="{name}"{attributes}>{inside}</model></sdf>')
    return file


def including(include: str, more: str = WELD) -> str:
    return sdf(f"{ARM}<include>{include}</include>{more}")


def test_a_nested_model_is_as_if_its_parts_had_scoped_names() -> None:
    robot = revolute.load(sdf(ARM + NESTED + WELD))
    assert_same(robot, FLAT, LINKS)
    assert robot.joint_names == ("hip", "hand::knuckle")
    assert {"hand::palm", "hand::finger"} < set(robot.link_names)


def test_models_in_models() -> None:
    inner = f'<model name="hand"><pose relative_to="up">{POSE}</pose>{gripper()}</model><frame name="up"/>'
    text = sdf(ARM + f'<model name="tool">{inner}</model>' + WELD.replace("hand::", "tool::hand::"))
    robot, q = revolute.load(text), [0.3, -0.4]
    assert robot.joint_names == ("hip", "tool::hand::knuckle")
    assert_same_place(frame_pose(robot, q, "tool::hand::finger"), frame_pose(FLAT, q, "hand::finger"))


def test_joints_cross_by_frames_of_nested_models() -> None:
    """A joint on a frame in the nested model, a pose relative to one, an axis expressed in one: all in one place."""
    base = frame_pose(FLAT, [0.2, 0.3], "hand::finger")
    for frame in ("hand::socket", "hand", "hand::__model__"):
        crossing = joint("weld", "fixed", "upper", frame, "")
        assert_same_place(frame_pose(loaded(sdf(ARM + NESTED + crossing)), [0.2, 0.3], "hand::finger"), base)
    tip = link("tip", '<pose relative_to="hand::socket">0 0 1 0 0 0</pose>')
    xyz = '<axis><xyz expressed_in="hand::palm">0 0 1</xyz></axis>'
    swivel = joint("swivel", "revolute", "hand::finger", "tip", xyz)
    assert_same(*(loaded(sdf(ARM + hand + tip + swivel + WELD)) for hand in (NESTED, IN_FRAME)), (*LINKS, "tip"))


def test_the_placement_frame_is_what_the_pose_places() -> None:
    placed = NESTED.replace('name="hand"', 'name="hand" placement_frame="socket"')
    robot = loaded(sdf(ARM + placed + WELD))
    q = [0.0, 0.0]
    assert_same_place(frame_pose(robot, q, "hand::palm") @ Transform.from_rpy((0, 0, -0.1), (0.3, 0, 0)), PLACED)


def test_a_model_without_links_stands_for_the_first_model_in_it() -> None:
    outer = f'<model name="tool">{NESTED}</model>'
    one, two = (
        loaded(sdf(ARM + outer + joint("weld", "fixed", "upper", child, ""))) for child in ("tool", "tool::hand::palm")
    )
    assert_same(one, two, ("base", "tool::hand::finger"))
    assert revolute.load(sdf(NESTED)).joint_names == ("hand::knuckle",)


def test_joints_of_nested_models_follow_their_own() -> None:
    """<mimic> names a joint of the same model."""
    follower = joint("second", "revolute", "finger", "nail", "<axis><xyz>0 1 0</xyz><mimic joint='knuckle'/></axis>")
    robot = loaded(sdf(ARM + f'<model name="hand">{gripper()}{link("nail")}{follower}</model>' + WELD))
    assert robot.bodies[robot.joint_index("hand::second")].drive.mimic == revolute.Mimic("hand::knuckle")


WAYS = ("model upwards", "model by variable", "name upwards", "name by variable", "file", "folder", "file beside")


@pytest.mark.parametrize("way", [*WAYS, "absolute"])
def test_an_included_model_is_as_if_it_were_nested(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_model(tmp_path / "far" if way.endswith("by variable") else tmp_path / "models", gripper())
    uri = {
        **dict.fromkeys(("model upwards", "model by variable"), "model://hand"),
        **dict.fromkeys(("name upwards", "name by variable"), "hand"),
        "file": f"file://{file}", "folder": "../hand", "file beside": "../hand/new.sdf",
        "absolute": str(file.parent),
    }[way]
    monkeypatch.setenv("SDF_PATH", f"/nowhere{os.pathsep}{tmp_path / 'far'}")
    (tmp_path / "models" / "arm").mkdir(parents=True)
    path = written(tmp_path / "models" / "arm" / "arm.sdf", including(f"<uri>{uri}</uri><pose>{POSE}</pose>"))
    assert_same(revolute.load(path), FLAT, LINKS)


def test_an_include_renames_and_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its <name>, <pose> and <placement_frame> win over those of the file; what it does not say, the file says."""
    write_model(tmp_path, f"<pose>{POSE}</pose>{gripper()}", "tool", attributes=' placement_frame="socket"')
    monkeypatch.setenv("SDF_PATH", str(tmp_path))
    uri = "<uri>model://tool</uri>"
    renamed = loaded(including(f"{uri}<name>hand</name>"))
    assert_same(renamed, loaded(sdf(ARM + NESTED.replace('"hand">', '"hand" placement_frame="socket">') + WELD)), LINKS)
    moved = "<name>hand</name><pose relative_to='upper'>1 2 3 0 0 0</pose><placement_frame>palm</placement_frame>"
    robot = loaded(including(uri + moved))
    ahead = frame_pose(robot, [0.3, 0.2], "upper").inverse() @ frame_pose(robot, [0.3, 0.2], "hand::palm")
    assert_same_place(ahead, Transform(p=(1, 2, 3)))
    assert loaded(including(uri, WELD.replace("hand", "tool"))).joint_names == ("hip", "tool::knuckle")


def test_a_merged_model_has_no_scope(tmp_path: Path) -> None:
    write_model(tmp_path, gripper())
    merged = f'<include merge="true"><uri>hand</uri><pose>{POSE}</pose></include>'
    robot = loaded(written(tmp_path / "arm.sdf", sdf(ARM + merged + WELD.replace("hand::", ""))))
    assert robot.joint_names == ("hip", "knuckle")
    ours, theirs = frame_pose(robot, [0.3, 0.2], "finger"), frame_pose(FLAT, [0.3, 0.2], "hand::finger")
    assert_same_place(ours, theirs)


def test_axes_of_an_old_file_are_in_the_frame_of_its_model(tmp_path: Path) -> None:
    write_model(tmp_path, gripper(), version="1.4")
    path = written(tmp_path / "arm.sdf", including(f"<uri>hand</uri><pose>{POSE}</pose>"))
    new = NESTED.replace(AXIS, '<axis><xyz expressed_in="__model__">0 1 0</xyz></axis>')
    assert_same(loaded(path), loaded(sdf(ARM + new + WELD)), LINKS)


def test_a_world_may_include_its_robot(tmp_path: Path) -> None:
    write_model(tmp_path, gripper())
    pose = "<pose>1 2 3 .3 .2 .1</pose>"
    world = f'<world name="w"><include><uri>hand</uri>{pose}</include></world>'
    path = written(tmp_path / "lab.sdf", f'<sdf version="1.9">{world}</sdf>')
    assert_same(loaded(path), loaded(sdf(pose + gripper())), ("palm", "finger"))
    assert loaded(path).name == "hand"


URDF_HAND = """<robot name="hand"><lnik/><link name="palm"/><link name="finger"/>
<joint name="knuckle" type="continuous"><parent link="palm"/><child link="finger"/></joint></robot>"""


@pytest.mark.parametrize("text", ["", URDF_HAND])
def test_names_that_are_not_read_are_told_of_included_files_once(text: str, tmp_path: Path) -> None:
    file = write_model(tmp_path, gripper() + "<lnik/>")
    file.write_text(text or file.read_text())
    hands = "".join(f"<include><uri>hand</uri><name>{side}</name></include>" for side in ("left", "right"))
    welds = joint("l", "fixed", "upper", "left::palm", "") + joint("r", "fixed", "upper", "right::palm", "")
    path = written(tmp_path / "arm.sdf", sdf(ARM + hands + welds + "<jonit/>"))
    with pytest.warns(ModelWarning) as caught:
        robot = revolute.load(path)
    assert robot.joint_names == ("hip", "left::knuckle", "right::knuckle")
    assert [warning.message.file for warning in caught] == [str(path), str(file)]  # type: ignore[union-attr]
    with pytest.raises(ModelError, match=r"<lnik> in <(model|robot)> is not read; the nearest name is <link>"):
        revolute.load(path, strict=True)


def test_a_held_model_is_told_unless_the_include_frees_it(tmp_path: Path) -> None:
    write_model(tmp_path, gripper() + "<static>true</static>")
    path = written(tmp_path / "arm.sdf", including("<uri>hand</uri>"))
    assert_warns(ModelWarning, "model 'hand': it is <static>, so SDFormat fixes it", revolute.load, path)
    path.write_text(including("<uri>hand</uri><static>false</static>"))
    revolute.load(path)


def test_files_that_include_each_other_are_refused_with_the_cycle(tmp_path: Path) -> None:
    include = "<include><uri>model://{}</uri></include>"
    files = [write_model(tmp_path, link("a") + include.format(other), name) for name, other in ("ab", "ba")]
    chain = " -> ".join(map(str, (*files, files[0])))
    with pytest.raises(ModelError, match=re.escape(f"the file includes itself: {chain}; remove one of these")):
        revolute.load(files[0])
    for file in files:
        os.remove(file)
    os.symlink("a.sdf", tmp_path / "b.sdf")
    (tmp_path / "a.sdf").write_text(sdf(link("a") + "<include><uri>b.sdf</uri></include>"))
    assert_raises(ModelError, "the file includes itself", revolute.load, tmp_path / "a.sdf")


def test_files_that_grow_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file includes the next one twice: 2^20 models of 20 files."""
    for k in range(20):
        twice = "".join(f"<include><uri>m{k + 1}.sdf</uri><name>{x}</name></include>" for x in "ab") if k < 19 else ""
        (tmp_path / f"m{k}.sdf").write_text(sdf('<link name="l"/>' + twice))
    assert_raises(ModelError, "more than 32 nested models, or 1000 in all", revolute.load, tmp_path / "m0.sdf")
    monkeypatch.setattr(sdf_models, "LARGEST", 1000)
    assert_raises(ModelError, "included files exceed 0 MiB in total", revolute.load, tmp_path / "m0.sdf")
    deep = '<model name="a"><link name="l"/>' * 100_000 + "</model>" * 100_000
    assert_raises(ModelError, "more than 32 nested models", revolute.load, f'<sdf version="1.9">{deep}</sdf>')


HAND = NESTED + WELD
BROKEN = {
    "no uri": (including("<name>hand</name>"), "<uri> is missing"),
    "folder without a config": (including("<uri>empty</uri>"), "of 'empty': not found from .*; set one of .* to"),
    "no file": (including("<uri>file:///none.sdf</uri>"), "not found .*; give a file, or .* model.config$"),
    "above all": (including("<uri>model://..</uri>"), "not found from"),
    "config of nothing": (including("<uri>bare</uri>"), "bare/model.config: it lists no file; add one"),
    "config of a file that is none": (including("<uri>lost</uri>"), "model.config: it lists 'x.sdf', which is not a"),
    "config of another kind": (including("<uri>other</uri>"), "root element is <robot>, but that of model.config"),
    "config with a wrong version": (including("<uri>worded</uri>"), "<sdf> has version='new'; write it like 1.9"),
    "config that is no XML": (including("<uri>words</uri>"), "words/model.config: not an XML file"),
    "urdf": (including("<uri>arm.urdf</uri>"), "arm.urdf: it has no links"),
    "other xml": (including("<uri>arm.html</uri>"), "arm.html: its root element is <p>, but <include> supports only"),
    "no xml": (including("<uri>words.sdf</uri>"), "words.sdf: not an XML file"),
    "two models in a file": (including("<uri>two.sdf</uri>"), "two.sdf: it has 2 models, but an included file"),
    "no model in a file": (including("<uri>world.sdf</uri>"), "world.sdf: it has 0 models, but an included"),
    "a link that is broken": (including("<uri>broken.sdf</uri>", ""), "broken.sdf: model 'm': link 'a': <mass> is -1"),
    "placed without a pose": (
        including("<uri>whole.sdf</uri><placement_frame>a</placement_frame>"), "it has a <placement_frame> and no <pose"
    ),
    "model without a name": (sdf(ARM + NESTED.replace(' name="hand"', "") + WELD), "a model in it has no name"),
    "name twice": (sdf(ARM + NESTED + NESTED + WELD), "duplicate name 'hand' among links, joints, frames and mo"),
    "name of a link": (sdf(ARM + NESTED.replace('"hand"', '"base"')), "duplicate name 'base'"),
    "link of that name": (sdf(link("world")), "the name 'world' is reserved in SDFormat"),
    "scoped name twice": (sdf(ARM + HAND + link("hand::palm")), "duplicate name 'hand::palm'"),
    "empty nested model": (sdf(ARM + '<model name="hand"/>'), "model 'hand': it has no links"),
    "unknown canonical link": (sdf(ARM, model=' canonical_link="x"'), "its canonical_link is 'x', which is not one of"),
    "name from outside": (
        sdf(ARM + HAND.replace('relative_to="knuckle"', 'relative_to="hip"')), "no link, joint or frame 'hand::hip'"
    ),
    "loose": (sdf(ARM + NESTED), "it has 3 roots, links without a parent joint: 'world' .alone., 'base' .* 'hand::"),
    "world's frame": (sdf('<pose relative_to="table"/>' + ARM), "its pose is relative to 'table'; give its pose in th"),
}  # fmt: skip


def write_parts(folder: Path) -> None:
    """The files that these cases name."""
    for name in ("bare", "lost", "other", "worded", "words", "empty"):
        (folder / name).mkdir()
    for name, text in {
        "bare/model.config": "<model/>",
        "lost/model.config": "<model><sdf>x.sdf</sdf></model>",
        "other/model.config": "<robot/>",
        "worded/model.config": '<model><sdf version="new">x.sdf</sdf></model>',
        "words/model.config": "words",
        "arm.urdf": "<robot/>",
        "arm.html": "<p/>",
        "words.sdf": "words",
        "two.sdf": '<sdf version="1.9"><model name="a"/><model name="b"/></sdf>',
        "world.sdf": '<sdf version="1.9"><world name="w"><model name="a"/></world></sdf>',
        "broken.sdf": sdf(link("a", mass=-1)),
        "whole.sdf": sdf(link("a")),
    }.items():
        (folder / name).write_text(text)


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_said(case: str, tmp_path: Path) -> None:
    text, words = BROKEN[case]
    write_parts(tmp_path)
    path = written(tmp_path / "arm.sdf", text)
    with warnings.catch_warnings(), pytest.raises(ModelError, match=words) as caught:
        warnings.simplefilter("ignore", ModelWarning)
        revolute.load(path)
    assert str(path) in str(caught.value)


def test_a_model_on_the_world_does_not_float(tmp_path: Path) -> None:
    held = NESTED.replace("</model>", joint("hold", "fixed", "world", "palm", "") + "</model>")
    assert loaded(sdf(held)).joint_names == ("hand::knuckle",)
    assert_raises(InputError, "base must be 'fixed'", revolute.load, sdf(held), base="free")


def test_parts_of_old_files_that_share_a_name_are_renamed(tmp_path: Path) -> None:
    """As by libsdformat before 1.7: a joint like its link, or like a nested model; a frame like a joint."""
    joints = joint("b", "revolute", "a", "b") + joint("n", "fixed", "b", "n::l") + joint("c", "revolute", "a", "c")
    links = "".join(map(link, ("a", "b", "b_joint", "c"))) + joint("d", "revolute", "a", "b_joint")
    text = sdf(links + joints + f'<model name="n">{link("l")}</model><frame name="c"/><frame name="d"/>', "1.6")
    words = "'b_joint0', 'n_joint', 'c_joint', 'c_frame', 'd_frame'"
    robot = assert_warns(ModelWarning, f"model 'm': joints and frames .* renamed, .*: {words}$", revolute.load, text)
    assert robot.joint_names == ("d", "b_joint0", "c_joint")
    assert {*robot.link_names} == {"world", "a", "b", "b_joint", "c", "n::l", "c_frame", "d_frame"}
    assert_raises(ModelError, "duplicate name 'b' among", revolute.load, text.replace("1.6", "1.7"))
    twice = sdf(link("a") + link("b") + link("c") + 2 * joint("j", "revolute", "a", "b"), "1.6")
    assert_raises(ModelError, "duplicate name 'j' among", revolute.load, twice)
    (tmp_path / "old.sdf").write_text(sdf(link("a") + link("b") + joint("b", "revolute", "a", "b"), "1.4"))
    path = written(tmp_path / "arm.sdf", sdf("<include><uri>old.sdf</uri><name>arm</name></include>"))
    robot = assert_warns(ModelWarning, "renamed, as in SDFormat: 'b_joint'", revolute.load, path)
    assert robot.joint_names == ("arm::b_joint",)


def test_parameters_of_an_include_are_told(tmp_path: Path) -> None:
    write_model(tmp_path, gripper())
    params = '<x:params xmlns:x="http://sdformat.org/experimental"><link element_id="palm"/></x:params>'
    path = written(tmp_path / "arm.sdf", including(f"<uri>hand</uri>{params}"))
    assert_warns(ModelWarning, "<include> of 'hand': parameters .* are not modelled", revolute.load, path)
