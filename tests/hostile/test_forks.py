"""Forks at the worst moments: while other threads compile, learn, compute batches and tell of it.

Every program runs in a process of its own. What it forks must end in time; what does not is killed and named.
"""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

FORKS = 5
SECONDS = 300
"""What a program may take, some hundred times what it needs."""

START = """
import itertools, os, signal, sys, threading, time
import numpy as np
import revolute
from revolute.compiler import batch, calls, pool
batch.PAYS = calls.PAYS = calls.ALONE = 0  # short batches use threads, too
batch.PIECE = 1

sys.setswitchinterval(1e-5)
numbers = itertools.count(1)
x = np.array([0.3, -0.7])
rows = np.random.default_rng(7).standard_normal((8000, 2))

def torques(robot):
    return robot.inverse_dynamics(x, x, x)

reference = torques(revolute.robots.planar(2))

def new_robot():
    # gravity along the joints' axes does no work: other code, same torques
    return revolute.robots.planar(2).with_gravity((0.0, -9.81, os.getpid() + next(numbers) / 1024))

def compile_and_call():
    return bool(np.array_equal(torques(new_robot()), reference))

def in_background(*works):
    begun = threading.Barrier(len(works) + 1)

    def again_and_again(work):
        work()
        begun.wait()
        while True:
            work()

    for work in works:
        threading.Thread(target=again_and_again, args=(work,), daemon=True).start()
    begun.wait()

def in_child(work):
    # 'well', 'badly', or 'hangs'
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 3)
        finally:
            os._exit(4)
    return outcome(child)

def by_another_thread(work):
    # the same, forked by a thread that holds nothing of this one
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(in_child(work)))
    thread.start()
    thread.join(60)
    return outcomes

def outcome(child, seconds=60):
    for _ in range(100 * seconds):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "well" if status == 0 else f"badly: {status}"
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"

def report(outcomes):
    print(*sorted(outcomes), sep="\\n")
    sys.stdout.flush()
    os._exit(0)  # daemon threads still compile
"""


def outcomes(program: str, folder: Path) -> list[str]:
    """What became of the children of a program, in order."""
    folder.chmod(0o700)
    with (folder / "output").open("w+") as output, (folder / "errors").open("w+") as errors:
        run = subprocess.Popen(
            [sys.executable, "-W", "ignore::DeprecationWarning", "-c", START + textwrap.dedent(program)],
            env={**os.environ, "REVOLUTE_CACHE_DIR": str(folder)},
            stdout=output, stderr=errors, start_new_session=True,
        )  # fmt: skip
        try:
            assert run.wait(SECONDS) == 0
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)  # with all its children
            run.wait()
    assert (folder / "errors").read_text() == ""
    return (folder / "output").read_text().splitlines()


def test_forks_while_other_threads_compile(tmp_path: Path) -> None:
    program = f"""
    in_background(compile_and_call, compile_and_call)
    report(in_child(compile_and_call) for _ in range({FORKS}))
    """
    assert outcomes(program, tmp_path) == ["well"] * FORKS


def test_forks_of_a_thread_that_is_inside_llvm(tmp_path: Path) -> None:
    """A fork must not wait for a lock that its own thread has, and must leave it as it was."""
    program = """
    import llvmlite.binding as llvm
    with llvm.ffi.lib._lock:
        inside = in_child(compile_and_call)
        later = []
        other = threading.Thread(target=lambda: later.append(compile_and_call()))
        other.start()
        other.join(0.2)
        waits = other.is_alive()
    other.join(60)
    report([inside, f"another thread waits: {waits}, and goes on: {later}"])
    """
    assert outcomes(program, tmp_path) == ["another thread waits: True, and goes on: [True]", "well"]


def test_forks_during_the_first_calls_of_the_same_methods(tmp_path: Path) -> None:
    program = f"""
    robot = new_robot()

    def first_calls():
        global robot
        mine = robot
        for _ in range(3):
            torques(mine), mine.mass_matrix(x), mine.jacobian(x, "tip"), mine.lower_limits
        robot = new_robot()

    def same_calls():
        results = [torques(robot) for _ in range(4)]
        learned = type(robot.inverse_dynamics.func) is type(len)
        return learned and all(np.array_equal(tau, reference) for tau in results)

    in_background(first_calls, first_calls)
    report(in_child(same_calls) for _ in range({FORKS}))
    """
    assert outcomes(program, tmp_path) == ["well"] * FORKS


@pytest.mark.parametrize(
    "lock", ["bound._learning", 'getattr(revolute.Robot.digest, "lock", contextlib.nullcontext())']
)
def test_a_fork_while_another_thread_learns_or_computes_a_property(tmp_path: Path, lock: str) -> None:
    """The child does so too, though nobody there releases the lock; that of properties is there before Python 3.12."""
    program = f"""
    import contextlib
    from revolute.compiler import bound
    robot = new_robot()

    def learns():
        return [torques(robot) for _ in range(3)] and type(robot.inverse_dynamics.func) is type(len)

    with {lock}:
        outcomes = by_another_thread(learns)
    report(outcomes)
    """
    assert outcomes(program, tmp_path) == ["well"]


def test_a_fork_amid_a_line_leaves_it_to_the_parent(tmp_path: Path) -> None:
    program = """
    from revolute.compiler import progress
    with progress.progress_line("counting sheep") as line:
        begun, end = threading.Event(), threading.Event()

        def writing():
            with line._lock:
                begun.set()
                end.wait()

        threading.Thread(target=writing, daemon=True).start()
        begun.wait()
        child = os.fork()
        if child == 0:
            line.add("(7 sheep)")
        else:
            end.set()
    if child == 0:
        os._exit(0)
    report([outcome(child)])
    """
    assert outcomes(program, tmp_path) == ["well"]


def test_children_collect_garbage(tmp_path: Path) -> None:
    """A compile turns garbage collection off for a while; in a child it must not be off for ever."""
    program = """
    import gc
    from revolute.compiler.collection import no_garbage_collection
    with no_garbage_collection():
        results = by_another_thread(lambda: gc.isenabled() and not gc.disable())
        results.append(f"parent: {gc.isenabled()}")
    results.append(f"parent, later: {gc.isenabled()}")
    gc.disable()
    with no_garbage_collection():
        results.append(in_child(lambda: not gc.isenabled()))
    report(results)
    """
    assert outcomes(program, tmp_path) == ["parent, later: True", "parent: False", "well", "well"]


@pytest.mark.parametrize("forks", [FORKS, pytest.param(300, marks=pytest.mark.slow)])
def test_forks_during_threaded_batches(tmp_path: Path, forks: int) -> None:
    program = f"""
    robot = revolute.robots.planar(2)
    expected = robot.inverse_dynamics(rows, rows, rows, threads=1)

    def batch_of_threads():
        return np.array_equal(robot.inverse_dynamics(rows, rows, rows, threads=3), expected)

    assert batch_of_threads() and (pool._pools or revolute.targets.llvm.cores() == 1)
    in_background(batch_of_threads, batch_of_threads, compile_and_call, compile_and_call)
    report(in_child(lambda: batch_of_threads() and batch_of_threads() and compile_and_call()) for _ in range({forks}))
    """
    assert outcomes(program, tmp_path) == ["well"] * forks


@pytest.mark.parametrize("kind", ["Pool", "Executor"])
def test_forked_pools_of_processes_compute(tmp_path: Path, kind: str) -> None:
    program = """
    import concurrent.futures, multiprocessing
    forking = multiprocessing.get_context("fork")
    robot = new_robot()

    def work(k):
        mine = new_robot() if k % 2 else robot
        found = mine.inverse_dynamics(rows, rows, rows, threads=1 + k % 3)
        return np.array_equal(found[k], robot.inverse_dynamics(rows[k], rows[k], rows[k]))

    in_background(compile_and_call, compile_and_call)
    if KIND == "Pool":
        with forking.Pool(3, maxtasksperchild=2) as pool:
            report(pool.map(work, range(6), chunksize=1))
    with concurrent.futures.ProcessPoolExecutor(3, mp_context=forking) as pool:
        report(pool.map(work, range(6)))
    """
    assert outcomes(program.replace("KIND", repr(kind)), tmp_path) == ["True"] * 6
