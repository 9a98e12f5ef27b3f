"""Costs: their derivatives beside differences, on joints of all types; their goals."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from comparing import SLOPE_STEPS, SLOPE_WEIGHTS, assert_raises
from reaching import BENT, UR5

import revolute
from revolute import InputError, Transform, optimal
from revolute.dynamics.coordinate_rates import parent_axes_rates
from revolute.dynamics.kinematics import frame_pose
from revolute.dynamics.optimal.stepping import EXPLICIT, Dynamics
from revolute.dynamics.pose_error import screw_error
from revolute.optimal import Between, Cost, LimitCost, PoseCost, Residual, Sphere, StateCost, TorqueCost, TorqueRateCost
from revolute.optimal.costs.cost import CostNode, Weighted, within
from revolute.optimal.kernels.derivatives import derivative_shapes, derivatives, evaluation, step_rows
from revolute.optimal.kernels.setting import Setting

RNG = np.random.default_rng(5)
TREE = revolute.robots.random_tree(4, rng=3, base="free")
JOINTS = revolute.robots.random_tree(3, rng=1, types=("planar", "spherical", "revolute"))
LINK = TREE.link_names[-1]


def power(model: Any, q: Any, qd: Any, tau: Any, p: Any) -> list[Any]:
    """Residuals of one's own: the power of the last joint, a height, and a bound."""
    height = frame_pose(model, q, model.frames[-1].name).p[2]
    return [tau[-1] * qd[-1] - p[0], height * p[1], Between(qd[-1], -0.1, 0.1)]


COSTS: dict[str, Cost] = {
    "pose": PoseCost(LINK, [1, 2, 3, 4, 5, 6]),
    "point": optimal.PointCost(LINK, 3.0),
    "velocity": optimal.VelocityCost(LINK, 2.0),
    "relative": optimal.RelativeCost(LINK, [1, 2, 3, 4, 5, 6], other=TREE.link_names[1]),
    "center of mass": optimal.CenterOfMassCost(4.0),
    "momentum": optimal.MomentumCost(2.0),
    "state": StateCost(0.5),
    "torque": TorqueCost(0.1),
    "torque rate": TorqueRateCost(0.1),
    "acceleration": optimal.AccelerationCost(0.1),
    "limits": LimitCost(10.0),
    "velocity limits": LimitCost(10.0, "velocity"),
    "spheres": optimal.SphereCost(
        [Sphere(LINK, (0.1, 0, 0), 5.0)], [Sphere(TREE.link_names[1], (0, 0.2, 0), 4.0)], 2.0
    ),
    "residual": Residual(power, 2.0, goal=[0.5, 2.0], of_forces=True),
}


def parameters(setting: Setting, cost: Cost) -> np.ndarray:
    """Weights and a random goal."""
    p, place = np.zeros(setting.parameters), setting.places[0]
    goal = RNG.standard_normal(p[place.goal].shape)
    if isinstance(cost, PoseCost):
        goal = TREE.forward_kinematics(TREE.random_configuration(rng=8), LINK).ravel()
    elif isinstance(cost, StateCost):
        goal = [*TREE.random_configuration(rng=9), *RNG.standard_normal(TREE.nv)]
    elif isinstance(cost, LimitCost):
        goal = np.repeat([-0.01, 0.01], cost.size(setting.dynamics))
    elif isinstance(cost, Residual):
        goal = cost.goal
    p[place.weight], p[place.goal] = cost.weight, goal
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
            return float(setting.cost(moved, TREE.forward_dynamics(q, qd, tau + d[N:]), tau + d[N:], p, h))
        rates = [parent_axes_rates(TREE, v, qdd) for v in (dynamics.parts(x)[1], qd)]
        w = qdd + d[N:] + np.subtract(*rates)
        return float(setting.cost(moved, w, TREE.inverse_dynamics(q, qd, w), p, h))

    wanted = differences(at, N + n)
    gx, gc, Hxx, *_ = derivatives(setting)(x, tau, qdd, p, np.array([h]))
    size = max(np.abs(wanted).max(), 1e-3)
    assert size > 1e-3
    np.testing.assert_allclose(np.concatenate([gx, gc]), wanted, atol=1e-8 * size, rtol=1e-7)
    low = np.zeros((N, N))
    low[np.tril_indices(N)] = Hxx
    assert np.linalg.eigvalsh(low + np.tril(low, -1).T).min() >= -1e-12 * np.abs(Hxx).max()


def differences(f: Any, size: int) -> np.ndarray:
    """Slopes at zero by differences of fourth order."""
    return np.array([sum(w * f(h * e) for h, w in zip(SLOPE_STEPS, SLOPE_WEIGHTS, strict=True)) for e in np.eye(size)])


@pytest.mark.parametrize(
    ("method", "base"),
    [
        pytest.param(method, base, marks=[pytest.mark.slow] * (method == slow))
        for base, slow in (("free", "runge_kutta_4"), ("fixed", "runge_kutta_munthe_kaas_4")) for method in EXPLICIT
    ],
)  # fmt: skip
def test_steps_of_all_methods_have_the_derivatives_of_differences(method: str, base: str) -> None:
    """F and G of dx' = F dx + G c, of states that have the forces before; steps are those of `simulate`."""
    robot, h = revolute.robots.random_tree(2, rng=2, base=base), 0.03
    n, dynamics = robot.nv, Dynamics(robot, None, method, True)
    setting, N = Setting(dynamics, (TorqueRateCost(),), tuple(range(n))), dynamics.size
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


@pytest.mark.parametrize("robot", [TREE, JOINTS, UR5], ids=lambda robot: robot.name)
def test_lean_steps_have_the_derivatives_of_differences(robot: Any) -> None:
    """dx' of the parts that `symplectic_model` uses, along forces and along accelerations."""
    h = 0.05
    n, dynamics = robot.nv, Dynamics(robot)
    settings = [Setting(dynamics, (TorqueCost(),), motors) for motors in (tuple(range(n)), None)]
    x, qdd = state(robot)
    q, qd, _ = dynamics.parts(x)
    tau = robot.inverse_dynamics(q, qd, qdd)

    def step(x: Any, tau: Any) -> list[Any]:
        q, qd, _ = dynamics.parts(np.array(x, float))
        return dynamics.step(x, tau, robot.forward_dynamics(q, qd, tau), h)

    def moved(d: np.ndarray) -> np.ndarray:
        return np.array(dynamics.difference(end, step(dynamics.moved(x, d[: 2 * n]), tau + d[2 * n :])), float)

    end = step(x, tau)
    wanted = differences(moved, 3 * n).T
    by_forces, by_rates = (
        dict(zip(derivative_shapes(s), derivatives(s)(x, tau, qdd, np.ones(s.parameters), np.array([h])), strict=True))
        for s in settings
    )
    blocks = step_rows(settings[0], {name: y.ravel() for name, y in by_forces.items()}, h)
    rows = [np.array([[row.get(k, 0.0) for k in range(n)] for row in block]) for block in blocks]
    for W in (
        np.hstack([by_forces["Wx"], by_forces["Wc"]]),
        np.linalg.solve(by_rates["M"], np.hstack([-by_rates["P"], np.eye(n)])),
    ):
        u = h * W
        u[:, n : 2 * n] += np.eye(n)
        found = np.vstack([rows[1] @ u, rows[2] @ u])
        found[:n, :n] += rows[0]
        np.testing.assert_allclose(found, wanted, atol=1e-8 * np.abs(wanted).max())


def test_a_pose_at_its_goal_has_derivatives() -> None:
    """Where angles are zero, roots have no slope: the rows of the Hessian are those of the body Jacobian."""
    setting, zeros = Setting(Dynamics(UR5), (PoseCost("tool0"),)), np.zeros(6)
    p = np.concatenate([np.ones(6), UR5.forward_kinematics(BENT, "tool0").ravel()])
    gx, _, Hxx, *_ = derivatives(setting)(np.r_[BENT, zeros], zeros, zeros, p, np.array([0.01]))
    J = UR5.jacobian(BENT, "tool0", "body")
    np.testing.assert_allclose(gx, 0, atol=1e-12)
    np.testing.assert_allclose(Hxx[:21], (J.T @ J)[np.tril_indices(6)], atol=1e-12)


def test_a_free_base_at_its_goal_has_derivatives() -> None:
    n, x, setting = TREE.nv, np.r_[TREE.neutral(), np.zeros(TREE.nv)], Setting(Dynamics(TREE), (StateCost(),))
    gx, _, Hxx, *_ = derivatives(setting)(x, np.zeros(n), np.zeros(n), np.r_[np.ones(2 * n), x], np.array([0.01]))
    np.testing.assert_allclose(gx, 0, atol=1e-12)
    np.testing.assert_allclose(Hxx, np.eye(2 * n)[np.tril_indices(2 * n)], atol=1e-12)


def test_equal_problems_share_compiled_code() -> None:
    costs = StateCost(), StateCost(), TorqueCost()
    first, same, other = (Setting(Dynamics(TREE), (cost,)).identity("step") for cost in costs)
    assert first is not None and first == same != other


@pytest.mark.parametrize("robot", [TREE, JOINTS], ids=["free", "planar and spherical"])
def test_errors_of_states_are_differences(robot: revolute.Robot) -> None:
    """Also of planar joints, whose shortest rotation is taken."""
    rng = np.random.default_rng(3)
    q, goal = robot.random_configuration(2, rng=rng) * 2
    qd, goal_rates = rng.standard_normal((2, robot.nv))
    node = CostNode(q, qd, qd, qd, (), 0.1, q, qd)
    errors = StateCost().errors(Dynamics(robot), node, [*goal, *goal_rates])
    np.testing.assert_allclose(errors, [*robot.difference(goal, q), *(qd - goal_rates)], rtol=0, atol=1e-13)


def test_the_screw_error_is_the_logarithm() -> None:
    for q, other in np.random.default_rng(0).uniform(-2, 2, (5, 2, 6)):
        T, pose = (UR5.forward_kinematics(x, "tool0") for x in (q, other))
        screw = np.array(screw_error(UR5, q, pose.ravel(), "tool0"), float)
        np.testing.assert_allclose(pose @ Transform.exp(screw).matrix(), T, atol=1e-11)


def test_errors_between_bounds_are_zero_and_grow_outside() -> None:
    for value, shift, error in ((0.5, 0, 0), (1.5, 0, 0.5), (-2.0, 0, -2), (0.5, 0.75, 0.25)):
        assert within(Between(value, 0.0, 1.0), shift) == error


def test_the_kernel_of_evaluation_steps_as_simulate_does() -> None:
    setting, (x, _), tau = Setting(Dynamics(TREE), (StateCost(),)), state(TREE), RNG.standard_normal(TREE.nv)
    motion = TREE.simulate(x[: TREE.nq], x[TREE.nq :], tau, [0.0, 0.02], "semi_implicit_euler")
    end = np.concatenate([motion.q[1], motion.qd[1]])
    qdd, gap, _ = evaluation(setting)(x, end, tau, np.ones(setting.parameters), np.array([0.02]))
    np.testing.assert_allclose(qdd, motion.qdd[0], rtol=1e-9)
    np.testing.assert_allclose(gap, 0, atol=1e-12)


def concrete(kind: type[Cost]) -> set[type[Cost]]:
    """The library's costs of a kind."""
    found = {kind}.union(*map(concrete, kind.__subclasses__()))
    return {x for x in found if x.__module__.startswith("revolute.") and not inspect.isabstract(x)}


def test_all_costs_are_tested() -> None:
    """Those of contacts are in test_contacts_in_plans.py."""
    of_contacts = {optimal.ConeCost, optimal.ContactForceCost, optimal.SwingHeightCost, optimal.TouchDownCost}
    assert {type(cost) for cost in COSTS.values()} == concrete(Cost) - of_contacts


class Heights(Weighted):
    """A cost whose number of errors is not declared: it has no goal."""

    word = "heights"

    def errors(self, dynamics: Any, node: Any, goal: Any) -> list[Any]:
        return [node.q[0], node.q[1]]


def test_a_cost_without_its_size_is_refused() -> None:
    problem = optimal.OptimalControl(revolute.robots.planar(2), [Heights(), TorqueCost(1e-3)], steps=3, dt=0.1)
    words = r"Heights.errors returns 2 scalars, but Heights.size is 0; define size"
    assert_raises(InputError, words, problem.solve, [0.1, 0.2])
