"""Robots whose motors drive the links through springs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.errors import InputError, MissingExtraError, ModelError, ShapeError, SimulationError
from revolute.robot import Robot
from revolute.simulate.run import instants

__all__ = ["ElasticMotion", "ElasticRobot", "Feedforward"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Feedforward:
    """What the motors have to do so that the links follow a motion.

    Attributes:
        tau: (..., nv) motor forces [N m, N].
        theta, thetad, thetadd: (..., nv) motor positions, behind the gears, and their rates.
        spring: (..., nv) forces that the springs pass on to the links.
    """

    tau: Array
    theta: Array
    thetad: Array
    thetadd: Array
    spring: Array


@dataclass(frozen=True, eq=False)
class ElasticMotion:
    """A motion of links and motors.

    Attributes:
        t: (T,) times [s].
        q, theta: (T, nv) positions of links and motors [rad, m].
        qd, thetad: (T, nv) their velocities.
        tau: (T, nv) motor forces [N m, N].
        energy: (T,) kinetic, potential and spring energy [J].
    """

    t: Array
    q: Array
    theta: Array
    qd: Array
    thetad: Array
    tau: Array
    energy: Array


class ElasticRobot:
    """A robot with elastic joints, in Spong's model: `Robot.with_elastic_joints` makes it. Spong 1987; SHV ex. 6.2.

        M(q) qdd + C(q, qd) qd + g(q) = K (theta - q) + D (thetad - qd)
        B thetadd + K (theta - q) + D (thetad - qd) = tau

    Motors turn about the axes of their joints; their kinetic energy is that of this turning
    alone (high gears), and motor quantities are those behind the gears.

    Attributes:
        robot: the rigid robot; its inertias are those of the links, with stators.
        stiffness: (nv,) K [N m/rad, N/m].
        damping: (nv,) D [N m s/rad, N s/m].
        rotor_inertia: (nv,) B, behind the gears [kg m^2, kg].
    """

    def __init__(
        self, robot: Robot, stiffness: ArrayLike, rotor_inertia: ArrayLike, damping: ArrayLike = 0.0
    ) -> None:
        if any(body.joint.nv > 1 for body in robot.bodies):
            raise ModelError(f"'{robot.name}' has joints of several coordinates; elastic ones have a single one each")
        self.robot = robot
        self.stiffness = _positive(robot, "stiffness", stiffness, least="greater than zero")
        self.rotor_inertia = _positive(robot, "rotor_inertia", rotor_inertia, least="greater than zero")
        self.damping = _positive(robot, "damping", damping, least="zero or more")

    def __repr__(self) -> str:
        return f"<ElasticRobot '{self.robot.name}': {self.robot.nv} links, {self.robot.nv} motors>"

    def spring_forces(self, q: ArrayLike, theta: ArrayLike, qd: ArrayLike, thetad: ArrayLike) -> Array:
        """(..., nv) forces K (theta - q) + D (thetad - qd) on the links."""
        stretch, speed = np.subtract(theta, q), np.subtract(thetad, qd)
        forces: Array = self.stiffness * stretch + self.damping * speed
        return forces

    def forward_dynamics(
        self, q: ArrayLike, theta: ArrayLike, qd: ArrayLike, thetad: ArrayLike, tau: ArrayLike
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
        spring = self.spring_forces(q, theta, qd, thetad)
        return self.robot.forward_dynamics(q, qd, spring), (np.asarray(tau) - spring) / self.rotor_inertia

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike, qdddd: ArrayLike
    ) -> Feedforward:
        """Motor forces and positions for a motion of the links, which must have four derivatives. De Luca 1988.

            theta = q + K^-1 tau_l,    tau = tau_l + B (qdd + K^-1 d2(tau_l)/dt2)

        with tau_l of the rigid robot. Springs with damping have no such formula: their motors'
        motion follows from a differential equation.

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
                f"inverse_dynamics: the springs of '{self.robot.name}' have damping, and so motor positions are no "
                "function of the links' motion; use a robot with damping=0 for feedforward"
            )
        spring, rate, second = self.robot.inverse_dynamics_rates(q, qd, qdd, qddd, qdddd)
        theta, thetad = np.asarray(q) + spring / self.stiffness, np.asarray(qd) + rate / self.stiffness
        thetadd = np.asarray(qdd) + second / self.stiffness
        return Feedforward(spring + self.rotor_inertia * thetadd, theta, thetad, thetadd, spring)

    def energy(self, q: ArrayLike, theta: ArrayLike, qd: ArrayLike, thetad: ArrayLike) -> Array:
        """(...) energy of links, motors and springs [J]."""
        motors = (self.rotor_inertia * np.square(thetad)).sum(axis=-1) / 2
        springs = (self.stiffness * np.square(np.subtract(theta, q))).sum(axis=-1) / 2
        total: Array = self.robot.hamiltonian(q, qd) + motors + springs
        return total

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
            torque: motor forces: (nv,), or a function of (t, q, theta, qd, thetad).
            t: (T,) increasing times [s].
            method, rtol, atol: see `Robot.simulate`.

        Returns:
            an `ElasticMotion`.

        Raises:
            MissingExtraError: SciPy is not there.
            ShapeError, InputError: arguments that do not fit.
            SimulationError: the solver gave up.
        """
        try:
            from scipy.integrate import solve_ivp
        except ImportError:
            raise MissingExtraError("simulating elastic joints needs SciPy", "trajectory") from None
        n, times = self.robot.nv, instants(t)
        state = np.concatenate([_row(n, name, x) for name, x in
                                (("q0", q0), ("theta0", theta0), ("qd0", qd0), ("thetad0", thetad0))])
        constant = None if callable(torque) else _row(n, "torque", torque)

        def forces(time: float, x: Array) -> Array:
            return constant if constant is not None else _row(n, "torque(t, ...)", torque(time, *x.reshape(4, n)))

        def rates(time: float, x: Array) -> Array:
            q, theta, qd, thetad = x.reshape(4, n)
            return np.concatenate([qd, thetad, *self.forward_dynamics(q, theta, qd, thetad, forces(time, x))])

        found = solve_ivp(rates, times[[0, -1]], state, method=method, t_eval=times, rtol=rtol, atol=atol)
        if not found.success:
            raise SimulationError(f"simulate: {method} stopped after t={found.t[-1]:g} s: {found.message}")
        q, theta, qd, thetad = found.y.T.reshape(len(times), 4, n).transpose(1, 0, 2)
        tau = np.stack([forces(float(time), x) for time, x in zip(times, found.y.T, strict=True)])
        return ElasticMotion(times, q, theta, qd, thetad, tau, self.energy(q, theta, qd, thetad))


def _row(n: int, name: str, x: ArrayLike) -> Array:
    row = np.asarray(x, dtype=float)
    if row.shape != (n,):
        raise ShapeError(f"simulate: {name} has shape {row.shape}, but ({n},) is needed")
    return row


def _positive(robot: Robot, name: str, values: ArrayLike, least: str) -> Array:
    """One number for every joint, or the same for all."""
    try:
        column = np.broadcast_to(np.asarray(values, dtype=float), (robot.nv,)).copy()
    except (TypeError, ValueError):
        raise ShapeError(
            f"with_elastic_joints: {name} must be a number or {robot.nv} of them, one for each joint of '{robot.name}'"
        ) from None
    wrong = ~np.isfinite(column) | ((column <= 0) if least.startswith("greater") else (column < 0))
    if wrong.any():
        joint = robot.coordinate_names[int(np.argmax(wrong))]
        raise InputError(f"with_elastic_joints: {name} of joint '{joint}' must be {least}, not {column[wrong][0]:g}")
    column.flags.writeable = False
    return column
