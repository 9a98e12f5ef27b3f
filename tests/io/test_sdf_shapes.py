"""Shapes of SDF links against the same shapes in URDF, and what is left out or wrong."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from files import written
from robots import loaded
from test_sdf import AT, joint, link, sdf
from test_sdf_models import assert_same_place, write_model

import revolute
from revolute import ModelError, ModelWarning, Shape, Transform
from revolute.examine import examine
from revolute.io import read_once

PLACE = Transform.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
KINDS = {
    "<box><size>0.1 0.2 0.3</size></box>": '<box size="0.1 0.2 0.3"/>',
    "<sphere><radius>0.15</radius></sphere>": '<sphere radius="0.15"/>',
    "<cylinder><radius>0.1</radius><length>0.4</length></cylinder>": '<cylinder radius="0.1" length="0.4"/>',
    "<capsule><radius>0.1</radius><length>0.4</length></capsule>": '<capsule radius="0.1" length="0.4"/>',
    "<mesh><uri>package://a</uri><scale>1 -1 2</scale></mesh>": '<mesh filename="package://a" scale="1 -1 2"/>',
    "<mesh><uri>b.stl</uri></mesh>": '<mesh filename="b.stl"/>',
}
GREY = "<material><ambient>.1 .2 .3 1</ambient><diffuse>.5 .6 .7 .5</diffuse></material>"


def part(solid: str, use: str = "visual", more: str = "", pose: str = f"<pose>{AT}</pose>") -> str:
    return f'<{use} name="v">{pose}<geometry>{solid}</geometry>{more}</{use}>'


def arm(parts: str, more: str = "") -> str:
    return sdf(link("arm").replace("</link>", f"{parts}</link>{more}"))


def visuals(parts: str, more: str = "") -> tuple[Shape, ...]:
    shapes: tuple[Shape, ...] = loaded(arm(parts, more)).frame("arm").visuals
    return shapes


@pytest.mark.parametrize("solid", KINDS)
def test_shapes_are_those_of_urdf(solid: str) -> None:
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
    color = '<material><color rgba=".5 .6 .7 .5"/></material>'
    for use, ours, theirs in (("visual", GREY, color), ("collision", "", "")):
        other = f'<{use} name="v">{origin}<geometry>{KINDS[solid]}</geometry>{theirs}</{use}>'
        urdf = loaded(f'<robot name="r"><link name="arm">{other}</link></robot>').frame("arm")
        frame = loaded(arm(part(solid, use, ours))).frame("arm")
        assert (frame.visuals, frame.collisions) == (urdf.visuals, urdf.collisions)
        assert len(frame.visuals + frame.collisions) == 1


def test_shapes_that_urdf_does_not_have() -> None:
    (ellipsoid,) = visuals(part("<ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid>"))
    assert ellipsoid == Shape("ellipsoid", (0.1, 0.2, 0.3), PLACE, name="v")
    (plane,) = visuals(part("<plane><normal>0 3 4</normal><size>2 5</size></plane>"))
    assert (plane.kind, plane.size) == ("plane", (2.0, 5.0))
    normal = np.array((PLACE.inverse() @ plane.placement).R.matrix(), dtype=float)[:, 2]
    np.testing.assert_allclose(normal, [0, 0.6, 0.8], atol=1e-15 * 4)
    assert visuals(part("<empty/>")) == ()


@pytest.mark.parametrize(("more", "color"), [
    (GREY, (0.5, 0.6, 0.7, 0.5)),
    (GREY.replace("diffuse", "specular"), (0.1, 0.2, 0.3, 1)),
    ("<material><diffuse>.5 .6 .7</diffuse></material>", (0.5, 0.6, 0.7, 1)),
    (GREY + "<transparency>0.5</transparency>", (0.5, 0.6, 0.7, 0.25)),
    ("<material><script><name>Gazebo/Grey</name></script></material>", ()),
    ("<transparency>0.5</transparency>", ()),
    ("", ()),
])  # fmt: skip
def test_colors(more: str, color: tuple[float, ...]) -> None:
    (shape,) = visuals(part("<sphere><radius>1</radius></sphere>", more=more))
    assert shape.color == color


def test_shapes_may_be_placed_in_other_frames() -> None:
    ball = "<sphere><radius>1</radius></sphere>"
    frame = f'<frame name="f" attached_to="arm"><pose>{AT}</pose></frame>'
    (shape,) = visuals(part(ball, pose='<pose relative_to="f"/>'), frame)
    assert_same_place(shape.placement, PLACE)
    assert visuals(part(ball, pose=""))[0].placement == Transform()


def test_shapes_of_included_models_are_beside_their_own_file(tmp_path: Path) -> None:
    meshes = part("<mesh><uri>palm.stl</uri></mesh>") + part("<mesh><uri>model://hand/palm.stl</uri></mesh>")
    write_model(tmp_path, link("palm").replace("</link>", f"{meshes}</link>"))
    (tmp_path / "hand" / "palm.stl").touch()
    (tmp_path / "arm").mkdir()
    include = "<include><uri>model://hand</uri><name>hand</name></include>"
    weld = joint("weld", "fixed", "arm", "hand::palm", "")
    path = written(tmp_path / "arm" / "arm.sdf", sdf(link("arm") + include + weld))
    shapes = loaded(path).frame("hand::palm").visuals
    assert [shape.path for shape in shapes] == [tmp_path / "hand" / "palm.stl"] * 2


def test_shapes_are_checked_against_inertias() -> None:
    """A cube of 1 m around a body whose mass is outside."""
    box = part("<box><size>1 1 1</size></box>", "collision", pose="<pose>9 9 9 0 0 0</pose>")
    text = arm(box, link("base") + joint("j", "revolute", "base", "arm"))
    _, description = read_once(text, "fixed", lambda remark: None)
    assert description is not None and description.parts is not None
    ((_, solids),) = [part for part in description.parts(False) if part[0].name == "arm"]
    assert [solid.volume for solid in solids] == [1.0]
    assert any("arm" in finding.place and "outside" in str(finding) for finding in examine(text).findings)


@pytest.mark.parametrize(("parts", "reason"), [
    ("<visual/>", "link 'arm': a <visual> is ignored: it has no shape in <geometry>"),
    ("<visual><geometry/></visual>", "a <visual> is ignored: it has no shape in <geometry>"),
    (part("<mesh/>"), "a <visual> is ignored: its <mesh> has no <uri>"),
    (part("<heightmap><uri>a.png</uri></heightmap>"), "<heightmap> is not a supported shape"),
    (part("<cone><radius>1</radius></cone>", "collision"), "a <collision> is ignored: <cone> is not a supported"),
    (part("<mesh><uri>a</uri><submesh><name>x</name></submesh></mesh>"), "it is part of a mesh, a <submesh>"),
    (part("<bocks/>"), "<bocks> in <geometry> is not read"),
    (part("<sphere><radus>1</radus><radius>1</radius></sphere>"), "<radus> in <sphere> is not read"),
])  # fmt: skip
def test_shapes_that_are_left_out_are_told(parts: str, reason: str) -> None:
    assert_warns(ModelWarning, reason, revolute.load, arm(parts))


BALL = "<sphere><radius>1</radius></sphere>"


@pytest.mark.parametrize(("parts", "reason"), [
    (part("<box><size>1 -1 1</size></box>"), "Shape: size has -1.0"),
    (part("<box/>"), "<size> is missing"),
    (part("<sphere/>"), "<radius> is missing"),
    (part("<sphere><radius>big</radius></sphere>"), "'big' is not a number"),
    (part("<cylinder><radius>1</radius></cylinder>"), "<length> is missing"),
    (part("<plane><size>1</size></plane>"), "not two numbers; separate them by blanks, such as '0 1'"),
    (part("<plane><normal>0 0 0</normal><size>1 1</size></plane>"), "<plane> has the normal .* no direction"),
    (part(BALL * 2), "its <geometry> has 2 shapes; write one <visual> for each"),
    (part("<mesh><uri>a</uri><scale>1 1</scale></mesh>"), "not three numbers"),
    (part(BALL, pose='<pose relative_to="x"/>'), "there is no link, joint or frame 'x'"),
    (part(BALL, pose="<pose>1e99 0 0 0 0 0</pose>"), "placement has 1e[+]99"),
    (part(BALL, more="<material><diffuse>255 0 0 1</diffuse></material>"), "from 0 to 1; the colour is ignored"),
    (part(BALL, more="<material><diffuse>1 0</diffuse></material>"), "3 or 4 numbers from 0 to 1; the colour"),
    (part(BALL, more=GREY + "<transparency>2</transparency>"), "from 0 to 1; the colour is ignored"),
])  # fmt: skip
def test_a_fault_leaves_out_the_shape_or_its_colour(parts: str, reason: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ModelWarning)
        shapes = revolute.load(arm(parts)).frame("arm").visuals
    (fault,) = [str(x.message) for x in told if re.search(reason, str(x.message))]
    assert "link 'arm'" in fault and ("ignored" in fault)
    assert [x.color for x in shapes] == [()] * ("colour" in fault)
    assert_raises(ModelError, reason, revolute.load, arm(parts), strict=True)
