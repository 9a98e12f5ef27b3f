"""Points that a link frame reaches, in three views, coloured by manipulability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from revolute.arguments import Array
from revolute.plot.figures import drawing, heading
from revolute.plot.style import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VIEWS = (("from above", 0, 1), ("from the front", 0, 2), ("from the side", 1, 2))
"""Names of views, with the two axes that span each view's plane."""

AXES = ("x [m]", "y [m]", "z [m]")


def workspace(points: Array, manipulability: Array, title: str) -> Figure:
    """Plot three views of points; points with the highest manipulability are drawn last.

    Args:
        points: (N, 3) positions in the base frame [m].
        manipulability: (N,) manipulability at the points, shown as colours.
        title: title of the figure.
    """
    order = np.argsort(manipulability)
    with drawing(640, title) as figure:
        panels = figure.subplots(1, len(VIEWS))
        for axes, (name, right, up) in zip(panels, VIEWS, strict=True):
            size = max(0.8, min(5.0, 16_000 / len(points)))
            dots = axes.scatter(
                points[order, right], points[order, up], c=manipulability[order], s=size, linewidths=0, cmap="viridis",
                zorder=3, rasterized=True,  # vector graphics would have one shape per point
            )  # fmt: skip
            axes.plot(0, 0, marker="s", markersize=6, color=INK, zorder=4)  # mark the base
            axes.set_aspect("equal", adjustable="datalim")
            axes.set_xlabel(AXES[right])
            axes.set_ylabel(AXES[up])
            heading(axes, name)
        figure.colorbar(dots, ax=panels, label="manipulability", shrink=0.8)
    return figure
