"""Contacts, stops and impacts of robots with drives, loops and elastic joints: weight, closures, energy, rows."""

import functools
from typing import Any

import numpy as np
import pytest
from robots import load

import revolute
from revolute import Contact, Drive, DrivenRobot, Inertia, Joint, Limits, Link, Plane, Robot, Transform

G, H = 9.81, 1e-3
GROUND = Plane(normal=(0, 1, 0))


@functools.cache
def walker() -> Robot:
    """5.6 kg: a body in a vertical plane, and two legs with a hip and a knee each."""
    rod, down = Inertia.from_com(0.4, (0, -0.15, 0), np.diag([0.004, 1e-4, 0.004])), Transform(p=(0, -0.3, 0))
    links = [Link("world"), Link("body", Inertia.box(4.0, (0.5, 0.1, 0.2)))]
    joints = [Joint("float", "world", "body", revolute.Planar((0, 0, 1)))]
    for side, x in (("l", -0.2), ("r", 0.2)):
        links += [Link(f"thigh_{side}", rod), Link(f"shin_{side}", rod)]
        hinge, limits = revolute.Revolute((0, 0, 1)), Limits(lower=(-1.5,), upper=(1.2,))
        joints += [
            Joint(f"hip_{side}", "body", f"thigh_{side}", hinge, Transform(p=(x, 0, 0)), limits=limits),
            Joint(f"knee_{side}", f"thigh_{side}", f"shin_{side}", hinge, down, limits=limits),
        ]
    return Robot.from_links("walker", links, joints, gravity=(0, -G, 0), warn=False)


FEET = tuple(Contact(f"shin_{side}", (0, -0.3, 0), surface=GROUND) for side in "lr")
STANDING = np.array([0, 0.3 * (np.cos(0.4) + np.cos(0.4)), 0, 0.4, -0.8, 0.4, -0.8])


@functools.cache
def driven(friction: float = 0.0) -> DrivenRobot:
    """With rotors, and springs that are slack in `STANDING`."""
    rest = dict(zip(walker().joint_names[1:], STANDING[3:].tolist(), strict=True))
    common: dict[str, Any] = {"damping": 4.0, "gear_ratio": 9.0, "rotor_inertia": 1e-4, "stiffness": 90.0}
    return walker().with_drives({x: Drive(**common, friction=friction, rest_position=at) for x, at in rest.items()})


def gaps(robot: Robot, q: Any, feet: Any = FEET) -> np.ndarray:
    pose = [robot.forward_kinematics(q, foot.link) for foot in feet]
    return np.stack([x[..., :2, 3] + x[..., :2, :2] @ np.array(foot.point[:2])
                     for x, foot in zip(pose, feet, strict=True)], axis=-2)[..., 1]  # fmt: skip


@pytest.mark.parametrize("friction", [0.0, 1.0])
def test_driven_legs_at_rest_carry_the_weight(friction: float) -> None:
    """Dropped from 2 cm. With dry friction all joints stick in the end, to the bit."""
    robot = driven(friction)
    q = STANDING + np.array([0, 0.02, 0, 0, 0, 0, 0])
    motion = robot.simulate(q, np.zeros(7), None, 6.0, contacts=FEET, sticking=friction > 0)
    assert motion.contact_forces is not None and motion.residual is not None and motion.residual.max() < 1e-8
    weight, slack = walker().mass * G, 1e-9 if friction else 1e-5  # dampers leave a part of the motion
    np.testing.assert_allclose(motion.contact_forces[-1].sum(axis=0), [0, weight, 0], rtol=0, atol=slack * weight)
    assert np.abs(motion.qd[-1]).max() < slack and np.abs(gaps(walker(), motion.q[-1])).max() < 1e-9
    assert not friction or (motion.qd[-1, 3:] == 0).all()


def test_rows_of_batches_have_the_bits_of_single_motions() -> None:
    """With friction that sticks, contacts and stops; in machine code, with Python forces, and by a stepper."""
    robot, rng = driven(1.0), np.random.default_rng(3)
    q, qd = STANDING + rng.uniform(0, 0.1, (9, 7)), rng.standard_normal((9, 7))
    t, touch = np.arange(41) * 2.0**-9, {"contacts": FEET, "stops": True, "sticking": True}
    tau = rng.standard_normal((9, 7)) * (np.arange(7) > 2)
    table = np.repeat(tau[:, None], 41, 1)
    whole = robot.simulate(q, qd, table, t, **touch)
    python = robot.simulate(q, qd, lambda *_: tau, t, **touch)
    for row in (0, 8):
        alone = robot.simulate(q[row], qd[row], tau[row], t, **touch)
        for name in ("q", "qd", "qdd", "contact_forces", "stop_forces"):
            np.testing.assert_array_equal(getattr(whole, name)[row], getattr(alone, name))
            np.testing.assert_array_equal(getattr(whole, name), getattr(python, name))
    stepper = robot.stepper(2.0**-9, **touch)
    for _ in range(40):
        stepper.step(q, qd, tau)
    np.testing.assert_array_equal(q, whole.q[:, -1])


def random_impact(robot: Any, rng: np.random.Generator, restitution: float) -> tuple[Any, Any, Any]:
    """A state in which one foot or both strike planes in random directions."""
    links = getattr(robot, "robot", robot)
    q, qd = STANDING + 0.5 * rng.standard_normal(7), rng.standard_normal(7)
    feet = []
    for foot in FEET[: rng.integers(1, 3)]:
        n = np.append(rng.standard_normal(2), 0.0)
        n /= np.linalg.norm(n)
        pose = links.forward_kinematics(q, foot.link)
        p = pose[:3, 3] + pose[:3, :3] @ np.array(foot.point)
        plane = Plane(tuple(n), float(n @ p))
        law = {"friction": rng.uniform(0, 1.2), "restitution": restitution}
        feet.append(Contact(foot.link, foot.point, surface=plane, **law))
    return q, qd, feet


@pytest.mark.parametrize("count", [60, pytest.param(2_000, marks=pytest.mark.slow)])
def test_impacts_add_no_energy(count: int) -> None:
    """Kinetic energy of links and rotors; momentum changes by J^T p."""
    robot, rng = driven(), np.random.default_rng(8)
    for _ in range(count):
        q, qd, feet = random_impact(robot, rng, rng.uniform(0, 1))
        hit = robot.impact(q, qd, feet)
        before, after = robot.kinetic_energy(q, qd), robot.kinetic_energy(q, hit.qd)
        assert after - before <= 1e-12 * before and hit.residual < 1e-8
        J = [robot.jacobian(q, foot.link, "aligned", point=foot.point)[3:] for foot in feet]
        pushed = sum(p @ x for p, x in zip(hit.impulses, J, strict=True))
        np.testing.assert_allclose(robot.mass_matrix(q) @ (hit.qd - qd), pushed, rtol=0, atol=1e-11)


def test_forces_are_the_limit_of_small_steps_and_obey_inverse_dynamics() -> None:
    robot, tau, h = driven(), np.array([0, 0, 0, 0.5, -1.0, 0.3, 0.2]), 1e-6
    found = robot.contact_forces(STANDING, np.zeros(7), tau, FEET)
    step = robot.contact_step(STANDING, np.zeros(7), tau, h, FEET)
    np.testing.assert_allclose(step.qd / h, found.qdd, rtol=0, atol=1e-4 * np.abs(found.qdd).max())
    np.testing.assert_allclose(step.impulses / h, found.forces, rtol=1e-4, atol=1e-3)
    J = [robot.jacobian(STANDING, foot.link, "aligned", point=foot.point)[3:] for foot in FEET]
    pushed = sum(f @ x for f, x in zip(found.forces, J, strict=True))
    needed = robot.inverse_dynamics(STANDING, np.zeros(7), found.qdd) - pushed
    np.testing.assert_allclose(needed, tau, rtol=0, atol=1e-9 * np.abs(found.forces).max())


def test_without_drives_contacts_are_those_of_the_robot() -> None:
    plain, rng = walker().with_drives(), np.random.default_rng(4)
    q, qd, tau = STANDING + rng.uniform(-1e-3, 1e-3, 7), rng.standard_normal(7), rng.standard_normal(7)
    for name, arrays in (("contact_step", (q, qd, tau, H)), ("impact", (q, qd)), ("contact_forces", (q, 0 * qd, tau))):
        ours, theirs = (getattr(x, name)(*arrays, FEET, stops=True) for x in (plain, walker()))
        for x, y in zip(ours[:-1], theirs[:-1], strict=True):
            np.testing.assert_allclose(x, y, rtol=0, atol=1e-9 * (1 + np.abs(y).max(initial=0)))


def test_stops_of_joints_that_follow_push_their_leader() -> None:
    """q2 = -2 q1, and q2 ends at -0.5: q1 = 0.25 there, where the stop holds the weight's share of the coordinate."""
    arm = revolute.robots.planar(2)
    bodies = [arm.bodies[0]]
    follower = {"joint2": Drive(mimic=revolute.Mimic("joint1", -2.0))}
    joints = [
        Joint(b.joint_name, arm.bodies[b.parent].name, b.name, b.joint, b.placement,
              drive=follower.get(b.joint_name, Drive(damping=5.0)),
              limits=Limits(lower=(-0.5,), upper=(9.0,)) if b.joint_name == "joint2" else Limits())
        for b in arm.bodies[1:]
    ]  # fmt: skip
    links = [Link(b.name, b.inertia) for b in (*bodies, *arm.bodies[1:])]
    robot = Robot.from_links("follower", links, joints, gravity=(0, -G, 0), warn=False).with_drives()
    motion = robot.simulate([0.0], [0.0], [40.0], 3.0, stops=True)
    assert motion.stop_forces is not None and motion.q[-1, 0] == pytest.approx(0.25, abs=1e-9)
    # of the coordinate: 40 - g = 2 f, with the force f at joint 2
    np.testing.assert_allclose(2 * motion.stop_forces[-1], 40.0 - robot.gravity_forces([0.25]), rtol=1e-8)


@pytest.mark.slow
def test_a_driven_quadruped_with_dry_friction_stands() -> None:
    """24 rows of contacts and friction on 18 freedoms: forces are not unique, and solved all the same."""
    robot = load("solo_description/solo12", "free")
    feet = [Contact(name) for name in robot.link_names if name.endswith("FOOT")]
    q = robot.neutral()
    q[7:] = [0.3, 0.6, -1.2] * 4
    q[2] += 0.01 - min(robot.forward_kinematics(q, foot.link)[2, 3] for foot in feet)
    common: dict[str, Any] = {"damping": 2.0, "armature": 0.01, "stiffness": 60.0, "friction": 0.4}
    rest = zip(robot.joint_names[1:], q[7:].tolist(), strict=True)
    machine = robot.with_drives({x: Drive(**common, rest_position=at) for x, at in rest})
    motion = machine.simulate(q, np.zeros(18), None, 2.0, contacts=feet, sticking=True)
    assert motion.contact_forces is not None and motion.residual is not None and motion.residual.max() < 1e-8
    weight = robot.mass * G
    np.testing.assert_allclose(motion.contact_forces[-1].sum(axis=0), [0, 0, weight], rtol=1e-9, atol=1e-9 * weight)
    assert np.abs(motion.qd[-1, :6]).max() < 1e-9 and (motion.qd[-1, 6:] == 0).all()
