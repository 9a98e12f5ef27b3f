"""Single calls of a large robot in the first seconds of a program, beside Pinocchio; a part of `LARGE_ROBOTS.md`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.robots import Case
from bench.tables import table

__all__ = ["MARKS", "measured", "section"]

MARKS = 0.0, 0.5, 1.0, 1.5, 2.0, 4.0
"""Processor seconds after the first call."""

FUNCTIONS = {
    "mass_matrix": "crba", "inverse_dynamics": "rnea", "forward_dynamics": "aba",
    "coriolis_matrix": "computeCoriolisMatrix", "inverse_dynamics_partials": "computeRNEADerivatives",
    "forward_dynamics_partials": "computeABADerivatives",
}  # fmt: skip
"""Pinocchio's functions."""


def section(case: Case) -> str:
    """Each function in a new process on one core, with no code in the cache, between pauses as in a control loop."""
    rows = [(f"`{name}`", *measured(case.key, name)) for name in FUNCTIONS]
    head = ["function", "first call, s", *(f"{mark:g} s" for mark in MARKS), "at the end"]
    text = "Speed relative to Pinocchio, by processor seconds of the program after its first call"
    how = f"{case.label}, one core, an empty cache, a call every 10 ms"
    return f"## Single calls in the first seconds\n\n{text}: {how}.\n\n{table(head, rows)}\n"


def measured(key: str, name: str) -> list[str]:
    """Seconds of the first call, and the ratio at each of `MARKS` and at the end, in a new process."""
    code = f"from bench.first_seconds import measure; measure({key!r}, {name!r})"
    with tempfile.TemporaryDirectory() as folder:
        root, paths = str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")
        given = os.environ | {"REVOLUTE_CACHE_DIR": folder, "PYTHONPATH": os.pathsep.join(filter(None, [root, paths]))}
        of_all_calls = "import revolute; revolute.robots.planar(1).mass_matrix([0.0])"
        for text in (of_all_calls, code):
            command = [sys.executable, "-P", "-c", text]
            done = subprocess.run(command, env=given, check=True, capture_output=True, text=True)
    return done.stdout.split()


def measure(key: str, name: str) -> None:
    """Print seconds of the first call, and how many times faster than Pinocchio a call is at each of `MARKS`."""
    import pinocchio as pin  # type: ignore[import-untyped]

    from bench.pinocchio_peer import Pinocchio
    from bench.robots import CASES

    case = next(case for case in CASES if case.key == key)
    states, peer, method = case.states(1), Pinocchio(case), getattr(case.robot, name)
    count = {"mass_matrix": 1, "coriolis_matrix": 2}.get(name, 3)
    own = [states.q[0], states.qd[0], states.qdd[0]][:count]
    theirs = [np.ascontiguousarray(x[:, 0]) for x in peer.states(states)][:count]
    other = getattr(pin, FUNCTIONS[name])
    started = time.process_time()
    method(*own)
    first = time.process_time()
    found = [f"{first - started:.2f}"]
    for mark in (*MARKS, 60.0):
        while time.process_time() - first < mark and threading.active_count() > 1:
            time.sleep(0.01)
            method(*own)
        pairs = [
            (_time(lambda: method(*own)), _time(lambda: other(peer.model, peer.data, *theirs))) for _ in range(5)
        ]
        ours, peers = (statistics.median(x) for x in zip(*pairs, strict=True))
        found.append(f"{peers / ours:.1f}")
    print(*found)


def _time(call: Callable[[], Any], calls: int = 30) -> float:
    started = time.thread_time()
    for _ in range(calls):
        call()
    return time.thread_time() - started
