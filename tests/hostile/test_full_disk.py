"""A disk without room: what was there stays, nothing half-written is left, and the error names the file and the reason.

The disk is a memory file system of 1 MiB in a mount namespace of its own, where the kernel allows one. Elsewhere a
limit on the size of files stands in for it.
"""

import errno
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from writers import WRITERS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits and mounts of Unix")

UNSHARE = ["unshare", "--mount", *(["--map-root-user"] if hasattr(os, "getuid") and os.getuid() else [])]
MOUNT = 'mount -t tmpfs -o size=1m none "$0" && exec "$@"'
TESTS = Path(__file__).parent.parent
REASONS = {"tmpfs": os.strerror(errno.ENOSPC), "limit": os.strerror(errno.EFBIG)}

START = """
import contextlib, os, resource, sys
from functools import cache
from pathlib import Path
from writers import WRITERS
from revolute.cli import app as cli
from revolute.io import trajectory
import numpy as np
import typer.testing
typer.testing._get_command = cache(typer.testing._get_command)
disk, place = sys.argv[1], Path(sys.argv[2])
os.chdir(place)

@contextlib.contextmanager
def full(room=0):
    "Within, so many bytes can be written."
    if disk == "limit":
        old = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, old[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, old)
    else:
        filler = os.open("filler", os.O_WRONLY | os.O_CREAT)
        size = 0
        with contextlib.suppress(OSError):
            while written := os.write(filler, bytes(4096)):
                size += written
        os.truncate("filler", size - room)
        try:
            yield
        finally:
            os.close(filler), os.unlink("filler")

def contents():
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.name != "filler"}
"""

LIBRARY = """
for name, write in WRITERS.items():
    write(Path(name))  # Matplotlib's font cache is made elsewhere, and once
    small = os.path.getsize(name) <= 4096
    os.unlink(name)
    for old, room in ((None, 0), (b"old", 0), (b"old", 4096)):
        if room and small:
            continue
        if old:
            Path(name).write_bytes(old)
        before = contents()
        with full(room):
            try:
                write(Path(name))
                print(name, "was written")
            except Exception as error:
                print(name, "|", type(error).__name__, "|", error)
            if contents() != before:
                print(name, "left", {key: len(value) for key, value in contents().items()})
    os.unlink(name)
    print(name, "| small" if small else "| large")
"""

COMMANDS = """
print("commands:")
t = np.arange(2000) / 100
trajectory.write("q.csv", ["t", "q.joint1", "qd.joint1", "qdd.joint1"], t, t, t, t)
trajectory.write("tau.csv", ["t", "tau.joint1"], t, t)
COMMANDS = {
    "torque.csv": ("torque", "planar:1", "q.csv", "-o"),
    "torque.parquet": ("torque", "planar:1", "q.csv", "-o"),
    "torque.png": ("torque", "planar:1", "q.csv", "--plot"),
    "motion.csv": ("simulate", "planar:1", "--duration", "1", "-o"),
    "motion.parquet": ("simulate", "planar:1", "--duration", "1", "-o"),
    "motion.svg": ("simulate", "planar:1", "--duration", "1", "--plot"),
    "forced.csv": ("simulate", "planar:1", "--tau", "tau.csv", "--duration", "1", "-o"),
    "moves.csv": ("trajectory", "planar:1", "--via", "q.csv", "-o"),
    "moves.png": ("trajectory", "planar:1", "--via", "q.csv", "--plot"),
    "equations.md": ("equations", "planar:1", "-o"),
    "count.pdf": ("count", "planar:1", "--algorithm", "mass_matrix", "--plot"),
}
run = typer.testing.CliRunner().invoke
for name, arguments in COMMANDS.items():
    for old in (b"old",) if "--plot" in arguments else (None, b"old"):  # a plot takes its time
        if old:
            Path(name).write_bytes(old)
        before = contents()
        with full():
            done = run(cli.app, [*arguments, name])
        print(name, "|", done.exit_code, "|", done.stderr.strip())
        if contents() != before:
            print(name, "left", {key: len(value) for key, value in contents().items()})
    os.unlink(name)
with full():
    done = run(cli.app, ["demo", "-o", "demo"])
print("demo/trajectory.csv |", done.exit_code, "|", done.stderr.strip())
if left := os.listdir("demo"):
    print("demo left", left)
"""
ENDINGS = ("torque", "motion", "forced", "moves", "equations", "count", "demo")


@functools.cache
def mountable() -> bool:
    command = [*UNSHARE, "sh", "-c", MOUNT, "/mnt", "true"]
    return shutil.which("unshare") is not None and subprocess.run(command, capture_output=True).returncode == 0


@functools.cache
def fonts() -> tempfile.TemporaryDirectory[str]:
    """A folder with Matplotlib's list of fonts. A process without one makes it, and damages it on a full disk."""
    folder = tempfile.TemporaryDirectory()
    environment = os.environ | {"MPLCONFIGDIR": folder.name}
    subprocess.run([sys.executable, "-c", "import matplotlib.font_manager"], env=environment, check=True)
    return folder


@functools.cache
def lines(disk: str) -> tuple[list[str], list[str]]:
    """What one process prints whose folder is on such a disk: of the library, and of commands."""
    paths = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    with tempfile.TemporaryDirectory() as place:
        prefix = [*UNSHARE, "sh", "-c", MOUNT, place] if disk == "tmpfs" else []
        done = subprocess.run(
            [*prefix, sys.executable, "-c", START + LIBRARY + COMMANDS, disk, place],
            env=os.environ | {"PYTHONPATH": paths, "MPLCONFIGDIR": fonts().name},
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    library, commands = done.stdout.split("commands:\n")
    return library.splitlines(), commands.splitlines()


disks = pytest.mark.parametrize(
    "disk",
    [
        pytest.param("tmpfs", marks=pytest.mark.skipif(not mountable(), reason="no mount namespace can be had")),
        pytest.param("limit", marks=[pytest.mark.slow] if mountable() else []),
    ],
)


@disks
def test_the_library_writes_complete_files_or_none(disk: str) -> None:
    found = lines(disk)[0]
    assert {line.partition(" ")[0] for line in found} == set(WRITERS)
    for name in WRITERS:
        *told, size = (line for line in found if line.startswith(f"{name} "))
        assert len(told) == (2 if size.endswith("small") else 3), told  # nothing but an error each time
        for line in told:
            _, kind, message = line.split(" | ")
            assert kind in ("OSError", "InputError", "TrajectoryError"), line
            assert name in message and REASONS[disk] in message, line


@disks
def test_commands_write_complete_files_or_none(disk: str) -> None:
    found = lines(disk)[1]
    assert {line.partition(".")[0].partition("/")[0] for line in found} == set(ENDINGS)
    for line in found:
        name, status, message = line.split(" | ")
        assert status == "1" and message.startswith("Error: "), line
        assert name in message and REASONS[disk] in message, line
