"""The pictures of docs/images/, docs/how-to/images/ and docs/texts/images/, all drawn by the library."""

import io

from matplotlib import rc_context
from matplotlib.figure import Figure
from PIL import Image

from revolute.plot.style import SMALL, STYLE
from tools.gallery import quadruped, trot, whole_body
from tools.gallery.figures import FIGURES
from tools.gallery.pictures import PICTURES, SMALLER
from tools.gallery.texts import FIGURES as OF_TEXTS
from tools.gallery.texts import svg
from tools.pages import DOCS, Files

SIZE, DENSITY = (3.2, 1.8), 200
"""Size of a thumbnail [inches], and its pixels per inch: two for each pixel of a page."""


def figures() -> Files:
    """The figures and films of guides."""
    drawn: Files = {f"images/{name}.png": png(figure()) for name, figure in FIGURES.items()}
    films = {"pushed": quadruped.film, "foot-lift": whole_body.film, "trot": trot.film}
    return drawn | {f"images/{name}.gif": film() for name, film in films.items()}


def thumbnails() -> Files:
    """A thumbnail for each guide."""
    files: Files = {f"how-to/images/{name}.png": shrunk(source) for name, source in SMALLER.items()}
    for name, draw in PICTURES.items():
        with rc_context(STYLE | SMALL):
            thumbnail = Figure(SIZE, DENSITY, layout="constrained")
            draw(thumbnail.subplots())
            files[f"how-to/images/{name}.png"] = png(thumbnail)
    return files


def texts() -> Files:
    """The figures of the pages on the texts."""
    return {f"texts/images/{name}.svg": svg(name) for name in OF_TEXTS}


def png(figure: Figure) -> bytes:
    """A picture of few colours."""
    whole = io.BytesIO()
    figure.savefig(whole, format="png", metadata={"Software": None})
    return _saved(Image.open(whole).convert("RGB").quantize(192, dither=Image.Dither.NONE))


def shrunk(source: str) -> bytes:
    """A picture of docs/ in the size of a thumbnail, on white."""
    size = (640, 360)
    picture = Image.open(DOCS / source).convert("RGB")
    picture.thumbnail(size)
    paper = Image.new("RGB", size, "white")
    paper.paste(picture, ((size[0] - picture.width) // 2, (size[1] - picture.height) // 2))
    return _saved(paper.quantize(64))


def _saved(picture: Image.Image) -> bytes:
    small = io.BytesIO()
    picture.save(small, format="png", optimize=True)
    return small.getvalue()
