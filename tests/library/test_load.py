"""`load` takes names of the library, bytes, open files, paths from home, and models of MuJoCo."""

import io
from pathlib import Path
from typing import Any

import mujoco
import pytest
from comparing import assert_raises
from files import written

import revolute
from revolute import InputError, ModelError, Robot

URDF = """<robot name="r"><link name="base"/><link name="arm"><visual><geometry><mesh filename="arm.stl"/></geometry>
</visual></link><joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""
MJCF = """<mujoco model="m"><worldbody><body name="arm"><joint name="j" damping="2"/><geom size="1"/></body></worldbody>
</mujoco>"""


def test_names_of_the_library() -> None:
    assert revolute.load("ur5") == revolute.robots.ur5()
    assert revolute.load("planar:3") == revolute.robots.planar(3)
    with pytest.raises(InputError, match="'planar:x': n must be a whole number, not 'x'; planar takes n"):
        revolute.load("planar:x")
    assert revolute.load("ur5", base="free") == revolute.robots.ur5().to_base("free")
    assert_raises(InputError, "base must be 'fixed' or 'free', not 'afloat'", revolute.load, "ur5", base="afloat")
    with pytest.raises(ModelError, match=r"'ur6': there is no such file .* and no such robot; near: .*ur5"):
        revolute.load("ur6")


def test_a_name_wins_over_a_file_and_a_path_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ur5", "arm"):
        (tmp_path / name).write_text(URDF)
    assert revolute.load("ur5").nv == 6
    for path in ("./ur5", Path("ur5"), "arm"):
        assert revolute.load(path).name == "r"


def test_bytes_and_open_files_are_read_like_their_file(tmp_path: Path) -> None:
    path = written(tmp_path / "arm.urdf", URDF)
    robot: Robot = revolute.load(path)
    text = revolute.load(URDF)
    for content in (URDF.encode(), bytearray(URDF.encode()), "\ufeff".encode() + URDF.encode(), URDF.encode("utf-16")):
        assert revolute.load(content) == text
    for file in (io.StringIO(URDF), io.BytesIO(URDF.encode())):
        assert revolute.load(file) == text
    for mode in ("r", "rb"):
        with path.open(mode) as opened:
            assert revolute.load(opened) == robot
    assert robot.frame("arm").visuals[0].file == str(tmp_path / "arm.stl")


def test_a_saved_robot_is_read_from_an_open_file(tmp_path: Path) -> None:
    revolute.save(revolute.robots.planar(2), tmp_path / "arm.toml")
    with (tmp_path / "arm.toml").open("rb") as file:
        assert revolute.load(file) == revolute.robots.planar(2)


def test_home_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "arm.urdf").write_text(URDF)
    assert revolute.load("~/arm.urdf") == revolute.load(Path("~/arm.urdf")) == revolute.load(tmp_path / "arm.urdf")


def test_models_of_mujoco_are_taken_as_they_are() -> None:
    robot = revolute.load(MJCF)
    assert revolute.load(mujoco.MjModel.from_xml_string(MJCF)) == robot
    specification = mujoco.MjSpec.from_string(MJCF)
    assert revolute.load(specification) == robot
    specification.body("arm").name = "lower_arm"
    assert revolute.load(specification).link_names == ("world", "lower_arm")
    with pytest.raises(InputError, match="a base can be chosen only for URDF and SDF; 'MjModel' defines its own base"):
        revolute.load(mujoco.MjModel.from_xml_string(MJCF), base="free")
    assert_raises(ModelError, "MjSpec: it has no bodies", revolute.load, mujoco.MjSpec())


class Endless(io.RawIOBase):
    """A file without end, as /dev/zero."""

    def read(self, size: int = -1) -> bytes:
        assert 0 < size < 2**30
        return b" " * size


@pytest.mark.parametrize(("source", "kind", "message"), [
    (3, InputError, "a robot is loaded from the path of a file \\(URDF.* or by the name of a robot, not from 3"),
    (None, InputError, "not from None"),
    (b"", ModelError, "the text is empty; give URDF, MJCF or SDF"),
    (b"solid a", ModelError, "URDF text: not an XML file: it begins with b'solid a'"),
    (io.BytesIO(b""), ModelError, "the open file: nothing is left to read"),
    (Endless(), ModelError, "larger than 64 MiB"),
    (b" " * (64 * 2**20 + 1), ModelError, "the bytes: larger than 64 MiB"),
])  # fmt: skip
def test_what_is_no_robot_is_refused(source: Any, kind: type[Exception], message: str) -> None:
    assert_raises(kind, message, revolute.load, source)


def test_a_closed_file_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "arm.urdf", URDF)
    with path.open() as file:
        pass
    assert_raises(ModelError, r"arm\.urdf: it cannot be read: I/O operation on closed file", revolute.load, file)
