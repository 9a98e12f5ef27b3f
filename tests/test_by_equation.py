"""Algorithms 6.2 and 7.1 of Balafoutis and Patel, counted equation by equation."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from revolute.by_equation import SIZES, by_equation, table
from revolute.formulations.ledger import LEDGERS
from revolute.formulations.tensors import twice_symmetric
from revolute.graph import STRUCTURE, Input, count, trace
from revolute.library import dh_arm
from revolute.scalar import Scalar
from revolute.spatial import Rotation
from revolute.vectors import Matrix, Vector

PAGE = Path(__file__).parent.parent / "docs" / "algorithms-6-2-and-7-1.md"


@pytest.mark.parametrize(("name", "geometry"), LEDGERS)
def test_the_page_has_the_tables(name: str, geometry: str) -> None:
    assert table(name, geometry) in PAGE.read_text(encoding="utf-8")  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "geometry"), LEDGERS)
def test_every_operation_belongs_to_an_equation_of_the_print(name: str, geometry: str) -> None:
    known = {entry.equation for entry in LEDGERS[name, geometry]}  # type: ignore[index]
    for n in SIZES:
        assert {key[0] for key in by_equation(name, n, geometry)} <= known  # type: ignore[arg-type]


@pytest.mark.parametrize("geometry", ["general", "right"])
def test_equations_of_algorithm_6_2_add_up_to_its_count(geometry: str) -> None:
    for n in SIZES:
        costs = by_equation("generalized_links", n, geometry).values()  # type: ignore[arg-type]
        counts = dh_arm(n, geometry).count("generalized_links", convention="source")
        assert (sum(m for m, _ in costs), sum(a for _, a in costs)) == (counts.multiplications, counts.additions)


def test_differences_of_algorithm_6_2_are_those_derived() -> None:
    """Counted polynomials that the page derives: printed ones plus the differences."""
    derived = {
        "6.3.29a": lambda n: (4 * n - 8, 5 * n - 8),
        "6.3.29b": lambda n: (2 * n - 2, 0),
        "6.3.29c": lambda n: (43 * n - 80, 51 * n - 88),
        "6.3.30a": lambda n: (4 * n**2 - 14 * n + 12, 2 * n**2 - 8 * n + 8),
        "6.3.30b": lambda n: (7 * n**2 - 13 * n + 4, 5 * n**2 - 9 * n + 2),
    }
    for n in (4, 6, 9, 12):
        costs = by_equation("generalized_links", n, "general")
        for equation, polynomial in derived.items():
            found = [cost for key, cost in costs.items() if key[0] == equation]
            assert (sum(m for m, _ in found), sum(a for _, a in found)) == polynomial(n), (equation, n)


def test_what_6_3_29c_takes_with_and_without_its_symmetry() -> None:
    """38+41 where E is symmetric by its expressions, 47+51 where it is not: the 9+10 of the page."""
    turn = dh_arm(3).bodies[3].placement.R

    def cost(size: int) -> tuple[int, int]:
        def function(t: Any, s: Any, U: Any, K: Any, e: Any) -> Any:
            E = _symmetric(e) if size == 6 else Matrix((e[:3], e[3:6], e[6:]))
            A = turn @ Rotation.about((0, 0, 1), t[0], t[1])
            E = _symmetric(K) + A.conjugate(E - twice_symmetric(Vector(s), Vector(U)))
            return [("E", (9,), [x for row in E for x in row])]

        sizes = {"t": 2, "s": 3, "U": 3, "K": 6, "e": size}
        found = count(trace("6.3.29c", function, [Input(k, (v,)) for k, v in sizes.items()], STRUCTURE))
        return found.multiplications, found.additions

    assert cost(6) == (38, 41)
    assert cost(9) == (47, 51)


def _symmetric(e: Sequence[Scalar]) -> Matrix:
    return Matrix(((e[0], e[1], e[2]), (e[1], e[3], e[4]), (e[2], e[4], e[5])))
