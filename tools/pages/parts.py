"""The parts of the site that are generated, the slowest first: each is a function that gives its files."""

import time
from collections.abc import Callable
from functools import partial

import revolute
from bench.performance.pages import files as performance
from tools.gallery import drawn
from tools.pages import Files, formulations, functions, live_figure, operation_counts, reference
from tools.tutorials.made import files as tutorial
from tools.tutorials.source import tutorials


def counts() -> Files:
    """The page of operation counts."""
    return {"operation-counts.md": operation_counts.page(revolute.robots.ur5())}


PARTS: dict[str, Callable[[], Files]] = {
    "operation-counts": counts,
    **{x.name: partial(tutorial, x) for x in tutorials()},
    "figures": drawn.figures,
    "thumbnails": drawn.thumbnails,
    "texts": drawn.texts,
    "performance": performance,
    "live-figure": live_figure.files,
    "reference": reference.pages,
    "functions": functions.pages,
    "formulations": formulations.pages,
}


def timed(part: str) -> tuple[str, Files, float]:
    """A part, its files, and the seconds that they took."""
    start = time.perf_counter()
    return part, PARTS[part](), time.perf_counter() - start
