"""The digest of the library's source: every change shows in it."""

import compileall
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import revolute
from revolute.compiler import sources


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
    copy = tmp_path / "copy" / "revolute"
    others = ("cli", "examine", "identification", "plot", "texts", "trajectory", "view")
    shutil.copytree(Path(revolute.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__", *others))
    digests = [digest(copy.parent)]
    assert digests[0] == sources.source_digest()
    deep = copy / "targets" / "llvm" / "lanes.py"
    for _ in range(2):
        archive = shutil.make_archive(str(tmp_path / "archive"), "zip", tmp_path / "copy")
        digests += [digest(Path(archive))]
        deep.write_text(deep.read_text() + "\n")
    digests += [digest(copy.parent)]
    compileall.compile_dir(copy, quiet=1, legacy=True)
    for source in copy.rglob("*.py"):
        source.unlink()
    digests += [digest(copy.parent), hashlib.sha256().hexdigest()]
    assert len(set(digests)) == 6


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package with every folder of sources."""
    path = tmp_path / "package"
    for room in (".", *sources.SOURCES, "targets/deep", "targets/__pycache__"):
        (path / room).mkdir(parents=True, exist_ok=True)
        (path / room / "module.py").write_text(f"room = {room!r}\n")
    return path


def write_and_set_the_time_back(file: Path) -> None:
    status = file.stat()
    file.write_bytes(file.read_bytes().replace(b"room", b"hall"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES: list[Callable[[Path], object]] = [
    write_and_set_the_time_back, Path.unlink,
    lambda file: (file.parent / "new.py").write_text(""),
    lambda file: file.rename(file.with_name("renamed.py")),
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("room", ["", "compiler", "targets/deep"])
def test_every_change_of_the_source_changes_the_keys(
    package: Path, room: str, change: Callable[[Path], object]
) -> None:
    before = sources.package_digest(str(package))
    assert sources.package_digest(str(package)) == before
    change(package / room / "module.py")
    assert sources.package_digest(str(package)) != before


def test_other_files_and_places_do_not_matter(package: Path) -> None:
    before = sources.package_digest(str(package))
    (package / "notes.txt").write_text("new")
    (package / "targets" / "__pycache__" / "module.py").write_text("new")
    assert sources.package_digest(str(package)) == before
    assert sources.package_digest(str(package.rename(package.with_name("moved")))) == before
