"""The mass matrix: identities of mechanics on random trees, a closed form, its zeros, and the choice of its form."""

import numpy as np
import pytest
import robots
from comparing import EPS, assert_close
from physics import kinetic_energy
from robots import SEEDS, every, signature, state, trees, trees_and_tools

import revolute
from revolute import Robot
from revolute.dynamics import sparse_factorization
from revolute.dynamics.mass_matrix import mass_matrix, mass_matrix_in_base
from revolute.dynamics.sparse_factorization import carriers, factorized
from revolute.graph import Builder, Graph, Output, count
from revolute.library.random_tree import TYPES
from revolute.machine.functions import joint_space
from revolute.model.reduce import reduced


@every(trees_and_tools(9), SEEDS, examples=20)
def test_columns_of_the_mass_matrix_are_forces_of_unit_accelerations(robot: Robot, seed: int) -> None:
    q = state(robot, seed)[0]
    for same in (robot, reduced(robot)):
        # two ways of some hundred operations along a chain
        assert_close(np.array(mass_matrix(same, list(q)), dtype=float), robots.mass_matrix(robot, q), 1e3 * EPS)


@every(trees(9), SEEDS)
def test_the_mass_matrix_is_symmetric_and_positive_definite(robot: Robot, seed: int) -> None:
    M = np.array(mass_matrix(robot, list(state(robot, seed)[0])), dtype=float)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0


@every(trees(most=6), SEEDS)
def test_the_mass_matrix_holds_the_kinetic_energy(robot: Robot, seed: int) -> None:
    q, qd, _ = state(robot, seed)
    M = np.array(mass_matrix(reduced(robot), list(q)), dtype=float)
    energy = kinetic_energy(robot, q, qd)
    assert abs(qd @ M @ qd / 2 - energy) <= 1e3 * EPS * (energy + np.abs(M).max() * (qd @ qd))


def test_the_mass_matrix_of_a_planar_arm() -> None:
    """Two rods of 1 kg and 1 m, in the closed form of LP 9.10."""
    q2 = np.linspace(-3, 3, 13)
    M = revolute.robots.planar(2).mass_matrix(np.stack([q2 * 0.7, q2], axis=-1))
    c = np.cos(q2)
    expected = np.array([[5 / 3 + c, 1 / 3 + c / 2], [1 / 3 + c / 2, np.full_like(c, 1 / 3)]])
    np.testing.assert_allclose(M, np.moveaxis(expected, -1, 0), rtol=0, atol=1e-15)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_both_forms_are_one_matrix(seed: int, base: str) -> None:
    robot = revolute.robots.random_tree(12, rng=seed, base=base, types=tuple(TYPES))
    q = robot.random_configuration(rng=seed).tolist()
    composite, in_base = (np.array(way(robot, q), dtype=float) for way in (mass_matrix, mass_matrix_in_base))
    # an entry is a moment about the base's origin, at most as large as those of the largest joint there: for 12
    # bodies on the way, of some 20 roundings each, random in sign
    np.testing.assert_allclose(in_base, composite, rtol=0, atol=16 * 12 * EPS * np.abs(composite).max())
    assert np.array_equal(in_base, in_base.T)
    related = np.eye(robot.nv, dtype=bool)
    for i, before in enumerate(carriers(robot)):
        related[i, before] = related[before, i] = True
    assert not in_base[~related].any() and not composite[~related].any()  # the tree's zeros


def test_the_form_with_fewer_operations_is_taken() -> None:
    """Of a short chain, of a tree that is not deep, and of a chain of 12, for which both are tried."""
    short, bushy = revolute.robots.ur5(), revolute.robots.random_tree(40, rng=1, branching=1)
    for robot in (short, bushy, revolute.robots.random_tree(12, rng=0, branching=0)):
        assert robot.count("mass_matrix").arithmetic == by_composite_bodies(robot)
    long = revolute.robots.random_tree(40, rng=1, branching=0)
    assert (long.count("mass_matrix").arithmetic, by_composite_bodies(long)) == (14_106, 25_409)


def by_composite_bodies(robot: Robot) -> int:
    """Multiplications and additions of `mass_matrix`."""
    q = Builder().input("q", robot.nq)
    nodes = tuple(x for row in mass_matrix(reduced(robot), q) for x in row if not isinstance(x, (int, float)))
    return count(Graph("composite", (), (Output("M", (len(nodes),), nodes),))).arithmetic


def test_a_chain_too_long_for_composite_bodies_is_not_traced_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = revolute.robots.random_tree(60, rng=1, branching=0)
    monkeypatch.setattr(joint_space.composite, "mass_matrix", None)
    assert signature(robot, "mass_matrix", {}).graph().outputs[0].size == 3600


def test_many_columns_of_a_large_robot_are_solved_in_loops() -> None:
    """-M^-1 Y for 250 columns: in double and single precision, and with branches whose columns share their zeros."""
    robot = revolute.robots.random_tree(24, rng=4, base="free", branching=0.5)
    rng = np.random.default_rng(1)
    q, (qd, tau) = robot.random_configuration(3, rng=rng), rng.standard_normal((2, 3, robot.nv))
    kernel = robot.kernel("forward_dynamics_parameter_partials")
    loops = [node.value for node in kernel.graph.nodes if node.op == "loop"]
    assert len(loops) > 2 and sum(loop.steps for loop in loops) > 150
    assert all(loop.each[0] < robot.nv for loop in loops)  # without the zeros of other branches
    assert count(kernel.graph).arithmetic > 2 * len(kernel.graph.nodes)  # steps count, not bodies
    found = kernel(q, qd, tau)
    Y = robot.regressor(q, qd, robot.forward_dynamics(q, qd, tau))
    wanted = -np.linalg.solve(robot.mass_matrix(q), Y)
    scale = np.abs(wanted).max(axis=(-2, -1), keepdims=True)
    assert (np.abs(found - wanted) <= 1e-10 * scale).all()
    single = robot.kernel("forward_dynamics_parameter_partials", dtype="float32")(q, qd, tau)
    assert single.dtype == np.float32 and (np.abs(single - wanted) <= 1e-2 * scale).all()
    for k in range(3):
        np.testing.assert_array_equal(kernel(q[k], qd[k], tau[k]), found[k])


@pytest.mark.parametrize("negative", [False, True])
def test_columns_in_loops_are_those_of_straight_code(negative: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = revolute.robots.random_tree(9, rng=2, base="free", branching=0.6)
    factors = factorized(robot, mass_matrix(robot, robot.random_configuration(rng=0).tolist()))
    numbers = np.random.default_rng(0).standard_normal((5, robot.nv)).tolist()
    columns = [*numbers, [0] * robot.nv, [0] * 6 + [1.0] + [0] * (robot.nv - 7)]
    straight, inverse = factors.solve_columns(columns, negative=negative), factors.inverse()
    monkeypatch.setattr(sparse_factorization, "LARGE", 0)
    np.testing.assert_allclose(factors.inverse(), inverse, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(factors.solve_columns(columns, negative=negative), straight, rtol=1e-9, atol=1e-12)
