"""Meshes that MJCF moves and turns, assets that no shape can be, and keyframes, against MuJoCo."""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from comparing import assert_raises
from files import written
from numpy.typing import NDArray
from test_shapes_of_files import write_stl

import revolute
from revolute import ModelError, ModelWarning, Shape
from revolute.dynamics.kinematics import frame_pose

CORNERS = np.array([(0.1, 0.2, 0.3), (0.5, 0.2, 0.3), (0.1, 0.8, 0.3), (0.1, 0.3, 0.6)])
TURNED = 'refpos=".1 -.2 .3" refquat=".8 .2 .4 .4"'


def scene(folder: Path, attributes: str, name: str = 'name="a"') -> Path:
    """A tetrahedron of a file on a body that stands at the origin."""
    write_stl(folder / "a.stl", CORNERS)
    path = folder / "a.xml"
    path.write_text(
        f'<mujoco><asset><mesh {name} file="a.stl" {attributes}/></asset><worldbody><body name="arm"><joint/>'
        '<geom name="g" type="mesh" mesh="a" pos=".1 .2 .3" euler="40 50 60"/></body></worldbody></mujoco>'
    )
    return path


def in_order(points: NDArray[Any]) -> NDArray[Any]:
    return points[np.lexsort(points.round(4).T)]


def assert_where_mujoco_has_it(shape: Shape, path: Path) -> None:
    """The corners of the file, as the shape places them. MuJoCo's are 32-bit numbers: 1e-6."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    theirs = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    X = np.array(shape.placement.matrix(), dtype=float)
    ours = CORNERS * shape.size @ X[:3, :3].T + X[:3, 3]
    np.testing.assert_allclose(in_order(ours), in_order(theirs), atol=1e-6)


@pytest.mark.parametrize("attributes", [
    'refpos=".1 -.2 .3"', 'refpos=".1 -.2 .3" scale="2 1 -.5"', 'refquat=".8 .2 .4 .4"',
    TURNED, f'{TURNED} scale="3 3 3"', f'{TURNED} scale="-2 -2 -2"', 'scale="2 1 -.5"',
])  # fmt: skip
@pytest.mark.parametrize("name", ['name="a"', ""])
def test_meshes_with_references_are_where_mujoco_has_them(attributes: str, name: str, tmp_path: Path) -> None:
    path = scene(tmp_path, attributes, name)
    for source in (path, mujoco.MjSpec.from_file(str(path))):
        (shape,) = revolute.load(source).frame("arm").visuals
        assert_where_mujoco_has_it(shape, path)


def test_a_mesh_that_is_turned_before_it_is_stretched_is_told(tmp_path: Path) -> None:
    with pytest.warns(ModelWarning, match=r"shapes without effect .* 'g \(mesh a with a refquat and unequal scales\)'"):
        assert revolute.load(scene(tmp_path, f'{TURNED} scale="2 1 1"')).frame("arm").visuals == ()


def test_assets_without_files_are_told_by_name() -> None:
    text = """<mujoco><asset>
        <mesh name="inline" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
        <hfield name="ground" nrow="3" ncol="3" size="1 1 1 1" elevation="0 0 0 0 1 0 0 0 0"/>
      </asset><worldbody><geom name="floor" type="hfield" hfield="ground"/>
      <body name="arm"><joint/><geom name="g" type="mesh" mesh="inline"/><geom type="mesh" mesh="inline"/></body>
      </worldbody></mujoco>"""
    with pytest.warns(ModelWarning) as caught:
        robot = revolute.load(text)
    assert all(not frame.visuals and not frame.collisions for frame in robot.frames)
    (warning,) = [str(warning.message) for warning in caught]
    for words in ("floor (height field ground)", "g (mesh inline without a file)", "a geom of arm (mesh inline wi"):
        assert f"'{words}" in warning


KEYS = """<mujoco><compiler angle="radian"/><worldbody>
    <body name="trunk" pos="1 2 3"><freejoint name="float"/><geom size=".1"/>
      <body name="a" pos=".1 .2 .3" euler=".1 .2 .3"><joint name="hinge" axis="0 1 0" ref=".3"/><geom size=".1"/>
        <body name="b" pos="0 0 .5"><joint name="ball" type="ball"/><geom size=".1" pos=".2 0 0"/>
          <body name="c" pos=".1 0 0"><joint name="slide" type="slide" axis="1 0 0" ref="-.2"/><geom size=".1"/></body>
        </body></body></body>
  </worldbody>
  <keyframe>
    <key name="home" qpos="1 2 3 .1 .2 .3 .4 .5 .6 .1 .2 -.3 .7"/>
    <key qpos="0 0 0 2 0 0 1 -1 0 0 1 0 .1"/>
    <key name="drawn"/>
  </keyframe></mujoco>"""


def test_keyframes_are_named_configurations_in_which_bodies_are_where_mujoco_has_them() -> None:
    model = mujoco.MjModel.from_xml_string(KEYS)
    data = mujoco.MjData(model)
    robot = revolute.load(KEYS)
    assert [named.name for named in robot.configurations] == ["home", "key1", "drawn"]
    for k, named in enumerate(robot.configurations):
        q = robot.configuration(named.name)
        mujoco.mj_resetDataKeyframe(model, data, k)
        mujoco.mj_kinematics(model, data)
        for number in range(1, model.nbody):
            pose = frame_pose(robot, q.tolist(), model.body(number).name)
            np.testing.assert_allclose(np.array(pose.p, dtype=float), data.xpos[number], atol=1e-14)
            R = np.array(pose.R.matrix(), dtype=float).ravel()
            np.testing.assert_allclose(R, data.xmat[number], atol=1e-14)
    np.testing.assert_allclose(robot.configuration("home")[3:7], np.array([0.2, 0.3, 0.4, 0.1]) / np.sqrt(0.3))
    np.testing.assert_array_equal(robot.home(), robot.configuration("home"))
    assert robot.joint_values(robot.configuration("drawn"))["hinge"] == pytest.approx(0.3)
    plain = revolute.load(KEYS.partition("<keyframe>")[0] + "</mujoco>")
    assert plain.configurations == () and plain.digest == robot.digest
    assert revolute.load(mujoco.MjSpec.from_string(KEYS)) == robot == revolute.load(model)


def test_velocities_of_keyframes_are_told() -> None:
    with pytest.warns(ModelWarning, match="velocities of the keyframes 'drawn' are omitted; positions are read"):
        revolute.load(KEYS.replace('name="drawn"', 'name="drawn" qvel="1 0 0 0 0 0 0 0 0 0 0"'))


def test_keyframes_that_are_none_are_refused(tmp_path: Path) -> None:
    for old, new in (("1 2 3 .1", "1 nan 3 .1"), ('name="drawn"', 'name="home"')):
        path = written(tmp_path / "a.xml", KEYS.replace(old, new))
        assert_raises(ModelError, r"a\.xml: .*key", revolute.load, path)
