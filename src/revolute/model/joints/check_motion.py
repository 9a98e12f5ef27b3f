"""Check that a joint moves as its type declares. Users' joint types are checked in every new model."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revolute.errors import ModelError
from revolute.model.joints.joint import JointType
from revolute.spatial import Twist, Vector, Wrench

STEP = 1e-4  # length of the steps of central differences; their errors are about its square
TOLERANCE = 1e-6  # maximum error of a derivative, relative to the largest entry


def check_motion(joint: JointType, place: str) -> None:
    """Raise `ModelError`, which begins with `place`, if methods of a joint contradict each other at irregular numbers.

    The pose X must satisfy X^-1 dX/dt = S qd with a constant S: otherwise the recursions would silently be wrong.
    """
    for what, found, expected in _equations(joint):
        a, b = (np.asarray(x, dtype=float) for x in (found, expected))
        if a.shape != b.shape or not np.abs(a - b).max(initial=0.0) <= TOLERANCE * max(1.0, np.abs(b).max(initial=0.0)):
            raise ModelError(
                f"{place}: {type(joint).__name__}.{what}: {np.round(a, 6).tolist()}, not {np.round(b, 6).tolist()}. "
                "The twist of a joint must be a constant matrix times qd: see `revolute.model.joints.JointType`"
            )


def _equations(joint: JointType) -> Iterator[tuple[str, Any, Any]]:
    """Pairs of quantities that must be equal, each with a description."""
    count = np.arange(joint.nv)
    qd, qdd = 0.7 + 0.19 * np.sin(1 + 2.3 * count), 0.4 - 0.23 * np.cos(2.1 * count)
    F = Wrench(Vector((0.31, -0.53, 0.71)), Vector((-0.43, 0.61, 0.83)))
    twist, other = joint.velocity(list(qd)), joint.velocity(list(qdd))
    neutral = joint.neutral()
    yield "transform(neutral()) is not the identity", joint.transform(neutral).rows(), np.eye(4)
    yield "force is not the transpose of velocity", np.dot(joint.force(F), qd), twist.power(F)
    yield "acceleration is not velocity(qdd)", _entries(joint.acceleration(qd, qdd)), _entries(other)
    total = joint.velocity(list(qd + qdd))
    yield "velocity is not linear in qd", _entries(total), _entries(twist) + _entries(other)
    brackets = [sum(x * y for x, y in zip(row, qdd, strict=False)) for row in joint.bracket(list(qd))]
    yield "bracket(qd) is not that of the twists", _entries(joint.velocity(brackets)), _entries(twist.cross(other))
    q = joint.normalized([x + 0.2 + 0.1 * np.sin(1 + k) for k, x in enumerate(neutral)])
    rates = np.array(joint.coordinate_rate(q, list(qd)), dtype=float)
    h = STEP / max(1.0, np.abs(twist.ang).max())
    poses = [np.array(joint.transform(list(q + y * rates)).rows(), dtype=float) for y in (-h, 0, h)]
    before, R, after = (pose[:3, :3] for pose in poses)
    spin = R.T @ (after - before) / (2 * h)
    speed = R.T @ (poses[2][:3, 3] - poses[0][:3, 3]) / (2 * h)
    moved = [spin[2, 1], spin[0, 2], spin[1, 0], *speed]
    yield "transform does not move with the twist of velocity", moved, _entries(twist)
    for name, step in (("integrate", joint.integrate), ("midpoint", lambda q, d: joint.midpoint(q, d)[0])):
        ends = [np.array(step(q, list(y * qd)), dtype=float) for y in (-h, h)]
        yield f"{name} does not follow coordinate_rate", (ends[1] - ends[0]) / (2 * h), rates


def _entries(twist: Twist) -> NDArray[np.float64]:
    return np.array([*twist.ang, *twist.lin], dtype=float)
