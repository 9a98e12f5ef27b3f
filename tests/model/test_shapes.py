"""Shapes of links: what they refuse, and that they follow their links and leave kernels alone."""

import os
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from robots import BOX as BODY

import revolute
from revolute import Frame, Inertia, InputError, Joint, Link, Prismatic, Revolute, Robot, Shape, Transform

BOX = Shape("box", (0.1, 0.2, 0.3), Transform.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), (0.1, 0.2, 0.3, 1.0))
BALL = Shape("sphere", (0.05,), name="tip")


def arm(**shapes: Any) -> Robot:
    """A base, two moving links, a tool that is fixed obliquely to the second, and a finger on it."""
    links = [Link(name, BODY, **shapes) for name in ("base", "upper", "lower", "tool", "finger")]
    pose = Transform.from_rpy((0.3, 0.1, 0.2), (0.7, -0.4, 1.1))
    joints = [
        Joint("shoulder", "base", "upper", Revolute((0.6, 0.0, 0.8)), pose),
        Joint("elbow", "upper", "lower", Revolute((0, 1, 0)), pose),
        Joint("mount", "lower", "tool", placement=pose),
        Joint("grip", "tool", "finger", Prismatic((0, 1, 0)), pose),
    ]
    return Robot.from_links("arm", links, joints)


SHAPED = arm(visuals=(BOX, BALL), collisions=(BALL,))


def shapes_in_world(robot: Robot, q: Any) -> dict[str, np.ndarray]:
    """Poses of the first visual of every link."""
    poses = robot.forward_kinematics(q)
    return {
        frame.name: pose @ np.array(frame.visuals[0].placement.matrix(), dtype=float)
        for frame, pose in zip(robot.frames, poses, strict=True)
    }


def test_links_keep_their_shapes_when_they_are_merged() -> None:
    assert [frame.visuals for frame in SHAPED.frames] == [(BOX, BALL)] * 5
    assert [frame.collisions for frame in SHAPED.frames] == [(BALL,)] * 5


def test_shapes_follow_variants() -> None:
    q = np.array([0.3, -0.5, 0.1])
    own = shapes_in_world(SHAPED, q)
    others = {
        "lock": (SHAPED.lock({"elbow": q[1]}), q[[0, 2]]),
        "with_payload": (SHAPED.with_payload("tool", Inertia.from_com(1.0)), q),
        "regrouped": (SHAPED.regrouped(), q),
        "pickle": (pickle.loads(pickle.dumps(SHAPED)), q),
        "dict": (Robot.from_dict(SHAPED.to_dict()), q),
        "replace": (replace(SHAPED, name="other"), q),
        "drives": (SHAPED.with_drives().robot, q),
        "closures": (SHAPED.with_closures(revolute.PointClosure("tool")).robot, q),
    }
    for name, (robot, positions) in others.items():
        assert [frame.collisions for frame in robot.frames] == [(BALL,)] * 5, name
        for link, pose in shapes_in_world(robot, positions).items():
            np.testing.assert_allclose(pose, own[link], atol=1e-14, err_msg=f"{name}: {link}")


def test_a_subtree_keeps_the_shapes_of_its_links() -> None:
    part = SHAPED.subtree("lower")
    assert [(frame.name, frame.visuals) for frame in part.frames] == [
        (name, (BOX, BALL)) for name in ("lower", "tool", "finger")
    ]
    own, base = shapes_in_world(SHAPED, [0.3, -0.5, 0.1]), SHAPED.forward_kinematics([0.3, -0.5, 0.1], "lower")
    for link, pose in shapes_in_world(part, [0.1]).items():
        np.testing.assert_allclose(base @ pose, own[link], atol=1e-14, err_msg=link)


def test_shapes_do_not_change_kernels() -> None:
    assert SHAPED.digest == arm().digest is not None
    assert arm() != SHAPED and hash(SHAPED) == hash(arm(visuals=[BOX, BALL], collisions=[BALL]))
    assert arm(visuals=[BOX, BALL], collisions=[BALL]) == SHAPED


def test_a_file_holds_shapes_digit_for_digit(tmp_path: Path) -> None:
    mesh = Shape("mesh", (0.001, -0.001, 0.001), Transform(p=(1 / 3, 0, 0)), file="package://arm/a.stl", folder="/tmp")
    robot = arm(visuals=[mesh, BOX])
    revolute.save(robot, tmp_path / "arm.toml")
    again: Robot = revolute.load(tmp_path / "arm.toml")
    assert again == robot and again.frames[0].visuals[0].folder == "/tmp"


@pytest.mark.parametrize(("parts", "message"), [
    ({"kind": "cone"}, "kind is 'cone'; it must be one of box, sphere"),
    ({"kind": 3}, "Shape: kind must be of the type str"),
    ({"size": (1.0,)}, "the size of a box is .edge along x, edge along y, edge along z., not .1.0,."),
    ({"size": (1.0, -1.0, 1.0)}, "size has -1.0"),
    ({"size": (1.0, float("nan"), 1.0)}, "size has nan"),
    ({"size": "123"}, "size must be a tuple of numbers, not '123'"),
    ({"color": (1, 0, 0)}, "color must be .red, green, blue, opacity."),
    ({"color": (255, 0, 0, 1)}, "color has 255; its numbers must be from 0 to 1"),
    ({"file": "a.stl"}, "a box must not have a file"),
    ({"kind": "mesh"}, "a mesh must have a file"),
    ({"placement": (0, 0, 1)}, "placement must be of the type Transform"),
    ({"placement": Transform(p=(0, 0, float("inf")))}, "placement has inf"),
])  # fmt: skip
def test_a_shape_refuses_what_does_not_fit(parts: dict[str, Any], message: str) -> None:
    assert_raises(InputError, message, Shape, **{"kind": "box", "size": (1.0, 1.0, 1.0)} | parts)


def test_frames_and_links_refuse_what_is_no_shape() -> None:
    words = "link 'arm': visuals: each must be of the type Shape, not 'box'"
    assert_raises(InputError, words, Link, "arm", visuals=("box",))
    frames = (replace(SHAPED.frames[0], visuals=[BOX]), *SHAPED.frames[1:])
    assert_raises(InputError, "link 'base': visuals must be a tuple of shapes", replace, SHAPED, frames=frames)
    old = object.__new__(Frame)
    old.__setstate__({"name": "old", "body": 0, "placement": Transform()})  # a pickle without shapes
    assert old.visuals == old.collisions == ()


def mesh(file: str, folder: Path | str = "") -> Path | None:
    return Shape("mesh", (1, 1, 1), file=file, folder=str(folder)).path


def test_a_mesh_is_found_in_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the environment's folders first, as ROS does it, then around the description."""
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)
    near, installed, prefix = tmp_path / "work" / "arm", tmp_path / "src" / "arm", tmp_path / "opt" / "share" / "arm"
    for home in (near, installed, prefix):
        (home / "meshes").mkdir(parents=True)
        (home / "meshes" / "a.stl").touch()
    (near / "urdf").mkdir()
    name = "package://arm/meshes/a.stl"
    assert mesh(name, tmp_path / "src" / "other") == installed / "meshes" / "a.stl"
    assert mesh(name, near / "urdf") == near / "meshes" / "a.stl"
    assert mesh("package://hand/meshes/a.stl", near) is mesh("package://../arm/meshes/a.stl", near / "urdf") is None
    for variable, place, home in (
        ("AMENT_PREFIX_PATH", tmp_path / "opt", prefix),
        ("ROS_PACKAGE_PATH", installed.parent, installed),
        ("ROS_PACKAGE_PATH", installed, installed),
    ):
        monkeypatch.setenv(variable, f"/nowhere{os.pathsep}{place}")
        assert mesh(name, near / "urdf") == home / "meshes" / "a.stl"


def test_a_mesh_is_found_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.stl").touch()
    assert mesh("a.stl", tmp_path) == mesh(f"file://{tmp_path}/a.stl") == tmp_path / "a.stl"
    monkeypatch.chdir(tmp_path)
    assert mesh("a.stl") == tmp_path / "a.stl"
    for nothing in ("b.stl", "a\0.stl", "a" * 5000, ".", "package://", "package:///a.stl"):
        assert mesh(nothing, tmp_path) is None
    assert BOX.path is None
