"""What each equation of a formulation costs: every operation goes to the source line that first asks for it."""

import linecache
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from types import FrameType
from typing import Any

from revolute.graph import OPS, STRUCTURE, Builder, Node, reachable
from revolute.library import dh_arm
from revolute.published import Geometry
from revolute.published.augmented_links import Nominal, generalized_links, nominal
from revolute.published.sensitivity import sensitivity_of_nominal
from revolute.spatial.scalar import Scalar

__all__ = ["Costs", "Key", "by_equation", "own"]

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
    own_costs = [cost for (key, before), cost in costs.items() if key[0] == equation and not before]
    return sum(m for m, _ in own_costs), sum(a for _, a in own_costs)


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
