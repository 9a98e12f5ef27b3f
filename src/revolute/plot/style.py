"""The style of all figures: colours, fonts, line widths and grid, for widths of 3 to 10 inches."""

from typing import Any

INK, FAINT, GRID, LIMIT, SHADE = "#1b2a41", "#9aa5b1", "#e6e9ed", "#c0392b", "#fbf1dc"
"""Colours of text, axes, grid, limits, and intervals of time."""
COLOURS = ("#0b6e99", "#d9730d", "#ad1a72", "#0f7b6c", "#6940a5", "#64473a")
"""Colours of data series, in order; the contrast to white is 4.5:1 or more, except for the second colour, 3.3:1."""
NOTE = 8.5  # font size of notes, such as legends and labels [points]
PIXELS_PER_INCH = 160
DASHED: dict[str, Any] = {"color": LIMIT, "linestyle": (0, (5, 3)), "linewidth": 1.0}  # line style of limits
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif", "font.size": 9.0, "figure.titlesize": 11.0, "figure.titleweight": "bold",
    "axes.titlesize": 9.5, "axes.labelsize": 9.0, "legend.fontsize": NOTE, "xtick.labelsize": NOTE,
    "ytick.labelsize": NOTE,
    "figure.facecolor": "white",  # dark pages replace this colour
    "axes.facecolor": "white", "axes.axisbelow": True, "axes.edgecolor": FAINT, "axes.grid": True,
    "axes.labelcolor": INK, "axes.linewidth": 0.8, "axes.spines.right": False, "axes.spines.top": False,
    "axes.titlecolor": INK, "grid.color": GRID, "grid.linewidth": 0.6, "image.cmap": "viridis",
    "axes.prop_cycle": f'cycler("color", {[*COLOURS] * 2}) + cycler("linestyle", {["-"] * 6 + [":"] * 6})',
    "legend.frameon": False, "lines.linewidth": 1.4, "lines.markersize": 5.0, "text.color": INK, "xtick.color": INK,
    "ytick.color": INK,
    "text.parse_math": False,  # print dollar signs in names literally
}  # fmt: skip
"""Settings for `matplotlib.rc_context` and `pyplot.style.use`."""
SMALL: dict[Any, Any] = {
    "font.size": 7.0, "axes.labelsize": 7.0, "legend.fontsize": 6.0, "xtick.labelsize": 6.5, "ytick.labelsize": 6.5,
}  # fmt: skip
"""Font sizes for thumbnails, 3.2 inches wide, in place of the sizes in `STYLE`."""
