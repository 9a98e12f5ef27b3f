"""Robots whose drives have additional kinds of friction to be fitted, or smoothed friction."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from revolute.errors import InputError, UnknownNameError
from revolute.identification.forces.terms import Search, Term
from revolute.identification.samples import Array
from revolute.machine.driven import DrivenRobot
from revolute.machine.robot import Robot
from revolute.model.body import Drive


def with_friction(
    robot: Robot | DrivenRobot, *, asymmetric: bool = False, stribeck: Mapping[str, float] | float | None = None
) -> DrivenRobot:
    """The robot with the parameters `friction_backward` and `stribeck` of `ForceModel`; its forces are the same.

    At its Stribeck speed [rad/s, m/s], Stribeck friction has dropped to 1/e of its value at rest. Speeds are given for
    all joints or by joint; joints that already have one are unchanged.
    """
    driven = robot if isinstance(robot, DrivenRobot) else robot.with_drives()
    if not asymmetric and stribeck is None:
        return driven
    moving = {body.joint_name for body in driven.robot.bodies if body.joint.nv}
    speeds = (
        stribeck if isinstance(stribeck, Mapping) else dict.fromkeys(moving, stribeck) if stribeck is not None else {}
    )
    for name, speed in speeds.items():
        if name not in moving:
            raise UnknownNameError(f"stribeck: there is no joint '{name}'; available: {', '.join(sorted(moving))}")
        if not speed > 0:
            raise InputError(f"stribeck: the speed of '{name}' must be positive, not {speed}")
    bodies = tuple(
        replace(body, drive=_wider(body.drive, body.joint.nv, asymmetric, speeds.get(body.joint_name)))
        for body in driven.robot.bodies
    )
    return driven._of(replace(driven.robot, bodies=bodies))


def _wider(drive: Drive, nv: int, asymmetric: bool, speed: float | None) -> Drive:
    if asymmetric and nv and not drive.friction_backward:
        own = drive.friction or (0.0,) * nv
        drive = replace(drive, friction=own, friction_backward=own)
    if speed is not None and nv and not drive.stribeck_speed:
        drive = replace(drive, stribeck=(0.0,) * nv, stribeck_speed=(float(speed),) * nv)
    return drive


@dataclass(frozen=True)
class Bell:
    """exp(-(qd / speed)^2) sign(qd) at coordinate k."""

    k: int
    speed: float

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        v = qd[:, [self.k]]
        return np.where(np.arange(qd.shape[1]) == self.k, np.exp(-((v / self.speed) ** 2)) * np.sign(v), 0.0)


@lru_cache(maxsize=8)  # robots cache compiled loops
def smoothed(robot: DrivenRobot, smoothing: float) -> DrivenRobot:
    """The robot with dry friction smoothed over a speed [rad/s, m/s]."""
    return DrivenRobot(robot.robot, **{**robot._options, "smoothing": smoothing})


SLOWEST, FASTEST = 1e-3, 1.0  # minimum and maximum Stribeck speed of the search [rad/s, m/s]


def stribeck_searches(robot: DrivenRobot) -> list[Search]:
    """Searches for the Stribeck speeds of all joints with one coordinate; drives that have a speed are unchanged."""
    if not robot.drivetrain.uncoupled:
        raise InputError("stribeck: speeds can be searched only if no joints are coupled; give the speeds")

    def search(name: str, k: int) -> Search:
        return Search(f"{name}.stribeck_speed", lambda x: [Term(f"{name}.stribeck", Bell(k, x))], SLOWEST, FASTEST)

    single = [body for body in robot.robot.bodies if body.joint.nv == 1 and not body.drive.stribeck_speed]
    names = {body.joint_name for body in single}
    return [search(name, k) for k, name in enumerate(robot.coordinate_names) if name in names]
