"""Robots of example-robot-data by name."""

import os
from pathlib import Path

import pytest

import revolute
from revolute.library import packaged

pytestmark = pytest.mark.filterwarnings("ignore::revolute.ModelWarning")
NAMES = packaged.names()


def test_every_name_is_a_file_of_the_package() -> None:
    assert [name for name in NAMES if packaged.file_of(name) is None] == []
    assert packaged.file_of("go2") == packaged.file_of("go2_description")
    assert packaged.file_of("go3") is None
    assert not set(NAMES) & set(revolute.robots.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_loads_its_robot_with_meshes(name: str) -> None:
    robot = revolute.load(name)
    assert robot.mass > 0
    files = [shape.path for frame in robot.frames for shape in frame.visuals if shape.kind == "mesh"]
    assert all(path is not None and os.path.isfile(path) for path in files)
    assert files or name == "simple_humanoid"


def test_names_take_a_base_and_yield_to_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert revolute.load("go2", base="free").nv == 18
    assert revolute.load("panda_description").nv == 9  # with two fingers; "panda" is the library's
    monkeypatch.chdir(tmp_path)
    Path("go2").write_text('<robot name="mine"><link name="base"/></robot>', encoding="utf-8")
    assert revolute.load("go2").name == "mine"
