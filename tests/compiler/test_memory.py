"""Memory of large results: used again after they have died, and never before."""

import gc
import pickle
from collections import deque

import numpy as np
import pytest

import revolute
from revolute.compiler import memory
from revolute.compiler.memory import LINE, POOLED, new_array

FLOAT = np.dtype(np.float64)
LARGE = (POOLED // 8,)


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_idle", deque())


def kept() -> int:
    gc.collect()
    return sum(x.nbytes for x in memory._idle)


def test_a_dead_result_is_used_again() -> None:
    first = new_array(LARGE, FLOAT)
    where = first.ctypes.data
    assert first.shape == LARGE and first.dtype == FLOAT and first.flags.writeable and first.flags.c_contiguous
    assert where % LINE == 0
    del first
    assert kept() == POOLED + LINE
    assert new_array(LARGE, FLOAT).ctypes.data == where


def test_the_latest_is_used_first() -> None:
    """It is in the cache; memory of other sizes keeps its order."""
    first, other, second = new_array(LARGE, FLOAT), new_array((2, *LARGE), FLOAT), new_array(LARGE, FLOAT)
    where = second.ctypes.data
    del first, second, other
    sizes = [x.nbytes for x in memory._idle]
    assert new_array(LARGE, FLOAT).ctypes.data == where
    assert [x.nbytes for x in memory._idle] == sizes[:1] + sizes[2:] + sizes[1:2]  # and given back, at the end


def test_a_view_keeps_the_memory() -> None:
    first = new_array((2, *LARGE), FLOAT)
    first[:] = 1.0
    part = first[1, ::3].reshape(-1)[5:]
    del first
    second = new_array((2, *LARGE), FLOAT)
    second[:] = 2.0
    assert kept() == 0 and np.all(part == 1.0)


def test_other_sizes_and_small_or_huge_results_are_new(monkeypatch: pytest.MonkeyPatch) -> None:
    first = new_array(LARGE, FLOAT)
    del first
    other = new_array((LARGE[0] + 8,), FLOAT)
    assert kept() == POOLED + LINE
    assert other.size == LARGE[0] + 8
    small = new_array((3, 2), FLOAT)
    assert small.base is None and small.shape == (3, 2)
    monkeypatch.setattr(memory, "KEPT", POOLED - 1)
    assert new_array(LARGE, FLOAT).base is None


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "KEPT", 3 * POOLED)
    many = [new_array((LARGE[0] + 8 * k,), FLOAT) for k in range(6)]
    del many
    assert 0 < kept() <= 3 * POOLED


def test_results_of_kernels_live_on_their_own() -> None:
    robot = revolute.robots.ur5()
    q = robot.random_configuration(4000, rng=1)
    M = robot.mass_matrix(q)
    assert M.nbytes >= POOLED
    saved, copy = M.copy(), pickle.loads(pickle.dumps(M))
    for _ in range(5):
        robot.mass_matrix(q + 1.0)
    assert np.array_equal(M, saved) and np.array_equal(copy, saved)
    before = kept()
    for _ in range(20):
        robot.mass_matrix(q)
    assert kept() == before
