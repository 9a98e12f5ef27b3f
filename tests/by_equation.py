"""What each equation of a formulation costs: every operation goes to the source line that first asks for it."""

import linecache
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import zip_longest
from types import FrameType
from typing import Any

from revolute.graph import OPS, STRUCTURE, Builder, Node, reachable
from revolute.library import dh_arm
from revolute.published import Geometry
from revolute.published.augmented_links import Nominal, nominal
from revolute.published.formulation import Printed
from revolute.published.generalized_links import generalized_links
from revolute.published.ledger import LEDGERS, total
from revolute.published.sensitivity import sensitivity_of_nominal
from revolute.spatial.scalar import Scalar

__all__ = ["Costs", "Key", "by_equation", "own", "polynomial", "table"]

SMALL, LARGE = (2, 3), (4, 6, 12)
"""Counts are polynomials in n from n = 4 on; arms of two and three joints have more zeros and constants."""

Key = tuple[str, int, int]
"""An evaluation: equation, i, and j, which is 0 outside of the inner loop."""
Costs = dict[tuple[Key, str], tuple[int, int]]
"""Multiplications and additions that an evaluation asks for and an equation had asked for before, or, "", none had."""

_NUMBER = re.compile(r"# (\d\.\d\.\d+[a-z])")


class _Ledger(Builder):
    """A builder that knows which evaluations asked for a node, in this order."""

    def __init__(self) -> None:
        super().__init__(STRUCTURE)
        self.asked: dict[Node, dict[Key, None]] = {}
        self._operations: dict[tuple[str, tuple[Node, ...]], Node] = {}

    def make(self, op: str, *operands: Any) -> Node:
        return self._simplest(op, tuple(x if isinstance(x, Node) else self._number(x) for x in operands))

    def binary(self, op: str, a: Any, b: Any) -> Node:
        return self.make(op, a, b)

    def _new(self, op: str, args: tuple[Node, ...], value: Any) -> Node:
        node = self._operations.get((op, args)) if args else None
        if node is None:
            node = self._operations[op, args] = super()._new(op, args, value)
        self.asked.setdefault(node, {})[_asking()] = None
        return node


@cache
def by_equation(name: str, n: int, geometry: Geometry) -> Costs:
    """Operations of one formulation for `dh_arm(n, geometry)`, as the source counts, equation by equation.

    What evaluations ask for first is the whole count; a term of two equations belongs to the first of them.

    Args:
        name: "generalized_links", or "sensitivity", without Algorithm 5.7, whose quantities are given.
        n: number of joints.
        geometry: "general" or "right".
    """
    builder = _Ledger()
    robot, q = dh_arm(n, geometry), builder.input("q", n)
    matrices: Sequence[list[list[Scalar]]]
    if name == "generalized_links":
        matrices = [generalized_links(robot, q)]
    else:
        it = nominal(robot, q, builder.input("qd", n), builder.input("qdd", n))
        matrices = sensitivity_of_nominal(_given(it, builder))
    books: dict[tuple[Key, str], Counter[str]] = {}
    for node in reachable([x for rows in matrices for row in rows for x in row if isinstance(x, Node)]):
        if node.op in OPS and OPS[node.op].cost in ("multiplications", "additions"):
            first, *others = builder.asked[node]
            for evaluation, before in ((first, ""), *((other, first[0]) for other in others)):
                books.setdefault((evaluation, before), Counter())[OPS[node.op].cost] += 1
    return {key: (book["multiplications"], book["additions"]) for key, book in sorted(books.items())}


def own(costs: Costs, equation: str) -> tuple[int, int]:
    """What an equation was the first to ask for."""
    return _sum([cost for (key, before), cost in costs.items() if key[0] == equation and not before])


def _asking() -> Key:
    """The evaluation that is going on: the number in the comment of its line, and i and j there."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        equation = _equation(frame.f_code.co_filename, frame.f_lineno)
        if equation:
            inner = equation.startswith(("6.3.30", "7.3.19"))
            return equation, frame.f_locals["i"], frame.f_locals["j"] if inner else 0
        frame = frame.f_back
    return "", 0, 0


@cache
def _equation(file: str, line: int) -> str:
    found = _NUMBER.search(linecache.getline(file, line)) if "published" in file else None
    return found[1] if found else ""


def _given(it: Nominal, builder: Builder) -> Nominal:
    """Links and their transforms as they are; every other quantity that varies becomes an input."""
    fresh: dict[Node, Node] = {}

    def given(x: Any) -> Any:
        if isinstance(x, Node) and x.op != "const":
            return fresh.setdefault(x, builder.input(f"given{len(fresh)}", 1)[0])
        return x if not isinstance(x, tuple) else type(x)(map(given, x))

    moving = ("sd", "w", "Omega", "sdd", "Udd", "eta")
    return replace(it, **{name: [given(x) for x in getattr(it, name)] for name in moving})


def polynomial(values: dict[int, tuple[int, int]]) -> Printed:
    """The quadratic polynomials through three counts, given by n."""
    sides = [_through({n: cost[k] for n, cost in values.items()}) for k in range(2)]
    return Printed(sides[0], sides[1], "")


def table(name: str, geometry: Geometry) -> str:
    """Print and count of every equation, as polynomials in n."""
    counted = {n: by_equation(name, n, geometry) for n in (*SMALL, *LARGE)}
    entries = LEDGERS[name, geometry]
    rows = ["| equation | printed | counted | counted − printed | asked for before | each evaluation, n = 6 |"]
    rows.append("| --- " * 6 + "|")
    sums = dict.fromkeys(counted, (0, 0))
    for entry in entries:
        mine = {n: own(costs, entry.equation) for n, costs in counted.items()}
        sums = {n: _sum([sums[n], cost]) for n, cost in mine.items()}
        last = (_before(counted, entry.equation), _evaluations(counted[6], entry.equation))
        rows.append(_row(entry.equation, total((entry,), True, ""), mine, last))
    rows.append(_row("sum", total(entries, True, ""), sums, ("", "")))
    return "\n".join(rows) + "\n"


def _through(values: dict[int, int]) -> tuple[float, ...]:
    """Coefficients of 1, n, n^2 by Lagrange's formula, exact."""
    found = [Fraction(0)] * 3
    for n, value in values.items():
        a, b = (other for other in values if other != n)
        scale = Fraction(value, (n - a) * (n - b))
        found = [x + scale * c for x, c in zip(found, (a * b, -a - b, 1), strict=True)]
    return _trimmed([float(x) for x in found])


def _trimmed(coefficients: Sequence[float]) -> tuple[float, ...]:
    """Without zeros of the highest powers."""
    degree = max((k for k, x in enumerate(coefficients) if x), default=0)
    return tuple(coefficients[: degree + 1])


def _sum(costs: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(m for m, _ in costs), sum(a for _, a in costs)


def _row(equation: str, printed: Printed, mine: dict[int, tuple[int, int]], last: tuple[str, str]) -> str:
    count = polynomial({n: mine[n] for n in LARGE})
    small = [f"n = {n}: {mine[n][0]}+{mine[n][1]}" for n in SMALL if count.at(n) != mine[n]]
    difference = Printed(
        _less(count.multiplications, printed.multiplications), _less(count.additions, printed.additions), ""
    )
    cells = (equation, _pair(printed), "; ".join([_pair(count), *small]), _pair(difference), *last)
    return f"| {' | '.join(cells)} |"


def _less(a: Sequence[float], b: Sequence[float]) -> tuple[float, ...]:
    return _trimmed([x - y for x, y in zip_longest(a, b, fillvalue=0.0)])


def _pair(polynomials: Printed) -> str:
    """Both as a page has them: 4n² − 8n, 2n."""
    words = str(polynomials).replace(" multiplications", "").replace(" additions", "")
    return words.replace("n^2", "n²").replace("-", "−")


def _before(counted: dict[int, Costs], equation: str) -> str:
    """Polynomials of what other equations had asked for, by these."""
    others = sorted({before for costs in counted.values() for key, before in costs if key[0] == equation and before})
    parts = []
    for other in others:
        found = {
            n: _sum([cost for (key, before), cost in costs.items() if key[0] == equation and before == other])
            for n, costs in counted.items()
        }
        parts.append(f"{_pair(polynomial({n: found[n] for n in LARGE}))} by {other}")
    return "; ".join(parts)


def _evaluations(costs: Costs, equation: str) -> str:
    """How often an equation asks for how much: of the outer loop by i, of the inner loop apart for j = 1."""
    asked: dict[Key, tuple[int, int]] = {}
    for (key, _), cost in costs.items():
        if key[0] == equation:
            asked[key] = _sum([asked.get(key, (0, 0)), cost])
    outer: dict[tuple[int, int], list[int]] = {}
    inner: dict[bool, Counter[tuple[int, int]]] = {False: Counter(), True: Counter()}
    for (_, i, j), cost in asked.items():
        if j:
            inner[j == 1][cost] += 1
        else:
            outer.setdefault(cost, []).append(i)
    parts = [f"i = {', '.join(map(str, which))}: {m}+{a}" for (m, a), which in outer.items()]
    for first, books in inner.items():
        costs_of = ", ".join(f"{times} × {m}+{a}" for (m, a), times in books.most_common())
        parts += [f"{'j = 1' if first else 'j > 1'}: {costs_of}"] if books else []
    return "; ".join(parts)
