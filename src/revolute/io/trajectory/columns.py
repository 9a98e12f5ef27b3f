"""Names of the columns of a trajectory, and which column of a file holds what."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from revolute.errors import TrajectoryError
from revolute.model.model import Model

__all__ = ["Columns", "match", "position_names", "rate_names", "time_column"]

TIME = ("t", "time", "seconds", "sec", "t_s", "time_s")
"""Names of a column of seconds, in any case; "[s]" or "(s)" may follow. A bare "timestamp" does not say its unit."""


@dataclass(frozen=True)
class Columns:
    """Where a table keeps a robot's states.

    Attributes:
        time: column of the time; None if there is none.
        q: nq columns of positions.
        qd, qdd: nv columns each, or none at all.
        ignored: columns that are nothing of this robot.
    """

    time: str | None
    q: tuple[str, ...]
    qd: tuple[str, ...]
    qdd: tuple[str, ...]
    ignored: tuple[str, ...]

    @property
    def used(self) -> tuple[str, ...]:
        """The columns to read: time, q, qd, qdd."""
        return ((self.time,) if self.time else ()) + self.q + self.qd + self.qdd


def position_names(model: Model) -> tuple[str, ...]:
    """Columns of the nq positions: `q.<joint>`, and seven of a free joint: `q.<joint>.x`, ...

    Example:
        >>> import revolute
        >>> from revolute.io.trajectory import position_names
        >>> len(position_names(revolute.robots.planar(3)))
        3
    """
    return tuple(
        f"q.{body.joint_name}" + (f".{part}" if part else "")
        for body in model.bodies
        for part in body.joint.q_names
    )


def rate_names(model: Model, quantity: str) -> tuple[str, ...]:
    """Columns of nv numbers: `quantity` is "qd", "qdd" or "tau".

    Example:
        >>> import revolute
        >>> from revolute.io.trajectory import rate_names
        >>> len(rate_names(revolute.robots.planar(3), "tau"))
        3
    """
    return tuple(f"{quantity}.{name}" for name in model.coordinate_names)


def match(model: Model, names: Sequence[str], where: str) -> Columns:
    """Which of a table's columns hold the robot's states.

    Args:
        model: the robot.
        names: the table's columns.
        where: name of the file, for messages.

    Raises:
        TrajectoryError: a joint has no column, or two; velocities or accelerations are
            there for some joints only.
    """
    q = _positions(model, names, where)
    time = time_column([name for name in names if name not in q], where)
    qd, qdd = (_rates(model, quantity, names, where) for quantity in ("qd", "qdd"))
    known = {time, *q, *qd, *qdd}
    return Columns(time, q, qd, qdd, tuple(name for name in names if name not in known))


def time_column(names: Sequence[str], where: str) -> str | None:
    """The column of the time [s] among a table's columns; None if there is none.

    Args:
        names: the table's columns, but for those that are joints.
        where: name of the file, for messages.

    Raises:
        TrajectoryError: there are two.
    """
    times = [name for name in names if re.sub(r"\s*(\[s\]|\(s\))$", "", name.strip().lower()) in TIME]
    if len(times) > 1:
        raise TrajectoryError(f"{where}: columns {_listed(times)} all are times; keep one")
    return times[0] if times else None


def _positions(model: Model, names: Sequence[str], where: str) -> tuple[str, ...]:
    found, missing = [], []
    for name in position_names(model):
        here = [column for column in (name, name.removeprefix("q.")) if column in names]
        if len(here) > 1:
            raise TrajectoryError(f"{where}: columns '{here[0]}' and '{here[1]}' both are that joint's; keep one")
        found += here
        missing += [] if here else [name]
    if missing:
        spare = [name for name in names if name not in found]
        near = [x for name in (missing[0], missing[0][2:]) for x in difflib.get_close_matches(name, spare, 1)]
        hint = f"did you mean '{near[0]}'?" if near else f"the file has: {_listed(names)}"
        raise TrajectoryError(
            f"{where}: no column of positions for {_listed(missing)} of robot '{model.name}' "
            f"(needs {len(model.q_index) - 1} joints); {hint}"
        )
    return tuple(found)


def _rates(model: Model, quantity: str, names: Sequence[str], where: str) -> tuple[str, ...]:
    wanted = rate_names(model, quantity)
    missing = [name for name in wanted if name not in names]
    if 0 < len(missing) < len(wanted):
        raise TrajectoryError(
            f"{where}: no column {_listed(missing)}; give {quantity}.* for all joints, or for none to have them derived"
        )
    return () if missing else wanted


def _listed(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
