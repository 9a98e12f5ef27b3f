"""A figure that notebooks show without pyplot."""

import io

from matplotlib.figure import Figure

NOTEBOOK = 100
"""Resolution in notebooks [pixels per inch], where figures are up to 10 inches wide."""


class ShownFigure(Figure):
    """A Matplotlib figure with a picture for IPython, used while pyplot is not imported."""

    def _repr_png_(self) -> bytes:
        content = io.BytesIO()
        self.savefig(content, format="png", dpi=NOTEBOOK)
        return content.getvalue()
