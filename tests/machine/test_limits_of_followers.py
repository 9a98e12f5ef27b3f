"""Limits of joints that follow others: all that samples, searches, stops and plans is within those of all joints.

Tolerances: a coordinate at its limit puts a follower there to the rounding of (limit - b) / f * f + b, some 1e-15.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from robots import limited

import revolute
from revolute import Drive, DrivenRobot, InputError, Limits, Mimic, TrajectoryError
from revolute.model import polytope
from revolute.model.coupled_limits import CoupledLimits
from revolute.trajectory import follow, jerk_limited, line, spline, time_optimal, trapezoid, uniform_scaling

ROUNDING = 1e-14
DIFFERENTIAL = [[0.5, 0.5], [0.5, -0.5]]


def follower(leader: Limits, own: Limits, multiplier: float = -1.5, offset: float = 0.25) -> DrivenRobot:
    """Joint 2 follows joint 1: q2 = multiplier q1 + offset."""
    mimic = {"joint2": Drive(mimic=Mimic("joint1", multiplier, offset))}
    return limited(revolute.robots.planar(2), leader, own).with_drives(mimic)


def differential() -> DrivenRobot:
    """q1 = (p1 + p2)/2, q2 = (p1 - p2)/2: a square that stands on a corner of the coordinates' plane."""
    arm = limited(revolute.robots.planar(2), Limits(-1, 1, 2, 30), Limits(-0.5, 0.25, 3, 25))
    return arm.with_drives(coupling=DIFFERENTIAL)


def summing() -> DrivenRobot:
    """q1 = p1, q2 = p2, q3 = p1 + p2: more limits than coordinates."""
    arm = limited(revolute.robots.planar(3), Limits(-1, 1, 2), Limits(-0.5, 0.25, 3), Limits(-0.6, 0.7, 1))
    return arm.with_drives(coupling=[[1, 0], [0, 1], [1, 1]])


ROBOTS = {
    "follower": follower(Limits(-2, 2, 1, 1), Limits(-2, 2, 1, 1)),
    "differential": differential(),
    "summing": summing(),
}


def beyond(robot: DrivenRobot, p: Any) -> float:
    """How far a joint is beyond its limits, at most; below zero inside."""
    q = robot.joint_positions(p)
    return float(max((robot.robot.lower_limits - q).max(), (q - robot.robot.upper_limits).max()))


def limits_of(robot: DrivenRobot) -> list[list[float]]:
    return [getattr(robot, f"{x}_limits").tolist() for x in ("lower", "upper", "velocity", "effort")]


def test_a_follower_limits_its_leader() -> None:
    """-2 <= -1.5 a + 0.25 <= 2 leaves [-7/6, 1.5]; speed 1 of b leaves 2/3 of a; b could bear 1.5 of a's force."""
    assert limits_of(ROBOTS["follower"]) == [[-1.75 / 1.5], [1.5], [1 / 1.5], [1.0]]
    assert limits_of(follower(Limits(-2, 2, 1, 1), Limits(-2, 2, 1, 0.5)))[3] == [0.75]
    assert ROBOTS["follower"].coupled_limits is None


def test_followers_of_followers_count_too() -> None:
    """q3 = 2 q2 + 1 = -4 q1 + 1.4."""
    mimics = {"joint2": Drive(mimic=Mimic("joint1", -2, 0.2)), "joint3": Drive(mimic=Mimic("joint2", 2, 1))}
    arm = limited(revolute.robots.planar(3), Limits(-1, 1, 8), Limits(-3, 3, 8), Limits(-1, 2, 8)).with_drives(mimics)
    lower, upper, velocity, effort = limits_of(arm)
    np.testing.assert_allclose([*lower, *upper, *velocity], [-0.15, 0.6, 2], atol=1e-15)
    assert effort == [math.inf]


def test_infinite_limits_stay_infinite() -> None:
    assert limits_of(follower(Limits(), Limits())) == [[-math.inf], [math.inf], [math.inf], [math.inf]]
    assert limits_of(follower(Limits(), Limits(upper=2)))[:2] == [[-1.75 / 1.5], [math.inf]]
    free = revolute.robots.planar(2).with_drives(coupling=DIFFERENTIAL)
    assert free.coupled_limits is None and np.isinf(limits_of(free)).all()
    strip = limited(revolute.robots.planar(2), Limits(-1, 1), Limits()).with_drives(coupling=DIFFERENTIAL)
    assert np.isinf(limits_of(strip)).all() and strip.coupled_limits is not None
    q = strip.random_configuration(1000, rng=0)
    assert beyond(strip, q) <= 0 and np.abs(q).max() > 1


def test_zero_speed_and_effort_are_not_known() -> None:
    """Files write 0 for these: a leader keeps its own."""
    assert limits_of(follower(Limits(-1, 1, 3, 4), Limits(-9, 9, 0, 0)))[2:] == [[3.0], [4.0]]
    assert limits_of(follower(Limits(-1, 1, 0, 0), Limits(-9, 9, 3, 4)))[2:] == [[2.0], [6.0]]
    assert limits_of(follower(Limits(-1, 1, 0, 0), Limits(-9, 9, 0, 0)))[2:] == [[0.0], [0.0]]


def test_a_differential_has_the_bounding_box() -> None:
    """p1 = q1 + q2, p2 = q1 - q2; tau = A^T effort."""
    lower, upper, velocity, effort = limits_of(differential())
    np.testing.assert_allclose([lower, upper], [[-1.5, -1.25], [1.25, 1.5]], atol=ROUNDING)
    np.testing.assert_allclose([velocity, effort], [[5, 5], [27.5, 27.5]], atol=ROUNDING)
    lower, upper, velocity, effort = limits_of(summing())
    np.testing.assert_allclose([lower, upper, velocity], [[-0.85, -0.5], [1, 0.25], [2, 3]], atol=ROUNDING)
    assert np.isinf(effort).all()


def test_whole_turns_do_not_leave_limits_of_several_coordinates() -> None:
    """q4 = p2 + p3: the solutions nearest to p2 = 6 are not a turn further on in p2 alone."""
    own = *(Limits(-7, 7),) * 3, Limits(-3, 3)
    arm = limited(revolute.robots.planar(4), *own).with_drives(coupling=[[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]])
    pose = arm.forward_kinematics([0.3, 0.6, 0.5], "tip")
    found = arm.inverse_kinematics(pose, "tip", q0=[0, 6, 0], rows=(2, 3, 4), all=True)
    assert len(found.q) >= 2 and beyond(arm, found.q) <= 0


def test_a_coordinate_that_is_locked_leaves_an_interval() -> None:
    """p1 = 0.5: q1 = p2 / 2 + 0.25 and q2 = 0.25 - p2 / 2."""
    held = differential().lock({"p1": 0.5})
    assert held.coupled_limits is None
    np.testing.assert_allclose([held.lower_limits, held.upper_limits], [[0.0], [1.5]], atol=ROUNDING)


def test_symbols_of_couplings_limit_when_they_get_values() -> None:
    import sympy

    ratio = sympy.Symbol("r")
    arm = limited(revolute.robots.planar(2), Limits(-1, 1), Limits(-0.5, 0.25))
    arm = arm.with_drives(coupling=[[1, 0], [0, ratio]])
    assert arm.lower_limits.tolist() == [-1, -math.inf]
    assert arm.subs({ratio: -0.5}).lower_limits.tolist() == [-1, -0.5]


@pytest.mark.parametrize("name", ROBOTS)
def test_random_positions_are_within_all_limits(name: str) -> None:
    robot = ROBOTS[name]
    p = robot.random_configuration((20, 500), rng=0)
    assert -0.01 < beyond(robot, p) <= ROUNDING  # they come near to the limits, too
    np.testing.assert_array_equal(p, robot.random_configuration((20, 500), rng=0))
    assert (p >= robot.lower_limits - ROUNDING).all() and (p <= robot.upper_limits + ROUNDING).all()


def test_random_positions_of_a_differential_are_uniform() -> None:
    """Joints are uniform, and independent. Of N numbers means have errors of width / sqrt(12 N): five of these."""
    robot, n = differential(), 20_000
    low, high = robot.robot.lower_limits, robot.robot.upper_limits
    share = (robot.joint_positions(robot.random_configuration(n, rng=1)) - low) / (high - low)
    for power in (1, 2, 3):
        assert np.abs((share**power).mean(axis=0) - 1 / (power + 1)).max() < 5 / math.sqrt(12 * n)
    assert abs(((share[:, 0] - 0.5) * (share[:, 1] - 0.5)).mean()) < 5 / 12 / math.sqrt(n)


def test_random_walks_fill_the_same_polytope(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hit-and-run and rejection agree in means and covariances, five standard errors of some 0.5 / sqrt(N) apart."""
    robot, n = summing(), 4000
    drawn = robot.random_configuration(n, rng=0)
    monkeypatch.setattr(polytope, "ROUNDS", 0)
    walked = robot.random_configuration(n, rng=1)
    assert not np.array_equal(drawn, walked) and -0.01 < beyond(robot, walked) <= ROUNDING
    for x in (lambda p: p, lambda p: p * p, lambda p: p[:, ::-1] * p):
        assert np.abs(x(drawn).mean(axis=0) - x(walked).mean(axis=0)).max() < 5 * 0.5 * math.sqrt(2 / n)


def test_a_joint_that_cannot_move_is_held() -> None:
    """q2 = 0.7 p1 - 0.3 p2 = 0.1 alone."""
    arm = limited(revolute.robots.planar(2), Limits(-1, 1), Limits(0.1, 0.1))
    arm = arm.with_drives(coupling=[[0.3, 0.7], [0.7, -0.3]])
    q = arm.joint_positions(arm.random_configuration(500, rng=0))
    assert np.abs(q[:, 1] - 0.1).max() <= ROUNDING and np.ptp(q[:, 0]) > 1.9
    outside = arm.robot.forward_kinematics(np.random.default_rng(2).uniform(-1, 1, (50, 2)), "tip")
    q = arm.joint_positions(arm.inverse_kinematics(outside, "tip", rows=(3, 4), restarts=5).q)
    assert np.abs(q[:, 1] - 0.1).max() <= 1e-7 and np.ptp(q[:, 0]) > 1.5  # a tenth of the tolerance
    p, coupled = arm.random_configuration(100, rng=1), arm.coupled_limits
    assert coupled is not None
    np.testing.assert_allclose(coupled.pulled(p, p.mean(axis=0)), p, atol=ROUNDING)  # what is inside stays


def test_coordinates_of_other_joints_are_not_redrawn() -> None:
    """A free base and its quaternion; couplings of two of three joints."""
    tree = revolute.robots.random_tree(3, rng=1, base="free", types=())
    tree = limited(tree, *(x.limits for x in tree.bodies[1:2]), *[Limits(-1, 1)] * (tree.n_joints - 1))
    robot = tree.with_drives(coupling=[[1, 0, 0], [0, 0.5, 0.5], [0, 0.5, -0.5]])
    p = robot.random_configuration(200, rng=0)
    np.testing.assert_allclose(np.linalg.norm(p[:, 3:7], axis=1), 1, atol=1e-12)
    assert beyond(robot, p) <= ROUNDING


def contradictions() -> list[tuple[DrivenRobot, Sequence[str]]]:
    arm = limited(revolute.robots.planar(3), Limits(-1, 1), Limits(-0.5, 0.25), Limits(3, 4))
    held = {"joint2": Drive(mimic=Mimic("joint1", 0, 2.0))}
    return [
        (follower(Limits(-1, 1), Limits(3, 4)), ("joint1", "joint2")),
        (arm.with_drives(coupling=[[1, 0], [0, 1], [1, 1]]), ("joint1", "joint2", "joint3")),
        (arm.with_drives({"joint2": Drive(mimic=Mimic("joint3")), "joint3": Drive(mimic=Mimic("joint1"))}),
         ("joint2", "joint3")),
        (limited(revolute.robots.planar(2), Limits(-1, 1), Limits(-1, 1)).with_drives(held), ("joint2",)),
    ]  # fmt: skip


@pytest.mark.parametrize("k", range(4))
def test_no_position_is_an_error_that_names_the_joints(k: int) -> None:
    robot, names = contradictions()[k]
    for ask in (
        lambda: robot.lower_limits,
        lambda: robot.upper_limits,
        lambda: robot.random_configuration(rng=0),
        lambda: robot.inverse_kinematics(np.eye(4), "tip"),
    ):
        with pytest.raises(InputError, match="no position within the limits of all joints") as caught:
            ask()
        assert all(f"'{name}'" in str(caught.value) for name in names)
    assert np.isfinite(robot.gravity_forces(robot.neutral())).all()
    assert robot.inverse_kinematics(np.eye(4), "tip", limits=False, restarts=0).q.shape == (robot.nq,)


def test_limits_that_touch_leave_one_position() -> None:
    """0.1 * 3 is more than 0.3 by rounding."""
    robot = follower(Limits(-1, 0.3), Limits(1.0, 2.0), 1.0, 0.7)
    assert beyond(robot, robot.random_configuration(rng=0)) <= ROUNDING
    np.testing.assert_allclose([robot.lower_limits, robot.upper_limits], 0.3, atol=1e-15)
    robot = follower(Limits(), Limits(-0.7, 0.7), 0.7, 0.1).with_gravity((0, 0, 0))
    assert 0 <= beyond(robot, robot.upper_limits) < 1e-15  # above zero where products and sums are fused
    motion = robot.simulate(robot.upper_limits, [0.0], None, np.linspace(0, 0.05, 6), stop_at_limits=True)
    assert motion.event is None and len(motion.t) == 6


@pytest.mark.parametrize("name", ROBOTS)
def test_searches_stay_within_all_limits(name: str) -> None:
    """Poses within limits are reached; elsewhere q is the nearest within them, in batches, alone and along paths."""
    robot = ROBOTS[name]
    rows = (3,) if name == "follower" else (3, 4)
    inside = robot.forward_kinematics(robot.random_configuration(200, rng=1), "tip")
    outside = robot.robot.forward_kinematics(np.random.default_rng(2).uniform(-3, 3, (100, robot.robot.nq)), "tip")
    found = robot.inverse_kinematics(inside, "tip", rows=rows)
    assert found.converged.all() and beyond(robot, found.q) <= ROUNDING
    for poses, options in (
        (outside, {}),
        (outside, {"q0": robot.lower_limits, "restarts": 2}),
        (outside[None, :20], {"path": True}),
        (inside[:20], {"rows": (3,), "posture": robot.upper_limits}),
    ):
        found = robot.inverse_kinematics(poses, "tip", **{"rows": rows, **options})
        assert beyond(robot, found.q) <= ROUNDING
    one = [robot.inverse_kinematics(pose, "tip", rows=rows) for pose in outside[:10]]
    assert max(beyond(robot, x.q) for x in one) <= ROUNDING and not all(x.converged for x in one)
    assert beyond(robot, robot.inverse_kinematics(outside, "tip", rows=rows, limits=False).q) > 0.1


def test_a_pose_at_the_limit_is_reached() -> None:
    """Limits are narrowed by the tolerance in the search; poses at the limit are within it."""
    robot = differential()
    corners = robot.independent([[a, b] for a in (-1, 1) for b in (-0.5, 0.25)])
    found = robot.inverse_kinematics(robot.forward_kinematics(corners, "tip"), "tip", rows=(3, 4), q0=0.9 * corners)
    assert found.converged.all() and beyond(robot, found.q) <= ROUNDING
    np.testing.assert_allclose(found.q, corners, atol=1e-5)


@pytest.mark.parametrize(("name", "q0", "qd0", "event"), [
    ("follower", [0.0], [3.0], "lower limit of 'joint2'"),
    ("follower", [0.0], [-3.0], "upper limit of 'joint2'"),
    ("differential", [0.0, 0.0], [3.0, 3.0], "upper limit of 'joint1'"),
    ("differential", [0.0, 0.0], [3.0, -3.0], "upper limit of 'joint2'"),
    ("summing", [0.0, 0.0], [3.0, 0.2], "upper limit of 'joint3'"),
])  # fmt: skip
def test_motions_stop_where_a_joint_reaches_its_limit(name: str, q0: list[float], qd0: list[float], event: str) -> None:
    robot = ROBOTS[name].with_gravity((0, 0, 0))
    motion = robot.simulate(q0, qd0, None, np.linspace(0, 2, 201), stop_at_limits=True)
    assert motion.event is not None and motion.event.name == event
    assert -1e-9 < beyond(robot, motion.q) <= 1e-12
    back = robot.simulate(motion.q[-1], -motion.qd[-1], None, np.linspace(0, 0.05, 6), stop_at_limits=True)
    assert back.event is None  # a motion may begin at a limit


def test_states_and_ways_beyond_limits_are_told() -> None:
    with pytest.raises(InputError, match=r"q0 is beyond the upper limit of 'joint2', by 0.05"):
        ROBOTS["follower"].simulate([-1.2], [0.0], None, [0, 1], stop_at_limits=True)
    with pytest.raises(TrajectoryError, match=r"outside the limits: 'joint1' is 1.6, its upper limit 1.5"):
        trapezoid(ROBOTS["follower"], [[0.0], [1.6]], acceleration=1.0)
    assert_raises(TrajectoryError, "'joint2' is 1, its upper limit 0.2", spline, differential(), [[0, 0], [1, -1]], 1.0)
    with pytest.raises(TrajectoryError, match=r"position of 'joint2' is .*; the limit is -0.5 rad.*closer waypoints"):
        trapezoid(differential(), [[-0.9, -0.9], [0.9, 0.9]], acceleration=[1.0, 100.0], synchronised=False)


def test_other_starts_of_paths_keep_limits_of_joints_all_along() -> None:
    """The tip moves at x = 2.5, and |q2| is largest at y = 0: 2 acos(0.75), between the coarse steps of `follow`."""
    largest = 2 * math.acos(0.75)
    path = line(revolute.Transform(p=(2.5, -0.5, 0)), revolute.Transform(p=(2.5, 0.7, 0)), 2.0)

    def moved(most: float) -> revolute.trajectory.Trajectory:
        arm = limited(revolute.robots.planar(3), Limits(), Limits(-most, most), Limits())
        robot = arm.with_drives(coupling=[[1, 0, 0], [-1, 1, 0], [0, -1, 1]])  # p are angles against the base
        return follow(robot, "tip", path, [-1, 0.3, 0], velocity={"p1": 0.8}, around=True)

    np.testing.assert_allclose(moved(largest + 1e-6).q(0.0)[0], 0.337307, atol=1e-6)  # the other branch
    assert_raises(TrajectoryError, r"'p1' would move at .*no other start was found", moved, largest - 1e-6)


WAY = [[0.0, 0.0], [0.4, 0.2], [-0.35, -0.2]]


@pytest.mark.parametrize("synchronised", [True, False])
@pytest.mark.parametrize("name", ["differential", "summing"])
def test_joints_keep_their_speeds(name: str, synchronised: bool) -> None:
    """And one of them is at its largest."""
    robot = ROBOTS[name]
    for motion in (
        trapezoid(robot, WAY, acceleration=500.0, synchronised=synchronised),
        jerk_limited(robot, WAY, acceleration=500.0, jerk=1e5, synchronised=synchronised),
    ):
        qd = robot.joint_velocities(motion.qd(np.linspace(0, motion.duration, 2001)))
        assert 0.6 < (np.abs(qd) / robot.robot.velocity_limits).max() <= 1 + 1e-12
        report = motion.check(robot, torque=np.inf)
        assert report and {"joint2", "joint3"}.intersection(x.joint for x in report.rows if x.kind == "velocity")
    assert not trapezoid(robot, WAY, velocity=50.0, acceleration=500.0).check(robot, torque=np.inf)


def test_motions_of_least_time_keep_speeds_and_forces_of_joints() -> None:
    robot = differential()
    path = spline(robot, [[0, 0], [0.2, 0.3], [0.4, 0.3]], 1.0)
    fast, scaled = time_optimal(path, robot, grid=50), uniform_scaling(path, robot)
    assert scaled.joint == "joint1" and scaled.kind == "velocity"
    for motion in (fast, scaled.trajectory):
        state = motion(np.linspace(0, motion.duration, 1001))
        forces = np.linalg.solve(robot.coupling.T, robot.inverse_dynamics(*state).T).T / robot.robot.effort_limits
        speeds = robot.joint_velocities(state[1]) / robot.robot.velocity_limits
        assert 0.9 < max(np.abs(forces).max(), np.abs(speeds).max()) <= 1 + 1e-9


def test_forces_of_joints_are_those_that_coordinates_have() -> None:
    """F is the inverse of A^T on all that hangs together; of more joints than coordinates there is none."""
    robot = differential()
    assert isinstance(robot.coupled_limits, CoupledLimits)
    np.testing.assert_allclose(np.array(robot.coupled_limits.force_rows) @ robot.coupling.T, np.eye(2), atol=ROUNDING)
    summed = summing().coupled_limits
    assert summed is not None and summed.force_rows == ()
