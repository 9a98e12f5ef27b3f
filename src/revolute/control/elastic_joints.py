"""Control of robots with elastic joints: feedforward of the motors, and feedback of their states."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, finite_array, instance
from revolute.control.checks import gains
from revolute.dynamics.elastic import backlash
from revolute.errors import InputError, ShapeError
from revolute.machine.elastic import ElasticRobot
from revolute.machine.elastic.arguments import joint_arrays
from revolute.simulate import Law, StateFeedback
from revolute.simulate.feedback import Feedback, Plant


@dataclass(frozen=True, eq=False, repr=False)
class MotorFeedback(Law):
    """Feedforward and PD feedback at the motors of elastic joints. Tomei 1991; De Luca 2000; SHV ex. 6.2.

        tau = tau_ref - K_p (theta - theta_ref) - K_d (thetad - thetad_ref)

    With theta_ref and tau_ref the links follow the reference. For a point, theta_ref = q_ref + K^-1 g(q_ref) and
    tau_ref = g(q_ref); for a motion, `ElasticRobot.inverse_dynamics` returns both. Only motor states are fed back; this
    feedback is passive.

    Stability: for a point, globally asymptotic if K_d > 0 and the smallest eigenvalue of [[K, -K], [-K, K + K_p]] is
    larger than the maximum of |dg/dq|: the springs must be stiffer than this gradient of gravity, and K_p large enough.
    For a motion, stability is local.

    Attributes:
        robot: the robot with elastic joints, each with a motor.
        q: (nq,) a point, or (T, nq) link positions at the times of the motion [rad, m].
        position_gains: K_p, a number or (motors,) [N m/rad, N/m].
        velocity_gains: K_d, a number or (motors,) [N m s/rad, N s/m].
        rates: (4, T, nv) link velocity, acceleration, jerk and snap along a motion; None for a point.

    Raises:
        InputError: gains are not positive; a joint has no motor, or has backlash; springs are damped and the
            reference is a motion.
        ShapeError, DtypeError: an array does not fit.

    Example:
        >>> import numpy as np, revolute
        >>> arm = revolute.robots.planar(2).with_elastic_joints(500.0, rotor_inertia=0.2)
        >>> goal, t = np.array([0.4, -0.2]), np.linspace(0, 10, 20_001)
        >>> law = revolute.control.MotorFeedback(arm, goal, 200.0, 60.0)
        >>> zero = np.zeros(2)
        >>> motion = arm.simulate(
        ...     zero, zero, zero, zero, law, t, method="semi_implicit_euler"
        ... )
        >>> bool(np.abs(motion.q[-1] - goal).max() < 1e-3)
        True
    """

    robot: Any
    q: ArrayLike
    position_gains: ArrayLike
    velocity_gains: ArrayLike
    rates: ArrayLike | None = None

    def __post_init__(self) -> None:
        name = type(self).__name__
        elastic: ElasticRobot = instance(f"{name}: robot", self.robot, ElasticRobot)
        model = elastic.robot
        for joint, gap in zip(elastic.motor_names, backlash(model), strict=True):
            if gap != 0:
                raise InputError(
                    f"{name}: joint '{joint}' of '{model.name}' has backlash; give it a Drive without backlash"
                )
        if len(elastic.motor_names) != model.nv:
            raise InputError(f"{name}: every joint must have a motor, but some joints of '{model.name}' have none")
        entries = [f"joint '{x}'" for x in elastic.motor_names]
        for label in ("position_gains", "velocity_gains"):
            object.__setattr__(self, label, gains(f"{name}: {label}", getattr(self, label), entries))
        q = finite_array(f"{name}: q", self.q)
        if q.shape[-1:] != (model.nq,) or q.ndim != (1 if self.rates is None else 2):
            needed = f"({model.nq},)" if self.rates is None else f"(T, {model.nq})"
            raise ShapeError(f"{name}: q has shape {q.shape}, but {needed} is required; a motion needs rates")
        object.__setattr__(self, "q", q)
        if self.rates is not None:
            rates = finite_array(f"{name}: rates", self.rates)
            if rates.shape != (4, len(q), model.nv):
                raise ShapeError(f"{name}: rates has shape {rates.shape}, but (4, {len(q)}, {model.nv}) is needed")
            object.__setattr__(self, "rates", rates)

    def feedforward(self) -> tuple[Array, Array, Array]:
        """theta_ref, thetad_ref and tau_ref: (motors,) for a point, (T, motors) for a motion."""
        q = np.asarray(self.q)
        if self.rates is None:
            g = self.robot.robot.gravity_forces(q)
            return q + g / self.robot.stiffness, np.zeros_like(g), g
        found = self.robot.inverse_dynamics(q, *np.asarray(self.rates))
        return found.theta, found.thetad, found.tau

    def _feedback(self, plant: Plant) -> Feedback:
        """See `Law`; the plant's positions are x = (q, theta)."""
        theta, thetad, tau = self.feedforward()
        none = np.zeros((plant.n, plant.n))
        K_p, K_d = (np.hstack([none, np.diag(x)]) for x in (self.position_gains, self.velocity_gains))
        x_ref, xd_ref = (np.concatenate([0 * x, x], axis=-1) for x in (theta, thetad))
        return StateFeedback(K_p, K_d, x_ref, xd_ref, tau)._feedback(plant)

    def torque(self, t: float, q: ArrayLike, theta: ArrayLike, qd: ArrayLike, thetad: ArrayLike) -> Array:
        """(..., motors) motor forces for a state, if the reference is a point; for a motion use `simulate`.

        Raises:
            InputError: the reference is a motion.
        """
        if self.rates is not None:
            raise InputError(f"{type(self).__name__}: torque needs a fixed set point; for a motion, use simulate")
        theta_ref, thetad_ref, tau = self.feedforward()
        K_p, K_d = map(np.asarray, (self.position_gains, self.velocity_gains))
        state = joint_arrays(self.robot.robot, f"{type(self).__name__}", q=q, theta=theta, qd=qd, thetad=thetad)
        _, theta, _, thetad = state if len({x.shape for x in state}) == 1 else np.broadcast_arrays(*state)
        return np.asarray(tau - K_p * (theta - theta_ref) - K_d * (thetad - thetad_ref))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of robot '{self.robot.robot.name}'>"
