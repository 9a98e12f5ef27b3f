"""Data of joints: limits and drives of all joints as arrays, and all data of one joint."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.model.body import Drive, Limits, column_of
from revolute.model.model import Model
from revolute.model.symbols import numeric
from revolute.records import dataclass
from revolute.spatial import Transform, Vector


def limit_column(model: Model, name: str, size: str, default: float) -> NDArray[Any]:
    """(nq,) or (nv,) values of a field of `Limits`, read-only; `default` if missing. `size` is "nq" or "nv"."""
    return _read_only([(getattr(b.limits, name) or (default,) * getattr(b.joint, size)) for b in model.bodies])


def drive_column(model: Model, name: str) -> NDArray[Any]:
    """(nv,) values of a field of `Drive`, read-only; its default for joints without it."""
    return _read_only([column_of(b.drive, name, b.joint.nv) for b in numeric(model, name).bodies])


def _read_only(rows: list[tuple[float, ...]]) -> NDArray[Any]:
    column = np.array([x for row in rows for x in row], dtype=float)
    column.flags.writeable = False
    return column


@dataclass(frozen=True)
class JointData:
    """A joint of a robot: see `Robot.joint`.

    Attributes:
        name: name of the joint.
        type: "revolute", "prismatic", "helical", "planar", "spherical" or "free".
        axis: unit vector of a revolute, prismatic or helical joint, expressed in the joint frame; otherwise None.
        parent, child: names of the bodies that the joint connects. Links on fixed joints are merged into them.
        placement: pose of the joint's frame in the parent's frame.
        limits, drive: limits and drive data of the joint.
        q: slice of the joint's entries in the nq positions.
        qd: slice of the joint's entries in the nv velocities, accelerations and forces.
    """

    name: str
    type: str
    axis: Vector | None
    parent: str
    child: str
    placement: Transform
    limits: Limits
    drive: Drive
    q: slice
    qd: slice


def joint_data(model: Model, name: str) -> JointData:
    """See `Robot.joint`."""
    i = model.joint_index(name)
    body: Any = model.bodies[i]
    kind, axis = type(body.joint).__name__.lower(), getattr(body.joint, "axis", None)
    return JointData(
        body.joint_name, kind, axis, parent=model.bodies[body.parent].name, child=body.name, placement=body.placement,
        limits=body.limits, drive=body.drive, q=model.q_index[i], qd=model.v_index[i],
    )  # fmt: skip
