"""Searches in lanes against the same searches one after the other, in Python: every number is exact."""

from typing import Any

import numpy as np
import pytest

from revolute.compiler.searches import LATE, Pool, Searches
from revolute.compiler.signature import Signature
from revolute.graph import Input
from revolute.spatial.scalar import select
from revolute.targets.llvm import Lanes, host
from revolute.targets.llvm.searches import SearchGraphs

POOL = 45

def step(q: Any, search: Any, row: Any, lower: Any, upper: Any, tolerance: Any) -> Any:
    """q = (steps to do, a mark): an attempt ends after its steps, and has found if its mark is that of the row."""
    squared, steps, status = search
    going, over = status <= 0.0, q[0] <= 1.0
    apart = (q[1] - row[1]) * (q[1] - row[1])
    end = select(over, select(apart <= tolerance[0], 1.0, 2.0), 0.0)
    low = lower[0].maximum(q[0] - 1)
    return [
        [select(going, low, q[0]), q[1].minimum(upper[1])],
        [select(going, apart + 1, squared), select(going, steps + 1, steps), select(going, end, status)],
    ]


def distance(place: Any, row: Any) -> Any:
    return [(place[0] - row[0]) * (place[0] - row[0]) * place[2]]


def graphs() -> SearchGraphs:
    two, three = (2,), (3,)
    inputs = (Input("q", two), Input("search", three), Input("row", two), Input("lower", two), Input("upper", two))
    steps = Signature("step", (*inputs, Input("tolerance", ())), (("q", two), ("search", three)), step)
    places = (Input("place", three), Input("row", two))
    return SearchGraphs(steps.graph(), Signature("distance", places, (("distance", ()),), distance).graph())


WIDTHS = sorted({1, 2, 4, host().lanes().width})
SEARCHES = {width: Searches("searches", "test", None, graphs, Lanes(width)) for width in WIDTHS}

BEGINS = np.array([[0.0, 100.0 * kind, 0.0] for kind in range(4)])
"""Steps tell what kinds of attempts there were."""


def drawn(rng: np.random.Generator, count: int, marks: int) -> np.ndarray[Any, Any]:
    """Starts: some steps to do, and a mark."""
    return np.column_stack([rng.integers(1, 9, count), rng.integers(0, marks, count)]).astype(float)


def one_by_one(row: Any, own: Any, pool: Any, total: int, turns: int) -> tuple[Any, Any]:
    """Where the first attempt ends that has found, else the best: and how."""
    starts, places, anywhere = pool
    apart = ((places[:, 0] - row[0]) ** 2 * places[:, 2]).tolist()
    order = sorted(range(len(apart)), key=lambda k: apart[k])
    best, result, iterations = np.inf, None, 0.0
    for number in range(total):
        if own is not None and number == 0:
            start, kind = own, 0
        elif number >= LATE and number % turns:
            start, kind = anywhere[number], 3
        else:
            start, kind = starts[order.pop(0)], 1 + (number >= LATE)
        iterations += start[0] + 100 * kind
        squared = (start[1] - row[1]) ** 2
        if squared + 1 < best or squared == 0:
            best, result = squared + 1, (0.0, start[1])
        if squared == 0:
            return result, (best, iterations, 1.0, number)
    return result, (best, iterations, 0.0, total - 1)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("total", "own", "turns"), [(1, False, 2), (1, True, 2), (2, True, 3), (5, False, 2),
                                                      (40, True, 4), (40, False, 2)])  # fmt: skip
def test_rows_end_as_if_each_were_alone(width: int, total: int, own: bool, turns: int) -> None:
    rng = np.random.default_rng(0)
    for rows in (1, 2, 3, 5, 8, 17, 33, 200):
        marks = int(rng.integers(2, 60))
        starts, anywhere, data, first = (drawn(rng, count, marks) for count in (POOL, POOL, rows, rows))
        places = np.column_stack([rng.integers(0, 30, POOL), np.zeros(POOL), rng.integers(1, 4, POOL)]).astype(float)
        pool = Pool(starts, places, anywhere, Lanes(width)) if total > own else None
        q = np.empty((rows, 2))
        limits, tolerance = (np.zeros(2), np.full(2, 1e6)), np.array(0.5)
        search = SEARCHES[width].prepared(
            data, first if own else None, pool, total, BEGINS, limits, tolerance, turns, q
        )
        search.run(int(rng.integers(1, 4)))
        wanted = [
            one_by_one(data[k], first[k] if own else None, (starts, places, anywhere), total, turns)
            for k in range(rows)
        ]
        np.testing.assert_array_equal(q, [x for x, _ in wanted])
        np.testing.assert_array_equal(search.ends, [(*x, 1.0) for _, x in wanted])
        if rows == 1:
            assert search.one() == [*wanted[0][1], 1.0]
            np.testing.assert_array_equal(q, [wanted[0][0]])


def test_many_rows_in_several_calls_and_pieces() -> None:
    rng = np.random.default_rng(1)
    rows, width = 9000, host().lanes().width
    starts, anywhere, data = drawn(rng, POOL, 30), drawn(rng, POOL, 30), drawn(rng, rows, 30)
    places = np.column_stack([rng.integers(0, 30, (POOL, 2)), np.ones(POOL)]).astype(float)
    pool, limits = Pool(starts, places, anywhere), (np.zeros(2), np.full(2, 1e6))
    results = []
    for threads in (1, 3):
        q = np.empty((rows, 2))
        search = SEARCHES[width].prepared(data, None, pool, 12, BEGINS, limits, np.array(0.5), 2, q)
        search.run(threads)
        results.append(np.column_stack([q, search.ends]))
    np.testing.assert_array_equal(*results)
    for k in range(0, rows, 301):
        q, end = one_by_one(data[k], None, (starts, places, anywhere), 12, 2)
        np.testing.assert_array_equal(results[0][k], [*q, *end, 1.0])
