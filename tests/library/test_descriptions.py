"""Robots of robot_descriptions by name, from a repository of git that a test makes: nothing is fetched."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from comparing import assert_raises

import revolute
from revolute import MissingExtraError, ModelError

pytest.importorskip("robot_descriptions")
if shutil.which("git") is None:
    pytest.skip("there is no git", allow_module_level=True)

NAME = "panda_description"
XACRO_NAME = "ur5_official_description"
XACRO = """<robot name="of $(arg name)" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="name" default="nobody"/><link name="base"/></robot>"""


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of robot_descriptions, with repositories as it clones them."""
    files = {
        "example-robot-data": ("robots/panda_description/urdf/panda.urdf", revolute.robots.panda().to_urdf()),
        "ur_description": ("urdf/ur.urdf.xacro", XACRO),
    }
    for name, (file, text) in files.items():
        repository = tmp_path / f"{name}-HEAD" / name
        (repository / file).parent.mkdir(parents=True)
        (repository / file).write_text(text)
        author = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
        for arguments in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "a robot"]):
            subprocess.run(["git", *arguments], cwd=repository, check=True)
    monkeypatch.setenv("ROBOT_DESCRIPTION_COMMIT", "HEAD")
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path))
    for name in [name for name in sys.modules if name.startswith("robot_descriptions.") and name.endswith(NAME[-12:])]:
        monkeypatch.delitem(sys.modules, name)
    importlib.invalidate_caches()
    return tmp_path


def test_a_name_loads_the_file_of_its_repository(fetched: Path) -> None:
    assert revolute.load(NAME).joint_names == revolute.robots.panda().joint_names
    assert revolute.load(XACRO_NAME).name == "of ur5"
    assert revolute.load(XACRO_NAME, arguments={"name": "mine"}).name == "of mine"


def test_names_that_are_none_and_repositories_out_of_reach_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=r"'pandas_description': .*no such robot; near: panda_description"):
        revolute.load("pandas_description")
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", "/dev/null/nowhere")
    with pytest.raises(ModelError, match="'solo_description': robot_descriptions could not fetch it, which requires"):
        revolute.load("solo_description")
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    assert_raises(MissingExtraError, r'robot_descriptions.*pip install "\.\[robots\]"', revolute.load, NAME)
