"""Linear-quadratic regulator of an equilibrium. Kalman 1960; Anderson & Moore 1990; BP section 7.2 for the model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, instance, positive
from revolute.control.checks import coordinates, machine, positive_definite, positive_semidefinite, table
from revolute.control.deviations import deviation, feedback_law, turning
from revolute.control.riccati import optimal_feedback, require_stabilizable
from revolute.errors import InputError
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.machine.row_products import inner, times
from revolute.simulate import StateFeedback


class LinearQuadratic:
    """A regulator of deviations x = (difference(q_ref, q), qd - qd_ref) with the cost x^T Q x + u^T R u: see `LQR`."""

    def __init__(
        self, robot: Robot | DrivenRobot, Q: ArrayLike, R: ArrayLike, actuated: Sequence[str] | None, wrap: bool
    ) -> None:
        what = type(self).__name__
        self.robot = machine(what, robot)
        self._driven = coordinates(f"{what}: actuated", actuated, robot.coordinate_names)
        self.actuated = tuple(robot.coordinate_names[k] for k in self._driven)
        self._Q = positive_semidefinite(f"{what}: Q", Q, 2 * robot.nv)
        self._R = positive_definite(f"{what}: R", R, len(self._driven))
        self.wrap = instance(f"{what}: wrap", wrap, bool)
        self._law = feedback_law(robot, self.wrap)

    def _joint_gains(self, K: Array) -> Array:
        """(2, ..., nv, nv) position and velocity gains from K, (..., m, 2 nv); rows without an actuator are zero."""
        nv = self.robot.nv
        gains = np.zeros((2, *K.shape[:-2], nv, nv))
        for part, own in zip(gains, np.split(K, 2, axis=-1), strict=True):
            part[..., self._driven, :] = own
        return gains

    def _cost(self, P: Array, q_ref: Array, qd_ref: Array, q: ArrayLike, qd: ArrayLike) -> Array:
        """(...) x^T P x."""
        x = deviation(self.robot, q_ref, qd_ref, q, qd, self.wrap)
        return inner(x, times(P, x))


STILL = 1e-3
"""Maximum acceleration at an equilibrium [rad/s^2, m/s^2], large enough for positions rounded to four digits."""


class LQR(LinearQuadratic):
    """Feedback that stabilizes an equilibrium and minimizes a quadratic cost of deviations and forces.

        tau = tau_0 - S K x,    x = (difference(q_0, q), qd)

    K is optimal for the model of `linearize` about the equilibrium, with forces u = -K x only at the actuated
    coordinates, which S selects:

        with dt:     minimizes the sum over samples of x^T Q x + u^T R u, with zero-order hold
        without dt:  minimizes the integral of x^T Q x + u^T R u, in continuous time

    The loop is stable near the equilibrium if (A, B) is stabilizable, all non-decaying modes are observable through
    Q, and R is positive definite; all three are checked. x^T P x is a Lyapunov function of the linear model, and of the
    robot in the region where it decreases: see `cost_to_go`. x has 2 nv components, also for quaternions: positions
    differ by tangent vectors.

    Attributes:
        robot, actuated, dt, wrap: the arguments.
        q, tau: (nq,), (nv,) the equilibrium, and the forces that hold it.
        K: (m, 2 nv) gains of the m actuated coordinates.
        P: (2 nv, 2 nv) matrix of the minimum cost x^T P x.
        poles: (2 nv,) eigenvalues of the closed loop: inside the unit circle with dt, otherwise in the left half-plane.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.control import LQR
        >>> # a force at the elbow alone
        >>> acrobot, upright = revolute.robots.planar(2), [np.pi / 2, 0]
        >>> lqr = LQR(acrobot, upright, np.ones(4), [1.0], actuated=["joint2"], dt=0.01)
        >>> motion = acrobot.simulate(
        ...     [np.pi / 2 + 0.02, 0.0], [0.0, 0.0], lqr.torque, np.arange(1001) * 0.01
        ... )
        >>> bool(abs(motion.q[-1] - upright).max() < 1e-4), motion.tau[:, 0].any()
        (True, np.False_)
    """

    def __init__(
        self, robot: Robot | DrivenRobot, q: ArrayLike, Q: ArrayLike, R: ArrayLike, *,
        actuated: Sequence[str] | None = None, dt: float | None = None, wrap: bool = False,
    ) -> None:
        """Solve the Riccati equation of the linear model about an equilibrium.

        Args:
            robot: a `Robot`, or a `DrivenRobot`.
            q: (nq,) an equilibrium: at rest, with forces only at the actuated coordinates [rad, m].
            Q: (2 nv,) the diagonal, or (2 nv, 2 nv): weights of deviations, positions before velocities.
            R: (m,) the diagonal, or (m, m): weights of forces at the actuated coordinates.
            actuated: names of the actuated coordinates; all by default.
            dt: sampling time, during which forces are constant [s]; None for continuous time.
            wrap: deviations of continuous joints are the shortest rotation, within -pi ... pi: see `Robot.difference`.

        Raises:
            MissingExtraError: SciPy is not installed.
            UnknownNameError: a coordinate does not exist.
            ShapeError: an array does not fit.
            InputError: Q or R is not positive; q is not an equilibrium; the forces cannot stabilize some modes.
        """
        super().__init__(robot, Q, R, actuated, wrap)
        what, nv, driven = "LQR", robot.nv, self._driven
        self.q = table(f"{what}: q", q, (robot.nq,), robot.name)
        self.dt = None if dt is None else positive(f"{what}: dt", dt, "time [s]")
        self.tau = _holding_forces(what, robot, self.q, driven)
        A, B = robot.linearize(self.q, np.zeros(nv), self.tau)
        require_stabilizable(what, A, B[:, driven], robot.coordinate_names, self.actuated)
        if self.dt is not None:
            A, B = robot.linearize(self.q, np.zeros(nv), self.tau, step=self.dt)
        B = B[:, driven]
        self.K, self.P = optimal_feedback(what, A, B, self._Q, self._R, discrete=self.dt is not None)
        self.poles = np.linalg.eigvals(A - B @ self.K)
        self._gains, self._still = self._joint_gains(self.K), np.zeros(nv)

    def torque(self, t: float, q: ArrayLike, qd: ArrayLike, out: Array | None = None) -> Array:
        """(..., nv) joint forces for a state [N m, N]; zero for coordinates without an actuator.

        Args:
            t: not used.
            q, qd: (..., nq), (..., nv) the state.
            out: an array for the result; then no memory is allocated, unless the robot has quaternions.

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
        """
        return self._law(self.tau, *self._gains, q, self.q, qd, self._still, out=out)

    def cost_to_go(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(...) minimum costs x^T P x of the linear model, starting from a state. Errors: see `torque`.

        A set {x^T P x < c} in which the cost decreases along all motions belongs to the region of attraction.
        """
        return self._cost(self.P, self.q, self._still, q, qd)

    def state_feedback(self) -> StateFeedback:
        """The same law as data, so that fixed-step `simulate` runs in machine code.

        Raises:
            InputError: the regulator has `wrap` and the robot has continuous joints; or, in `simulate`, the robot has
                quaternions.

        Example:
            >>> import numpy as np, revolute
            >>> from revolute.control import LQR
            >>> arm, t = revolute.robots.planar(2), np.arange(101) * 0.01
            >>> lqr = LQR(arm, [np.pi / 2, 0], np.ones(4), [1.0, 1.0], dt=0.01)
            >>> start = [1.5, 0.1], [0.0, 0.0]
            >>> fast = arm.simulate(*start, lqr.state_feedback(), t)
            >>> slow = arm.simulate(*start, lqr.torque, t)
            >>> bool(abs(fast.q - slow.q).max() < 1e-12)
            True
        """
        if turning(self.robot, self.wrap):
            raise InputError("LQR.state_feedback does not support wrap; pass `torque` itself to simulate")
        K_p, K_d = self._gains
        return StateFeedback(K_p, K_d, self.q, tau=self.tau)


def _holding_forces(what: str, robot: Any, q: Array, driven: list[int]) -> Array:
    """The forces at the actuated coordinates that hold an equilibrium; raise `InputError` if there are none."""
    rest, tau = np.zeros(robot.nv), np.zeros(robot.nv)
    tau[driven] = robot.inverse_dynamics(q, rest, rest)[driven]
    qdd = robot.forward_dynamics(q, rest, tau)
    worst = int(np.argmax(np.abs(qdd)))
    if not abs(qdd[worst]) <= STILL:
        names = ", ".join(robot.coordinate_names[k] for k in driven)
        raise InputError(
            f"{what}: q is not an equilibrium: with forces only at {names}, "
            f"'{robot.coordinate_names[worst]}' accelerates by {qdd[worst]:.3g}; give an equilibrium position"
        )
    return tau
