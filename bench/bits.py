"""Rows that do not get the same bits wherever they stand: there should be none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bench.quantities import HANDS, Quantity
from bench.robots import Array, Case

__all__ = ["ROWS", "differing"]

ROWS = 2500
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 100)
THREADS = (1, 2, 3, None)


def differing(case: Case, quantity: Quantity, rows: int = ROWS) -> tuple[int, int]:
    """Rows whose bits are not those of the whole batch on one thread, and rows that were compared."""
    states = case.states(rows)
    arguments = {"q": states.q, "qd": states.qd, "qdd": states.qdd}
    inputs = [arguments[x] for x in quantity.arguments.split(", ") if x in arguments]
    options = {"frame": HANDS[case.key]} if quantity.options(case) else {}
    method = getattr(case.robot, quantity.method)

    def call(arrays: list[Array], **more: Any) -> tuple[Array, ...]:
        results = method(*arrays, **options, **more)
        return results if isinstance(results, tuple) else (results,)

    whole = call(inputs, threads=1)
    wrong = compared = 0
    for place, results in _others(call, inputs, rows):
        bad = np.zeros(len(whole[0][place]), dtype=bool)
        for expected, found in zip(whole, results, strict=True):
            here = expected[place]
            apart = here.view(np.int64) != np.asarray(found).reshape(here.shape).view(np.int64)
            bad |= apart.reshape(len(bad), -1).any(axis=1)
        wrong, compared = wrong + int(bad.sum()), compared + len(bad)
    return wrong, compared


def _others(call: Any, inputs: list[Array], rows: int) -> Iterator[tuple[slice, tuple[Array, ...]]]:
    """The same rows in other batches: their place in the whole, and their results."""
    for threads in THREADS:
        yield slice(rows), call(inputs, threads=threads)
    given = tuple(np.empty_like(x) for x in call(inputs))
    yield slice(rows), call(inputs, out=given if len(given) > 1 else given[0])
    for k, size in enumerate(SIZES):
        place = slice(7 * k, 7 * k + size)  # some begin within a block
        yield place, call([x[place] for x in inputs])
        yield place, call([np.repeat(x[place], 2, axis=0)[::2] for x in inputs])  # strided
    for k in range(10):
        yield slice(k, k + 1), call([x[k] for x in inputs])
