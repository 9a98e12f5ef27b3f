"""Operation counts: exact, so tests can guard speed by them."""

from __future__ import annotations

from collections import Counter
from operator import attrgetter

from revolute.graph.graph import Graph
from revolute.graph.ops import OPS
from revolute.records import dataclass

__all__ = ["Counts", "count", "operations"]


@dataclass(frozen=True)
class Counts:
    """Scalar operations of one evaluation.

    Attributes:
        multiplications, divisions: as named.
        additions: additions and subtractions.
        calls: square roots and transcendental functions; a sine and a cosine are two.
        others: changes of sign, comparisons, selections: free or nearly so.
    """

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    calls: int = 0
    others: int = 0

    @property
    def arithmetic(self) -> int:
        """Multiplications plus additions, the figure that the literature compares."""
        return self.multiplications + self.additions

    def __str__(self) -> str:
        return f"{self.multiplications} mul + {self.additions} add, {self.divisions} div, {self.calls} calls"


def count(graph: Graph) -> Counts:
    """Operations of the graph, dead code left out. Loops with a condition count as if they took all of their steps."""
    totals: Counter[str] = Counter()
    for op, number in operations(graph).items():
        totals[OPS[op].cost] += number
    return Counts(**totals)


def operations(graph: Graph) -> Counter[str]:
    """How often each operation is done, by its name; see `count`."""
    totals = Counter(map(attrgetter("op"), graph.nodes))
    # the body is one graph: its counts times the steps
    for loop in [node.value for node in graph.nodes if node.op == "loop"]:
        totals.update({op: loop.steps * number for op, number in operations(loop.body).items()})
    return Counter({op: number for op, number in totals.items() if op in OPS})
