"""The workspace of a link frame: points that its origin reaches within the joint limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from revolute.arguments import whole_number
from revolute.machine.functions.task_space import frame_rows
from revolute.machine.machine import Array
from revolute.records import dataclass

if TYPE_CHECKING:
    from revolute.machine.robot.inverse_kinematics import InverseKinematics
    from revolute.plot.figures import Figure


@dataclass(frozen=True, eq=False)
class Workspace:
    """Points that the origin of a link frame reaches, and the frame's manipulability at them.

    Attributes:
        name: name of the robot.
        frame: name of the link.
        q: (N, nq) positions within the joint limits [rad, m].
        points: (N, 3) positions of the frame's origin in the base frame [m].
        manipulability: (N,) values for the selected rows of the frame's Jacobian: see `Robot.manipulability`.
    """

    name: str
    frame: str
    q: Array
    points: Array
    manipulability: Array

    @property
    def bounds(self) -> tuple[Array, Array]:
        """The bounding box of all points: its lowest and highest corners [m]."""
        return self.points.min(axis=0), self.points.max(axis=0)

    def plot(self, title: str | None = None) -> Figure:
        """Plot the points from above and from two sides, coloured by manipulability; the best points are drawn last.

        Raises:
            MissingExtraError: Matplotlib is not installed.

        Example:
            >>> revolute.robots.ur5().workspace("tool0", 500).plot().get_suptitle()
            'ur5: where tool0 can be'
        """
        from revolute.plot import workspace

        return workspace(self.points, self.manipulability, title or f"{self.name}: where {self.frame} can be")

    def __repr__(self) -> str:
        low, high = (np.array2string(x, precision=3) for x in self.bounds)
        return f"<Workspace of {self.frame!r} of {self.name!r}: {len(self.q)} points, {low} ... {high} m>"


def sampled(machine: InverseKinematics, frame: str, count: int, rows: str | Sequence[int], rng: Any) -> Workspace:
    """See `Robot.workspace`."""
    count = whole_number("workspace: count", count, 1)
    q = machine.random_configuration(count, rng=rng)
    points = np.ascontiguousarray(machine.forward_kinematics(q, frame)[:, :3, 3])
    measure = machine.manipulability(q, frame, rows=frame_rows("workspace", rows))
    return Workspace(machine.name, frame, q, points, measure)
