"""Contacts, stops and impacts of robots with drives, loops and elastic joints: weight, closures, energy, rows."""

import functools
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from robots import load

import revolute
from revolute import Contact, Drive, DrivenRobot, Inertia, InputError, Joint, Limits, Link, Plane, Robot, Transform
from revolute.simulate.contact_wrenches import contact_wrenches

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
    assert np.abs(motion.qd[-1]).max() < 1e-12  # joints stick, up to roundings: forces are not unique


ROD = Inertia.from_com(0.2, (0, -0.15, 0), np.diag([0.002, 1e-4, 0.002]))


@functools.cache
def linkage(friction: float = 0.0) -> Any:
    """The walker with a rod beside each thigh, so that shins stay parallel to the body: more rows than needed."""
    body = walker()
    links = [Link(b.name, b.inertia) for b in body.bodies] + [Link(f"rod_{side}", ROD) for side in "lr"]
    hips = {"damping": 4.0, "armature": 0.02, "stiffness": 150.0, "rest_position": 0.5, "friction": friction}
    joints = [
        Joint(b.joint_name, body.bodies[b.parent].name, b.name, b.joint, b.placement, limits=b.limits,
              drive=Drive(**hips) if b.joint_name.startswith("hip") else Drive())
        for b in body.bodies[1:]
    ]  # fmt: skip
    hinge = revolute.Revolute((0, 0, 1))
    for s, x in (("l", -0.1), ("r", 0.3)):
        joints.append(Joint(f"rod_{s}", "body", f"rod_{s}", hinge, Transform(p=(x, 0, 0))))
    closures = (
        revolute.AxisClosure("rod_l", "shin_l", (0, -0.3, 0), (0.1, 0, 0)),
        revolute.PointClosure("rod_r", "shin_r", (0, -0.3, 0), (0.1, 0, 0)),
    )
    robot = Robot.from_links("linkage", links, joints, gravity=(0, -G, 0), warn=False)
    return robot.with_closures(*closures, drives=True)


def standing() -> np.ndarray:
    """Feet on the ground, hips at 0.5."""
    names, angles = linkage().robot.position_names, {"hip": 0.5, "kne": -0.5, "rod": 0.5}
    q = np.array([angles.get(name[:3], 0.0) for name in names])
    q[1] = 0.3 * (1 + np.cos(0.5))
    assert np.abs(linkage().error(q)).max() < 1e-12 and np.abs(gaps(linkage().robot, q)).max() < 1e-12
    return q


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_legs_with_loops_stand(friction: float) -> None:
    """Dropped from 2 cm: loops stay closed at every instant; at rest, the feet carry the weight."""
    robot, q = linkage(friction), standing()
    q[1] += 0.02
    motion = robot.simulate(q, np.zeros(robot.robot.nv), None, 4.0, contacts=FEET, stops=True, sticking=friction > 0)
    assert motion.contact_forces is not None and motion.residual is not None and motion.residual.max() < 1e-8
    assert np.abs(robot.error(motion.q)).max() < 1e-12
    assert np.abs(np.einsum("tij,tj->ti", robot.jacobian(motion.q), motion.qd)).max() < 1e-9
    weight = robot.robot.mass * G
    np.testing.assert_allclose(motion.contact_forces[-1].sum(axis=0), [0, weight, 0], rtol=0, atol=1e-5 * weight)
    assert np.abs(motion.qd[-1]).max() < 1e-5 and np.abs(gaps(robot.robot, motion.q[-1])).max() < 1e-8


def test_impacts_of_loops_add_no_energy_and_keep_them_closed() -> None:
    robot, rng, q = linkage(), np.random.default_rng(5), standing()
    J = robot.jacobian(q)
    for _ in range(40):
        q, qd = robot.project(q, rng.standard_normal(robot.robot.nv))
        e = rng.uniform(0, 1)
        feet = [Contact(foot.link, foot.point, 0.0, rng.uniform(0, 1), e, surface=GROUND) for foot in FEET]
        hit = robot.impact(q, qd, feet)
        before, after = robot.kinetic_energy(q, qd), robot.kinetic_energy(q, hit.qd)
        assert after - before <= 1e-9 * before and np.abs(J @ hit.qd).max() < 1e-9 * np.abs(qd).max()
        # what changes the momentum are impulses of feet and of closures
        at = [robot.robot.jacobian(q, foot.link, "aligned", point=foot.point)[3:] for foot in feet]
        pushed = sum(p @ x for p, x in zip(hit.impulses, at, strict=True))
        left = robot.model.mass_matrix(q) @ (hit.qd - qd) - pushed
        by_closures = np.linalg.lstsq(J.T, left, rcond=1e-9)[0]
        np.testing.assert_allclose(J.T @ by_closures, left, rtol=0, atol=1e-9 * (1 + np.abs(pushed).max()))


def test_forces_of_loops_are_those_of_their_dynamics() -> None:
    """With the forces of the feet as wrenches, `forward_dynamics` gives the same accelerations; so do small steps."""
    robot, q = linkage(), standing()
    n, h = robot.robot.nv, 1e-6
    tau = np.zeros(n)
    tau[3:7] = 1.0, 0.3, -0.5, 0.2
    found = robot.contact_forces(q, np.zeros(n), tau, FEET)
    assert np.abs(found.forces).min(axis=0)[1] > 1.0 and np.abs(found.qdd).max() > 0.1
    wrenches = {}
    for foot, force in zip(FEET, found.forces, strict=True):
        f = robot.robot.forward_kinematics(q, foot.link)[:3, :3].T @ force
        wrenches[foot.link] = np.concatenate([np.cross(foot.point, f), f])
    np.testing.assert_allclose(robot.forward_dynamics(q, np.zeros(n), tau, wrenches=wrenches), found.qdd, atol=1e-8)
    step = robot.contact_step(q, np.zeros(n), tau, h, FEET)
    np.testing.assert_allclose(step.qd / h, found.qdd, rtol=0, atol=1e-4 * np.abs(found.qdd).max())
    change = np.linspace(-1, 1, n)
    slope = robot.contact_step_differential(q, np.zeros(n), tau, H, np.zeros(n), np.zeros(n), change, FEET)
    ends = [robot.contact_step(q, np.zeros(n), tau + s * 1e-4 * change, H, FEET).qd for s in (1, -1)]
    np.testing.assert_allclose(slope.qd, (ends[0] - ends[1]) / 2e-4, rtol=0, atol=1e-6 * np.abs(slope.qd).max())


def test_rows_of_loops_have_the_bits_of_single_motions() -> None:
    robot, rng = linkage(), np.random.default_rng(1)
    q, qd = robot.project(standing() + 0.02 * rng.standard_normal((9, 9)), rng.standard_normal((9, 9)))
    q[:, 1] += 0.05
    t, touch = np.arange(17) * 2.0**-9, {"contacts": FEET, "stops": True}
    whole = robot.simulate(q, qd, None, t, **touch)
    for row in (0, 8):
        alone = robot.simulate(q[row], qd[row], None, t, **touch)
        for name in ("q", "qd", "contact_forces", "stop_forces"):
            np.testing.assert_array_equal(getattr(whole, name)[row], getattr(alone, name))
    stepper, x, v = robot.stepper(2.0**-9, **touch), whole.q[:, 0].copy(), whole.qd[:, 0].copy()
    for _ in range(16):
        stepper.step(x, v, np.zeros(9))
    np.testing.assert_array_equal(x, whole.q[:, -1])


@functools.cache
def lift() -> Any:
    """A carrier on a vertical slide, which a closure leads, under a ball of 2 kg on another."""
    slide, sphere = revolute.Prismatic((0, 0, 1)), Inertia.sphere(2.0, 0.1)
    links = [Link("base"), Link("carrier", Inertia.sphere(1.0, 0.1)), Link("ball", sphere)]
    joints = [Joint(f"z_{x.name}", "base", x.name, slide) for x in links[1:]]
    robot = Robot.from_links("lift", links, joints, gravity=(0, 0, -G))
    return robot.with_closures(revolute.PointClosure("carrier"))


CARRIED = [Contact("ball", radius=0.1, surface=Contact("carrier", radius=0.1))]


def test_a_carrier_that_is_led_lifts_a_ball_and_lets_it_fall() -> None:
    """By m (g + z'') of its path z; after it is released, both fall, and nothing pushes."""
    t, size, rate = np.arange(513) * 2.0**-10, 0.02, 6.0
    z, zdd = size * np.sin(rate * t), -size * rate**2 * np.sin(rate * t)
    path, up = np.zeros((513, 3)), np.array([0, 0, size * rate])
    path[:, 2] = z
    speeds = np.zeros((513, 3))
    speeds[:, 2] = size * rate * np.cos(rate * t)
    options: dict[str, Any] = {"contacts": CARRIED, "target": path, "target_rate": speeds}
    start = [0.0, 0.2], [up[2], up[2]], None, t
    motion = lift().simulate(*start, **options)
    np.testing.assert_allclose(motion.q[:, 0], z, rtol=0, atol=1e-12)
    np.testing.assert_allclose(motion.q[:, 1], z + 0.2, rtol=0, atol=2e-6)  # of a step: z'' h^2
    np.testing.assert_allclose(motion.contact_forces[2:-1, 0, 2], 2 * (G + zdd[2:-1]), rtol=0, atol=0.02)
    holds = np.ones((513, 1))
    holds[200:] = 0.0
    freed = lift().simulate(*start, active=holds, **options)
    np.testing.assert_array_equal(freed.q[:200], motion.q[:200])
    np.testing.assert_allclose(freed.qdd[201:], -G, rtol=0, atol=1e-9)
    assert np.abs(freed.contact_forces[202:]).max() <= 1e-9


def test_closures_that_close_with_contacts_are_impacts() -> None:
    """All that hold are those without `active`; rows have the bits of single motions and of steps in place."""
    robot, q, t = linkage(), standing(), np.arange(33) * 2.0**-9
    q[1] += 0.005
    start, touch = (q, np.zeros(9), None, t), {"contacts": FEET, "stops": True}
    held, usual = robot.simulate(*start, active=[1.0, 1.0], **touch), robot.simulate(*start, **touch)
    np.testing.assert_allclose(held.q, usual.q, rtol=0, atol=1e-9)
    rng, active = np.random.default_rng(3), np.ones((5, 33, 2))
    active[:, :12, 0], active[2:, :20, 1] = 0.0, 0.0
    many = np.zeros((5, 9)) + q, rng.standard_normal((5, 9)), None, t
    whole = robot.simulate(*many, active=active, threads=2, **touch)
    assert np.isfinite(whole.q).all() and np.abs(robot.error(whole.q[:, 21:])).max() < 1e-12
    stepper = robot.stepper(2.0**-9, switched=True, **touch)
    for row in (0, 4):
        alone = robot.simulate(many[0][row], many[1][row], None, t, active=active[row], **touch)
        np.testing.assert_array_equal(whole.q[row], alone.q)
        np.testing.assert_array_equal(whole.contact_forces[row], alone.contact_forces)
        x, v = alone.q[0].copy(), alone.qd[0].copy()
        for k in range(32):
            stepper.step(x, v, np.zeros(9), active[row, k])
        np.testing.assert_array_equal(x, alone.q[-1])


def test_a_bounce_while_a_closure_closes_adds_no_energy() -> None:
    """Both act together: impulses are of the contact and the closure, and the contact reverses what this leaves."""
    arm, q, rng = revolute.robots.planar(4), np.array([0.3, -1.5, 2.0, -0.9]), np.random.default_rng(1)
    poses = {link: arm.forward_kinematics(q, link)[:3, 3] for link in ("link3", "tip")}
    robot: Any = arm.with_closures(revolute.PointClosure("link3", at_b=tuple(poses["link3"])))
    at = {link: arm.jacobian(q, link, "aligned")[3:5] for link in poses}
    M, J = arm.mass_matrix(q), at["link3"]
    for angle in np.linspace(0, 3, 7):
        n = np.array([np.cos(angle), np.sin(angle), 0.0])
        plane = Plane(tuple(n), float(n @ poses["tip"]))
        row = n[:2] @ at["tip"]
        kept = robot.project(q, np.linalg.solve(M, row))[1]
        qd = kept - np.linalg.solve(M, row) - rng.uniform(0, 0.2) * kept  # its closure takes most of the speed
        for e in (0.0, 0.5, 1.0):
            contact = Contact("tip", friction=0.0, restitution=e, surface=plane)
            x, v = q.copy(), qd.copy()
            step = robot.stepper(1e-9, contacts=[contact], switched=True).step(x, v, np.zeros(4), np.ones(1))
            assert arm.kinetic_energy(q, step.qd) <= arm.kinetic_energy(q, qd) * (1 + 1e-6)
            closed = robot.project(q, qd)[1]
            np.testing.assert_allclose(row @ step.qd, -e * (row @ closed), rtol=0, atol=1e-6)
            pushed = M @ (step.qd - qd) - 1e-9 * row * (n @ step.contact_forces[0])
            np.testing.assert_allclose(J.T @ np.linalg.lstsq(J.T, pushed, rcond=None)[0], pushed, rtol=0, atol=1e-7)


def test_what_loops_refuse() -> None:
    robot, q, touch = linkage(), standing(), {"contacts": FEET}
    start = q, np.zeros(9), None, 0.1
    assert_raises(InputError, "projection=True", robot.simulate, *start, projection=False, **touch)
    assert_raises(InputError, "leave out method='RK45'", robot.simulate, *start, "RK45", **touch)
    rigid = robot.robot.with_closures(*robot.closures)
    assert_raises(InputError, "no friction that can stick; use drives=True", rigid.simulate, *start, sticking=True)


@pytest.mark.parametrize("machine", [driven, linkage])
def test_laws_in_machine_code_and_in_python_give_the_same_motion(machine: Any) -> None:
    """A feedback of all joint positions and velocities, while feet touch and joints reach their stops."""
    robot, q0 = machine(), STANDING if machine is driven else standing()
    n, t, touch = len(q0), np.arange(65) * 2.0**-9, {"contacts": FEET, "stops": True}
    legs = np.array([False] * 3 + [True] * 4 + [False] * (n - 7))
    law = revolute.StateFeedback(200.0 * legs, 4.0 * legs, q0 + 0.2 * legs)
    start = q0 + np.eye(n)[1] * 1e-3, np.zeros(n)
    fast = robot.simulate(*start, law, t, **touch)
    slow = robot.simulate(*start, lambda time, q, qd: legs * (200.0 * (q0 + 0.2 - q) - 4.0 * qd), t, **touch)
    assert np.abs(fast.contact_forces).max() > 1.0
    for name in ("q", "qd", "contact_forces", "tau"):
        x = getattr(slow, name)
        np.testing.assert_allclose(getattr(fast, name), x, rtol=0, atol=1e-7 * (1 + np.abs(x).max()))


@functools.cache
def elastic() -> Any:
    return walker().with_elastic_joints(400.0, rotor_inertia=0.05, damping=4.0)


def servo(time: float, q: Any, theta: Any, qd: Any, thetad: Any) -> Any:
    """Motors that hold their positions in `STANDING`."""
    return 300 * (STANDING[3:] - theta) - 10 * thetad


def test_elastic_legs_at_rest_carry_the_weight() -> None:
    """Dropped from 2 cm. The springs' forces are those that the rigid robot needs with the forces of its feet."""
    q, still = STANDING + np.array([0, 0.02, 0, 0, 0, 0, 0]), np.zeros(7)
    motion = elastic().simulate(q, q[3:], still, still[3:], servo, 6.0, contacts=FEET, stops=True)
    weight = walker().mass * G
    assert motion.contact_forces is not None and motion.residual is not None and motion.residual.max() < 1e-8
    np.testing.assert_allclose(motion.contact_forces[-1].sum(axis=0), [0, weight, 0], rtol=0, atol=1e-5 * weight)
    end, theta, force = motion.q[-1], motion.theta[-1], motion.contact_forces[-1]
    J = [walker().jacobian(end, foot.link, "aligned", point=foot.point)[3:] for foot in FEET]
    needed = walker().gravity_forces(end) - sum(f @ x for f, x in zip(force, J, strict=True))
    springs = elastic().spring_forces(end, theta, motion.qd[-1], motion.thetad[-1])
    np.testing.assert_allclose(springs, needed[3:], rtol=0, atol=1e-3)


def test_impacts_and_forces_of_elastic_legs() -> None:
    """Impacts are those of the links; forces are the limit of small steps, whose accelerations are the same."""
    rng, tau = np.random.default_rng(6), np.zeros(4)
    q, qd = STANDING, rng.standard_normal(7)
    np.testing.assert_array_equal(elastic().impact(q, qd, FEET).qd, walker().impact(q, qd, FEET).qd)
    theta, thetad = q[3:] + 0.01 * rng.standard_normal(4), 0.1 * rng.standard_normal(4)
    found = elastic().contact_forces(q, theta, 0 * qd, thetad, FEET, stops=True)
    assert np.abs(found.forces[:, 1]).max() > 1.0
    x, xd = np.concatenate([q, theta]), np.concatenate([0 * qd, thetad])
    step = elastic().stepper(1e-7, contacts=FEET, stops=True).step(x, xd, tau)
    np.testing.assert_allclose(step.contact_forces, found.forces, rtol=0, atol=1e-4)
    np.testing.assert_allclose(step.qdd[:7], found.qdd, rtol=0, atol=1e-3)
    many = elastic().contact_forces(np.tile(q, (3, 1)), theta, 0 * qd, thetad, FEET, stops=True)
    np.testing.assert_array_equal(many.forces[2], found.forces)


def test_rows_of_elastic_motions_have_the_bits_of_single_ones() -> None:
    rng, t, touch = np.random.default_rng(2), np.arange(33) * 2.0**-10, {"contacts": FEET, "stops": True}
    q, qd = STANDING + rng.uniform(0, 0.05, (9, 7)), rng.standard_normal((9, 7))
    theta, thetad = q[:, 3:] + 0.01 * rng.standard_normal((9, 4)), rng.standard_normal((9, 4))
    whole = elastic().simulate(q, theta, qd, thetad, None, t, **touch)
    for row in (0, 8):
        alone = elastic().simulate(q[row], theta[row], qd[row], thetad[row], None, t, **touch)
        for name in ("q", "theta", "qd", "thetadd", "contact_forces", "stop_forces"):
            np.testing.assert_array_equal(getattr(whole, name)[row], getattr(alone, name))
    x, xd = np.concatenate([q, theta], axis=1), np.concatenate([qd, thetad], axis=1)
    stepper = elastic().stepper(2.0**-10, **touch)
    for _ in range(32):
        stepper.step(x, xd, np.zeros(4))
    np.testing.assert_array_equal(x[:, :7], whole.q[:, -1])


def test_wrenches_of_contacts_explain_the_motion() -> None:
    """Inverse dynamics with the forces of the feet as wrenches gives the joint forces, to the error of a step."""
    robot = driven()
    motion = robot.simulate(STANDING, np.zeros(7), None, 0.05, contacts=FEET)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd, wrenches=contact_wrenches(robot, motion))
    np.testing.assert_allclose(tau[1:-1], 0, rtol=0, atol=1e-4 * walker().mass * G)
    still = np.zeros(7)
    soft = elastic().simulate(STANDING, STANDING[3:], still, still[3:], None, 0.02, contacts=FEET)
    shown = soft.view(port=0)
    shown.close()


SLIDE, MASS, ROTOR, STIFF, GAP = revolute.Prismatic((1, 0, 0)), 2.0, 0.5, 1e4, 0.01


@functools.cache
def loose(damping: float = 0.0, backlash: Any = GAP) -> Any:
    """A sliding mass, whose motor has play."""
    joint = Joint("j", "base", "body", SLIDE, drive=Drive(backlash=backlash))
    links = [Link("base"), Link("body", Inertia(m=MASS))]
    return Robot.from_links("loose", links, [joint], warn=False).with_elastic_joints(STIFF, ROTOR, damping)


def rebound(damping: float) -> float:
    """Restitution of two masses with a spring and a damper that do not pull. Schwager & Poeschel 2007."""
    m = MASS * ROTOR / (MASS + ROTOR)
    beta = damping / (2 * m)
    w = np.sqrt(STIFF / m - beta * beta)
    return float(np.exp(-beta / w * (np.pi - np.arctan2(2 * beta * w, w * w - beta * beta))))


@pytest.mark.parametrize("damping", [0.0, 10.0, 40.0])
def test_a_backlash_gap_opens_closes_and_loses_the_energy_of_its_law(damping: float) -> None:
    """The motor crosses the gap at 1 m/s without a force, strikes the mass, and leaves it at the speed of the law."""
    robot, t = loose(damping), np.linspace(0, 0.036, 3601)
    motion = robot.simulate([0.0], [-GAP / 2], [0.0], [1.0], None, t)
    assert motion.theta is not None and motion.thetad is not None
    springs = robot.spring_forces(motion.q, motion.theta, motion.qd, motion.thetad)[:, 0]
    assert not springs[t < 0.0099].any() and not motion.qd[t < 0.0099].any() and springs.min() == 0
    assert springs.max() > 50 and (springs[-100:] == 0).all()
    e, m = rebound(damping), MASS * ROTOR / (MASS + ROTOR)
    assert motion.thetad[-1, 0] - motion.qd[-1, 0] == pytest.approx(-e, abs=1e-7)
    assert motion.energy[0] - motion.energy[-1] == pytest.approx(m * (1 - e * e) / 2, abs=1e-7)
    assert np.diff(motion.energy).max() < 1e-9
    fixed = robot.simulate([0.0], [-GAP / 2], [0.0], [1.0], None, np.linspace(0, 0.036, 36001), method="runge_kutta_4")
    np.testing.assert_allclose(fixed.qd[-1], motion.qd[-1], atol=1e-5)


def test_backlash_is_part_of_derivatives_and_energies() -> None:
    """Derivatives where the gap is open, and where the spring acts on either side; without it as before."""
    robot, d = loose(3.0), 1e-6
    for theta in (0.002, 0.009, -0.008):
        x = np.array([0.0, theta, 0.1, 0.2])

        def rates(x: np.ndarray) -> np.ndarray:
            return np.concatenate(robot.forward_dynamics(x[:1], x[1:2], x[2:3], x[3:], [0.0]))

        A = robot.linearize(x[:1], x[1:2], x[2:3], x[3:], [0.0])[0][2:]
        slopes = np.stack([(rates(x + d * e) - rates(x - d * e)) / (2 * d) for e in np.eye(4)], axis=1)
        np.testing.assert_allclose(A, slopes, rtol=1e-6, atol=1e-4)
        beyond = max(abs(theta) - GAP / 2, 0.0)
        assert robot.potential_energy(x[:1], x[1:2]) == pytest.approx(STIFF * beyond**2 / 2, abs=1e-12)
    tight = loose(3.0, 0.0)
    assert tight.spring_forces([0.0], [-0.01], [0.0], [1.0])[0] == pytest.approx(-100.0 + 3.0)


def test_what_backlash_refuses() -> None:
    robot, zeros = loose(), [np.zeros(1)] * 5
    assert_raises(InputError, "inverse_dynamics: joint 'j' of 'loose' has backlash", robot.inverse_dynamics, *zeros)
    assert_raises(InputError, "equations: joint 'j' of 'loose' has backlash", robot.equations)
    damped = [np.zeros((3, 1))] * 4
    assert_raises(InputError, "feedforward: joint 'j'", loose(3.0).feedforward, [0.0, 0.1, 0.2], *damped)
    assert_raises(InputError, "has backlash, which with_drives does not model", robot.robot.with_drives)
    assert_raises(revolute.ModelError, "backlash", loose, 0.0, -1.0)
    symbolic = loose(0.0, sympy.Symbol("b"))  # without the advice to derive equations, which refuse it
    assert_raises(InputError, r"symbols: b\. .*subs\(\{'b': \.\.\.\}\)$", symbolic.spring_forces, *zeros[:4])
