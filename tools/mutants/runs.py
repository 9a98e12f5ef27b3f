"""Copies of the repository to change and test, and runs of pytest in them."""

from __future__ import annotations

import compileall
import contextlib
import os
import py_compile
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "revolute"
BUILD = ROOT / "build" / "mutants"
"""What is kept between runs: which tests run each line, and the results."""
MEMORY = 12 * 2**30
"""Bytes of addresses that a process of tests may take: a mutant that asks for more fails."""


def copy_repository(copy: Path) -> None:
    """Copy what git does not ignore; compiled modules are checked by their source's hash, as times are too coarse."""
    listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0"):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    compileall.compile_dir(copy / "src", quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)


def run_pytest(
    place: Path, *arguments: str, seconds: float | None = None, variables: Mapping[str, str] = MappingProxyType({})
) -> tuple[int, str]:
    """Run what `make test` runs in PLACE/copy: status and output. Longer than `seconds` is status -9.

    Folders for temporary files are new. The kernel cache is kept, as its keys determine the source.
    """
    copy, scratch = place / "copy", place / "scratch"
    folders = {"HOME": "home", "TMPDIR": "tmp", "HYPOTHESIS_STORAGE_DIRECTORY": "hypothesis"}
    for name in folders.values():
        (scratch / name).mkdir(parents=True)
    environment = {key: value for key, value in os.environ.items() if key != "REVOLUTE_CACHE_DIR"} | {**variables}
    environment |= {key: str(scratch / name) for key, name in folders.items()}
    environment |= {"PYTHONPATH": f"{copy / 'src'}{os.pathsep}{copy}", "XDG_CACHE_HOME": str(place / "caches")}
    fixed = ("-q", "--no-header", "-p", "no:cacheprovider", "-m", "not slow", "--quick")
    with (place / "output.txt").open("w+") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *fixed, *arguments], cwd=copy, env=environment, stdin=subprocess.DEVNULL,
            stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
        try:
            resource.prlimit(process.pid, resource.RLIMIT_AS, (MEMORY, MEMORY))
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):  # end also what the tests started
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
            shutil.rmtree(scratch, ignore_errors=True)
        output.seek(0)
        return code, output.read()
