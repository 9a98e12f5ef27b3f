"""The drivetrain of a robot, from joints that mimic others and a coupling matrix."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from revolute.arguments import instances
from revolute.dynamics.closures import require_leader
from revolute.dynamics.drivetrain import Drivetrain
from revolute.errors import InputError, ModelError, ShapeError
from revolute.machine.driven.limits import limited
from revolute.machine.machine import Array
from revolute.machine.row_products import times
from revolute.model import Body, Model
from revolute.model.joints import JointType, Prismatic, Revolute
from revolute.plain_numbers import LARGEST, is_moderate, plain_number
from revolute.spatial.scalar import Scalar

Leader = tuple[int, Scalar, Scalar]  # body i, factor and offset of a coupling q = factor * q_i + offset


def coupled(model: Model, coupling: Any, offset: Any, names: Sequence[str] | None, smoothing: float) -> Drivetrain:
    """The drivetrain of a robot: see `Robot.with_drives` for arguments and errors.

    `coupling` is (m, k), with a row for each joint with one coordinate that does not mimic another joint, in order.
    """
    leaders = _leaders(model)
    free = [i for i, (leader, _, _) in leaders.items() if leader == i]
    if coupling is None and offset is None and names is None:
        coordinates = [body for i, body in enumerate(model.bodies) if body.joint.nv > 1 or i in free]
        A: Array = np.eye(len(free), dtype=object)
        b: list[Scalar] = [0] * len(free)
    else:
        joints = [model.bodies[i] for i in free]
        A, b = _matrix(model, joints, coupling, offset)
        coordinates = [*(body for body in model.bodies if body.joint.nv > 1), *_coordinates(model, joints, A, names)]
    starts = accumulate((body.joint.nv for body in coordinates), initial=0)
    columns_of = dict(zip([body.joint_name for body in coordinates], starts, strict=False))
    columns = [columns_of[body.joint_name] for body in coordinates if body.joint.nv == 1]

    rows, offsets = [], []
    for i, body in enumerate(model.bodies):
        if body.joint.nv == 1:
            leader, factor, shift = leaders[i]
            n = free.index(leader)
            scaled = zip(columns, (factor * x for x in A[n]), strict=True)
            rows.append(tuple((k, whole_or_float(x)) for k, x in scaled if x != 0))
            offsets.append(whole_or_float(factor * b[n] + shift))
        else:
            rows += [((columns_of[body.joint_name] + k, 1),) for k in range(body.joint.nv)]
            offsets += [0] * body.joint.nv
    bodies = (
        Body(body.joint_name, 0, body.joint_name, body.joint, limits=body.limits)
        for body in limited(model, coordinates, rows, offsets)
    )
    return Drivetrain(tuple(bodies), tuple(rows), tuple(offsets), smoothing=smoothing)


def whole_or_float(x: Scalar) -> Scalar:
    """An int for an integer value, a float for any other number; expressions unchanged."""
    if hasattr(x, "free_symbols"):
        return x
    return int(x) if x == int(x) else float(x)


def followed(model: Model, space: Model, A: Array, b: Array, q: Array) -> Array:
    """(..., space.nq) coordinates p of the joint positions q = A p + b, by least squares."""
    p = np.zeros((*q.shape[:-1], space.nq))
    places_in_p = dict(zip([body.joint_name for body in space.bodies], space.q_index, strict=True))
    for body, at in zip(model.bodies, model.q_index, strict=True):
        if body.joint.nv > 1:
            p[..., places_in_p[body.joint_name]] = q[..., at]
    (rows, places), (columns, free) = _single(model), _single(space)
    if rows and columns:
        p[..., free] = times(np.linalg.pinv(A[np.ix_(rows, columns)]), q[..., places] - b[rows])
    return p


def _single(model: Model) -> tuple[list[int], list[int]]:
    """Indices in qd and in q of the joints with one coordinate."""
    chosen = [k for k, body in enumerate(model.bodies) if body.joint.nv == 1]
    return [model.v_index[k].start for k in chosen], [model.q_index[k].start for k in chosen]


def _leaders(model: Model) -> dict[int, Leader]:
    """{joint with one coordinate: the joint that it ultimately mimics, or itself, with factor and offset}."""
    for body in model.bodies:
        if body.drive.mimic and body.joint.nv != 1:
            raise ModelError(
                f"with_drives: joint '{body.joint_name}' of '{model.name}' has {body.joint.nv} coordinates and a "
                "Drive.mimic; only joints with one coordinate can mimic"
            )
    return {i: _leader(model, i) for i, body in enumerate(model.bodies) if body.joint.nv == 1}


def _leader(model: Model, i: int) -> Leader:
    """The joint that joint i ultimately follows, with factor and offset. Raise `ModelError` for invalid chains."""
    factor: Scalar = 1
    offset: Scalar = 0
    seen = [i]
    while mimic := model.bodies[i].drive.mimic:
        description = f"joint '{model.bodies[i].joint_name}' of '{model.name}' mimics '{mimic.joint}'"
        require_leader("with_drives", model, model.bodies[i].joint_name, mimic)
        offset, factor = factor * mimic.offset + offset, factor * mimic.multiplier
        i = model.joint_index(mimic.joint)
        if i in seen:
            circle = " -> ".join(f"'{model.bodies[k].joint_name}'" for k in [*seen[seen.index(i) :], i])
            raise ModelError(f"with_drives: joints of '{model.name}' mimic each other in a cycle: {circle}")
        if model.bodies[i].joint.nv != 1:
            raise ModelError(f"with_drives: {description}, which has several coordinates; a leader must have one")
        seen.append(i)
    return i, factor, offset


def _matrix(model: Model, joints: Sequence[Body], coupling: Any, offset: Any) -> tuple[Array, list[Scalar]]:
    """A and b of the joints without a mimic, checked."""
    m = len(joints)
    listed = ", ".join(body.joint_name for body in joints) or "none"
    A = _numbers("coupling", np.eye(m) if coupling is None else coupling)
    if A.ndim != 2 or len(A) != m:
        raise ShapeError(
            f"with_drives: coupling has shape {A.shape}, but '{model.name}' needs ({m}, k): a row for every joint with "
            f"one coordinate that mimics no other ({listed})"
        )
    b = _numbers("offset", np.zeros(m) if offset is None else offset)
    if b.shape != (m,):
        raise ShapeError(f"with_drives: offset has shape {b.shape}, but '{model.name}' needs ({m},): {listed}")
    numbers = np.array([[_value(x) for x in row] for row in A], dtype=float)
    if not np.isfinite(numbers).all():
        raise InputError("with_drives: coupling has numbers that overflow float64")
    rank = int(np.linalg.matrix_rank(numbers)) if A.size else 0
    if rank < A.shape[1]:
        idle = [k for k in range(A.shape[1]) if not any(x != 0 for x in A[:, k])]
        cause = f"column {idle[0]} is zero" if idle else "its columns are linearly dependent"
        raise InputError(
            f"with_drives: coupling has {A.shape[1]} columns and rank {rank} ({cause}); the coordinates must move "
            f"the joints of '{model.name}' independently of each other"
        )
    return A, list(b)


def _numbers(name: str, values: Any) -> Array:
    """An array of finite numbers and expressions."""
    try:
        array = np.array(values.tolist() if hasattr(values, "tolist") else values, dtype=object)
        array = np.array([*map(plain_number, array.ravel()), None], dtype=object)[:-1].reshape(array.shape)
        if not all(x.is_real is not False if hasattr(x, "is_real") else is_moderate(x) for x in array.ravel()):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        expected = f"rows of finite numbers, up to {LARGEST:g}, or SymPy expressions"
        raise InputError(f"with_drives: {name} must be {expected}, not {values!r}") from None
    return array


def _value(x: Any) -> float:
    """The value of a number, or of an expression at generic values of its symbols, so that the rank is generic."""
    symbols = getattr(x, "free_symbols", ())
    return float(x.subs({s: 0.5 + sum(map(ord, s.name)) % 97 / 61 for s in symbols}) if symbols else x)


def _coordinates(model: Model, joints: Sequence[Body], A: Array, names: Sequence[str] | None) -> list[Body]:
    """A massless body for every coordinate: prismatic if all joints that follow the coordinate are prismatic."""
    n = A.shape[1]
    labels = [f"p{k + 1}" for k in range(n)] if names is None else list(instances("with_drives: names", names, str))
    if len(labels) != n or "" in labels:
        raise InputError(f"with_drives: names must be {n} names, one for each coordinate, not {names!r}")
    taken = {body.joint_name for body in model.bodies if body.joint.nv > 1}
    if repeated := [name for k, name in enumerate(labels) if name in labels[:k] or name in taken]:
        raise InputError(f"with_drives: duplicate name of a coordinate '{repeated[0]}'; names must be unique")
    kinds: list[JointType] = [
        Prismatic() if all(joints[i].joint.linear[0] for i in range(len(joints)) if A[i, k] != 0) else Revolute()
        for k in range(n)
    ]
    return [Body(name, 0, name, kind) for name, kind in zip(labels, kinds, strict=True)]
