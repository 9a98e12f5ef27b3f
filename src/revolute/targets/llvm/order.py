"""The order of a long graph's operations that passes fewer values between functions.

One order is that of the recursion, which groups operations of a body. In the other, each operation precedes the first
result that needs it, result by result. For the partial derivatives of a Coriolis matrix this saves a quarter of all
loads and stores of the workspace, and of LLVM's time; for those of inverse dynamics it adds half.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from revolute.graph.graph import Graph
from revolute.graph.node import Node
from revolute.targets.llvm.angles import AngleLoop

__all__ = ["CLEARLY", "LONG", "LONGEST", "by_results", "carried", "values_of_others"]

LONG = 8000  # minimum number of steps for which the order is optimized. Shorter code and its values fit the caches

LONGEST = 100_000
"""Number of steps above which code is compiled quickly, so that optimizing the order would take too long."""

CLEARLY = 0.9  # ratio of loads and stores below which results determine the order, which takes some more instructions

Step = TypeVar("Step")


def by_results(graph: Graph, looped: Mapping[Node, AngleLoop]) -> list[Node]:
    """All nodes, arguments first: those of the first result, then what else the second needs, and so on.

    A node of a loop needs all of its angles.
    """
    needs = {node: loop.angles for node, loop in looped.items()}
    order = dict.fromkeys([node for node in graph.nodes if not node.args])
    # depth-first search with an explicit stack: graphs are too deep for recursion
    waiting = [root for output in reversed(graph.outputs) for root in reversed(output.nodes) if root.args]
    while waiting:
        node = waiting[-1]
        if node in order:
            waiting.pop()
            continue
        missing = [arg for arg in needs.get(node, node.args) if arg not in order]
        if missing:
            waiting += missing[::-1]
        else:
            order[waiting.pop()] = None
    return list(order)


def carried(chunks: Sequence[Sequence[Step]], operands: Mapping[Step, Sequence[Node]]) -> int:
    """Loads and stores of values that one chunk computes and others read."""
    # each chunk loads what others computed, and each such value is stored once
    needed = list(values_of_others(chunks, operands))
    return sum(map(len, needed)) + len(set().union(*needed))


def values_of_others(
    chunks: Sequence[Sequence[Step]], operands: Mapping[Step, Sequence[Node]]
) -> Iterator[set[Any]]:
    """For each chunk in turn, the values that it needs of those before."""
    made: set[Any] = set()
    for part in chunks:
        yield made.intersection(chain.from_iterable([operands[step] for step in part]))
        made.update(part)
