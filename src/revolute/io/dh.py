"""Denavit-Hartenberg tables as serial arms, in the three conventions of the books.

Standard rows (Denavit & Hartenberg 1955; Paul; SHV) are T = Rz(theta) Tz(d) Tx(a) Rx(alpha), with
the link's frame at its far end; modified ones (Craig; Khalil & Kleinfinger; BP 2.3.1) are
T = Rx(alpha) Tx(a) Rz(theta) Tz(d), with the link's frame on its own joint axis. Craig prints the
first two with the index of the link before, BP with that of the row: the rows are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from revolute.errors import InputError
from revolute.model.assemble import Connection, Link, assemble
from revolute.model.body import Limits
from revolute.model.joints import Prismatic, Revolute
from revolute.model.model import Model
from revolute.spatial import Inertia, Rotation, Transform, Vector
from revolute.spatial.scalar import Scalar

__all__ = ["CONVENTIONS", "DHTable", "Row", "arm", "modified", "standard"]

CONVENTIONS = ("standard", "modified", "bp")


@dataclass(frozen=True)
class Row:
    """A link with its joint; `theta` of a revolute and `d` of a prismatic joint are offsets.

    Attributes:
        a, alpha, d, theta: as the convention has them [m, rad].
        inertia: about the link's frame.
        limits: of the joint.
        prismatic: the joint slides.
    """

    a: Scalar = 0
    alpha: Scalar = 0
    d: Scalar = 0
    theta: Scalar = 0
    inertia: Inertia = field(default_factory=Inertia)
    limits: Limits = field(default_factory=Limits)
    prismatic: bool = False


@dataclass(frozen=True)
class DHTable:
    """A serial arm as a table: what `Robot.to_dh` gives and `Robot.from_dh` takes.

    Attributes:
        convention: "standard", "modified" or "bp".
        rows: one row per joint; angles in rad, lengths in m.
        mount: pose of the table's frame 0 in the base link's frame.
        flange: pose of the frame "flange" in the last row's frame.
    """

    convention: str
    rows: tuple[Row, ...]
    mount: Transform = Transform()
    flange: Transform = Transform()

    def __str__(self) -> str:
        """One line per joint; q is added to the parameter that the joint changes."""
        lines = [f"{'joint':>5} {'a [m]':>12} {'alpha [rad]':>12} {'d [m]':>14} {'theta [rad]':>14}"]
        for k, row in enumerate(self.rows, 1):
            a, alpha, d, theta = map(_figure, (row.a, row.alpha, row.d, row.theta))
            d, theta = (f"{d} + q", theta) if row.prismatic else (d, f"{theta} + q")
            lines.append(f"{k:>5} {a:>12} {alpha:>12} {d:>14} {theta:>14}")
        return "\n".join(lines)


def arm(name: str, table: DHTable, warn: bool = True, gravity: Sequence[float] = (0, 0, -9.81)) -> Model:
    """The serial arm of a table: base "base", links "link1" ..., joints "joint1" ..., and "flange".

    The frame of a `Robot`'s body is on its joint axis. Standard rows have their frames at the
    far ends of the links: these are "frame1" ..., fixed to the links.
    """
    rows = table.rows
    if not rows:
        raise InputError("a Denavit-Hartenberg table needs at least one row")
    if table.convention == "standard":
        far = [(Transform(p=Vector((0, 0, row.d))) @ _screw_x(row)).merged() for row in rows]
        near = [Transform(_screw_z(row).R) for row in rows]
        placements = [table.mount @ near[0]]
        placements += [before @ turn for before, turn in zip(far[:-1], near[1:], strict=True)]
    else:
        far = [Transform() for _ in rows]
        placements = [_screw_x(row) @ _screw_z(row) for row in rows]
        placements[0] = table.mount @ placements[0]
    links, joints = [Link("base")], []
    for k, (row, placement, frame) in enumerate(zip(rows, placements, far, strict=True), 1):
        joint = Prismatic() if row.prismatic else Revolute()
        joints.append(Connection(f"joint{k}", links[-1].name, f"link{k}", joint, placement, row.limits))
        links.append(Link(f"link{k}", frame @ row.inertia))
    mounts = [Connection("flange_mount", links[-1].name, "flange", placement=far[-1] @ table.flange)]
    if table.convention == "standard":
        for k, frame in enumerate(far, 1):
            mounts.append(Connection(f"frame{k}_mount", f"link{k}", f"frame{k}", placement=frame))
    links += [Link(mount.child) for mount in mounts]
    return assemble(name, links, [*joints, *mounts], warn=warn, gravity=gravity)


def modified(name: str, rows: Sequence[Row], warn: bool = True) -> Model:
    """A serial arm from modified rows."""
    return arm(name, DHTable("modified", tuple(rows)), warn)


def standard(name: str, rows: Sequence[Row]) -> Model:
    """A serial arm from standard rows."""
    return arm(name, DHTable("standard", tuple(rows)))


def _screw_x(row: Row) -> Transform:
    return Transform.from_rpy((row.a, 0, 0), (row.alpha, 0, 0))


def _screw_z(row: Row) -> Transform:
    return Transform(Rotation.from_rpy(0, 0, row.theta), Vector((0, 0, row.d)))


def _figure(x: Scalar) -> str:
    return str(x) if getattr(x, "free_symbols", None) else f"{float(x):.6g}"
