"""The generalised-momentum observer. De Luca & Mattone 2003; Haddadin, De Luca & Albu-Schaeffer 2017."""

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, common_batch, float_copy, instance, positive
from revolute.control.checks import machine, row
from revolute.errors import InputError, ShapeError
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot


class MomentumObserver:
    """Estimates external joint forces and detects collisions from positions, velocities and joint forces.

        p = M(q) qd,    pd = tau + C(q, qd)^T qd - g(q) + tau_ext

    C is the Christoffel-consistent matrix, or any other with Mdot = C + C^T. The residual r is tau_ext after a
    first-order filter, joint by joint: T r' + r = tau_ext, with T = 1 / K_O, the inverse of the gain.

    A step of length h ends with a measured state; joint forces are constant during it. The momentum balance yields the
    mean external force w of the step, with C^T qd - g by the trapezoidal rule. The filter uses the exact solution for
    constant w, r <- w + exp(-h / T) (r - w), which is stable for all h and T. Model errors appear in r unchanged; they
    do not accumulate. The trapezoidal rule adds at most h^2 / 12 times the second derivative of C^T qd - g.

    The model of a robot with drives includes rotors, friction and springs, so these do not appear in r.

    Attributes:
        robot, dt: the arguments.
        time_constant: (nv,) T [s].
        thresholds: (nv,) maximum |r| without a collision [N m, N]; None: no detection.
        residual: (..., nv) r, an internal array of the observer, updated in each step.
        collisions: (..., nv) whether |r| exceeds its threshold; an internal array of the observer.

    Example:
        >>> import numpy as np, revolute
        >>> from revolute.control import MomentumObserver
        >>> arm, push = revolute.robots.planar(2), np.array([0.0, 1.5])
        >>> q, t = np.array([0.3, 0.5]), np.arange(101) * 1e-3
        >>> hold = arm.gravity_forces(q)
        >>> # the observer does not know the 1.5 N m
        >>> motion = arm.simulate(q, np.zeros(2), hold + push, t)
        >>> observer = MomentumObserver(arm, 0.02, 1e-3, thresholds=[1.0, 1.0])
        >>> for q, qd in zip(motion.q, motion.qd):
        ...     r = observer.step(q, qd, hold)
        >>> r.round(3) + 0.0, observer.collisions
        (array([0.  , 1.49]), array([False,  True]))
    """

    def __init__(
        self, robot: Robot | DrivenRobot, time_constant: ArrayLike, dt: float, *, thresholds: ArrayLike | None = None,
        joint_damping: bool = False,
    ) -> None:
        """Create an observer; its first step sets the initial state.

        Args:
            robot: a `Robot`, or a `DrivenRobot`.
            time_constant: T, (nv,) or one number for all [s].
            dt: time between steps [s].
            thresholds: maximum |r| without a collision, (nv,) or one number for all [N m, N]; None: no detection.
            joint_damping: include the viscous friction `robot.drives.damping`; always included for a `DrivenRobot`.

        Raises:
            InputError: a time is not positive, or a threshold is negative.
            ShapeError: an array does not have nv entries.
        """
        what = "MomentumObserver"
        self.robot = machine(what, robot)
        self.dt = positive(f"{what}: dt", dt, "time [s]")
        self.time_constant = row(f"{what}: time_constant", time_constant, robot.nv)
        if not (self.time_constant > 0).all():
            raise InputError(f"{what}: time_constant must be positive times [s], not {time_constant!r}")
        self.thresholds = None if thresholds is None else row(f"{what}: thresholds", thresholds, robot.nv)
        if self.thresholds is not None and (self.thresholds < 0).any():
            raise InputError(f"{what}: thresholds must not be negative, but they are {thresholds!r}")
        asked = instance(f"{what}: joint_damping", joint_damping, (bool, np.bool_)) and isinstance(robot, Robot)
        self._kernel = self.robot.kernel("momentum_observer_step", **({"damping": True} if asked else {}))
        self._decay, self._h = np.exp(-self.dt / self.time_constant), np.array(self.dt)
        self.reset()

    def reset(self) -> None:
        """Reset the observer: the next call of `step` is the first one."""
        self._started = False
        self._allocate(())

    def _allocate(self, batch: tuple[int, ...]) -> None:
        shape = (*batch, self.robot.nv)
        self._before, self._after = (tuple(np.zeros(shape) for _ in range(3)) for _ in range(2))
        self._size, self.residual = np.zeros(shape), np.zeros(shape)
        self.collisions = np.zeros(shape, dtype=bool)

    def step(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Compute the residual at the end of a step. Only the first call allocates memory.

        After non-finite numbers, r is NaN until a `reset`.

        Args:
            q: (..., nq) joint positions at the end of the step [rad, m].
            qd: (..., nv) joint velocities at the end of the step.
            tau: (..., nv) joint forces, constant during the step [N m, N]; the first call ignores them.

        Returns:
            `residual`, (..., nv) [N m, N].

        Raises:
            ShapeError, DtypeError: an array does not fit the batch of the first step, or is not real numbers.
        """
        if not self._started:
            self._start(q, qd)
            return self.residual
        try:
            self._kernel(q, qd, tau, self._decay, self._h, *self._before, out=self._after)
        except ShapeError as error:
            batch = self.residual.shape[:-1]
            message = f"MomentumObserver: {error}; its first step fixed the batch {batch}; call reset() to change it"
            raise ShapeError(message) from None
        self._before, self._after = self._after, self._before
        np.copyto(self.residual, self._before[2])
        if self.thresholds is not None:
            np.abs(self.residual, out=self._size)
            np.greater(self._size, self.thresholds, out=self.collisions)
        return self.residual

    def _start(self, q: ArrayLike, qd: ArrayLike) -> None:
        """Store the momentum of the first state, and set the residual to zero."""
        zero = np.zeros(self.robot.nv)
        p, beta, _ = self._kernel(q, qd, zero, self._decay, self._h, zero, zero, zero)
        self._allocate(p.shape[:-1])
        self._before[0][...], self._before[1][...] = p, beta
        self._started = True

    def run(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """(..., T, nv) residuals along a recorded motion [N m, N], after a reset; zero at the first sample.

        Args:
            q: (..., T, nq) joint positions, sampled every `dt` [rad, m].
            qd: (..., T, nv) joint velocities.
            tau: (..., T, nv) joint forces, each constant until the next sample [N m, N]; or (nv,).

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.
        """
        what, n = "MomentumObserver.run", self.robot.nv
        arrays = [float_copy(f"{what}: {name}", x) for name, x in (("q", q), ("qd", qd), ("tau", tau))]
        for name, x, size in zip(("q", "qd", "tau"), arrays, (self.robot.nq, n, n), strict=True):
            if x.shape[-1:] != (size,) or (x.ndim < 2 and name != "tau"):
                raise ShapeError(f"{what}: {name} has shape {x.shape}, but (..., T, {size}) is needed")
        message = f"{what}: batches and instants of q, qd and tau"
        *_, instants = batch = common_batch(message, ("q", "qd", "tau"), [x.shape[:-1] for x in arrays])
        q, qd, tau = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays)
        self.reset()
        residuals = np.zeros((*batch, n))
        for k in range(instants):
            residuals[..., k, :] = self.step(q[..., k, :], qd[..., k, :], tau[..., max(k - 1, 0), :])
        return residuals
