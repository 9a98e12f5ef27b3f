"""Denavit-Hartenberg tables as serial arms, in the three conventions of the books.

Standard rows (Denavit & Hartenberg 1955; Paul; SHV) are T = Rz(theta) Tz(d) Tx(a) Rx(alpha), with
the link's frame at its distal end; modified rows (Craig; Khalil & Kleinfinger; BP 2.3.1) are
T = Rx(alpha) Tx(a) Rz(theta) Tz(d), with the link's frame on its own joint axis. Craig gives alpha and a the index
of the previous link, BP gives them the index of the row; the rows are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from revolute.arguments import Array
from revolute.errors import InputError
from revolute.model import Drive, Joint, Limits, Link, Model, assemble
from revolute.model.joints import Prismatic, Revolute
from revolute.spatial import Inertia, Rotation, Scalar, Transform, Vector

CONVENTIONS = ("standard", "modified", "bp")
_STEP = 1e-30  # step of complex-step differentiation; its square is negligible compared with one


@dataclass(frozen=True)
class DHRow:
    """A row: a link and its joint; q is added to `theta` of a revolute joint and to `d` of a prismatic joint.

    Attributes:
        a, alpha, d, theta: Denavit-Hartenberg parameters in the table's convention [m, rad].
        inertia: inertia of the link about its frame's origin, expressed in this frame.
        limits: limits of the joint.
        prismatic: whether the joint is prismatic.
        drive: data of the joint's drive.
    """

    a: Scalar = 0
    alpha: Scalar = 0
    d: Scalar = 0
    theta: Scalar = 0
    inertia: Inertia = field(default_factory=Inertia)
    limits: Limits = field(default_factory=Limits)
    prismatic: bool = False
    drive: Drive = field(default_factory=Drive)


@dataclass(frozen=True)
class DHTable:
    """A serial arm as a table: the output of `Robot.to_dh` and input of `Robot.from_dh`.

    Attributes:
        convention: "standard", "modified" or "bp".
        rows: one row per joint; angles in rad, lengths in m.
        mount: pose of the table's frame 0 in the base link's frame.
        flange: pose of the frame "flange" in the last row's frame.
    """

    convention: str
    rows: tuple[DHRow, ...]
    mount: Transform = Transform()
    flange: Transform = Transform()

    def placement_partials(self) -> Array:
        """Derivatives of the placements of joints and "flange" with respect to the parameters. Khalil & Dombre 11.

        `robot.kernel("placement_jacobian", frame="flange")(q) @ table.placement_partials()` is the derivative of the
        flange's pose with respect to the parameters. In the conventions "modified" and "bp", in which links' frames
        are on their joints, multiply `inverse_dynamics_placement_partials` by the first 6 n rows in the same way.

        Returns:
            (6 n + 6, 4 n) matrix: rows in the order of the columns of `Robot.placement_jacobian`; columns for
            a, alpha, d, theta of the first joint, then of the second ...

        Raises:
            InputError: the table has symbols.

        Example:
            >>> table = revolute.robots.planar(2).to_dh()
            >>> # a of the first row moves the second joint along its x
            >>> table.placement_partials()[6:12, 0] + 0.0
            array([0., 0., 0., 1., 0., 0.])
        """
        names = ("a", "alpha", "d", "theta")
        if any(getattr(getattr(row, name), "free_symbols", None) for row in self.rows for name in names):
            raise InputError("placement_partials: the table has symbols; substitute values first")
        columns = []
        for k, row in enumerate(self.rows):
            for name in names:
                stepped = replace(row, **{name: complex(getattr(row, name), _STEP)})  # type: ignore[arg-type]
                columns.append(_displacements(replace(self, rows=(*self.rows[:k], stepped, *self.rows[k + 1 :]))))
        return np.stack(columns, axis=1)

    def __str__(self) -> str:
        """A table with one line per joint; "+ q" marks the parameter that the joint changes."""
        lines = [f"{'joint':>5} {'a [m]':>12} {'alpha [rad]':>12} {'d [m]':>14} {'theta [rad]':>14}"]
        for k, row in enumerate(self.rows, 1):
            a, alpha, d, theta = map(_figure, (row.a, row.alpha, row.d, row.theta))
            d, theta = (f"{d} + q", theta) if row.prismatic else (d, f"{theta} + q")
            lines.append(f"{k:>5} {a:>12} {alpha:>12} {d:>14} {theta:>14}")
        return "\n".join(lines)


def arm(name: str, table: DHTable, warn: bool = True, gravity: Sequence[float] = (0, 0, -9.81)) -> Model:
    """The serial arm of a table: base "base", links "link1" ..., joints "joint1" ..., and "flange".

    The frame of a `Robot`'s body is on its joint axis. Standard rows have their frames at the distal ends of the links:
    these are "frame1" ..., fixed to the links.
    """
    if not (rows := table.rows):
        raise InputError("a Denavit-Hartenberg table needs at least one row")
    placements, far = _placements(table)
    links, joints = [Link("base")], []
    for k, (row, placement, frame) in enumerate(zip(rows, placements, far, strict=True), 1):
        joint = Prismatic() if row.prismatic else Revolute()
        joints.append(Joint(f"joint{k}", links[-1].name, f"link{k}", joint, placement, row.limits, row.drive))
        links.append(Link(f"link{k}", frame @ row.inertia))
    mounts = [Joint("flange_mount", links[-1].name, "flange", placement=far[-1] @ table.flange)]
    if table.convention == "standard":
        for k, frame in enumerate(far, 1):
            mounts.append(Joint(f"frame{k}_mount", f"link{k}", f"frame{k}", placement=frame))
    links += [Link(mount.child) for mount in mounts]
    return assemble(name, links, [*joints, *mounts], warn=warn, gravity=gravity)


def _placements(table: DHTable) -> tuple[list[Transform], list[Transform]]:
    """Placements of the joints, and the frame of each row relative to its body."""
    rows = table.rows
    if table.convention == "standard":
        far = [(Transform(p=Vector((0, 0, row.d))) @ _screw_x(row)).merged() for row in rows]
        near = [Transform(_screw_z(row).R) for row in rows]
        placements = [table.mount @ near[0]]
        return placements + [before @ turn for before, turn in zip(far[:-1], near[1:], strict=True)], far
    placements = [_screw_x(row) @ _screw_z(row) for row in rows]
    placements[0] = table.mount @ placements[0]
    return placements, [Transform() for _ in rows]


def _displacements(table: DHTable) -> Array:
    """Displacements X^-1 dX of all placements X, by complex steps: rotation vectors and translations."""
    placements, far = _placements(table)
    found: list[float] = []
    for X in (*placements, far[-1] @ table.flange):
        T = np.array(X.matrix(), dtype=complex)
        turn, shift = T[:3, :3].real.T @ T[:3, :3].imag / _STEP, T[:3, :3].real.T @ T[:3, 3].imag / _STEP
        found += [turn[2, 1], turn[0, 2], turn[1, 0], *shift]
    return np.array(found)


def _screw_x(row: DHRow) -> Transform:
    return Transform.from_rpy((row.a, 0, 0), (row.alpha, 0, 0))


def _screw_z(row: DHRow) -> Transform:
    return Transform(Rotation.from_rpy(0, 0, row.theta), Vector((0, 0, row.d)))


def _figure(x: Scalar) -> str:
    return str(x) if getattr(x, "free_symbols", None) else f"{float(x):.6g}"
