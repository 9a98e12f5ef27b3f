"""Robots with all kinds of drives, to test with."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import revolute
from revolute import Drive, DrivenRobot, Inertia, Joint, Link, Mimic, Revolute, Robot, Rotor, Transform
from revolute.dynamics.driven_regressor import drive_parameters
from revolute.library.random_tree import TYPES
from revolute.model.body import DRIVE_FIELDS
from revolute.model.parameters import from_vector

SIZES = {"gear_ratio": 50.0, "rotor_inertia": 1e-3}
"""Sizes of fields of `Drive` that are not about 1."""


def drives_of(robot: Robot, seed: int, mimics: bool = True) -> dict[str, Drive]:
    """All that a drive may have, at every joint; every third joint of one coordinate mimics the first."""
    rng = np.random.default_rng(seed)
    single = [body.joint_name for body in robot.bodies if body.joint.nv == 1]
    found = {}
    for body in robot.bodies[1:]:
        n = body.joint.nv
        drive = Drive(**{
            name: tuple((SIZES.get(name, 1.0) * rng.uniform(0.1, 1.0, n)).tolist()) if n == 1 or not row.single else ()
            for name, row in DRIVE_FIELDS.items() if name != "backlash"  # which robots with drives refuse
        })  # fmt: skip
        if mimics and body.joint_name in single[3::3]:
            drive = replace(drive, mimic=Mimic(single[0], float(rng.uniform(-2, 2)), float(rng.uniform(-1, 1))))
        found[body.joint_name] = drive
    return found


def tree(seed: int) -> Robot:
    """Fixed and floating, of hinges and sliders or of all joint types, many of several hinges, in turn."""
    n, types, base = (3, 5, 4, 4)[seed % 4], (tuple(TYPES), ())[seed % 2], ("fixed", "free")[seed // 2 % 2]
    return revolute.robots.random_tree(n, rng=seed, base=base, types=types)


def direction(robot: DrivenRobot, seed: int) -> np.ndarray:
    """Small changes of the parameters of links and drives."""
    rng, links = np.random.default_rng(seed), 10 * robot.robot.n_joints
    d = rng.standard_normal((links // 10, 10)) / np.sqrt(links)
    d[robot.robot.inertial_parameters[:, 0] == 0] = 0  # masses are not negative
    return np.concatenate([d.ravel(), robot.parameters[links:] * rng.uniform(-1, 1, len(robot.parameters) - links)])


def with_parameters(robot: DrivenRobot, change: np.ndarray) -> DrivenRobot:
    """The robot and its drives with other parameters; rotors that are bodies are those of `rotors=True`."""
    base, *moving = robot.robot.bodies
    links = 10 * len(moving)
    rows = (robot.robot.inertial_parameters + change[:links].reshape(-1, 10)).tolist()
    bodies = [base, *(replace(body, inertia=from_vector(row)) for body, row in zip(moving, rows, strict=True))]
    rates = [(i, k) for i, body in enumerate(bodies) for k in range(body.joint.nv)]
    rates += [(i, 0) for i, body in enumerate(bodies) if body.joint.nv == 1 and body.drive.rotor_inertia]
    for (kind, place, _), dx in zip(drive_parameters(robot.tree, robot.drivetrain), change[links:], strict=True):
        i, k = rates[place]
        column = list(getattr(bodies[i].drive, kind) or (0.0,) * bodies[i].joint.nv)
        column[k] += dx
        bodies[i] = replace(bodies[i], drive=replace(bodies[i].drive, **{kind: tuple(column)}))
    return replace(robot.robot, bodies=tuple(bodies)).with_drives(**robot._options)


def whole_rotors(
    arm: Robot, seed: int, first: int = 0
) -> tuple[Robot, DrivenRobot, np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """An arm whose rotors are bodies with mass that turn, and the same arm driven, with rotors at rest in the links.

    Velocities of the first are A pd, with the third result as A; the last one gives its positions at p. Rotors are
    symmetric, their centres on their axes; the body with the number `first`, or a later one, carries them.
    """
    rng = np.random.default_rng(seed)
    driven_joints = [body.joint_name for body in arm.bodies if body.joint.nv == 1]
    links = [Link(body.name, body.inertia) for body in arm.bodies]
    joints = [
        Joint(body.joint_name, arm.bodies[body.parent].name, body.name, body.joint, body.placement)
        for body in arm.bodies[1:]
    ]
    lumped, rotors = list(arm.bodies), []
    for n, joint in enumerate(driven_joints):
        axis, at = rng.standard_normal(3), rng.uniform(-0.3, 0.3, 3)
        I, J = rng.uniform(0.01, 0.1), rng.uniform(0.01, 0.06)
        axis /= np.linalg.norm(axis)
        carrier, ratio = int(rng.integers(first, len(arm.bodies))), rng.uniform(-30, 30)
        spread = np.outer(axis, axis)
        symmetric = Inertia.from_com(0.7, 0.2 * axis, I * spread + J * (np.eye(3) - spread))
        links.append(Link(f"rotor{n}", symmetric))
        place = Transform(p=tuple(at))
        joints.append(Joint(f"motor{n}", arm.bodies[carrier].name, f"rotor{n}", Revolute(axis), place))
        lumped[carrier] = replace(lumped[carrier], inertia=lumped[carrier].inertia + place @ symmetric)
        rotors.append(Rotor(joint, arm.bodies[carrier].name, tuple(axis), ratio, I))
    whole = Robot.from_links("whole", links, joints, warn=False)
    A, moves = np.zeros((whole.nv, arm.nv)), np.zeros((whole.nq, arm.nq))
    for body, at, rate in zip(arm.bodies[1:], arm.q_index[1:], arm.v_index[1:], strict=True):
        same = whole.joint_index(body.joint_name)
        A[whole.v_index[same], rate], moves[whole.q_index[same], at] = np.eye(body.joint.nv), np.eye(body.joint.nq)
    for n, (joint, rotor) in enumerate(zip(driven_joints, rotors, strict=True)):
        motor, leader = whole.joint_index(f"motor{n}"), arm.joint_index(joint)
        A[whole.v_index[motor], arm.v_index[leader]] = moves[whole.q_index[motor], arm.q_index[leader]] = rotor.ratio
    return whole, replace(arm, bodies=tuple(lumped)).with_drives(rotors=rotors), A, moves.__matmul__


def made(seed: int, **options: Any) -> DrivenRobot:
    robot = tree(seed)
    return robot.with_drives(drives_of(robot, seed), **{"rotors": seed % 2 == 1, "smoothing": 0.3, **options})
