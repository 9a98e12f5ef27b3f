"""Exact operation counts, so that tests can detect performance regressions."""

from collections import Counter
from operator import attrgetter

from revolute.graph.graph import Graph
from revolute.graph.ops import OPS
from revolute.records import dataclass


@dataclass(frozen=True)
class Counts:
    """Scalar operations of one evaluation.

    Attributes:
        multiplications, divisions: numbers of these scalar operations.
        additions: additions and subtractions.
        calls: square roots and transcendental functions; a sine and a cosine are two.
        others: sign changes, comparisons and selections, which are free or nearly free.
    """

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    calls: int = 0
    others: int = 0

    @property
    def arithmetic(self) -> int:
        """Multiplications plus additions, the number compared in the literature."""
        return self.multiplications + self.additions

    def __str__(self) -> str:
        return f"{self.multiplications} mul + {self.additions} add, {self.divisions} div, {self.calls} calls"


def count(graph: Graph, *, once: bool = False) -> Counts:
    """Operations of the graph, without dead code. A loop with a condition counts with its maximum number of steps.

    With `once`, such a loop counts with one step, to estimate times: most of them converge soon or are rarely needed.
    """
    totals: Counter[str] = Counter()
    for op, number in operations(graph, once=once).items():
        totals[OPS[op].cost] += number
    return Counts(**totals)


def code_length(graph: Graph) -> int:
    """Number of operations in the code of the graph, in which the body of a loop is written once."""
    loops = [node.value for node in graph.nodes if node.op == "loop"]
    return sum(node.op in OPS for node in graph.nodes) + sum(code_length(loop.body) for loop in loops)


def operations(graph: Graph, *, once: bool = False) -> Counter[str]:
    """Number of executions of each operation, by name; see `count`."""
    totals = Counter(map(attrgetter("op"), graph.nodes))
    # the operations of a loop are those of its body, times the number of steps
    for loop in [node.value for node in graph.nodes if node.op == "loop"]:
        steps = 1 if once and loop.solution is not None else loop.steps
        totals.update({op: steps * number for op, number in operations(loop.body, once=once).items()})
    return Counter({op: number for op, number in totals.items() if op in OPS})
