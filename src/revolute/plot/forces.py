"""Figures of joint forces: along a trajectory, and of the pick-and-place demonstration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from revolute.arguments import Array
from revolute.model import Model, force_units, limit_column, number, short_names
from revolute.plot.figures import drawing, heading, joint_panels
from revolute.plot.style import COLOURS, DASHED, FAINT, INK, NOTE, SHADE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Span:
    """A shaded interval of time, with its name."""

    start: float
    end: float
    name: str


def joint_forces(robot: Model, x: Array, tau: Array, title: str, x_label: str = "time [s]") -> Figure:
    """Plot joint forces along a trajectory, one panel per joint; dashed lines are the rated efforts.

    Args:
        robot: the robot.
        x: (n,) times [s], or other values of the x-axis.
        tau: (n, nv) joint forces [N m, N].
        title, x_label: title of the figure, and label of the x-axis.

    Raises:
        MissingExtraError: Matplotlib is not installed.

    Example:
        >>> from revolute.plot import joint_forces
        >>> robot, t = revolute.robots.planar(2), np.linspace(0, 1, 5)
        >>> len(joint_forces(robot, t, np.zeros((5, 2)), "at rest").axes)
        2
    """
    with joint_panels(robot.nv, title, x_label) as (figure, panels):
        for i, axes in enumerate(panels):
            _panel(axes, robot, i, x, tau[:, i])
    return figure


def _rated(robot: Model) -> Array:
    return limit_column(robot, "effort", "nv", math.inf)


def _panel(axes: Axes, robot: Model, i: int, x: Array, tau: Array) -> None:
    """Plot one joint's force and its limits; write its peak."""
    unit, limit = force_units(robot)[i], float(_rated(robot)[i])
    rated = 0 < limit < math.inf
    peak = float(abs(tau).max(initial=0))
    colour = COLOURS[i % len(COLOURS)]
    axes.plot(x, tau, color=colour)
    if rated:
        for sign in (-1, 1):
            axes.axhline(sign * limit, **DASHED)
        axes.set_ylim(-1.15 * max(limit, peak), 1.15 * max(limit, peak))
    else:
        axes.margins(y=0.15)
    axes.margins(x=0)
    of_limit = f" of {limit:g}" if rated else ""
    heading(axes, short_names(robot)[i], colour)
    axes.set_title(f"peak {number(peak, 3)}{of_limit} {unit}", loc="right", fontsize=NOTE)
    axes.set_ylabel(f"{'torque' if unit == 'N m' else 'force'} [{unit}]")


def pick_and_place(
    robot: Model, t: Array, qd: Array, tau: Array, without: Array, spans: Sequence[Span], title: str
) -> Figure:
    """Plot the demonstration: forces and their limits, powers, and peaks as fractions of the limits.

    Args:
        robot: an arm of six revolute joints with rated efforts.
        t: (n,) times [s].
        qd: (n, 6) joint velocities [rad/s].
        tau: (n, 6) joint torques [N m]; `without`: joint torques of the same motion without the load [N m].
        spans: intervals of time to shade.
        title: title of the figure.
    """
    with drawing(1000, title) as figure:
        note = "dashed: rated effort      grey: the same motion without the load"
        figure.supxlabel(note, fontsize=NOTE, color=INK, x=0.985, ha="right")
        grid = figure.add_gridspec(3, 6, height_ratios=(1, 1, 1.15))
        for i in range(robot.nv):
            axes = figure.add_subplot(grid[i // 3, 2 * (i % 3) : 2 * (i % 3) + 2])
            _panel(axes, robot, i, t, tau[:, i])
            axes.plot(t, without[:, i], color=FAINT, linewidth=1.0, zorder=1.5)
            _shade(axes, spans)
        _powers(figure.add_subplot(grid[2, :3]), robot, t, tau * qd, spans)
        _shares(figure.add_subplot(grid[2, 3:]), robot, abs(tau).max(axis=0))
    return figure


def _shade(axes: Axes, spans: Sequence[Span]) -> None:
    for span in spans:
        axes.axvspan(span.start, span.end, color=SHADE, linewidth=0, zorder=0)


def _powers(axes: Axes, robot: Model, t: Array, power: Array, spans: Sequence[Span]) -> None:
    _shade(axes, spans)
    for i in range(robot.nv):  # colours as in the legend of the next panel
        axes.plot(t, power[:, i], color=COLOURS[i % len(COLOURS)])
    for span in spans:
        middle = (span.start + span.end) / 2
        place = ("data", "axes fraction")
        axes.annotate(span.name, (middle, 0.97), xycoords=place, ha="center", va="top", fontsize=NOTE)
    axes.margins(x=0, y=0.2)
    heading(axes, "mechanical power")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("power [W]")


def _shares(axes: Axes, robot: Model, peak: Array) -> None:
    share = 100 * peak / _rated(robot)
    heights = np.arange(robot.nv)[::-1]
    axes.barh(heights, share, color=COLOURS[: robot.nv], height=0.65)
    axes.axvline(100, **DASHED)
    for height, percent in zip(heights, share, strict=True):
        text = f"{percent:.0f} %" if percent >= 1 else "< 1 %"
        axes.annotate(text, (percent, height), (4, 0), textcoords="offset points", va="center")
    axes.set_yticks(heights, short_names(robot))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(0, max(108.0, 1.15 * share.max()))
    heading(axes, "peak torque")
    axes.set_xlabel("share of the rated effort [%]")
