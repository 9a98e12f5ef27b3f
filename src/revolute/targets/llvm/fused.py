"""A product that only one sum uses is fused with it on the graph: one operation, with one rounding.

So all code of a graph rounds in the same way: vector and scalar code, every width, every chunk. Graphs that are fused
before they are joined keep their results bit for bit, even if they then share operations.
"""

from collections.abc import Callable, Mapping, Sequence

from revolute.graph import NO_RULES, Builder, Graph, Node, Output

FUSED = frozenset({"fma", "fms", "fnma"})
"""Fused operations a b + c, a b - c and c - a b. Only this target adds fused operations to graphs."""


def fused_graph(graph: Graph) -> Graph:
    """The graph with fused products."""
    builder = Builder(NO_RULES)
    new = _fused(graph, builder, {x.name: builder.input(x.name, x.size) for x in graph.inputs}, builder.new)
    outputs = tuple(Output(y.name, y.shape, tuple([new[x] for x in y.nodes])) for y in graph.outputs)
    found = Graph(graph.name, graph.inputs, outputs)
    found.__dict__["nodes"] = tuple(new.values())  # all of them are needed, and arguments come first
    return found


def fused_nodes(graph: Graph, builder: Builder, inputs: Mapping[str, Sequence[Node]]) -> list[list[Node]]:
    """The outputs of a graph in another builder, with fused products; `inputs` are the scalars of each input."""
    new = _fused(graph, builder, inputs, builder.as_it_is)
    return [[new[x] for x in y.nodes] for y in graph.outputs]


def _fused(
    graph: Graph, builder: Builder, inputs: Mapping[str, Sequence[Node]],
    create: Callable[[str, tuple[Node, ...]], Node],
) -> dict[Node, Node]:
    """{node that is not a fused product: node that replaces it}; `create` makes operations of several arguments."""
    operations, products = _operations(graph)
    new: dict[Node, Node] = {}
    for node in graph.nodes:
        if node.op == "const":
            new[node] = builder.const(node.value)
        elif node.op == "input":
            new[node] = inputs[node.value[0]][node.value[1]]
        elif node.op in ("loop", "entry"):
            new[node] = builder.like(node, [new[x] for x in node.args])
        elif node not in products:
            op, args = operations.get(node) or (node.op, node.args)
            # printers look for the cosine beside a sine
            new[node] = (create if len(args) > 1 else builder.as_it_is)(op, tuple([new[x] for x in args]))
    return new


def _operations(graph: Graph) -> tuple[dict[Node, tuple[str, tuple[Node, ...]]], set[Node]]:
    """For each sum with a product that no other node uses, the fused operation that replaces it; and these products."""
    uses, operations, products = graph.uses, dict[Node, tuple[str, tuple[Node, ...]]](), set[Node]()
    for node in graph.nodes:
        if node.op in ("add", "sub"):
            left, right = node.args
            # a product with several users is not fused, because fusing would compute the product twice
            if left.op == "mul" and uses[left] == 1:
                operations[node] = "fma" if node.op == "add" else "fms", (*left.args, right)
                products.add(left)
            elif right.op == "mul" and uses[right] == 1:
                operations[node] = "fma" if node.op == "add" else "fnma", (*right.args, left)
                products.add(right)
    return operations, products
