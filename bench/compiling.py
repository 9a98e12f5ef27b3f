"""Seconds until every function of a robot is compiled, and until it is loaded from the disk cache."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from bench import fresh
from bench.robots import Case
from bench.tables import yes

__all__ = ["section"]


def section(case: Case, link: str) -> Iterator[str]:
    """Every function compiled in a fresh process with an empty cache, and loaded in another."""
    cold, warm = fresh.compiling(case, link)
    yield f"## {case.label}: compiling"
    yield ""
    yield "Tracing, compiling and loading, in a process with an empty disk cache, and in one with a full cache."
    yield ""
    yield "| function | cold, ≤ 2 s | from the cache, ≤ 0.1 s | met |"
    yield "| --- | --- | --- | --- |"
    for name, seconds in cold.kernels.items():
        met = seconds <= 2 and warm.kernels[name] <= 0.1
        yield f"| `{name}` | {seconds:.2f} s | {warm.kernels[name] * 1e3:.0f} ms | {yes(met)} |"
    yield f"| all {len(cold.kernels)}, one after the other | {cold.all:.1f} s | {warm.all * 1e3:.0f} ms | |"
    yield ""
    middle, again = (statistics.median(x.kernels.values()) for x in (cold, warm))
    yield f"Median: {middle:.2f} s and {again * 1e3:.0f} ms."
    yield ""
