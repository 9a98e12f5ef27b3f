"""Colours can be read on white, and on dark pages of the documentation, which turn figures dark."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib import rc_context, rcParams
from matplotlib.colors import to_rgb

from revolute.plot.style import COLOURS, INK, LIMIT, STYLE

SITE = Path(__file__).parents[2] / "docs" / "assets" / "site.css"
HALF_TURN = np.array([[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]])
"""hue-rotate(180deg) of CSS: with s = 0.213, 0.715, 0.072 each row is 2 s - e."""


def luminance(colour: np.ndarray) -> float:
    """Relative luminance of WCAG 2."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a: np.ndarray, b: np.ndarray) -> float:
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


def turned_dark(colour: np.ndarray) -> np.ndarray:
    return np.clip(HALF_TURN @ (1 - colour), 0, 1)


@pytest.mark.parametrize(("colour", "least"), [(INK, 7), (LIMIT, 4.5), *((colour, 3) for colour in COLOURS)])
def test_colours_stand_out_on_light_and_on_dark_pages(colour: str, least: float) -> None:
    """WCAG asks 4.5 to 1 of text and 3 to 1 of curves."""
    light, slate = np.array(to_rgb(colour)), np.array(to_rgb("#1e2129"))
    assert contrast(light, np.ones(3)) >= least
    assert contrast(turned_dark(light), slate) >= least
    assert "filter: invert(1) hue-rotate(180deg);" in SITE.read_text(encoding="utf-8")


def test_the_style_is_matplotlibs() -> None:
    with rc_context(STYLE):
        assert [style["color"] for style in rcParams["axes.prop_cycle"]][: len(COLOURS)] == list(COLOURS)
