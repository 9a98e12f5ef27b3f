"""Results that go past the cache: every size of a row, with zeros anywhere, and nothing is written beside them."""

from typing import Any

import numpy as np
import pytest
from machine_code import compiled, widths

from revolute.graph import Input, trace
from revolute.targets.llvm import Lanes, loop
from revolute.targets.llvm.direct import HALF, goes_straight
from revolute.targets.llvm.stage import LINE

SIZES = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 28, 36, 40, 44, 48, 52, 56, 60, 64, 72, 100]


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
        for size in SIZES:
            third = size // 3
            chosen: dict[str, Any] = {
                "none": [],
                "any": rng.permutation(size)[: size // 2],
                "last": range(third, size),
                "first": range(size - third),
            }
            zero = np.isin(np.arange(size), list(chosen[zeros]))

            def multiples(x: Any, zero: np.ndarray = zero, size: int = size) -> list[Any]:
                (y,) = x
                values = [y.builder.const(0.0) if zero[k] else y * float(k + 1) for k in range(size)]
                return [("y", (size,), values)]

            graph = trace("multiples", multiples, [Input("x", (1,))])
            straight += goes_straight(graph.outputs[0], lanes)
            check(compiled(graph, lanes), zero, 5 * width + 3, np.dtype(f"f{bits // 8}"), rng)
    assert straight >= 4


def check(function: np.ufunc, zero: np.ndarray, rows: int, dtype: np.dtype[Any], rng: np.random.Generator) -> None:
    """Rows that begin with a line, between guards."""
    x = rng.standard_normal((rows, 1)).astype(dtype)
    size, guard = rows * len(zero), LINE // dtype.itemsize
    room = np.full(size + 3 * guard, 7.25, dtype)
    start = -room.ctypes.data % LINE // dtype.itemsize + guard
    results = room[start : start + size].reshape(rows, len(zero))
    function(x, out=results)
    expected = x * np.where(zero, 0, np.arange(1, len(zero) + 1)).astype(dtype)
    assert np.array_equal(results, expected), (len(zero), rows)
    assert np.all(room[:start] == 7.25) and np.all(room[start + size :] == 7.25), (len(zero), rows)
