"""Seconds until every function of a robot is compiled, and until it is loaded from the disk cache."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from bench import fresh
from bench.robots import Case

__all__ = ["section"]

SHOWN = 10


def section(case: Case, link: str) -> Iterator[str]:
    """Every function compiled in a fresh process with an empty cache, and loaded in another."""
    cold, warm = fresh.compiling(case, link)
    yield f"## {case.label}: compiling"
    yield ""
    yield "Tracing, compiling and loading, in a process with an empty disk cache, and in one with a full cache."
    yield ""
    yield f"The {SHOWN} functions that take longest, and all:"
    yield ""
    yield "| function | empty cache | full cache |"
    yield "| --- | --- | --- |"
    for name in sorted(cold.kernels, key=cold.kernels.__getitem__, reverse=True)[:SHOWN]:
        yield f"| `{name}` | {cold.kernels[name]:.2f} s | {warm.kernels[name] * 1e3:.0f} ms |"
    yield f"| all {len(cold.kernels)}, one after the other | {cold.all:.1f} s | {warm.all * 1e3:.0f} ms |"
    yield ""
    middle, again = (statistics.median(x.kernels.values()) for x in (cold, warm))
    yield f"Median: {middle:.2f} s and {again * 1e3:.0f} ms."
    yield ""
