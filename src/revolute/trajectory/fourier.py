"""`FourierTrajectory`: periodic motions with few frequencies. Swevers et al. 1997.

    q(t)  = q0 + sum_k a_k/(k w) sin(k w t) - b_k/(k w) cos(k w t),    w = 2 pi/duration, k = 1 ... N
    qd(t) =      sum_k a_k       cos(k w t) + b_k       sin(k w t)

Measured forces of a periodic motion can be averaged over periods and filtered exactly.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, float_copy, positive
from revolute.errors import InputError, ShapeError, TrajectoryError
from revolute.model.joints.one_axis import OneAxis
from revolute.model.model import Model
from revolute.trajectory.limits import LimitedMachine, model_of
from revolute.trajectory.trajectory import Trajectory


class FourierTrajectory(Trajectory):
    """A sum of sines and cosines in every joint: smooth and periodic. Swevers et al. 1997.

    It starts and ends at rest, without acceleration, if the sums of a_k and of k b_k are zero for every joint.

    Args:
        robot: a `Robot`, or one with drives; all joints must have one axis.
        center: (nq,) q0 [rad, m], the mean position.
        cosines: (N, nv) a_k, amplitudes of velocities [rad/s, m/s].
        sines: (N, nv) b_k, amplitudes of velocities [rad/s, m/s].
        duration: length of a period [s].

    Raises:
        InputError: a joint has several axes; a number is not finite; the duration is not positive.
        ShapeError: an array does not fit the robot.

    Example:
        >>> swing = revolute.trajectory.FourierTrajectory(
        ...     revolute.robots.planar(1), [0.5], [[1.0], [-1.0]], [[0.0], [0.0]], 4.0
        ... )
        >>> swing.qd([0.0, 2.0, 4.0]).ravel()
        array([ 0., -2.,  0.])
    """

    periodic = True

    def __init__(
        self, robot: LimitedMachine, center: ArrayLike, cosines: ArrayLike, sines: ArrayLike, duration: float
    ) -> None:
        self.model = require_single_axes("FourierTrajectory", model_of("FourierTrajectory", robot))
        self.duration = positive("FourierTrajectory: the duration", duration, "number of seconds")
        given = {"center": center, "cosines": cosines, "sines": sines}
        self.center, self.cosines, self.sines = (float_copy(f"FourierTrajectory: {x}", y) for x, y in given.items())
        nv = self.model.nv
        if self.center.shape != (nv,):
            raise ShapeError(f"FourierTrajectory: center has shape {self.center.shape}, not ({nv},)")
        for name, x in (("cosines", self.cosines), ("sines", self.sines)):
            if x.ndim != 2 or not len(x) or x.shape != (len(self.cosines), nv):
                raise ShapeError(
                    f"FourierTrajectory: {name} has shape {x.shape}; cosines and sines need (N, {nv}) for N harmonics"
                )
        with np.errstate(all="ignore"):
            if not np.isfinite(self._rows(np.zeros(1))).all() or not np.isfinite(self._rows(np.ones(1))).all():
                raise TrajectoryError("FourierTrajectory: numbers are too large, or not finite; check units")
        self.breaks = np.array([0.0, self.duration])
        for array in (self.center, self.cosines, self.sines, self.breaks):
            array.flags.writeable = False

    @property
    def frequency(self) -> float:
        """Angular frequency w of the period [rad/s]."""
        return 2 * math.pi / self.duration

    def _rows(self, t: Array) -> tuple[Array, Array, Array]:
        q, qd, qdd = (self._sum(t, order) for order in (-1, 0, 1))
        return self.center + q, qd, qdd

    def _jerks(self, t: Array) -> Array:
        return self._sum(t, 2)

    def _sum(self, t: Array, order: int) -> Array:
        """(n, nv) time derivatives of the velocities, of this order; with order -1, the positions minus q0."""
        # Summed harmonic by harmonic, so that a row does not depend on the others.
        total = np.zeros((len(t), self.model.nv))
        waving = waves(t, self.frequency, len(self.cosines), order)
        for of_a, of_b, a, b in zip(*(x.T for x in waving), self.cosines, self.sines, strict=True):
            total += of_a[:, None] * a + of_b[:, None] * b
        return total


def waves(t: Array, frequency: float, harmonics: int, order: int) -> tuple[Array, Array]:
    """(n, N) factors of a_k, and of b_k, at (n,) times in a derivative of velocities; with order -1, in positions."""
    w = frequency * np.arange(1, harmonics + 1)
    angle, size = t[:, None] * w, w**order
    cosine, sine = np.cos(angle), np.sin(angle)
    of_a, of_b = [(cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine)][order % 4]
    return size * of_a, size * of_b


def require_single_axes(what: str, model: Model) -> Model:
    """The model; `InputError` if a joint has several axes."""
    for body in model.bodies[1:]:
        if body.joint.nv and not isinstance(body.joint, OneAxis):
            raise InputError(
                f"{what}: joint '{body.joint_name}' of '{model.name}' has several axes; a sum of sines requires joints "
                "with one; use spline, or lock this joint"
            )
    return model
