"""The published formulations: all agree, on random arms, with the recursions; what is particular to some of them."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises
from numpy.typing import NDArray

import revolute
from revolute import ModelError, Robot
from revolute.dynamics.articulated_body import articulated_body
from revolute.dynamics.inverse_dynamics_partials import inverse_dynamics_partials
from revolute.dynamics.mass_matrix import mass_matrix
from revolute.dynamics.newton_euler import newton_euler
from revolute.published import FORMULATIONS, PRINT_ONLY, Formulation, Printed
from revolute.published.walker_orin import conjugate_gradient
from revolute.spatial import Inertia

Array = NDArray[np.float64]

ROWS = 8
"""States at once: every scalar of a formulation is an array of so many."""

ROUNDING = {"inverse_dynamics": 1e-12, "mass_matrix": 1e-13, "forward_dynamics": 1e-10, "sensitivity": 1e-12}
"""What rounding leaves: 2e-16 times the roundings in a row of a sum, some 1e2 for M and 1e3 for forces, where terms
also cancel, below tenfold; for accelerations times the condition of M, which is below 1e5 for these arms, over 1e2, for
the errors are no worst case."""

OWN: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": newton_euler,
    "mass_matrix": mass_matrix,
    "forward_dynamics": articulated_body,
    "sensitivity": lambda *state: inverse_dynamics_partials(*state)[::-1],
}
"""Our own recursions by quantity."""


@cache
def case(n: int, prismatic: float) -> tuple[Robot, tuple[list[Array], ...]]:
    """An arm, and q, qd, qdd (or tau) as lists of arrays."""
    seed = n + int(1000 * prismatic)
    robot = revolute.robots.random_tree(n, rng=seed, branching=0, prismatic=prismatic)
    states = np.random.default_rng(seed).uniform(-2, 2, (3, n, ROWS))
    return robot.with_gravity((1.0, -2.0, 9.0)), tuple(map(list, states))


@cache
def result(function: Callable[..., Any], quantity: str, n: int, prismatic: float) -> Array:
    """(numbers, ROWS): constants are the same for all states."""
    robot, state = case(n, prismatic)
    return np.array(leaves(function(robot, *state[: 1 if quantity == "mass_matrix" else 3])))


def leaves(x: Any) -> list[Array]:
    nested = isinstance(x, (list, tuple))
    return [y for part in x for y in leaves(part)] if nested else [np.broadcast_to(np.asarray(x, dtype=float), ROWS)]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 9, 12])
@pytest.mark.parametrize("formulation", FORMULATIONS.values(), ids=lambda f: f.name)
def test_all_formulations_agree(formulation: Formulation, n: int) -> None:
    kinds, quantity = (0.0, 0.4, 1.0) if n <= 6 else (0.4,), formulation.quantity
    for prismatic in kinds if "prismatic" in formulation.joints else (0.0,):
        found, ours = (result(x, quantity, n, prismatic) for x in (formulation.function, OWN[quantity]))
        error = np.max(np.abs(found - ours).max(0) / np.abs(ours).max(0))
        assert error <= ROUNDING[quantity], (formulation.name, n, prismatic, error)


@pytest.mark.parametrize(
    "formulation", [f for f in FORMULATIONS.values() if "free" not in f.joints], ids=lambda f: f.name
)
def test_formulations_name_what_they_cannot_take(formulation: Formulation) -> None:
    arrays = 1 if formulation.quantity == "mass_matrix" else 3
    tree = revolute.robots.random_tree(4, rng=3, branching=1, prismatic=0)
    free = revolute.robots.random_tree(2, rng=3, branching=0, prismatic=0, base="free")
    with pytest.raises(ModelError, match=f"{formulation.name} is for serial arms; .* branches off"):
        formulation.function(tree, *[[0.0] * 4] * arrays)
    with pytest.raises(ModelError, match=f"{formulation.name} is for revolute.* is free"):
        formulation.function(free, *[[0.0] * 9] * arrays)
    if "prismatic" not in formulation.joints:
        slide = revolute.robots.random_tree(2, rng=3, branching=0, prismatic=1)
        assert_raises(ModelError, "is prismatic", formulation.function, slide, *[[0.0] * 2] * arrays)


def test_printed_counts_read_as_in_the_book() -> None:
    assert str(Printed((-42, 11, 11), (-54, 32.5, 5.5), "")) == (
        "11n^2 + 11n - 42 multiplications, 5.5n^2 + 32.5n - 54 additions"
    )
    assert str(Printed((66271,), (51548,), "", only=6)) == "66,271 multiplications, 51,548 additions"
    assert Printed((0, 1), (1, -1), "").at(3) == (3, -2)
    assert str(Printed((0, 1), (1, -1), "")) == "n multiplications, -n + 1 additions"


def test_printed_counts_are_those_of_the_sources() -> None:
    """As read in the tables; the file is to be compared with them, and changed by hand."""
    several = (*FORMULATIONS.values(), *PRINT_ONLY)
    found = [f"{f.name}, {p.geometry}: {p}. {p.source}" for f in several for p in f.published]
    assert found == (Path(__file__).parent / "printed_counts.txt").read_text(encoding="utf-8").splitlines()


def test_printed_counts_are_whole_numbers() -> None:
    """As counts of operations are, but for BP's 64/2 n additions of the recursive coefficients: see its remark."""
    fractional = {
        formulation.name
        for formulation in (*FORMULATIONS.values(), *PRINT_ONLY)
        for printed in formulation.published
        for n in range(2, 13)
        if any(abs(x - round(x)) > 1e-9 for x in printed.at(n))
    }
    assert fractional == {"recursive_coefficients"}
    *_, slip = FORMULATIONS["recursive_coefficients"].published
    assert all(abs(x - round(x)) < 1e-9 for n in range(2, 13) for x in [slip.at(n)[1] - 64 / 2 * n + 64 / 3 * n])


def test_totals_for_six_joints_are_those_that_the_book_prints() -> None:
    """Of BP section 5.2.1, Tables 5.3 and 6.2; what is compared comes first. Two polynomials miss BP's totals."""
    book = {
        "hollerbach_4x4": [(4388, 3586)], "hollerbach_3x3": [(2195, 1719)],
        "recursive_coefficients": [(992, 776), (992 - 20, 776 - 10 + 64)], "luh_walker_paul": [(852, 738)],
        "featherstone": [(712, 550)], "kane_recursive": [(521, 435)], "khalil": [(538, 478)],
        "tensor_newton_euler": [(499, 434)], "augmented_links": [(450, 386), (354, 351), (489, 420), (388, 370)],
        "closed_coefficients": [], "kane_angeles": [],
        "craig": [(657, 544)], "khosla_neuman": [(678, 521)], "li": [(616, 494)],
        "walker_orin": [(741, 601), (741, 598)],  # its total, and its polynomial
        "spatial_composite_bodies": [(505, 410)], "natural_orthogonal_complement": [(746, 629)],
        "generalized_links": [(420, 339), (271, 250)], "walker_orin_accelerations": [(1627, 1261)],
        "natural_complement_accelerations": [(1353, 1165)], "generalized_links_accelerations": [(956, 790)],
        "spatial_composite_accelerations": [(1303, 1019)], "articulated_bodies": [(1533, 1415)],
        "sensitivity": [(2056, 1762), (1516, 1472)],
    }  # fmt: skip
    several = (*FORMULATIONS.values(), *PRINT_ONLY)
    found = {f.name: [printed.at(6) for printed in f.published] for f in several}
    assert {name: totals[: len(book[name])] for name, totals in found.items() if name in book} == book
    others = {f.name for f in FORMULATIONS.values() if f.quantity != "inverse_dynamics"} - {*book}
    assert not any(found[name] for name in others)


def state_of(robot: Robot, seed: int) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-2, 2, size).tolist() for size in (robot.nq, robot.nv, robot.nv)]


def test_the_closed_form_takes_floating_trees() -> None:
    robot = revolute.robots.random_tree(7, rng=5, base="free")
    (q, _, _) = state_of(robot, 5)
    found = FORMULATIONS["closed_form_mass_matrix"].function(robot, q)
    ours = np.array(mass_matrix(robot, q))
    assert np.abs(np.array(found) - ours).max() <= 1e-12 * np.abs(ours).max()


def test_conjugate_gradients_need_no_more_iterations_than_joints_but_for_rounding() -> None:
    robot = revolute.robots.random_tree(3, rng=2, branching=0, prismatic=0)
    q, qd, tau = state_of(robot, 2)
    ours = np.array(articulated_body(robot, q, qd, tau))
    errors = [np.abs(np.array(conjugate_gradient(robot, q, qd, tau, k)) - ours).max() for k in (1, 2, 3, 30)]
    # of order one before; then rounding times the square of the condition of M, some 1e2
    assert min(errors[:2]) > 1e-3 and max(errors[2:]) < 1e-10 * np.abs(ours).max(), errors


@pytest.mark.parametrize("inertia", [
    Inertia.from_com(1.5, (0.1, 0.2, 0.3)),
    Inertia.from_com(1.5, (0.1, 0.2, 0.3), ((0, 0, 0), (0, 0.2, 0), (0, 0, 0.2))),
    Inertia(),
], ids=["point", "rod", "nothing"])  # fmt: skip
def test_the_orthogonal_complement_takes_links_without_extent(inertia: Inertia) -> None:
    robot = revolute.robots.random_tree(2, rng=1, branching=0, prismatic=0)
    robot = replace(robot, bodies=(robot.bodies[0], replace(robot.bodies[1], inertia=inertia), robot.bodies[2]))
    q, qd, tau = state_of(robot, 1)
    ours = np.array(mass_matrix(robot, q))
    found = FORMULATIONS["natural_orthogonal_complement"].function(robot, q)
    assert np.abs(np.array(found) - ours).max() < 1e-12 * ours.max()
    qdd = np.array(articulated_body(robot, q, qd, tau))
    found = FORMULATIONS["orthogonal_complement_accelerations"].function(robot, q, qd, tau)
    assert np.abs(np.array(found) - qdd).max() < 1e-10 * np.abs(qdd).max()


def test_bodies_that_cannot_be_have_no_root() -> None:
    robot = revolute.robots.random_tree(2, rng=1, branching=0)
    odd = replace(robot.bodies[2], inertia=Inertia(1.5, (0.1, 0.2, 0.3), ((-1, 0, 0), (0, 1, 0), (0, 0, 1))))
    robot = replace(robot, bodies=(*robot.bodies[:2], odd))
    message = r"link 'link2' of 'random_tree2_1' has mass 1.5 and an inertia .* not positive semidefinite"
    assert_raises(ModelError, message, FORMULATIONS["natural_orthogonal_complement"].function, robot, [0.1, 0.2])
