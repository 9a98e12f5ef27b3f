"""The benchmark compares like with like, and its report says what was measured. Nothing here is timed."""

import dataclasses
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pinocchio")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # `bench` is a folder of the repository

import revolute
from bench import constrained, contests
from bench.calls import ways
from bench.closed_forms import closed_forms
from bench.figures import figures
from bench.inverse_kinematics import ARMS, narrow, one_by_one, wide
from bench.inverse_kinematics import ours as our_scores
from bench.inverse_kinematics_peers import pinocchio_loop
from bench.measure import Plan, Results, measure
from bench.mujoco_peer import MuJoCo
from bench.optimal import PROBLEMS, iterations_of
from bench.pinocchio_peer import Pinocchio
from bench.quantities import QUANTITIES, Quantity, contest
from bench.report import BEGIN, END, headline, page
from bench.robots import CASES, Case, States
from bench.timing import Contestant, Effort, Timing, race

SEED, ROWS = 7, 50
ALL_ROBOTS = pytest.mark.parametrize("case", CASES, ids=[x.key for x in CASES])

# Of the largest torque of all states. Files print pi/2 with 12 digits, 5e-12 short, which
# Revolute takes as exact and Pinocchio does not: its forces are tilted by up to 5e-11 after ten
# such rotations. float32 rounds by 6e-8, some hundred times along the longest chain.
TOLERANCE, SINGLE = 1e-10, 1e-4
# Of the largest torque of each row. MuJoCo gets Revolute's own bodies, so only rounding is left:
# 2e-16 an operation, a few hundred of them along a chain, most of whose torque may cancel.
ROUNDING = 1e-12


def error(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def torques(case: Case, states: States) -> np.ndarray:
    return case.robot.inverse_dynamics(states.q, states.qd, states.qdd)


@ALL_ROBOTS
@pytest.mark.parametrize("way", ["inverse", "recursion"])
def test_mujoco_computes_the_same_torques(case: Case, way: str) -> None:
    states, peer = case.states(ROWS, SEED), MuJoCo(case)
    theirs = peer.states(states)
    tau = np.zeros_like(theirs.qd)
    getattr(peer, way)(theirs.q, theirs.qd, theirs.qdd, tau)
    assert max(map(error, peer.torques(states, tau), torques(case, states))) < ROUNDING


def torques_of(contestant: Contestant, case: Case, states: States) -> np.ndarray:
    """What a contestant's statements give, in our order."""
    names = dict(contestant.names)
    first, _, last = contestant.statement.rpartition(";")
    exec(first, names)
    found = eval(last.strip(), names)
    if contestant.name.startswith(contests.PINOCCHIO):
        return Pinocchio(case).torques(names["TAU"] if "TAU" in names else found[:, None])
    if contestant.name.startswith(contests.MUJOCO):
        return MuJoCo(case).torques(states, names["tau"] if "tau" in names else names["data"].qfrc_inverse[None])
    return np.atleast_2d(found)


@ALL_ROBOTS
def test_statements_give_the_same_torques(case: Case) -> None:
    """Of batches, on one thread and several, and of single calls."""
    ours, theirs = contests.threads(case, ROWS)
    single = [x for x in contests.single_call(case) if not x.name.startswith("NumPy")]
    batches = [*contests.batches(case, ROWS), *ours, *theirs]
    assert len(batches) == 13
    for states, contestants in ((case.states(ROWS), batches), (case.states(1), single)):
        for contestant in contestants:
            tolerance = SINGLE if "float32" in contestant.name else TOLERANCE
            found = torques_of(contestant, case, states)
            assert error(found, torques(case, states)) < tolerance, contestant.name


def test_contestants_take_turns() -> None:
    log: list[str] = []
    names = {"log": log}
    contestants = [Contestant(x, f"log.append({x!r})", names) for x in "abc"]
    timings = race(contestants, Effort(slice=0.0, seconds=0.0, least=4, most=9))
    assert "".join(log).endswith("abc" * 4)
    assert [x.name for x in timings] == ["a", "b", "c"]
    assert all(len(x.seconds) == 4 for x in timings)


def test_a_timing_is_told_by_medians_and_quartiles() -> None:
    slow = Timing("slow", "", 10, (4e-6, 1e-6, 2e-6, 3e-6, 90e-6))
    fast = Timing("fast", "", 100, (2e-6, 2e-6, 2e-6))
    assert slow.per_row == pytest.approx(300)
    assert slow.least_per_row == pytest.approx(100)
    assert slow.spread == pytest.approx(2 / 3)  # quartiles 2 and 4, median 3
    assert fast.times_faster_than(slow) == pytest.approx(15)
    assert fast.least_times_faster_than(slow) == pytest.approx(5)


@pytest.fixture(scope="module")
def results() -> Results:
    effort = Effort(slice=0.0, seconds=0.0, least=2, most=2)
    plan = Plan("smallest", CASES[:1], (1, 4096), effort, effort, effort, 1000, 1, 1000)
    steps: list[str] = []
    found = measure(plan, steps.append)
    assert len(steps) == plan.steps
    return found


def test_the_report_has_the_table_for_the_readme(results: Results) -> None:
    text = page(results)
    table = text[text.index(BEGIN) + len(BEGIN) : text.index(END)].strip()
    assert table == headline(results)
    cells = [x.strip() for x in table.splitlines()[2].strip("|").split("|")]
    ours, theirs = (contests.named(results.robots[0].batches[4096], x) for x in (contests.OURS, contests.PINOCCHIO))
    assert cells[0] == "UR5"
    assert float(cells[3].rstrip(" ×")) == pytest.approx(ours.times_faster_than(theirs), abs=0.5)
    assert float(cells[2].replace(",", "")) == pytest.approx(theirs.per_row, rel=0.01)


def test_the_report_has_every_section_and_every_row_is_whole(results: Results) -> None:
    lines = page(results).splitlines()
    sections = [x[3:] for x in lines if x.startswith("## ")]
    assert sections[:3] == ["Machine", "One call from Python", "Batches on one core"]
    assert sections[3:] == ["One thread against two", "Start", "Memory"]
    for above, line in itertools.pairwise(lines):
        if above.startswith("| ") and line.startswith("| "):
            assert above.count(" | ") == line.count(" | "), line
    assert "smallest run: its figures are rough" in page(results)


def test_a_missed_target_is_not_met(results: Results) -> None:
    robot = results.robots[0]
    hard = dataclasses.replace(robot, case=dataclasses.replace(robot.case, least_ratio=1e9))
    harder = dataclasses.replace(results, robots=(hard,))
    assert figures(harder)[0].wanted == "≥ 1e+09 ×" and not figures(harder)[0].met


def test_operations_and_memory_are_within_their_targets(results: Results) -> None:
    counted = [x for x in figures(results) if "multiplications" in x.what or "memory" in x.what]
    assert len(counted) == 4
    assert all(x.met for x in counted), counted


def test_a_process_with_a_filled_cache_does_not_compile(results: Results) -> None:
    start = results.robots[0].start
    assert len(start.cold) == len(start.warm) == 1
    assert start.heavy == ()


FREE = next(x for x in CASES if x.key == "talos-free")


@pytest.mark.parametrize(
    ("case", "quantity"),
    [(CASES[0], x) for x in QUANTITIES] + [(FREE, x) for x in QUANTITIES if x.method in ("mass_matrix", "jacobian")],
    ids=lambda x: x.key if isinstance(x, Case) else x.method,
)
@pytest.mark.parametrize("rows", [1, 3])
def test_statements_of_quantities_run_and_fill_given_results(case: Case, quantity: Quantity, rows: int) -> None:
    given, new, theirs = contest(case, quantity, rows)
    exec(theirs.statement, dict(theirs.names))
    first, second = (eval(x.statement, dict(x.names)) for x in (given, new))
    results = (x if isinstance(x, tuple) else (x,) for x in (first, given.names["given"], second))
    for ours, there, expected in zip(*results, strict=True):
        assert ours is there
        np.testing.assert_array_equal(there, expected)


def test_the_closed_forms_that_rates_are_compared_with_are_right() -> None:
    robot = revolute.robots.random_tree(6, rng=3)
    rng = np.random.default_rng(4)
    q, qd = rng.standard_normal((2, 5, robot.nv))
    M, C, g = closed_forms(robot)(q, qd)
    ours, theirs = robot.mass_matrix(q), robot.coriolis_forces(q, qd)
    assert np.allclose(M, ours, rtol=0, atol=1e-12 * np.abs(ours).max())
    assert np.allclose(np.einsum("rij,rj->ri", C, qd), theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())
    assert np.allclose(g, robot.gravity_forces(q), rtol=0, atol=1e-12 * np.abs(g).max())


def test_every_way_to_call_gives_what_the_kernel_gives() -> None:
    for way in ways():
        found, expected = (eval(statement, dict(way.names)) for statement in (way.call, way.kernel))
        np.testing.assert_array_equal(found, expected, err_msg=f"{way.machine}, {way.what}")


@pytest.mark.parametrize(("case", "frame"), ARMS, ids=[case.key for case, _ in ARMS])
def test_solvers_of_inverse_kinematics_are_judged_alike(case: Case, frame: str) -> None:
    problem = wide(case, frame, 100)._replace(poses=wide(case, frame, 100).poses[:12])
    assert [x.rate for x in our_scores(problem, repeats=1)] == [1.0, 1.0]
    assert one_by_one("Pinocchio", problem, pinocchio_loop(problem), 4).rate == 1.0
    assert one_by_one("idle", problem, lambda _: case.robot.home(), 12).rate == 0.0
    tight = narrow(case, frame, 100)
    free = case.robot.inverse_kinematics(tight.poses[:50], frame, limits=False)
    assert one_by_one("free", tight, lambda pose: free.q[(tight.poses[:50] == pose).all((1, 2)).argmax()], 50).rate < 1


def test_both_solve_the_same_problem_of_optimal_control() -> None:
    """What Crocoddyl is told is what Revolute solves: robot, first plan, weights; the goal is reached."""
    problem = PROBLEMS[3]
    job, plan = problem.job(), problem.solve()
    frame, goal = job["frames"][0], job["goals"][0]
    assert plan.converged and plan.iterations < job["most"]
    np.testing.assert_allclose(problem.model.forward_kinematics(plan.q[-1], frame)[:3, 3], goal, atol=1e-3)
    assert job["urdf"].startswith("<robot") and problem.model.nv == len(job["q0"]) == len(job["tau0"])
    assert iterations_of(problem)() > 0


LARGER = [pytest.param(x, marks=pytest.mark.slow) for x in constrained.CASES if x is not constrained.PANDA]


@pytest.mark.parametrize("case", [constrained.PANDA, *LARGER])
def test_constrained_accelerations_and_their_partials_equal_pinocchio(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constrained, "EFFORT", Effort(slice=1e-6, seconds=0.0, least=1, most=1))
    for _, (*_, difference) in constrained.measured(case):
        assert float(difference) < 1e-9
