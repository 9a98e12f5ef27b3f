"""Names of the columns of a trajectory, and the matching columns of a file."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from revolute.errors import TrajectoryError
from revolute.io.plain import listed
from revolute.model.model import Model

TIME = ("t", "time", "seconds", "sec", "t_s", "time_s")
"""Names of a time column [s], case-insensitive, with "[s]" or "(s)" optional. The unit of "timestamp" is ambiguous."""


@dataclass(frozen=True)
class Columns:
    """The columns of a table with a robot's states."""

    time: str | None  # name of the time column; None if there is none
    q: tuple[str, ...]  # names of the nq columns of positions
    # qd, qdd: names of the nv columns of velocities and accelerations; empty if the table has none
    qd: tuple[str, ...]
    qdd: tuple[str, ...]
    ignored: tuple[str, ...]  # names of all other columns

    @property
    def used(self) -> tuple[str, ...]:
        """The columns to read: time, q, qd, qdd."""
        return ((self.time,) if self.time else ()) + self.q + self.qd + self.qdd


def position_names(model: Model) -> tuple[str, ...]:
    """Columns of the nq positions: `q.<joint>`, and for a free joint seven columns `q.<joint>.x`, ...

    Example:
        >>> from revolute.io.trajectory import position_names
        >>> len(position_names(revolute.robots.planar(3)))
        3
    """
    return tuple(f"q.{name}" for name in model.position_names)


def rate_names(model: Model, quantity: str) -> tuple[str, ...]:
    """Columns of the nv velocities, accelerations or forces: `quantity` is "qd", "qdd" or "tau".

    Example:
        >>> from revolute.io.trajectory import rate_names
        >>> len(rate_names(revolute.robots.planar(3), "tau"))
        3
    """
    return tuple(f"{quantity}.{name}" for name in model.coordinate_names)


def match(model: Model, names: Sequence[str], where: str) -> Columns:
    """Find the columns of a table that contain the robot's states; `where` names the file in messages.

    Raises:
        TrajectoryError: a joint has no column, or two columns; only some joints have velocities or accelerations.
    """
    q = _positions(model, names, where)
    time = time_column([name for name in names if name not in q], where)
    qd, qdd = (_rates(model, quantity, names, where) for quantity in ("qd", "qdd"))
    matched = {time, *q, *qd, *qdd}
    return Columns(time, q, qd, qdd, tuple(name for name in names if name not in matched))


def time_column(names: Sequence[str], where: str) -> str | None:
    """The time column [s] among some columns of a table, or None; `where` names the file in messages.

    Raises:
        TrajectoryError: there are two time columns.
    """
    times = [name for name in names if re.sub(r"\s*(\[s\]|\(s\))$", "", name.strip().lower()) in TIME]
    if len(times) > 1:
        raise TrajectoryError(f"{where}: columns {listed(times, 8)} are all time columns; keep one")
    return times[0] if times else None


def _positions(model: Model, names: Sequence[str], where: str) -> tuple[str, ...]:
    columns, missing = [], []
    for name in position_names(model):
        matches = [column for column in (name, name.removeprefix("q.")) if column in names]
        if len(matches) > 1:
            raise TrajectoryError(f"{where}: columns '{matches[0]}' and '{matches[1]}' belong to one joint; keep one")
        columns += matches
        missing += [] if matches else [name]
    if missing:
        unused = [name for name in names if name not in columns]
        nearest = [x for name in (missing[0], missing[0][2:]) for x in difflib.get_close_matches(name, unused, 1)]
        hint = f"did you mean '{nearest[0]}'?" if nearest else f"the file has: {listed(names, 8)}"
        if nearest and set(",;") & set(nearest[0]):
            hint += " The file seems to have decimal commas: write points, q.joint and 0.5"
        raise TrajectoryError(
            f"{where}: no column of positions for {listed(missing, 8)} of robot '{model.name}' "
            f"(it has {len(model.q_index) - 1} joints); {hint}"
        )
    return tuple(columns)


def _rates(model: Model, quantity: str, names: Sequence[str], where: str) -> tuple[str, ...]:
    columns = rate_names(model, quantity)
    missing = [name for name in columns if name not in names]
    if 0 < len(missing) < len(columns):
        raise TrajectoryError(
            f"{where}: no column {listed(missing, 8)}; give {quantity}.* for all joints, or for none to derive them"
        )
    return () if missing else columns
