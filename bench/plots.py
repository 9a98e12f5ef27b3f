"""Plots of the benchmark as SVG, for docs/speed.md. The same figures give the same file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from revolute.plot.figures import COLOURS, INK, STYLE

__all__ = ["COLOURS", "IMAGES", "INK", "LOOK", "panels", "power"]

IMAGES = Path(__file__).parents[1] / "docs" / "images"
LOOK = {"svg.hashsalt": "revolute", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10}


@contextmanager
def panels(file: Path, count: int, height: float = 3.6) -> Iterator[Sequence[Axes]]:
    """Axes beside each other, to be drawn on; the picture is written when the block ends.

    A panel that has no legend of its own gets one.
    """
    with rc_context(STYLE | LOOK | {"text.parse_math": True}):
        figure = Figure((4.6 * count, height), layout="constrained", facecolor="white")
        axes = figure.subplots(1, count, squeeze=False)[0]
        yield axes
        for panel in axes:
            if panel.get_legend() is None and panel.get_legend_handles_labels()[0]:
                panel.legend(fontsize=8)
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, metadata={"Date": None})


def power(panel: Axes, title: str, x: str, y: str, **limits: Any) -> None:
    """Two logarithmic axes with a title and labels."""
    panel.set(title=title, xlabel=x, ylabel=y, xscale="log", yscale="log", **limits)
