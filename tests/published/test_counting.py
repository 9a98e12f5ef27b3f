"""Operation counts of the published formulations: exact, next to the printed ones."""

import re
from typing import Any

import numpy as np
import pytest
from comparing import assert_raises

import revolute
from revolute import InputError, ModelError, UnknownNameError, robots
from revolute.graph import STRUCTURE, Input, count, trace
from revolute.published import FORMULATIONS, PRINT_ONLY, Formulation, counting
from revolute.published.augmented_links import nominal
from revolute.published.counting import formulation, general_arm


def counted(name: str, n: int, geometry: str) -> tuple[int, int]:
    books = general_arm(n, geometry).count(formulation(name), counting="source")  # type: ignore[arg-type]
    assert (books.divisions, books.calls) == (0, 2 * n)
    return books.multiplications, books.additions


@pytest.mark.parametrize("n", range(2, 13))
def test_augmented_links_take_what_is_printed_but_for_a_constant(n: int) -> None:
    """BP Table 5.2; docs/costs-of-algorithms.md explains the differences."""
    general, right = (p.at(n) for p in FORMULATIONS["augmented_links"].published[:2])
    assert counted("augmented_links", n, "general") == (93 * n - 111, 81 * n - 103)
    assert counted("augmented_links", n, "right") == (73 * n - 85, 71 * n - 90)
    assert general == (93 * n - 111 + 3, 81 * n - 103 + 3)
    assert right == (73 * n - 85 + 1, 71 * n - 90 + 15)


@pytest.mark.parametrize("n", range(2, 13))
def test_augmented_links_of_tables_take_less(n: int) -> None:
    """docs/costs-of-algorithms.md: a zero of s where twists are 90 degrees, and gravity along the first axis."""
    for geometry, expected in {"general": (93 * n - 115, 81 * n - 107), "right": (68 * n - 79, 66 * n - 84)}.items():
        books = robots.dh_arm(n, geometry).count(formulation("augmented_links"), counting="source")
        assert (books.multiplications, books.additions) == expected


@pytest.mark.parametrize(("name", "slopes", "constants"), [
    ("tensor_newton_euler", (96, 84), (-108, -102)),  # printed: 96n - 77, 84n - 70
    ("luh_walker_paul", (117, 90), (-136, -115)),
    ("kane_recursive", (105, 87), (-118, -106)),  # printed: 105n - 109, 90n - 105
    ("khalil", (105, 87), (-124, -110)),  # printed: 105n - 92, 94n - 86
    ("featherstone", (136, 108), (-161, -138)),
    ("lynch_park", (129, 101), (-143, -123)),
    ("spong", (134, 101), (-138, -113)),
    ("rodriguez", (190, 149), (-151, -136)),
])  # fmt: skip
def test_recursions_grow_linearly(name: str, slopes: tuple[int, int], constants: tuple[int, int]) -> None:
    for n in (2, 3, 7):
        assert counted(name, n, "general") == tuple(a * n + b for a, b in zip(slopes, constants, strict=True))


@pytest.mark.parametrize(("geometry", "cycle"), [("general", (93, 81)), ("right", (73, 71))])
def test_table_5_1_is_full_cycles(geometry: str, cycle: tuple[int, int]) -> None:
    """docs/costs-of-algorithms.md: n - 1 times what one more joint takes, and the first cycles, 17+11 here."""
    printed = next(
        p for p in FORMULATIONS["augmented_links"].published if (p.geometry, p.source) == (geometry, "BP Table 5.1")
    )
    for n in (2, 6, 11):
        less, more = counted("augmented_links", n, geometry), counted("augmented_links", n + 1, geometry)
        assert (more[0] - less[0], more[1] - less[1]) == cycle
        first = {"general": (24, 15), "right": (23, 15)}[geometry]
        assert printed.at(n) == tuple(c * (n - 1) + f for c, f in zip(cycle, first, strict=True))

    def first_cycles(*state: Any) -> Any:
        it = nominal(general_arm(1, geometry), *state)  # type: ignore[arg-type]
        return [("wrench", (6,), [*it.eta[1], *it.Udd[1]])]

    found = count(trace("first", first_cycles, [Input(x, (1,)) for x in ("q", "qd", "qdd")], STRUCTURE))
    assert (found.multiplications, found.additions) == (17, 11)


def test_recursive_coefficients_grow_with_the_cube() -> None:
    """Printed: 3/2 n^3 + 35/2 n^2 + 9n - 36 and 7/6 n^3 + 23/2 n^2 + 64/2 n - 28."""
    for n in (3, 4, 7, 8):
        multiplications, additions = counted("recursive_coefficients", n, "general")
        assert multiplications == 2 * n**3 + 21 * n**2 + 9 * n - 54
        assert 3 * additions == 5 * n**3 + 39 * n**2 + 91 * n - 228


@pytest.mark.parametrize("published", FORMULATIONS.values(), ids=lambda f: f.name)
def test_remarks_have_the_counts(published: Formulation) -> None:
    """Of n = 6; polynomials have tests of their own."""
    numbers = re.search(r"Counted for n = 6: ([\d,]+) and ([\d,]+)", published.remark)
    if numbers:
        books = robots.dh_arm(6).count(formulation(published.name), counting="source")
        assert [f"{books.multiplications:,}", f"{books.additions:,}"] == [x.rstrip(",") for x in numbers.groups()]


def test_craig_prices_the_equations_of_luh_walker_and_paul() -> None:
    """126n printed: 117n, one more for each of five A v, and four for A; the additions would be 100n, not 106n."""
    craig = next(x for x in PRINT_ONLY if x.name == "craig").published[0]
    steps = [counted("luh_walker_paul", n, "general") for n in (4, 5)]
    multiplications, additions = (b - a for a, b in zip(*steps, strict=True))
    assert multiplications + 5 * (9 - 8) + 4 == craig.multiplications[1]
    assert additions + 5 * (6 - 4) == craig.additions[1] - 6


ROBOTS = (general_arm(6), general_arm(6, "right"), robots.ur5(), robots.puma560(), robots.stanford())


@pytest.mark.parametrize("robot", ROBOTS, ids=[f"{k} {robot.name}" for k, robot in enumerate(ROBOTS)])
def test_kernels_take_fewer_operations_than_any_published_algorithm(robot: revolute.Robot) -> None:
    books = robot.kernel("inverse_dynamics").count()
    for name, published in FORMULATIONS.items():
        takes = robot.name != "stanford" or "prismatic" in published.joints
        if published.quantity == "inverse_dynamics" and takes:
            assert books.arithmetic < robot.count(formulation(name)).arithmetic, name


def test_kernels_take_fewer_operations_than_printed() -> None:
    """The figures to beat are 450 + 386 and, for twists of 0 and 90 degrees, 354 + 351 (BP Table 5.2)."""
    for arm, (multiplications, additions) in zip(ROBOTS[:2], ((450, 386), (354, 351)), strict=True):
        books = arm.kernel("inverse_dynamics").count()
        assert books.multiplications < multiplications and books.additions < additions


def test_general_arms_have_no_zero() -> None:
    arm = general_arm(3)
    assert (arm.inertial_parameters != 0).all()
    assert all(body.placement.p != (0, 0, 0) for body in arm.bodies[1:])
    assert np.linalg.matrix_rank(arm.mass_matrix([0.1, 0.2, 0.3])) == 3


def test_wrong_use_is_named() -> None:
    assert_raises(UnknownNameError, r"no function 'euler' of a robot; ", general_arm(2).count, "euler")
    assert_raises(UnknownNameError, "no published formulation 'sprong'; .*spong", formulation, "sprong")
    assert_raises(InputError, "'source' or 'traced'", general_arm(2).count, formulation("spong"), counting="all")
    assert_raises(InputError, "'general' or 'right', not 'left'", general_arm, 2, "left")
    assert_raises(InputError, "at least one joint", general_arm, 0)
    assert_raises(ModelError, "is prismatic", robots.stanford().count, formulation("closed_coefficients"))
    with pytest.raises(ModelError, match="is prismatic"):
        counting.counted(robots.stanford(), ["walker_orin", "closed_coefficients"])
