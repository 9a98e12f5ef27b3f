"""The digest of the library's source: every change shows in it, and files that did not change are not read again."""

import compileall
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import revolute
from revolute.compiler import sources
from revolute.compiler.cached_files import NOTES

posix = pytest.mark.skipif(os.name != "posix", reason="elsewhere files have no time of the change of their status")


def digest(path: Path) -> str:
    """What a new process that finds the library there names its source."""
    code = "from revolute.compiler import sources; print(sources.__file__); print(sources.source_digest())"
    environment = {**os.environ, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True, text=True)
    file, text = result.stdout.split("\n")[:2]
    assert file.startswith(str(path))
    return text


def test_the_source_is_read_in_a_folder_in_an_archive_and_compiled(tmp_path: Path) -> None:
    """A digest of nothing would be the same for all versions, whose kernels would then be mixed up."""
    package = Path(revolute.__file__).parent
    copy = tmp_path / "copy" / "revolute"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    archive = Path(shutil.make_archive(str(tmp_path / "archive"), "zip", tmp_path / "copy"))
    assert digest(copy.parent) == sources.source_digest()
    expected = hashlib.sha256(f"{archive.name}\n".encode() + archive.read_bytes())
    assert digest(archive) == expected.hexdigest()

    deep = copy / "targets" / "llvm" / "lanes.py"
    deep.write_text(deep.read_text() + "\n")
    assert digest(copy.parent) != sources.source_digest()
    deep.write_text(deep.read_text().rstrip() + "\n")

    compileall.compile_dir(copy, quiet=1, legacy=True)
    for source in copy.rglob("*.py"):
        source.unlink()
    assert digest(copy.parent) not in (sources.source_digest(), hashlib.sha256().hexdigest())


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small package with every folder of sources, whose files count as old, and an empty cache folder."""
    path = tmp_path / "package"
    for room in (".", *sources.SOURCES, "targets/deep"):
        (path / room).mkdir(parents=True, exist_ok=True)
        (path / room / "module.py").write_text(f"room = {room!r}\n")
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(sources, "MOMENT", -3600.0)
    monkeypatch.setattr(sources, "COARSE", 1 << 62)
    return path


def unread(monkeypatch: pytest.MonkeyPatch, package: Path) -> str:
    """The digest, found without reading a source file."""
    with monkeypatch.context() as patch:
        patch.setattr(sources, "_contents", None)
        return sources.package_digest(str(package))


def write_same_size(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"room", b"hall"))


def write_and_set_the_time_back(file: Path) -> None:
    status = file.stat()
    write_same_size(file)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def over_with_times(file: Path, move: Callable[[Path, Path], object]) -> None:
    """Another content with the same times and size, as `cp -p` and package managers put it there."""
    other = file.with_suffix(".other")
    shutil.copy2(file, other)
    write_and_set_the_time_back(other)
    move(other, file)


def write_again_at_once(file: Path) -> None:  # as a checkout does, back and forth
    original = file.read_bytes()
    write_same_size(file)
    file.write_bytes(original)
    write_same_size(file)


def write_by_a_link(file: Path) -> None:
    os.link(file, file.with_suffix(".link"))
    write_and_set_the_time_back(file.with_suffix(".link"))


CHANGES: list[Callable[[Path], object]] = [
    write_same_size, write_and_set_the_time_back, write_by_a_link, write_again_at_once, Path.unlink,
    lambda file: over_with_times(file, shutil.copy2), lambda file: over_with_times(file, os.replace),
    lambda file: (file.parent / "new.py").write_text(""),
    lambda file: file.rename(file.with_name("renamed.py")),
]  # fmt: skip


@posix
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("room", ["", "compiler", "targets/deep"])
def test_every_change_of_the_source_changes_the_keys(
    package: Path, monkeypatch: pytest.MonkeyPatch, room: str, change: Callable[[Path], object]
) -> None:
    before = sources.package_digest(str(package))
    assert unread(monkeypatch, package) == before
    time.sleep(0.05)  # more than a tick of the clock: the real MOMENT is a hundred times that
    change(package / room / "module.py")
    after = sources.package_digest(str(package))
    assert after != before
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(package.parent / "none"))
    assert sources.package_digest(str(package)) == after


@posix
def test_a_link_to_another_file_shows(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, one, two = package / "graph" / "linked.py", package.parent / "one.py", package.parent / "two.py"
    one.write_text("1")
    two.write_text("2")
    file.symlink_to(one)
    before = sources.package_digest(str(package))
    assert unread(monkeypatch, package) == before
    file.unlink()
    file.symlink_to(two)
    assert sources.package_digest(str(package)) != before


@posix
@pytest.mark.parametrize("constant", ["MOMENT", "COARSE"])
def test_new_files_and_coarse_times_are_not_noted(
    package: Path, monkeypatch: pytest.MonkeyPatch, constant: str
) -> None:
    """A later change within a tick of the clock might not show."""
    monkeypatch.setattr(sources, constant, {"MOMENT": 5.0, "COARSE": 1}[constant])
    sources.package_digest(str(package))
    assert not list((package.parent / "cache").iterdir())


@posix
def test_times_before_1970(package: Path) -> None:
    before = sources.package_digest(str(package))
    os.utime(package / "module.py", (-1000.0, -1000.0))
    assert sources.package_digest(str(package)) == before


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda notes: b"",
    "truncated": lambda notes: notes[:-1],
    "a bit flipped": lambda notes: notes[:-3] + bytes([notes[-3] ^ 1]) + notes[-2:],
    "foreign": lambda notes: b"\xff\xfe not ours",
    "no pairs": lambda notes: hashlib.sha256(b"one\n").hexdigest().encode() + b"\none\n",
    "more": lambda notes: notes + b"x",
}


@posix
@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_notes_are_written_again(package: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    before, notes = sources.package_digest(str(package)), package.parent / "cache" / NOTES
    whole = notes.read_bytes()
    notes.write_bytes(DAMAGE[kind](whole))
    assert sources.package_digest(str(package)) == before
    assert notes.read_bytes() == whole and unread(monkeypatch, package) == before


@posix
def test_notes_of_others_are_not_believed(package: Path) -> None:
    before, notes = sources.package_digest(str(package)), package.parent / "cache" / NOTES
    state, _ = notes.read_text().split("\n")[1].split(" ")
    text = f"{state} {'0' * 64}\n"
    notes.write_text(f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}")
    assert sources.package_digest(str(package)) == "0" * 64  # so the file is what decides
    notes.chmod(0o666)
    assert sources.package_digest(str(package)) == before


@posix
def test_packages_share_the_file_which_stays_small(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = package.parent / "cache" / NOTES
    for k in range(sources.MOST + 3):
        copy = package.parent / f"copy{k}"
        shutil.copytree(package, copy)
        assert sources.package_digest(str(copy)) == sources.package_digest(str(package))
    assert len(notes.read_text().splitlines()) == 1 + sources.MOST
    unread(monkeypatch, copy)
