"""Uniform scaling of time: the highest speed that limits allow for a whole trajectory. Hollerbach 1984; BP section 5.1.

Run k times as fast, q(k t), a trajectory needs the forces tau(k) = A k^2 + B k + C: A contains inertial, centrifugal
and Coriolis forces, B viscous friction, C gravity, springs and Coulomb friction. With an upper limit L and the margin
m = L - C,

    A k^2 + B k <= m    up to    k = 2 m / (B + sqrt(B^2 + 4 A m)),

or for all k if the root is not real, or if A and B are not positive. Velocities grow as k, accelerations as k^2, jerks
as k^3.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from revolute.arguments import Array
from revolute.errors import InputError, TrajectoryError
from revolute.trajectory.check import EQUAL, instants, largest, same_joints
from revolute.trajectory.law import Retimed, at_speed
from revolute.trajectory.limits import LimitedMachine, LimitsLike, RateLimits, rate_limits
from revolute.trajectory.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Scaling:
    """The fastest uniform scaling of a trajectory.

    Attributes:
        trajectory: the scaled trajectory.
        factor: k; the duration is divided by k.
        kind: kind of the binding limit: "velocity", "acceleration", "jerk" or "torque".
        joint: name of the joint that reaches the limit.
        t: time at which the limit is reached, in the scaled trajectory [s].
        limit, unit: value and unit of the binding limit.
    """

    trajectory: Retimed
    factor: float
    kind: str
    joint: str
    t: float
    limit: float
    unit: str

    def __str__(self) -> str:
        touched = f"{self.kind} of '{self.joint}' touches {self.limit:.6g} {self.unit} at {self.t:.4g} s"
        return f"{self.factor:.6g} times as fast, in {self.trajectory.duration:.6g} s: {touched}"


def uniform_scaling(
    trajectory: Trajectory, robot: LimitedMachine, *, velocity: LimitsLike = None, acceleration: LimitsLike = None,
    jerk: LimitsLike = None, torque: LimitsLike = None, samples: int = 2000,
) -> Scaling:
    """The trajectory at k times its speed, with the largest k that the limits allow. Hollerbach 1984.

    The largest k at each time has a closed form: forces without friction are k^2 (tau - g) + g. Viscous friction adds a
    term linear in k, Coulomb friction a constant term; use `robot.with_drives()` for both. All limits also hold at
    lower speeds. The time at which a limit is reached is located between samples, up to rounding.

    Args:
        trajectory: the trajectory.
        robot: a `Robot`, or one with drives.
        velocity, acceleration, jerk, torque: see `Trajectory.check`.
        samples: minimum number of sample times.

    Returns:
        a `Scaling`, whose `trajectory` reaches the binding limit, and exceeds no limit.

    Raises:
        TrajectoryError: gravity, springs and Coulomb friction alone exceed a limit, or the speed is unlimited.
        InputError: the robot has smoothed friction or Stribeck friction; an argument does not fit.

    Example:
        >>> from revolute.trajectory import quintic, uniform_scaling
        >>> arm = revolute.robots.ur5()
        >>> slow = quintic(arm, [[0, -1, 1, 0, 0, 0], [1, -0.5, 0.5, 1, 0, 0]], 10.0)
        >>> fast = uniform_scaling(slow, arm, velocity=np.inf)
        >>> print(fast)
        27.7856 times as fast, in 0.359898 s: torque of 'shoulder_pan_joint'
            touches 150 N m at 0.2898 s
        >>> bool(fast.trajectory.check(arm, velocity=np.inf))
        True
    """
    what = "uniform_scaling"
    model = same_joints(what, trajectory, robot)
    given = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk, "torque": torque}
    limits = {name: rate_limits(what, robot, model, name, x) for name, x in given.items()}
    t = instants(trajectory, samples)
    found: list[tuple[float, str, int, float]] = []
    for kind in ("torque", "velocity", "acceleration", "jerk"):
        if np.isinf(limits[kind].limits).all():
            continue
        bound = partial(_largest_factors, trajectory, robot, kind, limits[kind])
        factors = bound(t)
        if kind == "torque" and not factors.min() > 0:
            _refuse(trajectory, robot, limits["torque"], t)
        near = np.flatnonzero(factors.min(axis=0) < 1.2 * factors.min())  # samples that refinement may lower
        for k in near.tolist():
            when, negative = largest(lambda at: -bound(at)[:, k], t, -factors[:, k])  # noqa: B023
            found.append((-negative, kind, k, when))
    if not found or not math.isfinite(factor := min(found)[0]):
        raise TrajectoryError(f"{what}: nothing limits the speed; give finite limits, or a trajectory that moves")
    if not factor > 0:
        _refuse(trajectory, robot, limits["torque"], np.array([found[0][3]]))
    _, kind, k, when = next(x for x in found if x[0] <= factor * (1 + EQUAL))
    factor *= 1 - 4e-16
    own, scaled = limits[kind], at_speed(trajectory, factor)
    return Scaling(scaled, factor, kind, own.names[k], when / factor, float(own.limits[k]), own.units[k])


POWERS = {"velocity": 1, "acceleration": 2, "jerk": 3}


def _largest_factors(trajectory: Trajectory, robot: LimitedMachine, kind: str, own: RateLimits, t: Array) -> Array:
    """(n, limits) largest k at each time, by limits of one kind; zero where C alone exceeds a force limit."""
    if kind == "torque":
        A, B, C = map(own.of, forces_by_speed("uniform_scaling", robot, *trajectory(t)))
        return np.minimum(_root(A, B, own.limits - C), _root(-A, -B, own.limits + C))
    rate = {"velocity": trajectory.qd, "acceleration": trajectory.qdd, "jerk": trajectory.jerk}[kind](t)
    with np.errstate(divide="ignore"):
        return np.asarray((own.limits / np.abs(own.of(rate))) ** (1 / POWERS[kind]))


def _root(A: Array, B: Array, m: Array) -> Array:
    """The largest k with A k^2 + B k <= m."""
    with np.errstate(all="ignore"):
        square = B * B + 4 * A * m
        below = B + np.sqrt(np.maximum(square, 0))
        root = np.where((square >= 0) & (below > 0), 2 * m / below, math.inf)
    return np.where(m > 0, root, 0.0)


def _refuse(trajectory: Trajectory, robot: LimitedMachine, torque: RateLimits, t: Array) -> None:
    """Raise an error that names a joint whose limit is below its static force."""
    _, _, C = map(torque.of, forces_by_speed("uniform_scaling", robot, *trajectory(t)))
    i, excess = largest_static(torque, C)
    raise TrajectoryError(f"uniform_scaling: no scaling is feasible: at t={t[i]:.5g} s, joint {excess}")


def largest_static(torque: RateLimits, C: Array) -> tuple[int, str]:
    """Index of the time at which (n, limits) static forces are largest relative to limits, and a text that says so."""
    i, k = np.unravel_index(int(np.argmax(np.abs(C) / torque.limits)), C.shape)
    return int(i), (
        f"'{torque.names[k]}' needs {abs(C[i, k]):.5g} {torque.units[k]} to overcome gravity, springs and Coulomb "
        f"friction; its limit is {torque.limits[k]:.5g} {torque.units[k]}"
    )


def forces_by_speed(what: str, robot: LimitedMachine, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
    """(n, nv) A, B and C at (n, ...) states of the path at its original speed.

    Friction D qd k + F sgn(qd) is linear in k, so f(2 qd) - f(qd) is its viscous part. Raise `InputError` for other
    friction.
    """
    weight, driven = robot.gravity_forces(q), cast(Any, robot)
    if not has_friction(robot):
        return robot.inverse_dynamics(q, qd, qdd) - weight, np.zeros_like(qd), weight
    _check_friction(what, driven)
    held = weight + driven.spring_forces(q)
    once, twice = driven.friction_forces(qd), driven.friction_forces(2 * qd)
    viscous, dry = twice - once, 2 * once - twice
    return robot.inverse_dynamics(q, qd, qdd) - once - held, viscous, held + dry


def has_friction(robot: LimitedMachine) -> bool:
    """Whether the forces of a robot include friction and springs: those of a robot with drives do."""
    return hasattr(robot, "friction_forces")


def _check_friction(what: str, robot: Any) -> None:
    """Raise `InputError` unless all friction is viscous or Coulomb friction."""
    if robot.drivetrain.smoothing:
        raise InputError(f"{what}: smoothed friction has no closed form; call with_drives() without smoothing")
    for body in robot.robot.bodies:
        if any(x != 0 for x in body.drive.stribeck):
            raise InputError(
                f"{what}: joint '{body.joint_name}' has Stribeck friction, which has no closed form; omit it, or "
                "add it to the Coulomb friction"
            )
