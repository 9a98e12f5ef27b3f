"""Methods of `ElasticRobot`: forces of springs and motors, accelerations."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from revolute.dynamics import elastic
from revolute.dynamics.elastic import motor_places
from revolute.errors import InputError, ShapeError
from revolute.machine.declare import declared
from revolute.machine.elastic.arguments import finite_row, joint_arrays
from revolute.machine.elastic.models import OWN, Array, ElasticGroup, LinkWrenches, Out, Threads
from revolute.machine.functions import elastic as functions
from revolute.simulate.request import instants


@dataclass(frozen=True, eq=False)
class Feedforward:
    """Forces and motion of the motors with which the links follow a given motion.

    Attributes:
        tau: (..., motors) motor forces [N m, N].
        theta, thetad, thetadd: (..., motors) motor positions, reflected through the gears, and their time derivatives.
        spring: (..., motors) forces of the springs on the links.
        undriven: (..., nv - motors) forces that the motion needs at joints with several coordinates, which have no
            motor, such as a free base. They are zero for a feasible motion.
    """

    tau: Array
    theta: Array
    thetad: Array
    thetadd: Array
    spring: Array
    undriven: Array


class ElasticForces(ElasticGroup):
    """Forces of springs and motors, accelerations."""

    @declared(elastic.spring_forces, "q theta qd thetad stiffness damping[motors] -> springs: motors", own=OWN[:2])
    def spring_forces(
        self, q: ArrayLike, theta: ArrayLike, qd: ArrayLike, thetad: ArrayLike, *, out: Out = None,
        threads: Threads = None,
    ) -> Array:
        """The forces s = K (theta - q) + D (thetad - qd) of the springs on the links. SHV ex. 6.2.

        With a `Drive.backlash` b, only the part of theta - q beyond +-b/2 counts, and springs push, but do not pull.

        Returns:
            (..., motors) forces on the links, opposite to the forces on the motors [N m, N].

        Example:
            >>> arm = revolute.robots.planar(1).with_elastic_joints(1000.0, rotor_inertia=0.1)
            >>> arm.spring_forces([0.0], [0.01], [0.0], [0.0])
            array([10.])
        """

    @declared(
        functions.forward_dynamics,
        "q theta qd thetad tau[motors] stiffness damping[motors] rotor_inertia -> qdd: nv; thetadd: motors", own=OWN,
        inverts=True,
    )
    def forward_dynamics(
        self, q: ArrayLike, theta: ArrayLike, qd: ArrayLike, thetad: ArrayLike, tau: ArrayLike, *,
        wrenches: LinkWrenches = None, out: tuple[Array, Array] | None = None, threads: Threads = None,
    ) -> tuple[Array, Array]:
        """Accelerations of links and motors. Spong 1987; SHV ex. 6.2.

        Args:
            tau: (..., motors) motor forces [N m, N].

        Returns:
            qdd (..., nv) and thetadd (..., motors).

        Example:
            >>> arm = revolute.robots.planar(1).with_elastic_joints(1000.0, rotor_inertia=0.1)
            >>> qdd, thetadd = arm.forward_dynamics([-1.5708], [-1.5708], [0.0], [0.0], [1.0])
            >>> abs(qdd).round(3), thetadd.round(3)
            (array([0.]), array([10.]))
        """

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike, qdddd: ArrayLike
    ) -> Feedforward:
        """Motor forces and positions for a motion of the links, which must have four derivatives. De Luca 1988.

            theta = q + K^-1 tau_l,    tau = tau_l + B (qdd + K^-1 d2(tau_l)/dt2)

        where tau_l are the joint forces of the rigid robot at the joints with a motor. For damped springs there is no
        such formula: their motor positions follow from a differential equation; see `feedforward`.

        Args:
            q: (..., nq) positions of the links [rad, m].
            qd, qdd, qddd, qdddd: (..., nv) their time derivatives, up to snap.

        Raises:
            InputError: the springs have damping.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> arm = revolute.robots.planar(1).with_elastic_joints(1000.0, rotor_inertia=0.1)
            >>> zero = [0.0]
            >>> arm.inverse_dynamics(zero, zero, zero, zero, zero).theta.round(6)
            array([0.004905])
        """
        self._numeric("inverse_dynamics")
        self._require_no_backlash("inverse_dynamics")
        if self.damping.any():
            raise InputError(
                f"inverse_dynamics: the springs of '{self.robot.name}' have damping, so motor positions depend on the "
                "preceding motion, too; use feedforward(t, q, ...)"
            )
        motion = joint_arrays(self.robot, "inverse_dynamics", q=q, qd=qd, qdd=qdd, qddd=qddd, qdddd=qdddd)
        forces = self.robot.inverse_dynamics_rates(*motion)
        links = zip(self._of_motors(*motion[:3]), forces, strict=True)
        theta, thetad, thetadd = (x + force[..., self._driven] / self.stiffness for x, force in links)
        spring, undriven = forces[0][..., self._driven], forces[0][..., ~self._driven]
        return Feedforward(spring + self.rotor_inertia * thetadd, theta, thetad, thetadd, spring, undriven)

    def feedforward(
        self, t: ArrayLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike, *,
        theta0: ArrayLike | None = None,
    ) -> Feedforward:
        """Motor forces and positions for a motion of the links over time, with damped springs.

            D (thetad - qd) + K (theta - q) = tau_l

        where tau_l are the joint forces of the rigid robot: springs relax towards tau_l / K with time constant D / K.
        Between the times tau_l is interpolated by the cubic with its values and rates; the solution for the cubic is
        exact. Snap is not needed, because damping transmits forces directly.

        Args:
            t: (N,) increasing times [s].
            q: (N, nq) positions of the links [rad, m].
            qd, qdd, qddd: (N, nv) their time derivatives, up to jerk.
            theta0: (motors,) motor positions at t[0]; by default q + tau_l / K, where springs are at rest.

        Returns:
            a `Feedforward` with (N, motors) arrays.

        Raises:
            InputError: a spring has no damping: see `inverse_dynamics`; or the times do not increase.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> arm = revolute.robots.planar(1).with_elastic_joints(1000.0, 0.1, damping=5.0)
            >>> t = np.linspace(0, 1, 201)
            >>> s, c = np.sin(3 * t)[:, None], np.cos(3 * t)[:, None]
            >>> motors = arm.feedforward(t, s, 3 * c, -9 * s, -27 * c)
            >>> springs = arm.spring_forces(s, motors.theta, 3 * c, motors.thetad)
            >>> np.allclose(springs, motors.spring)
            True
        """
        self._numeric("feedforward")
        self._require_no_backlash("feedforward")
        if not self.damping.all():
            name = self.motor_names[int(np.argmin(self.damping))]
            raise InputError(
                f"feedforward: the spring of joint '{name}' of '{self.robot.name}' has no damping; use "
                "inverse_dynamics, which needs snap, with damping=0"
            )
        times = instants(t)
        q, qd, qdd, qddd = joint_arrays(self.robot, "feedforward", q=q, qd=qd, qdd=qdd, qddd=qddd)
        for name, array in (("q", q), ("qd", qd), ("qdd", qdd), ("qddd", qddd)):
            if array.shape[:-1] != (len(times),):
                needed = f"but one row for each of {len(times)} instants is needed"
                raise ShapeError(f"feedforward: {name} has shape {array.shape}, {needed}")
        needed_forces, rates, _ = self.robot.inverse_dynamics_rates(q, qd, qdd, qddd, np.zeros(self.robot.nv))
        spring, rate = needed_forces[:, self._driven], rates[:, self._driven]
        q, qd, qdd = self._of_motors(q, qd, qdd)
        rest, relaxation_time = spring / self.stiffness, self.damping / self.stiffness
        initial_twist = rest[0] if theta0 is None else finite_row("feedforward", "theta0", len(rest[0]), theta0) - q[0]
        twist = relaxed(times, rest, rate / self.stiffness, relaxation_time, initial_twist)
        twistd = (rest - twist) / relaxation_time
        thetadd = qdd + (rate / self.stiffness - twistd) / relaxation_time
        tau, undriven = spring + self.rotor_inertia * thetadd, needed_forces[:, ~self._driven]
        return Feedforward(tau, q + twist, qd + twistd, thetadd, spring, undriven)

    @cached_property
    def _driven(self) -> Array:
        """(nv,) whether each joint velocity has a motor."""
        driven = np.zeros(self.robot.nv, dtype=bool)
        driven[[k for _, k in motor_places(self.robot)]] = True
        return driven

    def _of_motors(self, q: Array, *rates: Array) -> list[Array]:
        """Positions and rates of the links at the joints with a motor."""
        return [q[..., [i for i, _ in motor_places(self.robot)]], *(rate[..., self._driven] for rate in rates)]


def relaxed(t: Array, f: Array, fd: Array, T: Array, start: Array) -> Array:
    """y of T y' + y = f at all times t; exact if f is, between these times, the cubic with the given values and rates.

        y = P f + (y_0 - P f_0) exp(-t/T),    P f = f - T f' + T^2 f'' - T^3 f'''

    t (N,) and the time constants T (n,) are in seconds; f, its rates fd and y are (N, n), y_0 is `start`, (n,).
    """
    y = [start]
    for k, h in enumerate(np.diff(t)):
        slope = (f[k + 1] - f[k]) / h
        second = (6 * slope - 4 * fd[k] - 2 * fd[k + 1]) / h  # second derivative f'' at the instant t[k]
        third = (6 * fd[k] + 6 * fd[k + 1] - 12 * slope) / h**2
        before = f[k] - T * (fd[k] - T * (second - T * third))
        after = f[k + 1] - T * (fd[k + 1] - T * (second + h * third - T * third))
        y.append(after + (y[-1] - before) * np.exp(-h / T))
    return np.array(y)
