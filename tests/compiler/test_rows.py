"""Batches in machine code: any rows, broadcasting, threads and results, all with the bits of one thread."""

import itertools
import sys
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import Robot
from revolute.compiler import batch
from revolute.compiler.calls import PAYS
from revolute.compiler.kernel import Kernel
from revolute.compiler.objects import layout_is_known
from revolute.targets.llvm.stage import BYPASS

N = 6
MOST = 50_000
"""Half of the batches of UR5's inverse dynamics with fewer rows are worth several threads."""

pytestmark = pytest.mark.skipif(not layout_is_known(), reason="batches take Python's way here")


@pytest.fixture(autouse=True)
def _cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four threads, whatever this machine has."""
    monkeypatch.setattr(batch, "cores", lambda: 4)


@pytest.fixture(scope="module")
def robot() -> Robot:
    return revolute.robots.ur5()


class Passed(Exception):
    """Raised for a call that machine code does not take."""


def pass_on(*args: Any, **named: Any) -> Any:
    raise Passed("passed on")


def machine_code(kernel: Kernel) -> Any:
    """The call of a kernel; batches for several threads go to the kernel, and all other fallbacks raise an error."""

    def shared(*arrays: np.ndarray, threads: int | None = None, **named: Any) -> Any:
        rows = max(len(x) for x in arrays if x.ndim > 1)
        if threads == 1 or rows * kernel.work < PAYS:
            raise Passed("passed on")
        return kernel(*arrays, threads=threads, **named)

    return kernel.fast_call(shared)


def test_slices_of_a_large_result_bypass_the_cache(robot: Robot) -> None:
    kernel = robot.kernel("regressor")
    arrays = np.random.default_rng(3).standard_normal((3, 40_000, N))
    assert 40_000 * kernel.operations > PAYS
    expected, sizes = kernel.ufunc(*arrays), list[int]()

    def counted(*inputs: np.ndarray, out: tuple[np.ndarray, ...]) -> Any:
        sizes.append(sum(y.nbytes for y in out))
        return ufunc(*inputs, out=out)

    ufunc = kernel.ufunc
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(kernel.__dict__, "ufunc", counted)
        for threads in (2, 4):
            assert np.array_equal(kernel(*arrays, threads=threads), expected)
    assert len(sizes) > 6 and min(sizes) > 0.9 * BYPASS


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_random_batches_give_the_same_bits_on_any_threads(robot: Robot, dtype: type) -> None:
    kernel, rng = robot.kernel("inverse_dynamics", dtype=dtype), np.random.default_rng(17)
    call = machine_code(kernel)
    for trial in range(60):
        rows = int(rng.integers(1, MOST if trial % 3 else 40))
        arrays = []
        for _ in range(3):
            x = rng.standard_normal((rows, N)).astype(dtype)
            arrays.append(x[0].copy() if rng.integers(4) == 0 else x)
        if all(x.ndim == 1 for x in arrays):
            continue
        expected = kernel.ufunc(*arrays)
        for threads in (None, 1, 2, 3, 4, 100):
            found = call(*arrays, threads=threads)
            assert found.dtype == dtype and found.shape == expected.shape
            assert np.array_equal(found, expected), (trial, rows, threads)
            out = np.full_like(expected, np.nan)
            assert call(*arrays, threads=threads, out=out) is out
            assert np.array_equal(out, expected), (trial, rows, threads)


@pytest.mark.parametrize(
    ("name", "options"),
    [("kinetic_energy", {}), ("equations_of_motion", {}), ("jacobian", {"frame": "tool0"}), ("mass_matrix", {})],
)
def test_results_of_every_form(robot: Robot, name: str, options: dict[str, str]) -> None:
    """Numbers, several arrays, matrices, components that are always zero."""
    kernel, rng = robot.kernel(name, **options), np.random.default_rng(3)
    call = machine_code(kernel)
    for rows in (1, 7, 3000, 70_001):
        arrays = [rng.standard_normal((rows, N)) for _ in kernel.inputs]
        expected = kernel.ufunc(*arrays)
        several = isinstance(expected, tuple)
        out = tuple(map(np.empty_like, expected)) if several else np.empty_like(expected)
        for named in ({}, {"threads": 3}, {"out": out}, {"threads": 2, "out": out}, {"out": None, "threads": None}):
            found = call(*arrays, **named)
            for x, wanted in zip(*((found, expected) if several else ((found,), (expected,))), strict=True):
                assert np.array_equal(x, wanted)
            if named.get("out") is not None:
                assert found is out


def test_results_that_share_memory_go_another_way(robot: Robot) -> None:
    kernel, rng = robot.kernel("equations_of_motion"), np.random.default_rng(4)
    call = machine_code(kernel)
    memory = rng.standard_normal(5000 * 100)
    q, qd = memory[: 5000 * 6].reshape(5000, 6), memory[30000:60000].reshape(5000, 6)
    before = memory.copy()
    expected = kernel.ufunc(q, qd)
    sizes = [y.size for y in expected]
    for overlap in itertools.product((0, 1), repeat=2):
        start, out = 60000 - overlap[0], []
        for wanted in expected:
            out.append(memory[start : start + wanted.size].reshape(wanted.shape))
            start += wanted.size - overlap[1]
        if any(overlap):
            assert_raises(Passed, "passed on", call, q, qd, out=tuple(out), threads=1)
            assert np.array_equal(memory, before)
            if overlap == (1, 0):
                assert all(map(np.array_equal, kernel(q, qd, out=tuple(out), threads=2), expected))
                memory[:] = before
        else:
            assert all(map(np.array_equal, call(q, qd, out=tuple(out), threads=2), expected))
            memory[:] = before
    assert sum(sizes) < len(memory) - 60000


def test_references_are_given_back(robot: Robot) -> None:
    """Results die when their last owner does, and no argument is kept."""
    call = machine_code(robot.kernel("inverse_dynamics"))
    x, out = np.zeros((2000, N)), np.zeros((2000, N))
    call(x, x, x)
    before = sys.getrefcount(x), sys.getrefcount(out)
    for threads in (1, 2):
        for _ in range(50):
            counts = sys.getrefcount(call(x, x, x, threads=threads)), sys.getrefcount(np.empty(3))
            assert counts[0] == counts[1]
            call(x, x, x, threads=threads, out=out)
    assert (sys.getrefcount(x), sys.getrefcount(out)) == before


def test_batches_on_several_axes_become_one(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their rows go to machine code too, not to NumPy's ufunc."""
    kernel, rng = robot.kernel("equations_of_motion"), np.random.default_rng(8)
    q, qd = rng.standard_normal((2, 30, 100, N))
    expected = kernel.ufunc(q, qd)
    alone = kernel.ufunc(q, qd[7, 7])
    monkeypatch.setitem(kernel.__dict__, "ufunc", pass_on)
    out = tuple(map(np.empty_like, expected))
    for threads in (None, 2):
        assert kernel(q, qd, out=out, threads=threads) is out
        assert all(map(np.array_equal, out, expected))
        assert all(map(np.array_equal, kernel(q, qd, threads=threads), expected))
        assert all(map(np.array_equal, kernel(q, qd[7:8, 7], threads=threads), alone))
    assert_raises(Passed, "passed on", kernel, q, qd[:, :1])
