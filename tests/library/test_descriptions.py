"""Robots of robot_descriptions by name, from a repository of git that a test makes: nothing is fetched."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from comparing import assert_raises

import revolute
from revolute import MissingExtraError, ModelError
from revolute.library import packaged

pytest.importorskip("robot_descriptions")
if shutil.which("git") is None:
    pytest.skip("there is no git", allow_module_level=True)

NAME = "panda_description"
XACRO_NAME = "ur5_official_description"
XACRO = """<robot name="of $(arg name)" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="name" default="nobody"/><link name="base"/></robot>"""


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of robot_descriptions, with repositories as it clones them; example-robot-data is not installed."""
    monkeypatch.setattr(packaged, "folder", lambda: None)
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


def test_a_name_loads_the_file_of_its_repository(fetched: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert revolute.load(NAME).joint_names == revolute.robots.panda().joint_names
    said = capsys.readouterr().err.replace(NAME, "...", 1)
    assert said.startswith("revolute: ... is in robot_descriptions, for which git fetches it on first use ... done in")
    assert revolute.load("ur5_official").name == "of ur5"
    assert revolute.load(XACRO_NAME, arguments={"name": "mine"}).name == "of mine"


def test_a_download_is_announced_unless_progress_is_off(
    fetched: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVOLUTE_PROGRESS", "0")
    revolute.load(NAME)
    assert capsys.readouterr().err == ""


def test_unknown_names_and_repositories_out_of_reach_are_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=r"'pandas_description': .*no such robot; near: panda_description"):
        revolute.load("pandas_description")
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", "/dev/null/nowhere")
    with pytest.raises(ModelError, match="'spot_mj_description': robot_descriptions could not fetch it, which"):
        revolute.load("spot")
    monkeypatch.setattr(packaged, "folder", lambda: None)
    with pytest.raises(ModelError, match="'solo_description': robot_descriptions could not fetch it"):
        revolute.load("solo")
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    words = r'robot_descriptions.*pip install "\.\[descriptions\]"'
    assert_raises(MissingExtraError, words, revolute.load, "spot_description")
    assert_raises(MissingExtraError, r'example-robot-data.*pip install "\.\[robots\]"', revolute.load, "go2")
    assert_raises(MissingExtraError, r"'panda_description': .*example-robot-data", revolute.load, NAME)
    assert_raises(ModelError, r"'spot': there is no such file .* and no such robot; ", revolute.load, "spot")
