"""Matplotlib figures in the style of this library, and functions that save them."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from revolute.errors import InputError, extra, printable
from revolute.plot.style import INK, PIXELS_PER_INCH, STYLE
from revolute.whole_file import check_target, write_document

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Figure


def artists() -> ModuleType:
    """The parts of Matplotlib that figures use; `MissingExtraError` if it is not installed."""
    with extra("drawing needs Matplotlib", "plot"):
        import revolute.plot.shown_figure as parts
    return parts


def new_figure(width: float, height: float, constrained: bool = True) -> Figure:
    """A figure of width x height pixels, outside pyplot's global state. A notebook shows it."""
    inches = (width / PIXELS_PER_INCH, height / PIXELS_PER_INCH)
    layout = artists().ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06, wspace=0.02, hspace=0.02)
    figure: Figure = artists().ShownFigure(figsize=inches, dpi=PIXELS_PER_INCH, layout=layout, facecolor="white")
    if not constrained:
        figure.set_layout_engine("none")  # None would use the layout engine of the user's settings
    return figure


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """Draw in `STYLE` within the block."""
    with artists().rc_context(STYLE):
        yield


@contextlib.contextmanager
def drawing(height: float, title: str, width: float = 1600) -> Iterator[Figure]:
    """A figure with a title, drawn in `STYLE` within the block; sizes in pixels."""
    figure = new_figure(width, height)
    with styled():
        figure.suptitle(printable(title))
        yield figure


@contextlib.contextmanager
def joint_panels(count: int, title: str, x_label: str) -> Iterator[tuple[Figure, Sequence[Axes]]]:
    """A figure with `count` panels that share the x-axis, three per row."""
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


def heading(axes: Axes, text: str, colour: str = INK) -> None:
    """A bold title on the left of a panel."""
    axes.set_title(text, loc="left", fontweight="bold", color=colour)


def legend_above(axes: Axes) -> None:
    """A legend above a panel, on the right, clear of the panel's curves."""
    spaces = {"borderaxespad": 0.2, "handlelength": 1.1, "handletextpad": 0.4, "columnspacing": 1.0}
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, **spaces)


def check_picture(path: Path) -> None:
    """Check that a picture can be written to a path: suffix and folder.

    Raises:
        InputError: the suffix is not a picture format, or the folder does not exist.
        MissingExtraError: Matplotlib is not installed.
    """
    formats = [f".{kind}" for kind in new_figure(1, 1).canvas.get_supported_filetypes()]
    check_target(path, "pictures", formats, shown=".png, .svg or .pdf")


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure as .png, .svg or .pdf, by the suffix. The file is written completely or not at all.

    Raises:
        InputError: the file cannot be written, or the format is unknown.
    """
    content = io.BytesIO()
    try:
        figure.savefig(content, format=Path(path).suffix.lower().removeprefix("."))
    except ValueError as error:
        raise InputError(f"{path}: the picture cannot be drawn: {error}") from None
    write_document(path, content.getvalue())
