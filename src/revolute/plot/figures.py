"""Figures in the style of this library, and saving them, with Matplotlib: pip install ".[plot]"."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from revolute.errors import InputError, MissingExtraError, printable
from revolute.whole_file import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Figure

__all__ = [
    "COLOURS",
    "DASHED",
    "FAINT",
    "INK",
    "LIMIT",
    "SHADE",
    "check_picture",
    "drawing",
    "heading",
    "joint_panels",
    "save",
]

INK, FAINT, LIMIT, SHADE = "#1b2a41", "#9aa5b1", "#c0392b", "#fbf1dc"
COLOURS = ("#0b6e99", "#d9730d", "#0f7b6c", "#6940a5", "#ad1a72", "#64473a")
DASHED: dict[str, Any] = {"color": LIMIT, "linestyle": (0, (5, 3)), "linewidth": 1.5}
"""Style of lines at limits."""
STYLE: dict[Any, Any] = {
    "font.size": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.grid": True,
    "grid.color": "#e6e9ed",
    "legend.frameon": False,
    "text.parse_math": False,  # a dollar sign in a name is one
}
DPI = 100


def new_figure(width: float, height: float, constrained: bool = True) -> Figure:
    """A figure of width x height pixels, outside of pyplot's windows and global state."""
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise MissingExtraError("drawing needs Matplotlib", "plot") from None
    inches = (width / DPI, height / DPI)
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.09, wspace=0.02, hspace=0.02)
    figure = Figure(figsize=inches, dpi=DPI, layout=layout, facecolor="white")
    if not constrained:
        figure.set_layout_engine("none")  # not None, which takes the layout of the user's settings
    return figure


@contextlib.contextmanager
def drawing(height: float, title: str, size: float = 18) -> Iterator[Figure]:
    """A figure with a title, 1600 pixels wide, to be drawn in `STYLE` within the block."""
    figure = new_figure(1600, height)
    import matplotlib

    with matplotlib.rc_context(STYLE):
        figure.suptitle(printable(title), fontsize=size, fontweight="bold")
        yield figure


@contextlib.contextmanager
def joint_panels(count: int, title: str, x_label: str) -> Iterator[tuple[Figure, Sequence[Axes]]]:
    """A figure with `count` panels, three a row, which share the x-axis."""
    columns = min(3, count) or 1
    rows = max(math.ceil(count / columns), 1)
    with drawing(max(260 * rows + 120, 500), title) as figure:
        panels = list(figure.subplots(rows, columns, squeeze=False, sharex=True).ravel())
        yield figure, panels[:count]
        for lowest in panels[max(count - columns, 0) : count]:
            lowest.set_xlabel(x_label)
            lowest.tick_params(labelbottom=True)
        for unused in panels[count:]:
            unused.remove()


def heading(axes: Axes, text: str, colour: str = INK, size: float = 15) -> None:
    """A bold title on the left of a panel."""
    axes.set_title(text, loc="left", fontsize=size, fontweight="bold", color=colour)


def check_picture(path: Path) -> None:
    """Check that a picture can be written to a path later: its suffix and its folder.

    Raises:
        InputError: the suffix names no format of pictures, or there is no such folder.
        MissingExtraError: Matplotlib is not installed.
    """
    formats = new_figure(1, 1).canvas.get_supported_filetypes()
    if path.suffix.lower().removeprefix(".") not in formats:
        raise InputError(
            f"{path}: pictures are drawn as .png, .svg or .pdf, by the suffix, not as '{path.suffix or path.name}'"
        )
    if not path.parent.is_dir():
        raise InputError(f"{path}: cannot be drawn: there is no folder {path.parent}")


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure as .png, .svg or .pdf, by the suffix. The file is written whole or not at all.

    Raises:
        InputError: the file cannot be written, or the format is not known.
    """
    content = io.BytesIO()
    try:
        figure.savefig(content, format=Path(path).suffix.lower().removeprefix("."))
    except ValueError as error:
        raise InputError(f"{path}: the picture cannot be drawn: {error}") from None
    try:
        write_whole(path, content.getvalue())
    except OSError as error:
        raise InputError(f"{path}: the picture cannot be written: {error.strerror}") from None
