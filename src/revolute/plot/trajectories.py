"""Figures of trajectories: positions, velocities, accelerations and joint forces over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from revolute.arguments import Array
from revolute.model import Model, force_units, limit_column, short_names
from revolute.plot.figures import drawing, heading
from revolute.plot.style import COLOURS, DASHED, FAINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMED = 12  # maximum number of joints whose names are written in a figure


def trajectory(robot: Model, t: Array, states: tuple[Array, Array, Array], tau: Array | None, title: str) -> Figure:
    """Plot positions, velocities, accelerations and forces of all joints, one panel per quantity, one colour per joint.

    Dashed lines are velocity limits that a joint comes near. Forces are fractions of the rated efforts if all joints
    have one.

    Args:
        robot: the robot.
        t: (n,) times [s].
        states: (n, nq) positions, (n, nv) velocities and (n, nv) accelerations.
        tau: (n, nv) joint forces [N m, N]; None: no panel of forces.
        title: title of the figure.

    Raises:
        MissingExtraError: Matplotlib is not installed.

    Example:
        >>> from revolute.plot import trajectory
        >>> robot, t = revolute.robots.planar(2), np.linspace(0, 1, 11)
        >>> rest = np.zeros((11, 2))
        >>> len(trajectory(robot, t, (rest, rest, rest), None, "at rest").axes)
        3
    """
    rows, columns = (1, 3) if tau is None else (2, 2)
    with drawing(140 + 420 * rows, title) as figure:
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        units = {"m" if linear else "rad" for body in robot.bodies for linear in body.joint.linear}
        unit, (q, qd, qdd) = ", ".join(sorted(units, reverse=True)), states
        _lines(grid[0], t, q, "position", unit)
        _lines(grid[1], t, qd, "velocity", f"{unit}/s")
        _limits(grid[1], limit_column(robot, "velocity", "nv", math.inf), qd)
        _lines(grid[2], t, qdd, "acceleration", f"{unit}/s²")
        if tau is not None:
            _forces(grid[3], robot, t, tau)
        for axes in grid:
            axes.set_xlabel("time [s]")
        if robot.nv <= NAMED:
            handles = grid[1].get_lines()[: robot.nv]
            figure.legend(handles, short_names(robot), loc="outside lower center", ncols=min(robot.nv, 7))
    return figure


def _lines(axes: Axes, t: Array, values: Array, title: str, unit: str) -> None:
    axes.plot(t, values)
    most = float(np.abs(values).max(initial=0))
    if most < 1e-9:  # such small values are rounding errors
        axes.set_ylim(-1, 1)
    axes.margins(x=0, y=0.1)
    heading(axes, title)
    axes.set_ylabel(f"{title} [{unit}]")


def _limits(axes: Axes, limits: Array, values: Array) -> None:
    """Draw the limits of which the motion uses more than three quarters."""
    for k, limit in enumerate(limits):
        for sign in (-1, 1):
            if 0 < limit < math.inf and (sign * values[:, k]).max() > 0.75 * limit:
                axes.axhline(sign * limit, **{**DASHED, "color": COLOURS[k % len(COLOURS)]})


def _forces(axes: Axes, robot: Model, t: Array, tau: Array) -> None:
    rated = limit_column(robot, "effort", "nv", math.inf)
    if np.isfinite(rated).all() and (rated > 0).all():
        _lines(axes, t, 100 * tau / rated, "joint force", "% of rated")
        for sign in (-1, 1):
            axes.axhline(100 * sign, **DASHED)
        most = max(115.0, 110 * float(np.abs(tau / rated).max()))
        axes.set_ylim(-most, most)
    else:
        _lines(axes, t, tau, "joint force", ", ".join(sorted(set(force_units(robot)), reverse=True)))
        axes.axhline(0, color=FAINT, linewidth=0.8)
