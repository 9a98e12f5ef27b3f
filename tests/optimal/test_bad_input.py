"""What cannot be a problem is refused by name; what cannot be solved is a plan that says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import DtypeError, InputError, ShapeError, UnknownNameError
from revolute.optimal import LimitCost, OptimalControl, PointCost, Residual, Sphere, SphereCost, StateCost, TorqueCost

ARM = revolute.robots.planar(2)
TIP = ARM.link_names[-1]
COSTS = [StateCost(1.0), TorqueCost(0.1)]
BALL = Sphere(TIP, (0, 0, 0), 1.0)


def problem(*more: Any, **options: Any) -> OptimalControl:
    return OptimalControl(ARM, [*COSTS, *more], **{"steps": 5, "dt": 0.01} | options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"steps": 0}, "steps must be a whole number, 1 or more, not 0"),
        ({"steps": 2.5}, "steps must be a whole number"),
        ({"dt": 0.0}, "dt must be positive times"),
        ({"dt": float("nan")}, "dt is not finite"),
        ({"effort_limits": ([1, 1], [2, 0.5])}, "bounds of 'joint2' cross: 1 to 0.5"),
        ({"effort_limits": [1, -2]}, "bounds of 'joint2' cross"),
        ({"actuated": ["elbow"]}, "no coordinate 'elbow'"),
        ({"actuated": []}, "actuated must name at least one coordinate"),
        ({"method": "rk4"}, "no method 'rk4'; write 'runge_kutta_4'"),
        ({"method": "implicit_midpoint"}, "no method 'implicit_midpoint'"),
        ({"terminal": [TorqueCost(1.0)]}, "'torque' needs forces, which the last node does not have"),
        ({"terminal": ["state"]}, "terminal: each must be of the type Cost"),
        ({"dt": [0.1, 0.1, 0.1]}, r"dt has shape \(3,\), but \(5,\) or one number"),
        ({"dt": "fast"}, "dt must be real numbers"),
        ({"effort_limits": "max"}, "effort_limits must be real numbers"),
        ({"effort_limits": [1, 2, 3]}, r"effort_limits has shape \(3,\), but \(2,\)"),
    ],
)
def test_problems_that_are_none(options: dict[str, Any], text: str) -> None:
    assert_raises((InputError, UnknownNameError, ShapeError, DtypeError), text, problem, **options)


def test_names_of_problems() -> None:
    assert problem(effort_limits=(3.0, 2.0))._bounds.tolist() == [[-3, -2], [3, 2]]
    assert_raises(UnknownNameError, "tool7", problem, revolute.optimal.PoseCost("tool7"))
    spheres = SphereCost([Sphere("nowhere", (0, 0, 0), 1.0)], [BALL])
    assert_raises(UnknownNameError, "nowhere", problem, spheres)
    assert_raises(InputError, "duplicate cost name 'state'; give one of them another name", problem, StateCost(2.0))
    assert_raises(InputError, "robot must be of the type", OptimalControl, "arm", COSTS, steps=5, dt=0.01)
    assert_raises(InputError, "give at least one cost", OptimalControl, ARM, [], steps=5, dt=0.01)
    assert problem(StateCost(2.0, name="second")).names == ("state", "torque", "second")
    dry = ARM.with_drives({"joint1": revolute.Drive(friction=1.0)})
    message = "joint 'joint1' .* has friction that jumps"
    assert_raises(InputError, message, OptimalControl, dry, COSTS, steps=5, dt=0.01)


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (lambda: problem(PointCost(TIP, -1.0)), "weight of 'point of .*' must be finite, and zero or more"),
        (lambda: problem(PointCost(TIP, [1.0, np.nan, 0])), "must be finite, and zero or more"),
        (lambda: problem(PointCost(TIP, [1.0, 2.0])), r"has shape \(2,\), not \(\) or \(3,\)"),
        (lambda: problem(LimitCost(1.0, "effort")), "kind must be 'position' or 'velocity', not 'effort'"),
        (lambda: SphereCost([], [BALL]), "spheres must be at least one Sphere"),
        (lambda: SphereCost(BALL, [BALL]), "SphereCost: spheres must be a sequence, not Sphere"),  # type: ignore[arg-type]
        (lambda: Sphere(TIP, (0, 0), 1.0), "Sphere: center must be three numbers"),  # type: ignore[arg-type]
        (lambda: Sphere(TIP, (0, 0, np.nan), 1.0), "Sphere: center is not finite"),
        (lambda: Sphere(TIP, (0, 0, 0), -1.0), "Sphere: radius must be zero or more"),
        (lambda: Sphere(3, (0, 0, 0), 1.0), "Sphere: frame must be of the type str"),  # type: ignore[arg-type]
        (lambda: Residual(3), "f must be a function of"),  # type: ignore[arg-type]
        (lambda: problem(Residual(lambda model, q, qd, tau, p: 3.0, name="mine")), "'mine': .* must return a list"),
    ],
)
def test_costs_that_are_none(cost: Any, text: str) -> None:
    assert_raises((InputError, ShapeError), text, cost)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "goal of 'point of .*' is missing"),
        ({"goal": [1, np.nan, 0]}, "goal of 'point of .*' is not finite"),
        ({"goal": {"pose": [1, 2, 3]}}, "goal: there is no cost 'pose'"),
        ({"goal": [1, 2]}, r"has shape \(2,\), but \(3,\) is needed"),
        ({"goal": [1, 0, 0], "weights": {"speed": 1}}, "weights: there is no cost 'speed'"),
        ({"goal": [1, 0, 0], "weights": {"state": -1}}, "factor of the weight of 'state' must be finite, and zero or"),
        ({"goal": [1, 0, 0], "weights": 2.0}, "weights must be a dict"),
        ({"goal": [1, 0, 0], "iterations": 0}, "iterations must be a whole number"),
        ({"goal": [1, 0, 0], "tolerance": 0.0}, "tolerance must be a positive number"),
        ({"goal": [1, 0, 0], "guess": 3}, "guess must be an OptimalPlan, or a tuple"),
        ({"goal": [1, 0, 0], "guess": (np.zeros((4, 2)), np.zeros((5, 2)))}, "guess: positions have shape"),
        ({"goal": {"limits": [[1, 1], [0, 2]], f"point of {TIP}": [1, 0, 0]}}, "a lower limit is above its upper"),
    ],
)
def test_calls_that_cannot_be_solved(options: dict[str, Any], text: str) -> None:
    solve = problem(PointCost(TIP), LimitCost(name="limits")).solve
    assert_raises((InputError, UnknownNameError), text, solve, [0.0, 0.0], **options)


def test_one_goal_for_no_cost_or_for_several() -> None:
    names = "must be a dict .* as 0 costs require goals; names: 'state', 'torque'$"
    assert_raises(InputError, names, problem().solve, [0.0, 0.0], goal=[0.0] * 4)
    two = problem(PointCost(TIP, name="a"), PointCost(TIP, name="b"))
    assert_raises(InputError, "2 costs require goals; names: 'a', 'b'$", two.solve, [0.0, 0.0], goal=[1.0, 0, 0])


def test_states_that_do_not_fit() -> None:
    solve, batches = problem().solve, r"q0 has the batch \(3,\), but qd0 has \(2,\)"
    assert_raises(ShapeError, r"q0 has shape \(3,\)", solve, [0.0, 0.0, 0.0])
    assert_raises(InputError, "q0 has a number that is not finite", solve, [0.0, np.nan])
    assert_raises(DtypeError, "must be real numbers", solve, ["a", "b"])
    assert_raises(ShapeError, batches, solve, np.zeros((3, 2)), np.zeros((2, 2)))


def test_a_start_beyond_hard_limits() -> None:
    hard = problem(LimitCost(hard=True, name="limits"))
    limits = {"limits": [[-0.1, -0.1], [0.1, 0.1]]}
    assert_raises(InputError, r"exceeds the position limit of 'joint2' by 0\.2", hard.solve, [0.0, 0.3], goal=limits)
    solve = problem(LimitCost(1.0, "velocity", hard=True, name="limits")).solve
    assert_raises(InputError, "exceeds the velocity limit of 'joint1' by 1", solve, [0, 0], [1.1, 0], goal=limits)
    assert hard.solve([0.0, 0.05], goal=limits).converged


def test_costs_without_curvature() -> None:
    """Forces that cost nothing, and whose effect costs nothing."""
    flat = OptimalControl(ARM, [PointCost(TIP)], steps=5, dt=0.01)
    message = "no curvature along some forces.*TorqueCost"
    assert_raises(InputError, message, flat.solve, [0.3, 0.4], goal=[1.0, 1.0, 0.0])
