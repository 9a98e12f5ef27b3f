"""Figures of robots: links, joints, frames, centre of mass, inertia ellipsoids, and joint forces as colours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import MOST_SHOWN, Array, evenly_chosen, finite_rows, instance, instances
from revolute.dynamics.center_of_mass import center_of_mass
from revolute.errors import ShapeError, printable
from revolute.model import Model, force_units, limit_column, numeric
from revolute.model.named_configurations import home
from revolute.plot.canvas import PlaneAxes, SpaceAxes, canvas, free_place
from revolute.plot.figures import artists, styled
from revolute.plot.skeleton import Skeleton, ball, ends, half_axes, motion_plane, normals, poses
from revolute.plot.style import COLOURS, INK, NOTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AXES = ("#c8372d", "#2b8a3e", "#1c5fb8")
"""Colours of the x, y and z axes of coordinate frames."""
LINK, JOINT, MASS = "#b4c0cb", COLOURS[0], COLOURS[1]
GAPS = (2.0, 5.0, 9.0, 13.0, 18.0, 25.0, 35.0)  # distances from a point to its label, in order of preference [points]
LABELLED = 12  # maximum number of bodies of a planar robot whose names are shown by default


def robot(
    model: Model, q: ArrayLike | None = None, tau: ArrayLike | None = None, *, frames: Iterable[str] | None = None,
    com: bool = True, ellipsoids: bool = False, trace: str | None = None, title: str | None = None, axes: Any = None,
) -> Figure:
    """See `Robot.plot`."""
    model = numeric(model, "plot")
    what = f"plot: robot '{model.name}'"
    q = _table(what, "q", home(model) if q is None else q, model.position_names)
    forces = None if tau is None else _table(what, "tau", tau, model.coordinate_names)
    if forces is not None and len(forces) != len(q):
        if 1 not in (len(forces), len(q)):
            raise ShapeError(f"{what}: tau has {len(forces)} rows, but q has {len(q)}")
        rows = max(len(forces), len(q))
        q, forces = np.repeat(q, rows // len(q), axis=0), np.repeat(forces, rows // len(forces), axis=0)
    path = None if trace is None else positions_of(model, q, trace)
    chosen = evenly_chosen(len(q), MOST_SHOWN)
    shown = [poses(model, row) for row in q[chosen]]
    drawing = RobotDrawing(model, frames_of(model, frames), com, ellipsoids, forces, axes)
    if frames is None and len(q) == 1:
        drawing.name_bodies()
    drawing.fit([drawing.corners(T, row) for T, row in zip(shown, q[chosen], strict=True)], path)
    if path is not None:
        drawing.line(path, printable(str(trace)))
    for k, (place, T) in enumerate(zip(chosen, shown, strict=True)):
        drawing.add(T, q[place], None if forces is None else forces[place], (k + 1) / len(chosen))
    fewer = f", {MOST_SHOWN} drawn" if len(q) > MOST_SHOWN else ""
    counted = "" if len(q) == 1 else f": {len(q):,} configurations{fewer}"
    drawing.explain()
    drawing.title(model.name + counted if title is None else instance("plot: title", title, str))
    return drawing.figure


def _table(what: str, name: str, x: ArrayLike, labels: Sequence[str]) -> Array:
    """Check a batch, and reshape it to (rows, columns)."""
    array = finite_rows(what, name, x, len(labels), labels)
    return array.reshape(math.prod(array.shape[:-1]), len(labels))


def frames_of(model: Model, frames: Iterable[str] | None) -> list[tuple[str, int, Array]]:
    """Labels, bodies and placements of named frames; by default the base and the ends of branches, without labels."""
    if isinstance(frames, str):
        frames = (frames,)
    names = ends(model) if frames is None else instances("plot: frames", frames, str)
    found = [model.frame(name) for name in names]
    placed = [(frame.name if frames is not None else "", frame.body, frame.placement.matrix()) for frame in found]
    return [("", 0, np.eye(4)), *placed] if frames is None else placed


class RobotDrawing:
    """Drawing of a robot in axes, at one or several configurations.

    Args:
        model: the robot, without symbols.
        frames: see `frames_of`.
        com, ellipsoids: whether to draw the centre of mass, and uniform ellipsoids with the links' inertias.
        forces: (rows, nv) joint forces that determine the range of the colour scale; None: no colours.
        axes: Matplotlib's axes to draw in; None: new axes.
    """

    def __init__(
        self, model: Model, frames: Sequence[tuple[str, int, Array]], com: bool, ellipsoids: bool, forces: Array | None,
        axes: Any = None,
    ) -> None:
        self.model, self.frames = model, frames
        self.skeleton = Skeleton.of(model)
        self.com = com and any(body.inertia.m > 0 for body in model.bodies[1:])
        solids = [(i, half_axes(model, i)) for i in range(1, len(model.bodies))] if ellipsoids else []
        self.ellipsoids = [(i, *found) for i, found in solids if found is not None]
        self.arm = 0.09 * self.skeleton.span
        self.scale = None if forces is None else _Scale(model, forces)
        self.canvas = canvas(motion_plane(model), axes, forces is not None)
        self.figure: Figure = self.canvas.figure
        self.labels = [(label, i, X[:3, 3]) for label, i, X in frames if label]
        self._moving: list[Any] = []
        self._path = np.empty((0, 3))
        self._signs: list[Any] = self._legend()

    def name_bodies(self) -> None:
        """Write the names of bodies and branch ends next to them, for a small planar robot."""
        if isinstance(self.canvas, PlaneAxes) and len(self.model.bodies) <= LABELLED:
            found = [self.model.frame(name) for name in ends(self.model)]
            self.labels = [(frame.name, frame.body, frame.placement.matrix()[:3, 3]) for frame in found]
            named = {label for label, *_ in self.labels}
            bodies = zip(self.model.bodies, self.skeleton.middles, strict=True)
            self.labels += [
                (body.name, i, middle if i else np.zeros(3))
                for i, (body, middle) in enumerate(bodies)
                if body.name not in named
            ]

    def _legend(self) -> list[Any]:
        circle: dict[str, Any] = {"marker": "o", "markersize": 6, "markerfacecolor": "white", "markeredgewidth": 1.2}
        signs: list[Any] = []
        if self.com:
            signs.append(artists().Line2D([], [], color=MASS, linestyle="none", label="centre of mass", **circle))
        if self.ellipsoids:
            label = "uniform ellipsoids with the links' inertias"
            signs.append(artists().Patch(facecolor=COLOURS[0], alpha=0.3, label=label))
        return signs

    def corners(self, T: Array, q: Array) -> Array:
        """(k, 3) points that must be inside the limits of the axes [m]."""
        tips = [(T[i] @ X)[:3, 3] + self.arm * (T[i] @ X)[:3, k] for _, i, X in self.frames for k in range(3)]
        masses = [point for _, quads in self._balls(T) for point in quads.reshape(-1, 3)]
        com = [self._com(q)] if self.com else []
        return np.array([*self.skeleton.at(T)[0].reshape(-1, 3), *tips, *masses, *com])

    def fit(self, corners: Sequence[Array], path: Array | None = None) -> None:
        """Set the limits of the axes around points, with equal scales."""
        self.canvas.fit(np.concatenate([*corners, *([] if path is None else [path])]))

    def title(self, words: str) -> None:
        """Write the title."""
        if self.canvas.own:
            self.canvas.title(printable(words))
        else:
            self.canvas.axes.set_title(printable(words), color=INK, parse_math=False)

    def explain(self) -> None:
        """Add a legend and a colour scale, unless the caller passed the axes."""
        if not self.canvas.own:
            return
        with styled():
            if self._signs:
                self.canvas.legend(self._signs)
            if self.scale is not None:
                extend = "max" if self.scale.passed else "neither"
                self.canvas.scale_bar(self.scale.mappable(), self.scale.label, extend)

    def clear(self) -> None:
        """Remove the robots; keep the axes, title and legend."""
        for artist in self._moving:
            artist.remove()
        self._moving.clear()

    def add(self, T: Array, q: Array, tau: Array | None, strength: float = 1.0) -> None:
        """Draw the robot with its bodies at (n + 1, 4, 4) poses. With a strength below 1, it is fainter."""
        last = strength == 1
        faces, body, joint = self.skeleton.at(T)
        colours = self._lit(self._colours(body, joint, tau), faces)
        colours[:, 3] = 1 if last else 0.12 + 0.4 * strength
        self._moving.append(self.canvas.solid(faces, colours, colours if last else "none", 3 if last else 2))
        for k, (circles, quads) in enumerate(self._balls(T)):
            colour = COLOURS[k % len(COLOURS)]
            self._moving.append(self.canvas.solid(quads, colour, "none", 4, 0.13 * strength))
            self._moving.append(self.canvas.curves(circles, colour, 0.7, 5, strength))
        if self.com:
            self._mark(self._com(q), strength)
        if last:
            masses = [self._com(q)[None]] if self.com else []
            self._write(T, np.concatenate([faces.reshape(-1, 3), faces.mean(axis=1), *self._triads(T), *masses]))

    def line(self, path: Array, frame: str) -> None:
        """Draw the path of a frame through (rows, 3) points."""
        self._path = path
        self._signs += self.canvas.line(path, color=COLOURS[4], linewidth=1.1, zorder=2.5, label=f"path of {frame}")

    def _colours(self, body: Array, of_joint: Array, tau: Array | None) -> Array:
        """(k, 4) colours of the quadrangles without lighting."""
        link, joint, base = (np.array(artists().to_rgba(colour)) for colour in (LINK, JOINT, INK))
        colours = np.where(of_joint[:, None], joint if tau is None else link, link)
        colours[of_joint & (body == 0)] = base
        if tau is not None and self.scale is not None:
            of_body = self.scale.colours(tau)
            shown = np.isfinite(of_body[body, 0])
            colours[shown] = of_body[body[shown]]
        return colours

    def _lit(self, colours: Array, faces: Array) -> Array:
        """Colours with the lighting of the canvas."""
        shade = 0.8 + 0.2 * (normals(faces) @ self.canvas.light())
        return np.column_stack([np.clip(colours[:, :3] * shade[:, None], 0, 1), colours[:, 3]])

    def _balls(self, T: Array) -> list[tuple[Array, Array]]:
        """For each ellipsoid, the (3, 37, 3) ellipses through its axes, and its surface."""
        turn = np.linspace(0, 2 * np.pi, 37)
        circle = np.stack([np.cos(turn), np.sin(turn)])
        placed = []
        for i, middle, axes in self.ellipsoids:
            R, p = T[i, :3, :3], T[i, :3, 3]
            center, half = p + R @ middle, R @ axes
            circles = np.array([center + (half[:, pair] @ circle).T for pair in ([0, 1], [0, 2], [1, 2])])
            placed.append((circles, ball(center, half, 28)))
        return placed

    def _triads(self, T: Array) -> list[Array]:
        """Draw the axes of the frames, and return points on these axes."""
        found = []
        for _, i, X in self.frames:
            pose = T[i] @ X
            origin, tips = pose[:3, 3], pose[:3, 3] + self.arm * pose[:3, :3].T
            self._moving.append(self.canvas.curves(np.array([(origin, tip) for tip in tips]), list(AXES), 1.6, 6))
            found += [np.linspace(origin, tip, 9) for tip in tips]
        return found

    def _write(self, T: Array, points: Array) -> None:
        """Write the labels without overlap, clear of (k, 3) points of the drawing."""
        if not self.labels:
            return
        point = self.canvas.metres_per_point()
        taken = self.canvas.seen(np.concatenate([points, self._path]))
        for words, i, place in self.labels:
            label = printable(words)
            anchor = (T[i] @ [*place, 1])[:3]
            size = point * np.array([0.62 * NOTE * len(label) + 4, NOTE + 5])
            middle = free_place(self.canvas.seen(anchor), size, taken, self.canvas.box, point * np.array(GAPS))
            right, up = middle - self.canvas.seen(anchor)
            self._moving.append(self.canvas.text(anchor + right * self.canvas.right + up * self.canvas.up, label))
            grid = np.stack(np.meshgrid(np.linspace(-0.5, 0.5, 9), np.linspace(-0.5, 0.5, 3)), axis=-1).reshape(-1, 2)
            taken = np.concatenate([taken, middle + grid * size])

    def _com(self, q: Array) -> Array:
        return np.array(center_of_mass(self.model, list(q))[0], dtype=float)

    def _mark(self, c: Array, strength: float) -> None:
        """Draw a centre of mass, and a vertical line from it to the floor of the axes."""
        last = strength == 1
        if last and isinstance(self.canvas, SpaceAxes):
            floor = np.array([c[0], c[1], self.canvas.low[2]])
            self._moving.append(self.canvas.curves(np.array([(c, floor)]), MASS, 0.7, 1.5))
            self._moving.append(self.canvas.mark(floor, s=9, marker="x", color=MASS, zorder=1.5))
        style: dict[str, Any] = {"edgecolor": MASS, "linewidth": 1.2, "zorder": 7, "alpha": 1.0}
        disc: dict[str, Any] = {"s": 44, "facecolor": "white"} if last else {"s": 6, "facecolor": MASS}
        self._moving.append(self.canvas.mark(c, marker="o", **disc, **style))
        if last:
            self._moving.append(self.canvas.mark(c, s=28, marker="+", **style | {"color": MASS, "edgecolor": None}))


class _Scale:
    """Colours of joint forces: fractions of the rated efforts if all joints have one, otherwise magnitudes."""

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
        colours, parts = ("#efe0a6", "#f2bf55", "#e58a3c", "#b8443a", "#6b1d45"), artists()
        scale = parts.LinearSegmentedColormap.from_list("effort", colours).with_extremes(over="#1a1033")
        return parts.ScalarMappable(parts.Normalize(0, self.most), scale)

    def colours(self, tau: Array) -> Array:
        """(n + 1, 4) colours of the bodies; NaN for bodies without colour."""
        sizes = abs(tau[[k for _, k in self.places]])
        if self.limits is not None:
            sizes = 100 * sizes / self.limits
        table = np.full((self.count, 4), np.nan)
        table[[i for i, _ in self.places]] = self.mappable().to_rgba(sizes)
        return table


def positions_of(model: Model, q: Array, frame: str) -> Array:
    """(k, 3) positions of a frame, thinned to at most two thousand."""
    link = model.frame(instance("plot: trace", frame, str))
    thin = q[:: max(len(q) // 1000, 1)]
    return np.array([(poses(model, row)[link.body] @ [*map(float, link.placement.p), 1])[:3] for row in thin])
