"""Times and memory that only fresh processes can show: import, first call, warm cache, peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.robots import Case

__all__ = ["Compiling", "Fitted", "Large", "Memory", "Start", "compiling", "fitted", "large", "memory", "start"]

CHILD = Path(__file__).with_name("child.py")


@dataclass(frozen=True)
class Start:
    """Seconds of each step, one figure a process.

    Attributes:
        imports: `import revolute`, NumPy and llvmlite included; cold and warm processes alike.
        numpy, llvmlite: what of it is theirs.
        loads: reading the URDF file.
        cold, warm: the first `inverse_dynamics` with an empty and with a filled disk cache.
        heavy: packages that `import revolute` should not have imported, but has.
    """

    imports: tuple[float, ...]
    numpy: tuple[float, ...]
    llvmlite: tuple[float, ...]
    loads: tuple[float, ...]
    cold: tuple[float, ...]
    warm: tuple[float, ...]
    heavy: tuple[str, ...]


@dataclass(frozen=True)
class Memory:
    """Bytes that a call needs beyond its inputs and result.

    Attributes:
        rows, kind: states in the call; "float64", or "mixed" where q is float32.
        arrays: peak of what NumPy and Python allocate (tracemalloc).
        process: peak of the process's resident memory; None where the system does not report it.
    """

    rows: int
    kind: str
    arrays: int
    process: int | None


@dataclass(frozen=True)
class Compiling:
    """Seconds until kernels are in place.

    Attributes:
        kernels: of each function.
        all: until the last is there.
    """

    kernels: dict[str, float]
    all: float


@dataclass(frozen=True)
class Large:
    """A kernel of a large robot.

    Attributes:
        compile: seconds to trace and compile it.
        operations: multiplications and additions of a row.
        row: seconds of a row, given results, one core.
    """

    compile: float
    operations: int
    row: float


@dataclass(frozen=True)
class Fitted:
    """A fit of a log.

    Attributes:
        seconds: by the clock.
        reading: seconds of the thread that reads ahead: parsing or decoding, numbers in columns.
        before, peak: bytes of the process before the fit, and at most.
        bias: largest distance of a base parameter from the true one, in standard errors.
        rows: samples that were fitted.
    """

    seconds: float
    reading: float
    before: float
    peak: float
    bias: float
    rows: int


def start(case: Case, processes: int) -> Start:
    """Start `processes` processes with an empty disk cache each, and as many with a filled one."""
    cold, warm = [], []
    for _ in range(processes):
        with _empty_cache() as folder:
            cold.append(_child("start", case.file, case.base, cache=folder))
            warm.append(_child("start", case.file, case.base, cache=folder))
    if any(x["from_cache"] for x in cold) or not all(x["from_cache"] for x in warm):
        raise RuntimeError(f"{case.label}: the disk cache did not do its work; were sources edited meanwhile?")
    both = cold + warm
    return Start(
        imports=tuple(x["import"] for x in both),
        numpy=tuple(x["numpy"] for x in both),
        llvmlite=tuple(x["llvmlite"] for x in both),
        loads=tuple(x["load"] for x in both),
        cold=tuple(x["call"] for x in cold),
        warm=tuple(x["call"] for x in warm),
        heavy=tuple(sorted({name for x in both for name in x["heavy"]})),
    )


def compiling(case: Case, link: str, threads: int = 1) -> tuple[Compiling, Compiling]:
    """Every function's kernel, asked for by so many threads: with an empty disk cache, and with one that has it."""
    with _empty_cache() as folder:
        words = ("compile", case.file, case.base, link, threads)
        cold, warm = (_child(*words, cache=folder) for _ in range(2))
    if any(cold["from_cache"].values()) or not all(warm["from_cache"].values()):
        raise RuntimeError(f"{case.label}: the disk cache did not do its work; were sources edited meanwhile?")
    return Compiling(cold["seconds"], cold["all"]), Compiling(warm["seconds"], warm["all"])


def large(joints: int, branching: float, method: str, rows: int, limit: float) -> Large | None:
    """A kernel of `revolute.robots.random_tree`, with an empty disk cache; None if it takes longer than `limit`."""
    with _empty_cache() as folder:
        try:
            found = _child("large", joints, branching, method, rows, cache=folder, limit=limit)
        except subprocess.TimeoutExpired:
            return None
    return Large(found["compile"], int(found["operations"]), found["call"] / rows)


def fitted(log: Path, few: Path, damping: float, friction: float) -> Fitted:
    """`revolute.identify` of a Panda's log with this friction, after the log of `few` rows."""
    return Fitted(**_child("fit", log, few, damping, friction))


@contextmanager
def _empty_cache() -> Iterator[str]:
    """A folder for kernels that holds none."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        yield folder


def memory(case: Case, rows: int, kind: str) -> Memory:
    """Memory of one call, in a process of its own."""
    found = _child("memory", case.file, rows, kind)
    return Memory(rows, kind, found["arrays"], found["process"])


def _child(*words: Any, cache: str | None = None, limit: float | None = None) -> dict[str, Any]:
    environment = os.environ | ({"REVOLUTE_CACHE_DIR": cache} if cache else {})
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # it would have Python compile all sources in every process
    command = [sys.executable, "-P", str(CHILD), *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit)
    if done.returncode:
        raise RuntimeError(f"a process of the benchmark failed:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
