"""A robot whose motors drive the links through springs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import instance
from revolute.dynamics.elastic import elastic_energy
from revolute.dynamics.invertible import require_invertible
from revolute.errors import InputError, ModelError, ShapeError
from revolute.machine.declare import declared
from revolute.machine.elastic.arguments import finite_row, joint_arrays, joint_column
from revolute.machine.elastic.results import ElasticMotion, Feedforward
from revolute.machine.function import Function, Subject
from revolute.machine.functions import elastic as functions
from revolute.machine.machine import Array, Machine
from revolute.machine.relaxation import relaxed
from revolute.machine.robot import Robot
from revolute.model.symbols import numeric
from revolute.simulate.adaptive import adaptive
from revolute.simulate.record import Record, march
from revolute.simulate.run import ADAPTIVE, check_tolerances, instants
from revolute.simulate.torque import source

__all__ = ["ElasticRobot"]


_OWN = ("stiffness", "damping", "rotor_inertia")


class ElasticRobot(Machine):
    """A robot with elastic joints, in Spong's model: `Robot.with_elastic_joints` makes it. Spong 1987; SHV ex. 6.2.

        M(q) qdd + C(q, qd) qd + g(q) = K (theta - q) + D (thetad - qd)
        B thetadd + K (theta - q) + D (thetad - qd) = tau

    Motors turn about the axes of their joints. Their kinetic energy is that of this turning
    alone (high gears). Motor quantities are those behind the gears.

    Attributes:
        robot: the rigid robot; its inertias are those of the links, with stators.
        stiffness: (nv,) K [N m/rad, N/m].
        damping: (nv,) D [N m s/rad, N s/m].
        rotor_inertia: (nv,) B, behind the gears [kg m^2, kg].
    """

    _kind = "robot with elastic joints"
    _elsewhere = ". See `robot.kernel` for those of the rigid robot"

    def __init__(
        self, robot: Robot, stiffness: ArrayLike, rotor_inertia: ArrayLike | None = None, damping: ArrayLike = 0.0
    ) -> None:
        instance("ElasticRobot: robot", robot, Robot)
        if any(body.joint.nv > 1 for body in robot.bodies):
            raise ModelError(f"'{robot.name}' has joints of several coordinates; elastic ones have a single one each")
        self.robot = robot
        self.stiffness = joint_column(robot, "stiffness", stiffness, least="greater than zero")
        if rotor_inertia is None:
            rotor_inertia = robot.armature + robot.gear_ratio**2 * robot.rotor_inertia
        self.rotor_inertia = joint_column(robot, "rotor_inertia", rotor_inertia, least="greater than zero")
        self.damping = joint_column(robot, "damping", damping, least="zero or more")

    def __reduce__(self) -> tuple[Any, ...]:
        return ElasticRobot, (self.robot, self.stiffness, self.rotor_inertia, self.damping)

    def __repr__(self) -> str:
        return f"<ElasticRobot {self.robot.name!r}: {self.robot.nv} links, {self.robot.nv} motors>"

    def _subject(self, function: Function, options: Mapping[str, Any]) -> Subject:
        model = numeric(self.robot, function.name)
        if function.inverts:
            require_invertible(model)
        return Subject(self.robot.name, (model,), {"nq": model.nv, "nv": model.nv}, model.digest, words={"nq": "nv"})

    def _countable(self) -> ElasticRobot:
        return ElasticRobot(self.robot._countable(), self.stiffness, self.rotor_inertia, self.damping)

    @declared(functions.spring_forces, "q theta qd thetad stiffness damping[nv] -> springs: nv", own=_OWN)
    def spring_forces(
        self,
        q: ArrayLike,
        theta: ArrayLike,
        qd: ArrayLike,
        thetad: ArrayLike,
        *,
        out: Array | None = None,
        threads: int | None = None,
    ) -> Array:
        """(..., nv) forces K (theta - q) + D (thetad - qd) on the links."""

    @declared(
        functions.forward_dynamics,
        "q theta qd thetad tau stiffness damping[nv] rotor_inertia -> qdd: nv; thetadd: nv",
        own=_OWN,
        inverts=True,
    )
    def forward_dynamics(
        self,
        q: ArrayLike,
        theta: ArrayLike,
        qd: ArrayLike,
        thetad: ArrayLike,
        tau: ArrayLike,
        *,
        out: tuple[Array, Array] | None = None,
        threads: int | None = None,
    ) -> tuple[Array, Array]:
        """Accelerations of links and motors.

        Args:
            q, theta: (..., nv) positions of links and motors [rad, m].
            qd, thetad: (..., nv) their velocities.
            tau: (..., nv) motor forces [N m, N].

        Returns:
            qdd and thetadd, each (..., nv).

        Raises:
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> arm = revolute.robots.planar(1).with_elastic_joints(1000.0, rotor_inertia=0.1)
            >>> qdd, thetadd = arm.forward_dynamics([-1.5707963267948966], [-1.5707963267948966], [0.0], [0.0], [1.0])
            >>> abs(qdd).round(3), thetadd.round(3)
            (array([0.]), array([10.]))
        """

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike, qdddd: ArrayLike
    ) -> Feedforward:
        """Motor forces and positions for a motion of the links, which must have four derivatives. De Luca 1988.

            theta = q + K^-1 tau_l,    tau = tau_l + B (qdd + K^-1 d2(tau_l)/dt2)

        with tau_l of the rigid robot. For springs with damping there is no such formula: motor
        positions follow from a differential equation, see `feedforward`.

        Args:
            q: (..., nv) positions of the links [rad, m].
            qd, qdd, qddd, qdddd: (..., nv) their rates, up to snap.

        Returns:
            a `Feedforward`.

        Raises:
            InputError: the springs have damping.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import revolute
            >>> arm, zero = revolute.robots.planar(1).with_elastic_joints(1000.0, rotor_inertia=0.1), [0.0]
            >>> arm.inverse_dynamics(zero, zero, zero, zero, zero).theta.round(6)
            array([0.004905])
        """
        if self.damping.any():
            raise InputError(
                f"inverse_dynamics: the springs of '{self.robot.name}' have damping, so motor positions depend on "
                "the motion before, too; use feedforward(t, q, ...)"
            )
        motion = joint_arrays(self.robot, "inverse_dynamics", q=q, qd=qd, qdd=qdd, qddd=qddd, qdddd=qdddd)
        forces = self.robot.inverse_dynamics_rates(*motion)
        theta, thetad, thetadd = (x + force / self.stiffness for x, force in zip(motion[:3], forces, strict=True))
        spring = forces[0]
        return Feedforward(spring + self.rotor_inertia * thetadd, theta, thetad, thetadd, spring)

    def feedforward(
        self,
        t: ArrayLike,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        qddd: ArrayLike,
        *,
        theta0: ArrayLike | None = None,
    ) -> Feedforward:
        """Motor forces and positions for a motion of the links over time, with damped springs.

            D (thetad - qd) + K (theta - q) = tau_l

        with tau_l of the rigid robot: springs relax towards tau_l / K in a time D / K. Between
        instants tau_l is interpolated by the cubic with its values and rates, for which the
        solution is exact. Jerk is enough here, since damping transmits forces at once.

        Args:
            t: (N,) increasing times [s].
            q: (N, nv) positions of the links [rad, m].
            qd, qdd, qddd: (N, nv) their rates, up to jerk.
            theta0: (nv,) motor positions at t[0]; by default q + tau_l / K, where springs are at rest.

        Returns:
            a `Feedforward` with (N, nv) arrays.

        Raises:
            InputError: a spring without damping: see `inverse_dynamics`; times that do not increase.
            ShapeError, DtypeError: an array does not fit, or is not real numbers.

        Example:
            >>> import numpy as np, revolute
            >>> arm = revolute.robots.planar(1).with_elastic_joints(1000.0, rotor_inertia=0.1, damping=5.0)
            >>> t = np.linspace(0, 1, 201)
            >>> s, c = np.sin(3 * t)[:, None], np.cos(3 * t)[:, None]
            >>> motors = arm.feedforward(t, s, 3 * c, -9 * s, -27 * c)
            >>> np.allclose(arm.spring_forces(s, motors.theta, 3 * c, motors.thetad), motors.spring)
            True
        """
        if not self.damping.all():
            name = self.robot.coordinate_names[int(np.argmin(self.damping))]
            raise InputError(
                f"feedforward: the spring of joint '{name}' of '{self.robot.name}' has no damping; use "
                "inverse_dynamics, which needs snap, with damping=0"
            )
        times = instants(t)
        q, qd, qdd, qddd = joint_arrays(self.robot, "feedforward", q=q, qd=qd, qdd=qdd, qddd=qddd)
        for name, array in (("q", q), ("qd", qd), ("qdd", qdd), ("qddd", qddd)):
            if array.shape != (len(times), self.robot.nv):
                needed = f"but a row is needed for each of {len(times)} instants"
                raise ShapeError(f"feedforward: {name} has shape {array.shape}, {needed}")
        spring, rate, _ = self.robot.inverse_dynamics_rates(q, qd, qdd, qddd, np.zeros(self.robot.nv))
        rest, relaxation_time = spring / self.stiffness, self.damping / self.stiffness
        initial_twist = rest[0] if theta0 is None else finite_row("feedforward", "theta0", self.robot.nv, theta0) - q[0]
        twist = relaxed(times, rest, rate / self.stiffness, relaxation_time, initial_twist)
        twistd = (rest - twist) / relaxation_time
        thetadd = qdd + (rate / self.stiffness - twistd) / relaxation_time
        return Feedforward(spring + self.rotor_inertia * thetadd, q + twist, qd + twistd, thetadd, spring)

    @declared(elastic_energy, "q theta qd thetad stiffness rotor_inertia -> E", own=_OWN)
    def energy(
        self,
        q: ArrayLike,
        theta: ArrayLike,
        qd: ArrayLike,
        thetad: ArrayLike,
        *,
        out: Array | None = None,
        threads: int | None = None,
    ) -> Array:
        """(...) energy of links, motors and springs [J]."""

    def simulate(
        self,
        q0: ArrayLike,
        theta0: ArrayLike,
        qd0: ArrayLike,
        thetad0: ArrayLike,
        torque: Any,
        t: ArrayLike,
        *,
        method: str = "DOP853",
        rtol: float = 1e-9,
        atol: float = 1e-11,
    ) -> ElasticMotion:
        """A motion, by one of SciPy's adaptive solvers (stiff springs: "Radau").

        Args:
            q0, theta0, qd0, thetad0: (nv,) the first state.
            torque: motor forces: None, (nv,), (T, nv) held from each instant to the next, or a
                function of (t, q, theta, qd, thetad). See `Robot.simulate`.
            t: (T,) increasing times [s].
            method: RK45, DOP853, Radau, BDF or LSODA.
            rtol, atol: its tolerances.

        Returns:
            an `ElasticMotion`.

        Raises:
            MissingExtraError: SciPy is not installed.
            ShapeError, InputError: arguments that do not fit.
            SimulationError: the torque function raises or does not return finite forces, or the
                solver gives up. Its `partial` is the motion up to there.
        """
        if not isinstance(method, str) or method not in ADAPTIVE:
            raise InputError(f"simulate: no method '{method}' for elastic joints; there are: {', '.join(ADAPTIVE)}")
        check_tolerances(rtol, atol)
        n, times = self.robot.nv, instants(t)
        initial_state = {"q0": q0, "theta0": theta0, "qd0": qd0, "thetad0": thetad0}
        x, v = np.stack([finite_row("simulate", name, n, row) for name, row in initial_state.items()]).reshape(2, 2 * n)
        given_forces = source(self.robot, torque, times, ())

        def forces(k: int, time: float, x: Array, v: Array) -> Array:
            return given_forces(k, time, x[:n], x[n:], v[:n], v[n:])

        def advance(k: int, span: tuple[float, float], x: Array, v: Array, tau: Array) -> tuple[Array, Array]:
            def rates(time: float, x: Array, v: Array) -> tuple[Array, Array]:
                tau = forces(k, time, x, v)
                return v, np.concatenate(self.forward_dynamics(x[:n], x[n:], v[:n], v[n:], tau))

            return adaptive(rates, span, x, v, method, rtol, atol)

        joints = self.robot.coordinate_names
        names = (*joints, *(f"{joint} (motor)" for joint in joints))
        record = Record(times, (names, names), n, (), forces)
        return march(times, x, v, record, advance, lambda: self._motion(record))

    def _motion(self, record: Record) -> ElasticMotion:
        """The motion that was recorded."""
        n = self.robot.nv
        t, x, v, tau = record.reached()
        q, theta, qd, thetad = x[:, :n], x[:, n:], v[:, :n], v[:, n:]
        return ElasticMotion(t, q, theta, qd, thetad, tau, self.energy(q, theta, qd, thetad))
