"""Pictures of joint forces, with Matplotlib: pip install "revolute[plot]"."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import InputError, MissingExtraError
from revolute.machine.robot import Robot
from revolute.model.units import force_units, number, short_names
from revolute.printable import printable
from revolute.whole_file import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from revolute.machine.counting import Counted
    from revolute.simulate import Simulation

__all__ = ["Span", "check_picture", "joint_forces", "motion", "operations", "pick_and_place", "save"]

Array = NDArray[Any]

INK, FAINT, LIMIT, SHADE = "#1b2a41", "#9aa5b1", "#c0392b", "#fbf1dc"
COLOURS = ("#0b6e99", "#d9730d", "#0f7b6c", "#6940a5", "#ad1a72", "#64473a")
STYLE: dict[Any, Any] = {
    "font.size": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.grid": True,
    "grid.color": "#e6e9ed",
    "legend.frameon": False,
    "text.parse_math": False,  # a dollar sign in a name is one
}
DPI = 100
STILL = 1e-9
"""Motions [rad, m] that are rounding, and drawn as rest."""


@dataclass(frozen=True)
class Span:
    """A stretch of time to be shaded, with its name."""

    start: float
    end: float
    name: str


def _figure(width: float, height: float) -> Figure:
    """A figure of so many pixels that no window or global state knows of."""
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise MissingExtraError("drawing needs Matplotlib", "plot") from None
    pixels = (width / DPI, height / DPI)
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.09, wspace=0.02, hspace=0.02)
    return Figure(figsize=pixels, dpi=DPI, layout=layout, facecolor="white")


def _style() -> Any:
    import matplotlib

    return matplotlib.rc_context(STYLE)


def joint_forces(robot: Robot, x: Array, tau: Array, title: str, x_label: str = "time [s]") -> Figure:
    """Joint forces along a trajectory, a panel a joint, with the rated efforts as dashed lines.

    Args:
        robot: the robot.
        x: (n,) times [s], or other abscissae.
        tau: (n, nv) joint forces [N m, N].
        title, x_label: texts.

    Returns:
        the figure: `figure.savefig("torques.png")`.

    Raises:
        MissingExtraError: Matplotlib is not installed.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.plot.pictures import joint_forces
        >>> robot, t = revolute.robots.planar(2), np.linspace(0, 1, 5)
        >>> len(joint_forces(robot, t, np.zeros((5, 2)), "at rest").axes)
        2
    """
    columns = min(3, robot.nv) or 1
    rows = max(math.ceil(robot.nv / columns), 1)
    figure = _figure(1600, max(260 * rows + 120, 500))
    with _style():
        figure.suptitle(printable(title), fontsize=18, fontweight="bold")
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel()
        for i in range(robot.nv):
            _panel(panels[i], robot, i, x, tau[:, i])
            if i >= robot.nv - columns:
                panels[i].set_xlabel(x_label)
                panels[i].tick_params(labelbottom=True)
        for unused in panels[robot.nv :]:
            unused.remove()
    return figure


def _panel(axes: Axes, robot: Robot, i: int, x: Array, tau: Array) -> None:
    """One joint's force, its limits, and its peak in words."""
    unit, limit = force_units(robot)[i], float(robot.effort_limits[i])
    rated = 0 < limit < math.inf
    peak = float(abs(tau).max(initial=0))
    axes.plot(x, tau, color=COLOURS[i % len(COLOURS)], linewidth=2)
    if rated:
        for sign in (-1, 1):
            axes.axhline(sign * limit, color=LIMIT, linestyle=(0, (5, 3)), linewidth=1.5)
        axes.set_ylim(-1.15 * max(limit, peak), 1.15 * max(limit, peak))
    else:
        axes.margins(y=0.15)
    axes.margins(x=0)
    beside = f" of {limit:g}" if rated else ""
    colour = COLOURS[i % len(COLOURS)]
    axes.set_title(short_names(robot)[i], loc="left", fontsize=15, fontweight="bold", color=colour)
    axes.set_title(f"peak {number(peak, 3)}{beside} {unit}", loc="right", fontsize=13)
    axes.set_ylabel(f"{'torque' if unit == 'N m' else 'force'} [{unit}]")


def motion(robot: Robot, simulation: Simulation, title: str) -> Figure:
    """A simulated motion: the positions of each joint, a panel a joint, and the energies.

    Limits that a joint comes near to, or passes, are dashed lines. A panel of a free or planar
    joint has the place of its body in the joint's frame, one of a spherical joint the quaternion.

    Args:
        robot: the robot.
        simulation: one motion of it, no batch.
        title: title of the picture.

    Raises:
        MissingExtraError: Matplotlib is not installed.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.plot.pictures import motion
        >>> robot = revolute.robots.planar(2)
        >>> fall = robot.simulate([0.0, 0.0], [0.0, 0.0], None, np.linspace(0, 1, 101))
        >>> len(motion(robot, fall, "falling").axes)
        3
    """
    keep = slice(None, None, max(len(simulation.t) // 4000, 1))  # more points than the panels have pixels
    t, q = simulation.t[keep], simulation.q[keep]
    columns = min(3, robot.n_joints + 1)
    rows = math.ceil((robot.n_joints + 1) / columns)
    figure = _figure(1600, max(260 * rows + 120, 500))
    with _style():
        figure.suptitle(printable(title), fontsize=18, fontweight="bold")
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel()
        for i, at in enumerate(robot.q_index[1:]):
            _positions(panels[i], robot, i, t, q[:, at])
        parts = (simulation.kinetic_energy, simulation.potential_energy, simulation.energy)
        for part, name, colour in zip(parts, ("kinetic", "potential", "total"), (*COLOURS[:2], INK), strict=True):
            panels[robot.n_joints].plot(t, part[keep], color=colour, linewidth=2, label=name)
        _finish(panels[robot.n_joints], "energy", INK, "energy [J]", legend=True)
        for axes in panels[max(robot.n_joints + 1 - columns, 0) : robot.n_joints + 1]:
            axes.set_xlabel("time [s]")
            axes.tick_params(labelbottom=True)
        for unused in panels[robot.n_joints + 1 :]:
            unused.remove()
    return figure


def _positions(axes: Axes, robot: Robot, i: int, t: Array, q: Array) -> None:
    """One joint's positions, and its limits where they matter."""
    body, colour = robot.bodies[i + 1], COLOURS[i % len(COLOURS)]
    name = printable(body.joint_name).removesuffix("_joint").replace("_", " ")
    if body.joint.nq > 1:
        places = [part for part in body.joint.q_names if part in ("x", "y", "z")]
        for k, part in enumerate(places or body.joint.q_names):
            axes.plot(t, q[:, k], color=COLOURS[k], linewidth=2, label=part)
        _finish(axes, name, INK, "position [m]" if places else "quaternion", legend=True)
        return
    axes.plot(t, q, color=colour, linewidth=2)
    low, high = float(q.min()), float(q.max())
    if high - low < STILL:
        axes.set_ylim(low - 1e-3, high + 1e-3)
    for limit in (robot.lower_limits[robot.q_index[i + 1]][0], robot.upper_limits[robot.q_index[i + 1]][0]):
        if low - (high - low) / 4 <= limit <= high + (high - low) / 4:
            axes.axhline(limit, color=LIMIT, linestyle=(0, (5, 3)), linewidth=1.5)
    _finish(axes, name, colour, "position [m]" if body.joint.linear[0] else "angle [rad]")


def _finish(axes: Axes, name: str, colour: str, label: str, legend: bool = False) -> None:
    axes.margins(x=0, y=0.15)
    axes.set_title(name, loc="left", fontsize=15, fontweight="bold", color=colour)
    axes.set_ylabel(label)
    if legend:
        axes.legend(
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncols=3,
            borderaxespad=0.2,
            fontsize=12,
            handlelength=0.9,
            handletextpad=0.4,
            columnspacing=1.0,
        )


def pick_and_place(
    robot: Robot, t: Array, qd: Array, tau: Array, without: Array, spans: Sequence[Span], title: str
) -> Figure:
    """The demonstration's picture: forces with their limits, powers, and the share of the limits used.

    Args:
        robot: an arm of six revolute joints with rated efforts.
        t: (n,) times [s].
        qd: (n, 6) joint velocities [rad/s].
        tau: (n, 6) joint torques [N m]; `without`: those of the same motion without the load.
        spans: stretches of time to shade.
        title: title of the picture.
    """
    figure = _figure(1600, 900)
    with _style():
        figure.suptitle(printable(title), fontsize=20, fontweight="bold")
        figure.supxlabel(
            "dashed: rated effort      grey: the same motion without the load",
            fontsize=13,
            color=INK,
            x=0.985,
            ha="right",
        )
        grid = figure.add_gridspec(3, 6, height_ratios=(1, 1, 1.15))
        for i in range(robot.nv):
            axes = figure.add_subplot(grid[i // 3, 2 * (i % 3) : 2 * (i % 3) + 2])
            _panel(axes, robot, i, t, tau[:, i])
            axes.plot(t, without[:, i], color=FAINT, linewidth=1.5, zorder=1.5)
            _shade(axes, spans)
        _powers(figure.add_subplot(grid[2, :3]), robot, t, tau * qd, spans)
        _shares(figure.add_subplot(grid[2, 3:]), robot, abs(tau).max(axis=0))
    return figure


def _shade(axes: Axes, spans: Sequence[Span]) -> None:
    for span in spans:
        axes.axvspan(span.start, span.end, color=SHADE, linewidth=0, zorder=0)


def _powers(axes: Axes, robot: Robot, t: Array, power: Array, spans: Sequence[Span]) -> None:
    _shade(axes, spans)
    for i in range(robot.nv):  # the bars beside it name the colours
        axes.plot(t, power[:, i], color=COLOURS[i % len(COLOURS)], linewidth=2)
    for span in spans:
        axes.annotate(
            span.name,
            ((span.start + span.end) / 2, 0.97),
            xycoords=("data", "axes fraction"),
            ha="center",
            va="top",
            fontsize=13,
        )
    axes.margins(x=0, y=0.2)
    axes.set_title("mechanical power", loc="left", fontsize=15, fontweight="bold")
    axes.set_xlabel("time [s]")
    axes.set_ylabel("power [W]")


def _shares(axes: Axes, robot: Robot, peak: Array) -> None:
    share = 100 * peak / robot.effort_limits
    places = np.arange(robot.nv)[::-1]
    axes.barh(places, share, color=COLOURS[: robot.nv], height=0.65)
    axes.axvline(100, color=LIMIT, linestyle=(0, (5, 3)), linewidth=1.5)
    for place, part in zip(places, share, strict=True):
        axes.annotate(
            f"{part:.0f} %" if part >= 1 else "< 1 %", (part, place), (6, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(places, short_names(robot))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(0, max(108.0, 1.15 * share.max()))
    axes.set_title("peak torque", loc="left", fontsize=15, fontweight="bold")
    axes.set_xlabel("share of the rated effort [%]")


def operations(name: str, n: int, rows: Sequence[Counted]) -> Figure:
    """Multiplications plus additions of algorithms as bars, a panel a quantity, with the printed counts as marks.

    Args:
        name: of the robot.
        n: its number of joints.
        rows: see `revolute.machine.counting.counted`.

    Returns:
        the figure.

    Raises:
        MissingExtraError: Matplotlib is not installed.

    Example:
        >>> import revolute
        >>> from revolute.machine.counting import counted
        >>> from revolute.plot.pictures import operations
        >>> len(operations("planar", 2, counted(revolute.robots.planar(2), ["mass_matrix", "walker_orin"])).axes)
        1
    """
    quantities = list(dict.fromkeys(row.quantity for row in rows))
    groups = [[row for row in rows if row.quantity == quantity] for quantity in quantities]
    figure = _figure(1600, 34 * len(rows) + 110 * len(groups) + 60)
    with _style():
        figure.suptitle(printable(f"{name}: operations of one evaluation"), fontsize=18, fontweight="bold")
        panels = figure.subplots(len(groups), 1, squeeze=False, height_ratios=[len(g) + 1 for g in groups]).ravel()
        for axes, quantity, group in zip(panels, quantities, groups, strict=True):
            _bars(axes, quantity, n, sorted(group, key=lambda row: -row.counts.arithmetic))
    return figure


def _bars(axes: Axes, quantity: str, n: int, rows: Sequence[Counted]) -> None:
    totals = [max(row.counts.arithmetic, 1) for row in rows]
    bars = axes.barh(
        [row.name for row in rows], totals, color=[COLOURS[0] if row.ours else FAINT for row in rows], height=0.72
    )
    axes.bar_label(bars, [f"{row.counts.arithmetic:,}" for row in rows], padding=5)
    marks = [(sum(row.printed.at(n)), row.name) for row in rows if row.printed]
    if marks:
        sums, names = zip(*marks, strict=True)
        axes.scatter(sums, names, marker="|", s=220, color=LIMIT, label="printed in the source", zorder=3)
        axes.legend(loc="upper right")
    axes.set_xscale("log")
    axes.set_xlim(min(totals) / 2, 2 * max([*totals, *(printed for printed, _ in marks)]))
    axes.grid(axis="y", visible=False)
    axes.set_title(quantity, loc="left", fontsize=14, fontweight="bold")
    axes.set_xlabel("multiplications + additions")


def check_picture(path: Path) -> None:
    """Say now whether a picture can be written there later, by its suffix and folder.

    Raises:
        InputError: the suffix names no format of pictures, or there is no such folder.
        MissingExtraError: Matplotlib is not installed.
    """
    formats = _figure(1, 1).canvas.get_supported_filetypes()
    if path.suffix.lower().removeprefix(".") not in formats:
        raise InputError(
            f"{path}: pictures are drawn as .png, .svg or .pdf, by the suffix, not as '{path.suffix or path.name}'"
        )
    if not path.parent.is_dir():
        raise InputError(f"{path}: cannot be drawn: there is no folder {path.parent}")


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure to a file whose suffix says the format: .png, .svg, .pdf. The file is written whole or not at all.

    Raises:
        InputError: the file cannot be written, or the format is not known.
    """
    content = io.BytesIO()
    try:
        figure.savefig(content, format=Path(path).suffix.lower().removeprefix("."))
    except ValueError as error:
        raise InputError(f"{path}: the picture cannot be drawn: {error}") from None
    try:
        write_whole(path, content.getvalue())
    except OSError as error:
        raise InputError(f"{path}: the picture cannot be written: {error.strerror}") from None
