"""Products that one sum alone uses are fused with it: one operation with one rounding, decided on the graph.

So all code of a graph rounds alike: vector and scalar code, every width, every chunk; and graphs that are fused first
and joined afterwards keep their bits, however many operations they share then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from revolute.graph.graph import Graph, Output
from revolute.graph.node import Builder, Node
from revolute.graph.rules import NO_RULES

__all__ = ["FUSED", "fused_graph", "fused_nodes"]

FUSED = frozenset({"fma", "fms", "fnma"})
"""Of a, b and c: a b + c, a b - c and c - a b. Graphs have them in this target alone."""


def fused_graph(graph: Graph) -> Graph:
    """The graph with fused products."""
    builder = Builder(NO_RULES)
    found = fused_nodes(graph, builder, {x.name: builder.input(x.name, x.size) for x in graph.inputs})
    outputs = tuple(Output(y.name, y.shape, tuple(nodes)) for y, nodes in zip(graph.outputs, found, strict=True))
    return Graph(graph.name, graph.inputs, outputs)


def fused_nodes(graph: Graph, builder: Builder, inputs: Mapping[str, Sequence[Node]]) -> list[list[Node]]:
    """The outputs of a graph with fused products in another builder, for these scalars of each of its inputs."""
    uses, new = graph.uses, dict[Node, Node]()
    for node in graph.nodes:
        if node.op == "const":
            new[node] = builder.const(node.value)
        elif node.op == "input":
            new[node] = inputs[node.value[0]][node.value[1]]
        else:
            products = [k for k, x in enumerate(node.args) if x.op == "mul" and uses[x] == 1]
            if node.op in ("add", "sub") and products:
                product, other = node.args[products[0]], node.args[1 - products[0]]
                op = "fma" if node.op == "add" else ("fms", "fnma")[products[0]]
                new[node] = builder.make(op, *[new[x] for x in (*product.args, other)])
            else:
                new[node] = builder.like(node, [new[x] for x in node.args])
    return [[new[x] for x in y.nodes] for y in graph.outputs]
