"""Costs: their derivatives beside differences, on joints of all types; their goals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import revolute
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.optimal.stepping import Dynamics
from revolute.optimal import (
    AccelerationCost,
    Between,
    CenterOfMassCost,
    Cost,
    EffortCost,
    LimitCost,
    PointCost,
    PoseCost,
    Residual,
    Sphere,
    SphereCost,
    StateCost,
    VelocityCost,
)
from revolute.optimal.costs.cost import within
from revolute.optimal.kernels.nodes import derivatives, evaluation
from revolute.optimal.kernels.passes import node_cost
from revolute.optimal.kernels.setting import Setting

RNG = np.random.default_rng(5)
TREE = revolute.robots.random_tree(4, rng=3, base="free")
LINK = TREE.link_names[-1]


def power(model: Any, q: Any, qd: Any, tau: Any, p: Any) -> list[Any]:
    """Residuals of one's own: the power of the last joint, a height, and a bound."""
    height = frame_pose(model, q, model.frames[-1].name).p[2]
    return [tau[-1] * qd[-1] - p[0], height * p[1], Between(qd[-1], -0.1, 0.1)]


COSTS: dict[str, Cost] = {
    "pose": PoseCost(LINK, [1, 2, 3, 4, 5, 6]),
    "point": PointCost(LINK, 3.0),
    "velocity": VelocityCost(LINK, 2.0),
    "center of mass": CenterOfMassCost(4.0),
    "state": StateCost(0.5),
    "effort": EffortCost(0.1),
    "acceleration": AccelerationCost(0.1),
    "limits": LimitCost(10.0),
    "velocity limits": LimitCost(10.0, "velocity"),
    "spheres": SphereCost([Sphere(LINK, (0.1, 0, 0), 5.0)], [Sphere(TREE.link_names[1], (0, 0.2, 0), 4.0)], 2.0),
    "residual": Residual(power, 2.0, goal=[0.5, 2.0], of_forces=True),
}


def parameters(setting: Setting, cost: Cost) -> np.ndarray:
    """Weights and a random goal."""
    p, place = np.zeros(setting.parameters), setting.places[0]
    p[place.weight] = cost.weight
    dynamics = setting.dynamics
    if isinstance(cost, PoseCost):
        p[place.goal] = TREE.forward_kinematics(TREE.random_configuration(rng=8), LINK).ravel()
    elif isinstance(cost, StateCost):
        p[place.goal] = [*TREE.random_configuration(rng=9), *RNG.standard_normal(TREE.nv)]
    elif isinstance(cost, LimitCost):
        p[place.goal] = np.outer([-0.01, 0.01], np.ones(cost.size(dynamics))).ravel()
    elif isinstance(cost, Residual):
        p[place.goal] = cost.goal
    else:
        p[place.goal] = RNG.standard_normal(p[place.goal].shape)
    return p


def state(robot: Any) -> tuple[np.ndarray, np.ndarray]:
    """A random state and accelerations."""
    qd, qdd = RNG.standard_normal((2, robot.nv))
    return np.concatenate([robot.random_configuration(rng=4), qd]), qdd


@pytest.mark.parametrize("name", COSTS)
def test_gradients_are_those_of_differences(name: str) -> None:
    """By small motions and small accelerations, along which forces follow from inverse dynamics; 4th order, 1e-8."""
    cost, n = COSTS[name], TREE.nv
    setting = Setting(Dynamics(TREE), (cost,))
    p, (x, qdd) = parameters(setting, cost), state(TREE)

    def at(d: np.ndarray) -> float:
        moved = np.array(setting.dynamics.moved(x, d[: 2 * n]), float)
        accelerations = qdd + d[2 * n :]
        tau = TREE.inverse_dynamics(moved[: TREE.nq], moved[TREE.nq :], accelerations)
        return float(node_cost(setting, moved, accelerations, tau, p))

    h = 1e-3
    wanted = [
        (8 * (at(h * e) - at(-h * e)) - (at(2 * h * e) - at(-2 * h * e))) / (12 * h) for e in np.eye(3 * n)
    ]
    tau = TREE.inverse_dynamics(x[: TREE.nq], x[TREE.nq :], qdd)
    gx, gw, Hxx, *_ = derivatives(setting)(x, tau, qdd, p, np.array([0.01]))
    size = max(np.abs(wanted).max(), 1e-3)
    assert size > 1e-3
    np.testing.assert_allclose(np.concatenate([gx, gw]), wanted, atol=1e-8 * size, rtol=1e-7)
    low, N = np.zeros((2 * n, 2 * n)), 2 * n
    low[np.tril_indices(N)] = Hxx
    assert np.linalg.eigvalsh(low + np.tril(low, -1).T).min() >= -1e-12 * np.abs(Hxx).max()


def test_steps_of_joints_of_several_coordinates_have_the_derivatives_of_differences() -> None:
    setting, h, n = Setting(Dynamics(TREE), (EffortCost(),)), 0.05, TREE.nv
    x, qdd = state(TREE)
    dynamics, nq = setting.dynamics, TREE.nq
    step = lambda x, w: [y for part in dynamics.step(x[:nq], x[nq:], w, h) for y in part]  # noqa: E731
    end, d = step(x, qdd), 1e-5

    def rate(move: np.ndarray, turn: np.ndarray) -> np.ndarray:
        there, back = (step(dynamics.moved(x, s * d * move), qdd + s * d * turn) for s in (1, -1))
        ends = [np.array(dynamics.difference(end, y), float) for y in (there, back)]
        return (ends[0] - ends[1])[:n] / (2 * d)

    *_, F_q, F_v = derivatives(setting)(x, np.zeros(n), qdd, np.ones(setting.parameters), np.array([h]))
    rows, zero = np.eye(2 * n), np.zeros(n)
    at = setting.turning[0]
    wanted_q = np.transpose([rate(rows[k], zero) for k in range(at.start, at.stop)])[at]
    wanted_v = np.transpose([rate(rows[n + k], zero) for k in range(at.start, at.stop)])[at]
    np.testing.assert_allclose(F_q[:36].reshape(6, 6), wanted_q, atol=1e-8)
    np.testing.assert_allclose(F_v[:36].reshape(6, 6), wanted_v, atol=1e-8)


def test_a_pose_at_its_goal_has_derivatives() -> None:
    """Where angles are zero, roots have no slope: the rows of the Hessian are those of the body Jacobian."""
    ur5 = revolute.robots.ur5()
    setting, q = Setting(Dynamics(ur5), (PoseCost("tool0"),)), np.array([0.3, -1.2, 1.5, -0.8, -1.0, 0.3])
    p = np.concatenate([np.ones(6), ur5.forward_kinematics(q, "tool0").ravel()])
    gx, _, Hxx, *_ = derivatives(setting)(np.r_[q, np.zeros(6)], np.zeros(6), np.zeros(6), p, np.array([0.01]))
    J = ur5.jacobian(q, "tool0", "body")
    np.testing.assert_allclose(gx, 0, atol=1e-12)
    np.testing.assert_allclose(Hxx[:21], (J.T @ J)[np.tril_indices(6)], atol=1e-12)


def test_a_free_base_at_its_goal_has_derivatives() -> None:
    boat = revolute.robots.random_tree(3, rng=0, base="free")
    n, setting = boat.nv, Setting(Dynamics(boat), (StateCost(),))
    q, zeros = boat.neutral(), np.zeros(boat.nv)
    p = np.concatenate([np.ones(2 * n), q, zeros])
    gx, _, Hxx, *_ = derivatives(setting)(np.r_[q, zeros], zeros, zeros, p, np.array([0.01]))
    np.testing.assert_allclose(gx, 0, atol=1e-12)
    np.testing.assert_allclose(Hxx, np.eye(2 * n)[np.tril_indices(2 * n)], atol=1e-12)


def test_the_screw_error_is_the_logarithm() -> None:
    from revolute.dynamics.optimal.screw_error import screw_error

    ur5, rng = revolute.robots.ur5(), np.random.default_rng(0)
    for q, other in rng.uniform(-2, 2, (5, 2, 6)):
        pose = ur5.forward_kinematics(other, "tool0")
        w_v = np.array(screw_error(ur5, q, pose.ravel(), "tool0"), float)
        twist = np.zeros((4, 4))
        twist[:3, :3] = [[0, -w_v[2], w_v[1]], [w_v[2], 0, -w_v[0]], [-w_v[1], w_v[0], 0]]
        twist[:3, 3] = w_v[3:]
        step = np.eye(4)
        for k in range(12, 0, -1):
            step = np.eye(4) + twist / 1024 @ step / k
        np.testing.assert_allclose(
            pose @ np.linalg.matrix_power(step, 1024), ur5.forward_kinematics(q, "tool0"), atol=1e-11
        )


def test_errors_between_bounds_are_zero_and_grow_outside() -> None:
    assert within(Between(0.5, 0.0, 1.0), 0) == 0
    assert within(Between(1.5, 0.0, 1.0), 0) == 0.5
    assert within(Between(-2.0, 0.0, 1.0), 0) == -2
    assert within(Between(0.5, 0.0, 1.0), 0.75) == 0.25


def test_the_kernel_of_evaluation_steps_as_simulate_does() -> None:
    setting, (x, _) = Setting(Dynamics(TREE), (StateCost(),)), state(TREE)
    tau, nq, t = RNG.standard_normal(TREE.nv), TREE.nq, np.array([0.0, 0.02])
    motion = TREE.simulate(x[:nq], x[nq:], tau, t, "semi_implicit_euler")
    end = np.concatenate([motion.q[1], motion.qd[1]])
    qdd, gap, _ = evaluation(setting)(x, end, tau, np.ones(setting.parameters), np.array([0.02]))
    np.testing.assert_allclose(qdd, motion.qdd[0], rtol=1e-9)
    np.testing.assert_allclose(gap, 0, atol=1e-12)
