"""Ctrl-C in the middle of a batch, a rollout, a search or a compilation: it comes there, and all is usable after it."""

import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from textwrap import dedent
from typing import Any

import llvmlite.binding
import numpy as np
import pytest
from interrupted import JOBS, campaign
from processes import in_threads, printed

import revolute
from revolute import Robot
from revolute.compiler import pool
from revolute.graph import Input, trace
from revolute.graph.node import Node
from revolute.optimal import OptimalControl, StateCost, TorqueCost, solving
from revolute.targets.llvm import forks

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")


@contextmanager
def interrupted(after: float) -> Iterator[None]:
    """What is interrupted after so many seconds, as by Ctrl-C: KeyboardInterrupt comes from there."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt("now")

    usual = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt, match=r"now|simulate: interrupted"):
            signal.setitimer(signal.ITIMER_REAL, after)
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)


@pytest.fixture(scope="module")
def tree() -> Robot:
    return revolute.robots.random_tree(12, rng=3)


def strided(x: np.ndarray) -> np.ndarray:
    return np.repeat(x, 2, axis=0)[::2]


@pytest.mark.parametrize(("layout", "threads"), [(np.ascontiguousarray, None), (np.ascontiguousarray, 1), (strided, 2)])
def test_batches(tree: Robot, layout: Callable[[np.ndarray], np.ndarray], threads: int | None) -> None:
    """The last rows were not computed."""
    rng = np.random.default_rng(1)
    q, qd, tau = (layout(rng.standard_normal((400_000, 12))) for _ in range(3))
    out = np.full((400_000, 12), np.nan)
    expected = tree.forward_dynamics(q[:9], qd[:9], tau[:9])
    tree.forward_dynamics(q[:9999], qd[:9999], tau[:9999])  # helpers begin
    with interrupted(0.01):
        tree.forward_dynamics(q, qd, tau, out=out, threads=threads)
    assert np.isnan(out[-1]).all()
    np.testing.assert_array_equal(tree.forward_dynamics(q[:9], qd[:9], tau[:9], threads=threads), expected)


def test_rollouts_and_searches() -> None:
    robot = revolute.robots.ur5()
    rng = np.random.default_rng(2)
    q, qd = rng.uniform(-1, 1, (2, 2000, 6))
    poses = robot.forward_kinematics(rng.uniform(-3, 3, (200_000, 6)), "tool0")
    short = robot.simulate(q[:3], qd[:3], None, np.arange(5) * 1e-3).q
    found = robot.inverse_kinematics(poses[:3], "tool0").q
    with interrupted(0.1):
        robot.simulate(q, qd, None, np.arange(1000) * 1e-3)
    with interrupted(0.02):
        robot.inverse_kinematics(poses, "tool0")
    np.testing.assert_array_equal(robot.simulate(q[:3], qd[:3], None, np.arange(5) * 1e-3).q, short)
    np.testing.assert_array_equal(robot.inverse_kinematics(poses[:3], "tool0").q, found)


def test_compilations(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Wherever one is interrupted, nothing of it is kept; the next one is whole."""
    monkeypatch.setenv("REVOLUTE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("REVOLUTE_OPT", "1")
    for k, after in enumerate((0.02, 0.1, 0.3)):
        robot = revolute.robots.random_tree(15, rng=k)
        with interrupted(after):
            for name in ("coriolis_matrix", "forward_dynamics_partials", "mass_matrix_partials"):
                robot.kernel(name)
    q, qd = np.random.default_rng(1).standard_normal((2, 15))
    C = robot.coriolis_matrix(q, qd)
    np.testing.assert_allclose(C @ qd, robot.coriolis_forces(q, qd), rtol=1e-10, atol=1e-10)


def test_what_was_traced_is_not_left_to_the_garbage_collector() -> None:
    """Its collection, of a million nodes, takes more than a second, in which no other Ctrl-C comes."""

    def interrupted_recursion(q: Any) -> Any:
        x = q[0]
        for _ in range(5000):
            x = x * q[1] + q[0]
        raise KeyboardInterrupt

    def nodes() -> int:
        return sum(type(x) is Node for x in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = nodes()
        with suppress(KeyboardInterrupt):
            trace("any", interrupted_recursion, (Input("q", (2,)),))
        assert nodes() < before + 100
    finally:
        gc.enable()


def test_what_is_left_of_a_compilation_is_freed_in_an_order_that_llvm_needs() -> None:
    """Ctrl-C may leave it in a cycle of references, whose objects Python frees in any order: LLVM crashed."""
    code = """
    import gc

    from revolute.targets.llvm.compile import CompiledPart, _Job
    from revolute.targets.llvm.host import host

    text = "define double @f(double %x) { %y = fadd double %x, 1.0 ret double %y }"
    for _ in range(100):
        job = _Job(CompiledPart(text, passes=2), host(), 1)
        job.run()
        job.itself = job
        del job
    gc.collect()
    print("freed")
    """
    assert printed(dedent(code)) == "freed\n"


@pytest.mark.parametrize(
    ("job", "count"), [("compile", 2), *[pytest.param(job, 25, marks=pytest.mark.slow) for job in JOBS]]
)
def test_first_calls_in_processes_that_fork_and_end(job: str, count: int) -> None:
    """Nothing crashes or hangs while LLVM compiles in threads, however often Ctrl-C comes."""
    assert [x.fault for x in campaign(job, count, seed=len(job))] == [""] * count


def test_optimal_control_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other threads also end, after an iteration; their unfinished arrays are not used again."""
    arm, solved = revolute.robots.ur5(), list[object]()
    control = OptimalControl(arm, [StateCost(1.0), TorqueCost(1e-3)], steps=30, dt=0.01)
    starts = np.random.default_rng(3).uniform(-1, 1, (3000, 6))
    expected = control.solve(starts[:40], threads=2).q
    plan_parts = solving.plan_parts
    monkeypatch.setattr(solving, "plan_parts", lambda *given: solved.append(given) or plan_parts(*given))
    with interrupted(0.2):
        control.solve(starts, threads=2)
    assert len(solved) < 2000
    count = len(solved)
    time.sleep(0.1)
    assert len(solved) == count
    np.testing.assert_array_equal(control.solve(starts[:40], threads=2).q, expected)


@pytest.mark.parametrize("interrupts", [0, 1, 5])
def test_threads_have_ended_when_an_interrupted_call_raises(interrupts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each wait for the other thread is interrupted again, as by several Ctrl-C."""
    caller, begun, ended, left = threading.get_ident(), threading.Event(), list[int](), [None] * interrupts
    sleep = time.sleep

    def work(item: int) -> None:
        if threading.get_ident() == caller:
            assert begun.wait(60)
            raise KeyboardInterrupt("first")
        begun.set()
        sleep(0.1)
        ended.append(item)

    def interrupted_sleep(seconds: float) -> None:
        sleep(seconds)
        if threading.get_ident() == caller and left:
            left.pop()
            raise KeyboardInterrupt("again")

    monkeypatch.setattr(forks.time, "sleep", interrupted_sleep)
    with pytest.raises(KeyboardInterrupt, match="again" if interrupts else "first"):
        pool.on_threads(work, range(2), 2)
    assert len(ended) == 1 and not left


def test_llvm_is_unlocked_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C may come when llvmlite has its lock, but has not begun the block that releases it."""
    kind, robot = type(llvmlite.binding.ffi.lib._lock), revolute.robots.planar(2).with_gravity((0.0, -9.5, 0.25))
    enter, states = kind.__enter__, np.zeros((3, 2))

    def interrupted_enter(lock: Any) -> None:
        enter(lock)
        monkeypatch.undo()
        raise KeyboardInterrupt("now")

    monkeypatch.setattr(kind, "__enter__", interrupted_enter)
    with pytest.raises(KeyboardInterrupt, match="now"):
        robot.inverse_dynamics(*states)
    assert in_threads(lambda _: robot.inverse_dynamics(*states).shape, 1) == [(2,)]


@pytest.mark.parametrize("interrupts", [0, 3])
def test_forks_wait_for_llvm_in_spite_of_interrupts(interrupts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended, left, sleep = threading.Event(), list[int](), [None] * interrupts, time.sleep

    def work() -> None:
        with forks.running_llvm():
            begun.set()
            sleep(0.1)
            ended.append(1)

    def interrupted_sleep(seconds: float) -> None:
        sleep(seconds)
        if left:
            left.pop()
            raise KeyboardInterrupt("now")

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(60)
    monkeypatch.setattr(forks.time, "sleep", interrupted_sleep)
    with pytest.raises(KeyboardInterrupt, match="now") if interrupts else nullcontext():
        forks.wait_for(forks._busy)
    assert ended == [1] and not left
    thread.join()


def test_a_process_ends_while_daemon_threads_compile(tmp_path: Path) -> None:
    """The first handler compiles after all others: it may, although its threads may not."""
    program = """
import atexit, os, sys, threading
atexit.register(lambda: print(revolute.robots.planar(3).with_gravity((1, 2, 3)).mass_matrix(np.zeros(3)).shape))
import numpy as np, revolute
threading.excepthook = lambda args: None  # CompileError: the process is ending
begun = threading.Barrier(3)
def work(k):
    begun.wait()
    while True:
        k += 2
        revolute.robots.random_tree(9, rng=k).kernel("coriolis_matrix")
for k in range(2):
    threading.Thread(target=work, args=(k,), daemon=True).start()
begun.wait()
threading.Event().wait(0.3)
"""
    for k in range(3):
        folder = tmp_path / str(k)
        folder.mkdir(0o700)
        assert printed(program, REVOLUTE_CACHE_DIR=str(folder)) == "(3, 3)\n"
