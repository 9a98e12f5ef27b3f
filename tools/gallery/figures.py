"""The figures of docs/images/ that the library draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import revolute
from revolute import trajectory
from revolute.identification import ExcitationLimits, excite
from tools.gallery import contacts, differential_ik, region_of_attraction, trot, whole_body

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REACH = [0, -1.2, 1.3, -0.6, -1.57, 0.4]


def ur5() -> Figure:
    """A UR5 with its links coloured by gravity torques."""
    robot = revolute.robots.ur5()
    return robot.plot(REACH, robot.gravity_forces(REACH), frames=["tool0"])


def motion() -> Figure:
    """A UR5 that falls."""
    return revolute.robots.ur5().simulate(REACH, np.zeros(6), None, np.linspace(0, 3, 3001)).plot()


def time_optimal() -> Figure:
    """A UR5 with friction, as fast as it can be along a path."""
    joint = revolute.Drive(damping=(2.0,), friction=(3.0,))
    arm = revolute.robots.ur5()
    geared = arm.with_drives(dict.fromkeys(arm.joint_names, joint))
    path = trajectory.spline(arm, [[0, -1, 1, 0, 0, 0], [0.5, -0.5, 0.5, 1, 0.1, 0], [1, -1, 1, 0, 0, 0]], 2.0)
    return trajectory.time_optimal(path, geared).plot(geared, title="ur5: the least time along a path, with friction")


def replanned() -> Figure:
    """A UR5 that turns back on its way: a motion that starts with velocities and accelerations."""
    arm, way = revolute.robots.ur5(), [[0, -1, 1, 0, 0, 0], [0.5, -0.5, 0.5, 1, 0.1, 0]]
    limits = {"acceleration": 5.0, "jerk": 100.0}
    q, qd, qdd = trajectory.jerk_limited(arm, way, **limits)(0.3)
    back = trajectory.jerk_limited(arm, [q, way[0]], **limits, start_velocity=qd, start_acceleration=qdd)
    return back.plot(title="ur5: turns back 0.3 s after the start of another motion")


def blended() -> Figure:
    """A UR5 that carries its tool along two lines with a rounded corner."""
    arm, q0 = revolute.robots.ur5(), [0.0, -1.2, 1.3, -0.6, -1.57, 0.4]
    poses = np.tile(arm.forward_kinematics(q0, "tool0"), (3, 1, 1))
    poses[1:, 2, 3] += 0.15
    poses[2, 1, 3] += 0.2
    motion = trajectory.follow(arm, "tool0", trajectory.lines(poses, 2.0, blend=0.05), q0)
    title = "ur5: two lines with a rounded corner"
    return arm.plot(motion.q(np.linspace(0, 2, 60)), frames=["tool0"], com=False, trace="tool0", title=title)


def excitation() -> Figure:
    """A motion of a UR5 that excites its parameters."""
    limits = ExcitationLimits(acceleration=10.0, height=0.05)
    return excite(revolute.robots.ur5(), duration=8.0, harmonics=4, starts=1, limits=limits).plot()


FIGURES: dict[str, Callable[[], Figure]] = {
    "acrobot-region": region_of_attraction.figure,
    "blended": blended,
    "contacts": contacts.figure,
    "differential-ik": differential_ik.figure,
    "excitation": excitation,
    "motion": motion,
    "replanned": replanned,
    "steps-and-jumps": trot.figure,
    "trajectory": time_optimal,
    "ur5": ur5,
    "whole-body-control": whole_body.figure,
}
