"""Results of single rows: their arrays are used again, but never one that anybody can still see."""

import gc
import itertools
import sys
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import revolute
from revolute.compiler.objects import layout_is_known
from revolute.targets.llvm.spare import KEPT

N = 6

pytestmark = pytest.mark.skipif(not (KEPT and layout_is_known()), reason="results are not kept here")


@pytest.fixture(scope="module")
def call() -> Callable[..., Any]:
    """Machine code for the torques of a UR5."""
    kernel = revolute.robots.ur5().kernel("inverse_dynamics")
    return kernel.fast_call(kernel)


@pytest.fixture(scope="module")
def states() -> np.ndarray:
    return np.random.default_rng(3).uniform(-3, 3, (40, N))


def one(call: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    """The result as a batch of one row, which is never kept, gives it."""
    return np.array(call(x[None], x[None], x[None])[0])


def test_a_loop_needs_two_arrays(call: Callable[..., Any], states: np.ndarray) -> None:
    places, tau = set(), None
    for x in states:
        tau = call(x, x, x)
        places.add(tau.ctypes.data)
    assert len(places) == 2
    assert len({call(x, x, x).ctypes.data for x in states}) == 1


def test_results_that_are_held_stay_as_they_are(call: Callable[..., Any], states: np.ndarray) -> None:
    held = [call(x, x, x) for x in states]
    parts = [call(x, x, x)[1:3] for x in states]
    buffers = [memoryview(call(x, x, x)) for x in states]
    assert len({x.ctypes.data for x in held}) == len(states)
    for x, whole, part, buffer in zip(states, held, parts, buffers, strict=True):
        expected = one(call, x)
        np.testing.assert_array_equal(whole, expected)
        np.testing.assert_array_equal(part, expected[1:3])
        np.testing.assert_array_equal(np.asarray(buffer), expected)


def test_a_result_may_be_an_argument(call: Callable[..., Any], states: np.ndarray) -> None:
    x = states[0]
    expected = x
    for _ in range(3):
        expected = one(call, expected)
    for _ in range(3):
        inner = call(x, x, x)
        inner = call(inner, inner, inner)
        np.testing.assert_array_equal(call(inner, inner, inner), expected)


CHANGES: dict[str, Callable[[np.ndarray], object]] = {
    "shape": lambda tau: setattr(tau, "shape", (2, 3)),
    "axes": lambda tau: setattr(tau, "shape", (N, 1)),
    "type": lambda tau: setattr(tau, "dtype", np.int64),
    "read-only": lambda tau: tau.setflags(write=False),
    "size": lambda tau: tau.resize(3, refcheck=False),
}
"""What can be done to an array in place."""


@pytest.mark.filterwarnings("ignore:Setting the (shape|dtype):DeprecationWarning")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_result_that_was_changed_is_not_used_again(
    call: Callable[..., Any], states: np.ndarray, change: Callable[[np.ndarray], object]
) -> None:
    for x in states[:10]:
        change(call(x, x, x))
        tau = call(x, x, x)
        assert (tau.shape, tau.dtype, tau.flags.writeable, tau.flags.owndata) == ((N,), np.float64, True, True)
        np.testing.assert_array_equal(tau, one(call, x))
        del tau


def test_weak_references_see_no_other_result(call: Callable[..., Any], states: np.ndarray) -> None:
    x, y = states[:2]
    seen: list[np.ndarray] = []

    def freed(_: object) -> None:
        seen.append(call(y, y, y))  # while another call puts a new result in its place

    references = [weakref.ref(call(x, x, x), freed) for _ in range(10)]
    for _ in range(10):
        tau = call(y, y, y)
        for reference in references:
            assert reference() is not tau
        np.testing.assert_array_equal(tau, one(call, y))
    assert seen
    for tau in seen:
        np.testing.assert_array_equal(tau, one(call, y))


def test_several_results(states: np.ndarray) -> None:
    kernel = revolute.robots.ur5().kernel("inverse_dynamics_partials")
    call, x = kernel.fast_call(kernel), states[0]
    expected = [np.array(part[0]) for part in call(x[None], x[None], x[None])]
    for _ in range(5):
        results = call(x, x, x)
        second = results[1]
        del results
        for again in (call(x, x, x), call(x, x, x)):
            assert not any(np.shares_memory(a, b) for a, b in itertools.combinations((*again, second), 2))
            for found, wanted in zip(again, expected, strict=True):
                np.testing.assert_array_equal(found, wanted)


def test_nothing_is_lost(states: np.ndarray) -> None:
    kernel = revolute.robots.ur5().kernel("inverse_dynamics")
    x = states[0]

    def use() -> None:
        call = kernel.fast_call(kernel)
        held = [call(x, x, x) for _ in range(100)]
        del held
        gone.append(weakref.ref(call(x, x, x)))

    gone: list[weakref.ref[np.ndarray]] = []
    use()
    gc.collect()
    before = sys.getrefcount(None)
    tracemalloc.start()
    try:
        size, _ = tracemalloc.get_traced_memory()
        for _ in range(50):
            use()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert all(reference() is None for reference in gone)
    assert after - size < 50 * 400  # less than one result of 48 bytes and its array, 160, a round, besides `gone`
    assert abs(sys.getrefcount(None) - before) < 50
