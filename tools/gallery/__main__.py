"""Write the thumbnails of docs/how-to/index.md, each from calls of the library: `python -m tools.gallery`."""

from __future__ import annotations

from pathlib import Path

from tools.gallery.pictures import PICTURES, SMALLER

FOLDER = Path(__file__).parents[2] / "docs" / "how-to" / "images"


def main() -> None:
    """Draw all thumbnails."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        figure, axes = plt.subplots(figsize=(3.2, 1.8), dpi=100)
        draw(axes)
        axes.tick_params(labelsize=7)
        figure.tight_layout(pad=0.4)
        figure.savefig(FOLDER / f"{name}.png", metadata={"Software": None})
        plt.close(figure)
    for name, source in SMALLER.items():
        shrink(FOLDER.parents[1] / source, FOLDER / f"{name}.png")


def shrink(source: Path, target: Path) -> None:
    """A picture in the size of a thumbnail, on white, in 32 colours."""
    from PIL import Image

    picture = Image.open(source).convert("RGB")
    picture.thumbnail((320, 180))
    paper = Image.new("RGB", (320, 180), "white")
    paper.paste(picture, ((320 - picture.width) // 2, (180 - picture.height) // 2))
    paper.quantize(32).save(target, optimize=True)


if __name__ == "__main__":
    main()
