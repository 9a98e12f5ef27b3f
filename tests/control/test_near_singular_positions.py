"""TwistRows-space laws near singular positions: forces are finite and continuous there, and undamped elsewhere."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from motions import ARMS, PANDA, READY, UR5
from scipy.spatial.transform import Rotation

import revolute
from revolute import InputError, SimulationError
from revolute.control import Hybrid, Impedance, Limited, ResolvedAcceleration
from revolute.dynamics.singularity_damping import arm_length, scales

LAWS: dict[str, Any] = {
    "resolved": lambda robot, frame, goal, **more: ResolvedAcceleration(robot, frame, goal, 25.0, **more),
    "impedance": lambda robot, frame, goal, **more: Impedance(
        robot, frame, goal, [50] * 3 + [500] * 3, [10] * 3 + [80] * 3, **more
    ),
    "hybrid": lambda robot, frame, goal, **more: Hybrid(robot, frame, goal, 25.0, **{"pushed": (5,), **more}),
}
"""With the gains of the documentation."""

GOAL = UR5.forward_kinematics(READY["ur5"], "tool0")


def scaled(robot: Any, frame: str, q: np.ndarray) -> np.ndarray:
    """J with its rows of velocities divided by the arm's length."""
    J = robot.jacobian(q, frame, "aligned")
    J[..., 3:, :] /= arm_length(robot, frame)
    return J


def smallest(robot: Any, frame: str, q: np.ndarray) -> np.ndarray:
    return np.linalg.svd(scaled(robot, frame, q), compute_uv=False)[..., -1]


@cache
def singular_positions(name: str) -> np.ndarray:
    """Positions with u^T J v = 0 for lost directions u and v, by Newton's method from random ones."""
    robot, frame = ARMS[name]
    q, h = robot.random_configuration(50, rng=1), 1e-6
    for _ in range(60):
        U, _, VT = np.linalg.svd(scaled(robot, frame, q))
        u, v = U[:, :, -1], VT[:, 5:]
        near = [np.einsum("ni,nij,nkj->nk", u, scaled(robot, frame, q + h * d), v) for d in np.eye(robot.nv)]
        here = np.einsum("ni,nij,nkj->nk", u, scaled(robot, frame, q), v)
        slopes = np.stack([(x - here) / h for x in near], axis=-1)
        step = np.einsum("nij,nj->ni", np.linalg.pinv(slopes, rcond=1e-3), here)
        q = q - step * np.minimum(1, 0.3 / np.maximum(np.linalg.norm(step, axis=-1), 1e-300))[:, None]
    return q[smallest(robot, frame, q) < 1e-10]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", ARMS)
def test_forces_are_finite_and_continuous_at_a_singular_position(name: str, law: str) -> None:
    robot, frame = ARMS[name]
    rng = np.random.default_rng(3)
    q0 = singular_positions(name)
    moves, along, qd = rng.standard_normal((3, *q0.shape))
    goals = robot.forward_kinematics(q0 + 0.3 * moves, frame)
    controller = LAWS[law](robot, frame, goals)
    at = controller.torque(0.0, q0, 0.1 * qd)
    assert len(q0) > 20
    for size in (0.1, 0.03, 0.01, 1e-3, 1e-6, 1e-8, 1e-9, 1e-12, 1e-15):
        there = controller.torque(0.0, q0 + size * along, 0.1 * qd)
        assert np.abs(there - at).max() <= 5000 * size + 1e-9
    undamped = LAWS[law](robot, frame, goals, singularity_damping=0.0)
    assert not np.abs(undamped.torque(0.0, q0 + 1e-8 * along, 0.1 * qd) - at).max() < 100  # NaN counts too


@pytest.mark.parametrize("count", [300, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", ARMS)
def test_away_from_singular_positions_the_law_is_the_undamped_one(name: str, law: str, count: int) -> None:
    """Equal to LP 9.97 where the smallest singular value is above 0.05."""
    robot, frame = ARMS[name]
    rng = np.random.default_rng(5)
    q = robot.random_configuration(count, rng=rng)
    q = q[smallest(robot, frame, q) > 0.05]
    qd, moves = 0.3 * rng.standard_normal((2, *q.shape))
    goals = robot.forward_kinematics(q + moves, frame)
    damped, undamped = (LAWS[law](robot, frame, goals, null_damping=2.0, **x) for x in ({}, {"singularity_damping": 0}))
    wanted = undamped.torque(0.0, q, qd)
    assert len(q) > count / 3
    np.testing.assert_allclose(damped.torque(0.0, q, qd), wanted, rtol=1e-9, atol=1e-9)
    if law == "resolved" and robot.nv == 6:
        X, V = robot.forward_kinematics(q, frame), robot.velocity(q, qd, frame, "aligned")
        turn = Rotation.from_matrix(X[:, :3, :3] @ goals[:, :3, :3].swapaxes(1, 2)).as_rotvec()
        e = np.concatenate([turn, X[:, :3, 3] - goals[:, :3, 3]], axis=-1)
        # relative to the largest force: J^-1 has a condition of some hundreds
        found = robot.task_space_forces(q, qd, -10 * V - 25 * e, frame, reference="aligned").tau
        assert np.abs(found - wanted).max() < 1e-9 * np.abs(wanted).max()


def out_of_reach(count: int) -> np.ndarray:
    """Goals of a UR5 in all directions, 1 to 2 m from its shoulder: its frame comes as far as 0.95 m."""
    rng, goals = np.random.default_rng(0), np.tile(GOAL, (count, 1, 1))
    u = rng.standard_normal((count, 3))
    goals[:, :3, 3] = [0, 0, 0.089] + u / np.linalg.norm(u, axis=1)[:, None] * rng.uniform(1, 2, (count, 1))
    return goals


def largest_forces(law: str, goals: np.ndarray, **more: Any) -> np.ndarray:
    """Of a UR5 in half a second, by row; NaN after a motion that diverges, which leaves the others alone."""
    controller, h = LAWS[law](UR5, "tool0", goals, null_damping=1.0, **more), 1e-3
    q, qd, peak = np.tile(READY["ur5"], (len(goals), 1)), np.zeros((len(goals), 6)), np.zeros(len(goals))
    with np.errstate(all="ignore"):
        for _ in range(500):
            tau = controller.torque(0.0, q, qd)
            qd = qd + h * UR5.forward_dynamics(q, qd, tau)
            q = q + h * qd
            peak = np.maximum(peak, np.abs(tau).max(axis=-1))
    return peak


@pytest.mark.parametrize("law", ["resolved", "impedance"])
def test_a_goal_out_of_reach_leaves_forces_finite(law: str) -> None:
    """Forces of the undamped law grow until they are NaN, for about half of the goals: rounding decides for which."""
    goals = out_of_reach(20)
    assert largest_forces(law, goals).max() < 1e6
    assert np.isnan(largest_forces(law, goals, singularity_damping=0.0)).sum() > 4


@pytest.mark.parametrize("damping", ["manipulability", 0.3])
def test_an_arm_at_rest_in_a_singular_position_is_held(damping: Any) -> None:
    """tau = g at the goal; and tau v = (C qd + g - D_0 qd) v for a motion v that the frame does not feel, J v = 0."""
    q = np.array([0.3, -1.2, 1.5, -0.8, 0.0, 0.3])
    goal = UR5.forward_kinematics(q, "tool0")
    for law in LAWS.values():
        more = {"pushed": ()} if law is LAWS["hybrid"] else {}
        controller = law(UR5, "tool0", goal, null_damping=2.0, singularity_damping=damping, **more)
        np.testing.assert_allclose(controller.torque(0.0, q, np.zeros(6)), UR5.gravity_forces(q), atol=1e-9)
        v = np.linalg.svd(UR5.jacobian(q, "tool0"))[2][-1]
        tau = controller.torque(0.0, q, v)
        assert tau @ v == pytest.approx(UR5.bias_forces(q, v) @ v - 2.0, abs=1e-9)


def test_damping_of_one_row_in_closed_form() -> None:
    """A rod of length 1: J = -sin q, M = I, and Lambda = 1 / (J^2 / I + c g / I), with g as documented."""
    rod, s0 = revolute.robots.planar(1), 0.04 / 3
    M = float(rod.mass_matrix([0.0])[0, 0])
    law: Any = ResolvedAcceleration(rod, "tip", np.eye(4), 4.0, 3.0, rows=(3,))
    for q in (0.0, 1e-9, 0.005, 0.02, -0.03, 0.039, 0.041, 0.3):
        c = s0**2 / (s0**2 + np.sin(q) ** 2)
        g = 10 * max(0.0, c**4 - 1e-4)
        J, drift, qd = -np.sin(q), -np.cos(q) * 0.2**2, 0.2
        x = -3.0 * J * qd - 4.0 * np.cos(q) - drift
        wanted = rod.bias_forces([q], [qd])[0] + J * x / (J**2 / M + c * g / M)
        assert law.torque(0.0, [q], [qd])[0] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_lengths_count_in_arm_lengths() -> None:
    """Rows of velocities, and columns of joints that slide: J_s has no units."""
    robot = revolute.robots.stanford()
    S, T = (np.array(x, dtype=float) for x in scales(robot, "flange", range(6)))
    size = float(arm_length(robot, "flange"))
    np.testing.assert_allclose(S, [1, 1, 1, size, size, size])
    slides = [isinstance(body.joint, revolute.Prismatic) for body in robot.bodies[1:]]
    np.testing.assert_allclose(T, np.where(slides, size, 1.0))


def test_a_number_damps_everywhere_and_may_differ_by_row() -> None:
    q, qd = READY["panda"], np.full(7, 0.1)
    goal = PANDA.forward_kinematics(q + 0.1, "panda_link8")
    J, M = PANDA.jacobian(q, "panda_link8", "aligned"), PANDA.mass_matrix(q)
    numbers = np.array([0.0, 0.2, 0.5])
    plain, rows = (
        LAWS["impedance"](PANDA, "panda_link8", goal, singularity_damping=x).torque(0.0, np.tile(q, (3, 1)), qd)
        for x in (0.0, numbers)
    )
    drift = PANDA.acceleration(q, qd, np.zeros(7), "panda_link8", "aligned")
    A = J @ np.linalg.solve(M, J.T)
    x = J @ np.linalg.solve(M, PANDA.bias_forces(q, qd)) - drift
    for number, row in zip(numbers, rows, strict=True):
        F = [np.linalg.solve(A + k**2 * np.eye(6), x) for k in (number, 0.0)]
        np.testing.assert_allclose(row - plain[0], J.T @ (F[0] - F[1]), atol=1e-9)


def test_a_row_of_nan_is_nan_alone_and_steppers_and_limits_are_the_same_law() -> None:
    rng = np.random.default_rng(2)
    q = np.tile(READY["ur5"], (9, 1)) + 0.1 * rng.standard_normal((9, 6))
    q[:, 4] = 0.0  # the wrist's singular position
    qd = 0.1 * rng.standard_normal((9, 6))
    for law in LAWS.values():
        controller = law(UR5, "tool0", GOAL)
        whole = controller.torque(0.0, q, qd)
        broken = q.copy()
        broken[3, 1] = np.nan
        found = controller.torque(0.0, broken, qd)
        assert np.isfinite(whole).all() and np.isnan(found[3]).all()
        np.testing.assert_array_equal(np.delete(found, 3, axis=0), np.delete(whole, 3, axis=0))
        loop, pose = controller.stepper(1e-3), controller._followed.at(0.0)
        for k in range(3):
            np.testing.assert_array_equal(loop.step(q[k], qd[k], *pose, out=np.empty(6)), whole[k])
        limited = Limited(controller).torque(0.0, q, 100 * qd)
        wanted = np.clip(controller.torque(0.0, q, 100 * qd), -UR5.effort_limits, UR5.effort_limits)
        np.testing.assert_array_equal(limited, wanted)
        assert (np.abs(limited) == UR5.effort_limits).any()


def test_rows_that_a_link_can_never_have_are_refused() -> None:
    for frame, free in (("panda_link4", 4), ("panda_link5", 5)):
        goal = PANDA.forward_kinematics(READY["panda"], frame)
        for name, law in LAWS.items():
            message = f"link '{frame}' of robot 'panda' moves along at most {free} of the 6 rows"
            with pytest.raises(InputError, match=message) as told:
                law(PANDA, frame, goal)
            if name == "impedance":
                continue  # its gains are those of six rows
            rows = tuple(map(int, str(told.value).partition("rows=(")[2].rstrip(")").split(",")))
            controller = law(PANDA, frame, goal, rows=rows, **({"pushed": ()} if name == "hybrid" else {}))
            assert np.isfinite(controller.torque(0.0, READY["panda"], np.full(7, 0.1))).all()
    message = "moves along at most 0 of the 1 rows vz in every position.*no rows are left"
    assert_raises(InputError, message, Impedance, revolute.robots.planar(2), "tip", np.eye(4), 1.0, 1.0, rows=(5,))


def test_what_is_wrong_with_singularity_damping_is_named() -> None:
    for law in LAWS.values():
        for wrong in ("manipulabilty", -1.0, np.nan, np.inf):
            assert_raises(InputError, "singularity_damping must be", law, UR5, "tool0", GOAL, singularity_damping=wrong)


def test_a_motion_that_diverges_names_the_singular_position() -> None:
    law = LAWS["resolved"](UR5, "tool0", out_of_reach(1)[0], singularity_damping=0.0)
    with pytest.raises(SimulationError, match=r"no finite force for joint .*link 'tool0' may pass a singular position"):
        UR5.simulate(READY["ur5"], np.zeros(6), law, np.arange(2001) * 1e-3, "semi_implicit_euler")


def test_a_motion_faster_than_its_steps_is_finite_with_a_method_that_chooses_them() -> None:
    """On its way to this goal out of reach the Panda passes singular positions, and its joints reach 1,777 rad/s."""
    goal = PANDA.forward_kinematics(READY["panda"], "panda_link8")
    goal[:3, 3] = -0.8281547336762627, 0.060698964121018745, -1.05733783038466
    law = LAWS["impedance"](PANDA, "panda_link8", goal, null_damping=1.0)
    start, t = (READY["panda"], np.zeros(7)), np.arange(1601) * 1e-4
    with pytest.raises(SimulationError, match=r"use shorter steps, or an adaptive method, such as RK45"):
        PANDA.simulate(*start, law, t, "semi_implicit_euler")
    motion = PANDA.simulate(*start, law, t, "DOP853")
    assert 1700 < np.abs(motion.qd).max() < 1850 and np.isfinite(motion.tau).all()
