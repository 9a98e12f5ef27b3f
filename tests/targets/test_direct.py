"""Results that go past the cache: every size of a row, with zeros anywhere, and nothing is written beside them."""

from typing import Any

import numpy as np
import pytest
from machine_code import compiled, widths

from revolute.graph import Input, trace
from revolute.targets.llvm import Lanes, loop
from revolute.targets.llvm.direct import HALF, goes_straight
from revolute.targets.llvm.stage import LINE

SIZES = [2, 5, 12, 20, 24, 36, 40, 44, 48, 60, 64, 72, 100]
"""Too small to go past the cache, of whole lines, of lines and a half, and neither; results of one kernel."""


@pytest.fixture(autouse=True)
def _always_past(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "BYPASS", 1)


@pytest.mark.parametrize(
    "zeros", ["none", "any", *(pytest.param(x, marks=pytest.mark.slow) for x in ("last", "first"))]
)
@pytest.mark.parametrize("bits", [64, 32])
def test_each_number_is_in_its_place_and_nothing_beside_them_changes(bits: int, zeros: str) -> None:
    rng = np.random.default_rng(1)
    straight = 0
    for width in [w for w in widths(bits) if w * bits >= 8 * HALF]:
        lanes = Lanes(width, bits)
        where = {
            "none": lambda size: [],
            "any": lambda size: rng.permutation(size)[: size // 2],
            "last": lambda size: range(size // 3, size),
            "first": lambda size: range(size - size // 3),
        }[zeros]
        zero = [np.isin(np.arange(size), list(where(size))) for size in SIZES]

        def multiples(x: Any, zero: list[np.ndarray] = zero) -> list[Any]:
            factors = [np.where(z, 0.0, np.arange(1.0, len(z) + 1)).tolist() for z in zero]
            return [(f"y{len(f)}", (len(f),), [x[0] * k if k else x[0].builder.const(k) for k in f]) for f in factors]

        graph = trace("multiples", multiples, [Input("x", (1,))])
        straight += sum(goes_straight(y, lanes) for y in graph.outputs)
        check(compiled(graph, lanes), zero, rng.standard_normal((5 * width + 3, 1)).astype(f"f{bits // 8}"))
    assert straight >= 4


def check(function: np.ufunc, zero: list[np.ndarray], x: np.ndarray) -> None:
    """Rows that begin with a line, between guards."""
    rows, dtype, guard = len(x), x.dtype, LINE // x.itemsize
    rooms = [np.full(rows * len(z) + 3 * guard, 7.25, dtype) for z in zero]
    starts = [-room.ctypes.data % LINE // dtype.itemsize + guard for room in rooms]
    results = [r[k : k + rows * len(z)].reshape(rows, len(z)) for r, k, z in zip(rooms, starts, zero, strict=True)]
    function(x, out=tuple(results))
    for found, room, start, z in zip(results, rooms, starts, zero, strict=True):
        expected = x * np.where(z, 0, np.arange(1, len(z) + 1)).astype(dtype)
        assert np.array_equal(found, expected), (len(z), rows)
        assert np.all(room[:start] == 7.25) and np.all(room[start + found.size :] == 7.25), (len(z), rows)
