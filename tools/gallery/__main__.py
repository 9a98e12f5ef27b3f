"""Write the figures of docs/images/ and the thumbnails of docs/how-to/index.md: `python -m tools.gallery [NAME ...]`.

Each is from calls of the library, in its style.
"""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure
from PIL import Image

from revolute.plot.style import SMALL, STYLE
from tools.gallery.figures import FIGURES
from tools.gallery.pictures import PICTURES, SMALLER

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "how-to" / "images"
SIZE, DENSITY = (3.2, 1.8), 200
"""Of a thumbnail [inches], and its pixels an inch: two for each pixel of a page."""


def main(names: list[str]) -> None:
    """Draw all figures and thumbnails, or those that are named."""
    for name, figure in FIGURES.items():
        if not names or name in names:
            write(figure(), DOCS / "images" / f"{name}.png")
    for name, draw in PICTURES.items():
        if not names or name in names:
            with rc_context(STYLE | SMALL):
                thumbnail = Figure(SIZE, DENSITY, layout="constrained")
                draw(thumbnail.subplots())
                write(thumbnail, FOLDER / f"{name}.png")
    for name, source in SMALLER.items():
        if not names or name in names:
            shrink(DOCS / source, FOLDER / f"{name}.png")


def write(figure: Figure, path: Path) -> None:
    """A picture of few colours."""
    figure.savefig(path, metadata={"Software": None})
    Image.open(path).convert("RGB").quantize(192, dither=Image.Dither.NONE).save(path, optimize=True)


def shrink(source: Path, target: Path) -> None:
    """A picture in the size of a thumbnail, on white, in 32 colours."""
    size = (640, 360)
    picture = Image.open(source).convert("RGB")
    picture.thumbnail(size)
    paper = Image.new("RGB", size, "white")
    paper.paste(picture, ((size[0] - picture.width) // 2, (size[1] - picture.height) // 2))
    paper.quantize(64).save(target, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
