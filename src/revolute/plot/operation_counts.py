"""Figures of operation counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from revolute.plot.figures import artists, drawing, heading, legend_above
from revolute.plot.style import COLOURS, FAINT, LIMIT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def operations(name: str, n: int, rows: Sequence[Any]) -> Figure:
    """Plot multiplications plus additions of algorithms, one panel per quantity; markers show the counts in the texts.

    Args:
        name: name of the robot.
        n: number of the robot's joints.
        rows: rows returned by `revolute.published.counting.counted`.

    Raises:
        MissingExtraError: Matplotlib is not installed.

    Example:
        >>> from revolute.published.counting import counted
        >>> from revolute.plot import operations
        >>> rows = counted(revolute.robots.planar(2), ["mass_matrix", "walker_orin"])
        >>> len(operations("planar", 2, rows).axes)
        1
    """
    groups: dict[str, list[Any]] = {}
    for row in rows:
        groups.setdefault(row.quantity, []).append(row)
    with drawing(34 * len(rows) + 110 * len(groups) + 60, f"{name}: operations of one evaluation") as figure:
        heights = [len(group) + 1 for group in groups.values()]
        panels = figure.subplots(len(groups), 1, squeeze=False, height_ratios=heights).ravel()
        for axes, (quantity, group) in zip(panels, groups.items(), strict=True):
            _bars(axes, quantity, n, sorted(group, key=lambda row: -row.counts.arithmetic))
    return figure


def _bars(axes: Axes, quantity: str, n: int, rows: Sequence[Any]) -> None:
    totals = [max(row.counts.arithmetic, 1) for row in rows]
    colours = [COLOURS[0] if row.ours else FAINT for row in rows]
    bars = axes.barh([row.name for row in rows], totals, color=colours, height=0.72)
    axes.bar_label(bars, [f"{row.counts.arithmetic:,}" for row in rows], padding=5)
    marks = [(sum(row.printed.at(n)), row.name) for row in rows if row.printed]
    if marks:
        sums, names = zip(*marks, strict=True)
        axes.scatter(sums, names, marker="|", s=220, color=LIMIT, label="printed in the source", zorder=3)
        legend_above(axes)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(artists().LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_minor_formatter("")
    axes.set_xlim(min(totals) / 2, 2 * max([*totals, *(printed for printed, _ in marks)]))
    axes.grid(axis="y", visible=False)
    heading(axes, quantity)
    axes.set_xlabel("multiplications + additions")
