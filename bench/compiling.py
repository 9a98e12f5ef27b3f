"""Seconds until every function of a robot is compiled, and until it is loaded from the disk cache."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from bench import fresh
from bench.robots import Case

__all__ = ["section"]


def section(case: Case, link: str) -> Iterator[str]:
    """Every function compiled in a fresh process with an empty cache, and loaded in another."""
    cold, warm = fresh.compiling(case, link)
    yield f"## {case.label}: compiling"
    yield ""
    middle, again = (statistics.median(x.kernels.values()) for x in (cold, warm))
    slowest = max(cold.kernels, key=cold.kernels.__getitem__)
    yield f"Tracing, compiling and loading all {len(cold.kernels)} functions, one after the other, takes"
    yield f"{cold.all:.1f} s with an empty disk cache, {warm.all * 1e3:.0f} ms with a full one."
    yield f"Medians: {middle:.2f} s and {again * 1e3:.0f} ms. The slowest, `{slowest}`, takes"
    yield f"{cold.kernels[slowest]:.2f} s and {warm.kernels[slowest] * 1e3:.0f} ms."
    yield ""
