"""`Polynomials`: a trajectory of pieces, each a polynomial of time in every coordinate."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array
from revolute.errors import TrajectoryError
from revolute.trajectory.coordinates import PieceCoordinates
from revolute.trajectory.trajectory import Trajectory


class Polynomials(Trajectory):
    """Pieces y(t) = sum_k c_k (t - t_i)^k between breaks t_i; y are positions, or rotation vectors.

    Attributes:
        coordinates: the coordinates y, and their conversion to q.
        coefficients: (m, degree + 1, nv) coefficients c_k of m pieces, in ascending order of k.
        base: (m, quaternions, 4) base quaternions: the orientations at which the rotation vectors are zero.

    Raises:
        TrajectoryError: a number is not finite.
    """

    def __init__(
        self, coordinates: PieceCoordinates, breaks: Array, coefficients: Array, base: Array, periodic: bool = False
    ) -> None:
        if not (np.isfinite(coefficients).all() and np.isfinite(breaks).all()):
            raise TrajectoryError("no motion can be computed: numbers are too large, or times too close; check units")
        self.coordinates, self.model = coordinates, coordinates.model
        self.breaks, self.coefficients, self.base = breaks, coefficients, base
        self.duration, self.periodic = float(breaks[-1]), periodic
        for array in (breaks, coefficients, base):
            array.flags.writeable = False
        self._starts: list[float] = breaks[:-1].tolist()
        self._derivatives = derivatives(coefficients)

    def __call__(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """See `Trajectory`."""
        if self._quick(t):
            return self._one(t, 0), self._one(t, 1), self._one(t, 2)
        return super().__call__(t)

    def _derivative(self, t: ArrayLike, order: int) -> Array:
        return self._one(t, order) if self._quick(t) else super()._derivative(t, order)

    def _quick(self, t: ArrayLike) -> TypeGuard[float]:
        """Whether `_one`, which takes a few microseconds, supports this time and these joints."""
        return isinstance(t, float) and self.coordinates.trivial and 0.0 <= t < self.duration

    def _one(self, t: float, order: int) -> Array:
        """(nv,) derivative of y of this order at one time, bitwise equal to the result for many times."""
        i = bisect_right(self._starts, t) - 1
        u, c = t - self._starts[i], self._derivatives[order][i]
        value: Array = c[-1].copy()
        for k in range(len(c) - 2, -1, -1):
            value *= u
            value += c[k]
        return value

    def _rows(self, t: Array) -> tuple[Array, Array, Array]:
        i, u = piece_of(self.breaks, t)
        y, dy, ddy = (values(self._derivatives[k], i, u) for k in range(3))
        return self.coordinates.motion(y, dy, ddy, self.base[i])

    def _jerks(self, t: Array) -> Array:
        return values(self._derivatives[3], *piece_of(self.breaks, t))


def piece_of(breaks: Array, t: Array) -> tuple[Array, Array]:
    """For each time, the index of the piece that contains it, and the time elapsed since the start of this piece."""
    i = np.clip(np.searchsorted(breaks, t, side="right") - 1, 0, len(breaks) - 2)
    return i, t - breaks[i]


def derivatives(coefficients: Array) -> list[Array]:
    """The coefficients of pieces, then those of their first three derivatives."""
    found = [coefficients]
    for _ in range(3):
        found.append(derivative(found[-1]))
    return found


def derivative(coefficients: Array) -> Array:
    """Coefficients of the derivative of every piece."""
    powers = np.arange(1, coefficients.shape[1])
    return np.asarray(coefficients[:, 1:] * powers[:, None]) if len(powers) else np.zeros_like(coefficients)


def values(coefficients: Array, i: Array, u: Array) -> Array:
    """(n, columns) values of the pieces i at the times u since their starts, by Horner's rule."""
    c = coefficients[i]
    value: Array = c[:, -1]
    for k in range(coefficients.shape[1] - 2, -1, -1):
        value = value * u[:, None] + c[:, k]
    return value


@np.errstate(all="ignore")  # `Polynomials` rejects results that are not finite
def hermite(h: Array, start: Sequence[Array], end: Sequence[Array]) -> Array:
    """(m, 2 n, nv) coefficients of pieces of degree 2 n - 1 and (m,) lengths h, from n arrays at each end.

    The arrays are (m, nv) values and derivatives: y, dy, ddy ...
    """
    h, n = h[:, None], len(start)
    low = [x / math.factorial(k) for k, x in enumerate(start)]
    # end values minus the contribution of the lower half of the coefficients, with the piece's length as unit of time
    rest = []
    for d in range(n):
        reached = sum(math.perm(k, d) * low[k] * h ** (k - d) for k in range(d, n))
        rest.append((end[d] - reached) * h**d)
    system = np.array([[math.perm(k, d) for k in range(n, 2 * n)] for d in range(n)], dtype=float)
    high = np.einsum("kd,dmi->kmi", np.linalg.inv(system).round(9), np.array(rest))
    return np.stack([*low, *(x / h ** (n + k) for k, x in enumerate(high))], axis=1)


def side_by_side(times: Array, coefficients: Array) -> tuple[Array, Array]:
    """Motions of n coordinates, split into common pieces: (m + 1,) breaks from 0, and (m, degree + 1, n) coefficients.

    Each coordinate has k phases, with (n, k) durations, which may be zero, and (n, k, degree + 1) coefficients. After
    its last phase, a coordinate rests.
    """
    n, k = times.shape
    ends = np.cumsum(times, axis=1)
    breaks, duration = np.unique(np.append(ends, 0.0)), ends[:, -1].max()
    breaks = breaks[np.diff(breaks, prepend=-math.inf) > 1e-12 * duration]  # others differ only by rounding
    breaks[-1] = duration
    phase = np.sum(ends[:, None] <= ((breaks[1:] + breaks[:-1]) / 2)[:, None], axis=-1)
    rests, phase, row = phase == k, np.minimum(phase, k - 1), np.arange(n)[:, None]
    u = np.where(rests, times[:, -1:], breaks[:-1] - (ends - times)[row, phase])
    c = coefficients[row, phase]
    for d in range(c.shape[-1] - 1):  # Taylor's series about u, by Horner's rule
        for j in range(c.shape[-1] - 2, d - 1, -1):
            c[..., j] += u * c[..., j + 1]
    c[rests, 1:] = 0.0
    return breaks, np.moveaxis(c, 0, -1)
