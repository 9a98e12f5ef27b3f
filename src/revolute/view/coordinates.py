"""Sliders of a robot: one for each position, and a rotation vector for each quaternion."""

from __future__ import annotations

import math

import numpy as np

from revolute.errors import printable
from revolute.records import dataclass
from revolute.view.viewable import Array, Movable

__all__ = ["Sliders"]

REACH = 1.0
"""Range of positions without limits to both sides [m]; that of angles is pi."""


@dataclass(frozen=True, eq=False)
class Sliders:
    """Sliders with values s.

    Attributes:
        names: of the sliders.
        units: "rad" or "m".
        low, high: their bounds.
        places: for each slider, the indices in q that it changes.
        rotations: (first slider, first index in q) of the rotation vectors.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    low: Array
    high: Array
    places: tuple[tuple[int, ...], ...]
    rotations: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, robot: Movable, reach: float = REACH) -> Sliders:
        """The sliders of a robot."""
        names: list[str] = []
        units, low, high, rotations = [], [], [], []
        places: list[tuple[int, ...]] = []
        for body, at in zip(robot.space.bodies, robot.space.q_index, strict=True):
            joint, label = body.joint, printable(body.joint_name or "").removesuffix("_joint").replace("_", " ")
            straight = joint.nq if joint.quaternion_at is None else joint.quaternion_at
            linear = joint.linear if joint.quaternion_at is None else (True,) * straight
            for k in range(straight):
                names.append(" ".join(filter(None, (label, joint.q_names[k]))))
                units.append("m" if linear[k] else "rad")
                most = reach if linear[k] else math.pi
                low.append(max(float(robot.lower[at.start + k]), -1e3))
                high.append(min(float(robot.upper[at.start + k]), 1e3))
                if not robot.lower[at.start + k] > -1e3:
                    low[-1] = min(-most, high[-1] - most)
                if not robot.upper[at.start + k] < 1e3:
                    high[-1] = max(most, low[-1] + most)
                if not low[-1] < high[-1]:
                    low[-1], high[-1] = low[-1] - 1e-3, low[-1] + 1e-3
                places.append((at.start + k,))
            if joint.quaternion_at is not None:
                first = at.start + joint.quaternion_at
                rotations.append((len(names), first))
                for axis in "xyz":
                    names.append(f"{label} turn {axis}")
                    units.append("rad")
                    low.append(-math.pi)
                    high.append(math.pi)
                    places.append(tuple(range(first, first + 4)))
        return cls(tuple(names), tuple(units), np.array(low), np.array(high), tuple(places), tuple(rotations))

    def positions(self, s: Array, nq: int) -> Array:
        """(nq,) joint positions for the sliders' values."""
        q = np.zeros(nq)
        for x, place in zip(s, self.places, strict=True):
            if len(place) == 1:
                q[place[0]] = x
        for k, first in self.rotations:
            angle = float(np.linalg.norm(s[k : k + 3]))
            q[first : first + 3] = np.sinc(angle / 2 / math.pi) / 2 * s[k : k + 3]
            q[first + 3] = math.cos(angle / 2)
        return q

    def numbers(self, q: Array) -> Array:
        """The sliders' values for joint positions: the inverse of `positions`."""
        s = np.array([q[place[0]] for place in self.places])
        for k, first in self.rotations:
            v, w = q[first : first + 3], q[first + 3]
            if w < 0:
                v, w = -v, -w
            sine = float(np.linalg.norm(v))
            s[k : k + 3] = v * (2 * math.atan2(sine, w) / sine if sine > 1e-12 else 2.0)
        return s
