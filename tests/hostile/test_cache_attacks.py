"""The folder of the kernel cache under attack: what is no entry, forged entries, too many, full disks, and kills.

No call may fail, wait, or give another number for it.
"""

import errno
import hashlib
import json
import os
import pickle
import random
import socket
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import printed
from test_full_disk import MOUNT, UNSHARE, mountable
from typer.testing import CliRunner

import revolute
from revolute.cli.app import app
from revolute.compiler import cache, cached_files
from revolute.compiler.kernel import Kernel, _kernels

pytest.importorskip("fcntl", reason="attacks are made with POSIX")

NOTES = {"operations": 1, "seconds": 0.5}
X = np.linspace(0.1, 0.9, 2)
ROBOT = revolute.robots.planar(2).with_gravity((0.0, -9.81, 1e-7))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder, without the code of calls, which all kernels share."""
    revolute.robots.planar(1).potential_energy([0.0])
    found = tmp_path / "c"
    found.mkdir(mode=0o700)
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(found))
    return found


def new_kernel() -> Kernel:
    """A kernel as another process would get it."""
    for key, kernel in list(_kernels.items()):
        if kernel.robot_name == ROBOT.name:
            _kernels.pop(key, None)
    kernel: Kernel = pickle.loads(pickle.dumps(ROBOT)).kernel("gravity_forces")
    return kernel


def file_of(kernel: Kernel) -> str:
    return next(f"{key}.kernel" for key, value in _kernels.items() if value is kernel)


def with_mode(path: Path, content: bytes, mode: int) -> None:
    path.write_bytes(content)
    path.chmod(mode)


def bound_socket(path: Path, whole: Path) -> None:
    directory = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:  # by a short path: those of sockets are bounded
        made.bind(f"/proc/self/fd/{directory}/{path.name[:40]}")
    os.close(directory)
    (path.parent / path.name[:40]).rename(path)


def device(path: Path, whole: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero
    except OSError:
        pytest.skip("needs to be root")


def enormous(path: Path, whole: Path) -> None:
    with path.open("wb") as file:
        file.write(whole.read_bytes()[:100])
        file.truncate(1 << 40)
    path.chmod(0o600)


INTRUDERS: list[Callable[[Path, Path], None]] = [
    lambda path, whole: os.mkfifo(path),
    lambda path, whole: path.mkdir(),
    lambda path, whole: path.symlink_to("/dev/zero"),
    lambda path, whole: path.symlink_to(whole),
    lambda path, whole: path.symlink_to(path),
    lambda path, whole: path.symlink_to("nowhere"),
    bound_socket, device, enormous,
    lambda path, whole: with_mode(path, b"", 0),
    lambda path, whole: with_mode(path, whole.read_bytes(), 0o666),
]  # fmt: skip
NAMES = ["FIFO", "folder", "endless", "link", "loop", "dangling", "socket", "device", "enormous", "unreadable", "open"]


@pytest.mark.parametrize("intruder", INTRUDERS, ids=NAMES)
def test_strange_files_in_place_of_entries_are_replaced(
    place: Path, tmp_path: Path, intruder: Callable[[Path, Path], None]
) -> None:
    first = new_kernel()
    expected, path = first(X), place / file_of(first)
    whole = path.rename(tmp_path / "whole")
    intruder(path, whole)
    found = new_kernel()
    assert not found.from_cache
    np.testing.assert_array_equal(found(X), expected)
    status = path.lstat()
    assert stat.S_ISREG(status.st_mode) and stat.S_IMODE(status.st_mode) == 0o600
    assert [file.name for file in place.iterdir()] == [path.name]
    assert whole.exists() and new_kernel().from_cache


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to be root")
def test_a_file_of_another_user_is_replaced(place: Path) -> None:
    path = place / file_of(new_kernel())
    os.chown(path, 1234, 1234)
    assert not new_kernel().from_cache
    assert path.stat().st_uid == os.getuid()
    assert new_kernel().from_cache


def test_strange_files_in_the_cache_are_listed_and_cleared(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever lists, makes room or clears meets them too."""
    for ending in ("kernel", "part"):
        for name, intruder in zip(NAMES, INTRUDERS, strict=True):
            if name not in ("device", "link", "open", "enormous"):
                intruder(place / f"{name}.{ending}", tmp_path)
                if name != "folder":
                    os.utime(place / f"{name}.{ending}", (100.0, 100.0), follow_symlinks=False)
    monkeypatch.setattr(cached_files, "FILES", 20)
    for k in range(30):
        assert cache.write(str(k), b"code", NOTES)
        assert cache.read(str(k)) == (b"code", {**NOTES, "key": str(k)})
    assert len(cached_files.entries(place)) <= 20
    assert "kernels" in CliRunner().invoke(app, ["cache", "--clear"], catch_exceptions=False).stdout
    assert sorted(file.name for file in place.iterdir()) == ["folder.kernel", "folder.part"]


def forged(text: bytes, code: bytes = b"\ncode") -> bytes:
    """An entry with the right checksum."""
    return cache._MAGIC + hashlib.sha256(text + code).digest() + text + code


RIGHT = {**NOTES, "key": "k"}
WRONG: list[Any] = [
    None, [], 7, "k", [RIGHT], {}, NOTES, {"key": "k"}, {"key": "k", "operations": 1}, {"key": "k", "seconds": 0.5},
    {**RIGHT, "more": 1}, {**RIGHT, "key": "other"}, {**RIGHT, "key": 7}, {**RIGHT, "key": None},
    *({**RIGHT, "operations": x} for x in ("1", -1, 1.5, True, None, [], 2**53, 10**400, float("nan"), float("inf"))),
    *({**RIGHT, "seconds": x} for x in ("1", -1.0, True, 1, None, {}, float("nan"), float("inf"), 10**400)),
]  # fmt: skip
TEXTS = [
    *(json.dumps(notes).encode() for notes in WRONG),
    b"", b" ", b"{", b"no JSON", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000, b"\0" * 100,
    json.dumps(RIGHT).replace("0.5", "1e400").encode(), json.dumps(RIGHT).replace("0.5", "-1e-400").encode() + b"x",
]  # fmt: skip


def test_forged_entries_are_compiled_anew(place: Path) -> None:
    file = place / "k.kernel"
    file.touch(mode=0o600)
    file.write_bytes(forged(json.dumps(RIGHT).encode()))
    assert cache.read("k") == (b"code", RIGHT)
    for text in TEXTS:
        for code in (b"\ncode", b"\n", b""):
            file.write_bytes(forged(text, code))
            assert cache.read("k") is None, text[:100]


def test_forged_entries_are_replaced(place: Path) -> None:
    """Those whose notes are wrong, and one whose code is none."""
    first = new_kernel()
    expected, path = first(X), place / file_of(first)
    key = path.stem
    for notes in ({"key": key}, {**NOTES, "seconds": "soon", "key": key}, [key], {**NOTES, "key": key}):
        path.write_bytes(forged(json.dumps(notes).encode()))
        found = new_kernel()
        assert not found.from_cache
        np.testing.assert_array_equal(found(X), expected)
        assert new_kernel().from_cache


def test_randomly_damaged_entries_are_compiled_anew(place: Path) -> None:
    assert cache.write("k", random.Random(3).randbytes(300), NOTES)
    file, rng = place / "k.kernel", random.Random(4)
    whole = file.read_bytes()
    for _ in range(500):
        damaged = bytearray(whole)
        for _ in range(rng.choice((1, 1, 5))):
            damaged[rng.randrange(len(damaged))] ^= rng.randrange(1, 256)
        cut = rng.randrange(len(damaged)) if rng.random() < 0.3 else len(damaged)
        file.write_bytes(damaged[:cut])
        assert cache.read("k") is None or damaged == whole


def test_the_cache_stays_below_its_bound_at_every_write(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_files, "BYTES", 100_000)
    rng = random.Random(5)
    for k in range(300):
        key, size = str(rng.randrange(200)), rng.choice((10, 1000, 20_000, 60_000))
        assert cache.write(key, bytes(size), NOTES)
        assert sum(x.lstat().st_size for x in place.iterdir() if x.suffix in (".kernel", ".part")) <= 100_000
        found = cache.read(key)
        assert found is not None and len(found[0]) == size, k


FORKED = """
import os, random, signal, sys, time
from pathlib import Path
import revolute
from revolute.compiler import cache, cached_files

place = Path(os.environ["REVOLUTE_CACHE_DIR"])
NOTES = {"operations": 1, "seconds": 0.5}

def content(key, size):
    return random.Random(key).randbytes(64) + bytes(size)

def forked(work, *arguments):
    child = os.fork()
    if child == 0:
        try:
            work(*arguments)
        finally:
            os._exit(0)
    return child

def write(seed):
    rng = random.Random(seed)
    while True:
        key = str(rng.randrange(50))
        cache.write(key, content(key, rng.choice((10, 5000, 30_000))), NOTES)

def right():
    # whether all entries are whole, and theirs
    for path, _ in cached_files.entries(place):
        found = cache.read(path.stem)
        assert found is not None and found[0] == content(path.stem, len(found[0]) - 64), path
    return True

def left():
    return [file for file in place.iterdir() if file.suffix == ".part"]

def total():
    return sum(file.lstat().st_size for file in place.iterdir())

def reap(children):
    for child in children:
        os.waitpid(child, 0)
"""


def forks(program: str, place: Path) -> list[str]:
    """What a program of its own process prints."""
    place.chmod(0o700)
    return printed(FORKED + textwrap.dedent(program), REVOLUTE_CACHE_DIR=str(place)).splitlines()


def test_the_cache_stays_below_its_bound_with_many_processes(place: Path) -> None:
    program = """
    cached_files.BYTES = 100_000

    def write_some(seed):
        rng = random.Random(seed)
        for k in range(25):
            key = f"{seed}-{k}"
            cache.write(key, content(key, rng.choice((10, 5000, 30_000))), NOTES)

    for round in range(3):
        reap([forked(write_some, 100 * round + k) for k in range(6)])
        print(total() <= 100_000, left(), right())
    """
    assert forks(program, place) == ["True [] True"] * 3


KILLS = """
import sys
cached_files.BYTES = 400_000
cached_files.ABANDONED = 0.5  # else what was left a moment ago stays for a while
rng = random.Random(6)
for round in range(ROUNDS):
    children = [forked(write, rng.random()) for _ in range(4)]
    for child in children:
        time.sleep(rng.random() * 0.02)
        os.kill(child, signal.SIGKILL)
    reap(children)
    assert right()
time.sleep(0.6)
assert cache.write("last", content("last", 10), NOTES) and right()
print(left(), total() <= 400_000)
"""


@pytest.mark.parametrize("rounds", [8, pytest.param(60, marks=pytest.mark.slow)])
def test_killed_processes_leave_a_usable_cache(place: Path, rounds: int) -> None:
    assert forks(KILLS.replace("ROUNDS", str(rounds)), place) == ["[] True"]


REFUSED = [
    ("os", "open"), ("os", "fstat"), ("os", "utime"), ("os", "replace"), ("os", "unlink"), ("tempfile", "mkstemp"),
    ("os", "fdopen"), ("os", "scandir"),
]  # fmt: skip


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EACCES, errno.ENOLCK, errno.EROFS])
@pytest.mark.parametrize(("module", "name"), REFUSED)
def test_a_system_call_that_fails_breaks_no_call(
    place: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str, number: int
) -> None:
    def refuse(*args: object, **named: object) -> None:
        raise OSError(number, os.strerror(number))

    assert cache.write("old", b"code", NOTES)
    (place / "dead.part").touch()
    os.utime(place / "dead.part", (100.0, 100.0))
    known = {*os.listdir(place)}
    with monkeypatch.context() as patch:
        patch.setattr(cached_files, "FILES", 1)
        patch.setattr(getattr(cached_files, module), name, refuse)
        kept = cache.write("k", b"code", NOTES)
        found = cache.read("k")
    assert found in (None, (b"code", {**NOTES, "key": "k"}))
    if not kept:
        assert found is None and cache.read("k") is None
    if (module, name) != ("os", "unlink"):  # which nothing can undo
        assert {*os.listdir(place)} <= {*known, "k.kernel"}


FULL = """
import numpy as np
x = np.array([0.3, -0.7])
MOUNT
robots = [revolute.robots.planar(n) for n in (1, 2, 3)]
for robot in robots:
    x = np.linspace(0.1, 0.9, robot.nv)
    tau = robot.inverse_dynamics(x, x, x)
    M = robot.mass_matrix(x)
    h = robot.bias_forces(x, x)
    assert np.allclose(M @ x + h, tau)
right_sizes = [status.st_size > 1000 for _, status in cached_files.entries(place)]
print(sum(robot.kernel("inverse_dynamics").from_cache for robot in robots), left(), all(right_sizes))
"""


def test_files_may_not_grow(place: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))"
    assert forks(FULL.replace("MOUNT", limit), place) == ["0 [] True"]
    assert [file.name for file in place.iterdir()] == []


@pytest.mark.skipif(not mountable(), reason="file systems cannot be mounted here")
def test_calls_work_on_a_full_disk(place: Path) -> None:
    """A file system of 64 KiB, which nobody else sees."""
    mount = [*UNSHARE, "sh", "-c", MOUNT.replace("1m", "64k,mode=0700"), str(place)]
    done = subprocess.run(
        [*mount, sys.executable, "-c", FORKED + FULL.replace("MOUNT", "")],
        env={**os.environ, "REVOLUTE_CACHE_DIR": str(place)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.endswith(" [] True\n")
