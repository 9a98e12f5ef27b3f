"""Joint loads along a trajectory, accumulated block by block in little memory."""

import numpy as np
from rich.table import Table

from revolute.arguments import Array
from revolute.cli.commands import screen
from revolute.machine.robot import Robot
from revolute.model.units import force_units, number, short_names

POINTS = 16384  # maximum number of points of a plotted curve; a picture is fewer pixels wide
SLACK = 1e-9  # tolerated excess over a limit, because numbers in files are rounded


class Summary:
    """Peaks, RMS values and thinned curves of joint forces and powers.

    Attributes:
        rows: number of rows added so far.
        peak_force, peak_power: (nv,) largest absolute values [N m, N; W].
        peak_at: (nv,) times [s] of the largest forces; without times, row indices from 0.
        reach: (2, nq) lowest and highest positions; `speed`: (nv,) highest speeds.
    """

    def __init__(self, robot: Robot) -> None:
        self.rows = 0
        self.peak_force, self.peak_power, self.peak_at, self.speed = np.zeros((4, robot.nv))
        self.reach = np.array([np.full(robot.nq, np.inf), np.full(robot.nq, -np.inf)])
        self.last = 0.0
        self.first: float | None = None
        self._squares = np.zeros(robot.nv)
        self._bucket = 1
        self._curves: list[Array] = []

    def add(self, t: Array | None, q: Array, qd: Array, tau: Array) -> None:
        """Add the next n rows: (n,) t, (n, nq) q, (n, nv) qd and (n, nv) tau."""
        x = np.arange(self.rows, self.rows + len(q), dtype=float) if t is None else t
        self.first = float(x[0]) if self.first is None else self.first
        self.last = float(x[-1])
        self.rows += len(q)
        self._squares += (tau * tau).sum(axis=0)
        self.reach = np.array([np.minimum(self.reach[0], q.min(axis=0)), np.maximum(self.reach[1], q.max(axis=0))])
        self.speed = np.maximum(self.speed, abs(qd).max(axis=0))
        self.peak_power = np.maximum(self.peak_power, abs(tau * qd).max(axis=0))
        row = abs(tau).argmax(axis=0)
        here = abs(tau).max(axis=0)
        self.peak_at = np.where(here > self.peak_force, x[row], self.peak_at)
        self.peak_force = np.maximum(self.peak_force, here)
        self._thin(x, tau)

    @property
    def effective_force(self) -> Array:
        """(nv,) root mean squares of the forces, which determine how much a motor heats up."""
        return np.asarray(np.sqrt(self._squares / max(self.rows, 1)))

    def curves(self) -> tuple[Array, Array]:
        """(m,) times or row indices, and (m, nv) forces with all peaks: lowest and highest forces of each bucket."""
        low, high = np.concatenate(self._curves).transpose(1, 0, 2)
        both = np.stack([low, high], axis=1).reshape(-1, low.shape[1])
        return both[:, 0], both[:, 1:]

    def _thin(self, x: Array, tau: Array) -> None:
        """Add rows to the (buckets, 2, 1 + nv) lowest and highest values; merge pairs of buckets if too many."""
        columns = np.column_stack([x, tau])
        self._curves.append(_extremes(columns, columns, self._bucket))
        while sum(map(len, self._curves)) > POINTS // 2:
            self._bucket *= 2
            low, high = np.concatenate(self._curves).transpose(1, 0, 2)
            self._curves = [_extremes(low, high, 2)]


def _extremes(low: Array, high: Array, bucket: int) -> Array:
    starts = np.arange(0, len(low), bucket)
    return np.stack([np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)], axis=1)


def loads_table(robot: Robot, summary: Summary, title: str, timed: bool = True) -> Table:
    """Table of peak and effective forces of each joint, rated efforts, and peak powers."""
    table = screen.new_table(title, *load_headings(robot, timed))
    for cells, bad in zip(load_cells(robot, summary, timed), overloaded(robot, summary), strict=True):
        table.add_row(screen.cell(cells[0]), *cells[1:], style="bold red" if bad else "")
    return table


def load_headings(robot: Robot, timed: bool) -> tuple[str, ...]:
    """Headings of the columns of `load_cells`."""
    units = set(force_units(robot)) or {"N m"}
    unit = f"\n[{units.pop()}]" if len(units) == 1 else ""
    return (
        "joint", "peak" + unit, "at\n" + ("[s]" if timed else "row"), "rms" + unit, "rated" + unit, "used",
        "power\n[W]",
    )  # fmt: skip


def load_cells(robot: Robot, summary: Summary, timed: bool) -> list[tuple[str, ...]]:
    """Texts for each joint: peak force and its time, effective force, rated effort and its fraction, peak power."""
    units, limits = force_units(robot), robot.effort_limits
    rows: list[tuple[str, ...]] = []
    for i, name in enumerate(short_names(robot)):
        rated = 0 < limits[i] < np.inf
        cells = (
            f"{name} [{units[i]}]" if len(set(units)) > 1 else name,
            number(summary.peak_force[i]),
            number(summary.peak_at[i]) if timed else f"{summary.peak_at[i] + 1:.0f}",
            number(summary.effective_force[i]),
            f"{limits[i]:g}" if rated else "–",
            f"{summary.peak_force[i] / limits[i]:.0%}" if rated else "–",
            number(summary.peak_power[i]),
        )
        rows.append(cells)
    return rows


def overloaded(robot: Robot, summary: Summary) -> list[bool]:
    """Whether the peak force of each joint exceeds its rated effort."""
    limits = robot.effort_limits
    return [bool(x) for x in (limits > 0) & (limits < summary.peak_force)]


def beyond(robot: Robot, summary: Summary) -> list[str]:
    """Notes on positions and speeds beyond limits."""
    notes = []
    for body, at, to in zip(robot.bodies, robot.q_index, robot.v_index, strict=True):
        low, high = robot.lower_limits[at] - SLACK, robot.upper_limits[at] + SLACK
        if (summary.reach[0, at] < low).any() or (summary.reach[1, at] > high).any():
            notes.append(
                f"joint '{body.joint_name}' leaves its range {robot.lower_limits[at][0]:g} ... "
                f"{robot.upper_limits[at][0]:g}: it goes from {summary.reach[0, at][0]:g} to "
                f"{summary.reach[1, at][0]:g} (angles are in radians)"
            )
        if (summary.speed[to] > robot.velocity_limits[to] * (1 + SLACK)).any():
            notes.append(
                f"joint '{body.joint_name}' exceeds its speed limit of {robot.velocity_limits[to][0]:g}: "
                f"it reaches {summary.speed[to].max():g}"
            )
    return notes
