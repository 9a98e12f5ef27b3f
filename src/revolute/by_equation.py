"""What each equation of a formulation costs: every operation goes to the source line that first asks for it."""

from __future__ import annotations

import linecache
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from types import FrameType
from typing import Any

from revolute.formulations import Geometry
from revolute.formulations.generalized_links import generalized_links
from revolute.formulations.ledger import LEDGERS, total
from revolute.formulations.sensitivity import Nominal, nominal, sensitivity_of_nominal
from revolute.graph import OPS, STRUCTURE, Builder, Node, reachable
from revolute.library import dh_arm
from revolute.scalar import Scalar

__all__ = ["SIZES", "Costs", "by_equation", "table"]

SIZES = (2, 6, 12)

Pair = tuple[float, float]
Key = tuple[str, int, int]
Costs = dict[Key, tuple[int, int]]
"""Multiplications and additions of (equation, i, j); j is 0 outside of the inner loop."""

_NUMBER = re.compile(r"# (\d\.\d\.\d+[a-z])")


class _Ledger(Builder):
    """A builder that knows for which equation a node was made first, and may keep equations apart."""

    def __init__(self, alone: bool) -> None:
        super().__init__(STRUCTURE)
        self.alone = alone
        self.owner: dict[Node, Key] = {}

    def _intern(self, key: Any, op: str, args: tuple[Node, ...], value: Any) -> Node:
        owner = _asking()
        node = super()._intern((key, owner) if self.alone and op in OPS else key, op, args, value)
        self.owner.setdefault(node, owner)
        return node


def by_equation(name: str, n: int, geometry: Geometry, alone: bool = False) -> Costs:
    """Operations of one formulation for `dh_arm(n, geometry)`, as the source counts, equation by equation.

    The sum is the whole count; a term of two equations belongs to the first of them.

    Args:
        name: "generalized_links", or "sensitivity", without Algorithm 5.7, whose quantities are given.
        n: number of joints.
        geometry: "general" or "right".
        alone: take every evaluation of an equation by itself: terms in common count in each.
    """
    builder = _Ledger(alone)
    robot, q = dh_arm(n, geometry), builder.input("q", n)
    matrices: Sequence[list[list[Scalar]]]
    if name == "generalized_links":
        matrices = [generalized_links(robot, q)]
    else:
        it = nominal(robot, q, builder.input("qd", n), builder.input("qdd", n))
        matrices = sensitivity_of_nominal(_given(it, builder))
    books: dict[Key, Counter[str]] = {}
    for node in reachable([x for rows in matrices for row in rows for x in row if isinstance(x, Node)]):
        if node.op in OPS and OPS[node.op].cost in ("multiplications", "additions"):
            books.setdefault(builder.owner[node], Counter())[OPS[node.op].cost] += 1
    return {key: (book["multiplications"], book["additions"]) for key, book in sorted(books.items())}


def _asking() -> Key:
    """The equation that is being evaluated: the number in the comment of its line, and i and j there."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code.co_filename
        found = _NUMBER.search(linecache.getline(code, frame.f_lineno)) if "formulations" in code else None
        if found:
            inner = found[1].startswith(("6.3.30", "7.3.19"))
            return found[1], frame.f_locals["i"], frame.f_locals["j"] if inner else 0
        frame = frame.f_back
    return "", 0, 0


def _given(it: Nominal, builder: Builder) -> Nominal:
    """Links and their transforms as they are; every other quantity that varies becomes an input."""
    fresh: dict[Node, Node] = {}

    def given(x: Any) -> Any:
        if isinstance(x, Node) and x.op != "const":
            return fresh.setdefault(x, builder.input(f"given{len(fresh)}", 1)[0])
        return x if not isinstance(x, tuple) else type(x)(map(given, x))

    moving = ("sd", "w", "Omega", "sdd", "Udd", "eta")
    return replace(it, **{name: [given(x) for x in getattr(it, name)] for name in moving})


def table(name: str, geometry: Geometry) -> str:
    """Print and count of every equation at 2, 6 and 12 joints, as multiplications+additions."""
    counted = {n: by_equation(name, n, geometry) for n in SIZES}
    alone = by_equation(name, 6, geometry, alone=True)
    rows = ["| equation | printed | counted | counted − printed | each evaluation alone, n = 6 |", "| --- " * 5 + "|"]
    sums: dict[int, list[Pair]] = {n: [(0, 0), (0, 0)] for n in SIZES}
    for entry in LEDGERS[name, geometry]:
        pairs = []
        for n in SIZES:
            on_paper = total((entry,), True, "").at(n)
            count = _sum([cost for key, cost in counted[n].items() if key[0] == entry.equation])
            pairs.append((on_paper, count))
            sums[n] = [_sum([sums[n][0], on_paper]), _sum([sums[n][1], count])]
        rows.append(_row(entry.equation, pairs, _evaluations(alone, entry.equation)))
    rows.append(_row("sum", [(sums[n][0], sums[n][1]) for n in SIZES], ""))
    return "\n".join(rows) + "\n"


def _sum(costs: Sequence[Pair]) -> Pair:
    return sum(m for m, _ in costs), sum(a for _, a in costs)


def _row(equation: str, pairs: Sequence[tuple[Pair, Pair]], last: str) -> str:
    printed = ", ".join(f"{p[0]:g}+{p[1]:g}" for p, _ in pairs)
    counted = ", ".join(f"{c[0]}+{c[1]}" for _, c in pairs)
    differences = ", ".join(f"({c[0] - p[0]:+g}, {c[1] - p[1]:+g})" for p, c in pairs)
    return f"| {equation} | {printed} | {counted} | {differences} | {last} |"


def _evaluations(costs: Costs, equation: str) -> str:
    """How often an equation costs how much: of the outer loop by i, of the inner loop apart for j = 1."""
    outer: dict[tuple[int, int], list[int]] = {}
    inner: dict[bool, Counter[tuple[int, int]]] = {False: Counter(), True: Counter()}
    for (number, i, j), cost in costs.items():
        if number == equation and j:
            inner[j == 1][cost] += 1
        elif number == equation:
            outer.setdefault(cost, []).append(i)
    parts = [f"i = {', '.join(map(str, which))}: {m}+{a}" for (m, a), which in outer.items()]
    for first, books in inner.items():
        costs_of = ", ".join(f"{times} × {m}+{a}" for (m, a), times in books.most_common())
        parts += [f"{'j = 1' if first else 'j > 1'}: {costs_of}"] if books else []
    return "; ".join(parts)
