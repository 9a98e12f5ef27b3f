"""Why iterations end: each reason is provoked; costs, errors and gains of plans mean what they say."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from reaching import BENT, GOAL, UR5

import revolute
from revolute import InputError, Robot, ShapeError, Transform
from revolute.dynamics.optimal import products
from revolute.optimal import Between, LimitCost, OptimalControl, OptimalPlan, PointCost, Residual, StateCost, TorqueCost
from revolute.spatial import Vector
from revolute.spatial.scalar import select, sqrt

ARM, STILL = revolute.robots.planar(2), np.zeros(2)
AIM = {"state": [0.5, -0.3, 0, 0]}


def problem(*costs: Any, steps: int = 30, dt: float = 0.02, **options: Any) -> OptimalControl:
    return OptimalControl(ARM, [*costs, StateCost(1.0), TorqueCost(1e-3)], steps=steps, dt=dt, **options)


def residual(f: Callable[[Any], Any], weight: float = 1.0, **options: Any) -> Residual:
    """A cost of the first joint's position."""
    return Residual(lambda model, q, qd, tau, p: [f(q[0])], weight, **options)


PLAIN = problem()
REASONS: dict[str, Callable[[], OptimalPlan]] = {
    "converged": lambda: PLAIN.solve(STILL, goal=AIM),
    "the iteration limit was reached": lambda: PLAIN.solve(STILL, goal=AIM, iterations=1),
    "no step along the search direction lowers the cost": lambda: problem(
        residual(lambda q: q - 1 + select(q > 0, 100.0, 0.0), 1e3), steps=5
    ).solve(STILL),
    "states or costs of the first plan are not finite": lambda: PLAIN.solve(STILL, [1e40, 0], goal=AIM),
    "hard costs do not vanish": lambda: OptimalControl(
        ARM, [StateCost(1e-2), TorqueCost(1e-3)], terminal=[PointCost("tip", 1e2, hard=True)], steps=20, dt=0.02
    ).solve(STILL + 0.3, goal=[5, 0, 0]),
    "the costs have no curvature along some forces": lambda: PLAIN.solve(
        np.zeros((2, 2)), goal=AIM, weights={"torque": [0.0, 1.0], "state": [0.0, 1.0]}
    ).row(0),
    "a derivative of costs or steps is not finite": lambda: problem(residual(lambda q: sqrt(q * q))).solve(STILL),
}


@pytest.mark.parametrize("reason", REASONS)
def test_reasons(reason: str) -> None:
    """Plans of a method that failed have no gains, neither their own nor those of the problem before."""
    plan = REASONS[reason]()
    assert plan.reason.startswith(reason)
    assert bool(plan.converged) == (reason == "converged")
    failed = any(word in reason for word in ("curvature", "derivative", "first plan"))
    assert np.isnan(plan.gains).all() if failed else np.isfinite(plan.gains).all()


def test_reasons_of_plans_whose_algebra_is_in_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of large robots, without the numbers of a row on one axis."""
    monkeypatch.setattr(products, "LARGE", 1)
    reason = "a derivative of costs or steps is not finite"
    assert REASONS[reason]().reason.startswith(reason)


def test_rows_that_fail_do_not_change_others() -> None:
    """Costs without curvature, derivatives that are NaN, and immense starts, among rows that converge."""
    rough = problem(residual(lambda q: sqrt(q * q), name="far"))
    q, qd = np.full((20, 2), 0.2) + np.arange(20)[:, None] / 100, np.zeros((20, 2))
    flat, undefined = np.ones(20), [3, 11, 12]
    flat[[1, 7, 19]], q[undefined], qd[5] = 0, 0, 1e40
    weights = {"state": flat, "torque": flat, "far": flat}
    plans = rough.solve(q, qd, goal=AIM, weights=weights)
    for k in range(20):
        given = {name: x[k] for name, x in weights.items()}
        word = "no curvature" if not flat[k] else "derivative" if k in undefined else "first plan" if k == 5 else ""
        assert word in plans.reason[k] and (word or plans.converged[k])
        if not flat[k]:
            assert_raises(InputError, word, rough.solve, q[k], qd[k], goal=AIM, weights=given)
            continue
        alone, row = rough.solve(q[k], qd[k], goal=AIM, weights=given), plans.row(k)
        for name in ("q", "tau", "gains", "cost", "iterations", "state"):
            np.testing.assert_array_equal(getattr(alone, name), getattr(row, name))


def test_converged_plans_cannot_be_improved() -> None:
    """Costs with kinks need regularization, which makes steps and expected changes small."""
    limits = np.array([[-0.5, -0.3], [0.5, 0.3]])
    for weight in (1e4, 1e6, 1e8):
        kinks = problem(LimitCost(weight, "velocity"))
        goal = AIM | {"velocity limits": limits}
        plan = kinks.solve(STILL, goal=goal)
        again = kinks.solve(STILL, goal=goal, guess=plan)
        assert plan.converged and abs(plan.cost - again.cost) < 2e-9


@pytest.mark.parametrize("weight", [1e-2, 1.0, 1e2])
def test_the_cost_of_a_plan_is_that_of_its_motion(weight: float) -> None:
    """Hard costs have errors, not costs; their initial weight does not matter."""
    limits = np.outer([-1.0, 1.0], np.ones(6))
    problem = OptimalControl(
        UR5, [StateCost(1e-2), TorqueCost(1e-3), LimitCost(weight, "velocity", hard=True)],
        terminal=[PointCost("tool0", weight, hard=True)], steps=30, dt=0.02,
    )  # fmt: skip
    plan = problem.solve(BENT, goal={"velocity limits": limits, "point of tool0": GOAL})
    motion = 0.01 * ((plan.q[:-1] ** 2).sum() + (plan.qd[:-1] ** 2).sum()) + 1e-3 * (plan.tau**2).sum()
    assert plan.converged and max(plan.errors.values()) <= 1e-4
    np.testing.assert_allclose(plan.cost, 0.02 * motion / 2, rtol=1e-12)
    assert not plan.costs["velocity limits"].any() and not plan.costs["point of tool0"].any()
    assert plan.report().count("velocity limits") == 1


@pytest.mark.parametrize("cost", ["residual", "torque"])
def test_hard_costs_of_forces_hold_at_the_first_node(cost: str) -> None:
    def first_motor(model: Any, q: Any, qd: Any, tau: Any, p: Any) -> list[Any]:
        return [Between(tau[0], -20.0, 20.0)]

    bounded = Residual(first_motor, 1e-6, hard=True, of_forces=True)
    fixed = TorqueCost([1e-6, 0.0], hard=True, name="fixed")
    options: dict[str, Any] = {"steps": 3, "dt": 0.02}
    costs = [StateCost(100.0), TorqueCost(1e-3), bounded if cost == "residual" else fixed]
    goal = AIM | ({} if cost == "residual" else {"fixed": [15.0, 0.0]})
    plan = OptimalControl(ARM, costs, **options).solve(STILL, goal=goal)
    assert plan.converged
    excess = np.abs(plan.tau[:, 0]) - 20 if cost == "residual" else np.abs(plan.tau[:, 0] - 15)
    assert excess.max() <= 1e-4
    assert float(next(iter(plan.errors.values()))) == pytest.approx(max(excess.max(), 0), abs=1e-12)


def test_a_start_may_be_a_node_of_a_plan() -> None:
    """Hard limits hold at the start to the same tolerance as at nodes."""
    fast = OptimalControl(
        UR5, [StateCost(1e-2), TorqueCost(1e-3), LimitCost(1.0, "velocity", hard=True)],
        terminal=[PointCost("tool0", 1e4)], steps=50, dt=0.01,
    )  # fmt: skip
    plan = fast.solve(BENT, goal=[-0.4, 0.3, 0.5])
    excess = np.abs(plan.qd) - UR5.velocity_limits
    k = int(excess.max(axis=1).argmax())
    assert 0 < excess[k].max() <= 1e-4
    assert fast.solve(plan.q[k], plan.qd[k], goal=[-0.4, 0.3, 0.5]).converged
    tight = {"goal": [-0.4, 0.3, 0.5], "violation": excess[k].max() / 2}
    assert_raises(InputError, "exceeds the velocity limit", fast.solve, plan.q[k], plan.qd[k], **tight)


def test_a_cost_of_the_end_has_its_own_goal() -> None:
    """The goal of the same residual at running nodes is another one; a given goal replaces both."""

    def height(model: Any, q: Any, qd: Any, tau: Any, p: Any) -> list[Any]:
        return [q[0] - p[0]]

    both = [Residual(height, 1e3, goal=[0.2])], [Residual(height, 1e3, goal=[0.5])]
    twice = OptimalControl(ARM, [*both[0], TorqueCost(1e-6)], terminal=both[1], steps=3, dt=0.5)
    parameters = twice.parameters()
    place = twice._setting.places[0].goal
    np.testing.assert_array_equal(parameters[:, place].ravel(), [0.2, 0.2, 0.2, 0.5])
    np.testing.assert_array_equal(twice.parameters({"height": [0.7]})[:, place].ravel(), [0.7] * 4)
    plan = twice.solve(STILL)
    np.testing.assert_allclose(plan.q[-1, 0], 0.5, atol=1e-3)
    np.testing.assert_allclose(plan.q[2, 0], 0.2, atol=1e-3)
    other = [Residual(height, goal=[0.5, 0.1])]
    repeated = {"terminal": other, "steps": 3, "dt": 0.5}
    assert_raises(InputError, "duplicate cost name 'height'", OptimalControl, ARM, both[0], **repeated)


def finger(mass: float, length: float) -> Robot:
    I = revolute.Inertia.from_com(mass, (length / 2, 0, 0), np.diag([1e-3, 1, 1]) * mass * length**2 / 12)
    links = [revolute.Link("b"), revolute.Link("l1", I), revolute.Link("l2", I)]
    hinge, place = revolute.Revolute((0, 1, 0)), Transform(p=Vector((length, 0, 0)))
    joints = [revolute.Joint("j1", "b", "l1", hinge), revolute.Joint("j2", "l1", "l2", hinge, place)]
    return Robot.from_links("finger", links, joints)


@pytest.mark.parametrize("bounds", [None, 1e9])
@pytest.mark.parametrize(("mass", "length"), [(0.01, 0.03), (0.005, 0.02), (1e-6, 1e-3), (1e4, 10.0)])
def test_robots_of_all_sizes(mass: float, length: float, bounds: float | None) -> None:
    """With costs in units of its size, a robot of any size takes the same iterations."""
    torque = mass * 9.81 * length
    swing = OptimalControl(
        finger(mass, length), [TorqueCost(torque**-2)], terminal=[StateCost(100.0)], steps=30,
        dt=0.02 * math.sqrt(length), effort_limits=bounds and bounds * torque,
    )  # fmt: skip
    rate = 1 / math.sqrt(length)
    plan = swing.solve(STILL, [5 * rate, 0], goal={"state": [2.5, 0.5, 0, 0]})
    assert plan.converged and plan.cost > 0
    assert np.abs(plan.q[-1] - [2.5, 0.5]).max() < 0.5


@pytest.mark.parametrize(("weight", "dt"), [(1e-3, 0.01), (1.0, 0.001)])
@pytest.mark.parametrize(("mass", "length"), [(0.01, 0.03), (0.005, 0.02)])
def test_small_robots_with_usual_weights(mass: float, length: float, weight: float, dt: float) -> None:
    """Curvature is relative: the square of their inertia is below 1e-12."""
    small = OptimalControl(finger(mass, length), [TorqueCost(weight)], terminal=[StateCost(1.0)], steps=50, dt=dt)
    assert small.solve(STILL, goal={"state": [0.5, 0.5, 0, 0]}).converged


def test_guesses_of_another_batch() -> None:
    plans = PLAIN.solve(np.zeros((3, 2)), goal=AIM)
    four = r"guess has the batch \(3,\), but the states have \(4,\)"
    assert_raises(ShapeError, four, PLAIN.solve, np.zeros((4, 2)), goal=AIM, guess=plans)
    assert_raises(ShapeError, r"select a plan: guess.row\(k\)", PLAIN.solve, STILL, goal=AIM, guess=plans)
    ragged = plans.q[0], plans.qd[0, :-1], plans.tau[0]
    assert_raises(ShapeError, "guess: velocities have shape", PLAIN.solve, STILL, goal=AIM, guess=ragged)
    assert (PLAIN.solve(np.zeros((2, 3, 2)), goal=AIM, guess=plans).iterations <= 1).all()


def test_problems_and_plans_are_pickled() -> None:
    """Before and after they are solved; compiled functions are loaded again."""
    new = problem()
    fresh = pickle.loads(pickle.dumps(new))
    plan = new.solve(STILL, goal=AIM)
    used, copy = pickle.loads(pickle.dumps((new, plan)))
    for other in (fresh, used, copy.problem):
        np.testing.assert_array_equal(other.solve(STILL, goal=AIM).tau, plan.tau)
    np.testing.assert_array_equal(copy.gains, plan.gains)
    assert copy.report() == plan.report() and new.solve(STILL, goal=AIM).converged


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (np.sin, "failed with TypeError: .*import sin, cos, sqrt, atan2, select from revolute.spatial.scalar"),
        (math.sin, "failed with GraphError: .*import sin"),
        (lambda q: q if q > 0 else -q, "failed with GraphError: .*truth value"),
        (lambda q: q.velocity, "failed with AttributeError"),
        (lambda q: "high", "must return a list of scalars"),
    ],
)  # fmt: skip
def test_functions_that_are_no_residual(f: Any, text: str) -> None:
    assert_raises(InputError, f"Residual 'mine': .*{text}", lambda: problem(residual(f, name="mine")).solve(STILL))
