"""A figure that notebooks show without pyplot, and the parts of Matplotlib that figures use: see `figures.artists`."""

import io

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgba
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MaxNLocator
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
from mpl_toolkits.mplot3d.proj3d import proj_transform

__all__ = [
    "ConstrainedLayoutEngine", "FigureCanvasAgg", "Line2D", "Line3DCollection", "LineCollection",
    "LinearSegmentedColormap", "LogLocator", "MaxNLocator", "Normalize", "Patch", "Poly3DCollection", "PolyCollection",
    "ScalarMappable", "ShownFigure", "proj_transform", "rc_context", "to_rgba",
]  # fmt: skip

NOTEBOOK = 100  # resolution in notebooks [pixels per inch], where figures are up to 10 inches wide


class ShownFigure(Figure):
    """A Matplotlib figure with a picture for IPython, used while pyplot is not imported."""

    def _repr_png_(self) -> bytes:
        content = io.BytesIO()
        self.savefig(content, format="png", dpi=NOTEBOOK)
        return content.getvalue()
