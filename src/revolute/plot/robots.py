"""Pictures of robots: links, joints, frames, the centre of mass, inertias, and joint forces as colours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.arguments import MOST_SHOWN, evenly_chosen, finite_rows, instance, instances
from revolute.dynamics.center_of_mass import center_of_mass
from revolute.errors import InputError, ShapeError, printable
from revolute.model.columns import limit_column
from revolute.model.model import Model
from revolute.model.named_configurations import home
from revolute.model.symbols import numeric
from revolute.model.units import force_units
from revolute.plot.figures import COLOURS, FAINT, INK, STYLE, new_figure
from revolute.plot.skeleton import Skeleton, ends, half_axes, motion_plane, poses
from revolute.plot.solids import ball, normals

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["RobotDrawing", "frames_of", "positions_of", "robot"]

Array = NDArray[Any]

AXES = ("#c8372d", "#2b8a3e", "#1c5fb8")
"""Colours of the x, y and z axes of frames."""
LINK, JOINT, MASS = "#b4c0cb", COLOURS[0], COLOURS[1]
SMALLEST = 0.35
"""Least side of the box around a robot, as a share of its largest."""
MARGINS = np.array([2.7, 1.7])
"""Room for numbers and names beside the box, both sides together [inches]."""


def robot(
    model: Model,
    q: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    frames: Iterable[str] | None = None,
    com: bool = True,
    ellipsoids: bool = False,
    trace: str | None = None,
    title: str | None = None,
    axes: Any = None,
) -> Figure:
    """See `Robot.plot`."""
    model = numeric(model, "plot")
    what = f"plot: robot '{model.name}'"
    q = _table(what, "q", home(model) if q is None else q, model.position_names)
    forces = None if tau is None else _table(what, "tau", tau, model.coordinate_names)
    if forces is not None and len(forces) != len(q):
        if 1 not in (len(forces), len(q)):
            raise ShapeError(f"{what}: tau has {len(forces)} rows, and q has {len(q)}")
        rows = max(len(forces), len(q))
        q, forces = np.repeat(q, rows // len(q), axis=0), np.repeat(forces, rows // len(forces), axis=0)
    path = None if trace is None else positions_of(model, q, trace)
    chosen = evenly_chosen(len(q), MOST_SHOWN)
    shown = [poses(model, row) for row in q[chosen]]
    drawing = RobotDrawing(model, frames_of(model, frames), com, ellipsoids, forces, axes)
    drawing.fit([drawing.corners(T, row) for T, row in zip(shown, q[chosen], strict=True)], path)
    if path is not None:
        drawing.line(path, printable(str(trace)))
    for k, (place, T) in enumerate(zip(chosen, shown, strict=True)):
        drawing.add(T, q[place], None if forces is None else forces[place], (k + 1) / len(chosen))
    fewer = f", {MOST_SHOWN} drawn" if len(q) > MOST_SHOWN else ""
    counted = "" if len(q) == 1 else f": {len(q):,} configurations{fewer}"
    drawing.explain()
    drawing.name(model.name + counted if title is None else instance("plot: title", title, str))
    return drawing.figure


def _table(what: str, name: str, x: ArrayLike, labels: Sequence[str]) -> Array:
    """A batch as (rows, columns)."""
    array = finite_rows(what, name, x, len(labels), labels)
    return array.reshape(math.prod(array.shape[:-1]), len(labels))


def frames_of(model: Model, frames: Iterable[str] | None) -> list[tuple[str, int, Array]]:
    """Labels, bodies and placements of frames; without names, those of the base and of the ends, unlabelled."""
    if isinstance(frames, str):
        frames = (frames,)
    names = ends(model) if frames is None else instances("plot: frames", frames, str)
    found = [model.frame(name) for name in names]
    placed = [
        (frame.name if frames is not None else "", frame.body, frame.placement.matrix())
        for frame in found
    ]
    return [("", 0, np.eye(4)), *placed] if frames is None else placed


class RobotDrawing:
    """Axes with a robot in them, once or several times.

    Args:
        model: the robot, of numbers.
        frames: see `frames_of`.
        com, ellipsoids: whether these are drawn.
        forces: (rows, nv) joint forces that the scale of colours has to hold; None without colours.
        axes: Matplotlib's three-dimensional axes to draw in; new ones by default.
    """

    def __init__(
        self,
        model: Model,
        frames: Sequence[tuple[str, int, Array]],
        com: bool,
        ellipsoids: bool,
        forces: Array | None,
        axes: Any = None,
    ) -> None:
        self.model, self.frames = model, frames
        self.skeleton = Skeleton.of(model)
        self.normal = motion_plane(model)
        self.com = com and any(body.inertia.m > 0 for body in model.bodies[1:])
        solids = [(i, half_axes(model, i)) for i in range(1, len(model.bodies))] if ellipsoids else []
        self.ellipsoids = [(i, *found) for i, found in solids if found is not None]
        self.arm = 0.09 * self.skeleton.span
        self.scale = None if forces is None else _Scale(model, forces)
        self.axes = _new_axes(0.9 if forces is None else 0.82) if axes is None else _checked(axes)
        self.figure: Figure = self.axes.figure
        self._own = axes is None
        self._moving: list[Any] = []
        self._signs: list[Any] = self._legend()

    def _legend(self) -> list[Any]:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        circle: dict[str, Any] = {"marker": "o", "markersize": 9, "markerfacecolor": "white", "markeredgewidth": 1.6}
        signs: list[Any] = []
        if self.com:
            signs.append(Line2D([], [], color=MASS, linestyle="none", label="centre of mass", **circle))
        if self.ellipsoids:
            signs.append(Patch(facecolor=COLOURS[0], alpha=0.3, label="uniform ellipsoids with the links' inertias"))
        return signs

    # --- the room ------------------------------------------------------------------------

    def corners(self, T: Array, q: Array) -> Array:
        """(k, 3) points that must be inside of the axes."""
        tips = [(T[i] @ X)[:3, 3] + self.arm * (T[i] @ X)[:3, k] for _, i, X in self.frames for k in range(3)]
        masses = [point for _, quads in self._balls(T) for point in quads.reshape(-1, 3)]
        com = [self._com(q)] if self.com else []
        return np.array([*self.skeleton.at(T)[0].reshape(-1, 3), *tips, *masses, *com])

    def fit(self, corners: Sequence[Array], path: Array | None = None) -> None:
        """Set the limits of the axes, equal scales, and the view; axes that were given are widened."""
        points = np.concatenate([*corners, *([] if path is None else [path])])
        low, high = points.min(axis=0), points.max(axis=0)
        side = (high - low).max()
        half = np.maximum((high - low) / 2 + 0.04 * side, SMALLEST * side / 2)
        middle = (low + high) / 2
        low, high = middle - half, middle + half
        if not self._own:
            held = np.array([self.axes.get_xlim3d(), self.axes.get_ylim3d(), self.axes.get_zlim3d()])
            if self.axes.has_data():
                low, high = np.minimum(low, held[:, 0]), np.maximum(high, held[:, 1])
        self.low, self.high = low, high
        self.axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
        flat = None if self.normal is None else int(np.argmax(abs(self.normal)))
        if flat is not None and abs(abs(self.normal[flat]) - 1) < 1e-6:  # type: ignore[index]
            elevation, azimuth = ((0, 0), (0, -90), (90, -90))[flat]
            self.axes.view_init(elevation, azimuth)
            axis = self._axes()[flat]
            axis.set_ticks([])
            axis.label.set_visible(False)
            axis.line.set_visible(False)
        elif self._own:
            self.axes.view_init(20, -58)
        if self._own:
            self._fill(high - low)
        else:
            self.axes.set_box_aspect(high - low)

    def _axes(self) -> tuple[Any, Any, Any]:
        return self.axes.xaxis, self.axes.yaxis, self.axes.zaxis

    def _fill(self, sides: Array) -> None:
        """Ticks at equal distances on all axes; make the box as large as the figure allows."""
        from matplotlib.ticker import MaxNLocator
        from mpl_toolkits.mplot3d.proj3d import proj_transform

        step = float(np.diff(MaxNLocator(7, steps=(1, 2, 5, 10)).tick_values(0, float(sides.max())))[0])
        corner = 0.05 * sides.max()  # numbers of two axes would meet there
        for axis, low, high in zip(self._axes(), self.low + corner, self.high - corner, strict=True):
            if axis.label.get_visible():
                axis.set_ticks(step * np.arange(np.ceil(low / step), np.floor(high / step) + 1))
        self.axes.set_box_aspect(sides)
        corners = np.array(np.meshgrid(*zip(self.low, self.high, strict=True))).reshape(3, -1)
        self.axes.apply_aspect()
        across, up, _ = proj_transform(*corners, self.axes.get_proj())
        size = np.ptp(self.axes.transData.transform(np.column_stack([across, up])), axis=0)
        place = self.axes.get_position(original=True)
        room = self.figure.bbox.size * place.size - MARGINS * self.figure.dpi
        self.axes.set_box_aspect(sides, zoom=float((room / size).min()))

    def name(self, title: str) -> None:
        """Write the title."""
        style: dict[str, Any] = {"color": INK, "parse_math": False}
        if self._own:
            self.figure.suptitle(printable(title), fontsize=16, fontweight="bold", y=0.975, **style)
        else:
            self.axes.set_title(printable(title), **style)

    def explain(self) -> None:
        """Say what signs and colours mean; axes that were given stay as they are."""
        if not self._own:
            return
        import matplotlib

        with matplotlib.rc_context(STYLE):
            if self._signs:
                style: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.95), "ncols": 3}
                self.figure.legend(handles=self._signs, handlelength=1.6, fontsize=12, **style)
            if self.scale is not None:
                self._scale_bar(self.scale)

    def _scale_bar(self, scale: _Scale) -> None:
        bar = self.figure.colorbar(
            scale.mappable(),
            cax=self.figure.add_axes((0.3, 0.855, 0.4, 0.016)),
            orientation="horizontal",
            extend="max" if scale.passed else "neither",
        )
        bar.outline.set_visible(False)
        bar.ax.grid(visible=False)
        bar.ax.tick_params(labelsize=11, length=3)
        bar.ax.set_title(scale.label, fontsize=12, color=INK)

    # --- what moves ------------------------------------------------------------------------

    def clear(self) -> None:
        """Remove the robots, and leave the rest."""
        for artist in self._moving:
            artist.remove()
        self._moving.clear()

    def add(self, T: Array, q: Array, tau: Array | None, strength: float = 1.0) -> None:
        """Draw the robot with its bodies at these poses.

        Args:
            T: (n + 1, 4, 4) poses of the bodies.
            q: (nq,) the same as positions.
            tau: (nv,) joint forces, or None.
            strength: in (0, 1]: 1 is solid.
        """
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection

        last = strength == 1
        faces, body, joint = self.skeleton.at(T)
        colours = self._lit(self._colours(body, joint, tau), faces)
        colours[:, 3] = 1 if last else 0.12 + 0.4 * strength
        robot = Poly3DCollection(faces, facecolors=colours, edgecolors=colours if last else "none", linewidths=0.4)
        self._draw(robot, 3 if last else 2)
        for k, (circles, quads) in enumerate(self._balls(T)):
            colour = COLOURS[k % len(COLOURS)]
            self._draw(Poly3DCollection(quads, facecolors=colour, edgecolors="none", alpha=0.13 * strength), 4)
            self._curves(circles, colour, 1.0, 5, strength)
        if last:
            self._triads(T)
        if self.com:
            self._mark(self._com(q), strength)

    def line(self, path: Array, frame: str) -> None:
        """Draw the path of a frame through (rows, 3) points."""
        self._signs += self.axes.plot(*path.T, color=COLOURS[4], linewidth=1.6, zorder=2.5, label=f"path of {frame}")

    def _draw(self, artist: Any, zorder: float) -> None:
        artist.set_zorder(zorder)
        self.axes.add_collection3d(artist)
        self._moving.append(artist)

    def _curves(self, points: Array, colour: Any, width: float, zorder: float, alpha: float = 1.0) -> None:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection

        self._draw(Line3DCollection(points, colors=colour, linewidths=width, alpha=alpha, capstyle="round"), zorder)

    def _colours(self, body: Array, of_joint: Array, tau: Array | None) -> Array:
        """(k, 4) colours of the quadrangles before light falls on them."""
        from matplotlib.colors import to_rgba

        link, joint, base = (np.array(to_rgba(colour)) for colour in (LINK, JOINT, INK))
        colours = np.where(of_joint[:, None], joint if tau is None else link, link)
        colours[of_joint & (body == 0)] = base
        if tau is not None and self.scale is not None:
            of_body = self.scale.colours(tau)
            shown = np.isfinite(of_body[body, 0])
            colours[shown] = of_body[body[shown]]
        return colours

    def _lit(self, colours: Array, faces: Array) -> Array:
        """Colours under light from behind the viewer's left shoulder."""
        elevation, azimuth = np.radians([self.axes.elev + 25, self.axes.azim - 35])
        light = (np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation))
        shade = 0.8 + 0.2 * (normals(faces) @ np.array(light))
        return np.column_stack([np.clip(colours[:, :3] * shade[:, None], 0, 1), colours[:, 3]])

    def _balls(self, T: Array) -> list[tuple[Array, Array]]:
        """For each ellipsoid the (3, 37, 3) circles through its axes, and its surface."""
        turn = np.linspace(0, 2 * np.pi, 37)
        circle = np.stack([np.cos(turn), np.sin(turn)])
        placed = []
        for i, middle, axes in self.ellipsoids:
            R, p = T[i, :3, :3], T[i, :3, 3]
            center, half = p + R @ middle, R @ axes
            circles = np.array([center + (half[:, pair] @ circle).T for pair in ([0, 1], [0, 2], [1, 2])])
            placed.append((circles, ball(center, half, 28)))
        return placed

    def _triads(self, T: Array) -> None:
        for label, i, X in self.frames:
            pose = T[i] @ X
            origin, tips = pose[:3, 3], pose[:3, 3] + self.arm * pose[:3, :3].T
            self._curves(np.array([(origin, tip) for tip in tips]), list(AXES), 2.4, 6)
            if label:
                place = origin + 0.03 * self.skeleton.span * np.array((0, 0, -1.0))
                style: dict[str, Any] = {"fontsize": 11, "color": INK, "zorder": 8, "va": "top", "parse_math": False}
                self._moving.append(self.axes.text(*place, f" {printable(label)}", **style))

    def _com(self, q: Array) -> Array:
        return np.array(center_of_mass(self.model, list(q))[0], dtype=float)

    def _mark(self, c: Array, strength: float) -> None:
        """The sign of a centre of mass, and a plumb line to the floor of the axes."""
        if strength == 1 and self.normal is None:
            floor = np.array([c[0], c[1], self.low[2]])
            self._curves(np.array([(c, floor)]), MASS, 1.0, 1.5)
            self._moving.append(self.axes.scatter(*floor, s=22, marker="x", color=MASS, zorder=1.5, depthshade=False))
        size = 110 if strength == 1 else 16
        face = "white" if strength == 1 else MASS
        style: dict[str, Any] = {"edgecolor": MASS, "linewidth": 1.8, "zorder": 7, "depthshade": False, "alpha": 1.0}
        self._moving.append(self.axes.scatter(*c, s=size, marker="o", facecolor=face, **style))
        if strength == 1:
            self._moving.append(self.axes.scatter(*c, s=70, marker="+", **style | {"color": MASS, "edgecolor": None}))


class _Scale:
    """Colours of joint forces: shares of the rated efforts where all joints have one, else sizes."""

    def __init__(self, model: Model, forces: Array) -> None:
        self.places = [(i, at.start) for i, at in enumerate(model.v_index) if at.stop - at.start == 1]
        places = [k for _, k in self.places]
        rated = limit_column(model, "effort", "nv", math.inf)[places]
        self.limits = rated if len(rated) and ((rated > 0) & (rated < math.inf)).all() else None
        units = sorted({force_units(model)[k] for k in places})
        self.count = len(model.bodies)
        if self.limits is not None:
            self.most, self.label = 100.0, "joint force, share of the rated effort [%]"
            self.passed = bool((abs(forces[:, places]) > self.limits).any())
        else:
            self.most = float(abs(forces[:, places]).max(initial=0)) or 1.0
            self.label, self.passed = f"joint force [{', '.join(units)}]", False

    def mappable(self) -> Any:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LinearSegmentedColormap, Normalize

        colours = ("#efe0a6", "#f2bf55", "#e58a3c", "#b8443a", "#6b1d45")
        scale = LinearSegmentedColormap.from_list("effort", colours).with_extremes(over="#1a1033")
        return ScalarMappable(Normalize(0, self.most), scale)

    def colours(self, tau: Array) -> Array:
        """(n + 1, 4) a colour for each body; NaN where there is none."""
        sizes = abs(tau[[k for _, k in self.places]])
        if self.limits is not None:
            sizes = 100 * sizes / self.limits
        table = np.full((self.count, 4), np.nan)
        table[[i for i, _ in self.places]] = self.mappable().to_rgba(sizes)
        return table


def positions_of(model: Model, q: Array, frame: str) -> Array:
    """(k, 3) positions of a frame, thinned to two thousand at most."""
    link = model.frame(instance("plot: trace", frame, str))
    thin = q[:: max(len(q) // 1000, 1)]
    return np.array([(poses(model, row)[link.body] @ [*map(float, link.placement.p), 1])[:3] for row in thin])


def _new_axes(height: float) -> Any:
    figure = new_figure(1000, 860, constrained=False)
    import matplotlib

    with matplotlib.rc_context(STYLE):
        axes: Any = figure.add_axes((0.0, 0.0, 1.0, height), projection="3d", computed_zorder=False, proj_type="ortho")
        for axis, name in zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz", strict=True):
            axis.set_pane_color((1, 1, 1, 1))
            axis.line.set_color(FAINT)
            axis._axinfo["grid"].update(color="#e6e9ed", linewidth=0.9)
            axis.set_label_text(f"{name} [m]")
            axis.labelpad = 14
    return axes


def _checked(axes: Any) -> Any:
    if not hasattr(axes, "add_collection3d"):
        raise InputError('plot: axes must be three-dimensional: figure.add_subplot(projection="3d")')
    axes.computed_zorder = False
    return axes
