"""The invariants of a graph; tests check them after every pass."""

from __future__ import annotations

from revolute.errors import GraphError
from revolute.graph.graph import Graph
from revolute.graph.node import Node
from revolute.graph.ops import COMPARISONS, OPS

__all__ = ["verify"]


def verify(graph: Graph) -> Graph:
    """The graph itself, if it is sound.

    Raises:
        GraphError: an unknown operation, a wrong number or kind of arguments, an argument
            younger than its user, an undeclared input, two nodes for one expression, or
            nodes of more than one trace.
    """
    sizes = {x.name: x.size for x in graph.inputs}
    seen: dict[object, Node] = {}
    for node in graph.nodes:
        _require(node.builder is graph.nodes[0].builder, node, "belongs to another trace")
        if node.op == "const":
            _require(isinstance(node.value, float) and not node.args, node, "is no proper constant")
            continue
        if node.op == "input":
            name, k = node.value
            _require(0 <= k < sizes.get(name, 0), node, "is not among the declared inputs")
            continue
        row = OPS.get(node.op)
        _require(row is not None and len(node.args) == row.arity, node, "has an unknown operation or arity")
        for place, arg in enumerate(node.args):
            _require(arg.index < node.index, node, "has an argument younger than itself")
            wants_truth = node.op == "select" and place == 0
            _require((arg.op in COMPARISONS) == wants_truth, node, "mixes truth values and numbers")
        key = (node.op, node.args)
        _require(seen.setdefault(key, node) is node, node, "stands twice in the graph")
    for output in graph.outputs:
        _require(len(output.nodes) == output.size, output, "does not fill its shape")
        for node in output.nodes:
            _require(node.op not in COMPARISONS, node, "is a truth value, not a number")
    return graph


def _require(holds: bool, item: object, complaint: str) -> None:
    if not holds:
        raise GraphError(f"{item!r} {complaint}")
