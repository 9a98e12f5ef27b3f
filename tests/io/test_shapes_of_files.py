"""Shapes of links from URDF and MJCF, and back."""

import struct
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from comparing import assert_raises, assert_warns
from files import written
from numpy.typing import NDArray

import revolute
from revolute import Inertia, Joint, Link, ModelError, ModelWarning, Revolute, Robot, Shape, Transform

BASE_MASS = pytest.mark.filterwarnings("ignore:robot .*MJCF does not support base mass")
POSE = Transform.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
PRIMITIVES = {
    "box": (0.1, 0.2, 0.3), "sphere": (0.15,), "cylinder": (0.1, 0.4), "capsule": (0.1, 0.4),
    "ellipsoid": (0.1, 0.2, 0.3),
}


def urdf(parts: str, more: str = "") -> str:
    return f'<robot name="r">{more}<link name="arm">{parts}</link></robot>'


def visuals(text: str) -> tuple[Shape, ...]:
    robot: Robot = revolute.load(text)
    return robot.frame("arm").visuals


def two_links(*shapes: Shape, collisions: tuple[Shape, ...] = ()) -> Robot:
    """Shapes on the base and on a moving link."""
    links = [Link(name, Inertia.sphere(1.0, 0.1), shapes, collisions) for name in ("base", "arm")]
    return Robot.from_links("two", links, [Joint("hinge", "base", "arm", Revolute((0, 0, 1)), POSE)])


def assert_same(a: tuple[Shape, ...], b: tuple[Shape, ...]) -> None:
    """Digit for digit, but for the placement, whose angles round."""
    for one, other in zip(a, b, strict=True):
        assert replace(one, placement=other.placement) == other
        X, Y = (np.array(shape.placement.matrix(), dtype=float) for shape in (one, other))
        np.testing.assert_allclose(X, Y, atol=1e-15 * 8)  # products of three sines and cosines


def test_shapes_of_urdf() -> None:
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
    kinds = {
        '<box size="0.1 0.2 0.3"/>': ("box", (0.1, 0.2, 0.3), ""),
        '<sphere radius="0.15"/>': ("sphere", (0.15,), ""),
        '<cylinder radius="0.1" length="0.4"/>': ("cylinder", (0.1, 0.4), ""),
        '<capsule radius="0.1" length="0.4"/>': ("capsule", (0.1, 0.4), ""),
        '<mesh filename="package://arm/a.stl" scale="1 -1 2"/>': ("mesh", (1.0, -1.0, 2.0), "package://arm/a.stl"),
        '<mesh filename="a.stl"/>': ("mesh", (1, 1, 1), "a.stl"),
    }
    for solid, (kind, size, file) in kinds.items():
        part = f'<visual name="v">{origin}<geometry>{solid}</geometry></visual>'
        assert visuals(urdf(part)) == (Shape(kind, size, POSE, file=file, name="v"),)
        robot = revolute.load(urdf(part.replace("visual", "collision")))
        assert robot.frame("arm").visuals == () and robot.frame("arm").collisions == visuals(urdf(part))


def test_colors_of_urdf_have_names_or_stand_there() -> None:
    def ball(material: str) -> str:
        return f'<visual><geometry><sphere radius="1"/></geometry>{material}</visual>'

    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    parts = ball('<material name="blue"/>') + ball(red) + ball('<material name="red"/>')
    parts += ball('<material name="none"/>') + ball('<material name="blue"><color rgba="0 1 0 1"/></material>')
    blue = '<material name="blue"><color rgba="0 0 1 0.5"/></material>'
    colors = [shape.color for shape in visuals(urdf(parts, blue))]
    assert colors == [(0, 0, 1, 0.5), (1, 0, 0, 1), (1, 0, 0, 1), (), (0, 1, 0, 1)]


def test_meshes_beside_a_file_are_known_by_their_absolute_path(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "a.stl").touch()
    mesh = '<visual><geometry><mesh filename="meshes/../meshes/a.stl"/></geometry></visual>'
    path = written(tmp_path / "arm.urdf", urdf(mesh))
    (shape,) = revolute.load(path).frame("arm").visuals
    assert shape.file == str(tmp_path / "meshes" / "a.stl") and shape.path == tmp_path / "meshes" / "a.stl"
    assert visuals(revolute.load(path).to_urdf()) == (shape,)


@pytest.mark.parametrize(("part", "reason"), [
    ("<visual/>", "a <visual> is ignored: it has no shape in <geometry>"),
    ("<visual><geometry/></visual>", "a <visual> is ignored: it has no shape in <geometry>"),
    ("<visual><geometry><mesh/></geometry></visual>", "a <visual> is ignored: its <mesh> has no filename"),
    ("<collision><geometry><cone/></geometry></collision>", "line 1: <cone> in <geometry> is not read"),
])  # fmt: skip
def test_shapes_that_are_none_are_told(part: str, reason: str) -> None:
    assert_warns(ModelWarning, f"URDF text: link 'arm': {reason}", revolute.load, urdf(part))


BALL = '<geometry><sphere radius="1"/></geometry>'


@pytest.mark.parametrize(("part", "reason"), [
    ('<geometry><box size="1 -1 1"/></geometry>', "Shape: size has -1.0"),
    ('<geometry><box size="1 1"/></geometry>', "not three numbers"),
    ('<geometry><sphere radius="big"/></geometry>', "'big' is not a number"),
    ('<geometry><sphere radius="1"/><box size="1 1 1"/></geometry>', "its <geometry> has 2 shapes"),
    (f'{BALL}<origin xyz="1e99 0 0"/>', "placement has 1e[+]99"),
    (f'{BALL}<material><color rgba="255 0 0 1"/></material>', "numbers must be from 0 to 1; the colour is ignored"),
    (f'{BALL}<material><color rgba="1 0 0"/></material>', "not four numbers; .* '0 0 0 1'; the colour is ignored"),
    ('<geometry><mesh filename="a.stl" scale="2"/></geometry>', "not three numbers"),
])  # fmt: skip
def test_a_fault_leaves_out_the_shape_or_its_colour(part: str, reason: str) -> None:
    good = "<visual><geometry><sphere radius='3'/></geometry></visual>"
    text, told = urdf(f"<visual>{part}</visual>{good}"), f"'arm': .*{reason}"
    shapes = assert_warns(ModelWarning, told, visuals, text)
    assert [x.size for x in shapes] == [(1.0,)] * ("colour" in reason) + [(3.0,)] and not any(x.color for x in shapes)
    assert_raises(ModelError, told, revolute.load, text, strict=True)


def test_of_several_materials_the_first_is_used() -> None:
    red, green = (f'<material name="{x}"><color rgba="{x}"/></material>' for x in ("1 0 0 1", "0 1 0 1"))
    words = "link 'arm': it has 2 <material> elements; only the first is used"
    (shape,) = assert_warns(ModelWarning, words, visuals, urdf(f"<visual>{BALL}{red}{green}</visual>"))
    assert shape.color == (1.0, 0.0, 0.0, 1.0)


def test_shapes_go_out_to_urdf_and_come_back() -> None:
    shapes = [Shape(kind, size, POSE, (0.1, 0.2, 0.3, 1.0)) for kind, size in PRIMITIVES.items()]
    shapes += [Shape("mesh", (1.0, -2.0, 3.0), file="package://arm/a.dae", name="shell"), shapes[0]]
    shapes += [replace(shapes[0], color=()), replace(shapes[0], color=(1, 1, 1, 1)), Shape("plane", (1, 1))]
    kept = tuple(shape for shape in shapes if shape.kind not in ("ellipsoid", "plane"))
    robot = two_links(*shapes, collisions=(shapes[1],))
    with pytest.warns(ModelWarning, match=r"robot 'two': URDF has no such .* 'base \(ellipsoid\)', 'base \(plane\)'"):
        text = robot.to_urdf()
    for frame in revolute.load(text).frames:
        assert_same(frame.visuals, kept)
        assert_same(frame.collisions, (shapes[1],))


def write_stl(path: Path, corners: NDArray[Any]) -> None:
    """A binary STL file of a tetrahedron."""
    faces = [corners[list(face)] for face in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))]
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *face.ravel(), 0) for face in faces)
    path.write_bytes(bytes(80) + struct.pack("<I", 4) + rows)


@BASE_MASS
def test_shapes_go_out_to_mjcf_and_come_back() -> None:
    shapes = tuple(Shape(kind, size, POSE, (0.25, 0.5, 1.0, 1.0), name=kind) for kind, size in PRIMITIVES.items())
    plain = Shape("sphere", (0.1,))
    robot = two_links(collisions=(plain,))
    frames = (replace(robot.frames[0], visuals=shapes[:3]), replace(robot.frames[1], visuals=shapes[3:]))
    robot = revolute.load(replace(robot, frames=frames).to_mjcf())
    for link, kept in (("base", shapes[:3]), ("arm", shapes[3:])):
        frame = robot.frame("world" if link == "base" else link)
        assert_same(frame.visuals, kept)
        assert_same(frame.collisions, (plain,))
    text = assert_warns(ModelWarning, r"omitted: 'arm \(plane that moves\)'", two_links(Shape("plane", (1, 0))).to_mjcf)
    assert revolute.load(text).frame("world").visuals == (Shape("plane", (1.0, 0.0)),)
    with pytest.warns(ModelWarning, match=r"'base \(sphere without volume\)', 'arm \(sphere without volume\)'"):
        two_links(Shape("sphere", (0,))).to_mjcf()


@pytest.mark.parametrize(("kind", "size", "wanted"), [
    ("plane", "1 2 0.1", (2, 4)), ("sphere", "0.2", (0.2,)), ("capsule", "0.1 0.3", (0.1, 0.6)),
    ("ellipsoid", "0.1 0.2 0.3", (0.1, 0.2, 0.3)), ("cylinder", "0.1 0.3", (0.1, 0.6)),
    ("box", "0.1 0.2 0.3", (0.2, 0.4, 0.6)),
])  # fmt: skip
def test_sizes_of_mujoco_are_radii_and_half_lengths(kind: str, size: str, wanted: tuple[float, ...]) -> None:
    text = f"<mujoco><worldbody><geom type='{kind}' size='{size}'/></worldbody></mujoco>"
    (shape,) = revolute.load(text).frame("world").visuals
    assert (shape.kind, shape.size) == (kind, pytest.approx(wanted))


def test_meshes_of_mujoco_are_where_their_files_say(tmp_path: Path) -> None:
    """Their places are compared with MuJoCo's in `test_mjcf_assets`. 32-bit numbers: 1e-6."""
    (tmp_path / "meshes").mkdir()
    write_stl(tmp_path / "meshes" / "a.stl", np.eye(4, 3))
    mesh = '<material name="red" rgba="1 0 0 1"/><mesh name="a" file="a.stl" scale="2 1 -0.5"/>'
    geom = '<geom name="g" type="mesh" mesh="a" pos=".1 .2 .3" euler="40 50 60" material="red"/>'
    body = f'<worldbody><body name="arm"><joint/>{geom}</body></worldbody>'
    text = f'<mujoco><compiler meshdir="meshes"/><asset>{mesh}</asset>{body}</mujoco>'
    robot = revolute.load(written(tmp_path / "a.xml", text))
    (shape,) = robot.frame("arm").visuals
    assert (shape.kind, shape.size, shape.color, shape.name) == ("mesh", (2.0, 1.0, -0.5), (1.0, 0.0, 0.0, 1.0), "g")
    assert shape.path == tmp_path / "meshes" / "a.stl"
    (again,) = revolute.load(robot.to_mjcf()).frame("arm").collisions
    np.testing.assert_allclose(*(np.array(x.placement.matrix(), dtype=float) for x in (again, shape)), atol=1e-6)
    assert replace(again, placement=shape.placement, name="g") == shape


@BASE_MASS
def test_meshes_that_mujoco_does_not_read_are_left_out_with_a_word(tmp_path: Path) -> None:
    (tmp_path / "ascii.stl").write_text("solid a\nendsolid a\n" + " " * 100)
    (tmp_path / "a.dae").touch()
    for name in ("ascii.stl", "a.dae", "none.stl"):
        robot = two_links(Shape("mesh", (1, 1, 1), file=str(tmp_path / name)))
        with pytest.warns(ModelWarning, match=f"robot 'two': shapes that MuJoCo lacks are omitted: .*{name}"):
            revolute.load(robot.to_mjcf())


def test_groups_and_contacts_of_mujoco_tell_what_is_seen_and_what_collides() -> None:
    flags = {"group": ("0", "3"), "contype": ("0", "1"), "conaffinity": ("0", "1")}
    for group, *contacts in product(*flags.values()):
        attributes = " ".join(f'{name}="{value}"' for name, value in zip(flags, (group, *contacts), strict=True))
        body = f'<body name="arm"><joint/><geom size="1" {attributes}/></body>'
        frame = revolute.load(f"<mujoco><worldbody>{body}</worldbody></mujoco>").frame("arm")
        assert bool(frame.collisions) == ("1" in contacts)
        assert bool(frame.visuals) == (group == "0" or not frame.collisions)


@BASE_MASS
def test_the_base_does_not_collide_with_its_neighbours() -> None:
    """As other neighbours do not in MuJoCo: a robot that is written has no contacts where it stands."""
    model = mujoco.MjModel.from_xml_string(two_links(collisions=(Shape("sphere", (0.5,)),)).to_mjcf())
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert model.ngeom == 2 and data.ncon == 0


def test_shapes_of_fixed_links_come_back_on_their_body() -> None:
    ball = Shape("sphere", (0.1,), POSE)
    links = [Link("base"), Link("arm", Inertia.sphere(1.0, 0.1)), Link("tool", visuals=(ball,))]
    joints = [Joint("hinge", "base", "arm", Revolute()), Joint("mount", "arm", "tool", placement=POSE)]
    robot = Robot.from_links("fixed", links, joints)
    (shape,) = revolute.load(robot.to_mjcf()).frame("arm").visuals
    assert_same(revolute.load(robot.to_urdf()).frame("tool").visuals, (ball,))
    expected = np.array((POSE @ POSE).matrix(), dtype=float)
    np.testing.assert_allclose(np.array(shape.placement.matrix(), dtype=float), expected, atol=1e-14)
