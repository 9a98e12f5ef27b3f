"""Animations of motions, as GIF files, or as MP4 files by ffmpeg."""

from __future__ import annotations

import base64
import io
import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, finite_rows, float_copy, instance, number
from revolute.errors import InputError, ShapeError, extra, printable
from revolute.model import Model, numeric
from revolute.plot.figures import artists
from revolute.plot.robots import RobotDrawing, frames_of, positions_of
from revolute.plot.skeleton import poses
from revolute.records import dataclass
from revolute.whole_file import check_target, write_document

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATE = 25.0  # default frame rate [1/s]. Frame times of a GIF have a resolution of 0.01 s
MOST = 1500  # maximum number of frames of a video: one minute at `RATE`
FITTED = 100  # maximum number of poses used to compute the limits of the axes


@dataclass(frozen=True, eq=False, repr=False)
class Animation:
    """A robot in motion, which `save` writes as .gif or .mp4. A notebook shows it.

    Attributes:
        model: the robot.
        t: (T,) increasing times [s].
        q: (T, nq) joint positions [rad, m].
        tau: (T, nv) joint forces [N m, N], shown as colours of the links; None: no colours.
        frames, com, ellipsoids, trace, title: see `Robot.animate`.
    """

    model: Model
    t: Array
    q: Array
    tau: Array | None = None
    frames: tuple[str, ...] | None = None
    com: bool = True
    ellipsoids: bool = False
    trace: str | None = None
    title: str | None = None

    def __repr__(self) -> str:
        instants = f"{len(self.t):,} instants, t from {self.t[0]:g} to {self.t[-1]:g} s"
        return f"<Animation of {self.model.name!r}: {instants}; .save('motion.gif') or .mp4>"

    def save(self, path: str | os.PathLike[str], rate: float = RATE, speed: float = 1.0) -> None:
        """Write the motion as a video. The file is written completely or not at all.

        The rate of a GIF is 100 divided by an integer. An MP4 (H.264) needs ffmpeg, from the system or the package
        imageio-ffmpeg.

        Args:
            path: path of a .gif or .mp4 file.
            rate: frames per second.
            speed: speed of the video relative to the motion; 0.5 is half speed.

        Raises:
            InputError: the suffix is unknown, rate or speed is not positive, there are too many frames, or the file
                cannot be written.
            MissingExtraError: Matplotlib, or ffmpeg for an MP4, is not installed.

        Example:
            >>> import pathlib, tempfile
            >>> robot, t = revolute.robots.planar(2), np.linspace(0, 0.2, 21)
            >>> fall = robot.simulate([0.0, 0.5], [0.0, 0.0], None, t)
            >>> path = pathlib.Path(tempfile.mkdtemp(), "fall.gif")
            >>> robot.animate(fall.q, t).save(path)
            >>> path.stat().st_size > 1000
            True
        """
        instance("save: path", path, (str, os.PathLike))
        check_film(Path(path))
        gif = Path(path).suffix.lower() == ".gif"
        for name, value in (("rate", rate), ("speed", speed)):
            if not 0 < number(f"save: {name}", value) < math.inf:
                raise InputError(f"save: {name} must be positive and finite, not {value}")
        rate = 100 / max(round(100 / rate), 2) if gif else rate  # browsers slow down GIFs above 50 Hz
        times = self._times(rate, speed)
        if len(times) > MOST:
            raise InputError(
                f"save: {(self.t[-1] - self.t[0]) / speed:g} s at {rate:g} per second are {len(times):,} frames, but "
                f"at most {MOST:,} are allowed; use a lower rate, a higher speed or a part of the motion"
            )
        write_document(path, self._gif(times, rate) if gif else _mp4(self._pictures(times), rate))

    def figure(self, at: float) -> Figure:
        """A Matplotlib figure of the robot at a time [s].

        Raises:
            InputError: the time is outside the motion.

        Example:
            >>> robot, t = revolute.robots.planar(2), np.linspace(0, 0.2, 21)
            >>> robot.animate(np.zeros((21, 2)), t).figure(0.1).get_suptitle()
            'planar2: t = 0.10 s'
        """
        at = number("figure: at", at)
        if not self.t[0] <= at <= self.t[-1]:
            raise InputError(f"figure: {at:g} s is outside the motion, from {self.t[0]:g} to {self.t[-1]:g} s")
        drawing = self._drawing()
        self._show(drawing, at)
        return drawing.figure

    def _repr_html_(self) -> str:
        film = base64.b64encode(self._gif(self._times(10.0, 1.0)[:60], 10.0)).decode()
        return f'<img src="data:image/gif;base64,{film}" style="max-width: 640px; width: 100%"/>'

    def _times(self, rate: float, speed: float) -> Array:
        count = int((self.t[-1] - self.t[0]) / speed * rate + 1e-6) + 1
        times: Array = self.t[0] + np.arange(count) / rate * speed
        return times

    def _gif(self, times: Array, rate: float) -> bytes:
        step = max(len(times) // 4, 1)
        samples, others = list(self._pictures(times[::step])), self._pictures(np.delete(times, np.s_[::step]))
        pictures = (next(others) if k % step else samples[k // step] for k in range(len(times)))
        return _gif(samples, pictures, rate)

    def _drawing(self) -> RobotDrawing:
        """Axes for the whole motion, without the robot."""
        drawing = RobotDrawing(self.model, frames_of(self.model, self.frames), self.com, self.ellipsoids, self.tau)
        rows = self.q[np.unique(np.linspace(0, len(self.q) - 1, min(len(self.q), FITTED)).round().astype(int))]
        path = None if self.trace is None else positions_of(self.model, self.q, self.trace)
        drawing.fit([drawing.corners(poses(self.model, q), q) for q in rows], path)
        if path is not None:
            drawing.line(path, str(self.trace))
        drawing.explain()
        return drawing

    def _show(self, drawing: RobotDrawing, at: float) -> None:
        """Draw the robot at the last row that is not later than the time `at`."""
        row = int(np.searchsorted(self.t, at + 1e-9 * (self.t[-1] - self.t[0]), side="right")) - 1
        q = self.q[row]
        drawing.add(poses(self.model, q), q, None if self.tau is None else self.tau[row])
        drawing.title(f"{self.model.name if self.title is None else self.title}: t = {at:.2f} s")

    def _pictures(self, times: Array) -> Iterator[Array]:
        """(height, width, 3) pictures, one per time, with colours from 0 to 255."""
        drawing = self._drawing()
        canvas = artists().FigureCanvasAgg(drawing.figure)
        for at in times:
            drawing.clear()
            self._show(drawing, float(at))
            canvas.draw()
            yield np.asarray(canvas.buffer_rgba())[..., :3].copy()


def animation(
    model: Model, q: ArrayLike, t: ArrayLike, tau: ArrayLike | None = None, *, frames: Iterable[str] | None = None,
    com: bool = True, ellipsoids: bool = False, trace: str | None = None, title: str | None = None,
) -> Animation:
    """See `Robot.animate`."""
    model = numeric(model, "animate")
    what = f"animate: robot '{model.name}'"
    times = float_copy(f"{what}: t", t)
    if times.ndim != 1 or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        hint = "; q comes before t" if times.ndim == 2 and np.ndim(q) == 1 else ""
        raise InputError(f"{what}: t must be (T,) increasing times [s]{hint}")

    def table(name: str, x: ArrayLike, labels: Sequence[str]) -> Array:
        rows = finite_rows(what, name, x, len(labels), labels)
        if rows.ndim > 2:
            shape = f"{name} has shape {rows.shape}"
            raise ShapeError(f"{what}: {shape}: animate shows one motion; select one from the batch")
        rows = np.atleast_2d(rows)
        if len(rows) != len(times):
            raise ShapeError(f"{what}: {name} has {len(rows)} rows, but t has {len(times)}")
        return rows

    rows = table("q", q, model.position_names)
    forces = None if tau is None else table("tau", tau, model.coordinate_names)
    names = None if frames is None else tuple(label for label, *_ in frames_of(model, frames))
    if trace is not None:
        model.frame(instance("animate: trace", trace, str))
    if title is not None:
        instance("animate: title", title, str)
    return Animation(model, times, rows, forces, names, com, ellipsoids, trace, title)


def check_film(path: Path) -> None:
    """Check that a video can be written to a path: suffix, folder, and ffmpeg for an MP4.

    Raises:
        InputError: the suffix is not .gif or .mp4, or the folder does not exist.
        MissingExtraError: ffmpeg is not installed.
    """
    check_target(path, "films", (".gif", ".mp4"))
    if path.suffix.lower() == ".mp4":
        _ffmpeg()


def _gif(samples: Sequence[Array], pictures: Iterator[Array], rate: float) -> bytes:
    """A looping GIF, with one table of 256 colours from the samples; white stays exact."""
    with extra("a video needs Pillow", "plot"):
        from PIL import Image
    colours = Image.fromarray(np.concatenate(samples)).quantize(256, dither=Image.Dither.NONE).getpalette()
    values = np.array(colours, dtype=np.uint8).reshape(-1, 3)
    values[values.min(axis=1) >= 244] = 255  # Pillow's search for the nearest colours is approximate
    table = Image.new("P", (1, 1))
    table.putpalette(values.ravel().tolist())
    frames = (Image.fromarray(x).quantize(palette=table, dither=Image.Dither.NONE) for x in pictures)
    content = io.BytesIO()
    duration = round(1000 / rate)
    next(frames).save(content, "GIF", save_all=True, append_images=frames, duration=duration, loop=0, optimize=False)
    return content.getvalue()


def _mp4(pictures: Iterator[Array], rate: float) -> bytes:
    first = next(pictures)
    height, width, _ = first.shape
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder, "film.mp4")
        raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{rate:g}", "-i", "-"]
        coded = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(film)]
        command = [_ffmpeg(), "-loglevel", "error", "-y", *raw, *coded]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin is not None and process.stderr is not None
            try:
                process.stdin.write(first.tobytes())
                for picture in pictures:
                    process.stdin.write(picture.tobytes())
                process.stdin.close()
            except BrokenPipeError:
                pass  # ffmpeg has exited, and its own message gives the reason
            except BaseException:
                process.kill()
                raise
            words = printable(process.stderr.read().decode(errors="replace").strip())
        if process.returncode or not film.is_file():
            raise InputError(f"save: ffmpeg did not write the video: {words or process.returncode}")
        return film.read_bytes()


def _ffmpeg() -> str:
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    with extra("an MP4 needs ffmpeg", "film"):
        from imageio_ffmpeg import get_ffmpeg_exe
    return str(get_ffmpeg_exe())
