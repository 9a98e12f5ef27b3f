"""The disk cache of object code: safe, whole, shared, and never fatal."""

import os
import pickle
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import revolute
from revolute.cli.app import app
from revolute.compiler import cache, cached_files
from revolute.compiler.versions import processor_line

CALL = """
import pickle, sys, warnings
import numpy as np
import revolute
robot = revolute.robots.planar(3)
x = np.linspace(0.1, 0.9, 3)
tau = robot.inverse_dynamics(x, x, x)
sys.stdout.buffer.write(pickle.dumps((tau, robot.kernel("inverse_dynamics").from_cache)))
"""


def call(folder: Path) -> tuple[np.ndarray, bool]:
    """Torques from a new process with this cache folder, and whether the cache had the kernel."""
    environment = {**os.environ, "REVOLUTE_CACHE_DIR": str(folder)}
    result = subprocess.run([sys.executable, "-c", CALL], capture_output=True, env=environment, check=True)
    found: tuple[np.ndarray, bool] = pickle.loads(result.stdout)
    return found


def test_two_processes_fill_one_cache_and_the_third_finds_what_they_compiled(tmp_path: Path) -> None:
    place, x = tmp_path / "new" / "cache", np.linspace(0.1, 0.9, 3)
    with ThreadPoolExecutor(2) as pool:
        results = [*pool.map(call, [place] * 2), call(place)]
    assert not all(found for _, found in results[:2]) and results[2][1]
    reference = revolute.robots.planar(3).inverse_dynamics(x, x, x)
    assert all(np.array_equal(tau, reference) for tau, _ in results)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert sorted(f.suffix for f in place.iterdir()) == 2 * [".kernel"]  # and that of calls


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="POSIX permissions")
def test_a_folder_that_others_may_write_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "open"
    place.mkdir(mode=0o777)
    place.chmod(0o777)
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(place))
    cache._complain.cache_clear()
    with pytest.warns(RuntimeWarning, match=r"accessible to other users; run `chmod 700"):
        assert cache.folder() is None
    assert cache.read("k") is None  # said once: another warning would be an error
    cache.write("k", b"", {})
    assert not list(place.iterdir())


def test_a_link_or_file_in_place_of_the_folder_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "file").write_text("")
    for name in ("link", "file"):
        monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(tmp_path / name))
        cache._complain.cache_clear()
        with pytest.warns(RuntimeWarning, match="kernel cache"):
            assert cache.folder() is None
    cache._complain.cache_clear()


def test_equal_robots_share_a_kernel() -> None:
    a, b = revolute.robots.planar(2), revolute.robots.planar(2)
    assert a is not b
    assert a.kernel("gravity_forces") is b.kernel("gravity_forces")
    assert a.kernel("gravity_forces") is not a.with_gravity((0, 0, 0)).kernel("gravity_forces")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(tmp_path / "c"))
    return tmp_path / "c"


def keep(name: str, size: int, used: float) -> None:
    """Write an entry of at least so many bytes, last used so many seconds after 1970."""
    assert cache.write(name, bytes(size), {"operations": 1, "seconds": 0.0})
    os.utime(Path(os.environ["REVOLUTE_CACHE_DIR"]) / f"{name}.kernel", (used, used))


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


def test_what_was_not_used_for_longest_is_removed_first(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_files, "BYTES", 4000)
    for name, used in (("a", 300.0), ("b", 100.0), ("c", 200.0)):
        keep(name, 1000, used)
    assert cache.read("b") is not None  # used now: it is the youngest
    keep("d", 1000, 400.0)
    assert names(place) == ["a.kernel", "b.kernel", "d.kernel"]
    keep("e", 1000, 500.0)
    assert names(place) == ["b.kernel", "d.kernel", "e.kernel"]


def test_an_entry_larger_than_all_that_may_be_kept_is_not(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep("a", 10, 100.0)
    monkeypatch.setattr(cached_files, "BYTES", 500)
    assert not cache.write("b", bytes(1000), {"operations": 1, "seconds": 0.0})
    assert names(place) == ["a.kernel"]


def test_files_of_processes_that_died_are_removed_and_no_others(place: Path) -> None:
    keep("a", 10, 100.0)
    for name in ("old.part", "new.part", "mine.txt"):
        (place / name).write_bytes(b"")
    os.utime(place / "old.part", (100.0, 100.0))
    keep("b", 10, 200.0)
    assert names(place) == ["a.kernel", "b.kernel", "mine.txt", "new.part"]


def test_the_command_shows_and_clears(place: Path) -> None:
    keep("a", 2**20, 100.0)
    keep("b", 2**19, 200.0)
    (place / "mine.txt").write_bytes(b"")
    said = CliRunner().invoke(app, ["cache"]).stdout
    assert said == f"{place}: 2 kernels, 1.5 MB; at most 4,096, 512 MB\ncompiled for {processor_line()}\n"
    assert CliRunner().invoke(app, ["cache", "--clear"]).stdout == f"{said}All removed.\n"
    assert names(place) == ["mine.txt"]


def test_a_write_asks_for_the_size_of_no_file_twice(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for k in range(20):
        keep(f"k{k}", 10, 100.0)
    asked: list[str] = []
    monkeypatch.setattr(cached_files.os, "lstat", lambda path: asked.append(Path(path).name) or Path(path).stat())
    monkeypatch.setattr(cached_files, "_make_room", None)
    keep("new", 10, 200.0)
    kernels = [name for name in asked if name.endswith(".kernel")]
    assert len(kernels) == 1, "that of the last write"
