"""Files with one thing wrong each: refused by an error or told by a warning that names the element; none is silent."""

import warnings
from pathlib import Path

import pytest
from damaged_scene import PART, SCENE
from files import written

import revolute
from revolute import ModelError, ModelWarning

Row = tuple[str, str, str, str]
"""File, text that is replaced, text in its place, words of the message."""

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0 0.2"/>
      <mass value="2"/>
      <inertia ixx="0.03" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.02"/>
    </inertial>
    <visual><origin xyz="0 0 0.1"/><geometry><box size="0.1 0.1 0.3"/></geometry></visual>
  </link>
  <link name="tool"/>
  <joint name="hinge" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="0 0 0.5" rpy="0 0.3 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="2"/>
    <dynamics damping="0.5" friction="0.1"/>
  </joint>
  <joint name="wrist" type="fixed"><parent link="upper"/><child link="tool"/><origin xyz="0 0 0.3"/></joint>
</robot>
"""
SDF = """<sdf version="1.9"><model name="arm">
  <link name="upper">
    <pose>0 0 0.5 0 0 0</pose>
    <inertial>
      <pose>0 0 0.1 0 0 0</pose>
      <mass>2</mass>
      <inertia><ixx>0.03</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.03</iyy><iyz>0</iyz><izz>0.02</izz></inertia>
    </inertial>
  </link>
  <frame name="tip" attached_to="upper"><pose relative_to="upper">0 0 0.3 0 0 0</pose></frame>
  <joint name="hinge" type="revolute">
    <parent>world</parent>
    <child>upper</child>
    <pose degrees="false">0 0 0 0 0 0</pose>
    <axis>
      <xyz>0 1 0</xyz>
      <limit><lower>-1</lower><upper>1</upper><effort>50</effort><velocity>2</velocity></limit>
      <dynamics><damping>0.5</damping><friction>0.1</friction><spring_stiffness>3</spring_stiffness></dynamics>
    </axis>
  </joint>
</model></sdf>
"""
MJCF = """<mujoco model="arm"><worldbody>
  <body name="upper" pos="0 0 0.5" quat="1 0 0 0">
    <joint name="hinge" axis="0 1 0" pos="0 0 0" range="-1 1" damping="0.5" frictionloss="0.1"/>
    <inertial pos="0 0 0.1" mass="2" diaginertia="0.03 0.03 0.02"/>
    <site name="tip" pos="0 0 0.3"/>
  </body>
</worldbody></mujoco>
"""
TEXTS = {"arm.urdf": URDF, "arm.sdf": SDF, "scene.sdf": SCENE, "arm.xml": MJCF}


REFUSED: list[Row] = [
    # names of what must be there
    ("arm.urdf", "robot", "robto", "the root element is <robto>; that of URDF is <robot>"),
    ("arm.urdf", 'parent link="base"', 'parent lnk="base"', "joint 'hinge': <parent> has no attribute 'link'"),
    ("arm.urdf", "<mass value", "<mass valu", "link 'upper': <mass> has no attribute 'value'"),
    *(("arm.urdf", f"{name}=", f"{name}x=", f"<inertia> has no attribute '{name}'")
      for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
    # numbers
    *(("arm.urdf", old, f'{old.partition("=")[0]}="{bad}"', f"{where}: <{tag}> has {old.partition('=')[0]}='{bad}'")
      for old, where, tag in (
          ('value="2"', "link 'upper'", "mass"), ('ixx="0.03"', "link 'upper'", "inertia"),
          ('rpy="0 0 0.2"', "link 'upper'", "origin"), ('xyz="0 0 0.5"', "joint 'hinge'", "origin"),
          ('xyz="0 1 0"', "joint 'hinge'", "axis"), ('lower="-1"', "joint 'hinge'", "limit"),
          ('effort="50"', "joint 'hinge'", "limit"), ('velocity="2"', "joint 'hinge'", "limit"),
          ('damping="0.5"', "joint 'hinge'", "dynamics"), ('friction="0.1"', "joint 'hinge'", "dynamics"),
      ) for bad in ("x", "nan", "1,5")),
    ("arm.urdf", 'damping="0.5"', 'damping="-0.5"', "joint 'hinge': its damping is -0.5"),
    ("arm.urdf", 'velocity="2"', 'velocity="-2"', "joint 'hinge': its velocity limit is -2"),
    ("arm.urdf", 'rpy="0 0.3 0"', 'quat_xyzw="0 0 0 0"', "joint 'hinge': <origin> has quat_xyzw='0 0 0 0'"),
    ("arm.urdf", 'rpy="0 0.3 0"', 'rpy="0 0 0" quat_xyzw="0 0 0 1"', "joint 'hinge': <origin> has both rpy and quat"),
    # trees
    ("arm.urdf", 'child link="tool"', 'child link="tol"', "its child link 'tol' does not exist"),
    # SDF
    ("arm.sdf", "sdf", "sfd", "the root element is <sfd>"),
    ("arm.sdf", 'type="revolute"', 'kind="revolute"', "joint 'hinge': <joint> has no attribute 'type'"),
    ("arm.sdf", 'version="1.9"', 'version="1,9"', "<sdf> has version='1,9'; write it like 1.9"),
    ("arm.sdf", 'degrees="false"', 'degrees="maybe"', "joint 'hinge': <pose> has degrees='maybe'"),
    ("arm.sdf", 'degrees="false"', 'rotation_format="quat"', "joint 'hinge': <pose> has rotation_format='quat'"),
    ("arm.sdf", 'relative_to="upper"', 'relative_to="uper"', "there is no link, joint or frame 'uper'"),
    ("arm.sdf", "<xyz>0 1 0", "<use_parent_model_frame>yes</use_parent_model_frame><xyz>0 1 0", "joint 'hinge': <use_"),
    ("arm.sdf", "<inertial>", '<inertial auto="yes">', "link 'upper': <inertial> has auto='yes'"),
    *(("arm.sdf", f"<{tag}>{old}<", f"<{tag}>{bad}<", f"<{tag}> has text='{bad}'")
      for tag, old in (("mass", "2"), ("ixx", "0.03"), ("izz", "0.02"), ("lower", "-1"), ("effort", "50"),
                       ("damping", "0.5"), ("friction", "0.1"), ("spring_stiffness", "3"), ("xyz", "0 1 0"))
      for bad in ("x", "nan")),
    ("arm.sdf", "<damping>0.5", "<damping>-0.5", "joint 'hinge': its damping is -0.5"),
    ("scene.sdf", 'placement_frame="grip"', 'placement_frame="girp"', "there is no link, joint or frame 'tool::girp'"),
    ("scene.sdf", 'relative_to="stand">0 0 1', 'relative_to="tool::palm">0 0 1', "relative to itself, through a cycle"),
    ("scene.sdf", 'relative_to="stand">0 0 1', 'relative_to="satnd">0 0 1', "there is no link, joint or frame 'satnd'"),
    ("scene.sdf", 'relative_to="tool::grip"', 'relative_to="grip"', "there is no link, joint or frame 'grip'"),
    ("scene.sdf", "<child>hand::body", "<child>part::body", "there is no link, joint or frame 'part::body'"),
    *(("scene.sdf", "part.sdf", new, f"<include> of '{new}': {words}") for new, words in (
        ("prat.sdf", "not found from"), ("model://prat", "not found from"), ("", "its <uri> is empty"),
        ("file:///none/part.sdf", "not found from"), ("http://a.org/part", "http:// is not supported; store the model"),
        ("scene.sdf", "the file includes itself: "), ("modle://part", "modle:// is not supported"),
    )),
    ("scene.sdf", 'merge="false"', 'merge="maybe"', "<include> has merge='maybe': it must be true or false"),
    ("scene.sdf", "<placement_frame>socket", "<placement_frame>scoket", "there is no link, joint or frame 'hand::scok"),
    ("scene.sdf", "<gearbox_ratio>0.1", "<gearbox_ratio>inf", "joint 'gears': <gearbox_ratio> has text='inf'"),
    ("scene.sdf", "<axis2><xyz>0 0 1", "<axis2><xyz>1 0 0", "joint 'gears': its <axis2> is not along the axis of join"),
    ("scene.sdf", "axis2>", "axsi2>", "joint 'gears': <axis2> is missing"),
    ("scene.sdf", "<parent>hand::body", "<parent>tool::palm", "joint 'gears': its parent and child are the same link"),
    # MJCF
    *(("arm.xml", old, old.replace(number, "nan"), f"{place}: line {line}: <{tag}> has {old.partition('=')[0]}=")
      for old, number, tag, place, line in (
          ('pos="0 0 0.5"', "0.5", "body", "body 'upper'", 2), ('quat="1 0 0 0"', "1", "body", "body 'upper'", 2),
          ('axis="0 1 0"', "1", "joint", "joint 'hinge'", 3), ('range="-1 1"', "-1", "joint", "joint 'hinge'", 3),
          ('damping="0.5"', "0.5", "joint", "joint 'hinge'", 3), ('mass="2"', "2", "inertial", "body 'upper'", 4),
          ('frictionloss="0.1"', "0.1", "joint", "joint 'hinge'", 3), ('pos="0 0 0.3"', "0.3", "site", "site 'tip'", 5),
          ('diaginertia="0.03 0.03 0.02"', "0.02", "inertial", "body 'upper'", 4),
      )),
    ("arm.xml", 'damping="0.5"', 'damping="-0.5"', "joint 'hinge': its damping is -0.5"),
]  # fmt: skip


TOLD: list[Row] = [
    ("arm.urdf", '<link name="tool"/>', '<link name="tool" mass="1"/>', "link 'tool': line 11: attribute 'mass' of <l"),
    ("arm.urdf", "visual>", "visaul>", "link 'upper': line 9: <visaul> in <link> is not read; the nearest name is <vi"),
    ("arm.urdf", "geometry>", "geometrie>", "<geometrie> in <visual> is not read; the nearest name is <geometry>"),
    ("arm.urdf", "<box", "<bocks", "<bocks> in <geometry> is not read; elements that are read in <geometry>: box, cap"),
    ("arm.urdf", 'rpy="0 0.3 0"', 'quat_xyzw="0 0 0 1.01"', "<origin> has quat_xyzw='0 0 0 1.01': the length of this"),
    ("arm.urdf", 'rpy="0 0 0.2"', 'quat_xyzw="0 0 2 0"', "link 'upper': <origin> has quat_xyzw='0 0 2 0': the length"),
    ("arm.urdf", 'ixx="0.03"', 'ixx="-0.03"', "link 'upper': this inertia is not physically consistent"),
    ("arm.urdf", 'ixy="0"', 'ixy="0" iyx="0.01"', "link 'upper': line 7: attribute 'iyx' of <inertia> is not read"),
    ("arm.urdf", "</robot>", "<jonit/></robot>", "<jonit> in <robot> is not read; the nearest name is <joint>"),
    ("arm.urdf", "</robot>", "<inertial/></robot>", "<inertial> in <robot> is not read; it belongs in <link>"),
    ("arm.sdf", "inertial>", "inertail>", "<inertail> in <link> is not read; the nearest name is <inertial>"),
    ("arm.sdf", "mass>", "mas>", "link 'upper': line 6: <mas> in <inertial> is not read; the nearest name is <mass>"),
    ("arm.sdf", "<damping>", "<spring_referense>1</spring_referense><damping>", "<spring_referense> in <dynamics> is "),
    ("arm.sdf", 'degrees="false"', 'degree="false"', "joint 'hinge': line 14: attribute 'degree' of <pose> is not rea"),
    ("arm.sdf", 'attached_to="upper"', 'atached_to="upper"', "frame 'tip': line 10: attribute 'atached_to' of <frame>"),
    ("arm.sdf", "frame", "frme", "<frme> in <model> is not read; the nearest name is <frame>"),
    ("arm.sdf", "<axis>", "<thread_pitch>1</thread_pitch><axis>", "joint 'hinge': line 15: <thread_pitch> in <joint> "),
    ("arm.sdf", "<xyz>", '<xyz expresed_in="upper">', "attribute 'expresed_in' of <xyz> is not read; the nearest name"),
    ("arm.sdf", '<model name="arm">', '<model name="arm"><static>true</static>', "model 'arm': it is <static>"),
    ("arm.sdf", '<model name="arm">', '<model name="arm"><statik>true</statik>', "<statik> in <model> is not read"),
    ("arm.sdf", 'degrees="false">0 0 0 0', 'rotation_format="quat_xyzw">0 0 0 0 2', "'hinge': <pose> has the quaterni"),
    ("arm.sdf", "<ixx>0.03", "<ixx>-0.03", "link 'upper': this inertia is not physically consistent"),
    ("arm.sdf", "<pose>0 0 0.1", '<pose relative_to="tip">0 0 0.1', "the <pose> in <inertial> is read in the frame o"),
    ("scene.sdf", 'relative_to="stand">0 0 0', 'relative_to="satnd">0 0 0', "there is no link, joint or frame 'satnd'"),
    ("scene.sdf", "gearbox_ratio>", "gearbox_ratoi>", "<gearbox_ratoi> in <joint> is not read; the nearest name"),
    ("scene.sdf", "<placement_frame>socket</placement_frame>", "<placement_farme/>", "<placement_farme> in <include> "),
    ("scene.sdf", 'merge="false"', 'marge="false"', "attribute 'marge' of <include> is not read; the nearest name is "),
    ("scene.sdf", 'placement_frame="grip"', 'placement_fram="grip"', "attribute 'placement_fram' of <model> is not re"),
    ("scene.sdf", 'canonical_link="palm"', 'canonical_lnk="palm"', "attribute 'canonical_lnk' of <model> is not read;"),
    ("scene.sdf", "<uri>part.sdf</uri>", "<uri>part.sdf</uri><static>true</static>", "model 'hand': it is <static>"),
    ("scene.sdf", "box>", "bocks>", "<bocks> in <geometry> is not read; elements that are read in <geometry>: box, ca"),
    ("scene.sdf", "<axis2><xyz>0 0 1</xyz>", "<axis2><xyz>0 0 1</xyz><limit>1</limit>", "<limit> in <axis2> is n"),
    ("scene.sdf", "</include>", "<psoe/></include>", "<psoe> in <include> is not read; the nearest name is <pose>"),
]  # fmt: skip


def damaged(row: Row) -> str:
    """The text with that replaced; a name of an element in both of its tags, everywhere."""
    name, old, new, _ = row
    assert old in TEXTS[name]
    return TEXTS[name].replace(old, new, -1 if old.removesuffix(">").replace("_", "").isalnum() else 1)


@pytest.mark.parametrize("name", TEXTS)
def test_whole_files_are_neither(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / name, TEXTS[name])
    (tmp_path / "part.sdf").write_text(PART)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*mimic joints")  # the gearbox is kept as data
        robot = revolute.load(path)
    assert robot.nv == 1 + (name == "scene.sdf")


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: f"{row[0]}: {row[1]} -> {row[2]}")
def test_refused(row: Row, tmp_path: Path) -> None:
    path = written(tmp_path / row[0], damaged(row))
    (tmp_path / "part.sdf").write_text(PART)
    with warnings.catch_warnings(), pytest.raises(ModelError) as caught:
        warnings.simplefilter("ignore", ModelWarning)
        revolute.load(path)
    assert row[3] in str(caught.value) and row[0] in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("row", TOLD, ids=lambda row: f"{row[0]}: {row[1]} -> {row[2]}")
def test_told(row: Row, tmp_path: Path) -> None:
    path = written(tmp_path / row[0], damaged(row))
    (tmp_path / "part.sdf").write_text(PART)
    with pytest.warns(ModelWarning) as caught:
        revolute.load(path)
    assert any(row[3] in str(warning.message) for warning in caught), [str(warning.message) for warning in caught]
