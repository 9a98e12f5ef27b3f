"""Limits of joints that follow several coordinates, as a polytope in the coordinates."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from revolute.arguments import Array
from revolute.model.joints.joint import span
from revolute.model.polytope import random_points
from revolute.records import dataclass


@dataclass(frozen=True)
class CoupledLimits:
    """lower <= A q + b <= upper, |A qd| <= velocity and |F tau| <= effort, for joints that follow several coordinates.

    Limits of joints that follow one coordinate are limits of that coordinate. F tau are joint forces: if there are as
    many joints as coordinates, F is the inverse of A^T. If there are more joints, their forces are not determined.

    Attributes:
        names: (m,) names of the joints.
        units: (m,) units of their positions: "rad" or "m".
        rows: (m, nv) matrix A.
        offsets: (m,) vector b [rad, m].
        lower, upper, velocity: (m,) limits of positions and speeds; infinite without a limit.
        force_names, force_units: (k,) names and units of joints with forces: "N m" or "N".
        force_rows: (k, nv) matrix F.
        effort: (k,) limits of forces; infinite without a limit.
        places: (nv,) index in q of the position for each velocity coordinate, if a coupled joint follows it.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    offsets: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity: tuple[float, ...]
    force_names: tuple[str, ...]
    force_units: tuple[str, ...]
    force_rows: tuple[tuple[float, ...], ...]
    effort: tuple[float, ...]
    places: tuple[int, ...]

    @cached_property
    def A(self) -> Array:
        """(m, nv) matrix that maps the coordinates to the joints."""
        return np.array(self.rows)

    def positions(self, q: Array) -> Array:
        """(..., m) positions of the joints."""
        return np.asarray(q[..., list(self.places)] @ self.A.T + self.offsets)

    def redrawn(self, q: Array, lower: Array, upper: Array, angles: Array, rng: np.random.Generator) -> bool:
        """Redraw the coordinates of these joints uniformly within all limits; False if no position satisfies them.

        q (count, nq) is changed in place. Without limits, angles are drawn within +-pi, and lengths within +-1 m.
        """
        columns = np.flatnonzero(self.A.any(axis=0))
        at = np.array(self.places)[columns]
        limited = [k for k, ends in enumerate(zip(self.lower, self.upper, strict=True)) if np.isfinite(ends).any()]
        A = np.concatenate([self.A[limited][:, columns], np.eye(len(at))])
        low, high = (
            np.append((np.array(own) - self.offsets)[limited], ends[at])
            for own, ends in ((self.lower, lower), (self.upper, upper))
        )
        turns = [*(self.units[k] == "rad" for k in limited), *angles[at]]
        reaches = (math.pi if x else 1.0 for x in turns)
        spans = np.array([span(*x) for x in zip(low.tolist(), high.tolist(), reaches, strict=True)])
        if (points := random_points(A, low, high, spans[:, 0], spans[:, 1], len(q), rng)) is not None:
            q[:, at] = points
        return points is not None

    def pulled(self, q: Array, inside: Array) -> Array:
        """(N, nq) positions, moved towards a position (nq,) inside the limits until they are inside.

        Joints whose limits allow only one position are first moved to this position, by least squares.
        """
        at = np.flatnonzero(self.A.any(axis=0))
        columns = np.array(self.places)[at]
        held = np.flatnonzero(np.subtract(self.upper, self.lower) <= 0)
        moved = q.copy()
        moved[:, columns] -= (self.positions(q) - self.upper)[:, held] @ np.linalg.pinv(self.A[held][:, at]).T
        y, y0 = self.positions(moved), self.positions(inside)
        with np.errstate(divide="ignore", invalid="ignore"):
            up, down = (np.array(self.upper) - y0) / (y - y0), (np.array(self.lower) - y0) / (y - y0)
        shares = np.where(y > self.upper, up, np.where(y < self.lower, down, 1.0))
        shares[:, held] = 1.0
        way = np.clip(shares.min(axis=1), 0.0, 1.0)[:, None] * (moved[:, columns] - inside[columns])
        moved[:, columns] = inside[columns] + way
        return moved
