"""Contacts in plans with free times, delays, files and controllers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import invoke
from comparing import assert_raises

import revolute
from revolute import Contact, InputError, Plane, ShapeError, TrajectoryError, UnknownNameError
from revolute.optimal import (
    ConeCost,
    ContactForceCost,
    FreeTime,
    OptimalControl,
    OptimalPlan,
    Predictive,
    Sampling,
    StateCost,
    TorqueCost,
)

ARM, Q, V, T, H = revolute.robots.planar(3), np.array([1.2, -2.0, 0.8]), np.array([-0.3, 0.4, 0.5]), 8, 0.02
WALL = Plane((-1.0, 0.2, 0.0), float(np.dot((-1.0, 0.2, 0.0), ARM.forward_kinematics(Q, "tip")[:3, 3])) / 1.04**0.5)
TIP = Contact("tip", friction=0.5, surface=WALL)
COSTS = [StateCost([10.0] * 3 + [1.0] * 3), TorqueCost(1e-3), ContactForceCost(1e-4), ConeCost(1e-2, least=5.0)]
GOAL = {"state": [*Q, 0, 0, 0], "contact forces": [[-20.0, 0.0, 0.0]]}
LETS_GO = np.array([[1.0]] * 4 + [[0.0]] * 4)


def problem(dt: Any = H, costs: Any = COSTS, contacts: Any = TIP, **options: Any) -> OptimalControl:
    """An arm whose tip moves at a wall."""
    return OptimalControl(ARM, costs, steps=T, dt=dt, contacts=[contacts], **options)


@pytest.mark.parametrize("options", [{}, {"contact_gains": (400.0, 40.0)}, {"effort_limits": 30.0}])
def test_slopes_by_time_are_differences_of_least_costs(options: dict[str, Any]) -> None:
    """Of the length of an impact and of another one: central differences with h = 1e-3, to 1e-5."""
    one = problem(**options)
    one.solve(Q, V, goal=GOAL, active=LETS_GO, tolerance=1e-13)
    slopes = one._idle[1][0].slopes_by_time(0)
    for k in (0, 5):
        there, back = (
            problem(H * (1 + change * (np.arange(T) == k)), **options)
            .solve(Q, V, goal=GOAL, active=LETS_GO, tolerance=1e-13).cost
            for change in (1e-3, -1e-3)
        )  # fmt: skip
        assert abs((there - back) / (2e-3 * H) - slopes[k]) < 1e-5 * np.abs(slopes).max()


@pytest.mark.parametrize("active", [np.ones((T, 1)), LETS_GO])
def test_free_times_of_phases_with_contacts(active: np.ndarray) -> None:
    """Plans of the chosen lengths cost the same, with the same forces; those of other durations cost more."""
    free = [FreeTime(0.005, 1.0, 0.01, steps=(0, 4)), FreeTime(0.005, 1.0, 0.01, steps=(4, 8))]
    plan = problem().solve(Q, V, goal=GOAL, active=active, free_time=free)
    assert plan.converged and np.array_equal(plan.contact_forces.any(axis=-1), active)
    for k, share in ((0, 0.9), (0, 1.1), (4, 0.9), (4, 1.1), (0, 1.0)):
        dt = np.diff(plan.t)
        dt[k : k + 4] *= share
        other = problem(dt).solve(Q, V, goal=GOAL, active=active)
        cost = other.cost + 0.01 * dt.sum()
        if share == 1.0:
            np.testing.assert_allclose(cost, plan.cost, rtol=1e-8)
            np.testing.assert_allclose(other.contact_forces, plan.contact_forces, atol=1e-2)
        elif dt[k : k + 4].sum() > 0.005:
            assert cost > plan.cost


@pytest.mark.parametrize("options", [{}, {"effort_limits": 30.0}])
def test_idle_contacts_leave_the_plan_of_the_problem_without_them(options: dict[str, Any]) -> None:
    costs, goal = COSTS[:2], {"state": GOAL["state"]}
    free = OptimalControl(ARM, costs, steps=T, dt=H, **options).solve(Q, V, goal=goal, tolerance=1e-15)
    idle = problem(costs=costs, **options).solve(Q, V, goal=goal, active=np.zeros((T, 1)), tolerance=1e-15)
    np.testing.assert_allclose(idle.cost, free.cost, rtol=1e-12)
    np.testing.assert_allclose(idle.q, free.q, atol=1e-8)


@pytest.mark.parametrize(("late", "each"), [(2, 1), (1, 2), (3, 2)])
def test_late_forces_act_with_the_contacts_of_their_plans(late: int, each: int) -> None:
    """Of a robot that moves as the problem does, plans start where it will be when their forces act."""
    one, h = problem(), H / each
    setting, motion = one._setting, problem(h)
    loop, q, qd = one.stepper(delay=late * h), Q.copy(), np.zeros(3)
    waiting, starts, states, tau = [], [], [], np.zeros(3)
    for k in range(10):
        active = np.full((T, 1), float(k < 4 or k > 7))
        states.append([*q, *qd])
        loop.step(q, qd, GOAL, out=tau, elapsed=h, active=active)
        starts.append([*loop.plan.q[0], *loop.plan.qd[0]])
        waiting.append((tau.copy(), motion.parameters(GOAL, active=active)[0]))
        if k >= late:
            forces, p = waiting[k - late]
            x = [*q.tolist(), *qd.tolist()]
            motions = setting.accelerations(x, forces.tolist(), p.tolist())
            q, qd = np.split(np.array(setting.dynamics.step(x, forces.tolist(), motions, h), float), 2)
    assert loop.failures == 0 and np.abs(states[-1] - np.array(states[0])).max() > 1e-3
    np.testing.assert_allclose(starts[:-late], states[late:], atol=1e-10)


@pytest.mark.parametrize("batch", [(), (2,)])
def test_saved_plans_keep_their_contacts(batch: tuple[int, ...], tmp_path: Path) -> None:
    plan, file = problem().solve(np.broadcast_to(Q, (*batch, 3)), goal=GOAL, active=LETS_GO), tmp_path / "plan.npz"
    plan.save(file)
    for owner in (plan.problem, ARM):
        read = OptimalPlan.load(file, owner)
        np.testing.assert_array_equal(read.contact_forces, plan.contact_forces)
        assert read.problem.contacts[0].numbers == pytest.approx(TIP.numbers, abs=1e-15)
        assert read.motion().contacts[0].link == "tip"
        if not batch:
            assert read.report() == plan.report()
            np.testing.assert_array_equal(read.torque(0.03, Q, V), plan.torque(0.03, Q, V))
    assert_raises(ShapeError, "contacts of the links", OptimalPlan.load, file, problem(contacts=Contact("link2")))
    with np.load(file) as stored:
        parts = dict(stored)
    for name, wrong in (("contacts", np.zeros((2, 12))), ("contact_forces", np.zeros((T, 3))), ("links", None)):
        np.savez(file, **{x: y for x, y in (parts | {name: wrong}).items() if y is not None})
        assert_raises(TrajectoryError, "contact", OptimalPlan.load, file, ARM)


def test_a_command_replays_a_plan_with_its_contacts(tmp_path: Path) -> None:
    """The tip stays at the wall, which it would fall from otherwise."""
    problem().solve(Q, goal=GOAL).save(tmp_path / "plan.npz")
    options = "--step", 0.002, "-o", tmp_path / "motion.npz"
    assert "contact of tip" in invoke("simulate", "planar:3", "--plan", tmp_path / "plan.npz", *options)
    motion = revolute.Simulation.load(tmp_path / "motion.npz")
    assert (motion.contact_forces[20:-10, 0] @ WALL.normal > 1.0).all()


def test_contacts_of_controllers_change_over_time() -> None:
    """`inputs` of Predictive, and arguments of Sampling; both see what `parameters` holds."""
    one, seen = problem(), []

    def inputs(t: float) -> dict[str, Any]:
        seen.append(t)
        return {"active": np.full((T, 1), float(t < 0.5 * H)), "weights": {"torque": 1 + t}}

    law = Predictive(one, GOAL, inputs=inputs)
    for t in (0.0, H):
        law.torque(t, Q, V)
        wanted = one.parameters(GOAL, {"torque": 1 + t}, np.full((T, 1), float(t < 0.5 * H)))
        np.testing.assert_array_equal(law.stepper._nodes.p[:, 0], wanted)
    assert seen == [0.0, H] and not law.stepper.plan.contact_forces.any()
    assert_raises(UnknownNameError, "'activ'", Predictive(one, GOAL, inputs=lambda t: {"activ": 1}).torque, 0.0, Q, V)
    assert_raises(InputError, "inputs must be", lambda: Predictive(one, GOAL, inputs={"active": 1}))  # type: ignore[arg-type]
    sampler, costs = Sampling(one, samples=1, rng=0), []
    for held in (1.0, 0.0):
        sampler.step(Q, V, GOAL, out=np.zeros(3), elapsed=0.0, active=[held])
        costs.append(sampler.cost)
    assert abs(costs[0] - costs[1]) > 0.01


def test_contacts_hold_after_a_first_call_that_was_refused() -> None:
    loop, out = problem().stepper(), np.zeros(3)
    assert_raises(InputError, "^step: active must be 1", lambda: loop.step(Q, V, GOAL, out=out, active=[2]))
    loop.step(Q, V, GOAL, out=out)
    np.testing.assert_array_equal(loop._nodes.p[:, 0], problem().parameters(GOAL))
