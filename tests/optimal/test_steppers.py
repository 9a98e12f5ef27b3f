"""Predictive control and sampling in a loop: arrays for results, elapsed times, goals that stay, lost calls."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import DtypeError, InputError, ShapeError, UnknownNameError
from revolute.control import LQR
from revolute.optimal import LimitCost, OptimalControl, Predictive, Sampling, StateCost, TorqueCost

ARM, STILL, DT = revolute.robots.planar(2), np.zeros(2), 0.02
GOAL = {"state": [0.5, -0.3, 0, 0]}
PROBLEM = OptimalControl(ARM, [StateCost(1.0), TorqueCost(1e-3)], steps=30, dt=DT)
MAKERS: dict[str, Callable[[OptimalControl], Any]] = {
    "plan": lambda problem: problem.stepper(), "sampling": lambda problem: Sampling(problem, samples=8, rng=0),
}  # fmt: skip


@pytest.fixture(params=MAKERS)
def loop(request: pytest.FixtureRequest) -> Any:
    return MAKERS[request.param](PROBLEM)


@pytest.mark.parametrize(
    ("out", "error", "text"),
    [
        (np.zeros(2, int), DtypeError, "out must be float64, not int64"),
        (np.zeros(2, np.float32), DtypeError, "out must be float64, not float32"),
        ([0.0, 0.0], DtypeError, "out must be a NumPy array, not list"),
        (np.zeros((5, 2)), ShapeError, r"out must have shape \(2,\), not \(5, 2\)"),
        (np.zeros(3), ShapeError, r"out must have shape \(2,\), not \(3,\)"),
        (np.broadcast_to(0.0, (2,)), InputError, "out is read-only"),
    ],
)
def test_arrays_for_forces(loop: Any, out: Any, error: type[Exception], text: str) -> None:
    assert_raises(error, text, loop.step, STILL, STILL, GOAL, out=out)


def test_arrays_for_forces_of_a_robot_that_flies() -> None:
    """Its law is not one compiled function, and takes the same arrays."""
    flying = revolute.robots.random_tree(2, rng=1, base="free").with_gravity((0, 0, 0))
    law, state = LQR(flying, flying.neutral(), np.ones(16), np.ones(8)), (flying.neutral(), np.zeros(8))
    assert_raises(DtypeError, "out must be float64, not int64", law.torque, 0.0, *state, out=np.zeros(8, int))
    assert_raises(ShapeError, r"out must have shape \(8,\)", law.torque, 0.0, *state, out=np.zeros((5, 8)))


def test_states_of_another_shape(loop: Any) -> None:
    for q in (np.zeros(3), np.zeros((2, 2)), 0.0):
        assert_raises(ShapeError, "but one state is needed", loop.step, q, STILL, GOAL, out=np.zeros(2))
    assert_raises(DtypeError, "must be real numbers", loop.step, ["a", "b"], STILL, GOAL, out=np.zeros(2))


@pytest.mark.parametrize("elapsed", [np.nan, np.inf, -1.0, -1e-300, "soon", [0.1]])
def test_times_that_are_none(loop: Any, elapsed: Any) -> None:
    """They are refused at every call, the first one and lost ones among them, and the plan stays."""
    out = np.zeros(2)
    assert_raises(InputError, "elapsed must be a", loop.step, STILL, STILL, GOAL, out=out, elapsed=elapsed)
    forces = loop.step(STILL, STILL, GOAL, out=out).copy()
    assert_raises(InputError, "elapsed must be a", loop.step, STILL, STILL, out=out, elapsed=elapsed)
    if not isinstance(loop, Sampling):
        assert_raises(InputError, "elapsed must be a", loop.step, STILL * np.nan, STILL, out=out, elapsed=elapsed)
        loop.step(STILL * np.nan, STILL, out=out, elapsed=0.0)
        np.testing.assert_array_equal(out, forces)


@pytest.mark.parametrize(
    ("times", "node"),
    [
        ([0.002] * 100, 10), ([0.0049] * 41, 10), ([0.05], 2), ([0.03, 0.03], 3), ([DT / 3] * 3, 1), ([1e9], 30),
        ([1e300], 30), ([0.0] * 5, 0), ([None] * 4, 4), ([DT * (1 - 1e-7)], 0),
    ],
)  # fmt: skip
def test_plans_move_on_by_the_time_that_has_passed(times: list[Any], node: int) -> None:
    """Lost calls of a plan, and calls of sampling, reach the forces of the node at that time."""
    loop, out = PROBLEM.stepper(), np.zeros(2)
    loop.step(STILL, STILL, GOAL, out=out)
    tau = np.vstack([loop.plan.tau, loop.plan.tau[-1:]])
    for time in times:
        loop.step(STILL * np.nan, STILL, out=out, elapsed=time)
    np.testing.assert_array_equal(out, tau[node])
    sampler = Sampling(PROBLEM, samples=8, noise=1e-12, rng=0)
    sampler.step(STILL, STILL, GOAL, out=out)
    sampler._nominal[:-1, 0] = np.arange(30)[:, None]
    for time in times:
        sampler.step(STILL, STILL, out=out, elapsed=time)
    np.testing.assert_allclose(out, min(node, 29), atol=1e-9)


def test_samples_that_all_fail_move_the_forces_on() -> None:
    sampler, out = Sampling(PROBLEM, samples=8, noise=1e-12, rng=0), np.zeros(2)
    sampler.step(STILL, STILL, GOAL, out=out)
    tau = sampler.tau.copy()
    sampler.step(STILL, [1e200, 0], out=out)
    assert sampler.failed
    np.testing.assert_array_equal(out, tau[1])


def test_omitted_goals_are_unchanged(loop: Any) -> None:
    """So are those of calls with goals that are not numbers, and of a stepper that starts anew."""
    other = MAKERS["sampling" if isinstance(loop, Sampling) else "plan"](PROBLEM)
    forces, expected = np.zeros(2), np.zeros(2)
    for k, goal in enumerate([GOAL, None, {}, {"torque": [1.0, 2.0]}, None, {"state": [np.nan] * 4}, None]):
        bad = k == 5
        try:
            loop.step(STILL, STILL, goal, out=forces, elapsed=0.0)
        except InputError:
            assert bad and isinstance(loop, Sampling)
        if bad:
            assert isinstance(loop, Sampling) or loop.failed
            continue
        whole = GOAL | ({"torque": [1.0, 2.0]} if k > 2 else {})
        other.step(STILL, STILL, whole, out=expected, elapsed=0.0)
        np.testing.assert_array_equal(forces, expected)
    assert not loop.failed
    assert_raises(UnknownNameError, "no cost 'pose'", loop.step, STILL, STILL, {"pose": [1]}, out=forces)
    if not isinstance(loop, Sampling):
        loop.reset()
        loop.step(STILL, STILL, out=forces)
        np.testing.assert_allclose(loop.plan.q[-1], PROBLEM.solve(STILL, goal=whole).q[-1], atol=1e-6)


def test_limits_without_bounds_are_known(loop: Any) -> None:
    """The robot's own limits are infinite."""
    limited = OptimalControl(ARM, [StateCost(1.0), TorqueCost(1e-3), LimitCost(1.0)], steps=5, dt=DT)
    limits = MAKERS["sampling" if isinstance(loop, Sampling) else "plan"](limited)
    limits.step(STILL, STILL, GOAL, out=np.zeros(2))
    limits.step(STILL, STILL, {"position limits": [[-np.inf] * 2, [1, np.inf]]}, out=np.zeros(2))
    assert not limits.failed
    assert_raises(
        InputError, "lower limit is above", limits.step, STILL, STILL, {"position limits": [[2, 0], [1, 1]]},
        out=np.zeros(2),
    )  # fmt: skip


def test_costs_without_curvature_are_a_reason_of_a_stepper() -> None:
    flat, out = OptimalControl(ARM, [StateCost(1.0)], steps=5, dt=DT).stepper(), np.zeros(2)
    flat.step(STILL, STILL, out=out)
    assert flat.failed and "no curvature" in flat.reason
    np.testing.assert_allclose(out, ARM.gravity_forces(STILL))


def test_a_controller_of_a_motion_that_starts_anew() -> None:
    law = Predictive(PROBLEM, GOAL)
    forces = [law.torque(t, STILL, STILL) for t in (0.5, 0.52, 0.1, 0.1)]
    for again in forces[2:]:
        np.testing.assert_array_equal(again, forces[0])
    assert law.stepper.failures == 0
    copy = pickle.loads(pickle.dumps(PROBLEM)).stepper()
    np.testing.assert_array_equal(copy.step(STILL, STILL, GOAL, out=np.zeros(2)), forces[0])
