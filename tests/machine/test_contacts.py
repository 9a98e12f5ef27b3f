"""Contacts, stops and impacts: closed forms, conserved quantities, laws, rows of batches, and what is refused."""

import functools
import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from robots import FILES, load, one_joint
from test_contacts_of_machines import FEET, STANDING, walker

import revolute
from revolute import Contact, Inertia, InputError, Joint, Link, Plane, Robot, Shape, Transform, UnknownNameError
from revolute.machine.ways_out import Bridged
from revolute.model import contact_arrays

G, H = 9.81, 1e-3


@functools.cache
def ball(radius: float = 0.1) -> Robot:
    return Robot.from_links("ball", [Link("ball", Inertia.sphere(2.0, radius))], [], base="free")


@functools.cache
def box() -> tuple[Robot, tuple[str, ...]]:
    """2 kg of 0.4 by 0.3 by 0.1 m, with frames at its eight corners, the lower ones first."""
    robot = Robot.from_links("box", [Link("box", Inertia.box(2.0, (0.4, 0.3, 0.1)))], [], base="free")
    places = [(x, y, z) for z in (-0.05, 0.05) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    for k, p in enumerate(places):
        robot = robot.with_frame(f"c{k}", "box", Transform(p=p))
    return robot, tuple(f"c{k}" for k in range(8))


@functools.cache
def dog() -> tuple[Robot, tuple[str, ...], np.ndarray]:
    """A quadruped, its feet, and a configuration in which they all touch the ground."""
    robot = revolute.load(str(FILES["solo_description/solo12"]), base="free")
    feet = tuple(name for name in robot.link_names if name.endswith("FOOT"))
    q = robot.neutral()
    q[7:] = [0.3, 0.6, -1.2] * 4
    q[2] -= min(robot.forward_kinematics(q, foot)[2, 3] for foot in feet)
    return robot, feet, q


def rest(plane: Plane, height: float) -> np.ndarray:
    """A free body at a height over a plane that falls along x, with its z axis along the normal."""
    x, _, z = plane.normal
    half = np.arctan2(x, z) / 2
    return np.array([height * x, 0, height * z, 0, np.sin(half), 0, np.cos(half)])


def advanced(robot: Robot, q: Any, qd: Any, steps: int, contacts: Any, tau: Any = None, **options: Any) -> Any:
    tau = np.zeros(robot.nv) if tau is None else tau
    for _ in range(steps):
        step = robot.contact_step(q, qd, tau, H, contacts, **options)
        q, qd = step.q, step.qd
        assert step.residual <= 1e-12
    return step


@pytest.mark.parametrize("share", [0.99, 1.01, 2.0])
def test_a_box_on_an_incline_slides_above_the_angle_of_friction(share: float) -> None:
    """At g (sin - mu cos), to 1e-9; below it all speeds stay zero to rounding."""
    mu, (robot, corners) = 0.5, box()
    angle = np.arctan(mu) * share
    plane = Plane((np.sin(angle), 0, np.cos(angle)))  # falls along x
    contacts = [Contact(name, friction=mu, surface=plane) for name in corners[:4]]
    q, qd = rest(plane, 0.05), np.zeros(6)
    slides = max(G * (np.sin(angle) - mu * np.cos(angle)), 0.0)
    found = robot.contact_forces(q, qd, np.zeros(6), contacts)
    np.testing.assert_allclose(found.qdd, [0, 0, 0, slides, 0, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.forces.sum(axis=0) @ plane.normal, 2 * G * np.cos(angle), rtol=1e-12)
    step = advanced(robot, q, qd, 200, contacts)
    np.testing.assert_allclose(step.qd, [0, 0, 0, 200 * H * slides, 0, 0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.7, 1.0])
def test_bounces_of_a_ball(restitution: float) -> None:
    """Each reverses e of the speed; before and after, the ball falls freely. It comes to rest on the ground."""
    contact = [Contact("ball", radius=0.1, restitution=restitution)]
    q, qd, speeds = np.array([0, 0, 0.4, 0, 0, 0, 1]), np.zeros(6), []
    for _ in range(2500):
        step = ball().contact_step(q, qd, np.zeros(6), H, contact)
        if step.impulses[0, 2] > 2.1 * 2 * G * H:
            speeds.append((qd[5], step.qd[5]))
        q, qd = step.q, step.qd
        assert q[2] >= 0.1 - 1e-12
    before, after = np.array(speeds)[:1 if restitution == 0 else 3].T
    assert abs(before[0] + np.sqrt(2 * G * 0.3)) < 2 * G * H
    if restitution:  # the step goes on after the bounce
        np.testing.assert_allclose(after, -restitution * before - G * H, rtol=0, atol=1e-12)
    if restitution < 0.5:
        assert abs(qd).max() <= 1e-12 and abs(q[2] - 0.1) <= 1e-12


def test_a_sphere_slides_then_rolls() -> None:
    """From v0 at mu g to 5/7 v0, when it rolls: Coriolis 1835. The steps add as many roundings."""
    v0, mu = 2.0, 0.3
    contact = [Contact("ball", radius=0.1, friction=mu)]
    q, qd = np.array([0, 0, 0.1, 0, 0, 0, 1]), np.array([0, 0, 0, v0, 0, 0])
    step = advanced(ball(), q, qd, 100, contact)
    in_base = revolute.Rotation.from_quaternion(step.q[3:]).matrix()
    np.testing.assert_allclose((in_base @ step.qd[3:])[0], v0 - mu * G * 100 * H, rtol=1e-10)
    np.testing.assert_allclose((in_base @ step.qd[:3])[1], 2.5 * mu * G * 100 * H / 0.1, rtol=1e-10)
    step = advanced(ball(), step.q, step.qd, 300, contact)
    in_base = revolute.Rotation.from_quaternion(step.q[3:]).matrix()
    np.testing.assert_allclose((in_base @ step.qd[3:])[0], 5 / 7 * v0, rtol=1e-9)
    np.testing.assert_allclose(in_base @ step.qd[:3], [0, 5 / 7 * v0 / 0.1, 0], rtol=1e-9, atol=1e-9)


def test_a_box_rocks_and_comes_to_rest() -> None:
    """Dropped on an edge, it loses energy in every impact, and ends flat on the ground."""
    robot, corners = box()
    contacts = [Contact(name) for name in corners]
    angle = 0.2
    q = np.array([0, 0, 0.05 * np.cos(angle) + 0.2 * np.sin(angle), 0, np.sin(angle / 2), 0, np.cos(angle / 2)])
    qd, energy = np.zeros(6), [2 * G * q[2]]
    for _ in range(2000):
        step = robot.contact_step(q, qd, np.zeros(6), H, contacts)
        q, qd = step.q, step.qd
        energy.append(robot.total_energy(q, qd))
        assert step.residual <= 1e-3  # on four corners that turn, sticking makes slow internal forces
    assert np.diff(energy).max() <= 2 * G * G * H * H and energy[-1] < 0.7 * energy[0]
    assert np.abs(step.qd).max() <= 1e-10 and abs(step.q[2] - 0.05) <= 1e-10 and np.abs(step.q[3:5]).max() <= 1e-9
    np.testing.assert_allclose(step.impulses.sum(axis=0), [0, 0, 2 * G * H], rtol=0, atol=1e-12)


@pytest.mark.parametrize("overhang", [-0.1, -1e-3, 1e-3, 0.1])
def test_a_plank_over_an_edge(overhang: float) -> None:
    """It lies on the edge and a point 0.5 m behind it, by the lever, and tips once its centre of mass is beyond."""
    m, about_com = 2.0, 0.3
    inertia = Inertia.from_com(m, (overhang, 0, 0), about_com * np.eye(3))
    plank = Robot.from_links("plank", [Link("plank", inertia)], [], base="free")
    contacts = [Contact("plank", (x, y, 0)) for x in (-0.5, 0.0) for y in (-0.05, 0.05)]
    q, still = plank.neutral(), np.zeros(6)
    found = plank.contact_forces(q, still, still, contacts)
    step = advanced(plank, q, still, 100, contacts)
    if overhang < 0:
        np.testing.assert_allclose(found.forces[:, 2].reshape(2, 2).sum(axis=1), m * G * np.array(
            [-overhang / 0.5, 1 + overhang / 0.5]), rtol=0, atol=1e-10)  # fmt: skip
        assert np.abs(found.qdd).max() <= 1e-10 and np.abs(step.qd).max() <= 1e-10
        return
    alpha = m * G * overhang / (about_com + m * overhang**2)
    np.testing.assert_allclose(found.qdd, [0, alpha, 0, 0, 0, 0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.forces.sum(axis=0), [0, 0, m * (G - alpha * overhang)], rtol=0, atol=1e-10)
    assert not found.forces[:2].any() and step.qd[1] == pytest.approx(alpha * 100 * H, rel=1e-2)


def test_a_joint_rests_on_its_stop() -> None:
    """Beyond the limit it is moved back, without velocity; the stop exerts the weight's moment."""
    inertia = Inertia.from_com(2.0, (0.5, 0, 0), 0.1 * np.eye(3))
    robot = one_joint(revolute.Revolute((0, -1, 0)), inertia, limits=revolute.Limits(lower=(-0.3,), upper=(0.5,)))
    far = [Contact("body", surface=Plane(offset=-9))]
    step = advanced(robot, [0.4], [0.0], 1500, far, stops=True)
    np.testing.assert_allclose([step.q[0], step.qd[0]], [-0.3, 0], atol=1e-12)
    np.testing.assert_allclose(step.stop_impulses, [2 * G * 0.5 * np.cos(0.3) * H], rtol=1e-12)
    found = robot.contact_forces(step.q, step.qd, [0.0], far, stops=["j"])
    np.testing.assert_allclose(found.stop_forces, [2 * G * 0.5 * np.cos(0.3)], rtol=1e-12)
    assert found.qdd == pytest.approx(0, abs=1e-12)
    step = robot.contact_step([-0.4], [0.0], [0.0], H, far, stops=True)
    np.testing.assert_allclose([step.q[0], step.qd[0]], [-0.3, 0], atol=1e-12)
    up = robot.contact_step([0.5], [0.0], [50.0], H, far, stops=True)
    assert up.stop_impulses < 0 and up.q == pytest.approx(0.5, abs=1e-12)
    np.testing.assert_allclose(robot.impact([0.5], [3.0], far, stops=True).qd, 0, atol=1e-12)
    np.testing.assert_allclose(robot.impact([0.5], [-3.0], far, stops=True).qd, -3)


def random_state(robot: Robot, feet: Any, rng: np.random.Generator) -> Any:
    """A state in which some feet touch planes in random directions, towards which they move; others are far."""
    q = robot.random_configuration(rng=rng)
    qd = rng.standard_normal(robot.nv)
    contacts, struck = [], rng.integers(0, 2, len(feet))
    struck[rng.integers(len(feet))] = 1
    for foot, near in zip(feet, struck, strict=True):
        n = rng.standard_normal(3)
        n /= -np.sign(n @ robot.velocity(q, qd, foot, "aligned")[3:]) * np.linalg.norm(n)
        offset = n @ robot.forward_kinematics(q, foot)[:3, 3] - (0 if near else 1)
        contacts.append(Contact(foot, friction=rng.uniform(0, 1.2), surface=Plane(tuple(n), offset)))
    return q, qd, contacts


@pytest.mark.parametrize("count", [200, pytest.param(20_000, marks=pytest.mark.slow)])
def test_random_impacts(count: int) -> None:
    """Growth of energy, momenta of free directions, restitution, cones, of a quadruped; every second one has one e."""
    robot, feet, _ = dog()
    rng = np.random.default_rng(4)
    for k in range(count):
        q, qd, contacts = random_state(robot, feet, rng)
        e = rng.uniform(0, 1, len(contacts)) if k % 2 else np.full(len(contacts), rng.uniform(0, 1))
        contacts = [replace(c, restitution=x) for c, x in zip(contacts, e.tolist(), strict=True)]
        hit = robot.impact(q, qd, contacts)
        assert hit.residual <= 1e-12
        M, n = robot.mass_matrix(q), np.array([c.surface.normal for c in contacts])
        T0, T1 = qd @ M @ qd / 2, hit.qd @ M @ hit.qd / 2
        assert T1 - T0 <= 1e-12 * T0
        J = np.array([robot.jacobian(q, c.link, "aligned")[3:] for c in contacts])
        pushed = np.einsum("kij,ki->j", J, hit.impulses)
        np.testing.assert_allclose(M @ (hit.qd - qd), pushed, rtol=0, atol=1e-12 * np.abs(M @ qd).max())
        pn = np.einsum("ki,ki->k", n, hit.impulses)
        friction = np.linalg.norm(hit.impulses - pn[:, None] * n, axis=1)
        assert (pn >= 0).all() and (friction <= [c.friction for c in contacts] * pn + 1e-12 * pn.max()).all()
        before, after = (np.einsum("ki,kij,j->k", n, J, v) for v in (qd, hit.qd))
        acts = pn > 1e-9 * pn.max()
        if k % 2 == 0:
            np.testing.assert_allclose(after[acts], -e[acts] * before[acts], rtol=0, atol=1e-10)


def test_unequal_restitutions_add_no_energy() -> None:
    """Without the law's share, this box on four corners gains 20 % of its energy: those that stop it do not rebound."""
    robot, corners = box()
    restitutions = dict(zip(corners[:4], (0.0, 0.0, 1.0, 1.0), strict=True))
    q, qd = np.array([0, 0, 0.05, 0, 0, 0, 1]), np.array([0.66, 1.43, -0.84, -0.10, 0.07, -0.48])
    contacts = [Contact(name, friction=0.008, restitution=e) for name, e in restitutions.items()]
    before, after = (robot.kinetic_energy(q, v) for v in (qd, robot.impact(q, qd, contacts).qd))
    plastic = robot.impact(q, qd, [Contact(name, friction=0.008) for name in restitutions])
    J = np.array([robot.jacobian(q, name, "aligned")[3:] for name in restitutions])
    more = np.einsum("k,kij,ki->j", [*restitutions.values()], J, plastic.impulses)
    uncapped = plastic.qd + np.linalg.solve(robot.mass_matrix(q), more)
    assert robot.kinetic_energy(q, uncapped) > 1.1 * before
    np.testing.assert_allclose(after, before, rtol=1e-12)


@pytest.mark.parametrize("count", [400, pytest.param(1_000, marks=pytest.mark.slow)])
def test_random_steps(count: int) -> None:
    """Complementarity to 1e-8 of the largest impulse, and work of contacts that is not positive, step after step."""
    robot, feet, q0 = dog()
    contacts = [Contact(foot, friction=0.6) for foot in feet]
    rng, kernel = np.random.default_rng(7), robot.kernel("contact_step", contacts=feet)
    numbers = np.array([c.numbers for c in contacts])
    q = np.tile(q0, (count, 1))
    q[:, 2] += rng.uniform(0, 2e-3, count)
    q[:, 7:] += 0.05 * rng.standard_normal((count, 12))
    qd, tau = rng.standard_normal((count, robot.nv)), rng.standard_normal((count, robot.nv))
    tau[:, :6] = 0
    for _ in range(10):
        qn, qdn, p, residual = kernel(q, qd, tau, H, numbers)
        assert residual.max() <= 1e-12
        gap = np.stack([robot.forward_kinematics(q, foot)[..., 2, 3] for foot in feet], -1)
        J = np.stack([robot.jacobian(q, foot, "aligned")[..., 3:, :] for foot in feet], 1)
        # velocities along the axes of the step's start
        M, load = robot.mass_matrix(q), np.einsum("bkij,bki->bj", J, p)
        change = np.linalg.solve(M, load[..., None])[..., 0]
        unforced = qd + H * robot.forward_dynamics(q, qd, tau)
        unforced[:, 3:6] += H * np.cross(qd[:, :3], qd[:, 3:6])
        u = np.einsum("bkij,bj->bki", J, unforced + change)
        opening = u[..., 2] + np.maximum(gap, 0) / H
        assert opening.min() >= -1e-9
        assert np.abs(p[..., 2] * opening).max() <= 1e-8 * p.max()
        work = np.einsum("bki,bki->b", p, u) - np.einsum("bj,bj->b", load, change) / 2
        assert work.max() <= 1e-12
        q, qd = qn, qdn


@functools.cache
def balls() -> Robot:
    """Free balls a, of 2 kg and 0.1 m, and b, of 1 kg and 0.2 m, over a base."""
    links = [Link("base"), Link("a", Inertia.sphere(2.0, 0.1)), Link("b", Inertia.sphere(1.0, 0.2))]
    return Robot.from_links("balls", links, [Joint(f"free_{x}", "base", x, revolute.Free()) for x in "ab"])


@pytest.mark.parametrize("friction", [0.0, 0.7])
def test_two_balls_that_collide(friction: float) -> None:
    """Along an oblique line, with spin: momenta, restitution, and Coulomb's law between the points that touch."""
    n, e = np.array([0.48, 0.6, 0.64]), 0.5
    q = np.r_[np.zeros(3), 0, 0, 0, 1, -0.3 * n, 0, 0, 0, 1]
    qd = np.array([1, 2, -1, 0.2, -1, -2, 0, 3, 1, 0.5, 0.1, 1.0])
    hit = balls().impact(q, qd, [Contact("a", radius=0.1, friction=friction, restitution=e,
                                         surface=Contact("b", radius=0.2))])  # fmt: skip
    p = hit.impulses[0]
    np.testing.assert_allclose(hit.qd[3:6] - qd[3:6], p / 2, atol=1e-12)
    np.testing.assert_allclose(hit.qd[9:] - qd[9:], -p, atol=1e-12)
    np.testing.assert_allclose(hit.qd[:3] - qd[:3], np.cross(-0.1 * n, p) / (0.4 * 2 * 0.1**2), atol=1e-10)
    np.testing.assert_allclose(hit.qd[6:9] - qd[6:9], np.cross(0.2 * n, -p) / (0.4 * 1 * 0.2**2), atol=1e-10)
    speeds = [v[3:6] - v[9:] - 0.1 * np.cross(v[:3], n) - 0.2 * np.cross(v[6:9], n) for v in (qd, hit.qd)]
    np.testing.assert_allclose(speeds[1] @ n, -e * speeds[0] @ n, atol=1e-12)
    assert np.linalg.norm(p - p @ n * n) <= friction * (p @ n) * (1 + 1e-12)


@pytest.mark.parametrize("friction", [0.0, 5.0])
def test_a_ball_on_a_sphere(friction: float) -> None:
    """It slides or rolls down a fixed sphere: N = m (g cos a - v^2 / (R + r)), and 2/7 m g sin a if it rolls."""
    a, v, R, r = 0.6, 0.8, 0.5, 0.1
    n, t = np.array([np.sin(a), 0, np.cos(a)]), np.array([np.cos(a), 0, -np.sin(a)])
    q = np.r_[(R + r) * n + [0, 0, 1], 0, 0, 0, 1, 5, 0, 0, 0, 0, 0, 1]
    qd = np.r_[(v / r) * np.array([0, 1, 0]) * bool(friction), v * t, np.zeros(6)]
    top = Contact("a", radius=r, friction=friction, surface=Contact("base", (0, 0, 1), R))
    found = balls().contact_forces(q, qd, np.zeros(12), [top])
    drag = 2 / 7 * 2 * G * np.sin(a) if friction else 0
    np.testing.assert_allclose(found.forces[0], 2 * (G * np.cos(a) - v * v / (R + r)) * n - drag * t, atol=1e-9)
    step = advanced(balls(), q, qd, 20, [top])  # it stays on the sphere, but for the curvature of a step
    assert abs(np.linalg.norm(step.q[:3] - [0, 0, 1]) - (R + r)) <= (2 * v * H) ** 2 / R


def test_contacts_at_shapes() -> None:
    """Read from spheres, boxes, capsules and cylinders, in their places; other shapes and none are named."""
    place = Transform(p=(1, 0, 0))
    kinds = {"sphere": (0.3,), "box": (2, 4, 6), "capsule": (0.1, 2), "cylinder": (0.5, 4), "mesh": (1, 1, 1)}
    links = [
        Link(kind, Inertia.sphere(1.0, 0.1), collisions=(Shape(kind, size, place, file="m.stl" * (kind == "mesh")),))
        for kind, size in kinds.items()
    ]
    joints = [Joint(f"j{k}", a.name, b.name, revolute.Prismatic((0, 0, 1))) for k, (a, b) in enumerate(pairwise(links))]
    joints.append(Joint("last", "mesh", "bare", revolute.Fixed()))
    robot = Robot.from_links("shapes", [*links, Link("bare")], joints)
    for kind, count, radius, far in (
        ("sphere", 1, 0.3, 0), ("box", 8, 0, np.sqrt(14)), ("capsule", 2, 0.1, 1), ("cylinder", 16, 0, np.sqrt(4.25)),
    ):
        found = robot.contacts(kind, friction=0.3, restitution=0.1)
        assert len(found) == len(set(found)) == count
        assert {(x.link, x.radius, x.friction, x.restitution) for x in found} == {(kind, radius, 0.3, 0.1)}
        np.testing.assert_allclose([np.linalg.norm(np.subtract(x.point, (1, 0, 0))) for x in found], far, atol=1e-12)
    assert len(robot.contacts("sphere", "box")) == 9
    assert_raises(InputError, "mesh of link 'mesh' of 'shapes' cannot be converted.*to_mjcf", robot.contacts, "mesh")
    assert_raises(InputError, "link 'bare' of 'shapes' has no collision shape", robot.contacts, "bare")
    assert_raises(UnknownNameError, "no link 'spher'; near: sphere", robot.contacts, "spher")


def differences(robot: Robot, contacts: Any, state: Any, **options: Any) -> tuple[float, Any]:
    """The largest relative difference between `contact_step_differential` and central differences; and the step."""
    n, e, step = robot.nv, 2e-7, robot.contact_step(*state, H, contacts, **options)
    D = np.eye(3 * n).reshape(-1, 3, n).transpose(1, 0, 2)
    found = robot.contact_step_differential(*state, H, *D, contacts, **options)
    q, qd, tau = state
    ends = [
        robot.contact_step(robot.integrate(q, d * D[0]), qd + d * D[1], tau + d * D[2], H, contacts, **options)
        for d in (e, -e)
    ]
    wanted = [(a - b) / (2 * e) for a, b in zip(*ends, strict=True)]
    sizes = [max(1.0, np.abs(y).max(initial=0)) for y in wanted[:4]]
    errors = [np.abs(x - y).max(initial=0) / size for x, y, size in zip(found, wanted, sizes, strict=False)]
    return max(errors), step


@pytest.mark.parametrize(
    ("qd", "state"),
    [([0.2, -0.1, 0.1], "open"), ([0, 0, 0], "open"), ([0.2, -1.1, 0.1], "slides"), ([-0.1, -0.1, -0.1], "sticks")],
)
def test_derivatives_of_a_step_are_differences(qd: Any, state: str) -> None:
    """Of an arm whose tip is above the ground, or sticks or slides on it."""
    arm, q = revolute.robots.planar(3), np.array([0.3, -0.9, 0.4])
    plane = Plane((0, 1, 0), arm.forward_kinematics(q, "tip")[1, 3] - 1e-5)
    mu = 5.0 if state == "sticks" else 0.5
    tau = arm.gravity_forces(q) if qd == [0, 0, 0] else np.array([1.0, -3.0, -2.0])
    error, step = differences(arm, [Contact("tip", friction=mu, surface=plane)], (q, np.array(qd, float), tau))
    assert error <= 1e-6
    pushes, speed = step.impulses[0, 1] > 0, abs(arm.jacobian(q, "tip", "aligned")[3] @ step.qd)
    assert {"open": not pushes, "slides": pushes and speed > 1e-3, "sticks": pushes and speed < 1e-9}[state]


@pytest.mark.parametrize("v", [0.0, 1.0])
def test_derivatives_of_a_step_of_a_ball(v: float) -> None:
    """It rests or slides on the ground: its mobility is the same along both tangents."""
    q, qd = np.array([0, 0, 0.1 - 1e-5, 0, 0, 0, 1]), np.array([0, 0, 0, v, 0, -0.1])
    error, step = differences(ball(), [Contact("ball", radius=0.1, friction=0.3)], (q, qd, np.zeros(6)))
    assert error <= 1e-6 and step.impulses[0, 2] > 0


@pytest.mark.slow
def test_derivatives_of_a_step_of_a_quadruped() -> None:
    """Two of its feet strike the ground and stick."""
    robot, feet, q = dog()
    q, rng = q.copy(), np.random.default_rng(0)
    q[2] += 1e-5
    tau, qd = np.r_[np.zeros(6), 0.5 * rng.standard_normal(12)], 0.3 * rng.standard_normal(18)
    error, step = differences(robot, [Contact(foot, friction=0.5) for foot in feet], (q, qd, tau))
    assert error <= 1e-6 and (step.impulses[:, 2] > 0).any()


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.3, 0.8])
def test_a_humanoid_on_eight_corners(friction: float) -> None:
    """Random states, of which rounds alone leave two of five with residuals up to 1e-3. Forces may not exist."""
    robot = load("talos_data/talos_reduced", "free")
    places = [(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.06, 0.06)]
    contacts = [Contact(f"{side}_sole_link", p, friction=friction) for side in ("left", "right") for p in places]
    rng, q = np.random.default_rng(1), np.tile(robot.neutral(), (1000, 1))
    q[:, 2] -= robot.forward_kinematics(q[0], "left_sole_link")[2, 3]
    q[:, 7:] += 2e-3 * rng.standard_normal((1000, robot.nq - 7))
    qd, tau, h = 0.1 * rng.standard_normal((1000, robot.nv)), np.zeros((1000, robot.nv)), np.full(1000, H)
    step = robot.contact_step(q, qd, tau, h, contacts)
    assert all(np.isfinite(x).all() for x in step)
    assert step.residual.max() <= 1e-10 and np.mean(step.residual > 1e-12) <= 0.01
    assert np.mean(robot.contact_forces(q, qd, tau, contacts, within=1e-3).residual > 1e-8) <= 0.01
    assert (step.impulses[..., 2] >= 0).all() and (step.impulses[..., 2].sum(axis=1) > 0).mean() > 0.5
    slip = np.linalg.norm(step.impulses[..., :2], axis=-1) - friction * step.impulses[..., 2]
    assert slip.max() <= 1e-12 * step.impulses.max()


def test_a_quadruped_comes_to_rest() -> None:
    """Dropped from 5 cm, with springs and dampers at its joints: speeds, weight, height of the feet."""
    robot, feet, q0 = dog()
    contacts, q, qd, tau = [Contact(foot, friction=0.7) for foot in feet], q0.copy(), np.zeros(18), np.zeros(18)
    q[2] += 0.05
    for _ in range(5000):
        tau[6:] = 20 * (q0[7:] - q[7:]) - 0.5 * qd[6:]
        q, qd, p, _, residual = robot.contact_step(q, qd, tau, H, contacts)
        assert residual <= 1e-12
    assert np.abs(qd).max() <= 1e-9
    np.testing.assert_allclose(p.sum(axis=0) / H, [0, 0, robot.mass * G], rtol=1e-9, atol=1e-9 * robot.mass * G)
    assert np.abs([robot.forward_kinematics(q, foot)[2, 3] for foot in feet]).max() <= 1e-9
    found = robot.contact_forces(q, 0 * qd, tau, contacts)
    assert np.abs(found.qdd).max() <= 1e-6  # what is left of the motion, by the stiffness of the springs
    np.testing.assert_allclose(found.forces, p / H, rtol=0, atol=1e-8)


def test_forces_of_an_instant_are_those_of_short_steps() -> None:
    """Of feet that stick, slide, or lose contact, in a moving quadruped."""
    robot, feet, q = dog()
    contacts, h, rng = [Contact(foot, friction=0.4) for foot in feet], 1e-8, np.random.default_rng(3)
    for qd in (np.zeros(18), np.eye(18)[3] * 0.5, np.eye(18)[3] * 0.5 + 0.1 * np.eye(18)[5]):
        for _ in range(3):
            tau = np.zeros(18)
            tau[6:] = rng.standard_normal(12)
            found = robot.contact_forces(q, qd, tau, contacts)
            step = robot.contact_step(q, qd, tau, h, contacts)
            np.testing.assert_allclose(found.forces, step.impulses / h, rtol=0, atol=1e-4)
    assert not found.forces.any()  # the last one rises


def test_rolling_keeps_the_acceleration_of_the_point_that_touches() -> None:
    """A ball that rolls on a plane needs no force to go on, although its point that touches accelerates."""
    v = np.array([0, 3.0, 0, 0.3, 0, 0])
    found = ball().contact_forces([0, 0, 0.1, 0, 0, 0, 1], v, np.zeros(6), [Contact("ball", radius=0.1)])
    np.testing.assert_allclose(found.forces, [[0, 0, 2 * G]], rtol=0, atol=1e-12)


def test_a_compliant_contact_sinks_by_force_times_compliance() -> None:
    contact = [Contact("ball", radius=0.1, compliance=1e-4, damping=200.0)]
    q = np.array([0, 0, 0.11, 0, 0, 0, 1])
    step = advanced(ball(), q, np.zeros(6), 3000, contact)
    np.testing.assert_allclose(step.q[2], 0.1 - 1e-4 * 2 * G, rtol=0, atol=1e-12)
    np.testing.assert_allclose(step.impulses, [[0, 0, 2 * G * H]], rtol=0, atol=1e-12)
    found = ball().contact_forces(step.q, np.zeros(6), np.zeros(6), contact)
    np.testing.assert_allclose(found.forces, [[0, 0, 2 * G]], rtol=1e-8)


def test_rows_of_a_batch_are_single_calls() -> None:
    """To the bit, on any threads, whatever the other rows touch; also in float32, and into arrays."""
    robot, rng, contacts = walker(), np.random.default_rng(5), [replace(foot, restitution=0.3) for foot in FEET]
    q = np.tile(STANDING, (40, 1))
    q[:, 1] += rng.uniform(-1e-3, 5e-3, 40)
    qd, tau = rng.standard_normal((2, 40, 7))
    for call, arrays in (
        (robot.contact_step, (q, qd, tau, np.full(40, H))),
        (robot.contact_forces, (q, qd, tau)),
        (robot.impact, (q, qd)),
    ):
        for dtype in (np.float64, np.float32):
            own = [x.astype(dtype) for x in arrays]
            within = {} if call == robot.contact_step else {"within": np.array(1e-4, dtype)}
            whole = call(*own, contacts, stops=True, threads=1, **within)
            assert all(np.isfinite(x).all() and x.dtype == dtype for x in whole)
            for x, y in zip(whole, call(*own, contacts, stops=True, threads=2, **within), strict=True):
                np.testing.assert_array_equal(x, y)
            for k in (0, 7, 39):
                row = call(*(np.asarray(x[k]) for x in own), contacts, stops=True, **within)
                for x, y in zip(whole, row, strict=True):
                    np.testing.assert_array_equal(x[k], y)
            out = tuple(np.empty_like(x) for x in whole)
            call(*own, contacts, stops=True, out=out, **within)
            for x, y in zip(whole, out, strict=True):
                np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("first", [np.float32, np.float64])
def test_arrays_of_float32_and_numbers_give_float32(first: Any) -> None:
    """Whatever the type of the call before, with the same contacts."""
    contacts = [Contact("ball", radius=0.1, friction=0.2 if first == np.float32 else 0.3)]
    for dtype in (first, np.float32, np.float64):
        q, qd, tau = np.array([0, 0, 0.1, 0, 0, 0, 1], dtype), np.zeros(6, dtype), np.zeros(6, dtype)
        for found in (
            ball().impact(q, qd, contacts),
            ball().contact_forces(q, qd, tau, contacts, within=np.float64(1e-3)),
            ball().contact_step(q, qd, tau, H, contacts),
        ):
            assert [x.dtype for x in found] == [dtype] * len(found)
        np.testing.assert_allclose(found.impulses, [[0, 0, 2 * G * H]], rtol=1e-6)


@pytest.mark.parametrize(("wrong", "message"), [
    ({"friction": -0.1}, "friction of 'ball' must be zero or positive"),
    ({"restitution": 1.1}, "restitution of 'ball' must be from 0 to 1"),
    ({"radius": np.nan}, "radius must be finite"),
    ({"point": (0, 0)}, "point must be three numbers"),
    ({"surface": "mesh.stl"}, "must be a revolute.Plane.*to_mjcf"),
    ({"surface": Contact("other")}, "points of 'ball' and 'other' never touch; give one a radius"),
    ({"link": 3}, "link must be of the type str"),
])  # fmt: skip
def test_contacts_that_cannot_be(wrong: dict[str, Any], message: str) -> None:
    assert_raises(InputError, message, Contact, **{"link": "ball", **wrong})


def test_planes_and_calls_that_cannot_be() -> None:
    assert_raises(InputError, "normal must not be zero", Plane, (0, 0, 0))
    assert_raises(InputError, "offset must be finite", Plane, offset=np.inf)
    arm, still = revolute.robots.planar(2), np.zeros(2)
    for contacts, error, message in (
        ([], InputError, r"contacts: name at least one, such as revolute.Contact\('tip'\)"),
        ([Contact(arm.link_names[0])], InputError, "is fixed to the base"),
        ([Contact("tip", radius=1, surface=Contact("link2"))], InputError, "'tip' and 'link2' are fixed to each other"),
        ([Contact("tap")], UnknownNameError, "no link 'tap'; near: tip"),
        (["tip"], InputError, "must be of the type Contact"),
    ):
        assert_raises(error, message, arm.impact, still, still, contacts)
    tip, free, state = [Contact("tip")], [Contact("ball")], (ball().neutral(), np.zeros(6))
    assert_raises(UnknownNameError, "joint2", arm.impact, still, still, tip, stops=["joint3"])
    endless = "impact: joint 'joint1' of .* has no limits"
    assert_raises(InputError, endless, arm.impact, still, still, tip, stops=["joint1"])
    assert_raises(InputError, "more than once", arm.impact, still, still, tip, stops=["joint1", "joint1"])
    assert_raises(InputError, "one coordinate", ball().impact, *state, free, stops=["root_joint"])


def test_contacts_compare_hash_and_are_plain() -> None:
    a, b = (Contact("ball", point=x, surface=Plane((0, 3, 4))) for x in ([0, 0, 1], np.array([0.0, 0.0, 1.0])))
    assert a == b and hash(a) == hash(b) and json.dumps(a.numbers) == json.dumps(b.numbers)


@pytest.mark.parametrize("name", ["impact", "contact_forces", "contact_step"])
def test_numbers_that_are_none_have_no_residual(name: str) -> None:
    """Each coordinate of q, qd and tau, in one row of a batch; other rows keep their residual."""
    robot, options = ball(), ([Contact("ball", radius=0.1)],)
    state = [np.array([0, 0, 0.1, 0, 0, 0, 1.0]), np.array([0, 0, 0, 1, 0, -4.0]), np.zeros(6)]
    given = state[:2] if name == "impact" else state
    step = (H,) if name == "contact_step" else ()
    for k, array in enumerate(given):
        batch = [np.tile(x, (array.size + 1, 1)) for x in given]
        np.fill_diagonal(batch[k][: array.size], np.nan)
        residual = getattr(robot, name)(*batch, *step, *options).residual
        assert np.isnan(residual[:-1]).all() and residual[-1] <= 1e-12


def test_no_nan_from_numbers() -> None:
    """Of links without mobility along the normal, deep penetration, and a robot whose rows outnumber its freedoms."""
    arm, still = revolute.robots.planar(2), np.zeros(2)
    for normal in ((0, 0, 1), (0, 1, 0), (0.6, 0.8, 0), (0.48, 0.64, 0.6)):
        for offset in (-0.5, 0.0, 0.5):
            plane = Plane(normal, offset)
            contacts = [Contact(name, friction=mu, surface=plane) for name in ("tip", "link2") for mu in (0.0, 0.9)]
            for results in (
                arm.contact_step(still, still, still, H, contacts),
                arm.contact_forces(still, still, still, contacts),
                arm.impact(still, still + 1, contacts),
            ):
                assert all(np.isfinite(x).all() for x in results)


def test_an_impact_has_derivatives_where_nothing_is_struck() -> None:
    """The velocities after it are those before: the derivative is 1. On the ground, it is 0 along the normal."""
    robot, (links, numbers) = ball(), contact_arrays((Contact("ball", radius=0.1),))
    source = Bridged(robot).source("impact", {"contacts": links})
    falls = np.array([0, 0, 0, 0, 0, -1.0])
    for height, slope in ((1.0, 1.0), (0.1, 0.0)):
        q = np.array([0, 0, height, 0, 0, 0, 1.0])
        inputs = [q, falls, np.array(1e-6), np.array(numbers)]
        rates = [np.zeros(7), np.eye(6)[5], np.zeros(()), np.zeros(numbers.shape)]
        forward = source.tangent.float64(*inputs, *rates)
        np.testing.assert_allclose(forward[0], slope * np.eye(6)[5], rtol=0, atol=1e-14)
        back = source.adjoint.float64(*inputs, np.eye(6)[5], np.zeros((1, 3)), np.zeros(()))
        np.testing.assert_allclose(back[1], slope * np.eye(6)[5], rtol=0, atol=1e-14)
        assert all(np.isfinite(x).all() for x in (*forward, *back))
