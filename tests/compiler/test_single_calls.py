"""Calls that go straight to machine code: which ones do, what they allocate, and that the others are as right."""

import copy
import gc
import pickle
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_each, assert_raises
from machine_code import Slow, fast_calls

import revolute
from revolute import InputError, Robot
from revolute.compiler.calls import ALONE
from revolute.compiler.patterns import pattern

N = 6


@pytest.fixture
def robot() -> Robot:
    return revolute.robots.ur5()


@pytest.fixture(scope="module")
def state() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, qd, qdd = np.random.default_rng(5).uniform(-3, 3, (3, N))
    return q, qd, qdd


def allocated(call: Callable[[], Any], times: int = 1000) -> int:
    """Bytes that many calls leave behind, results included."""
    call()
    kept = [None] * times
    tracemalloc.start()
    for k in range(times):
        kept[k] = call()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size


def test_a_call_allocates_its_result_and_nothing_else(robot: Robot, state: tuple[np.ndarray, ...]) -> None:
    q = state[0].copy()
    array, view = sys.getsizeof(np.empty(N)), sys.getsizeof(np.empty(N)[:])  # with and without the data
    overhead = 100 + 32  # of NumPy's shape and strides, and of the loop's own last numbers
    for _ in range(3):
        robot.inverse_dynamics(q, q, q)
        robot.jacobian(q, "tool0")
    one = allocated(lambda: robot.inverse_dynamics(q, q, q)) / 1000
    assert array - 1 <= one <= array + overhead
    J = allocated(lambda: robot.jacobian(q, "tool0")) / 1000
    assert view + 8 * 6 * N - 1 <= J <= view + 8 * 6 * N + overhead


def test_calls_with_out_allocate_nothing(robot: Robot, state: tuple[np.ndarray, ...]) -> None:
    q, qd, qdd = state
    tau, J, pose, poses = np.empty(N), np.empty((6, N)), np.empty((4, 4)), np.empty((len(robot.frames), 4, 4))
    three = (np.empty((N, N)), np.empty((N, N)), np.empty((N, N)))
    four = (np.empty((N, N)), np.empty((N, N)), np.empty(N), np.empty((N, N)))
    calls: list[Callable[[], Any]] = [
        lambda: robot.inverse_dynamics(q, qd, qdd, out=tau),
        lambda: robot.jacobian(q, "tool0", out=J),
        lambda: robot.jacobian(q, "tool0", "world", out=J),
        lambda: robot.jacobian_rate(q, qd, frame="tool0", reference="aligned", out=J),
        lambda: robot.forward_kinematics(q, out=poses),
        lambda: robot.forward_kinematics(q, "tool0", out=pose),
        lambda: robot.inverse_dynamics_partials(q, qd, qdd, out=three),
        lambda: robot.equations_of_motion(q, qd, mass_matrix_rate=True, out=four),
        lambda: robot.kernel("jacobian", frame="tool0")(q, out=J),
    ]
    for call in calls:
        call(), call()  # compiles, learns
        assert allocated(call) < 200  # the loop's own last numbers


def test_which_calls_machine_code_takes(robot: Robot, state: tuple[np.ndarray, ...]) -> None:
    q = state[0]
    kernel, slow, out = robot.kernel("jacobian", frame="tool0", reference="world"), Slow(), np.empty((6, N))
    expected = kernel(q)
    frame, world, x, y = "tool0", "world", {"frame": "tool0"}, {"reference": "world"}
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((q, frame, world), {}), ((q, frame), y), ((q,), x | y)]
    functions = positional, mixed, named = [kernel.fast_call(slow, pattern(*call, (q,))) for call in calls]
    for call, (args, names) in zip(functions, calls, strict=True):
        for more in ({}, {"out": out}, {"threads": 1}, {"threads": None, "out": None}, {"out": out, "threads": 2}):
            np.testing.assert_array_equal(call(*args, **names, **more), expected)
    np.testing.assert_array_equal(positional(np.array([q]), frame, world)[0], expected)
    assert slow.calls == []
    others: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
        *((positional, (q, frame, *last), {}) for last in ((), ("body",), (world, world), ("".join(["wor", "ld"]),))),
        *((positional, (q, frame, world), {"threads": n}) for n in (0, -1, True, 10**30)),
        (positional, (q, frame), y),
        (positional, (q, frame, world), {"out": out, "wrong": 1}),
        (positional, (q, frame, world), {"out": [out]}),
        (positional, (), {}),
        *((positional, (x, frame, world), {}) for x in (q.tolist(), np.repeat(q, 2)[::2], q.astype("f"))),
        (positional, (np.frombuffer(b" " + q.tobytes(), offset=1), frame, world), {}),  # misaligned
        (mixed, (q, frame, world), {}),
        (mixed, (q, frame), {"frame": world}),
        (mixed, (q, frame), {"out": out} | y),
        (named, (q,), y | x),
        (named, (), x | y),
    ]
    for call, args, keywords in others:
        assert call(*args, **keywords) == "slow"
        assert slow.calls.pop() == (args, keywords)


def test_tuples_for_results_that_machine_code_takes(robot: Robot, state: tuple[np.ndarray, ...]) -> None:
    kernel, slow = robot.kernel("inverse_dynamics_partials"), Slow()
    expected, call = kernel(*state), kernel.fast_call(slow)
    q, qd, qdd = (x.copy() for x in state)
    out = (np.zeros((N, N)), np.zeros((N, N)), np.zeros((N, N)))
    counts = [sys.getrefcount(x) for x in (out, *out)]
    for _ in range(100):
        assert call(q, qd, qdd, out=out) is out
    assert [sys.getrefcount(x) for x in (out, *out)] == counts
    assert_each(np.testing.assert_array_equal, out, expected)
    assert slow.calls == []
    frozen = np.zeros((N, N))
    frozen.flags.writeable = False
    lasts = ((), (*out[2:], out[0]), (frozen,), (None,), (np.zeros(N),), (np.zeros((N, N), "f"),))
    for wrong in (list(out), out[0], *((*out[:2], *last) for last in lasts)):
        assert call(q, qd, qdd, out=wrong) == "slow"
    assert_raises(InputError, "out must be 3 arrays", robot.inverse_dynamics_partials, q, qd, qdd, out=out[:2])
    with pytest.raises(InputError, match=r"out for .* is read-only"):
        robot.inverse_dynamics_partials(q, qd, qdd, out=(*out[:2], frozen))


@pytest.mark.parametrize("threads", [None, 1, 2])
def test_large_batches_give_up_pythons_lock(robot: Robot, threads: int | None) -> None:
    kernel, counted, end = robot.kernel("inverse_dynamics"), [0], threading.Event()
    rows = 64 * ALONE // kernel.operations
    x, out = np.zeros((rows, N)), np.zeros((rows, N))
    kernel(x, x, x, out=out, threads=threads)

    def count() -> None:
        while not end.is_set():
            counted[0] += 1
            time.sleep(0)

    usual = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # who has the lock keeps it until they give it up
    try:
        other = threading.Thread(target=count)
        other.start()
        before, deadline = counted[0], time.monotonic() + 60
        while counted[0] == before and time.monotonic() < deadline:
            kernel(x, x, x, out=out, threads=threads)
        after = counted[0]
    finally:
        end.set()
        sys.setswitchinterval(usual)
        other.join()
    assert after > before


def test_what_methods_learn_has_a_limit(robot: Robot, state: tuple[np.ndarray, ...]) -> None:
    q = state[0]
    expected = robot.kernel("forward_kinematics", frame="tool0")(q)
    for _ in range(100):  # a new string each time
        np.testing.assert_array_equal(robot.forward_kinematics(q, "".join(["tool", "0"])), expected)
    assert fast_calls(robot.forward_kinematics) <= 1
    for name in map(sys.intern, robot.link_names):
        np.testing.assert_array_equal(robot.forward_kinematics(q, name), robot.forward_kinematics(q, frame=name))
    assert fast_calls(robot.forward_kinematics) == 16


def test_methods_that_go_on_from_their_kernel_learn_nothing(robot: Robot, state: tuple[np.ndarray, ...]) -> None:
    q, qd, qdd = state
    first = robot.task_space_dynamics(q, qd, "tool0")
    for _ in range(3):
        assert type(robot.task_space_dynamics(q, qd, "tool0")) is type(first)
    A, _ = robot.linearize(q, qd, qdd, step=0.01)
    for _ in range(3):
        robot.linearize(q, qd, qdd)
        np.testing.assert_array_equal(robot.linearize(q, qd, qdd, step=0.01)[0], A)


def test_methods_and_kernels_go_to_other_processes(robot: Robot, state: tuple[np.ndarray, ...]) -> None:
    q, qd, qdd = state
    robots = [robot, pickle.loads(pickle.dumps(robot))]
    for _ in range(3):
        expected, J = robot.inverse_dynamics(q, qd, qdd), robot.jacobian(q, "tool0", reference="world")
    kernel = robot.kernel("jacobian", frame="tool0", reference="world")
    methods = [robot.inverse_dynamics, robot.jacobian]
    assert [fast_calls(method) for method in methods] == [1, 1]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for each in robots:
            found = pool.submit(each.inverse_dynamics, q, qd, qdd).result(timeout=60)
            np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(pool.submit(robot.jacobian, q, "tool0", "world").result(timeout=60), J)
        np.testing.assert_array_equal(pool.submit(kernel, q).result(timeout=60), J)
        np.testing.assert_array_equal(list(pool.map(kernel, [q, q], timeout=60))[1], J)


def test_kernels_pickle_as_what_they_are_made_from(robot: Robot) -> None:
    options: list[tuple[str, dict[str, Any]]] = [
        ("inverse_dynamics", {"dtype": np.float32}),
        ("inverse_dynamics", {"wrenches": ("tool0",), "base_motion": True}),
        ("gravity_forces", {"parameters": "inertial"}),
    ]
    for name, given in options:
        kernel = robot.kernel(name, **given)
        assert pickle.loads(pickle.dumps(kernel)) is kernel  # which this process has
        assert copy.deepcopy(kernel) is kernel
    m, x, dx = sympy.symbols("m x dx")
    system = revolute.lagrange([x], m * dx**2 / 2)
    assert pickle.loads(pickle.dumps(system.kernel("inverse_dynamics"))) is system.kernel("inverse_dynamics")
    symbolic = revolute.robots.planar(2).with_gravity((0, 0, sympy.Rational(-981, 100)))
    assert pickle.loads(pickle.dumps(symbolic.kernel("gravity_forces"))) is symbolic.kernel("gravity_forces")


def test_robots_that_come_and_go_leave_nothing_behind() -> None:
    def use() -> None:
        robot = revolute.robots.planar(2)
        for _ in range(3):
            robot.inverse_dynamics(*np.zeros((3, 2)))
            robot.jacobian(np.zeros(2), "tip")

    for _ in range(3):
        use()
    gc.collect()
    tracemalloc.start()
    for _ in range(100):
        use()
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 100 * 200  # what a round leaves: no fast call, of 300 bytes and a text, let alone a robot
