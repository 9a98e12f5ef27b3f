"""Logs and callbacks of iterations: the same plans, and what led to them."""

from __future__ import annotations

import numpy as np
import pytest
from comparing import assert_raises
from reaching import BENT, GOAL, reach

import revolute
from revolute import InputError
from revolute.optimal import Iteration, LimitCost, OptimalControl, StateCost, TorqueCost
from revolute.optimal.fddp import SHARES
from revolute.optimal.shooting import Shooting

STARTS = BENT + np.random.default_rng(3).uniform(-0.4, 0.4, (2, 9, 6))


def test_a_log_changes_no_plan() -> None:
    problem = reach()
    plans = problem.solve(STARTS, goal=GOAL), problem.solve(STARTS, goal=GOAL, log=True)
    for name in ("q", "tau", "gains", "cost", "iterations", "state"):
        np.testing.assert_array_equal(getattr(plans[0], name), getattr(plans[1], name))
    log = plans[1].iterations_log
    assert plans[0].iterations_log is None and log is not None
    assert log.cost.shape == (2, 9, plans[1].iterations.max()) and "iterations at most" in repr(log)
    for place in np.ndindex(2, 9):
        row = plans[1].row(place)
        own = row.iterations_log
        assert own is not None and len(own.cost) == row.iterations
        np.testing.assert_allclose(own.cost[-1], row.cost, rtol=1e-12)
        assert (np.diff(own.cost) < 1e-9).all() and np.isin(own.step, [0.0, *SHARES]).all() and not own.round.any()
        assert np.isnan(log.cost[place][len(own.cost) :]).all()
    assert_raises(InputError, "plot: needs one plan", log.plot)
    assert_raises(InputError, "needs one plan", str, log)


def test_steps_and_regularization() -> None:
    """An acrobot: many steps are short; steps as short as 1/128 raise the regularization, other ones do not."""
    acrobot = revolute.robots.planar(2)
    costs, end = [StateCost(1e-3), TorqueCost(1e-4)], [StateCost(1e5)]
    swing = OptimalControl(acrobot, costs, terminal=end, steps=100, dt=0.02, actuated=["joint2"])
    plan = swing.solve([-np.pi / 2, 0.0], goal={"state": [np.pi / 2, 0, 0, 0]}, iterations=40, log=True)
    log = plan.iterations_log
    assert log is not None and plan.iterations == len(log.cost) == 40
    assert (log.step < 1).sum() > 10 and (log.regularization > 0).any()
    begins = np.flatnonzero((log.regularization[:-1] == 0) & (log.regularization[1:] > 0))
    assert len(begins) and (log.step[begins] <= 0.01).all()
    table = str(log).splitlines()
    assert len(table) == 41 and table[0].split() == ["no", "cost", "gap", "step", "regularization"]
    assert len(log.plot("an acrobot").axes) == 4


def test_gaps_and_rounds() -> None:
    """Gaps of a first plan close; hard costs change the cost with their multipliers."""
    line, tau = BENT + np.linspace(0, 0.3, 31)[:, None], np.zeros((30, 6))
    plan = reach(LimitCost(1.0, "velocity", hard=True)).solve(BENT, goal=GOAL, guess=(line, tau), log=True)
    log = plan.iterations_log
    assert log is not None and log.gap[0] >= log.gap[-1] == plan.gap
    assert (np.diff(log.round) >= 0).all() and log.round[-1] >= 1


@pytest.mark.parametrize("starts", [BENT, STARTS])
def test_callbacks_receive_the_iterations(starts: np.ndarray) -> None:
    seen: list[Iteration] = []
    log = reach().solve(starts, goal=GOAL, log=True, callback=seen.append).iterations_log
    assert log is not None
    rows = {name: getattr(log, name).reshape(-1, log.cost.shape[-1]) for name in ("cost", "gap", "step")}
    for x in seen:
        assert all(rows[name][x.problem, x.number - 1] == getattr(x, name) for name in rows)
    assert len(seen) == np.isfinite(log.cost).sum()


def test_callbacks_may_be_lists() -> None:
    """A callable that is false, as an empty list is, is called."""

    class Records(list[Iteration]):
        __call__ = list.append

    records = Records()
    assert len(records) < reach().solve(BENT, goal=GOAL, callback=records).iterations == len(records)


def test_errors_of_callbacks_end_all() -> None:
    problem = reach()

    def broken(iteration: Iteration) -> None:
        if iteration.number == 3:
            raise KeyError("broken")

    for starts in (BENT, STARTS):
        expected = problem.solve(starts, goal=GOAL)
        assert_raises(KeyError, "broken", problem.solve, starts, goal=GOAL, callback=broken)
        np.testing.assert_array_equal(problem.solve(starts, goal=GOAL).q, expected.q)
    assert_raises(TypeError, "not callable", problem.solve, BENT, goal=GOAL, callback=3)


def test_plans_without_a_log_take_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a log calls machine code once an iteration."""
    calls: list[int | None] = []
    iterate = Shooting.iterate

    def counted(nodes: Shooting, most: int | None = None) -> None:
        calls.append(most)
        iterate(nodes, most)

    monkeypatch.setattr(Shooting, "iterate", counted)
    problem = reach()
    plan = problem.solve(BENT, goal=GOAL)
    assert set(calls) == {None} and len(calls) < plan.iterations / 2
    calls.clear()
    problem.solve(BENT, goal=GOAL, log=True)
    assert calls == [1] * (int(plan.iterations) + 1)  # the last one finds no problem


def test_a_start_without_iterations_has_an_empty_log() -> None:
    plan = reach().solve(BENT, np.full(6, 1e150), goal=GOAL, log=True)
    log = plan.iterations_log
    assert log is not None and log.cost.shape == (0,) and len(str(log).splitlines()) == 1
    log.plot()
