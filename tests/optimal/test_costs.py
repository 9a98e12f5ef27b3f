"""Costs: their derivatives beside differences, on joints of all types; their goals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import revolute
from revolute import Transform
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.optimal.stepping import EXPLICIT, Dynamics
from revolute.dynamics.pose_error import screw_error
from revolute.optimal import (
    AccelerationCost,
    Between,
    CenterOfMassCost,
    Cost,
    EffortCost,
    EffortRateCost,
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
from revolute.optimal.kernels.derivatives import derivatives, evaluation
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
    "effort rate": EffortRateCost(0.1),
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


def state(robot: Any, remembers: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """A random state and accelerations."""
    qd, qdd, before = RNG.standard_normal((3, robot.nv))
    return np.concatenate([robot.random_configuration(rng=4), qd, before if remembers else ()]), qdd


@pytest.mark.parametrize("name", COSTS)
def test_gradients_are_those_of_differences(name: str) -> None:
    """By small motions and small accelerations, or forces where the state has those before; 4th order, 1e-8."""
    cost, n = COSTS[name], TREE.nv
    dynamics = Dynamics(TREE, remembers=cost.remembers)
    setting, N, h = Setting(dynamics, (cost,), tuple(range(n)) if cost.remembers else None), dynamics.size, 0.01
    p, (x, qdd) = parameters(setting, cost), state(TREE, cost.remembers)
    tau = TREE.inverse_dynamics(x[: TREE.nq], x[TREE.nq : TREE.nq + n], qdd)

    def at(d: np.ndarray) -> float:
        moved = np.array(dynamics.moved(x, d[:N]), float)
        q, qd, _ = dynamics.parts(moved)
        if cost.remembers:
            forces = tau + d[N:]
            return float(setting.cost(moved, TREE.forward_dynamics(q, qd, forces), forces, p, h))
        accelerations = qdd + d[N:]
        return float(setting.cost(moved, accelerations, TREE.inverse_dynamics(q, qd, accelerations), p, h))

    wanted = differences(at, N + n)
    gx, gc, Hxx, *_ = derivatives(setting)(x, tau, qdd, p, np.array([h]))
    size = max(np.abs(wanted).max(), 1e-3)
    assert size > 1e-3
    np.testing.assert_allclose(np.concatenate([gx, gc]), wanted, atol=1e-8 * size, rtol=1e-7)
    low = np.zeros((N, N))
    low[np.tril_indices(N)] = Hxx
    assert np.linalg.eigvalsh(low + np.tril(low, -1).T).min() >= -1e-12 * np.abs(Hxx).max()


def differences(f: Any, size: int, h: float = 1e-3) -> np.ndarray:
    """Slopes at zero by differences of fourth order."""
    slopes = [(8 * (f(h * e) - f(-h * e)) - (f(2 * h * e) - f(-2 * h * e))) / (12 * h) for e in np.eye(size)]
    return np.array(slopes)


@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("base", ["free", "fixed"])
def test_steps_of_all_methods_have_the_derivatives_of_differences(method: str, base: str) -> None:
    """F and G of dx' = F dx + G c, of states that have the forces before; steps are those of `simulate`."""
    robot, h = revolute.robots.random_tree(3, rng=2, base=base), 0.03
    n, dynamics = robot.nv, Dynamics(robot, None, method, True)
    setting, N = Setting(dynamics, (EffortRateCost(),), tuple(range(n))), dynamics.size
    x, _ = state(robot, True)
    tau = RNG.standard_normal(n)
    q, qd, _ = dynamics.parts(x)

    def step(x: Any, tau: Any) -> list[Any]:
        q, qd, _ = dynamics.parts(x)
        return dynamics.step(x, tau, robot.forward_dynamics(np.array(q, float), np.array(qd, float), tau), h)

    end = step(x, tau)
    motion = robot.simulate(q, qd, tau, [0.0, h], method)
    np.testing.assert_allclose(end, np.concatenate([motion.q[1], motion.qd[1], tau]), rtol=1e-9, atol=1e-11)

    def moved(d: np.ndarray) -> np.ndarray:
        return np.array(dynamics.difference(end, step(dynamics.moved(x, d[:N]), tau + d[N:])), float)

    wanted = differences(moved, N + n)
    *_, F, G = derivatives(setting)(
        x, tau, robot.forward_dynamics(q, qd, tau), np.ones(setting.parameters), np.array([h])
    )  # fmt: skip
    np.testing.assert_allclose(np.hstack([F, G]), wanted.T, atol=1e-8 * np.abs(wanted).max())


def test_steps_of_joints_of_several_coordinates_have_the_derivatives_of_differences() -> None:
    setting, h, n = Setting(Dynamics(TREE), (EffortCost(),)), 0.05, TREE.nv
    x, qdd = state(TREE)
    dynamics = setting.dynamics
    step = lambda x, w: dynamics.step(x, np.zeros(n), w, h)  # noqa: E731
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
    ur5, rng = revolute.robots.ur5(), np.random.default_rng(0)
    for q, other in rng.uniform(-2, 2, (5, 2, 6)):
        T, pose = (ur5.forward_kinematics(x, "tool0") for x in (q, other))
        screw = np.array(screw_error(ur5, q, pose.ravel(), "tool0"), float)
        np.testing.assert_allclose(pose @ Transform.exp(screw).matrix(), T, atol=1e-11)


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
