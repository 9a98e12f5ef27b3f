"""The linear-quadratic regulator along a trajectory. Anderson & Moore 1990, ch. 3; BP section 7.2 for the model."""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, float_copy
from revolute.control.checks import positive_semidefinite, table
from revolute.control.lqr import LinearQuadratic
from revolute.control.riccati import feedback_step
from revolute.errors import InputError
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot

EARLY = 1e-6
"""Fraction of a step by which a time may precede an instant and still select it, because sums of steps are rounded."""


class TimeVaryingLQR(LinearQuadratic):
    """Feedback that follows a trajectory and minimizes a quadratic cost of deviations and forces.

        tau = tau_k - S K_k x,    x = (difference(q_k, q), qd - qd_k),    t_k <= t < t_k+1

    K_k minimises the sum of x^T Q x + u^T R u over all steps, and of x^T P_end x at the end, for the linear models
    x_k+1 = A_k x_k + B_k u_k along the trajectory, from `linearize` with constant forces during each step. The
    Riccati equation is solved backward from the end:

        P_k = Q + K^T R K + (A - B K)^T P_k+1 (A - B K)
        K = (R + B^T P_k+1 B)^-1 B^T P_k+1 A

    The equation has a solution for every trajectory. Small deviations decay if (A_k, B_k) is controllable; use
    simulation to determine how large they may be. The forces of the trajectory should produce its motion, and must be
    zero for coordinates without an actuator.

    After the end, the last state, forces and gains are used. If the end is an equilibrium, set `end=lqr.P` of an `LQR`
    at this equilibrium with the same Q, R and steps. The last gains are then `lqr.K`; otherwise an offset remains.

    Attributes:
        robot, t, q, qd, tau, actuated, wrap: the arguments.
        K: (T - 1, m, 2 nv) gains of the m actuated coordinates.
        P: (T, 2 nv, 2 nv) matrices of the cost-to-go from each time.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.control import TimeVaryingLQR
        >>> arm, t = revolute.robots.planar(2), np.arange(301) * 0.01
        >>> fall = arm.simulate([1.5, 0.2], [0.0, 0.0], None, t)  # without any force
        >>> lqr = TimeVaryingLQR(
        ...     arm, t, fall.q, fall.qd, fall.tau, np.ones(4), [0.01], actuated=["joint1"]
        ... )
        >>> for torque in (None, lqr.torque):
        ...     beside = arm.simulate([1.45, 0.25], [0.0, 0.0], torque, t)
        ...     print(np.abs(beside.q[-1] - fall.q[-1]).max().round(2))
        1.28
        0.0
    """

    def __init__(
        self, robot: Robot | DrivenRobot, t: ArrayLike, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, Q: ArrayLike,
        R: ArrayLike, *, actuated: Sequence[str] | None = None, end: ArrayLike | None = None, wrap: bool = False,
    ) -> None:
        """Solve the Riccati equation along a trajectory, such as t, q, qd and tau of a `Simulation`.

        Args:
            robot, Q, R, actuated, wrap: see `LQR`.
            t: (T,) increasing times [s], at least two.
            q, qd: (T, nq), (T, nv) the states at these times.
            tau: (T, nv) joint forces, each constant until the next of these times [N m, N].
            end: (2 nv,) or (2 nv, 2 nv) P_end, weights of the last deviation; Q by default.

        Raises:
            UnknownNameError: a coordinate does not exist.
            ShapeError: an array does not fit.
            InputError: Q, R or end is not positive; times do not increase; a number is not finite; a coordinate without
                an actuator has a force.
        """
        super().__init__(robot, Q, R, actuated, wrap)
        what, nv, driven = "TimeVaryingLQR", robot.nv, self._driven
        self.t = float_copy(f"{what}: t", t)
        if self.t.ndim != 1 or len(self.t) < 2 or not np.isfinite(self.t).all() or (np.diff(self.t) <= 0).any():
            raise InputError(f"{what}: t must be at least two increasing times [s]")
        self.q, self.qd, self.tau = (
            table(f"{what}: {name}", x, (len(self.t), size), robot.name)
            for name, x, size in (("q", q, robot.nq), ("qd", qd, nv), ("tau", tau, nv))
        )
        for k in range(nv):
            if k not in driven and self.tau[:, k].any():
                name = robot.coordinate_names[k]
                raise InputError(f"{what}: tau has forces at '{name}', which is not actuated")

        A, B = robot.linearize(self.q[:-1], self.qd[:-1], self.tau[:-1], step=np.diff(self.t))
        B = B[..., driven]
        self.K = np.zeros((len(self.t) - 1, len(driven), 2 * nv))
        self.P = np.zeros((len(self.t), 2 * nv, 2 * nv))
        self.P[-1] = self._Q if end is None else positive_semidefinite(f"{what}: end", end, 2 * nv)
        for k in range(len(A) - 1, -1, -1):
            self.K[k], self.P[k] = feedback_step(A[k], B[k], self._Q, self._R, self.P[k + 1])
        gains = self._joint_gains(np.concatenate([self.K, self.K[-1:]]))
        self._rows = [*zip(self.tau, gains[0], gains[1], self.q, self.qd, strict=True)]
        steps = np.diff(self.t)
        self._switches: list[float] = (self.t - EARLY * np.append(steps[:1], steps)).tolist()

    def torque(self, t: float, q: ArrayLike, qd: ArrayLike, out: Array | None = None) -> Array:
        """(..., nv) joint forces for a state at a time; q, qd, out and errors: see `LQR.torque`.

        Times t [s] outside the trajectory are clipped to its first or last time.
        """
        tau, K_p, K_d, q_ref, qd_ref = self._rows[max(bisect_right(self._switches, t) - 1, 0)]
        return self._law(tau, K_p, K_d, q, q_ref, qd, qd_ref, out=out)

    def cost_to_go(self, k: int, q: ArrayLike, qd: ArrayLike) -> Array:
        """(...) minimum costs x^T P_k x of the linear model from a state at time t[k]: see `LQR.cost_to_go`.

        Raises:
            InputError: k is not an index of t.
        """
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 0 <= k < len(self.t):
            raise InputError(f"cost_to_go: k must be an index of t, 0 ... {len(self.t) - 1}, not {k!r}")
        return self._cost(self.P[k], self.q[k], self.qd[k], q, qd)

