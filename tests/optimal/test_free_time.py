"""Free times: closed forms, plans of fixed durations beside them, and time-optimal motions along paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import DtypeError, InputError, ShapeError
from revolute.optimal import (
    FreeTime,
    LimitCost,
    OptimalControl,
    OptimalPlan,
    Residual,
    StateCost,
    TorqueCost,
    TorqueRateCost,
)  # fmt: skip
from revolute.trajectory import spline, time_optimal

ARM, START = revolute.robots.planar(2), np.array([0.3, 0.2])
COSTS, END = [StateCost(1.0), TorqueCost(1e-3)], [StateCost(100.0)]
SLIDER = revolute.robots.planar(1).with_gravity((0, 0, 0))
UNIT = SLIDER.mass_matrix([0.0])[0]  # for accelerations of 1 rad/s^2


def swing(dt: Any = 1 / 30, costs: Any = COSTS, **options: Any) -> OptimalControl:
    return OptimalControl(ARM, costs, terminal=END, steps=30, dt=dt, **options)


def rest_to_rest(steps: int = 40, *more: Any, cost: float = 1e-4) -> OptimalControl:
    """One joint, to rest at zero, with accelerations of at most 1 rad/s^2."""
    end, costs = [StateCost(10.0, hard=True)], [TorqueCost(cost), *more]
    return OptimalControl(SLIDER, costs, terminal=end, steps=steps, dt=0.1, effort_limits=UNIT)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"effort_limits": [30.0, 10.0]}, {"method": "runge_kutta_4"}, {"actuated": ["joint1"]},
        {"costs": [*COSTS, TorqueRateCost(1e-4)]},
    ],
)  # fmt: skip
def test_slopes_by_time_are_differences_of_least_costs(options: dict[str, Any]) -> None:
    """Of a length: central differences with h = 1e-3, whose error is below 1e-5 of the largest slope."""
    problem = swing(**options)
    problem.solve(START, tolerance=1e-13)
    slopes = problem._idle[1][0].slopes_by_time(0)
    there, back = (
        swing(1 / 30 * (1 + change * (np.arange(30) == 7)), **options).solve(START, tolerance=1e-13).cost
        for change in (1e-3, -1e-3)
    )
    assert abs((there - back) / (2e-3 / 30) - slopes[7]) < 1e-5 * np.abs(slopes).max()


@pytest.mark.parametrize("weight", [0.01, 1.0])
def test_the_duration_is_the_best_one(weight: float) -> None:
    """Plans of other durations, and the same costs of time, cost more; the duration given is only the first guess."""
    plans = [swing(dt).solve(START, free_time=FreeTime(0.05, 5.0, weight)) for dt in (1 / 30, 1 / 90)]
    np.testing.assert_allclose(plans[0].t[-1], plans[1].t[-1], rtol=1e-3)
    np.testing.assert_allclose(plans[0].cost, plans[1].cost, rtol=1e-7)
    for share in (0.98, 1.0, 1.02):
        end = float(share * plans[0].t[-1])
        cost = swing(end / 30).solve(START).cost + weight * end
        if share == 1.0:
            np.testing.assert_allclose(cost, plans[0].cost, rtol=1e-8)
        else:
            assert cost > plans[0].cost
    np.testing.assert_allclose(plans[0].costs["free time"].sum(), weight * plans[0].t[-1], rtol=1e-12)
    assert "free time" in plans[0].report() and plans[0].check().gap < 1e-9


@pytest.mark.parametrize("distance", [0.25, 1.0, 4.0])
def test_least_time_from_rest_to_rest(distance: float) -> None:
    """Full acceleration, then full deceleration: T = 2 sqrt(distance), with an even number of steps exactly."""
    plan = rest_to_rest().solve([distance], free_time=FreeTime(0.1, 20.0))
    assert plan.converged and plan.errors["state"] <= 1e-4
    np.testing.assert_allclose(plan.t[-1], 2 * np.sqrt(distance), rtol=1e-3)
    np.testing.assert_allclose(plan.tau[:, 0], np.repeat([-UNIT[0], UNIT[0]], 20), atol=0.02 * UNIT[0])


def test_least_time_with_a_limit_of_velocity() -> None:
    """At most 0.5 rad/s: T = distance / 0.5 + 0.5, with as many nodes as meet its corners."""
    plan = rest_to_rest(50, LimitCost(10.0, "velocity", hard=True)).solve(
        [1.0], goal={"velocity limits": [[-0.5], [0.5]]}, free_time=FreeTime(0.1, 20.0)
    )
    assert plan.converged
    np.testing.assert_allclose(plan.t[-1], 2.5, rtol=2e-3)
    check = plan.check()
    assert "velocity limits" in check.at_nodes and "not checked between nodes: hard costs (" in str(check)


@pytest.mark.parametrize(("bounds", "duration"), [((2.5, 9.0), 2.5), ((0.5, 3.0), 2.0), ((2.2, 2.2), 2.2)])
def test_durations_stay_in_their_bounds(bounds: tuple[float, float], duration: float) -> None:
    plan = rest_to_rest().solve([1.0], free_time=FreeTime(*bounds))
    assert plan.converged and bounds[0] * (1 - 1e-12) <= plan.t[-1] <= bounds[1] * (1 + 1e-12)
    np.testing.assert_allclose(plan.t[-1], duration, rtol=1e-3)


def test_durations_that_are_too_short_for_hard_costs() -> None:
    plan = rest_to_rest().solve([1.0], free_time=FreeTime(0.1, 1.5))
    assert not plan.converged and "hard costs do not vanish" in plan.reason


def test_phases_have_their_own_durations() -> None:
    """Out and back, with a weight at the turn: by symmetry of distances T_1 = T_2; lengths keep their ratios."""

    def turn(model: Any, q: Any, qd: Any, tau: Any, p: Any) -> Any:
        return [q[0] - p[0]]

    at, ratio = np.zeros(41), np.r_[np.tile([0.05, 0.15], 10), np.full(20, 0.1)]
    at[20] = 1.0
    problem = OptimalControl(
        SLIDER, [TorqueCost(1e-4), Residual(turn, 100.0, hard=True, goal=[1.0])],
        terminal=[StateCost(10.0, hard=True)], steps=40, dt=ratio, effort_limits=UNIT,
    )  # fmt: skip
    phases = [FreeTime(0.3, 9.0, steps=(0, 20)), FreeTime(0.3, 9.0, steps=(20, 40))]
    plan = problem.solve([0.0], weights={"turn": at}, free_time=phases)
    assert plan.converged
    # the fastest way passes the turn without a stop at it: it decelerates and accelerates back through it
    np.testing.assert_allclose(plan.q[20], 1.0, atol=1e-4)
    steps = np.diff(plan.t)
    np.testing.assert_allclose(steps[1:20:2] / steps[:20:2], 3.0, rtol=1e-12)
    np.testing.assert_allclose(steps[20:], steps[20], rtol=1e-12)
    # at the turn the speed is zero, as both ways are one radian long: T = 2 sqrt(1) of the first, and of the second
    np.testing.assert_allclose([plan.t[20], plan.t[-1] - plan.t[20]], 2.0, rtol=0.02)
    one = problem.solve([0.0], weights={"turn": at}, free_time=FreeTime(2.0, 2.5, steps=(20, 40)))
    np.testing.assert_allclose(one.t[20], 2.0, rtol=1e-12)


def test_phases_of_coupled_costs_reach_one_minimum() -> None:
    """From any first guess, where each phase has its own duration: cost 1e-7, durations 1e-3."""
    phases = [FreeTime(0.001, 5.0, 0.1, steps=(k, k + 10)) for k in (0, 10, 20)]
    plans = [
        swing(np.repeat(lengths, 10)).solve(START, free_time=phases)
        for lengths in ([0.03, 0.03, 0.03], [0.07, 0.05, 0.02], [0.01, 0.02, 0.06])
    ]
    for plan in plans[1:]:
        np.testing.assert_allclose(plan.cost, plans[0].cost, rtol=1e-7)
        np.testing.assert_allclose(plan.t[[10, 20, 30]], plans[0].t[[10, 20, 30]], atol=1e-3)
    split = np.diff(plans[0].t)
    longer = swing(np.r_[split[:10] * 1.02, split[10:]]).solve(START)
    assert longer.cost + 0.1 * longer.t[-1] > plans[0].cost


def test_problems_of_a_batch_have_their_own_times(tmp_path: Path) -> None:
    """Each as alone, to the last bit; bounds and weights may differ, too."""
    starts, weights = START * np.linspace(0.5, 1.5, 12)[:, None], np.linspace(0.05, 0.5, 12)
    problem = swing()
    plans = problem.solve(starts, free_time=FreeTime(0.05, 5.0, weights))
    assert plans.t.shape == (12, 31) and plans.converged.all() and len(np.unique(plans.t[:, -1])) == 12
    for k in (0, 11):
        one = problem.solve(starts[k], free_time=FreeTime(0.05, 5.0, weights[k]), threads=1)
        for name in ("t", "q", "tau", "cost", "gains"):
            np.testing.assert_array_equal(getattr(plans.row(k), name), getattr(one, name))
    assert_raises(InputError, "motion: needs one plan", plans.motion)
    assert plans.row(3).motion().t.shape == (31,)
    plans.save(tmp_path / "plans.npz")
    again = OptimalPlan.load(tmp_path / "plans.npz", ARM)
    np.testing.assert_array_equal(again.t, plans.t)
    assert "30 steps" in repr(plans.row(0))


def test_a_plan_with_free_time_changes_no_later_plan() -> None:
    problem = swing()
    before = problem.solve(START)
    problem.solve(START, free_time=FreeTime(0.05, 5.0))
    after = problem.solve(START)
    for name in ("t", "q", "tau", "cost"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (FreeTime(0.0, 1.0), InputError, "0 < shortest <= longest"),
        (FreeTime(2.0, 1.0), InputError, "0 < shortest <= longest"),
        (FreeTime(1.0, 2.0, -1.0), InputError, "a weight of zero or more"),
        (FreeTime(1.0, np.nan), InputError, "free_time: longest"),
        (FreeTime("1", 2.0), DtypeError, "free_time: shortest must be real numbers"),
        (FreeTime([1.0, 1.0], 2.0), ShapeError, "free_time has numbers of shapes"),
        (FreeTime(1.0, 2.0, steps=(0, 31)), InputError, r"steps \(0, 31\) are not among those of the problem"),
        (FreeTime(1.0, 2.0, steps=(3, 3)), InputError, r"steps \(3, 3\) are not among"),
        (FreeTime(1.0, 2.0, steps=3), InputError, r"steps must be \(first, end\)"),  # type: ignore[arg-type]
        ([FreeTime(1.0, 2.0), FreeTime(1.0, 2.0, steps=(3, 9))], InputError, "overlap the steps of another phase"),
        ([], InputError, "free_time"),
        ((0.5, 2.0), InputError, "free_time"),
    ],
)
def test_invalid_free_times(given: Any, error: type[Exception], text: str) -> None:
    assert_raises(error, text, swing().solve, START, free_time=given)


def test_steps_may_be_numpy_integers_and_the_name_is_taken() -> None:
    ends: Any = tuple(np.array([0, 30]))
    plans = [swing().solve(START, free_time=FreeTime(0.5, 1.5, 0.1, steps=steps)) for steps in (ends, None)]
    np.testing.assert_array_equal(plans[0].t, plans[1].t)
    assert_raises(InputError, "'free time' is the name of", swing, costs=[*COSTS, StateCost(name="free time")])


def along(start: np.ndarray, way: np.ndarray) -> Residual:
    """Errors across a line of joint positions."""

    def line(model: Any, q: Any, qd: Any, tau: Any, p: Any) -> Any:
        return [(q[k] - start[k]) * way[0] - (q[0] - start[0]) * way[k] for k in range(1, len(start))]

    return Residual(line, 1e2, hard=True)


@pytest.mark.parametrize("name", ["planar", pytest.param("panda", marks=pytest.mark.slow)])
def test_least_times_along_a_path_are_those_of_time_optimal(name: str) -> None:
    """Within 2 %, on the same limits; and no slower without the path."""
    robot = revolute.robots.panda() if name == "panda" else ARM
    start = robot.home()
    way = np.array([0.8, 0.5, -0.4, 0.6, 0.3, -0.5, 0.4])[: robot.nv]
    limits = robot.effort_limits if name == "panda" else np.array([60.0, 20.0])
    best = time_optimal(spline(robot, [start, start + way], 1.0), robot, torque=limits).duration
    found = []
    for path in ([along(start, way)], []):
        costs = [TorqueCost(1e-7), LimitCost(1.0, "velocity", hard=True), *path]
        end = [StateCost(10.0, hard=True)]
        problem = OptimalControl(robot, costs, terminal=end, steps=40, dt=0.015, effort_limits=limits)
        goal = {"state": np.r_[start + way, 0 * way]}
        guess = start + np.linspace(0, 1, 41)[:, None] * way, np.zeros((40, len(way)))
        plan = problem.solve(start, goal=goal, guess=guess, free_time=FreeTime(0.1, 3.0), tolerance=1e-6)
        assert plan.converged
        found.append(float(plan.t[-1]))
    assert abs(found[0] / best - 1) < 0.02 and found[1] < 1.02 * best
