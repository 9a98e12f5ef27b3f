"""What only a fresh process can show; prints one line of JSON. Started by `bench.fresh`.

python child.py start FILE BASE        times of import, load and first call
python child.py memory FILE ROWS KIND  memory that a large call needs beyond its result
python child.py compile FILE BASE LINK times of every function's kernel, in place
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
import warnings
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


def memory(file: str, rows: int, kind: str) -> dict[str, int | None]:
    """Bytes beyond inputs and result, as NumPy's allocations and as the process's peak."""
    import tracemalloc

    import numpy as np

    import revolute

    warnings.simplefilter("ignore", revolute.ModelWarning)
    robot = revolute.load(file)
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


def compiling(file: str, base: str, link: str) -> dict[str, dict[str, float]]:
    """Seconds of tracing and compiling every function, or of reading it from the disk cache."""
    import revolute

    warnings.simplefilter("ignore", revolute.ModelWarning)
    robot = revolute.load(file, base)
    kernels = {}
    for name, function in robot.functions().items():
        of_link = "frame" in function.options and name != "forward_kinematics"
        with contextlib.suppress(revolute.InputError):  # `linearize_task` is for arms of six joints
            kernels[name] = robot.kernel(name, **({"frame": link} if of_link else {}))
    return {
        "seconds": {name: kernel.load_time for name, kernel in kernels.items()},
        "from_cache": {name: kernel.from_cache for name, kernel in kernels.items()},
    }


def _forget_peak() -> bool:
    """Have Linux count the peak of resident memory anew; tells whether it does."""
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
    task, file, *rest = sys.argv[1:]
    if task == "memory":
        print(json.dumps(memory(file, int(rest[0]), rest[1])))
    else:
        print(json.dumps({"start": start, "compile": compiling}[task](file, *rest)))
