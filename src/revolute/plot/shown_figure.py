"""A figure that notebooks show, though pyplot does not know it."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

__all__ = ["NOTEBOOK", "ShownFigure"]

NOTEBOOK = 100
"""Pixels an inch of pictures in notebooks: figures are up to 10 inches wide."""


class ShownFigure(Figure):
    """A figure of Matplotlib with a picture for IPython.

    IPython itself draws figures as soon as pyplot is in use, and does not ask for this picture then.
    """

    def _repr_png_(self) -> bytes:
        content = io.BytesIO()
        self.savefig(content, format="png", dpi=NOTEBOOK)
        return content.getvalue()
