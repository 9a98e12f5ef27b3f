"""Calls that only some systems have, taken away: each case is a process without them, which must give the same numbers.

`sitecustomize` removes them before any module is imported, in child processes too. What NumPy and LLVM ask for is
changed once they are imported.
"""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

COMPUTE = """
import hashlib, os, numpy as np, revolute
arm = revolute.robots.planar(2)
q = np.random.default_rng(1).standard_normal((50_000, 2))
tau = arm.inverse_dynamics(q, q, q, threads=3)
answer = hashlib.sha256(tau.tobytes()).hexdigest()
"""

SAVE = """
for robot in arm, revolute.robots.planar(3):
    revolute.save(robot, "arm.urdf")  # the second one replaces the first
assert revolute.load("arm.urdf").nq == 3 and os.listdir() == ["arm.urdf"]
"""

CACHED = """
from revolute.compiler.cache import folder
endings = {path.suffix for path in folder().iterdir()}
assert ".kernel" in endings and ".part" not in endings, endings
"""

AFFINITY = """
from revolute.targets.llvm import cores
assert cores() == os.cpu_count()
"""

MACOS = """
import sys, llvmlite.binding, numpy
sys.platform = "darwin"
""" + COMPUTE + """
one, several = (arm.simulate(q, q, None, np.arange(4) * 1e-3, threads=threads) for threads in (1, 3))
assert np.array_equal(one.q, several.q)
from revolute.compiler.cache import folder
assert str(folder()) == os.path.expanduser("~/Library/Caches/revolute"), folder()
"""

XACRO = r"""
text = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${\'\u03c9\'}"/></robot>'
with open("arm.xacro", "w", encoding="utf-8") as file:
    file.write(text)
"""

WINDOWS = """
import ntpath, os, sys, llvmlite.binding, numpy
sys.platform, os.path.splitdrive = "win32", ntpath.splitdrive
""" + COMPUTE + CACHED + XACRO + """
assert revolute.load("arm.xacro").bodies[0].name == chr(0x3C9)
from revolute.model.mesh_files import absolute
assert absolute("file:///C:/arm.stl", "") == "C:/arm.stl" and absolute("file:///arm.stl", "") == "/arm.stl"
"""

OPEN_FILES = COMPUTE + CACHED + """
from revolute.compiler import cache
revolute.save(arm, "arm.urdf")
before = {path: path.read_bytes() for path in (*folder().glob("*.kernel"), type(folder())("arm.urdf"))}

def replace(a, b):  # of a file that is open, on Windows
    raise PermissionError(13, "Access is denied", a, 5, b)

os.replace = replace
assert not cache.write(next(iter(before)).stem, b"", {"operations": 0, "seconds": 0.0})
try:
    revolute.save(revolute.robots.planar(3), "arm.urdf")
    answer = "saved"
except PermissionError as error:
    assert "arm.urdf" in str(error)
assert before == {path: path.read_bytes() for path in before} and os.listdir() == ["arm.urdf"]
""" + CACHED

HOMELESS = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
""" + COMPUTE.replace("\n", "\n    ") + """
assert ["REVOLUTE_CACHE_DIR" in str(x.message) for x in told] == [True], told
"""

COMMAND = XACRO + """
from revolute.cli.app import app
app(["info", "arm.xacro"], standalone_mode=False)
answer = None
"""

NO_LIMITS = """
import resource
def setrlimit(kind, limits, usual=resource.setrlimit):  # as on macOS
    if kind == resource.RLIMIT_AS:
        raise ValueError("current limit exceeds maximum limit")
    usual(kind, limits)
resource.setrlimit = setrlimit
"""


@dataclass(frozen=True)
class Case:
    """A process.

    Attributes:
        gone: code that takes calls away, before anything is imported.
        script: what then runs, in an empty folder. It sets `answer`.
        environment: what differs from this process's; "" for what is not set.
        printed: what is printed in place of the answer.
        needs: a module.
    """

    gone: str = ""
    script: str = COMPUTE + SAVE + CACHED
    environment: dict[str, str] = field(default_factory=dict)
    printed: str = ""
    needs: str = "revolute"


LATIN = {"PYTHONIOENCODING": "cp1252"}
OWN_CACHE = {"REVOLUTE_CACHE_DIR": "FOLDER"}
NO_CACHE = {"REVOLUTE_CACHE_DIR": "", "XDG_CACHE_HOME": ""}
"""The cache is in the home folder, which is the case's own: other tests write to a shared one."""
CASES = {
    "cores and forks": Case(
        "del os.sched_getaffinity, os.fork, os.forkpty, os.register_at_fork", COMPUTE + AFFINITY + SAVE
    ),
    "users": Case(
        "for x in 'getuid geteuid getgid getegid chown fchown fchmod'.split(): delattr(os, x)",
        environment=OWN_CACHE,  # platformdirs needs users, except on Windows
    ),
    "flags": Case("del os.O_NONBLOCK, os.O_NOFOLLOW"),
    "open files": Case("", OPEN_FILES),
    "home": Case("sys.modules['pwd'] = None", HOMELESS, {"HOME": ""}),
    "macOS": Case("", MACOS),
    "Windows": Case("sys.modules['resource'] = None", WINDOWS, LATIN | OWN_CACHE, needs="xacro"),
    "console": Case(f"del signal.SIGHUP{NO_LIMITS}", COMMAND, LATIN, r"\u03c9", "xacro"),
}


@cache
def answer() -> str:
    """Of this process."""
    namespace: dict[str, str] = {}
    exec(COMPUTE, namespace)
    return namespace["answer"]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_same_without(case: Case, tmp_path: Path) -> None:
    if find_spec(case.needs) is None:
        pytest.skip(f"needs {case.needs}")
    site, work, own_cache = (tmp_path / name for name in ("site", "work", "cache"))
    for folder in (site, work, own_cache):
        folder.mkdir(mode=0o700)
    (site / "sitecustomize.py").write_text(f"import os, signal, sys\n{case.gone}\n", encoding="utf-8")
    changed = {name: value.replace("FOLDER", str(own_cache)) for name, value in case.environment.items()}
    environment = {**os.environ, **NO_CACHE, "PYTHONPATH": str(site), "HOME": str(tmp_path), **changed}
    environment = {name: value for name, value in environment.items() if value}
    encodings = ("-X", "warn_default_encoding", "-W", "error::EncodingWarning")  # that of Windows is not UTF-8
    command = [sys.executable, *encodings, "-c", f"{case.script}\nprint(answer)"]
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert (case.printed or answer()) in done.stdout.decode("cp1252")
