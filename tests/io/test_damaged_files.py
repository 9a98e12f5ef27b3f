"""Damaged files of every format: a robot or our error, which names the file. Nothing else, whatever is in them."""

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from damaged_scene import DH, MJCF, SCENE
from test_sdf import LEG, sdf, urdf

import revolute
from revolute import FrameClosure, JointClosure, ModelWarning, PointClosure, RevoluteError, Robot
from revolute.io.data import toml_text

POINT, FRAME = PointClosure("tip", at_b=(1.0, 0.0, 0.0)), FrameClosure("tip", "link1")
CLOSURES = (POINT, FRAME, JointClosure("joint2", "joint1", (0.1, 2.0, 0.5)))
FORMATS: dict[str, tuple[str, str, Callable[[Path], Any]]] = {
    "urdf": (urdf(), "arm.urdf", revolute.load),
    "mjcf": (MJCF, "arm.xml", revolute.load),
    "sdf": (sdf(LEG).replace(' version="1.9"', ""), "arm.sdf", revolute.load),  # else most damage is to the version
    "scene": (SCENE.replace(' version="1.9"', ""), "scene.sdf", revolute.load),
    "toml": (toml_text(replace(revolute.robots.planar(3), closures=CLOSURES)), "arm.toml", revolute.load),
    "dh": (DH, "arm.csv", Robot.from_dh),
}
NUMBER = re.compile(r"[-+]?\d*\.?\d+(e-?\d+)?")


def outcome(read: Callable[[Path], Any], path: Path, what: str) -> str:
    """Whether it is a robot, or the message of our error, which names the file; another error fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        warnings.simplefilter("error", RuntimeWarning)
        try:
            robot = read(path)
        except RevoluteError as error:
            assert str(path) in str(error), f"{what}: {error}"
            assert error.__cause__ is None and len(str(error)) < 4000, what
            return str(error)
        except Exception as error:
            raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
    assert isinstance(robot, Robot) and np.isfinite([float(body.inertia.m) for body in robot.bodies]).all(), what
    return "robot"


DEEP = 20_000
BY_HAND: dict[str, dict[str, str | bytes]] = {
    "urdf": {
        "nested deep": "<robot>" * DEEP,
        "nested and closed": "<robot>" + "<link>" * DEEP + "</link>" * DEEP + "</robot>",
        "chain": '<robot name="r"><link name="l0"/>'
        + "".join(
            f'<link name="l{k + 1}"/><joint name="j{k}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/>'
            "<origin xyz='1e40 1e40 1e40'/></joint>"
            for k in range(2000)
        )
        + "</robot>",
        "name without end": f'<robot name="r"><link name="a"/><joint name="{"x" * 100_000}" type="?"/></robot>',
        "wrong encoding": '<?xml version="1.0" encoding="utf-16"?><robot name="r"><link name="a"/></robot>',
    },
    "mjcf": {
        "nested deep": "<mujoco><worldbody>" + "<body>" * DEEP,
        "nested and closed": "<mujoco><worldbody>" + "<body>" * DEEP + "</body>" * DEEP + "</worldbody></mujoco>",
        "equality of nothing": MJCF.replace('body2="b3"', 'body2="b9"'),
        "equality of itself": MJCF.replace('joint2="j2"', 'joint2="j1"'),
        "huge": MJCF.replace('pos="0 0 1"', 'pos="1e300 1e300 1e300"').replace("500", "1e300"),
        "quaternion too long": MJCF.replace('euler=".1 .2 .3"', 'quat="1e308 1e308 0 0"'),
        "axis of no number": MJCF.replace('axis="0 1 0"', 'axis="nan 1 0"'),
        "include itself": '<mujoco><include file="arm.xml"/></mujoco>',
        "folder for a mesh": '<mujoco><asset><mesh name="m" file="/"/></asset></mujoco>',
    },
    "sdf": {
        "nested deep": "<sdf>" * DEEP,
        "nested and closed": sdf("<link>" * DEEP + "</link>" * DEEP),
        "poses in a ring": sdf(
            "".join(f'<frame name="f{k}"><pose relative_to="f{(k + 1) % 3000}"/></frame>' for k in range(3000))
            + '<link name="a"><pose relative_to="f0"/></link>'
        ),
        "huge": sdf(LEG.replace(".4", "1e300")),
    },
    "toml": {
        "nested deep": "a = " + "[" * DEEP,
        "dotted deep": ".".join("a" * 5000) + " = 1",
        "turned too far": re.sub(r"R = \[\[[-\d.e]+", "R = [[1e308", toml_text(revolute.robots.panda())),
        "name without end": f'format = "{"x" * 100_000}"',
        "another format": 'format = "revolute robot 99"',
        "latin-1": 'format = "é"'.encode("latin-1"),
        "huge": toml_text(revolute.robots.ur5()).replace("m = ", "m = 1e308 # "),
        "huge whole number": toml_text(revolute.robots.ur5()).replace("gravity = [", f"gravity = [{10**400}, "),
    },
    "dh": {
        "quotes": DH.replace("R,", '"R,'), "null": DH.replace("R,", "\0R,"),
        "huge": DH.replace("17.4", "1e308").replace("-0.3638", "1e200"),
        "long cell": DH.replace("17.4", "1" * 200_000), "binary": bytes(range(256)), "UTF-16": DH.encode("utf-16"),
    },
}


@pytest.mark.parametrize(("format", "case"), [(format, case) for format, cases in BY_HAND.items() for case in cases])
def test_hostile_files_give_our_error(format: str, case: str, tmp_path: Path) -> None:
    content, (_, name, read) = BY_HAND[format][case], FORMATS[format]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert (outcome(read, path, case) == "robot") == (case == "chain")  # far from any robot and yet finite


@pytest.mark.parametrize("format", FORMATS)
def test_what_cannot_be_opened_is_named(format: str, tmp_path: Path) -> None:
    _, name, read = FORMATS[format]
    assert "no such file" in outcome(read, tmp_path / name, "missing")
    (tmp_path / name).mkdir()
    assert "cannot be read" in outcome(read, tmp_path / name, "folder")


def test_a_file_that_returns_no_text_is_refused() -> None:
    class Numbers(io.BytesIO):
        def read(self, size: int | None = -1) -> Any:
            return [1, 2, 3]

    assert_raises(revolute.InputError, "must return text or bytes when read, not list", revolute.load, Numbers())
