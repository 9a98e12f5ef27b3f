"""Denavit-Hartenberg rows as joints, for the robots of this library.

Standard rows (Denavit & Hartenberg 1955; Paul) are T = Rz(theta) Tz(d) Tx(a) Rx(alpha), with
the link's frame at its far end; modified ones (Craig; Khalil & Kleinfinger) are
T = Rx(alpha) Tx(a) Rz(theta) Tz(d), with the link's frame on its own joint axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from revolute.assemble import Connection, Link
from revolute.body import Limits
from revolute.joints import Prismatic, Revolute
from revolute.robot import Robot
from revolute.spatial import Inertia, Rotation, Transform, Vector

__all__ = ["Row", "modified", "standard"]


@dataclass(frozen=True)
class Row:
    """A link with its joint; `theta` of a revolute and `d` of a prismatic joint are offsets.

    Attributes:
        a, alpha, d, theta: as the convention has them [m, rad].
        inertia: about the link's frame.
        limits: of the joint.
        prismatic: the joint slides.
    """

    a: float = 0
    alpha: float = 0
    d: float = 0
    theta: float = 0
    inertia: Inertia = field(default_factory=Inertia)
    limits: Limits = field(default_factory=Limits)
    prismatic: bool = False


def modified(name: str, rows: Sequence[Row], warn: bool = True) -> Robot:
    """A serial arm from modified rows: links "link1" ..., joints "joint1" ..., base "base"."""
    placements = [_screw_x(row) @ _screw_z(row) for row in rows]
    return _arm(name, rows, placements, [row.inertia for row in rows], Transform(), warn)


def standard(name: str, rows: Sequence[Row]) -> Robot:
    """A serial arm from standard rows; "flange" is the last row's frame, at the arm's end.

    The frame of a `Robot`'s body is on its joint axis: row i's far frame is fixed to it.
    """
    far = [(Transform(p=Vector((0, 0, row.d))) @ _screw_x(row)).merged() for row in rows]
    near = [Transform(_screw_z(row).R) for row in rows]
    placements = [near[0], *(before @ turn for before, turn in zip(far[:-1], near[1:], strict=True))]
    inertias = [frame @ row.inertia for frame, row in zip(far, rows, strict=True)]
    return _arm(name, rows, placements, inertias, far[-1])


def _screw_x(row: Row) -> Transform:
    return Transform.from_rpy((row.a, 0, 0), (row.alpha, 0, 0))


def _screw_z(row: Row) -> Transform:
    return Transform(Rotation.from_rpy(0, 0, row.theta), Vector((0, 0, row.d)))


def _arm(
    name: str,
    rows: Sequence[Row],
    placements: Sequence[Transform],
    inertias: Sequence[Inertia],
    flange: Transform,
    warn: bool = True,
) -> Robot:
    links, joints = [Link("base")], []
    for k, (row, placement, inertia) in enumerate(zip(rows, placements, inertias, strict=True), 1):
        joint = Prismatic() if row.prismatic else Revolute()
        joints.append(Connection(f"joint{k}", links[-1].name, f"link{k}", joint, placement, row.limits))
        links.append(Link(f"link{k}", inertia))
    joints.append(Connection("flange_mount", links[-1].name, "flange", placement=flange))
    return Robot.from_links(name, [*links, Link("flange")], joints, warn=warn)
