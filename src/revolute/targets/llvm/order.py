"""The order of a long graph's operations: the one in which fewer values go from one function to another.

Operations come in the order of the recursion that made them, which keeps what belongs to a body together. Or each
comes when the first result needs it, results one after the other. For the partial derivatives of a Coriolis matrix
this saves a quarter of all loads and stores of the workspace, and of LLVM's time; for those of inverse dynamics it
adds half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from revolute.graph.graph import Graph
from revolute.graph.node import Node

__all__ = ["CLEARLY", "LONG", "LONGEST", "by_results", "carried"]

LONG = 8000
"""Steps of a graph from which on the order is chosen. Shorter code stays in the caches, with all that it carries."""

LONGEST = 100_000
"""Steps from which on code is compiled quickly, and looking for an order takes a good part of that time."""

CLEARLY = 0.9
"""The share of loads and stores below which results determine the order: it takes some more instructions."""

Step = TypeVar("Step")


def by_results(graph: Graph) -> list[Node]:
    """All nodes, arguments first: those of the first result, then what else the second needs, and so on."""
    order: dict[Node, None] = {}
    for output in graph.outputs:
        for root in output.nodes:
            waiting = [root]
            while waiting:
                node = waiting[-1]
                missing = next((arg for arg in node.args if arg not in order), None)
                if missing is not None:
                    waiting.append(missing)
                else:
                    order[waiting.pop()] = None
    return list(order)


def carried(chunks: Sequence[Sequence[Step]], operands: Callable[[Step], Sequence[Node]]) -> int:
    """Loads and stores of values that one chunk computes and others read."""
    made: dict[Node, int] = {}
    loads: set[tuple[Node, int]] = set()
    for k, part in enumerate(chunks):
        for step in part:
            loads.update([(arg, k) for arg in operands(step) if made.get(arg, k) != k])
            if isinstance(step, Node):
                made[step] = k
    return len(loads) + len({arg for arg, _ in loads})
