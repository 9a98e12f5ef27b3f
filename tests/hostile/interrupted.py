"""Ctrl-C at random moments of first calls, with an empty cache, in processes of their own. They then fork or end.

`python tests/hostile/interrupted.py 100` interrupts each job 100 times and prints one line a job.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

START = """
import os, signal, sys, time, traceback
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np, revolute
from revolute.optimal import TorqueCost, OptimalControl, PointCost, StateCost
rng = np.random.default_rng(int(sys.argv[1]))
"""

JOBS = {
    "compile": """
tree = revolute.robots.random_tree(8, rng=5, types=["universal", "spherical", "helical"])
def job():
    tree.forward_dynamics_partials(np.zeros(tree.nq), np.zeros(tree.nv), np.zeros(tree.nv))
""",
    "solve": """
arm = revolute.robots.ur5()
home = np.array([0.0, -1.2, 1.5, -0.8, -1.0, 0.3])
def job():
    costs = [StateCost(1e-2), TorqueCost(1e-3)]
    problem = OptimalControl(arm, costs, terminal=[PointCost("tool0", 1e4)], steps=50, dt=0.01)
    problem.solve(home + 0.1 * rng.standard_normal((100, 6)), goal=[0.4, 0.3, 0.5], threads=2)
""",
    "identify": """
arm = revolute.robots.panda()
t = np.arange(4000) * 1e-3
phases, speeds = rng.uniform(0, 6, (7, 1)), rng.uniform(1, 4, (7, 1))
q = 0.5 * np.sin(speeds * t + phases).T
def job():
    qd, qdd = np.gradient(q, 1e-3, axis=0), np.gradient(np.gradient(q, 1e-3, axis=0), 1e-3, axis=0)
    tau = arm.inverse_dynamics(q, qd, qdd) + 0.1 * rng.standard_normal(q.shape)
    revolute.identify(arm, revolute.identification.Samples(t, q, qd, qdd, tau), check=False)
""",
    "inverse kinematics": """
arm = revolute.robots.ur5()
def job():
    poses = arm.forward_kinematics(rng.uniform(-3, 3, (100_000, 6)), "tool0")
    arm.inverse_kinematics(poses, "tool0")
""",
}

END = """
def forked():
    print("fork", time.monotonic(), flush=True)
    child = os.fork()
    if child == 0:
        job()
        os._exit(0)
    print("forked", time.monotonic(), flush=True)
    end = time.monotonic() + 100
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return f"child ended with {status}"
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    return "child hangs"

try:
    print("begin", time.monotonic(), flush=True)
    job()
    print("done", time.monotonic(), flush=True)
except KeyboardInterrupt as error:
    print("interrupted", time.monotonic(), flush=True)
    frames = traceback.extract_tb(error.__traceback__)
    print("at", *[f"{x.filename.rpartition('/')[2]}:{x.lineno}" for x in frames[-3:]], flush=True)
    if sys.argv[2] == "fork":
        print(forked(), flush=True)
print("exit", time.monotonic(), flush=True)
"""

WAYS = {"exit": (), "fork": (), "twice": (0.0, 0.3), "often": (0.0, 0.01, 0.02, 0.05, 0.1, 0.3)}
"""What a process does after the interrupt: it ends, or forks; or is interrupted again, up to so many seconds later."""


class Outcome(NamedTuple):
    """An interrupt: its moment; times until KeyboardInterrupt, of the fork and the exit [s]; its place; any fault."""

    moment: float
    latency: float
    fork: float
    exit: float
    place: str
    fault: str


def run(job: str, way: str, seed: int, moment: float | None) -> Outcome:
    """One process, interrupted some seconds after its job has begun; with None, what is measured is the whole job."""
    with tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o700)
        program = START + JOBS[job] + END
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", program, str(seed), way], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=os.environ | {"REVOLUTE_CACHE_DIR": cache, "OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip
        assert process.stdout
        first = process.stdout.readline()
        sent = time.monotonic()
        if moment is not None:
            time.sleep(moment)
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            for pause in WAYS[way]:
                time.sleep(pause * random.random())
                with suppress(ProcessLookupError):
                    process.send_signal(signal.SIGINT)
        try:
            out, error = process.communicate(timeout=200)
            fault = ""
        except subprocess.TimeoutExpired:
            process.kill()
            out, error = process.communicate()
            fault = "hangs"
        ended = time.monotonic()
    words = [line.partition(" ") for line in (first + out).splitlines()]
    marks = {word: float(rest) for word, _, rest in words if rest and word not in ("child", "at")}
    texts = {word: rest for word, _, rest in words if word in ("child", "at")}
    # after a second interrupt, or after one outside of the job, Python ends with 1 or by the signal itself
    calm = not WAYS[way] and ("interrupted" in marks or moment is None)
    # and also, at its end, after an interrupt of `exec`, as in imports of SciPy
    ways = (0, -signal.SIGINT) if calm and "exit" in marks else (0,) if calm else (0, 1, -signal.SIGINT)
    if not fault and (process.returncode not in ways or (calm and error)):
        fault = f"status {process.returncode}: {error[-300:]}"
    if texts.get("child", "ended with 0") != "ended with 0":
        fault = f"child {texts['child']}"
    latency = marks.get("interrupted", marks.get("done", sent) if moment is None else sent) - sent
    fork = marks.get("forked", 0) - marks.get("fork", 0)
    end = ended - marks["exit"] if "exit" in marks else 0
    return Outcome(moment or 0.0, latency, fork, end, texts.get("at", ""), fault)


def campaign(job: str, count: int, seed: int = 0) -> list[Outcome]:
    """Interrupts of a job at so many random moments, each way in turn."""
    whole = run(job, "exit", seed, None)
    assert not whole.fault, whole.fault
    rng = random.Random(seed)
    ways = [*WAYS]
    return [run(job, ways[k % len(ways)], seed + k, rng.uniform(0, whole.latency)) for k in range(count)]


if __name__ == "__main__":
    for name in sys.argv[2:] or JOBS:
        outcomes = campaign(name, int(sys.argv[1]))
        faults = [x for x in outcomes if x.fault]
        most = [max(getattr(x, key) for x in outcomes) for key in ("latency", "fork", "exit")]
        print(
            f"{name}: {len(outcomes)} interrupts within {max(x.moment for x in outcomes):.1f} s, {len(faults)} faults; "
            "latest KeyboardInterrupt {:.2f} s, fork {:.2f} s, exit {:.2f} s".format(*most), flush=True,
        )
        print("   latest at", max(outcomes, key=lambda x: x.latency).place)
        for outcome in faults:
            print("  ", outcome)
