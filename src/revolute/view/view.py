"""`View`: robots in a browser, live or as a recording."""

import atexit
import contextlib
import html
import io
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, instance
from revolute.errors import InputError, printable, warn_caller
from revolute.model.named_configurations import home
from revolute.plot.html import picture
from revolute.plot.skeleton import span
from revolute.spatial import Transform
from revolute.view.figure import Figure
from revolute.view.motion import Movable, ViewedMotion
from revolute.view.panel import Panel
from revolute.view.player import RATE, Player
from revolute.view.server import LOCAL, LOOPBACK, started
from revolute.view.surfaces import link_surfaces
from revolute.whole_file import check_target, write_document

MOST_PICTURES = 3000  # maximum number of frames of a recorded animation


class _Shown:
    """A robot in a view: one figure per sample of its motion, and a panel for the last sample."""

    def __init__(
        self, server: Any, place: int, robot: Movable, motion: ViewedMotion, base: Array, collisions: bool
    ) -> None:
        self.robot, self.motion, self.lock = robot, motion, threading.RLock()
        surfaces, samples = link_surfaces(robot.links, collisions), len(motion.q)
        self.figures = [
            Figure(server, f"/robot{place}/sample{k}", robot, surfaces, base, opacity, motion.largest())
            for k, opacity in enumerate(np.linspace(0.25, 1, samples) if samples > 1 else [1.0])
        ]
        self.q = motion.q[-1, 0]
        self.panel = Panel(
            server.gui, printable(robot.links.name), robot, max(1.0, span(robot.links)), self._slid, motion.tau is None
        )
        self.panel.home.on_click(lambda _: self.set(_start(robot)))
        self.at(0.0)

    def _slid(self, slider: int, q: Array) -> None:
        """Follow a moved slider. Closed loops remain closed, with the slider's joint fixed."""
        with self.lock:
            if self.robot.settled is not None:
                held = np.array(self.panel.sliders.places[slider])
                start = self.q.copy()
                start[held] = q[held]
                closed = self.robot.settled(start, held)
                q = self.q if closed is None else closed
            self.set(q)

    def set(self, q: Array, tau: Array | None = None, loads: Mapping[str, Array] | None = None) -> None:
        """Move the last sample to joint positions, and show its torques and wrenches."""
        with self.lock:
            self.q = q
            self.figures[-1].move(q, self.motion.loads(0) if loads is None else loads)
            self.panel.set(q, tau)

    def at(self, time: float) -> None:
        """Show the motion at a time since its start [s]."""
        k, motion = self.motion.at(time), self.motion
        with self.lock:
            for figure, rows in zip(self.figures[:-1], motion.q[:-1], strict=True):
                figure.move(rows[k])
            self.set(motion.q[-1, k], None if motion.tau is None else motion.tau[k], motion.loads(k))


class View:
    """Robots in a browser. `Robot.view` creates a view; `add` adds robots.

    By default the server listens on this machine only (127.0.0.1). Use `wait` at the end of a script: the view closes
    when the program ends. A notebook shows the view itself.
    """

    def __init__(self, host: str = LOOPBACK, port: int = 8080, title: str = "Revolute") -> None:
        self.host = instance("view: host", host, str)
        self._server = started(host, port, title)
        self._shown: list[_Shown] = []
        self._player: Player | None = None
        self._closed = False
        atexit.register(self.close)
        gui = self._server.gui
        labels = {"links": "links", "frames": "frames", "com": "centre of mass", "ellipsoids": "ellipsoids of inertia"}
        with gui.add_folder("Show", expand_by_default=False):
            self._switches = {name: gui.add_checkbox(label, name == "links") for name, label in labels.items()}
        for switch in self._switches.values():
            switch.on_update(lambda _: self._switch())

    @property
    def url(self) -> str:
        """The address for a browser."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "") else self.host
        return f"http://{host}:{self._server.get_port()}"

    @property
    def audience(self) -> str:
        """A statement of which machines can open the view."""
        if self.host in LOCAL:
            return "only this machine can open it"
        return "every machine that can reach this one can open it, without a password"

    @property
    def q(self) -> Array:
        """(nq,) joint positions of the first robot; they can be assigned."""
        q: Array = self._shown[0].q.copy()
        return q

    @q.setter
    def q(self, q: ArrayLike) -> None:
        shown = self._shown[0]
        shown.set(ViewedMotion.of(shown.robot, q).q[-1, 0])

    def add(
        self, robot: Any, q: ArrayLike | None = None, *, t: ArrayLike | None = None, tau: ArrayLike | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None, placement: Transform | None = None, collisions: bool = False,
    ) -> Self:
        """Add a robot to the view, and return the view.

        Args:
            robot: a robot of any kind.
            q, t, tau, wrenches, collisions: see `Robot.view`.
            placement: pose of the robot's base in the scene.
        """
        if not hasattr(robot, "_movable"):
            raise InputError(f"view: robot must be a robot, not {type(robot).__name__}")
        movable = robot._movable()
        place = Transform() if placement is None else instance("view: placement", placement, Transform)
        motion = ViewedMotion.of(movable, _start(movable) if q is None else q, t, tau, wrenches)
        if q is not None and t is None:
            motion = replace(motion, q=_closed(movable, motion.q))
        self._shown.append(_Shown(self._server, len(self._shown), movable, motion, place.matrix(), collisions))
        self._switch()
        self._stage()
        duration = max(shown.motion.duration for shown in self._shown)
        if duration and (self._player is None or self._player.duration < duration):
            if self._player is not None:
                self._player.end()
            self._player = Player(self._server.gui, duration, self._at)
        return self

    def show(
        self, *, links: bool | None = None, frames: bool | None = None, com: bool | None = None,
        ellipsoids: bool | None = None,
    ) -> Self:
        """Show or hide parts, and return the view. None leaves a part unchanged.

        Args:
            links: surfaces of the links.
            frames: axes of the links' frames: red x, green y, blue z.
            com: the centre of mass of all moving bodies.
            ellipsoids: for each body, the uniform ellipsoid with its mass and inertia.
        """
        for name, value in {"links": links, "frames": frames, "com": com, "ellipsoids": ellipsoids}.items():
            if value is not None:
                self._switches[name].value = instance(f"view: {name}", value, bool)
        self._switch()
        return self

    def html(self) -> str:
        """The scene and its motion as one HTML page that requires neither network nor server."""
        duration = max((shown.motion.duration for shown in self._shown), default=0.0)
        if self._player is not None:
            self._player.pause()
        before = [shown.q for shown in self._shown]
        if duration:
            self._at(0.0)
        recorder = self._server.get_scene_serializer()
        pictures = min(int(np.ceil(duration * RATE)), MOST_PICTURES)
        for k in range(1, pictures + 1):
            recorder.insert_sleep(duration / pictures)
            self._at(duration * k / pictures)
        page: str = recorder.as_html()
        if duration:
            for shown, q in zip(self._shown, before, strict=True):
                shown.set(q)
        return page

    def save(self, path: str | Path) -> None:
        """Write the scene and its motion as one HTML file that needs no network, without sliders for joints.

        Raises:
            InputError: the file cannot be written, or its suffix is not .html.
        """
        check_page(Path(path))
        write_document(path, self.html())

    def wait(self) -> None:
        """Block until Ctrl-C, with the view open."""
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()
        self.close()

    def close(self) -> None:
        """Stop the server; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        if self._player is not None:
            self._player.end()
        with contextlib.redirect_stdout(io.StringIO()):
            self._server.stop()
        atexit.unregister(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        names = ", ".join(printable(shown.robot.links.name) for shown in self._shown)
        return f"<View of {names} at {self.url}: {self.audience}>"

    def _repr_html_(self) -> str:
        """HTML of the live view, for notebooks; with Matplotlib, a saved notebook shows a picture in its place."""
        address = html.escape(self.url, quote=True)
        models = [(x.robot.links, x.q if x.robot.space is x.robot.links else None) for x in self._shown]
        still = "".join(part for model, q in models for part in picture(model, q))
        return (
            f'<object data="{address}" type="text/html" style="width:100%;height:500px;border:1px solid #ddd">{still}'
            "<p>This view closed with its program. To see it, run the cell again.</p></object>"
            f"<p>While its program runs, the view is at <a href='{address}'>{address}</a>: {self.audience}. "
            "<code>view.save('robot.html')</code> writes a page for others.</p>"
        )

    def _switch(self) -> None:
        chosen = {name: bool(switch.value) for name, switch in self._switches.items()}
        for shown in self._shown:
            for figure in shown.figures:
                figure.show(**chosen)

    def _at(self, time: float) -> None:
        for shown in self._shown:
            if shown.motion.duration:
                shown.at(time)

    def _stage(self) -> None:
        """Set a floor below all robots, and a camera that sees them."""
        low, high = _bounds(self._shown)
        middle, size = (low + high) / 2, max(float(np.linalg.norm(high - low)), 1e-2)
        cell = 10 ** np.floor(np.log10(size / 3))
        side = float(np.ceil(4 * size / cell) * cell)
        cells = {"cell_size": float(cell), "section_size": float(5 * cell)}
        self._server.scene.add_grid("/floor", side, side, position=(0.0, 0.0, float(low[2])), **cells)
        camera = self._server.initial_camera
        aside = size * np.array([0.11, 0.1, 0.0])  # leave space for the panel on the right
        camera.position = tuple(middle + aside + size * np.array([0.67, -0.75, 0.4]))
        camera.look_at = tuple(middle + aside)
        camera.near = size / 200
        camera.far = size * 200


def _start(robot: Movable) -> Array:
    """The robot's home; for a robot with loops, the nearest configuration with closed loops if the search finds one."""
    q = home(robot.space)
    closed = None if robot.settled is None else robot.settled(q, np.zeros(0, int))
    return q if closed is None else closed


def _closed(robot: Movable, q: Array) -> Array:
    """(K, 1, nq) nearest configurations with closed loops; unchanged, with a warning, if none is found."""
    if robot.settled is None:
        return q
    found = [robot.settled(row[0], np.zeros(0, int)) for row in q]
    if any(row is None for row in found):
        warn_caller(f"view: robot '{robot.links.name}': a loop is open: no closed configuration was found near q")
    return np.array([own if row is None else row[None] for own, row in zip(q, found, strict=True)])


def _bounds(shown: list[_Shown]) -> tuple[Array, Array]:
    """Lowest and highest corner of all robots at the start."""
    pairs = [pair for each in shown for pair in zip(each.figures, each.motion.q, strict=True)]
    points = np.concatenate([figure.corners(rows[0]) for figure, rows in pairs])
    return points.min(axis=0), points.max(axis=0)


def check_page(path: Path) -> None:
    """Raise `InputError` unless the suffix of a path is .html and its folder exists."""
    check_target(path, "recordings", (".html", ".htm"))


def view(
    robot: Any, q: ArrayLike | None = None, t: ArrayLike | None = None, tau: ArrayLike | None = None, *,
    wrenches: Mapping[str, ArrayLike] | None = None, collisions: bool = False, host: str = LOOPBACK, port: int = 8080,
) -> View:
    """See `Robot.view`."""
    shown = View(host, port)
    try:
        return shown.add(robot, q, t=t, tau=tau, wrenches=wrenches, collisions=collisions)
    except BaseException:
        shown.close()
        raise
