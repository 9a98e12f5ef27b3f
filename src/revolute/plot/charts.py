"""Small SVG charts for HTML pages, without dependencies, in the light or dark colours of the page."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array
from revolute.errors import printable
from revolute.model.units import number

WIDTH = 430
LEFT, RIGHT, TOP, LABEL = 52, 10, 8, 34
"""Margins of a chart [pixels]; LABEL is the space for the axis label below the lowest panel."""
GAP = 12  # gap between panels that share the x-axis [pixels]


@dataclass(frozen=True, eq=False)
class ChartLine:
    """A curve in one of the colours "one", "two", "three". NaN leaves a gap in the curve."""

    x: Array
    y: Array
    colour: str = "one"


@dataclass(frozen=True, eq=False)
class Band:
    """The area between two curves."""

    x: Array
    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False)
class Points:
    """Points with error bars, y - error to y + error."""

    x: Array
    y: Array
    error: Array


Mark = ChartLine | Band | Points


def chart(
    panels: Sequence[Sequence[Mark]], x_label: str, y_labels: Sequence[str], title: str,
    heights: Sequence[int] = (150, 70),
) -> str:
    """One SVG element with stacked panels that share the x-axis; `title` describes it, and `report.css` colours it."""
    drawn = [mark for panel in panels for mark in panel]
    xs = np.concatenate([np.asarray(mark.x, dtype=float) for mark in drawn] or [np.zeros(1)])
    x_axis = _Axis.over(xs, LEFT, WIDTH - RIGHT, room=0.0 if not any(isinstance(m, Points) for m in drawn) else 0.04)
    top, parts = TOP, []
    for k, (panel, label) in enumerate(zip(panels, y_labels, strict=True)):
        height = heights[min(k, len(heights) - 1)]
        parts.append(_panel(panel, label, x_axis, top, height, k == len(panels) - 1))
        top += height + GAP
    total = top - GAP + LABEL
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:g}" y="{total - 4}" text-anchor="middle">{text(x_label)}</text>')
    head = f'<svg class="chart" viewBox="0 0 {WIDTH} {total}" role="img" aria-label="{text(title)}">'
    return head + "".join(parts) + "</svg>"


@dataclass(frozen=True)
class _Axis:
    """A linear map of numbers between `low` and `high` to pixels between `start` and `end`."""

    low: float
    high: float
    start: float
    end: float

    @staticmethod
    def over(values: Array, start: float, end: float, room: float) -> _Axis:
        there = values[np.isfinite(values)]
        low, high = (float(there.min()), float(there.max())) if len(there) else (0.0, 1.0)
        spare = room * (high - low) or (0.0 if high > low else 0.5 * abs(high) or 0.5)
        return _Axis(low - spare, high + spare, start, end)

    def at(self, x: ArrayLike) -> Array:
        return np.asarray(self.start + (np.asarray(x) - self.low) / (self.high - self.low) * (self.end - self.start))

    def ticks(self, most: int) -> list[float]:
        """Round numbers for ticks: multiples of 1, 2 or 5 times a power of ten."""
        raw = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= raw * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        return [k * step for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


def _panel(marks: Sequence[Mark], label: str, x_axis: _Axis, top: float, height: float, lowest: bool) -> str:
    bottom = top + height
    y_axis = _Axis.over(np.concatenate([_heights(mark) for mark in marks] or [np.zeros(1)]), bottom, top, room=0.06)
    parts = []
    for x in x_axis.ticks(6):
        at = f"{float(x_axis.at(x)):.1f}"
        parts.append(f'<line class="grid" x1="{at}" x2="{at}" y1="{top}" y2="{bottom}"/>')
        if lowest:
            parts.append(f'<text x="{at}" y="{bottom + 14}" text-anchor="middle">{_number(x)}</text>')
    for y in y_axis.ticks(max(3, int(height / 28))):
        at = f"{float(y_axis.at(y)):.1f}"
        style = "zero" if y == 0 else "grid"
        parts.append(f'<line class="{style}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}"/>')
        parts.append(f'<text x="{LEFT - 5}" y="{float(at) + 4:.1f}" text-anchor="end">{_number(y)}</text>')
    parts += [_drawn(mark, x_axis, y_axis) for mark in marks]
    frame = f'<rect class="frame" x="{LEFT}" y="{top}" width="{WIDTH - RIGHT - LEFT}" height="{height}"/>'
    middle = (top + bottom) / 2
    turned = f'transform="rotate(-90 11 {middle:g})" x="11" y="{middle:g}" text-anchor="middle"'
    return "".join([*parts, frame, f"<text {turned}>{text(label)}</text>"])


def _heights(mark: Mark) -> Array:
    if isinstance(mark, ChartLine):
        return np.asarray(mark.y, dtype=float)
    if isinstance(mark, Band):
        return np.concatenate([mark.lower, mark.upper])
    error = np.nan_to_num(mark.error)
    return np.concatenate([mark.y - error, mark.y + error, [0.0]])


def _drawn(mark: Mark, x_axis: _Axis, y_axis: _Axis) -> str:
    if isinstance(mark, ChartLine):
        return f'<path class="line {mark.colour}" d="{_path(*_thinned(mark.x, mark.y), x_axis, y_axis)}"/>'
    if isinstance(mark, Band):
        x, low = _thinned(mark.x, mark.lower, np.fmin)
        _, high = _thinned(mark.x, mark.upper, np.fmax)
        outline = _path(np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]]), x_axis, y_axis)
        return f'<path class="band" d="{outline}"/>'
    parts = []
    for x, y, error in zip(mark.x, mark.y, np.nan_to_num(mark.error), strict=True):
        at, middle = float(x_axis.at(x)), float(y_axis.at(y))
        ends = f'y1="{float(y_axis.at(y - error)):.1f}" y2="{float(y_axis.at(y + error)):.1f}"'
        parts.append(f'<line class="bar" x1="{at:.1f}" x2="{at:.1f}" {ends}/>')
        parts.append(f'<circle class="dot" cx="{at:.1f}" cy="{middle:.1f}" r="3"/>')
    return "".join(parts)


def _thinned(x: Array, y: Array, extreme: Any = None) -> tuple[Array, Array]:
    """At most two points per pixel column: the lowest and the highest, or one `extreme`."""
    columns = WIDTH - LEFT - RIGHT
    if len(x) <= 2 * columns:
        return np.asarray(x), np.asarray(y)
    starts = np.unique(np.linspace(0, len(x), columns + 1).astype(int)[:-1])
    if extreme is not None:
        return x[starts], extreme.reduceat(y, starts)
    low, high = np.fmin.reduceat(y, starts), np.fmax.reduceat(y, starts)
    rising = np.arange(len(starts)) % 2 == 0
    pairs = np.where(rising[:, None], np.column_stack([low, high]), np.column_stack([high, low]))
    return np.repeat(x[starts], 2), pairs.ravel()


def _path(x: Array, y: Array, x_axis: _Axis, y_axis: _Axis) -> str:
    """Commands of a path: a move at the start and after each gap, otherwise a line."""
    there = np.isfinite(x) & np.isfinite(y)
    begins = there & ~np.concatenate([[False], there[:-1]])
    points = zip(begins[there], x_axis.at(x[there]), y_axis.at(y[there]), strict=True)
    return "".join(f"{'M' if begin else 'L'}{a:.1f} {b:.1f}" for begin, a, b in points)


def _number(x: float) -> str:
    shown = number(x, 3)
    return shown.rstrip("0").rstrip(".") if "." in shown and "e" not in shown else shown


def text(x: object) -> str:
    """Text escaped for HTML, with visible control characters."""
    return html.escape(printable(str(x)))
