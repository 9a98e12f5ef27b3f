"""Deviations of a robot's state from a reference, as 2 nv numbers, also for quaternions.

    x = (difference(q_ref, q), qd - qd_ref)

Differences of positions are tangent vectors, as in `Robot.difference` and `linearize`. With
`wrap`, differences of continuous joints are within -pi ... pi.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from revolute.arguments import Array, by_names, common_batch, float_copy, require_out
from revolute.compiler.kernel import Kernel, compiled
from revolute.errors import ShapeError
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.machine.row_products import times
from revolute.model.configurations import Turning
from revolute.model.joints.joint import JointType
from revolute.simulate.feedback import law
from revolute.spatial.scalar import Scalars, nearest_turn

Law = Callable[..., Array]
"""(tau, K_p, K_d, q, q_ref, qd, qd_ref, out=None) -> tau - K_p difference(q_ref, q) - K_d (qd - qd_ref)."""


def is_flat(robot: Robot | DrivenRobot) -> bool:
    """Whether positions can be subtracted: true for joints with one axis, false for quaternions."""
    space = robot.space if isinstance(robot, DrivenRobot) else robot
    return all(type(body.joint).difference is JointType.difference for body in space.bodies)


def turning(robot: Robot | DrivenRobot, wrap: bool) -> tuple[Turning, ...]:
    """Indices of the joints whose positions are equivalent modulo whole turns: with `wrap`, all continuous joints."""
    return robot._continuous if wrap else ()


def deviation(
    robot: Robot | DrivenRobot, q_ref: ArrayLike, qd_ref: Array, q: ArrayLike, qd: ArrayLike, wrap: bool
) -> Array:
    """(..., 2 nv) the deviation of a state from a reference state."""
    positions, velocities = float_copy("q", by_names("q", q, robot.position_names, "q.")), float_copy("qd", qd)
    for name, x, size in (("q", positions, robot.nq), ("qd", velocities, robot.nv)):
        if x.shape[-1:] != (size,):
            raise ShapeError(f"{name} has shape {x.shape}, but robot '{robot.name}' needs (..., {size})")
    turn, rate = robot.difference(q_ref, positions, wrap=wrap), velocities - qd_ref
    if turn.shape != rate.shape:
        batch = common_batch("batches of q and qd", ("q", "qd"), [turn.shape[:-1], rate.shape[:-1]])
        turn, rate = (np.broadcast_to(x, (*batch, robot.nv)) for x in (turn, rate))
    return np.concatenate([turn, rate], axis=-1)


def _compiled_law(name: str, nv: int, turning: frozenset[int]) -> Kernel:
    """The law as a kernel, with the robot's name. Differences at the indices `turning` are shortest rotations."""
    form, _ = law(nv, nv, nv, diagonal=False)

    def body(tau: Scalars, K_p: Scalars, K_d: Scalars, q: Scalars, q_ref: Scalars, *rates: Scalars) -> Scalars:
        near = [nearest_turn(x, q[k]) if k in turning else x for k, x in enumerate(q_ref)]
        return form.body(tau, K_p, K_d, q, near, *rates)

    remake = partial(_compiled_law, name, nv, turning)
    return compiled("robot", name, replace(form, body=body), np.float64, None, remake)


def feedback_law(robot: Robot | DrivenRobot, wrap: bool) -> Law:
    """Linear feedback of a robot: in machine code if `is_flat`, otherwise in NumPy."""
    if is_flat(robot):
        return _compiled_law(robot.name, robot.nv, frozenset(at.q for at in turning(robot, wrap)))

    return partial(_on_the_group, robot, wrap)


def _on_the_group(
    robot: Robot | DrivenRobot, wrap: bool, tau: Array, K_p: Array, K_d: Array, q: Array, q_ref: Array, qd: Array,
    qd_ref: Array, out: Array | None = None,
) -> Array:
    away = deviation(robot, q_ref, qd_ref, q, qd, wrap)
    turn, rate = away[..., : robot.nv], away[..., robot.nv :]
    if out is not None:
        require_out("torque: out", out, turn.shape, np.float64)
    return np.asarray(np.subtract(tau - times(K_p, turn), times(K_d, rate), out=out))
