"""The mass matrix by momenta along the base's axes: that of composite bodies, and chosen where it takes less."""

import numpy as np
import pytest
from comparing import EPS
from robots import signature

import revolute
from revolute.dynamics.mass_matrix import mass_matrix, mass_matrix_in_base
from revolute.dynamics.sparse_factorization import carriers
from revolute.graph import Builder, Graph, Output, count
from revolute.library.random_tree import TYPES
from revolute.machine.functions import joint_space
from revolute.model.reduce import reduced


def matrices(robot: revolute.Robot, seed: int) -> tuple[np.ndarray, np.ndarray]:
    q = [float(x) for x in robot.random_configuration(rng=np.random.default_rng(seed))]
    return np.array(mass_matrix(robot, q), float), np.array(mass_matrix_in_base(robot, q), float)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_both_forms_are_one_matrix(seed: int, base: str) -> None:
    robot = revolute.robots.random_tree(12, rng=seed, base=base, types=tuple(TYPES))
    composite, in_base = matrices(robot, seed)
    # an entry is a moment about the base's origin, at most as large as those of the largest joint there: for 12
    # bodies on the way, of some 20 roundings each, random in sign
    np.testing.assert_allclose(in_base, composite, rtol=0, atol=16 * 12 * EPS * np.abs(composite).max())
    assert np.array_equal(in_base, in_base.T)
    related = np.eye(robot.nv, dtype=bool)
    for i, before in enumerate(carriers(robot)):
        related[i, before] = related[before, i] = True
    assert not in_base[~related].any()  # the tree's zeros


def test_the_form_with_fewer_operations_is_taken() -> None:
    """Of a short chain, of a tree that is not deep, and of a chain of 12, for which both are tried."""
    short, bushy = revolute.robots.ur5(), revolute.robots.random_tree(40, rng=1, branching=1)
    for robot in (short, bushy, revolute.robots.random_tree(12, rng=0, branching=0)):
        assert robot.count("mass_matrix").arithmetic == by_composite_bodies(robot)
    long = revolute.robots.random_tree(40, rng=1, branching=0)
    assert (long.count("mass_matrix").arithmetic, by_composite_bodies(long)) == (14_106, 25_409)


def by_composite_bodies(robot: revolute.Robot) -> int:
    """Multiplications and additions of `mass_matrix`."""
    q = Builder().input("q", robot.nq)
    nodes = tuple(x for row in mass_matrix(reduced(robot), q) for x in row if not isinstance(x, (int, float)))
    return count(Graph("composite", (), (Output("M", (len(nodes),), nodes),))).arithmetic


def test_a_chain_too_long_for_composite_bodies_is_not_traced_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = revolute.robots.random_tree(60, rng=1, branching=0)
    monkeypatch.setattr(joint_space.composite, "mass_matrix", None)
    assert signature(robot, "mass_matrix", {}).graph().outputs[0].size == 3600
