"""Algorithms 6.2 and 7.1 of Balafoutis and Patel, counted equation by equation.

Every operation belongs to the source line that first asks for it: the number in the comment of that line is its
equation.
"""

import linecache
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from types import FrameType
from typing import Any

import numpy as np
import pytest

from revolute.graph import OPS, STRUCTURE, Builder, Node, reachable
from revolute.graph.ops import COMMUTATIVE
from revolute.library import dh_arm
from revolute.published import Geometry
from revolute.published.augmented_links import Nominal, generalized_links, nominal
from revolute.published.counting import formulation
from revolute.published.ledger import LEDGERS
from revolute.published.sensitivity import sensitivity_of_nominal
from revolute.published.serial import along_z, serial
from revolute.spatial import Scalar, cross

Times = tuple[int, int, int]
"""How often an equation is evaluated, with how many multiplications and additions; negative for what it saves."""

both = pytest.mark.parametrize("geometry", ["general", "right"])


class Ledger(Builder):
    """A builder that knows which equation first asked for a node."""

    def __init__(self) -> None:
        super().__init__(STRUCTURE)
        self.asked: dict[Node, str] = {}
        self._operations: dict[tuple[str, tuple[Node, ...]], Node] = {}

    def make(self, op: str, *operands: Any) -> Node:
        args = [x if isinstance(x, Node) else self._number(x) for x in operands]
        if op in COMMUTATIVE:
            args.sort(key=lambda x: (x.op == "const", x.index))
        return self._simplest(op, tuple(args))

    def binary(self, op: str, a: Any, b: Any) -> Node:
        return self.make(op, a, b)

    def new(self, op: str, args: tuple[Node, ...], value: Any = None) -> Node:
        node = self._operations.get((op, args)) if args else None
        if node is None:
            node = self._operations[op, args] = super().new(op, args, value)
            self.asked[node] = asking()
        return node


def asking() -> str:
    """The equation that is evaluated, or ""."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if found := equation_of(frame.f_code.co_filename, frame.f_lineno):
            return found
        frame = frame.f_back
    return ""


@cache
def equation_of(file: str, line: int) -> str:
    found = re.search(r"# (\d\.\d\.\d+[a-z])", linecache.getline(file, line)) if "published" in file else None
    return found[1] if found else ""


@cache
def by_equation(name: str, n: int, geometry: Geometry) -> dict[str, tuple[int, int]]:
    """Multiplications and additions of each equation for `dh_arm(n, geometry)`; the first to ask for one has it.

    Quantities of Algorithm 5.7 are given to Algorithm 7.1.
    """
    builder = Ledger()
    robot, q = dh_arm(n, geometry), builder.input("q", n)
    matrices: Sequence[list[list[Scalar]]]
    if name == "generalized_links":
        matrices = [generalized_links(robot, q)]
    else:
        it = nominal(robot, q, builder.input("qd", n), builder.input("qdd", n))
        matrices = sensitivity_of_nominal(given(it, builder))
    books: dict[str, Counter[str]] = {}
    for node in reachable([x for rows in matrices for row in rows for x in row if isinstance(x, Node)]):
        if node.op in OPS:
            books.setdefault(builder.asked[node], Counter())[OPS[node.op].cost] += 1
    return {equation: (book["multiplications"], book["additions"]) for equation, book in books.items()}


def given(it: Nominal, builder: Builder) -> Nominal:
    """Links and their transforms as they are; every other quantity that varies becomes an input."""
    fresh: dict[Node, Node] = {}

    def input_of(x: Any) -> Any:
        if isinstance(x, Node) and x.op != "const":
            return fresh.setdefault(x, builder.input(f"given{len(fresh)}", 1)[0])
        return x if not isinstance(x, tuple) else type(x)(map(input_of, x))

    moving = ("sd", "w", "Omega", "sdd", "Udd", "eta")
    return replace(it, **{name: [input_of(x) for x in getattr(it, name)] for name in moving})


def total(pairs: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(m for m, _ in pairs), sum(a for _, a in pairs)


@pytest.mark.parametrize(("name", "geometry"), LEDGERS)
@pytest.mark.parametrize("n", (2, 6, 12))
def test_every_operation_belongs_to_an_equation_of_the_print(n: int, name: str, geometry: Geometry) -> None:
    known = {entry.equation for entry in LEDGERS[name, geometry]}
    assert {equation for equation, cost in by_equation(name, n, geometry).items() if cost != (0, 0)} <= known


@both
@pytest.mark.parametrize("n", range(2, 8))
def test_equations_of_algorithm_6_2_add_up_to_its_count(geometry: Geometry, n: int) -> None:
    counts = dh_arm(n, geometry).count(formulation("generalized_links"), counting="source")
    found = by_equation("generalized_links", n, geometry).values()
    assert total(list(found)) == (counts.multiplications, counts.additions)


def evaluations_6_2(n: int, geometry: Geometry) -> dict[str, list[Times]]:
    """What all evaluations of an equation ask for, less what other equations had asked for."""
    inner, first = (n - 1) * (n - 2) // 2, n - 1
    if geometry == "general":
        return {
            "6.3.29a": [(n - 2, 8, 7), (-1, 2, 0), (-1, 4 * n - 10, 2 * n - 6)],
            "6.3.29b": [(first, 2, 0)],
            "6.3.29c": [(n - 2, 27, 39), (-1, 3, 1), (1, 17, 25), (-1, 4 * n - 7, 0)],
            "6.3.30a": [(inner, 8, 4), (2 - n, 2, 2)],
            "6.3.30b": [(inner, 14, 10), (first, 10, 8), (1 - n, 2, 2), (-1, 2, 2)],
        }
    return {
        "6.3.29a": [(n - 2, 4, 5), (-1, 0, 1), (-1, 4 * n - 12, 2 * n - 8)],
        "6.3.29b": [(first, 2, 0)],
        "6.3.29c": [(n - 4, 19, 30), (1, 18, 30), (1, 16, 29), (1, 11, 14), (-1, 4 * n - 9, 0)],
        "6.3.30a": [(inner, 4, 2), (3 - n, 2, 2)],
        "6.3.30b": [(inner, 10, 8), (5 - 2 * n, 2, 2), (-1, 1, 0), (-1, 2, 2), (first, 6, 5), (-1, 0, 2), (-1, 1, 1)],
    }


def evaluations_7_1(n: int, geometry: Geometry) -> dict[str, list[Times]]:
    inner, first = (n - 1) * (n - 2) // 2, n - 1
    found: dict[str, list[Times]] = {
        "7.3.18f": [(first, 4, 3), (-1, 2, 0)],
        "7.3.18g": [(first, 13, 9)],
        "7.3.18j": [(first, 6, 6)],
        "7.3.18k": [(first, 22, 18)],
        "7.3.19j": [(inner, 3, 2), (first, 1, 0)],
        "7.3.19k": [(inner + first, 1, 0)],
    }
    if geometry == "general":
        return found | {
            "7.3.18a": [(n - 2, 8, 7), (-1, 2, 0), (1, 6, 3), (-1, 4 * n - 6, 2 * n - 4)],
            "7.3.18b": [(n - 2, 14, 10), (2, 6, 3)],
            "7.3.18c": [(n - 2, 27, 39), (-1, 0, 2), (1, 10, 14), (-1, 4 * n - 6, 2 * n - 3)],
            "7.3.18d": [(n - 2, 59, 66), (1, 14, 14), (1, 15, 9), (-1, 2 * n - 2, 0), (-1, 4 * n - 6, 2 * n - 3)],
            "7.3.18m": [(1, 1, 0), (first, 3, 2), (1 - n, 2, 2)],
            "7.3.18n": [(first, 8, 6), (2 - n, 8, 6), (-1, 7, 4)],
            "7.3.19a": [(inner, 8, 4), (2 - n, 2, 2), (first, 6, 3), (-1, 1, 1)],
            "7.3.19b": [(inner, 8, 4), (first, 6, 3)],
            "7.3.19c": [(inner, 8, 4), (first, 6, 3)],
            "7.3.19d": [(inner, 14, 10), (-1, 2, 0), (first, 6, 4)],
            "7.3.19e": [(inner, 14, 10), (first, 6, 4)],
            "7.3.19f": [(inner, 14, 10), (first, 6, 4)],
            "7.3.19g": [(inner, 14, 10), (first, 6, 4)],
            "7.3.19l": [(inner, 8, 6)],
        }
    return found | {
        "7.3.18a": [(n - 2, 4, 5), (-1, 0, 1), (1, 4, 2), (-1, 4 * n - 8, 2 * n - 6)],
        "7.3.18b": [(n - 2, 10, 8), (1, 6, 3), (1, 2, 1)],
        "7.3.18c": [(n - 3, 16, 25), (1, 14, 21), (1, 9, 10), (-1, 7 * n - 16, 2 * n - 3)],
        "7.3.18d": [(n - 2, 44, 50), (1, 11, 9), (1, 15, 9), (-1, 2 * n - 2, 0), (-1, 8 * n - 20, 3 * n - 7)],
        "7.3.18m": [(1, 1, 0), (first, 3, 2), (1 - n, 2, 2)],
        "7.3.18n": [(first, 8, 6), (-1, 8 * n - 10, 6 * n - 10)],
        "7.3.19a": [(inner, 4, 2), (3 - n, 2, 2), (n - 3, 2, 1), (1, 4, 2), (1, 1, 0)],
        "7.3.19b": [(inner, 4, 2), (first, 2, 1)],
        "7.3.19c": [(inner, 4, 2), (first, 2, 1)],
        "7.3.19d": [(inner, 8, 6), (2 - n, 1, 1), (n - 2, 4, 3), (1, 4, 2)],
        "7.3.19e": [(inner, 10, 8), (2 - n, 2, 2), (n - 2, 4, 3), (1, 4, 2)],
        "7.3.19f": [(inner, 8, 6), (first, 4, 3)],
        "7.3.19g": [(inner, 8, 6), (first, 4, 3)],
        "7.3.19l": [(inner, 8, 6), (2 - n, 1, 1)],
    }


PRINTED = {
    ("generalized_links", "general"): """
        6.3.29a: 8*n - 16, 7*n - 10                        6.3.29b: 2*n - 2, 0
        6.3.29c: 30*n - 42, 39*n - 52                      6.3.30a: 4*n**2 - 12*n + 8, 2*n**2 - 6*n + 4
        6.3.30b: 7*n**2 - 17*n + 10, 3.5*n**2 - 7.5*n + 4""",
    ("generalized_links", "right"): """
        6.3.29a: 4*n - 8, 5*n - 10                         6.3.29b: 2*n - 2, 0
        6.3.29c: 20*n - 25, 32*n - 42                      6.3.30a: 2*n**2 - 6*n + 4, n**2 - 3*n + 2
        6.3.30b: 5*n**2 - 13*n + 8, 2.5*n**2 - 5.5*n + 3""",
    ("sensitivity", "general"): """
        7.3.18a: 8*(n-1), 7*(n-1)                          7.3.18b: 14*(n-1), 10*(n-1)
        7.3.18c: 30*(n-1) + 18, 39*(n-1) + 8               7.3.18d: 69*(n-1) + 18, 74*(n-1) + 14
        7.3.18f: 4*(n-1), n-1                              7.3.18g: 9*(n-1), 12*(n-1)
        7.3.18j: 6*(n-1), 6*(n-1)                          7.3.18k: 18*(n-1), 21*(n-1)
        7.3.18m: 2*(n-1), 3*(n-1)                          7.3.18n: 7*(n-1), 7*(n-1)
        7.3.19a: 4*n*(n-1), 2*n*(n-1)                      7.3.19b: 4*n*(n-1), 2*n*(n-1)
        7.3.19c: 4*n*(n-1), 2*n*(n-1)                      7.3.19d: 7*n*(n-1), 5*n*(n-1)
        7.3.19e: 7*n**2 - 16*n + 9, 5*n**2 - 11*n + 6      7.3.19f: 7*n**2 - 16*n + 9, 5*n**2 - 11*n + 6
        7.3.19g: 7*n**2 - 16*n + 9, 5*n**2 - 11*n + 6      7.3.19j: n*(n-1), 1.5*n*(n-1)
        7.3.19k: 0, 0.5*n*(n-1)                            7.3.19l: 3*n*(n-1), 3*n*(n-1)""",
    ("sensitivity", "right"): """
        7.3.18a: 4*(n-1), 5*(n-1)                          7.3.18b: 10*(n-1), 8*(n-1)
        7.3.18c: 20*(n-1) + 18, 32*(n-1) + 8               7.3.18d: 51*(n-1) + 18, 63*(n-1) + 14
        7.3.18f: 4*(n-1), n-1                              7.3.18g: 9*(n-1), 12*(n-1)
        7.3.18j: 6*(n-1), 6*(n-1)                          7.3.18k: 18*(n-1), 21*(n-1)
        7.3.18m: 2*(n-1), 3*(n-1)                          7.3.18n: 7*(n-1), 7*(n-1)
        7.3.19a: 2*n*(n-1), n*(n-1)                        7.3.19b: 2*n*(n-1), n*(n-1)
        7.3.19c: 2*n*(n-1), n*(n-1)                        7.3.19d: 5*n*(n-1), 4*n*(n-1)
        7.3.19e: 5*n**2 - 10*n + 5, 4*n**2 - 8*n + 4       7.3.19f: 5*n**2 - 10*n + 5, 4*n**2 - 8*n + 4
        7.3.19g: 5*n**2 - 10*n + 5, 4*n**2 - 8*n + 4       7.3.19j: n*(n-1), 1.5*n*(n-1)
        7.3.19k: 0, 0.5*n*(n-1)                            7.3.19l: 3*n*(n-1), 3*n*(n-1)""",
}
"""The cells of BP Tables 6.1, 7.1 and 7.2 as printed, but with the n that 5n^2 - 10 + 5 lacks, and without zeros."""


def priced(n: int, geometry: Geometry) -> dict[str, list[Times]]:
    """Evaluations times BP's unit costs, where the tables print something else."""
    inner, first = (n - 1) * (n - 2) // 2, n - 1
    of_both: dict[str, list[Times]] = {
        "7.3.18f": [(first, 4, 3)],
        "7.3.18g": [(first, 10, 12)],
        "7.3.18k": [(first, 19, 21)],
        "7.3.19l": [(inner, 7, 7), (first, 2, 1)],
    }
    if geometry == "general":
        return of_both | {
            "6.3.29a": [(n - 2, 8, 7)],
            "6.3.30b": [(inner, 14, 10), (first, 6, 5), (1, 6, 2)],
            "7.3.18c": [(first, 30, 39), (1, 18, 26)],
        }
    by_rows: list[Times] = [(inner, 10, 8), (first, 4, 3)]
    return of_both | {
        "6.3.30b": [(inner, 10, 8), (first, 5, 4), (1, 2, 0)],
        "7.3.18c": [(first, 20, 32), (1, 15, 22)],
        **dict.fromkeys(("7.3.19e", "7.3.19f", "7.3.19g"), by_rows),
    }


@pytest.mark.parametrize(("name", "geometry"), LEDGERS)
@pytest.mark.parametrize("n", [2, 3, 6, 11])
def test_cells_are_those_of_the_tables(n: int, name: str, geometry: Geometry) -> None:
    """Each printed cell, and beside it the same number or evaluations times unit costs."""
    cells = re.findall(r"(\d\S+): (.+?), (.+?)(?=  |\n|$)", PRINTED[name, geometry])
    printed = {equation: tuple(eval(cell, {"n": n}) for cell in pair) for equation, *pair in cells}
    right = {x: total([(k * m, k * a) for k, m, a in times]) for x, times in priced(n, geometry).items()}

    def at_n(polynomials: Sequence[Sequence[float]]) -> tuple[float, ...]:
        return tuple(sum(c * n**k for k, c in enumerate(p)) for p in polynomials)

    ledger = LEDGERS[name, geometry]
    assert {entry.equation: at_n(entry.printed) for entry in ledger} == printed
    assert {entry.equation: at_n(entry.priced) for entry in ledger} == printed | {
        x: cost for x, cost in right.items() if x in printed
    }


DERIVED = {"generalized_links": evaluations_6_2, "sensitivity": evaluations_7_1}


@pytest.mark.parametrize(("name", "geometry"), LEDGERS)
@pytest.mark.parametrize("n", [4, 5, 6, 7, 12, *(pytest.param(n, marks=pytest.mark.slow) for n in range(8, 12))])
def test_counts_are_the_derived_sums(name: str, geometry: Geometry, n: int) -> None:
    """So the polynomials of docs/costs-of-algorithms.md, which go through n = 4, 6 and 12, hold for all n from 4 on."""
    derived = DERIVED[name](n, geometry)
    assert derived.keys() == {entry.equation for entry in LEDGERS[name, geometry]}
    for equation, times in derived.items():
        wanted = total([(k * m, k * a) for k, m, a in times])
        assert by_equation(name, n, geometry).get(equation, (0, 0)) == wanted, equation


@both
def test_last_components_of_6_3_30b_take_more_additions_than_printed(geometry: Geometry) -> None:
    """r . eta + w . f has six coefficients other than zero, in right arms five, of numbers that vary independently."""
    arm = serial(dh_arm(4, geometry), "test")
    rng = np.random.default_rng(3)
    print("seed 3")
    rows = []
    for _ in range(20):
        A, s = arm.poses(rng.uniform(-3, 3, 4).tolist())
        r, w = A[2].T @ along_z(1), A[2].T @ cross(along_z(1), s[2])
        needed = np.abs([*r, *w]) > 1e-9
        assert needed.sum() == (6 if geometry == "general" else 5)
        f, eta = cross(along_z(1), arm.links[4].n), arm.links[4].I_o @ along_z(1)
        for j in (4, 3):
            eta = A[j] @ (cross(A[j].T @ s[j], f) + eta)
            f = A[j] @ f
        rows.append(np.array([*eta, *f])[needed])
    sizes = np.linalg.svd(np.array(rows))[1]
    assert sizes[-1] > 1e-3 * sizes[0]  # rounding is at 1e-16
    assert {"general": 3, "right": 2}[geometry] < len(sizes) - 1
