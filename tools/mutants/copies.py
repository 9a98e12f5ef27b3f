"""Copies of the repository to change and test, each with its own folders for caches and temporary files."""

from __future__ import annotations

import compileall
import os
import py_compile
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutants"
"""What is kept between runs: the map from lines to tests, and the results."""
LEFT_OUT = {".git", "build", "dist", "site", "demo-output", "__pycache__"}


def _left_out(folder: str, names: list[str]) -> set[str]:
    """Names that the tests do not need: hidden folders but .ci, virtual environments, results of builds."""
    return {
        name
        for name in names
        if name in LEFT_OUT
        or (name.startswith(".") and name not in (".ci", ".gitignore"))
        or (Path(folder) / name / "pyvenv.cfg").exists()
    }


def copy_repository(place: Path) -> None:
    """Copy what the tests need; compiled modules are checked by their source's hash, as times are too coarse."""
    shutil.copytree(ROOT, place, ignore=_left_out)
    compileall.compile_dir(place / "src", quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)


@contextmanager
def environment(copy: Path, scratch: Path, caches: Path | None = None) -> Iterator[dict[str, str]]:
    """Variables for one run in a copy, with empty folders that are removed afterwards.

    Caches are removed too, unless there is a folder for them. Kernels in it are safe to keep from one mutant to the
    next: their keys say by which source they were made.
    """
    shutil.rmtree(scratch, ignore_errors=True)
    home, temporary = scratch / "home", scratch / "tmp"
    for folder in (home, temporary):
        folder.mkdir(parents=True)
    changed = {
        "PYTHONPATH": os.pathsep.join([str(copy / "src"), str(copy)]),
        "HOME": str(home),
        "XDG_CACHE_HOME": str(caches or home / ".cache"),
        "TMPDIR": str(temporary),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(scratch / "hypothesis"),
    }
    try:
        yield {key: value for key, value in os.environ.items() if key != "REVOLUTE_CACHE_DIR"} | changed
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def pytest_command(*arguments: str) -> list[str]:
    """Pytest by this Python on what `make test` runs, without files in the copy."""
    fixed = ["-q", "--no-header", "-p", "no:cacheprovider", "-m", "not slow", "--quick"]
    return [sys.executable, "-m", "pytest", *fixed, *arguments]


def run(
    command: list[str], copy: Path, variables: dict[str, str], output: TextIO, prepare: Callable[[], None] | None = None
) -> subprocess.Popen[bytes]:
    """Start a command in a copy, as the leader of its own group of processes."""
    return subprocess.Popen(
        command, cwd=copy, env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        start_new_session=True, preexec_fn=prepare,
    )  # fmt: skip
