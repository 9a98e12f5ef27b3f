"""`wrap`: continuous joints take the shortest way, in differences, trajectories, controllers and inverse kinematics.

Whole turns of continuous joints are exact to a rounding of 2 pi k, some 1e-15 k; bounds here are for |k| <= 3.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from comparing import assert_each, assert_raises

import revolute
from revolute import InputError, Joint, Limits, Link, PointClosure, Prismatic, Revolute, Robot, TrajectoryError
from revolute.control import Adaptive, ComputedTorque, FeedforwardPD, PassivityBased, PDWithGravity, SlidingMode
from revolute.model.configurations import continuous
from revolute.spatial.scalar import nearest_turn
from revolute.trajectory import cubic, jerk_limited, minimum_jerk, quintic, spline, trapezoid

TURN = 2 * math.pi
ROUNDING = 4e-15
PLANAR = revolute.robots.planar(3)
"""All its joints are continuous."""


def limited(robot: Robot, *names: str, lower: float = -9.0, upper: float = 9.0) -> Robot:
    """The robot with limits at some joints, which leave more than a turn."""
    bodies = (replace(x, limits=Limits(lower, upper)) if x.joint_name in names else x for x in robot.bodies)
    return replace(robot, bodies=tuple(bodies))


def mixed() -> Robot:
    """A floating base, and a joint of each kind with one axis; one revolute joint has a limit."""
    x, y, z = np.eye(3)
    joints = (Revolute(z), Prismatic(x), revolute.Helical(y, 0.1), Revolute(y), Revolute(x))
    links = [Link(f"l{k}", revolute.Inertia.sphere(1.0, 0.2)) for k in range(7)]
    connections = [Joint("float", "l0", "l1", revolute.Free())] + [
        Joint(f"j{k}", f"l{k + 1}", f"l{k + 2}", joint, limits=Limits(upper=5.0) if k == 3 else Limits())
        for k, joint in enumerate(joints)
    ]
    return Robot.from_links("mixed", links, connections)


def test_the_nearest_turn_is_the_same_angle_within_half_a_turn() -> None:
    angle, near = np.random.default_rng(0).uniform(-20, 20, (2, 1000))
    found = nearest_turn(angle, near)
    assert np.abs(found - near).max() <= math.pi + ROUNDING
    turns = (found - angle) / TURN
    np.testing.assert_allclose(turns, np.round(turns), atol=2 * ROUNDING)
    close = np.abs(angle - near) <= math.pi
    np.testing.assert_array_equal(found[close], angle[close])  # bit for bit
    assert nearest_turn(math.pi, 0.0) == math.pi and nearest_turn(-math.pi, 0.0) == -math.pi
    assert nearest_turn(7.0, 0.0) == nearest_turn(np.array(7.0), 0.0)
    with np.errstate(invalid="ignore"):
        assert np.isnan(nearest_turn(np.array([np.nan, np.inf, 0.0]), np.array([0.0, 0.0, -np.inf]))).all()


def test_continuous_joints_are_revolute_and_have_no_limit() -> None:
    robot = mixed()
    assert [(robot.position_names[at.q], robot.coordinate_names[at.qd]) for at in continuous(robot)] == [
        ("j0", "j0"), ("j4", "j4")
    ]  # fmt: skip
    assert len(continuous(limited(robot, "j0", lower=-math.inf, upper=math.inf))) == 2
    assert len(continuous(limited(robot, "j0", lower=-100.0, upper=math.inf))) == 1


def test_wrapped_differences_lead_to_the_same_pose_and_are_short() -> None:
    robot, rng = mixed(), np.random.default_rng(1)
    q0, q1 = robot.random_configuration((2, 4, 50), rng=rng)
    turning = [at.q for at in continuous(robot)]
    q1[..., turning] += TURN * rng.integers(-3, 4, (4, 50, len(turning)))
    plain, d = robot.difference(q0, q1), robot.difference(q0, q1, wrap=True)
    columns = [at.qd for at in continuous(robot)]
    assert np.abs(plain[..., columns]).max() > 2 * TURN
    assert np.abs(d[..., columns]).max() <= math.pi + ROUNDING
    others = np.setdiff1d(np.arange(robot.nv), columns)
    np.testing.assert_array_equal(d[..., others], plain[..., others])
    there = robot.forward_kinematics(robot.integrate(q0, d), "l6")
    np.testing.assert_allclose(there, robot.forward_kinematics(q1, "l6"), atol=1e-13)
    short = np.abs(plain[..., columns]) <= math.pi
    np.testing.assert_array_equal(d[..., columns][short], plain[..., columns][short])


def test_differences_by_default_are_those_of_numbers() -> None:
    q1 = np.array([7.0, -20.0, 3.0])
    np.testing.assert_array_equal(PLANAR.difference(np.zeros(3), q1), q1)
    np.testing.assert_array_equal(limited(PLANAR, *PLANAR.joint_names).difference(np.zeros(3), q1, wrap=True), q1)
    single = PLANAR.difference(np.zeros(3, np.float32), q1.astype(np.float32), wrap=True)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, [7 - TURN, 3 * TURN - 20, 3.0], atol=1e-6)
    assert_raises(InputError, "difference: wrap must be of the type bool, not 1", PLANAR.difference, q1, q1, wrap=1)


def test_coordinates_of_drives_turn_whole_turns_with_all_their_joints() -> None:
    """A follower in a ratio of 1/2 is half a turn away after a turn of its leader; one of 2, or -1, where it was."""
    far, near = [7.0, 0.0], [7 - TURN, 0.0]
    cases: dict[str, tuple[Any, list[float]]] = {"half": (0.5, far), "double": (2.0, near), "back": (-1.0, near)}
    for ratio, wanted in cases.values():
        robot = PLANAR.with_drives({"joint2": revolute.Drive(mimic=revolute.Mimic("joint1", ratio, 0.3))})
        np.testing.assert_allclose(robot.difference(np.zeros(2), far, wrap=True), wanted, atol=ROUNDING)
    held = limited(PLANAR, "joint2").with_drives({"joint2": revolute.Drive(mimic=revolute.Mimic("joint1", 2.0))})
    np.testing.assert_array_equal(held.difference(np.zeros(2), far, wrap=True), far)


WAY = np.array([[3.0, 1.0, 6.5], [-3.0, 1.2, 0.0], [-2.5, 1.0, 6.0]])
RATES = {"velocity": 1.0, "acceleration": 2.0}
GENERATORS: dict[Callable[..., Any], dict[str, float]] = {
    **{make: {"times": 2.0} for make in (cubic, quintic, minimum_jerk, spline)},
    trapezoid: RATES,
    jerk_limited: {**RATES, "jerk": 10.0},
}


@pytest.mark.parametrize("generator", GENERATORS)
def test_trajectories_take_the_shortest_way(generator: Callable[..., Any]) -> None:
    make, robot = partial(generator, **GENERATORS[generator]), limited(PLANAR, "joint3")
    wrapped = np.array([WAY[0], [TURN - 3.0, 1.2, 0.0], [TURN - 2.5, 1.0, 6.0]])  # the last joint has limits
    by_hand, found = make(robot, wrapped), make(robot, WAY, wrap=True)
    assert found.duration == pytest.approx(by_hand.duration, abs=1e-12)
    t = np.linspace(0, by_hand.duration, 50)
    assert_each(np.testing.assert_allclose, by_hand(t), found(t), atol=1e-12)
    plain = make(robot, WAY)
    np.testing.assert_allclose(plain(plain.duration)[0], WAY[-1], atol=1e-12)
    driven = make(robot.with_drives({"joint1": revolute.Drive(damping=1.0)}), WAY, wrap=True)
    np.testing.assert_allclose(driven(t)[0], found(t)[0], atol=1e-12)
    assert_raises(InputError, f"{generator.__name__}: wrap must be", make, robot, WAY, wrap="yes")


def test_a_periodic_spline_has_no_whole_turns() -> None:
    way = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]  # 2, then 2.28 onward: a turn
    assert_raises(TrajectoryError, "must end where it starts", spline, PLANAR, way, 1.0, ends="periodic", wrap=True)


LAWS: dict[Callable[..., Any], tuple[Any, ...]] = {
    **dict.fromkeys((PDWithGravity, FeedforwardPD), (40.0, 8.0)),
    ComputedTorque: (40.0,),
    **dict.fromkeys((PassivityBased, Adaptive), (4.0, 5.0)),
    SlidingMode: (4.0, 5.0, False, None, 1.0, 0.5),
}


@pytest.mark.parametrize("kind", LAWS)
def test_whole_turns_of_the_state_change_no_force(kind: Callable[..., Any]) -> None:
    """In machine code, single and in a batch; and a joint with limits keeps its error."""
    robot, rng = limited(PLANAR, "joint3"), np.random.default_rng(2)
    goal, q, qd = rng.uniform(-1, 1, (3, 7, 3))
    plain, law = kind(robot, goal, *LAWS[kind]), kind(robot, goal, *LAWS[kind], wrap=True)
    wanted = plain.torque(0.0, q, qd)
    np.testing.assert_array_equal(law.torque(0.0, q, qd), wanted)  # bit for bit within half a turn
    turns = TURN * rng.integers(-3, 4, (7, 3)) * [1, 1, 0]
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(law.torque(0.0, q + turns, qd), wanted, atol=1e-13 * scale)
    single = kind(robot, goal[0], *LAWS[kind], wrap=True)
    np.testing.assert_allclose(single.torque(0.0, (q + turns)[0], qd[0]), wanted[0], atol=1e-13 * scale)
    assert np.abs(plain.torque(0.0, q + turns, qd) - wanted).max() > scale
    apart = q + np.array([0, 0, TURN])
    np.testing.assert_array_equal(law.torque(0.0, apart, qd), plain.torque(0.0, apart, qd))
    assert_raises(InputError, f"{kind.__name__}: wrap must be", kind, robot, goal, *LAWS[kind], wrap=None)


def test_a_closed_loop_turns_the_shortest_way_in_machine_code() -> None:
    """edd + K_d ed + K_p e = 0 from e = 0.28, not from 6: LP 11.35."""
    arm, t = revolute.robots.planar(1), np.linspace(0, 1, 1001)
    start, goal = [3.0], [-3.0]
    motion = arm.simulate(start, [0.0], ComputedTorque(arm, goal, 100.0, wrap=True), t)
    near = goal[0] + TURN
    other = arm.simulate(start, [0.0], ComputedTorque(arm, [near], 100.0), t)
    np.testing.assert_allclose(motion.q, other.q, atol=1e-12)
    e = (start[0] - near) * np.exp(-10 * t) * (1 + 10 * t)
    np.testing.assert_allclose(motion.q[:, 0] - near, e, atol=1e-3)  # forces are held for 1 ms


def test_a_robot_without_continuous_joints_has_the_law_that_it_had() -> None:
    robot = limited(PLANAR, *PLANAR.joint_names)
    plain, law = (PDWithGravity(robot, np.zeros(3), 1.0, 1.0, wrap=wrap) for wrap in (False, True))
    assert law.kernel is plain.kernel


def test_solutions_are_by_whole_turns_the_nearest_to_the_start() -> None:
    robot = limited(PLANAR, "joint2")
    q = robot.random_configuration(20, rng=3)
    poses = robot.forward_kinematics(q, "tip")
    start = q + TURN * np.array([3, 0, -2]) + 0.1
    found = robot.inverse_kinematics(poses, "tip", start, wrap=True)
    assert found.converged.all()
    assert np.abs((found.q - start)[:, [0, 2]]).max() <= math.pi + ROUNDING
    np.testing.assert_allclose(robot.forward_kinematics(found.q, "tip"), poses, atol=2e-6)
    far = start + np.array([40 * TURN, 0, 0])  # from where random starts lead elsewhere
    again = robot.inverse_kinematics(poses[0], "tip", np.where([True, False, True], far[0], q[0]), wrap=True)
    assert abs(again.q[0] - far[0, 0]) <= math.pi + 1e-12
    own = (np.full(3, -60.0), np.full(3, 60.0))  # limits of the call hold: then no joint is turned
    assert (np.abs(robot.inverse_kinematics(poses, "tip", start, own, wrap=True).q) <= 60).all()


def test_a_path_has_no_jumps_by_whole_turns() -> None:
    angle = np.linspace(0, 4 * math.pi, 60)
    poses = PLANAR.forward_kinematics(np.stack([angle, 0 * angle + 0.5, 0 * angle + 0.5], axis=1), "tip")
    found = PLANAR.inverse_kinematics(poses, "tip", np.array([-TURN, 0.5, 0.5]), path=True, wrap=True)
    assert found.converged.all() and np.abs(np.diff(found.q, axis=0)).max() < 1.0
    np.testing.assert_allclose(found.q[:, 0], angle - TURN, atol=1e-4)


def test_rest_is_reached_the_shortest_way() -> None:
    """A point in the plane leaves one of three joints free."""
    target = [1.5, 0.5, 0.0]
    rest = np.array([0.2, 0.5, -0.4])
    plain = PLANAR.inverse_kinematics(target, "tip", rest, rows=(3, 4), posture=rest)
    turned = rest + TURN * np.array([1, -1, 2])
    found = PLANAR.inverse_kinematics(target, "tip", rest, rows=(3, 4), posture=turned, wrap=True)
    assert found.converged and plain.converged
    np.testing.assert_allclose(found.q, plain.q, atol=1e-4)
    from_rest = PLANAR.inverse_kinematics(target, "tip", rows=(3, 4), posture=turned, wrap=True)
    assert np.abs(from_rest.q - turned).max() <= math.pi + ROUNDING
    with pytest.raises(InputError, match="wrap rotates joints the shortest way to q0 or posture; give one of them"):
        PLANAR.inverse_kinematics(target, "tip", rows=(3, 4), wrap=True)
    with pytest.raises(InputError, match="wrap must be of the type bool"):
        PLANAR.inverse_kinematics(target, "tip", rest, rows=(3, 4), wrap=1)


def test_other_machines_have_it_too() -> None:
    start = np.array([0.3, 0.4, 0.5])
    pose = PLANAR.forward_kinematics(start, "tip")
    elastic = PLANAR.with_elastic_joints(100.0, rotor_inertia=0.1)
    found = elastic.inverse_kinematics(pose, "tip", start + TURN, wrap=True)
    np.testing.assert_allclose(found.q, start + TURN, atol=1e-5)
    loops, target = revolute.robots.planar(4).with_closures(PointClosure("tip", at_b=(2.0, 0.0, 0.0))), [0.5, 1.2, 0.0]
    near = loops.inverse_kinematics(target, "link3", rows=(3, 4)).q
    closed = loops.inverse_kinematics(target, "link3", near + TURN, rows=(3, 4), wrap=True)
    assert closed.converged and np.abs(closed.q - near - TURN).max() <= 1e-5
    coupled = PLANAR.with_closures([revolute.JointClosure("joint2", "joint1", (0.0, 0.5))])
    assert [at.q for at in coupled._continuous] == [2]  # whole turns of the others open the coupling


