"""Axes for robots: three-dimensional, or two-dimensional for robots that move in a plane."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.arguments import Array
from revolute.errors import InputError, one_line
from revolute.plot.figures import artists, new_figure, styled
from revolute.plot.style import FAINT, GRID, INK, NOTE, PIXELS_PER_INCH, STYLE

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

Colours = Sequence[str] | Array | str

SLIMMEST, FLATTEST = 0.6, 0.35
"""Minimum side of the box around a robot, relative to its largest side, for planar and for spatial robots."""
MARGINS = np.array([1.75, 1.1])
"""Space for tick labels and axis names, summed over both sides of a three-dimensional box [inches]."""
EDGES = (0.75, 0.2, 0.85)  # left, right and bottom margins of two-dimensional axes [inches]
WIDTH, HEIGHT = 1000, 860
"""Width and height of a figure [pixels]; the height of two-dimensional figures depends on the robot."""
ALIGNED = 1e-3  # angle up to which directions count as equal [rad], because numbers in files are rounded


def canvas(normal: Array | None, axes: Any, scale: bool) -> Canvas:
    """The canvas for a robot; with `scale`, a new figure has space for a colour scale.

    `normal` is the normal of the plane in which the robot moves, or None; `axes` are axes to draw in; None: new axes.
    """
    if axes is not None and not hasattr(axes, "get_xlim"):
        raise InputError(f"plot: axes must be axes of a Matplotlib figure, not {one_line(repr(axes))}")
    if axes is not None and hasattr(axes, "add_collection3d"):
        return SpaceAxes(axes, scale)
    if normal is not None:
        return PlaneAxes(normal, axes, scale)
    if axes is not None:
        raise InputError(
            'plot: axes must be three-dimensional: figure.add_subplot(projection="3d"); the robot moves in space'
        )
    return SpaceAxes(None, scale)


class CanvasView:
    """The axes in which a robot is drawn, and their view."""

    # axes, figure: matplotlib's axes and figure
    axes: Any
    figure: Figure
    own: bool  # whether the figure is new, so that its title, legend and view are set here
    # right, up, toward: (3,) unit vectors of the view, in the base frame; `toward` points to the viewer
    right: Array
    up: Array
    toward: Array
    box: Array  # (2, 2) lowest and highest visible coordinates in the view [m]

    def seen(self, points: Array) -> Array:
        """(..., 2) coordinates of (..., 3) points in the view."""
        return np.stack([points @ self.right, points @ self.up], axis=-1)

    def light(self) -> Array:
        """(3,) direction to the light: behind the viewer's left shoulder."""
        light: Array = 0.74 * self.toward - 0.52 * self.right + 0.42 * self.up
        return light

    def _drawn(self, points: Array) -> Array:
        """Coordinates of points in Matplotlib's axes."""
        raise NotImplementedError

    def _put(self, artist: Any, zorder: float) -> Artist:
        """Add a collection to the axes."""
        spatial = isinstance(self, SpaceAxes)
        artist.set_zorder(zorder)
        _ = self.axes.add_collection3d(artist) if spatial else self.axes.add_collection(artist, autolim=False)
        put: Artist = artist
        return put

    def _range(self, points: Array, least: float, names: str) -> tuple[Array, Array]:
        """Set limits that contain these points, and what a user's axes already show; return lowest and highest."""
        low, high = _limits(points, least)
        if not self.own and self.axes.has_data():
            held = np.array([getattr(self.axes, f"get_{x}lim")() for x in names])
            low, high = np.minimum(low, held[:, 0]), np.maximum(high, held[:, 1])
        self.axes.set(**{f"{x}lim": (low[k], high[k]) for k, x in enumerate(names)})
        return low, high

    def _places(self) -> tuple[float, tuple[float, float, float, float], dict[str, Any]]:
        """Height of the title, rectangle of the colour scale and position of the legend, as fractions of the figure."""
        raise NotImplementedError

    def curves(self, lines: Array, colours: Colours, width: float, zorder: float, alpha: float = 1.0) -> Artist:
        """Draw lines, in front of items with a lower zorder."""
        kind = artists().LineCollection if isinstance(self, PlaneAxes) else artists().Line3DCollection
        style = {"colors": colours, "linewidths": width, "alpha": alpha, "capstyle": "round"}
        return self._put(kind(list(self._drawn(lines)), **style), zorder)

    def line(self, points: Array, **style: Any) -> list[Any]:
        """Draw a line, in front of items with a lower zorder."""
        found: list[Any] = self.axes.plot(*self._drawn(points).T, **style)
        return found

    def mark(self, point: Array, **style: Any) -> Artist:
        """Draw a mark of the same size at any depth."""
        mark: Artist = self.axes.scatter(*self._drawn(point), **style)
        return mark

    def text(self, point: Array, label: str) -> Artist:
        """Write a label in front of everything."""
        words: Artist = self.axes.text(*self._drawn(point), label, **LABEL)
        return words

    def legend(self, signs: Sequence[Any]) -> None:
        """Add a legend to the figure."""
        self.figure.legend(handles=signs, handlelength=1.6, ncols=3, **self._places()[2])

    def title(self, words: str) -> None:
        """Write the title of the figure."""
        style: dict[str, Any] = {"fontsize": STYLE["figure.titlesize"], "fontweight": STYLE["figure.titleweight"]}
        self.figure.suptitle(words, y=self._places()[0], color=INK, parse_math=False, **style)

    def scale_bar(self, mappable: Any, label: str, extend: str) -> None:
        """Add a colour scale above the axes."""
        place = self.figure.add_axes(self._places()[1])
        bar: Any = self.figure.colorbar(mappable, orientation="horizontal", extend=extend, cax=place)
        bar.outline.set_visible(False)
        bar.ax.grid(visible=False)
        bar.ax.tick_params(labelsize=NOTE, length=3)
        bar.ax.xaxis.set_ticks_position("bottom")
        bar.ax.set_title(label, fontsize=NOTE, color=INK)


LABEL: dict[str, Any] = {
    "fontsize": NOTE, "color": INK, "zorder": 8, "ha": "center", "va": "center", "parse_math": False, "clip_on": True,
}  # fmt: skip


class PlaneAxes(CanvasView):
    """Two-dimensional axes with equal scales, in a plane with a given normal; the legend is below them."""

    def __init__(self, normal: Array, axes: Any, scale: bool) -> None:
        self.own = axes is None
        self.top = 0.95 if scale else 0.45
        self.right, self.up, self.toward = _sight(normal)
        if axes is None:
            figure = new_figure(WIDTH, HEIGHT, constrained=False)
            with styled():
                axes = figure.subplots()
            axes.set(xlabel=_words(self.right), ylabel=_words(self.up))
        self.axes, self.figure = axes, axes.figure

    def fit(self, points: Array) -> None:
        """Set the limits of the axes, and the height of a new figure."""
        low, high = self._range(self.seen(points), SLIMMEST, "xy")
        self.box = np.array([low, high])
        self.axes.set_aspect("equal", adjustable="box")
        if self.own:
            self._place(float(np.divide(*(high - low)[::-1])))

    def _place(self, ratio: float) -> None:
        """Set the height of the figure. A layout engine would move the axes from one draw to the next."""
        width, (left, right, bottom) = WIDTH / PIXELS_PER_INCH, EDGES
        across = width - left - right
        height = np.ceil(8 * np.clip(ratio * across + bottom + self.top, 3, 6)) / 8  # even number of pixels, for videos
        self.figure.set_size_inches(width, height)
        share = (left / width, bottom / height, across / width, 1 - (bottom + self.top) / height)
        self.axes.set_position(share)

    def metres_per_point(self) -> float:
        """Current scale of the axes [m per point], before any layout."""
        size = self.axes.get_window_extent().size / self.figure.dpi * 72
        return float(((self.box[1] - self.box[0]) / size).max())

    def solid(self, faces: Array, colour: Colours, edge: Colours, zorder: float, alpha: float | None = None) -> Artist:
        """Draw quadrangles, the nearest last."""
        order = np.argsort((faces @ self.toward).mean(axis=1), kind="stable")
        face, edge = (x[order] if isinstance(x, np.ndarray) else x for x in (colour, edge))
        flat, style = list(self.seen(faces[order])), {"linewidths": 0.3, "alpha": alpha}
        return self._put(artists().PolyCollection(flat, facecolors=face, edgecolors=edge, **style), zorder)

    def _drawn(self, points: Array) -> Array:
        return self.seen(points)

    def _places(self) -> tuple[float, tuple[float, float, float, float], dict[str, Any]]:
        height = self.figure.get_size_inches()[1]
        return 1 - 0.12 / height, (0.3, 1 - 0.68 / height, 0.4, 0.09 / height), {"loc": "lower center"}


class SpaceAxes(CanvasView):
    """Three-dimensional axes with equal scales; the legend is below the title."""

    def __init__(self, axes: Any, scale: bool) -> None:
        self.own = axes is None
        self.axes = _spatial_axes(0.82 if scale else 0.9) if axes is None else axes
        self.axes.computed_zorder = False
        self.figure = self.axes.figure

    def fit(self, points: Array) -> None:
        """Set the limits of the axes; in a new figure, also ticks, view and size."""
        low, high = self.low, self.high = self._range(points, FLATTEST, "xyz")
        if self.own:
            self.axes.view_init(20, -58)
            self._fill(high - low)
        else:
            self.axes.set_box_aspect(high - low)
        elevation, azimuth = np.radians([self.axes.elev, self.axes.azim])
        away = np.cos(elevation)
        self.toward = np.array([away * np.cos(azimuth), away * np.sin(azimuth), np.sin(elevation)])
        self.right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
        self.up = np.cross(self.toward, self.right)
        corners = self.seen(np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T)
        self.box = np.array([corners.min(axis=0), corners.max(axis=0)])

    def _fill(self, sides: Array) -> None:
        """Set the same tick distance on all axes, and make the box as large as the figure allows."""
        step = float(np.diff(artists().MaxNLocator(7, steps=(1, 2, 5, 10)).tick_values(0, float(sides.max())))[0])
        corner = 0.05 * sides.max()  # gap at corners, where tick labels would overlap
        axes = (self.axes.xaxis, self.axes.yaxis, self.axes.zaxis)
        for axis, low, high in zip(axes, self.low + corner, self.high - corner, strict=True):
            axis.set_ticks(step * np.arange(np.ceil(low / step), np.floor(high / step) + 1))
        self.axes.set_box_aspect(sides)
        corners = np.array(np.meshgrid(*zip(self.low, self.high, strict=True))).reshape(3, -1)
        size = np.ptp(self._pixels(corners.T), axis=0)
        room = self.figure.bbox.size * self.axes.get_position(original=True).size - MARGINS * self.figure.dpi
        self.axes.set_box_aspect(sides, zoom=float((room / size).min()))

    def _pixels(self, points: Array) -> Array:
        self.axes.apply_aspect()
        across, up, _ = artists().proj_transform(*points.T, self.axes.get_proj())
        pixels: Array = self.axes.transData.transform(np.column_stack([across, up]))
        return pixels

    def metres_per_point(self) -> float:
        """Scale across the view, in the middle of the axes [m per point]."""
        middle = (self.low + self.high) / 2
        reach = float((self.high - self.low).max())
        ends = self._pixels(np.array([middle, middle + reach * self.right]))
        return reach / float(np.linalg.norm(ends[1] - ends[0])) * self.figure.dpi / 72

    def solid(self, faces: Array, colour: Colours, edge: Colours, zorder: float, alpha: float | None = None) -> Artist:
        """Draw quadrangles; Matplotlib sorts them by depth."""
        style = {"facecolors": colour, "edgecolors": edge, "linewidths": 0.3, "alpha": alpha}
        return self._put(artists().Poly3DCollection(faces, **style), zorder)

    def mark(self, point: Array, **style: Any) -> Artist:
        """Draw a mark of the same size at any depth."""
        return super().mark(point, depthshade=False, **style)

    def _drawn(self, points: Array) -> Array:
        return points

    def _places(self) -> tuple[float, tuple[float, float, float, float], dict[str, Any]]:
        return 0.975, (0.3, 0.845, 0.4, 0.016), {"loc": "upper center", "bbox_to_anchor": (0.5, 0.957)}


Canvas = PlaneAxes | SpaceAxes


def free_place(anchor: Array, size: Array, taken: Array, box: Array, gaps: Iterable[float]) -> Array:
    """(2,) position for the centre of a label of this size, next to a point and clear of the drawing.

    `taken` are points of the drawing, denser than the height of labels; `box` are the lowest and highest coordinates;
    `gaps` are distances from the point, best first.
    """
    best, least = anchor, np.inf
    for gap in gaps:
        for direction in DIRECTIONS:
            middle = anchor + direction * (gap + size / 2)
            covered = int((abs(taken - middle) < size / 2).all(axis=1).sum())
            outside = (middle - size / 2 < box[0]).any() or (middle + size / 2 > box[1]).any()
            if covered + 1000 * outside < least:
                best, least = middle, covered + 1000 * outside
            if least == 0:
                return best
    return best


DIRECTIONS = np.array([(0, 1), (0, -1), (1, -1), (-1, 1), (1, 1), (-1, -1), (1, 0), (-1, 0)])
"""Directions from a point to its label, in order of preference."""


def _limits(points: Array, least: float) -> tuple[Array, Array]:
    """Lowest and highest coordinates of a box around points, with a margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    side = (high - low).max()
    half = np.maximum((high - low) / 2 + 0.04 * side, least * side / 2)
    middle = (low + high) / 2
    return middle - half, middle + half


def _sight(normal: Array) -> tuple[Array, Array, Array]:
    """Right, up and toward the viewer of a plane: up is z, or y in a level plane; x, y or z increases to the right."""
    level = np.linalg.norm(np.cross(normal, (0, 0, 1))) < ALIGNED
    above = np.array((0.0, 1.0, 0.0) if level else (0.0, 0.0, 1.0))
    up = _straight(above - (above @ normal) * normal)
    right = _straight(np.cross(up, normal))
    right *= np.sign(right[np.argmax(abs(right))])
    return right, up, np.cross(right, up)


def _straight(direction: Array) -> Array:
    """A unit vector, exactly along an axis of the base frame if it is nearly parallel to it."""
    unit = direction / np.linalg.norm(direction)
    unit = np.where(abs(unit) < ALIGNED, 0.0, unit)
    straight: Array = unit / np.linalg.norm(unit)
    return straight


def _words(direction: Array) -> str:
    if np.count_nonzero(direction) == 1:
        return f"{'xyz'[int(np.argmax(direction))]} [m]"
    return f"along ({', '.join(f'{x:.2g}' for x in direction + 0.0)}) [m]"


def _spatial_axes(height: float) -> Any:
    figure = new_figure(WIDTH, HEIGHT, constrained=False)
    with styled():
        axes: Any = figure.add_axes((0.0, 0.0, 1.0, height), projection="3d", computed_zorder=False, proj_type="ortho")
        for axis, name in zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz", strict=True):
            axis.set_pane_color((1, 1, 1, 1))
            axis.line.set_color(FAINT)
            axis._axinfo["grid"].update(color=GRID, linewidth=STYLE["grid.linewidth"])
            axis.set_label_text(f"{name} [m]")
            axis.labelpad = 8
    return axes
