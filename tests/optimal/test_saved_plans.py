"""Plans as files and as controllers: what is read is what was written, and a replay follows the plan."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import invoke
from comparing import assert_raises
from reaching import BENT, GOAL, UR5, reach

import revolute
from revolute import InputError, ShapeError, TrajectoryError
from revolute.optimal import LimitCost, OptimalControl, OptimalPlan, StateCost, TorqueCost, TorqueRateCost

ARM = revolute.robots.planar(2)
HARD = reach(LimitCost(1.0, "velocity", hard=True), effort_limits=UR5.effort_limits)
FLYING = revolute.robots.random_tree(1, rng=1, base="free").with_gravity((0, 0, 0))
NAMES = ("t", "q", "qd", "qdd", "tau", "gains", "cost", "gap", "iterations", "state")


def solved(kind: str) -> OptimalPlan:
    """Plans of several kinds of problems."""
    if kind == "hard":
        return HARD.solve(BENT, goal=GOAL)
    if kind == "batch":
        return HARD.solve(np.array([[BENT, BENT + 0.1, BENT - 0.1]]), goal=GOAL)
    if kind == "rates":
        return OptimalControl(ARM, [StateCost(), TorqueRateCost(1e-3)], steps=9, dt=[0.01] * 8 + [0.02]).solve([0, 0.3])
    if kind == "lost":
        return reach().solve(BENT, np.full(6, 1e150), goal=GOAL)
    problem = OptimalControl(FLYING, [StateCost(), TorqueCost(1e-2)], steps=20, dt=0.05)
    return problem.solve(FLYING.integrate(FLYING.neutral(), np.full(FLYING.nv, 0.3)))


@pytest.mark.parametrize("kind", ["hard", "batch", "rates"])
def test_a_plan_that_is_read_is_the_one_that_was_written(tmp_path: Path, kind: str) -> None:
    plan = solved(kind)
    plan.save(tmp_path / "plan.npz")
    for problem in (plan.problem, plan.problem.robot):
        read = OptimalPlan.load(tmp_path / "plan.npz", problem)
        for name in NAMES:
            np.testing.assert_array_equal(getattr(read, name), getattr(plan, name), err_msg=name)
        for pairs in ((read.costs, plan.costs), (read.errors, plan.errors)):
            assert list(pairs[0]) == list(pairs[1])
            for name, x in pairs[1].items():
                np.testing.assert_array_equal(pairs[0][name], x)
        assert np.array_equal(read.reason, plan.reason) and read.problem.actuated == plan.problem.actuated
        np.testing.assert_array_equal(read.problem._bounds, plan.problem._bounds)
        if kind != "batch":
            assert read.report() == plan.report()
    if kind == "hard":
        again = HARD.solve(BENT, goal=GOAL, guess=OptimalPlan.load(str(tmp_path / "plan.npz"), HARD))
        np.testing.assert_allclose(again.cost, plan.cost, rtol=1e-3)  # within the violation of hard costs


@pytest.mark.parametrize("what", ["empty", "text", "short", "motion", "t", "q", "gains", "bounds", "names of motors"])
def test_files_without_a_plan(tmp_path: Path, what: str) -> None:
    file = tmp_path / "plan.npz"
    plan = solved("rates")
    plan.save(file)
    if what in ("empty", "text", "short"):
        file.write_bytes({"empty": b"", "text": b"t,q\n0,1\n", "short": file.read_bytes()[:-200]}[what])
    elif what == "motion":
        plan.motion().save(file)
    else:
        arrays = dict(np.load(file))
        arrays[what] = np.array(["joint9", "joint2"]) if what == "names of motors" else arrays[what][::-1][:-1]
        np.savez(file, **arrays)
    assert_raises(TrajectoryError, "was not written by `OptimalPlan.save`, or is damaged", OptimalPlan.load, file, ARM)


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("state", lambda x: x + 99), ("gains", lambda x: x[..., :3]), ("bounds", np.negative),
        ("names of costs", lambda x: x[[0, 0]]), ("names of motors", lambda x: x[[0, 0]]), ("tau", lambda x: None),
    ],
)  # fmt: skip
def test_files_with_wrong_numbers(tmp_path: Path, what: str, change: Any) -> None:
    plan, file = solved("rates"), tmp_path / "plan.npz"
    plan.save(file)
    arrays = dict(np.load(file))
    with zipfile.ZipFile(file, "w") as archive:
        for name, x in arrays.items():
            part = change(x) if name == what else x
            with archive.open(name if part is None else f"{name}.npy", "w") as stream:
                stream.write(b"text") if part is None else np.save(stream, part)
    assert_raises(TrajectoryError, "was not written by `OptimalPlan.save`, or is damaged", OptimalPlan.load, file, ARM)


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    plan, file = solved("rates"), tmp_path / "plan.npz"
    assert_raises(TrajectoryError, "plans are written as .npz", plan.save, tmp_path / "plan.csv")
    assert_raises(TrajectoryError, "there is no folder", plan.save, tmp_path / "none" / "plan.npz")
    assert_raises(TrajectoryError, "no such file", OptimalPlan.load, file, ARM)
    plan.save(file)
    assert_raises(ShapeError, "q has 'joint1' at index 0, but 'ur5' has 'shoulder_pan", OptimalPlan.load, file, UR5)
    for options in ({"steps": 8}, {"steps": 9, "actuated": ["joint1"]}):
        other = OptimalControl(ARM, [StateCost(), TorqueCost()], dt=0.02, **options)  # type: ignore[arg-type]
        assert_raises(ShapeError, "the plan has the steps and motors", OptimalPlan.load, file, other)
    assert_raises(InputError, "a robot or a system is needed", OptimalPlan.load, file, "ur5")


@pytest.mark.parametrize("kind", ["hard", "rates", "flying"])
def test_a_replay_follows_the_plan(kind: str) -> None:
    """By the same steps exactly, as dx is zero."""
    plan = solved(kind)
    robot = plan.problem.robot
    same = robot.simulate(plan.q[0], plan.qd[0], plan, plan.t, "semi_implicit_euler")
    np.testing.assert_allclose(robot.difference(plan.q, same.q), 0, atol=1e-9)
    np.testing.assert_allclose(same.tau[:-1], plan.tau, atol=1e-6)


def test_gains_bring_finer_steps_nearer_to_the_goal() -> None:
    """The tool has the cost; it comes nearer to its goal than under the forces alone."""
    plan, times = solved("hard"), np.linspace(0, 0.6, 601)
    held = np.repeat(plan.tau, 20, axis=0)
    tips = [
        UR5.forward_kinematics(UR5.simulate(BENT, np.zeros(6), law, times, "runge_kutta_4").q[-1], "tool0")[:3, 3]
        for law in (plan, np.vstack([held, held[-1:]]))
    ]
    errors = np.linalg.norm(tips - GOAL, axis=1)
    assert errors[0] < 0.6 * errors[1] < 6e-3


def test_forces_of_a_plan_as_a_controller() -> None:
    plan = solved("hard")
    q, qd = plan.q[3] + 1e-3, plan.qd[3] - 1e-3
    expected = plan.tau[3] + plan.gains[3] @ np.r_[np.full(6, 1e-3), np.full(6, -1e-3)]
    np.testing.assert_allclose(plan.torque(plan.t[3], q, qd), expected, atol=1e-9)
    np.testing.assert_allclose(plan.torque(plan.t[3], np.tile(q, (2, 1)), np.tile(qd, (2, 1)))[1], expected, atol=1e-9)
    half = 0.5 * (plan.t[3] + plan.t[4])
    np.testing.assert_allclose(plan.torque(half, *plan_between(plan, 3)), plan.tau[3], atol=1e-9)
    np.testing.assert_allclose(plan.torque(9.0, plan.q[-1], plan.qd[-1]), plan.tau[-1], atol=1e-12)
    far = np.abs(plan.torque(0.0, plan.q[0] + 100, plan.qd[0]))
    assert (far <= UR5.effort_limits).all() and (far[:5] == UR5.effort_limits[:5]).all()
    assert_raises(ShapeError, "torque: q and qd have shapes", plan.torque, 0.0, q, 0.0)
    assert_raises(ShapeError, "torque: q and qd have shapes", plan.torque, 0.0, np.tile(q, (2, 1)), qd)
    assert_raises(InputError, "torque: t must be a number", plan.torque, plan.t, q, qd)
    assert_raises(InputError, r"torque: needs one plan.*row\(k\)", solved("batch").torque, 0.0, q, qd)
    lost = solved("lost")
    assert_raises(InputError, "torque: the plan has no gains", lost.torque, 0.0, q, qd)


def plan_between(plan: OptimalPlan, k: int) -> Any:
    """The state half way from a node to the next."""
    return 0.5 * (plan.q[k] + plan.q[k + 1]), 0.5 * (plan.qd[k] + plan.qd[k + 1])


def test_a_command_replays_a_plan(tmp_path: Path) -> None:
    plan, file = solved("hard"), tmp_path / "plan.npz"
    plan.save(file)
    text = invoke("simulate", "ur5", "--plan", file, "-o", tmp_path / "motion.npz")
    assert "601 instants" in text and "largest error of the reference" in text
    motion = revolute.Simulation.load(tmp_path / "motion.npz", UR5)
    np.testing.assert_allclose(UR5.forward_kinematics(motion.q[-1], "tool0")[:3, 3], GOAL, atol=6e-3)
    exact = ("--step", 0.02, "--method", "semi_implicit_euler", "-o", tmp_path / "exact.npz")
    invoke("simulate", "ur5", "--plan", file, *exact)
    np.testing.assert_allclose(revolute.Simulation.load(tmp_path / "exact.npz").q, plan.q, atol=1e-9)
    assert "201 instants" in invoke("simulate", "ur5", "--plan", file, "--duration", 0.2)


def test_what_the_command_refuses(tmp_path: Path) -> None:
    file, many = tmp_path / "plan.npz", tmp_path / "many.npz"
    solved("hard").save(file)
    solved("batch").save(many)

    def refused(*words: object) -> str:
        return invoke("simulate", *words, status=1)

    assert "this is a batch of plans (1, 3)" in refused("ur5", "--plan", many)
    assert "ends at 0.6 s" in refused("ur5", "--plan", file, "--duration", 2)
    assert "but 'planar2' has 'joint1' there" in refused("planar:2", "--plan", file)
    assert "--plan replaces --tau" in refused("ur5", "--plan", file, "--tau", "0,0,0,0,0,0")
    assert "no such file" in refused("ur5", "--plan", tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("t\n0\n")
    assert "was not written by `OptimalPlan.save`" in refused("ur5", "--plan", tmp_path / "text.npz")
