"""Time laws s(t) along a path, and trajectories that follow another one's path by a time law."""

import math

import numpy as np

from revolute.arguments import Array, number, positive
from revolute.errors import InputError
from revolute.trajectory.polynomials import derivatives, hermite, piece_of, values
from revolute.trajectory.trajectory import Trajectory


class TimeLaw:
    """A time law s(t) of m polynomial pieces: (m + 1,) breaks from 0 [s], and (m, degree + 1) coefficients.

    The coefficients multiply powers of the time since the start of the piece.
    """

    def __init__(self, breaks: Array, coefficients: Array) -> None:
        self.breaks, self.coefficients = breaks, coefficients
        self.duration, self._derivatives = float(breaks[-1]), derivatives(coefficients[..., None])

    def __call__(self, t: Array) -> tuple[Array, Array, Array, Array]:
        """(n,) s and its first three derivatives at (n,) times."""
        i, u = piece_of(self.breaks, t)
        s, sd, sdd, sddd = (values(c, i, u)[:, 0] for c in self._derivatives)
        return s, sd, sdd, sddd


def rest_to_rest(what: str, duration: float, profile: str = "quintic") -> TimeLaw:
    """A time law from 0 to 1 in a duration [s], at rest at both ends; a "linear" profile starts and stops abruptly."""
    derivatives = {"linear": 1, "cubic": 2, "quintic": 3}
    if profile not in derivatives:
        raise InputError(f"{what}: profile must be one of {', '.join(derivatives)}, not {profile!r}")
    T = positive(f"{what}: the duration", duration, "number of seconds")
    n, zero = derivatives[profile], np.zeros((1, 1))
    end = (zero + 1, zero, zero)[:n]
    return TimeLaw(np.array([0.0, T]), hermite(np.array([T]), (zero,) * n, end)[..., 0])


class Retimed(Trajectory):
    """A path with another time law, q(t) = path.q(s(t)). With p for the path,

        qd = p' sd,    qdd = p'' sd^2 + p' sdd,    jerk = p''' sd^3 + 3 p'' sd sdd + p' sddd

    where p', p'' are the path's velocities and accelerations, so that the formulas also hold for twists of free joints.

    Attributes:
        path: the other trajectory.
        law: s(t), from 0 to the path's duration, not decreasing. Breaks of the path are breaks of the law.
    """

    def __init__(self, path: Trajectory, law: TimeLaw) -> None:
        self.path, self.law, self.model = path, law, path.model
        self.breaks, self.duration, self.periodic = law.breaks, law.duration, path.periodic

    def _rows(self, t: Array) -> tuple[Array, Array, Array]:
        s, sd, sdd, _ = (x[:, None] for x in self.law(t))
        sd = np.maximum(sd, 0.0)  # negative rounding errors would reverse friction
        q, qs, qss = self.path._rows(np.clip(s[:, 0], 0.0, self.path.duration))
        return q, qs * sd, qss * sd**2 + qs * sdd

    def _jerks(self, t: Array) -> Array:
        s, sd, sdd, sddd = (x[:, None] for x in self.law(t))
        at = np.clip(s[:, 0], 0.0, self.path.duration)
        _, qs, qss = self.path._rows(at)
        return np.asarray(self.path._jerks(at) * sd**3 + 3 * qss * sd * sdd + qs * sddd)


def at_speed(path: Trajectory, factor: float) -> Retimed:
    """See `Trajectory.at_speed`."""
    k = number("at_speed: factor", factor)
    if not 0 < k < math.inf or not 0 < path.duration / k < math.inf:
        raise InputError(f"at_speed: the factor must be a positive number, not {factor!r}")
    starts = path.breaks[:-1]
    return Retimed(path, TimeLaw(path.breaks / k, np.column_stack([starts, np.full(len(starts), k)])))
