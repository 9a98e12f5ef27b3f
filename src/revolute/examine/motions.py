"""Rules on joints: moved inertias, limits, joint frames and mimic joints."""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from revolute.dynamics.drive_forces import rotor_inertias
from revolute.dynamics.invertible import idle_coordinates
from revolute.examine.inertias import LONG
from revolute.examine.part import Finding
from revolute.machine.robot import Robot
from revolute.model.body import Body

TURNS, DEGREES = 10 * math.pi, 10 * 360
"""Angle [rad] above which a range is probably in degrees; and angle [deg] above which even degrees are implausible."""
SLOPPY = 1e-6  # maximum deviation of R R^T from the identity matrix


def moved(robot: Robot) -> Iterator[Finding]:
    """Check that every joint moves some inertia, as forward dynamics requires, and that every body has mass."""
    if not robot.nv:
        return
    idle, reflected = idle_coordinates(robot), rotor_inertias(robot)
    for i, body in enumerate(robot.bodies[1:], 1):
        place = f"joint '{body.joint_name}'"
        columns = robot.v_index[i]
        if any(idle[columns]) and all(reflected[k] > 0 for k in range(columns.start, columns.stop) if idle[k]):
            figures = "it moves no inertia but that of its rotor"
            cause = "Only robot.with_drives() gives it finite accelerations; or <inertial> may be missing"
            yield Finding(False, place, figures, cause)
        elif any(idle[columns]):
            beyond = "" if body.inertia.m else f", since link '{body.name}' and the links beyond have no mass,"
            figures = f"it moves no inertia{beyond} so that forces give it no finite acceleration"
            cause = "<inertial> may be missing" if not body.inertia.m else "All mass may be on its axis"
            yield Finding(True, place, figures, f"{cause}; or hold the joint: robot.lock")
        elif body.inertia.m == 0 and not _is_one_of_several_axes(robot, i):
            cause = "That is right between the axes of one joint; else <inertial> is missing"
            yield Finding(False, f"link '{body.name}'", "it moves and has no mass", cause)


def _is_one_of_several_axes(robot: Robot, i: int) -> bool:
    """Whether a body has a single child, at its origin, as in descriptions of universal joints."""
    children = [body for body in robot.bodies if body.parent == i]
    return len(children) == 1 and not any(children[0].placement.p)


def ranges(robot: Robot) -> Iterator[Finding]:
    """Check that joint limits leave a nonzero range, speed and force."""
    for body in robot.bodies[1:]:
        limits, place = body.limits, f"joint '{body.joint_name}'"
        for low, high in zip(limits.lower, limits.upper, strict=False):
            if low > high:
                yield Finding(True, place, f"lower limit {low:g} is above the upper, {high:g}", "Exchange them")
            elif low == high:
                yield Finding(False, place, f"both limits are {low:g}, so it cannot move", "Make it a fixed joint")
            elif body.joint.turning_axis() and TURNS < high - low < math.inf:
                cause = "It may be in degrees" if high - low <= DEGREES else "Make it continuous, without limits"
                yield Finding(False, place, f"its range is {low:g} to {high:g} rad", cause)
            elif body.joint.sliding_axis() and 2 * LONG < high - low < math.inf:
                yield Finding(False, place, f"its range is {low:g} to {high:g} m", "It may be in millimetres")
        for what, values in (("effort", limits.effort), ("velocity", limits.velocity)):
            if 0 in values:
                figures = f"its {what} limit is 0, so it cannot {'act' if what == 'effort' else 'move'}"
                yield Finding(False, place, figures, "It may stand for 'unknown'; give the rated value")


def distances(robot: Robot) -> Iterator[Finding]:
    """Check that distances between joints are plausible for a robot."""
    for body in robot.bodies[1:]:
        step = math.hypot(*(float(x) for x in body.placement.p))
        if step > LONG:
            figures = f"it is {step:.4g} m from the frame of link '{robot.bodies[body.parent].name}'"
            yield Finding(False, f"joint '{body.joint_name}'", figures, "Its origin may be in millimetres")


def handed(robot: Robot) -> Iterator[Finding]:
    """Check that the axes of frames are orthonormal and right-handed."""
    bodies = [(f"joint '{body.joint_name}'", body.placement) for body in robot.bodies[1:]]
    for place, pose in (*bodies, *((f"link '{frame.name}'", frame.placement) for frame in robot.frames)):
        R = np.array(pose.R.matrix(), dtype=float)
        if not np.abs(R @ R.T - np.eye(3)).max() <= SLOPPY:
            figures = f"its axes are not of length one at right angles: R R^T = {(R @ R.T).round(4).tolist()}"
            yield Finding(True, place, figures, "Digits of its rotation may be wrong")
        elif np.linalg.det(R) < 0:
            yield Finding(True, place, "its axes are left-handed (determinant -1)", "Reverse one of them")


def mimicked(robot: Robot) -> Iterator[Finding]:
    """Check that no joint mimics itself, and that a joint that mimics another can stay within its limits."""
    leaders = {body.joint_name: body for body in robot.bodies[1:]}
    for body in robot.bodies[1:]:
        mimic = body.drive.mimic
        if body.joint_name in _leading(body, leaders):
            figures = "it mimics itself, directly or by others"
            yield Finding(True, f"joint '{body.joint_name}'", figures, "Check the joints of its mimics")
            continue
        leader = leaders.get(mimic.joint) if mimic else None
        if mimic is None or leader is None or leader.joint.nq != 1 or body.joint.nq != 1:
            continue
        ends = [float(mimic.multiplier) * x + float(mimic.offset) for x in _range(leader)]
        low, high = _range(body)
        if min(ends) > high or max(ends) < low:
            reached = f"as '{mimic.joint}' moves within its limits, this goes from {min(ends):g} to {max(ends):g}"
            figures = f"its range {low:g} to {high:g} is out of reach: {reached}"
            yield Finding(True, f"joint '{body.joint_name}'", figures, "Check the multiplier and offset of its mimic")


def _leading(body: Body, joints: Mapping[str, Body]) -> list[str]:
    """The chain of joints that a body's joint mimics, directly or through others."""
    leaders: list[str] = []
    while (mimic := body.drive.mimic) and mimic.joint in joints and mimic.joint not in leaders:
        leaders.append(mimic.joint)
        body = joints[mimic.joint]
    return leaders


def _range(body: Body) -> tuple[float, float]:
    return (body.limits.lower or (-math.inf,))[0], (body.limits.upper or (math.inf,))[0]


RULES = (handed, moved, ranges, mimicked, distances)
