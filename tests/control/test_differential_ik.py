"""Differential inverse kinematics: optimal velocities, limits, rest in front of targets out of reach, failures."""

from __future__ import annotations

import ctypes
import pickle
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from motions import PANDA, READY

import revolute
from revolute import (
    Contact,
    Inertia,
    InputError,
    Joint,
    JointClosure,
    Limits,
    Link,
    Planar,
    Plane,
    PointClosure,
    Robot,
    ShapeError,
    UnknownNameError,
)
from revolute.control import (
    CenterOfMassTask,
    DifferentialIK,
    JointTask,
    MomentumTask,
    PointTask,
    PoseTask,
    PostureTask,
    RelativeTask,
)
from revolute.control.tasks import Task
from revolute.dynamics.differential_ik import FLOOR

HOME, LAST, DT = READY["panda"], "panda_link8", 0.01
TASKS = [PoseTask(LAST, weight=[1, 1, 1, 10, 10, 10]), PostureTask(weight=1e-2), PointTask("panda_link4", weight=0.1)]


def goals(q: np.ndarray) -> dict[str, np.ndarray]:
    return {
        f"pose of {LAST}": PANDA.forward_kinematics(q, LAST), "posture": HOME,
        "point of panda_link4": PANDA.forward_kinematics(q, "panda_link4")[..., :3, 3] + 0.1,
    }


def quadratic(ik: DifferentialIK, q: np.ndarray, dt: float = DT, damped: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """H and g by NumPy: v minimizes v^T H v / 2 + g^T v."""
    robot, E = ik._space, 0.0
    H, g = np.zeros((robot.nv, robot.nv)), np.zeros(robot.nv)
    for task in ik.tasks:
        target = np.ravel(ik.targets[task.called()])
        e, J = (np.array(x, float) for x in (task.error(robot, q, target), task.jacobian(robot, q)))
        w, k = task.weights(robot), min(task.gain, 1 / dt)
        H, g, E = H + J.T @ (w[:, None] * J), g + J.T @ (w * k * e), E + w @ e**2
    mean = np.trace(H) / robot.nv
    return H + damped * np.eye(robot.nv) * (0.12 * np.sqrt(E * mean) + FLOOR * mean), g


def box(ik: DifferentialIK, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low = np.maximum((PANDA.lower_limits - q) / DT, -PANDA.velocity_limits)
    return low, np.minimum((PANDA.upper_limits - q) / DT, PANDA.velocity_limits)


def test_velocities_without_limits_solve_the_normal_equations() -> None:
    ik = DifferentialIK(PANDA, TASKS, position=False, velocity=np.inf)
    for q, q1 in zip(PANDA.random_configuration(20, rng=1), PANDA.random_configuration(20, rng=2), strict=True):
        v = ik.step(q, DT, goals(q1))
        H, g = quadratic(ik, q)
        np.testing.assert_allclose(v, np.linalg.solve(H, -g), rtol=0, atol=1e-9)


def test_velocities_within_limits_satisfy_the_conditions_of_optimality() -> None:
    """The gradient vanishes where a velocity is free, and points outwards where it is at a bound."""
    ik, active = DifferentialIK(PANDA, TASKS), 0
    starts = PANDA.random_configuration(300, rng=1)
    starts[::3, 2] = PANDA.upper_limits[2] - 1e-3
    for q, q1 in zip(starts, PANDA.random_configuration(300, rng=2), strict=True):
        v = ik.step(q, DT, goals(q1))
        (H, g), (low, high) = quadratic(ik, q), box(ik, q)
        slope = H @ v + g
        assert (v >= low).all() and (v <= high).all()
        inside = (v > low) & (v < high)
        small = 1e-10 * np.abs(g).sum()
        assert np.abs(slope[inside]).max(initial=0) < small
        assert (slope[v <= low] > -small).all() and (slope[v >= high] < small).all()
        active += not inside.all()
    assert active > 100


def test_positions_and_velocities_never_exceed_limits() -> None:
    ik = DifferentialIK(PANDA, [PoseTask(LAST, gain=np.inf), PostureTask(weight=1e-4)])
    q = PANDA.random_configuration(50, rng=1)
    targets = {k: goals(PANDA.random_configuration(50, rng=2))[k] for k in (f"pose of {LAST}", "posture")}
    ik.set_targets(targets)
    for _ in range(100):
        v = ik.step(q, DT)
        q = q + DT * v
        assert (np.abs(v) <= PANDA.velocity_limits).all()
        assert max((PANDA.lower_limits - q).max(), (q - PANDA.upper_limits).max()) <= 1e-12


def test_joints_brake_in_time_for_limits() -> None:
    a = 5.0
    ik = DifferentialIK(PANDA, [JointTask(["panda_joint1"], gain=np.inf), PostureTask(weight=1e-3)], acceleration=a)
    far = HOME.copy()
    far[0] = 10.0
    q, last = np.tile(HOME, (4, 1)), np.zeros((4, 7))
    q[:, 0] += [0, 0.5, 1.0, 1.5]
    for _ in range(300):
        v = ik.step(q, DT, {"panda_joint1": far, "posture": HOME}, qd=last)
        assert np.abs(v - last).max() <= a * DT + 1e-12
        q, last = q + DT * v, v
        assert (q <= PANDA.upper_limits + 1e-12).all()
    assert np.abs(q[:, 0] - PANDA.upper_limits[0]).max() < 1e-3 and np.abs(v[:, 0]).max() < 0.1


def test_accelerations_are_limited_without_limits_of_positions() -> None:
    ik = DifferentialIK(PANDA, [PostureTask(gain=np.inf)], position=False, velocity=np.inf, acceleration=5.0)
    v = ik.step(HOME, DT, {"posture": HOME + 1}, qd=np.zeros(7))
    np.testing.assert_allclose(v, 5.0 * DT, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ik.step(HOME, DT, qd=v), 10.0 * DT, rtol=0, atol=1e-12)
    assert_raises(InputError, "need qd, the velocities of the last step", lambda: ik.step(HOME, DT))


def test_a_planar_base_reaches_its_target_past_limits_of_its_position() -> None:
    """Its v is a body twist, not the rate of q: only joints with one coordinate have limits of positions."""
    base = Joint("base", "world", "cart", Planar(), limits=Limits((-0.5,) * 3, (0.5,) * 3, (1.0,) * 3))
    cart = Robot.from_links("cart", [Link("world"), Link("cart", Inertia(1.0, I=np.eye(3).tolist()))], [base])
    goal = np.array([0.8, -0.6, 2.0])
    q, v = DifferentialIK(cart, [PostureTask()]).solve(np.zeros(3), DT, {"posture": np.tile(goal, (500, 1))})
    np.testing.assert_allclose(q[-1], goal, atol=1e-6)
    assert np.abs(v).max() <= 1.0  # of w, vx, vy


def test_a_start_beyond_limits_returns_at_a_bounded_rate() -> None:
    ik = DifferentialIK(PANDA, [PostureTask()])
    q = HOME.copy()
    q[1] = PANDA.upper_limits[1] + 0.5
    ik.set_targets({"posture": q})
    before = q[1]
    for _ in range(200):
        v = ik.step(q, DT)
        assert np.abs(v).max() <= PANDA.velocity_limits.max()
        q = q + DT * v
        assert q[1] <= before
        before = q[1]
    assert q[1] - PANDA.upper_limits[1] < 1e-6


def outward(n: int) -> np.ndarray:
    """(n, 4, 4) poses of the hand, 1.5 m from the shoulder in random directions: out of reach."""
    targets = np.tile(PANDA.forward_kinematics(HOME, LAST), (n, 1, 1))
    d = np.random.default_rng(3).standard_normal((n, 3))
    targets[:, :3, 3] = [0, 0, 0.333] + 1.5 * d / np.linalg.norm(d, axis=1)[:, None]
    return targets


def test_speeds_vanish_with_the_gradient_of_the_squared_error() -> None:
    """v = -(H + lambda)^-1 g, so |v| <= |g| / lambda: an arm rests where the squared error has its minimum.

    Undamped speeds have no such bound: H is singular where an arm is stretched.
    """
    ik = DifferentialIK(PANDA, TASKS, position=False, velocity=np.inf)
    for q, target in zip(PANDA.random_configuration(50, rng=7), outward(50), strict=True):
        v = ik.step(q, DT, goals(q) | {f"pose of {LAST}": target})
        H, g = quadratic(ik, q)
        damping = H[0, 0] - quadratic(ik, q, damped=False)[0][0, 0]
        assert damping > 0.03 * np.trace(H) / 7
        assert np.linalg.norm(v) <= np.linalg.norm(g) / damping * (1 + 1e-9)


def test_arms_do_not_swing_in_front_of_targets_out_of_reach() -> None:
    """After 6 s, changes of speed in a tick: below 1e-2 rad/s. Without damping they are as large as limits allow.

    How soon speeds themselves vanish is not promised: arms slide ever slower along flat valleys of the error.
    """
    changes = {}
    for damping in (0.12, 0.0):
        ik = DifferentialIK(PANDA, [PoseTask(LAST, gain=50.0), PostureTask(weight=1e-3)], damping=damping)
        ik.set_targets({f"pose of {LAST}": outward(20), "posture": HOME})
        q, last = np.tile(HOME, (20, 1)), np.zeros((20, 7))
        for _ in range(600):
            v = ik.step(q, DT)
            q, changes[damping], last = q + DT * v, np.abs(v - last).max(axis=1), v
    assert changes[0.12].max() < 1e-2 and np.median(changes[0.0]) > 1


def test_speeds_jump_less_where_arms_are_stretched() -> None:
    """Targets of 32 arms leave the workspace in random directions and come back, in 4 s.

    Undamped arms jump from one limit of speed to the other. How far damped ones jump depends on the path and the gain,
    so no bound is promised, and medians are compared: measured 1.2 and 3.1 rad/s.
    """
    start, s = PANDA.forward_kinematics(HOME, LAST), np.sin(np.pi * np.linspace(0, 1, 400)) ** 2
    paths, jumps = start + s[:, None, None, None] * (outward(32) - start), {}
    for damping in (0.12, 0.0):
        ik = DifferentialIK(PANDA, [PoseTask(LAST), PostureTask(weight=1e-4, gain=1.0)], damping=damping)
        _, v = ik.solve(np.tile(HOME, (32, 1)), DT, {f"pose of {LAST}": paths, "posture": np.tile(HOME, (400, 1))})
        jumps[damping] = np.abs(np.diff(v, axis=0)).max(axis=(0, 2))
    assert np.median(jumps[0.12]) < 0.5 * np.median(jumps[0.0])


# --- rows ----------------------------------------------------------------------------------------

WALL = Contact(LAST, radius=0.05, surface=Plane((-1, 0, 0), -0.5))
APART = Contact(LAST, radius=0.1, surface=Contact("panda_link0", (0.4, 0, 0.2), 0.1))


def test_rows_satisfy_the_conditions_of_optimality() -> None:
    """v = H^-1 (G^T p - g), p >= 0 at a lower bound, p <= 0 at an upper bound, p = 0 in between."""
    ik, active = DifferentialIK(PANDA, TASKS, limits=[WALL, APART]), 0
    for q, q1 in zip(PANDA.random_configuration(200, rng=4), PANDA.random_configuration(200, rng=5), strict=True):
        v = ik.step(q, DT, goals(q1), unmet="slack")
        (H, g), (low, high) = quadratic(ik, q), box(ik, q)
        gaps = _gaps(q)
        if (gaps < 0).any():
            continue
        rows, bounds = _rows(q), -10.0 * gaps
        speeds = rows @ v
        assert (speeds >= bounds - 5e-7).all() and (v >= low).all() and (v <= high).all()
        near = (speeds - bounds < 1e-6, v - low < 1e-9, high - v < 1e-9)
        G = np.vstack([rows[near[0]], np.eye(7)[near[1]], -np.eye(7)[near[2]]])
        p = np.linalg.lstsq(G.T, H @ v + g, rcond=None)[0]
        size = np.abs(g).sum()
        np.testing.assert_allclose(G.T @ p, H @ v + g, rtol=0, atol=1e-6 * size)
        assert (p > -1e-6 * size).all()
        active += bool(near[0].any())
    assert active > 10


def _gaps(q: np.ndarray) -> np.ndarray:
    kernel = PANDA.kernel("contact_gaps", contacts=(WALL.links, APART.links))
    return np.array(kernel(q, np.array([WALL.numbers, APART.numbers])))


def _rows(q: np.ndarray) -> np.ndarray:
    """Gradients of the gaps, by differences."""
    h = 1e-6 * np.eye(7)
    return (_gaps(q + h) - _gaps(q - h)).T / 2e-6


def test_gaps_stay_open() -> None:
    ik = DifferentialIK(PANDA, [PoseTask(LAST), PostureTask(weight=1e-3)], limits=[WALL, APART])
    target = np.tile(PANDA.forward_kinematics(HOME, LAST), (3, 1, 1))
    target[:, :3, 3] = [[0.8, 0, 0.4], [0.4, 0.0, 0.2], [0.7, 0.2, 0.1]]
    q = np.tile(HOME, (3, 1))
    assert (_gaps(q) > 0).all()
    for _ in range(400):
        q = q + DT * ik.step(q, DT, {f"pose of {LAST}": target, "posture": HOME})
        assert _gaps(q).min() > -1e-4
    assert _gaps(q).min() < 1e-3


def test_couplings_and_planes_hold() -> None:
    coupled = JointClosure("panda_joint1", "panda_joint3", (0.0, -1.0))
    plane = Plane((0, -1, 0), -0.02)
    ik = DifferentialIK(PANDA, [PointTask(LAST), PostureTask(weight=1e-3)], limits=[coupled, plane])
    q = HOME.copy()
    q[0] = -q[2]
    ik.set_targets({f"point of {LAST}": [0.3, 0.4, 0.5], "posture": HOME})
    for _ in range(300):
        q = q + DT * ik.step(q, DT)
        assert abs(q[0] + q[2]) < 1e-6
    assert abs(PANDA.center_of_mass(q)[1] - 0.02) < 1e-6  # it began 2 cm beyond


# --- machines ------------------------------------------------------------------------------------


def test_closed_loops_stay_closed() -> None:
    bar = revolute.robots.planar(3).with_closures(PointClosure("tip", at_b=(2.0, 0.0, 0.0)))
    q, _ = bar.assemble([0.5, -1.0, 0.2], ["joint1"])
    ik = DifferentialIK(bar, [JointTask(["joint1"])])
    target = q.copy()
    target[0] = 0.8
    for _ in range(200):
        q = q + DT * ik.step(q, DT, {"joint1": target})
    assert abs(q[0] - 0.8) < 1e-3 and np.abs(bar.error(q)).max() < 1e-4


def test_coordinates_of_a_driven_robot_move() -> None:
    elbow = revolute.robots.planar(2).with_drives(coupling=[[1, 0], [-1, 1]])
    ik = DifferentialIK(elbow, [PointTask("tip"), PostureTask(weight=1e-4)])
    q = np.array([0.3, 1.0])
    for _ in range(300):
        q = q + DT * ik.step(q, DT, {"point of tip": [1.0, 1.0, 0.0], "posture": [0.3, 1.0]})
    np.testing.assert_allclose(elbow.forward_kinematics(q, "tip")[:2, 3], [1, 1], atol=1e-3)


def test_a_free_base_moves_its_centre_of_mass_and_keeps_its_foot() -> None:
    robot = revolute.robots.random_tree(8, rng=3, base="free")
    q, foot = robot.neutral(), robot.link_names[-1]
    start, center = robot.forward_kinematics(q, foot), robot.center_of_mass(q)
    ik = DifferentialIK(robot, [PoseTask(foot, weight=100.0), CenterOfMassTask(), PostureTask(weight=1e-6)])
    ik.set_targets({f"pose of {foot}": start, "center of mass": center + 0.02, "posture": q})
    for _ in range(300):
        q = robot.integrate(q, DT * ik.step(q, DT))
    np.testing.assert_allclose(robot.forward_kinematics(q, foot), start, atol=1e-3)
    np.testing.assert_allclose(robot.center_of_mass(q), center + 0.02, atol=1e-3)


def test_a_robot_in_space_moves_its_arm_without_momentum() -> None:
    robot = revolute.robots.random_tree(6, rng=3, base="free")
    q, joint = robot.neutral(), robot.bodies[2].joint_name
    goal = q.copy()
    goal[robot.q_index[2]] = 0.5
    ik = DifferentialIK(robot, [MomentumTask(weight=100.0), JointTask([joint]), PostureTask(weight=1e-3)], damping=0.0)
    v = ik.step(q, DT, {"momentum": np.zeros(6), joint: goal, "posture": q})
    assert np.abs(robot.centroidal_momentum(q, v)).max() < 1e-3 < np.abs(v[:6]).max()


# --- failures ------------------------------------------------------------------------------------


def test_limits_that_contradict_each_other_are_named() -> None:
    low, high = (Contact(LAST, surface=Plane((0, 0, z), 0.2 * z + 0.5)) for z in (1, -1))
    ik = DifferentialIK(PANDA, [PoseTask(LAST), PostureTask(weight=1e-3)], limits=[low, high])
    targets = {f"pose of {LAST}": PANDA.forward_kinematics(HOME, LAST), "posture": HOME}
    message = f"'distance of {LAST}' violates its limit by .*, against .*'distance of {LAST}'.*unmet"
    assert_raises(InputError, message, lambda: ik.step(HOME, DT, targets))
    assert np.isfinite(ik.step(HOME, DT, unmet="slack")).all()
    last = np.full(7, 0.01)
    assert np.array_equal(ik.step(HOME, DT, qd=last, unmet="last"), last)
    for wrong in ("soft", "last"):  # the last velocities are not known
        assert_raises(InputError, "unmet must be", lambda wrong=wrong: ik.step(HOME, DT, unmet=wrong))


def test_messages_name_the_coordinates_whose_limits_contradict_a_row() -> None:
    """A coupling that is open by 1 rad closes at 10 rad/s at first, faster than joints move."""
    pair = JointClosure("panda_joint1", "panda_joint3", (1.0, 1.0))
    ik = DifferentialIK(PANDA, [PostureTask()], limits=[pair])
    against = r"'panda_joint1/panda_joint3' violates its limit by .* in row 1 of the batch, "
    against += "against the velocity of 'panda_joint1', the velocity of 'panda_joint3'"
    q = np.zeros((2, 7)) + HOME
    q[0, 2] = q[0, 0] - 1.0
    assert_raises(InputError, against, lambda: ik.step(q, DT, {"posture": HOME}))
    q[:, 2] = q[:, 0] - 1.02
    slow = DifferentialIK(PANDA, [PostureTask()], limits=[pair], acceleration=1.0)
    slower = "the acceleration of 'panda_joint1', the acceleration of 'panda_joint3'"
    assert_raises(InputError, slower, lambda: slow.step(q[0], DT, {"posture": HOME}, qd=np.zeros(7)))


def test_limits_that_contradict_those_of_speeds_are_missed_by_the_least() -> None:
    """The oracle: least squares within bounds, of the speeds of two couplings far from closed."""
    optimize = pytest.importorskip("scipy.optimize")
    pairs = ("panda_joint1", "panda_joint2", (0.0, 1.0)), ("panda_joint3", "panda_joint4", (0.0, -0.5))
    coupled, missing = [JointClosure(*pair) for pair in pairs], 0
    ik = DifferentialIK(PANDA, [PostureTask()], limits=coupled)
    for q in PANDA.random_configuration(30, rng=6):
        J = np.array([row for one in coupled for row in one.jacobian(PANDA, q.tolist())], float)
        speeds = np.array([-10.0 * e for one in coupled for e in one.error(PANDA, q.tolist())])
        v = ik.step(q, DT, {"posture": HOME}, unmet="slack")
        best = optimize.lsq_linear(J, speeds, box(ik, q), tol=1e-14)
        missing += bool(best.cost > 1e-3)
        np.testing.assert_allclose(np.linalg.norm(J @ v - speeds), (2 * best.cost) ** 0.5, rtol=0, atol=1e-6)
    assert missing > 10


@pytest.mark.parametrize("scale", [2.0**-80, 2.0**80])
def test_units_of_weights_change_nothing_to_the_bit(scale: float) -> None:
    """Only ratios of weights count: the damping scales with them, also in limits and rows."""
    wall = Contact(LAST, radius=0.05, surface=Plane((0, 0, 1), 0.6))
    q, targets = PANDA.random_configuration(20, rng=3), goals(PANDA.random_configuration(20, rng=4))
    same = [PoseTask(LAST, weight=scale * np.array([1, 1, 1, 10, 10, 10])), PostureTask(weight=1e-2 * scale)]
    same += [PointTask("panda_link4", weight=0.1 * scale)]
    for options in ({"position": False, "velocity": np.inf}, {}, {"limits": [wall]}):
        v = [DifferentialIK(PANDA, x, **options).step(q, DT, targets, unmet="slack") for x in (TASKS, same)]
        np.testing.assert_array_equal(*v)


def test_last_steps_to_a_target_converge_quadratically() -> None:
    """The damping ends with the error: full steps square it, down to rounding, and end there."""
    ik = DifferentialIK(PANDA, [PoseTask(LAST, gain=np.inf)], velocity=np.inf)
    q, target = HOME, goals(HOME + 0.1)[f"pose of {LAST}"]
    errors = []
    for _ in range(8):
        v = ik.step(q, 1.0, {f"pose of {LAST}": target})
        q = PANDA.integrate(q, v)
        errors.append(np.abs(PANDA.forward_kinematics(q, LAST) - target).max())
    near = [(a, b) for a, b in pairwise(errors) if 1e-7 < a < 1e-2]
    assert near and all(b < 100 * a * a + 1e-6 * a for a, b in near)  # FLOOR leaves 1e-6 of an error
    assert errors[-1] < 1e-14 and np.abs(v).max() < 1e-14
    assert not ik.step(HOME, DT, {f"pose of {LAST}": PANDA.forward_kinematics(HOME, LAST)}).any()


def test_problems_without_weight_do_not_move() -> None:
    ik = DifferentialIK(PANDA, [PostureTask(weight=0.0)])
    assert not ik.step(HOME, DT, {"posture": HOME + 1}).any()


def test_what_is_not_finite_is_named() -> None:
    ik = DifferentialIK(PANDA, TASKS)
    assert_raises(InputError, f"the target of 'pose of {LAST}' is missing", lambda: ik.step(HOME, DT))
    ik.set_targets(goals(HOME))
    bad = HOME.copy()
    bad[3] = np.nan
    assert_raises(InputError, "q is not finite", lambda: ik.step(bad, DT))
    half = {"posture": np.where(np.arange(7) == 2, np.inf, HOME)}
    assert_raises(InputError, "the target of 'posture' is not finite", lambda: ik.step(HOME, DT, half))
    ik.set_targets(goals(HOME))
    for wrong in (2 * np.eye(4), goals(HOME)[f"pose of {LAST}"].T):
        assert_raises(InputError, "is not a pose", lambda wrong=wrong: ik.step(HOME, DT, {f"pose of {LAST}": wrong}))
    ik.set_targets(goals(HOME))
    assert_raises(InputError, r"q is not finite at \[1, 3\]", lambda: ik.step([HOME, bad], DT))
    for dt in (-1.0, np.array([DT, DT])):
        assert_raises(InputError, "dt must be a positive", lambda dt=dt: ik.step(HOME, dt))
    for unmet, qd in (("no", HOME), ("last", None)):
        assert_raises(InputError, "unmet must be", lambda x=unmet, qd=qd: ik.step(HOME, DT, qd=qd, unmet=x))
    assert_raises(UnknownNameError, "no task 'pose'", lambda: ik.step(HOME, DT, {"pose": np.eye(4)}))
    assert_raises(ShapeError, "shape", lambda: ik.step(HOME, DT, {"posture": [1.0]}))


@pytest.mark.parametrize(
    ("tasks", "options", "message"),
    [
        ([], {}, "at least one task"),
        ([PoseTask(LAST), PoseTask(LAST)], {}, "different names"),
        ([PoseTask("hand")], {}, "hand"),
        ([JointTask(["elbow"])], {}, "no joint 'elbow'"),
        ([PoseTask(LAST, weight=-1)], {}, "weight"),
        ([PoseTask(LAST, weight=[1, 2])], {}, "weight"),
        ([PoseTask(LAST, gain=0)], {}, "gain"),
        ([PoseTask(LAST)], {"damping": -1}, "damping"),
        ([PoseTask(LAST)], {"limit_gain": 0}, "limit_gain"),
        ([PoseTask(LAST)], {"velocity": -1}, "velocity"),
        ([PoseTask(LAST)], {"position": 3}, "position"),
        ([PoseTask(LAST)], {"limits": [3]}, "limits"),
    ],
)
def test_wrong_problems_are_refused(tasks: list[Task], options: Any, message: str) -> None:
    assert_raises((InputError, UnknownNameError), message, lambda: DifferentialIK(PANDA, tasks, **options))


# --- forms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [[], [WALL, APART]], ids=["box", "rows"])
def test_rows_of_a_batch_are_those_of_single_calls_to_the_bit(limits: Any) -> None:
    ik = DifferentialIK(PANDA, TASKS, limits=limits, acceleration=20.0)
    q, targets = PANDA.random_configuration(37, rng=1), goals(PANDA.random_configuration(37, rng=2))
    last = np.zeros(7)
    v = ik.step(q, DT, targets, qd=last, unmet="slack")
    for k in range(37):
        one = {name: x if x.ndim == len(ik._shapes[name]) else x[k].copy() for name, x in targets.items()}
        assert np.array_equal(ik.step(q[k].copy(), DT, one, qd=last, unmet="slack"), v[k])


def test_paths_are_the_ticks_one_by_one() -> None:
    ik, steps = DifferentialIK(PANDA, TASKS, acceleration=20.0), 20
    targets = goals(np.linspace(HOME, HOME + 0.3, steps))
    ik.kernel.prepare()
    again = pickle.loads(pickle.dumps(ik))
    q, v = ik.solve(HOME, DT, targets | {"posture": np.tile(HOME, (steps, 1))})
    assert q.shape == (steps + 1, 7) and v.shape == (steps, 7)
    now, last = HOME, np.zeros(7)
    for k in range(steps):
        one = {name: x[k] if name != "posture" else HOME for name, x in targets.items()}
        last = again.step(now, DT, one, qd=last)
        now = now + DT * last
    np.testing.assert_allclose(now, q[-1], rtol=0, atol=1e-12)


def walled() -> tuple[DifferentialIK, np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """A problem with a row, positions, targets and velocities."""
    ik = DifferentialIK(PANDA, [PoseTask(LAST), PostureTask(weight=1e-3)], limits=[WALL])
    q = PANDA.random_configuration(5, rng=1)
    targets = {name: goals(PANDA.random_configuration(5, rng=2))[name] for name in (f"pose of {LAST}", "posture")}
    return ik, q, targets, ik.step(q, DT, targets, unmet="slack")


@pytest.mark.slow
def test_jax_does_the_same() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    ik, q, _, v = walled()
    theirs, _ = ik.jax(q, np.zeros(7), np.array(DT), ik.parameters, *ik.targets.values())
    assert np.array_equal(np.asarray(theirs), v)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_c_code_does_the_same(tmp_path: Path) -> None:
    ik, q, targets, v = walled()
    PANDA.to_c(ik.kernel, tmp_path / "arm.c", test=False)
    command = ["gcc", "-O1", "-shared", "-fPIC", "-o", "arm.so", "arm.c", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    function = ctypes.CDLL(str(tmp_path / "arm.so")).arm_differential_ik
    for k in range(5):
        given = [q[k], np.zeros(7), np.array([DT]), ik.parameters, targets[f"pose of {LAST}"][k], HOME]
        own, missed = np.zeros(7), np.zeros(2)
        pointers = [np.ascontiguousarray(x).ctypes.data_as(ctypes.c_void_p) for x in (*given, own, missed)]
        function(*pointers)
        np.testing.assert_allclose(own, v[k], rtol=0, atol=1e-9)


def test_relative_and_centre_of_mass_tasks_reach_their_targets() -> None:
    tasks = [RelativeTask(LAST, "panda_link2"), CenterOfMassTask(weight=1e-3), PostureTask(weight=1e-4)]
    ik = DifferentialIK(PANDA, tasks)
    q1 = HOME + 0.2
    goal = np.linalg.inv(PANDA.forward_kinematics(q1, "panda_link2")) @ PANDA.forward_kinematics(q1, LAST)
    ik.set_targets({"center of mass": PANDA.center_of_mass(q1), f"pose of {LAST} in panda_link2": goal, "posture": q1})
    q = HOME
    for _ in range(300):
        q = q + DT * ik.step(q, DT)
    reached = np.linalg.inv(PANDA.forward_kinematics(q, "panda_link2")) @ PANDA.forward_kinematics(q, LAST)
    np.testing.assert_allclose(reached, goal, atol=1e-4)
