"""`Graph`: an immutable traced function with named input arrays and named output arrays of nodes."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Any

from revolute.errors import GraphError
from revolute.graph.node import Builder, Node
from revolute.graph.rules import RULES, Rules
from revolute.records import dataclass


@dataclass(frozen=True)
class Input:
    """An input array; `of` is the name of its size in messages, such as `nq`."""

    name: str
    shape: tuple[int, ...]
    of: str = ""

    @property
    def size(self) -> int:
        """Number of scalars."""
        return math.prod(self.shape)


@dataclass(frozen=True, eq=False)
class Output:
    """An output array: its nodes in C order."""

    name: str
    shape: tuple[int, ...]
    nodes: tuple[Node, ...]

    @property
    def size(self) -> int:
        """Number of scalars."""
        return math.prod(self.shape)

    @cached_property
    def zeros(self) -> frozenset[int]:
        """Components that are the constant 0.0 (not -0.0) for all inputs."""
        zeros = {node for node in set(self.nodes) if node.op == "const" and str(node.value) == "0.0"}
        return frozenset([k for k, node in enumerate(self.nodes) if node in zeros])


@dataclass(frozen=True, eq=False)
class Graph:
    """A function of named arrays as a directed acyclic graph of scalar operations."""

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes on which the outputs depend, arguments first, without dead code."""
        return reachable([node for output in self.outputs for node in output.nodes])

    @cached_property
    def uses(self) -> Counter[Node]:
        """Number of uses of each node as an argument or an output."""
        uses = Counter(chain.from_iterable(map(attrgetter("args"), self.nodes)))
        uses.update(chain.from_iterable(map(attrgetter("nodes"), self.outputs)))
        return uses

    def forget(self) -> None:
        """Release the memory of the trace: see `Builder.forget`."""
        for node in self.nodes:
            if node.op == "loop":
                node.value.body.forget()
        for node in self.nodes[:1]:
            node.builder.forget()

    def __str__(self) -> str:
        from revolute.graph.show import text

        return text(self)


def reachable(roots: Sequence[Node], beyond: Callable[[Node], bool] | None = None) -> tuple[Node, ...]:
    """The roots and all nodes on which they depend, arguments first; `beyond` selects nodes whose arguments count."""
    # breadth-first search on whole sets: graphs are too deep for recursion, and set operations run in C
    seen = set(roots)
    new = seen
    while new:
        new = set(chain.from_iterable([node.args for node in (filter(beyond, new) if beyond else new)])) - seen
        seen |= new
    return tuple(sorted(seen, key=attrgetter("index")))


def trace(
    name: str, function: Callable[..., Sequence[tuple[str, tuple[int, ...], Sequence[object]]]],
    inputs: Sequence[Input], rules: Rules = RULES,
) -> Graph:
    """Trace a function of scalars to its graph, with rewrite rules.

    The function takes a tuple of scalars for each input; it returns (name, shape, scalars in C order) for each output.
    """
    builder = Builder(rules)
    arrays = [builder.input(x.name, x.size) for x in inputs]
    try:
        # the recursion runs once, with nodes as numbers: each operation adds a node to the builder
        results = function(*arrays)
    except BaseException:  # also after Ctrl-C, as the collection of a million nodes would delay a second Ctrl-C
        builder.forget()
        raise
    outputs = []
    for label, shape, scalars in results:
        # a result that is a number for this robot becomes a constant
        nodes = tuple([x if isinstance(x, Node) else builder.const(x) for x in scalars])  # type: ignore[arg-type]
        if len(nodes) != math.prod(shape):
            raise GraphError(f"{name}: output '{label}' has {len(nodes)} scalars, which do not fill its shape {shape}")
        outputs.append(Output(label, tuple(shape), nodes))
    return Graph(name, tuple(inputs), tuple(outputs))


def evaluated(
    graph: Graph, inputs: Mapping[str, Sequence[Any]], constant: Callable[[float], Any],
    operation: Callable[[Node, list[Any]], Any],
) -> list[list[Any]]:
    """Evaluate a graph with values of any type, node by node, and return the scalars of each output.

    `inputs` are scalars in C order, by name. `constant` returns the value of a constant node from its number, and
    `operation` the value of any other node, except an input, from the values of its arguments.
    """
    values: dict[Node, Any] = {}
    for node in graph.nodes:
        if node.op == "const":
            values[node] = constant(node.value)
        elif node.op == "input":
            name, k = node.value
            values[node] = inputs[name][k]
        else:
            values[node] = operation(node, [values[arg] for arg in node.args])
    return [[values[node] for node in output.nodes] for output in graph.outputs]


def substituted(outputs: Sequence[Node], values: Mapping[Node, Node | float]) -> list[Node]:
    """The outputs with some nodes replaced by other nodes or numbers, rebuilt with the rules of their builder.

    Example:
        >>> from revolute.graph import Builder, substituted
        >>> x, y = Builder().input("x", 2)
        >>> substituted([x * y], {x: 2.0})[0] is y * 2.0
        True
    """
    new: dict[Node, Node] = {}
    for node in reachable(outputs):
        # a replaced node no longer needs its arguments: nodes that only it uses become dead code
        if node in values:
            value = values[node]
            new[node] = value if isinstance(value, Node) else node.builder.const(value)
        else:
            new[node] = node.builder.like(node, [new[arg] for arg in node.args]) if node.args else node
    return [new[node] for node in outputs]
