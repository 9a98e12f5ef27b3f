"""The states of a robot from a trajectory file, all at once or in blocks; missing derivatives are computed."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from revolute.arguments import Array
from revolute.errors import TrajectoryError
from revolute.io.trajectory.columns import TIME, Columns, match
from revolute.io.trajectory.opening import open_table
from revolute.io.trajectory.rates import continuous, rates
from revolute.io.trajectory.spline import fit
from revolute.io.trajectory.table import BLOCK, TableFile
from revolute.model.model import Model


@dataclass(frozen=True)
class StateRows:
    """Rows of a trajectory."""

    t: Array | None  # (n,) times [s]; None if the file has none
    q: Array  # (n, nq) joint positions [rad, m]
    # qd, qdd: (n, nv) joint velocities and accelerations
    qd: Array
    qdd: Array


@dataclass(frozen=True)
class StateBlock(StateRows):
    """Some rows of a trajectory, and the fraction read so far."""

    done: float


class States:
    """An open trajectory file of a robot.

    Attributes:
        columns: the columns of the file that contain the states.
        derived: those of "qd" and "qdd" that are missing in the file.
        notes: messages for the user; complete after `blocks` has run.
    """

    def __init__(self, model: Model, table: TableFile, every: int | None = None) -> None:
        self.robot = model
        self.columns: Columns = match(model, table.columns, str(table.path))
        self.derived = tuple(name for name in ("qd", "qdd") if not getattr(self.columns, name))
        self.notes: list[str] = []
        self._table, self._every = table, every
        if self.derived and not self.columns.time:
            raise TrajectoryError(
                f"{table.path}: no time column [s]; name it {', '.join(TIME[:-1])} or {TIME[-1]} (columns not used: "
                f"{', '.join(map(repr, self.columns.ignored[:4])) or 'none'}). Without it, give "
                "velocities qd.<joint> and accelerations qdd.<joint>"
            )
        if self.columns.ignored:
            shown = ", ".join(self.columns.ignored[:8]) + (", ..." if len(self.columns.ignored) > 8 else "")
            self.notes.append(f"columns not used: {shown}")

    def blocks(self, report: Callable[[str, float], None] = lambda step, done: None) -> Iterator[StateBlock]:
        """The trajectory in blocks of rows.

        A file with all derivatives is streamed with little memory. If derivatives are missing, the whole file is read
        first, because a spline needs all rows.

        Args:
            report: called with the current step and its completed fraction.

        Raises:
            TrajectoryError: a cell is not a number, or time does not increase.
        """
        if not self.derived:
            for block in self._read():
                report("computing", block.done)
                yield block
            return
        parts = []
        for block in self._read():
            report("reading", block.done)
            parts.append(block)
        report("fitting splines", 0.0)
        whole = self._derive(parts)
        report("fitting splines", 1.0)
        n = len(whole.q)
        for start in range(0, n, BLOCK):
            rows = slice(start, start + BLOCK)
            done = min((start + BLOCK) / n, 1.0)
            report("computing", done)
            t = None if whole.t is None else whole.t[rows]
            yield StateBlock(t, whole.q[rows], whole.qd[rows], whole.qdd[rows], done)

    def _read(self) -> Iterator[StateBlock]:
        """Read blocks of the file; missing derivatives are (k, 0) arrays."""
        columns, last, rows = self.columns, -np.inf, 0
        sizes = [bool(columns.time), len(columns.q), len(columns.qd), len(columns.qdd)]
        for done, values in self._table.blocks(columns.used):
            t, q, qd, qdd = np.split(values, np.cumsum(sizes)[:-1], axis=1)
            if columns.time:
                self._check_time(np.concatenate([[last], t[:, 0]]), rows)
                last = t[-1, 0] if len(t) else last
            rows += len(values)
            yield StateBlock(t[:, 0] if columns.time else None, q, qd, qdd, done)
        if not rows:
            raise TrajectoryError(f"{self._table.path}: there are no rows below the header")

    def _check_time(self, t: Array, row: int) -> None:
        not_increasing = np.flatnonzero(np.diff(t) <= 0)
        if len(not_increasing):
            i = not_increasing[0]
            raise TrajectoryError(
                f"{self._table.path}: time must increase, but {self._table._place(row + i + 1)} has "
                f"{t[i + 1]:.10g} s after {t[i]:.10g} s"
            )

    def _derive(self, parts: list[StateBlock]) -> StateRows:
        columns = self.columns
        t = np.concatenate([part.t for part in parts if part.t is not None])
        q, qd, qdd = (np.concatenate([getattr(part, name) for part in parts]) for name in ("q", "qd", "qdd"))
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                if columns.qd:
                    (_, qdd, _), report = fit(t, qd, self._every)
                else:
                    q, jumped = continuous(self.robot, q)
                    (q, first, second), report = fit(t, q, self._every)
                    qd, derived = rates(self.robot, q, first, second)
                    qdd = qdd if columns.qdd else derived
            if not (np.isfinite(qd).all() and np.isfinite(qdd).all()):
                raise TrajectoryError("velocities and accelerations overflow, or a quaternion is zero; check them")
        except TrajectoryError as error:
            raise TrajectoryError(f"{self._table.path}: {error}") from None
        if not columns.qd and jumped:
            self.notes.append(f"jumps by 2 pi (or of quaternion signs) were removed from: {', '.join(jumped)}")
        quantities = " and ".join({"qd": "velocities", "qdd": "accelerations"}[name] for name in self.derived)
        source = "velocities" if columns.qd else "positions"
        self.notes.append(f"{quantities} are not in the file: derived from its {source} by {report}")
        return StateRows(t, q, qd, qdd)

def open_states(model: Model, path: str | os.PathLike[str], every: int | None = None) -> States:
    """Open a trajectory file (CSV, or Parquet by its suffix), to be read in blocks.

    Args:
        model: the robot that moves.
        path: the file; `revolute.io.trajectory` describes its columns.
        every: samples between the knots of the smoothing spline, which is used if the file
            lacks velocities or accelerations; by default chosen by cross-validation.

    Raises:
        TrajectoryError: the file cannot be read, or its columns do not fit the robot.
    """
    return States(model, open_table(Path(path)), every)


def read(model: Model, path: str | os.PathLike[str], every: int | None = None) -> StateRows:
    """A whole trajectory: arrays for `robot.inverse_dynamics`. See `open_states`.

    Example:
        >>> import tempfile, os
        >>> from revolute.io import trajectory
        >>> robot, t = revolute.robots.planar(1), np.linspace(0, 1, 50)
        >>> path = os.path.join(tempfile.mkdtemp(), "swing.csv")
        >>> trajectory.write(path, ["t", *trajectory.position_names(robot)], t, t**3)
        >>> swing = trajectory.read(robot, path)
        >>> bool(abs(swing.qdd[:, 0] - 6 * t).max() < 1e-8)
        True
    """
    blocks = list(open_states(model, path, every).blocks())
    t = [block.t for block in blocks if block.t is not None]
    q, qd, qdd = (np.concatenate([getattr(block, name) for block in blocks]) for name in ("q", "qd", "qdd"))
    return StateRows(np.concatenate(t) if t else None, q, qd, qdd)
