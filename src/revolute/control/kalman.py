"""Kalman filters of a robot's state from encoders. Kalman 1960; Bar-Shalom, Li & Kirubarajan 2001."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, broadcasts_to, float_copy, instance, positive
from revolute.control.checks import coordinates, machine, positive_definite, positive_semidefinite
from revolute.control.deviations import deviation, is_flat, turning
from revolute.errors import InputError, ShapeError
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.machine.row_products import inner
from revolute.simulate.request import start
from revolute.spatial.scalar import nearest_turn

METHOD = "runge_kutta_4"  # integration method of the model; its error is far below sensor noise


class KalmanFilter(ABC):
    """Estimates (q, qd) and its covariance from joint forces and encoders; the base class of both filters.

    The true state is q exp(dq), qd + dqd. The error x = (dq, dqd) has 2 nv components, also for quaternions: dq is a
    tangent vector at the estimate. x has the covariance P. When a correction rotates the tangent space, P stays the
    same: the effect is of second order and neglected.

    Attributes:
        robot, dt, measured, wrap: the arguments.
        q, qd: (..., nq), (..., nv) the estimate; internal arrays of the filter, updated in each step.
        covariance: (..., 2 nv, 2 nv) P, an internal array of the filter.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.control import ExtendedKalmanFilter, UnscentedKalmanFilter
        >>> arm, rng, dt = revolute.robots.planar(2), np.random.default_rng(1), 0.005
        >>> motion = arm.simulate([0.3, 0.2], [0.0, 0.0], None, np.arange(401) * dt)
        >>> z = motion.q + 1e-3 * rng.standard_normal(motion.q.shape)
        >>> for kind in (ExtendedKalmanFilter, UnscentedKalmanFilter):
        ...     estimate = kind(
        ...         arm, dt, z[0], [0.0, 0.0], [1e-6, 1e-6, 1e-2, 1e-2],
        ...         torque_noise=[1e-4, 1e-4], encoder_noise=[1e-6, 1e-6],
        ...     )
        ...     for encoders in z[1:]:
        ...         q, qd = estimate.step([0.0, 0.0], encoders)
        ...     # differences of encoders are wrong by 0.3 rad/s
        ...     print(bool(abs(qd - motion.qd[-1]).max() < 0.03))
        True
        True
    """

    def __init__(
        self, robot: Robot | DrivenRobot, dt: float, q: ArrayLike, qd: ArrayLike, covariance: ArrayLike, *,
        torque_noise: ArrayLike, encoder_noise: ArrayLike, measured: Sequence[str] | None = None, wrap: bool = False,
    ) -> None:
        """Initialize with an estimate or a batch of estimates.

        Args:
            robot: a `Robot`, or a `DrivenRobot`.
            dt: time between samples [s].
            q, qd: (..., nq), (..., nv) initial estimate.
            covariance: (2 nv,) diagonal, or (2 nv, 2 nv) matrix: covariance of the error of the initial estimate,
                positions before velocities.
            torque_noise: (nv,) or (nv, nv) covariance of random forces added to tau, constant during each step and
                independent between steps [(N m)^2, N^2]. It represents all model errors.
            encoder_noise: (m,) or (m, m) covariance of the m measured positions [rad^2, m^2].
            measured: names of the measured coordinates; all by default.
            wrap: keep innovations of continuous joints within -pi ... pi, if encoders may be off by multiples of 2 pi.

        Raises:
            InputError: a covariance or dt is not positive; a number is not finite.
            ShapeError: an array does not fit.
            UnknownNameError: a coordinate does not exist.
        """
        what = type(self).__name__
        self.robot = machine(what, robot)
        self.dt = positive(f"{what}: dt", dt, "time [s]")
        n = robot.nv
        rows = coordinates(f"{what}: measured", measured, robot.coordinate_names)
        self.measured = tuple(robot.coordinate_names[k] for k in rows)
        first = positive_definite(f"{what}: covariance", covariance, 2 * n)
        self._torque_noise = positive_semidefinite(f"{what}: torque_noise", torque_noise, n)
        noise = positive_definite(f"{what}: encoder_noise", encoder_noise, len(rows))
        # for noise with covariance L L^T, entries of L^-1 z are independent with unit variance: process them one by one
        self._H = np.linalg.inv(np.linalg.cholesky(noise)) @ np.eye(n)[rows]
        self._flat, self.wrap = is_flat(self.robot), instance(f"{what}: wrap", wrap, bool)
        self._turning = [at.qd for at in turning(self.robot, self.wrap)]
        self._allocate(*start(self.robot, q, qd, what, ("q", "qd")), first)

    def _allocate(self, q: Array, qd: Array, covariance: Array) -> None:
        batch, n, m = qd.shape[:-1], 2 * self.robot.nv, len(self._H)
        self.q, self.qd = q, qd
        self._joint = np.zeros((*batch, n, n + 1))  # the covariance P and the correction x, side by side
        self.covariance, self._x = self._joint[..., :n], self._joint[..., n]
        self.covariance[...] = covariance
        self._innovation, self._row, self._y = (np.zeros((*batch, k)) for k in (self.robot.nv, n + 1, m))
        self._change, self._matrix = np.zeros((*batch, n, n + 1)), np.zeros((*batch, n, n))
        self._number, self._finite = np.zeros((*batch, 1, 1)), np.zeros((*batch, m), dtype=bool)

    def step(self, tau: ArrayLike, z: ArrayLike) -> tuple[Array, Array]:
        """Call `predict` for a step, then `correct` with the encoders at its end; see these for tau, z and errors.

        Returns:
            q and qd, internal arrays of the filter.
        """
        self.predict(tau)
        return self.correct(z)

    @abstractmethod
    def predict(self, tau: ArrayLike) -> tuple[Array, Array]:
        """Propagate the estimate by one step.

        Args:
            tau: (..., nv) joint forces, constant during the step [N m, N].

        Returns:
            q and qd, internal arrays of the filter.

        Raises:
            ShapeError, DtypeError: tau does not fit, or is not real numbers.
        """

    def correct(self, z: ArrayLike) -> tuple[Array, Array]:
        """Correct the estimate with a measurement.

        Encoders measure dq directly: z = q exp(dq + noise). So the innovation y is difference(q, z), and the correction
        is linear. The entries of y are decorrelated and processed one by one, each with its row h:

            r = h^T (P, x) - (0, y),    (P, x) <- (P, x) - P h r / (h^T P h + 1)

        Args:
            z: (..., nq) measured positions [rad, m]; entries of joints without an encoder are ignored.

        Returns:
            q and qd, internal arrays of the filter.

        Raises:
            ShapeError, DtypeError: z does not fit, or is not real numbers.
            InputError: z is not finite; for a missing sample call only `predict`.
        """
        nv, joint, x, row, number = self.robot.nv, self._joint, self._x, self._row, self._number
        self._compare(z)
        np.matmul(self._H, self._innovation[..., None], out=self._y[..., None])
        np.isfinite(self._y, out=self._finite)
        if not self._finite.all():
            raise InputError(f"{type(self).__name__}: z is not finite; for a missing sample call only predict")
        x[...] = 0.0
        column, last, of_positions = row[..., :-1, None], row[..., -1], joint[..., :nv, :]
        for k, h in enumerate(self._H):
            np.matmul(h, of_positions, out=row)
            last -= self._y[..., k]
            np.matmul(row[..., None, :nv], h[:, None], out=number)
            number += 1.0
            np.multiply(column, row[..., None, :], out=self._change)
            self._change /= number
            joint -= self._change
        self._move(self.q, x[..., :nv])
        self.qd += x[..., nv:]
        return self.q, self.qd

    def _array(self, name: str, x: ArrayLike, size: int) -> Array:
        """The array; raise `ShapeError` or `DtypeError` unless it fits the batch of the estimate."""
        shape = (*self.qd.shape[:-1], size)
        if type(x) is np.ndarray and x.dtype.kind in "fiu" and (x.shape == shape or x.shape == shape[-1:]):
            return x
        what = f"{type(self).__name__}: {name}"
        values = float_copy(what, x)
        if values.shape[-1:] != (size,) or not broadcasts_to(values.shape, shape):
            raise ShapeError(f"{what} has shape {values.shape}, but {shape} is needed, or ({size},)")
        return values

    def _compare(self, z: ArrayLike) -> None:
        """Compute the innovation, difference(q, z)."""
        seen = self._array("z", z, self.robot.nq)
        if self._flat:
            np.subtract(seen, self.q, out=self._innovation)
        else:
            self._innovation[...] = self.robot.difference(self.q, seen)
        if self._turning:
            self._innovation[..., self._turning] = nearest_turn(self._innovation[..., self._turning], 0)

    def _move(self, q: Array, d: Array) -> None:
        """q <- q exp(d), in place."""
        if self._flat:
            q += d
        else:
            q[...] = self.robot.integrate(q, d)

    def nees(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(...) normalised squared errors x^T P^-1 x of the estimate, for simulations with a known true state.

        If P is the covariance of x, the result has a chi-square distribution with 2 nv degrees of freedom, and the sum
        over N runs one with 2 nv N: use it to test consistency (Bar-Shalom, Li & Kirubarajan 2001, 5.4).

        Args:
            q, qd: (..., nq), (..., nv) the true state.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
        """
        x = deviation(self.robot, self.q, self.qd, q, qd, self.wrap)
        return inner(x, np.linalg.solve(self.covariance, x[..., None])[..., 0])
