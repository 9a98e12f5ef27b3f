"""The figures of docs/texts/*.md."""

import io
from collections.abc import Callable

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle, Ellipse

from revolute.plot.style import COLOURS, INK, STYLE

BLUE, ORANGE, GREY = COLOURS[0], COLOURS[1], "#5b6673"


def link(axes: Axes, start: complex, end: complex, color: str = BLUE) -> None:
    """A link as a thick line with round ends."""
    axes.plot([start.real, end.real], [start.imag, end.imag], color=color, linewidth=5, solid_capstyle="round")


def joint(axes: Axes, *places: complex) -> None:
    """Revolute joints."""
    for place in places:
        axes.add_patch(Circle((place.real, place.imag), 0.035, facecolor="white", edgecolor=INK, zorder=3))


def mass(axes: Axes, place: complex, label: str, offset: complex) -> None:
    """A point mass, or a centre of mass, with its name."""
    axes.add_patch(Circle((place.real, place.imag), 0.05, color=ORANGE, zorder=4))
    text(axes, place + offset, label)


def text(axes: Axes, place: complex, label: str, color: str = INK) -> None:
    """A label at a place."""
    axes.text(place.real, place.imag, label, ha="center", va="center", color=color)


def angle(axes: Axes, place: complex, first: float, last: float, label: str, radius: float = 0.3) -> None:
    """An arc from one direction to another, and its name beside the middle of it; angles in radians."""
    size = 2 * radius
    bounds = np.degrees([first, last])
    axes.add_patch(Arc((place.real, place.imag), size, size, theta1=bounds[0], theta2=bounds[1], color=GREY))
    text(axes, place + (radius + 0.13) * np.exp(0.5j * (first + last)), label, GREY)


def ray(axes: Axes, start: complex, direction: complex) -> None:
    """A dashed line from which an angle counts."""
    end = start + direction
    axes.plot([start.real, end.real], [start.imag, end.imag], "--", color=GREY, linewidth=1)


def gravity(axes: Axes, place: complex) -> None:
    """An arrow downwards."""
    arrow = {"arrowstyle": "->", "color": GREY}
    axes.annotate("", xytext=(place.real, place.imag), xy=(place.real, place.imag - 0.35), arrowprops=arrow)
    text(axes, place + 0.1 - 0.17j, "$g$", GREY)


def arm_2r(axes: Axes) -> None:
    """LP 9.7: two links with point masses at their ends."""
    a, b = 0.5, 0.75
    elbow = np.exp(1j * a)
    tip = elbow + 0.8 * np.exp(1j * (a + b))
    ray(axes, 0, 0.75)
    ray(axes, elbow, 0.6 * np.exp(1j * a))
    angle(axes, 0, 0, a, r"$\theta_1$")
    angle(axes, elbow, a, a + b, r"$\theta_2$")
    link(axes, 0, elbow)
    link(axes, elbow, tip)
    joint(axes, 0, elbow)
    mass(axes, elbow, "$m_1$", 0.06 - 0.14j)
    mass(axes, tip, "$m_2$", 0.17)
    text(axes, elbow / 2 + 0.13j, "$L_1$")
    text(axes, (elbow + tip) / 2 - 0.14 + 0.03j, "$L_2$")
    gravity(axes, 1.75 + 0.45j)


def elbow(axes: Axes) -> None:
    """SHV 6.78: two links with centres of mass, and both angles of the second."""
    a, b = 0.45, 0.8
    middle = np.exp(1j * a)
    tip = middle + 0.9 * np.exp(1j * (a + b))
    ray(axes, 0, 0.75)
    ray(axes, middle, 0.65 * np.exp(1j * a))
    ray(axes, middle, 0.75)
    angle(axes, 0, 0, a, "$q_1$")
    angle(axes, middle, a, a + b, "$q_2$", 0.42)
    angle(axes, middle, 0, a + b, "$p_2$", 0.2)
    link(axes, 0, middle)
    link(axes, middle, tip)
    joint(axes, 0, middle)
    mass(axes, middle * 0.55, "$m_1, I_1$", -0.12 + 0.17j)
    mass(axes, middle + 0.5 * (tip - middle), "$m_2, I_2$", -0.28 + 0.05j)
    text(axes, middle * 0.27 + 0.14j, r"$\ell_{c1}$")
    text(axes, middle * 0.75 - 0.17j, r"$\ell_1$")
    gravity(axes, 1.85 + 0.9j)


def geared_link(axes: Axes) -> None:
    """SHV example 6.1: motor, gears and link."""
    axes.add_patch(Circle((0, 0), 0.42, facecolor="#eeeeee", edgecolor=GREY))
    axes.add_patch(Circle((-0.58, 0), 0.16, facecolor="#eeeeee", edgecolor=GREY))
    text(axes, -0.58 - 0.3j, r"$\tau_m,\ J_m,\ B_m$")
    text(axes, -0.58 + 0.27j, r"$\theta_m = r\,\theta_\ell$", GREY)
    down = -1j * np.exp(0.6j)
    ray(axes, 0, -1.05j)
    angle(axes, 0, -np.pi / 2, -np.pi / 2 + 0.6, r"$\theta_\ell$", 0.6)
    link(axes, 0, 1.25 * down)
    joint(axes, 0)
    mass(axes, 0.85 * down, "$M, J_\\ell, B_\\ell$", 0.36 + 0.02j)
    text(axes, 0.5 * down + 0.13, r"$\ell$")
    gravity(axes, 1.05 - 0.1j)


def five_bar(axes: Axes) -> None:
    """SHV 6.100: the parallelogram, driven at its fixed corner; link 4 reaches beyond the end of link 1."""
    first, crank = np.exp(0.95j), np.exp(2.75j)
    second, hand = 0.55 * crank, first - 1.2 * crank
    ray(axes, 0, 0.75)
    angle(axes, 0, 0, 0.95, "$q_1$", 0.5)
    angle(axes, 0, 0, 2.75, "$q_2$", 0.2)
    for start, end in ((0, first), (0, second), (second, second + first), (second + first, hand)):
        link(axes, complex(start), end)
    joint(axes, 0, first, second, second + first)
    mass(axes, 0.55 * first, "$m_1$", 0.19)
    mass(axes, 0.6 * second, "$m_2$", -0.05 - 0.17j)
    mass(axes, second + 0.5 * first, "$m_3$", -0.19)
    mass(axes, first - 0.55 * crank, "$m_4$", 0.07 + 0.17j)
    text(axes, 0.78 * first + 0.13, r"$\ell_1$")
    text(axes, first + 0.5 * second + 0.02 + 0.14j, r"$\ell_2$")
    gravity(axes, 1.6 + 0.3j)


def augmented_link(axes: Axes) -> None:
    """BP definition 5.1: a link, and the mass beyond it at the next origin."""
    origin, following = 0j, 1.1 + 0.35j
    axes.add_patch(Ellipse((0.55, 0.17), 1.45, 0.55, angle=17, facecolor="#dfe6ff", edgecolor=BLUE))
    arrow = {"arrowstyle": "->", "color": INK, "shrinkA": 0, "shrinkB": 3}
    for end, label, offset in ((following, "$s_{i,i+1}$", -0.11j), (0.5 + 0.33j, "$r_{i,i}$", -0.1 + 0.08j)):
        axes.annotate("", xytext=(origin.real, origin.imag), xy=(end.real, end.imag), arrowprops=arrow)
        text(axes, 0.6 * end + offset, label)
    joint(axes, origin)
    mass(axes, 0.5 + 0.33j, "$m_i$", 0.13 + 0.05j)
    axes.add_patch(Circle((following.real, following.imag), 0.085, color=ORANGE, zorder=2))
    text(axes, following + 0.83 + 0.02j, r"$\overline{m}_{i+1} = m_{i+1} + \cdots + m_n$")
    text(axes, origin - 0.08 - 0.13j, "$o_i$")
    text(axes, following + 0.2 - 0.25j, "$o_{i+1}$")


FIGURES: dict[str, tuple[Callable[[Axes], None], complex, complex]] = {
    "arm-2r": (arm_2r, -0.2 - 0.2j, 2.0 + 1.5j),
    "augmented-link": (augmented_link, -0.3 - 0.3j, 2.65 + 0.75j),
    "elbow": (elbow, -0.2 - 0.25j, 2.1 + 1.4j),
    "five-bar": (five_bar, -0.9 - 0.25j, 2.0 + 1.25j),
    "geared-link": (geared_link, -1.1 - 1.2j, 1.3 + 0.5j),
}
"""The figures, with the lower left and upper right corners of what they show."""


def svg(name: str) -> bytes:
    """One figure."""
    picture, low, high = FIGURES[name]
    size = high - low
    with rc_context(STYLE | {"svg.hashsalt": "texts", "font.size": 12, "text.parse_math": True}):
        figure = Figure((4.5, 4.5 * size.imag / size.real), layout="constrained")
        axes = figure.subplots()
        picture(axes)
        axes.set(xlim=(low.real, high.real), ylim=(low.imag, high.imag), aspect="equal")
        axes.axis("off")
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()
