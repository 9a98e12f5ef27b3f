"""`Robot.rebased`: another link as base; energies, accelerations and poses stay, and all that links and joints have."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
from comparing import assert_raises
from hypothesis import assume
from hypothesis import strategies as st
from robots import every, load, state, trees, value

import revolute
from revolute import InputError, Joint, Link, PointClosure, Robot, Transform
from revolute.model.body import Drive, Mimic
from revolute.spatial import Vector

Arrays = tuple[np.ndarray, ...]


def split(robot: Robot, x: np.ndarray, sizes: str) -> dict[str, np.ndarray]:
    """Positions or velocities by joint."""
    places = robot.q_index if sizes == "q" else robot.v_index
    return {body.joint_name: x[at] for body, at in zip(robot.bodies[1:], places[1:], strict=True)}


def moved(robot: Robot, new: Robot, link: str, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> Arrays:
    """The same state and joint forces of the robot with the link as its free base."""
    root = robot.joint_names[0]
    pose = Transform.from_matrix(value(robot, "forward_kinematics", q, frame=link))
    own = [split(robot, x, kind) for x, kind in ((q, "q"), (qd, "v"), (tau, "v"))]
    own[0][root] = np.array([*pose.p, *pose.quaternion()])
    own[1][root] = value(robot, "velocity", q, qd, frame=link)
    own[2][root] = np.zeros(6)
    return tuple(np.concatenate([x[name] for name in new.joint_names]) for x in own)


def same_mechanics(robot: Robot, new: Robot, link: str, seed: int) -> None:
    """Energies, accelerations of joints and poses of links of both, with a free base."""
    q, qd, tau = state(robot, seed)
    tau[:6] = 0
    Q, Qd, Tau = moved(robot, new, link, q, qd, tau)
    for name, ours, theirs in (("kinetic_energy", (q, qd), (Q, Qd)), ("potential_energy", (q,), (Q,))):
        expected = value(robot, name, *ours)
        np.testing.assert_allclose(value(new, name, *theirs), expected, rtol=1e-12, atol=1e-12 * (1 + np.abs(qd).max()))
    for name in robot.link_names:
        poses = (value(x, "forward_kinematics", y, frame=name) for x, y in ((robot, q), (new, Q)))
        np.testing.assert_allclose(*poses, rtol=0, atol=1e-12 * (1 + np.abs(q).max()))
    expected, found = (value(x, "forward_dynamics", *y) for x, y in ((robot, (q, qd, tau)), (new, (Q, Qd, Tau))))
    by_name = split(new, found, "v")
    M = value(robot, "mass_matrix", q)
    scale = 1e-13 * np.linalg.cond(M) * (1 + np.abs(expected).max())
    for name, qdd in split(robot, expected, "v").items():
        if name != robot.joint_names[0]:
            np.testing.assert_allclose(by_name[name], qdd, rtol=0, atol=scale)
    base = value(robot, "acceleration", q, qd, expected, frame=link, linear="spatial")
    np.testing.assert_allclose(found[:6], base, rtol=0, atol=scale)


@every(trees(most=7), st.integers(0, 100), st.integers(0, 1000), examples=60)
def test_energies_accelerations_and_poses_stay(robot: Robot, number: int, seed: int) -> None:
    link = robot.link_names[number % len(robot.link_names)]
    try:
        new = robot.rebased(link)
    except InputError as error:
        assert "one axis can be reversed" in str(error)
        assume(False)
    assert set(robot.link_names) <= set(new.link_names) and sorted(robot.joint_names) == sorted(new.joint_names)
    if robot.joint_names[:1] == ("root_joint",):
        assert new.joint_names[0] == "root_joint" and new.bodies[1].name == link
    else:
        assert new.bodies[0].name == link and new.nq == robot.nq
        q, _, _ = state(robot, seed)
        Q = new.configuration(robot.joint_values(q))
        base = value(robot, "forward_kinematics", q, frame=link)
        for name in robot.link_names:
            wanted = value(robot, "forward_kinematics", q, frame=name)
            np.testing.assert_allclose(base @ value(new, "forward_kinematics", Q, frame=name), wanted, atol=1e-11)
        robot, new = robot.to_base("free"), new.to_base("free")
    same_mechanics(robot, new, link, seed)


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_a_fixed_base_that_is_freed_is_a_free_one(base: str) -> None:
    arm = load("ur_description/ur5_robot")
    first, second = arm.rebased("tool0").to_base("free"), arm.to_base("free").rebased("tool0")
    assert first.bodies == second.bodies and first.frames == second.frames


def test_the_way_back_leads_to_the_robot() -> None:
    arm = revolute.robots.ur5()
    back = arm.rebased("tool0").rebased("base_link")
    assert back.joint_names == arm.joint_names
    assert [b.joint for b in back.bodies] == [b.joint for b in arm.bodies]
    q = arm.random_configuration(rng=0)
    np.testing.assert_allclose(back.mass_matrix(q), arm.mass_matrix(q), rtol=0, atol=1e-14)
    np.testing.assert_allclose(back.gravity_forces(q), arm.gravity_forces(q), rtol=0, atol=1e-13)
    assert arm.rebased("base_link").bodies[1:] == arm.bodies[1:]


def test_positions_limits_and_drives_keep_their_direction() -> None:
    """One sided friction, a spring and a mimic, on both sides of the new base."""
    gear = Drive(damping=0.5, friction=2.0, friction_backward=1.5, armature=0.1)
    follower = Drive(mimic=Mimic("joint1", -0.5, 0.2), stiffness=30.0, rest_position=0.3)
    arm = revolute.robots.planar(4)
    drives = {"joint2": gear, "joint3": follower}
    bodies = [replace(b, drive=drives.get(b.joint_name, b.drive)) for b in arm.bodies]
    bodies[2] = replace(bodies[2], limits=revolute.Limits(-0.5, 2.0, 3.0, 40.0))
    arm = replace(arm, bodies=tuple(bodies))
    link = arm.bodies[3].name
    new = arm.rebased(link)
    for name in arm.joint_names:
        old, moved_body = (x.bodies[x.joint_index(name)] for x in (arm, new))
        assert old.limits == moved_body.limits and old.drive == moved_body.drive
    one, other = arm.to_base("free").with_drives(smoothing=0.1), new.to_base("free").with_drives(smoothing=0.1)
    q, qd = one.random_configuration(rng=1), np.random.default_rng(2).standard_normal(one.nv)
    pose = Transform.from_matrix(one.forward_kinematics(q, link))
    Q = other.neutral()
    Q[:7] = [*pose.p, *pose.quaternion()]
    Qd = np.concatenate([one.jacobian(q, link) @ qd, qd[6:]])
    names = one.coordinate_names[6:]
    order = [other.coordinate_names.index(name) for name in names]
    Q[[x + 1 for x in order]], Qd[order] = q[7:], qd[6:]
    np.testing.assert_allclose(other.friction_forces(Qd)[order], one.friction_forces(qd)[6:], rtol=0, atol=1e-13)
    zero = np.zeros(one.nv)
    np.testing.assert_allclose(
        other.forward_dynamics(Q, Qd, zero)[order], one.forward_dynamics(q, qd, zero)[6:], rtol=1e-10, atol=1e-10
    )


def test_closures_hold_the_same_links() -> None:
    """A four-bar on its crank: the base frame is that of the link which was the base."""
    arm = revolute.robots.planar(3)
    closure = PointClosure("tip", at_b=(1.5, 0.0, 0.0))
    linkage = replace(arm, closures=(closure,))
    q, _ = linkage.with_closures().project([0.5, 1.0, 1.0])
    new = linkage.rebased(arm.bodies[2].name)
    Q = new.configuration(linkage.joint_values(q))
    np.testing.assert_allclose(new.with_closures().error(Q), 0, atol=1e-12)
    assert np.abs(new.with_closures().error(Q + 0.1)).max() > 1e-3
    held = [x.with_gravity((0, 0, 0)).to_base("free").with_closures() for x in (linkage, new)]
    assert [x.mobility(x.robot.configuration(linkage.joint_values(q))) for x in held] == [7, 7]


def test_contacts_and_shapes_follow_their_links() -> None:
    dog = revolute.robots.random_tree(6, rng=3).to_base("free")
    link = dog.link_names[-1]
    new = dog.rebased(link)
    q, qd, tau = state(dog, 5)
    tau[:6] = 0
    Q, Qd, Tau = moved(dog, new, link, q, qd, tau)
    at = dog.forward_kinematics(q, [*dog.link_names])[:, 2, 3]
    floor = revolute.Plane(offset=float(at.max()) + 1)
    law: dict[str, Any] = {"radius": 0.05, "compliance": 1e-3, "damping": 5.0, "surface": floor}
    touching = [revolute.Contact(name, **law) for name in dog.link_names[:3]]
    one, other = (x.contact_forces(*y, touching) for x, y in ((dog, (q, qd, tau)), (new, (Q, Qd, Tau))))
    scale = 1 + np.abs(one.forces).max()
    assert scale > 1.1
    np.testing.assert_allclose(other.forces, one.forces, rtol=0, atol=1e-9 * scale)
    arm = load("ur_description/ur5_robot")
    for x in arm.rebased("tool0").frames:
        if x.name in arm.link_names:
            assert (x.visuals, x.collisions) == (arm.frame(x.name).visuals, arm.frame(x.name).collisions)


def test_files_have_the_new_base() -> None:
    arm = revolute.robots.ur5()
    new = arm.rebased("tool0")
    read = revolute.load(new.to_urdf())
    q = state(new, 3)[0]
    assert read.joint_names == new.joint_names
    np.testing.assert_allclose(read.mass_matrix(q), new.mass_matrix(q), rtol=0, atol=1e-12)
    for name in arm.link_names:
        ours, theirs = (x.forward_kinematics(q, name) for x in (new, read))
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-12)


def test_named_configurations_have_the_pose_of_the_new_base() -> None:
    robot = revolute.robots.planar(2).to_base("free")
    up = {"root_joint": [1.0, 2.0, 3.0, 0.0, 0.0, 0.6, 0.8], "joint1": 0.5, "joint2": -0.3}
    robot = robot.with_configurations({"up": up, "bent": {"joint1": 1.0}})
    new = robot.rebased("tip")
    q, Q = robot.configuration("up"), new.configuration("up")
    for name in robot.link_names:
        np.testing.assert_allclose(new.forward_kinematics(Q, name), robot.forward_kinematics(q, name), atol=1e-14)
    assert new.joint_values(new.configuration("bent"))["joint1"] == 1.0


def test_symbols_stay_symbols() -> None:
    a, m = sympy.symbols("a m", positive=True)
    arm = revolute.robots.planar(2)

    def with_values(length: Any, mass: Any) -> Robot:
        base, first, second = arm.bodies
        second = replace(second, placement=Transform(p=Vector((length, 0, 0))))
        return replace(arm, bodies=(base, replace(first, inertia=revolute.Inertia(mass)), second)).rebased("tip")

    symbolic = with_values(a, m)
    free = arm.to_base("free").with_configurations({"up": {"root_joint": [1.0, 2.0, 3.0, 0.0, 0.0, 0.6, 0.8]}})
    last = replace(free.bodies[-1], placement=Transform(p=Vector((a, 0, 0))))
    free = replace(free, bodies=(*free.bodies[:-1], last))
    assert_raises(InputError, "configuration 'up'.*symbols", free.rebased, "tip")
    assert symbolic.symbols == (a, m)
    M = symbolic.equations().M.subs({a: 0.7, m: 2.0})
    q = [0.3, -0.5]
    found = np.array(M.subs(dict(zip(sympy.symbols("q1 q2"), q, strict=True)))).astype(float)
    np.testing.assert_allclose(found, with_values(0.7, 2.0).mass_matrix(q), rtol=0, atol=1e-12)


def test_what_cannot_be_reversed_is_said() -> None:
    arm = revolute.robots.planar(2)
    assert_raises(revolute.UnknownNameError, "no link 'foot'", arm.rebased, "foot")
    links = [Link(x) for x in ("a", "b", "c")]
    joints = [Joint("ball", "a", "b", revolute.Spherical()), Joint("hinge", "b", "c", revolute.Revolute((0, 0, 1)))]
    robot: Any = Robot.from_links("ball", links, joints)
    assert_raises(InputError, "joint 'ball'.*one axis can be reversed", robot.rebased, "c")
    taken = arm.with_frame("joint2_parent", "tip")
    bodies = [replace(b, placement=Transform(p=Vector((0.7, 0.1, 0))) if k == 2 else b.placement) for k, b in
              enumerate(taken.bodies)]  # fmt: skip
    assert_raises(InputError, "'joint2_parent', which a link has", replace(taken, bodies=tuple(bodies)).rebased, "tip")
