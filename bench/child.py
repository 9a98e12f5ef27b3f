"""What only a fresh process can show; prints one line of JSON. Started by `bench.fresh`.

python child.py start FILE BASE        times of import, load and first call
python child.py memory FILE ROWS KIND  memory that a large call needs beyond its result
python child.py compile FILE BASE LINK THREADS times of every function's kernel, in place
python child.py fit LOG FEW DAMPING FRICTION time and memory of a fit of a Panda's log, after one of few rows
python child.py large JOINTS BRANCHING METHOD ROWS times of a large robot's kernel: to compile it, and of a call
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

HEAVY = ("sympy", "typer", "rich", "matplotlib", "scipy", "pandas", "mujoco", "pinocchio")


def start(file: str, base: str) -> dict[str, Any]:
    """Seconds of every step up to the first torques."""
    started = time.perf_counter()
    import numpy as np

    with_numpy = time.perf_counter()
    import llvmlite.binding  # noqa: F401

    with_llvm = time.perf_counter()
    import revolute

    assert revolute.Robot  # public names are imported when they are first used
    imported = time.perf_counter()
    heavy = [name for name in HEAVY if name in sys.modules]
    warnings.simplefilter("ignore", revolute.ModelWarning)
    before = time.perf_counter()
    robot = revolute.load(file, base)
    loaded = time.perf_counter()
    q, qd, qdd = robot.neutral(), np.zeros(robot.nv), np.zeros(robot.nv)
    ready = time.perf_counter()
    robot.inverse_dynamics(q, qd, qdd)
    called = time.perf_counter()
    found = robot.kernel("inverse_dynamics").from_cache
    return {
        "import": imported - started,
        "numpy": with_numpy - started,
        "llvmlite": with_llvm - with_numpy,
        "heavy": heavy,
        "load": loaded - before,
        "call": called - ready,
        "from_cache": found,
    }


def memory(file: str, count: str, kind: str) -> dict[str, int | None]:
    """Bytes beyond inputs and result, as NumPy's allocations and as the process's peak."""
    import tracemalloc

    import numpy as np

    import revolute

    warnings.simplefilter("ignore", revolute.ModelWarning)
    robot, rows = revolute.load(file), int(count)
    rng = np.random.default_rng(0)
    q = rng.uniform(-3, 3, (rows, robot.nq)).astype("float32" if kind == "mixed" else "float64")
    qd, qdd = rng.standard_normal((2, rows, robot.nv))
    robot.inverse_dynamics(q[:100_000], qd[:100_000], qdd[:100_000])  # compiles, and starts the threads
    result_bytes = rows * robot.nv * 8

    known = _forget_peak()
    resident = _status("VmRSS")
    robot.inverse_dynamics(q, qd, qdd)
    peak = _status("VmHWM")

    tracemalloc.start()
    base = tracemalloc.get_traced_memory()[0]
    robot.inverse_dynamics(q, qd, qdd)
    traced = tracemalloc.get_traced_memory()[1] - base
    return {"arrays": traced - result_bytes, "process": peak - resident - result_bytes if known else None}


def compiling(file: str, base: str, link: str, threads: str) -> dict[str, Any]:
    """Seconds of tracing and compiling every function, or of reading it from the disk cache."""
    from concurrent.futures import ThreadPoolExecutor

    import revolute

    warnings.simplefilter("ignore", revolute.ModelWarning)
    robot = revolute.load(file, base)
    kernels = {}

    def make(name: str) -> None:
        of_link = "frame" in robot.functions()[name].options and name != "forward_kinematics"
        with contextlib.suppress(revolute.InputError):  # `linearize_task` is for arms of six joints
            kernels[name] = robot.kernel(name, **({"frame": link} if of_link else {}))

    started = time.perf_counter()
    with ThreadPoolExecutor(int(threads)) as pool:
        list(pool.map(make, robot.functions()))
    return {
        "all": time.perf_counter() - started,
        "seconds": {name: kernel.load_time for name, kernel in kernels.items()},
        "from_cache": {name: kernel.from_cache for name, kernel in kernels.items()},
    }


def large(joints: str, branching: str, method: str, rows: str) -> dict[str, float]:
    """Of a random tree: seconds to make a kernel, operations, and median processor seconds of a call on one core."""
    import os
    import statistics

    import numpy as np

    import revolute

    robot = revolute.robots.random_tree(int(joints), rng=1, branching=float(branching))
    started = time.perf_counter()
    kernel = robot.kernel(method)
    made = time.perf_counter() - started
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((int(rows), *x.shape)) for x in kernel.inputs]
    result = kernel(*arrays)
    found: list[float] = []
    while len(found) < 5 or (sum(found) < 0.5 and len(found) < 200):
        before = time.thread_time()  # a call takes milliseconds: other processes may have the core meanwhile
        kernel(*arrays, out=result, threads=1)
        found.append(time.thread_time() - before)
    return {"compile": made, "operations": kernel.operations, "call": statistics.median(found)}


def fit(log: str, few: str, damping: str, friction: str) -> dict[str, float]:
    """Seconds of a fit and of reading in it, memory, samples, and the largest error in standard errors.

    The true parameters are those of the library's Panda, with this friction at all joints.
    """
    import numpy as np

    import revolute

    reading = _time_reading()
    robot = revolute.robots.panda()
    revolute.identify(robot, few)
    before, begin, read = _status("VmRSS"), time.perf_counter(), reading()
    found = revolute.identify(robot, log)
    seconds, read = time.perf_counter() - begin, reading() - read
    true = dict(zip(found.model.names, found.model.values.tolist(), strict=True))
    for joint in robot.coordinate_names:
        true |= {f"{joint}.damping": float(damping), f"{joint}.friction": float(friction), f"{joint}.offset": 0.0}
    wanted = found.base.matrix @ np.array([true[name] for name in found.model.names])
    bias = float(np.max(np.abs(found.values - wanted) / found.standard_errors))
    return {
        "seconds": seconds, "reading": read, "before": before, "peak": _status("VmHWM"), "bias": bias,
        "rows": found.rows // robot.nv,
    }  # fmt: skip


def _time_reading() -> Callable[[], float]:
    """Seconds of the processor that threads have spent in tables since this was called."""
    from revolute.io.trajectory.csv import CsvTable
    from revolute.io.trajectory.parquet import ParquetTable

    spent = [0.0]

    def timed(blocks: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        def read(*arguments: Any, **options: Any) -> Iterator[Any]:
            inner = blocks(*arguments, **options)
            while True:
                begin = time.thread_time()
                block = next(inner, None)
                spent[0] += time.thread_time() - begin
                if block is None:
                    return
                yield block

        return read

    for kind in (CsvTable, ParquetTable):
        kind.blocks = timed(kind.blocks)  # type: ignore[method-assign]
    return lambda: spent[0]


def _forget_peak() -> bool:
    """Have Linux count the peak of resident memory anew; returns whether it does."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return False
    return True


def _status(name: str) -> int:
    """Bytes of that line of Linux's account of the process; 0 elsewhere."""
    try:
        with open("/proc/self/status") as file:
            lines = [line.split() for line in file if line.startswith(name + ":")]
    except OSError:
        return 0
    return int(lines[0][1]) * 1024


if __name__ == "__main__":
    TASKS: dict[str, Callable[..., Any]] = {
        "start": start, "memory": memory, "compile": compiling, "large": large, "fit": fit,
    }  # fmt: skip
    task, *words = sys.argv[1:]
    print(json.dumps(TASKS[task](*words)))
