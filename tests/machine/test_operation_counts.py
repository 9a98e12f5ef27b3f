"""Operation counts of every function: none goes up, or down, unseen. Exact, so nothing is timed."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `bench` is a folder of the repository

from bench import counts

ROBOTS = sorted(counts.kept())
HEAVY = 4_000  # operations: about a fifth of a second of tracing
UPDATE = "see why; if it is meant, `python -m bench.counts --update` writes it down"
SLOW = [pytest.param(x, True, marks=pytest.mark.slow) for x in ROBOTS if x.startswith("Talos")]


@pytest.mark.parametrize(("robot", "heavy"), [*((x, False) for x in ROBOTS), *SLOW])
def test_counts_are_those_kept(robot: str, heavy: bool) -> None:
    kept, found = counts.kept()[robot], []
    for name, graph in counts.graphs(counts.robots()[robot]).items():
        before = kept.get(name, ())
        if (sum(before) > HEAVY) == heavy and (now := counts.operations(graph())) != before:
            word = "MORE" if sum(now) > sum(before) else "fewer"
            found.append(f"{robot}, {name}: {word}, {list(now)} instead of {list(before)}")
    assert not found, "\n".join([*found, UPDATE])


def test_every_function_of_every_robot_is_kept() -> None:
    """A new function, and one that is gone, show here."""
    assert {robot: list(rows) for robot, rows in counts.kept().items()} == {
        robot: list(counts.graphs(counted)) for robot, counted in counts.robots().items()
    }, UPDATE


@pytest.mark.parametrize("robot", ["UR5", "Puma 560", "Talos"])
@pytest.mark.parametrize(("function", "whole"), [
    ("inverse_dynamics_partials", "inverse_dynamics"),
    ("forward_dynamics_partials", "forward_dynamics(algorithm=articulated_body)"),
])  # fmt: skip
def test_recursions_beat_differentiating_the_graph(robot: str, function: str, whole: str) -> None:
    kept = counts.kept()[robot]
    assert sum(kept[function]) < 0.8 * sum(kept[f"{function}, by the graph of {whole}"])


@pytest.mark.parametrize("robot", ["UR5", "Puma 560", "Talos"])
@pytest.mark.parametrize("whole", ["gravity_forces", "mass_matrix"])
def test_the_cheaper_of_recursion_and_graph_is_taken(robot: str, whole: str) -> None:
    kept = counts.kept()[robot]
    assert sum(kept[f"{whole}_partials"]) <= sum(kept[f"{whole}_partials, by the graph of {whole}"])
