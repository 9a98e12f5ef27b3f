"""The invariants of a graph; tests check them after every pass."""

from revolute.errors import GraphError
from revolute.graph.graph import Graph
from revolute.graph.loop import Loop
from revolute.graph.node import Node
from revolute.graph.ops import COMPARISONS, OPS


def verify(graph: Graph) -> Graph:
    """Return the graph if it is valid.

    Raise `GraphError` if an operation is unknown, the number or kind of its arguments is wrong, an argument is younger
    than the node that uses it, an input is undeclared, two nodes represent one expression, nodes are from different
    traces, or the operands of a loop do not fit its body.
    """
    sizes = {x.name: x.size for x in graph.inputs}
    seen: dict[object, Node] = {}
    for node in graph.nodes:
        _require(node.builder is graph.nodes[0].builder, node, "belongs to another trace")
        if node.op == "const":
            _require(isinstance(node.value, float) and not node.args, node, "is not a proper constant")
            continue
        if node.op == "input":
            name, k = node.value
            _require(0 <= k < sizes.get(name, 0), node, "is not among the declared inputs")
            continue
        # interning makes equal expressions one node, so a second node shows that a pass bypassed the builder
        if node.op in ("loop", "entry"):
            (_verify_loop if node.op == "loop" else _verify_entry)(node)
            own = node.value.text if node.op == "loop" else node.value
            _require(seen.setdefault((node.op, own, node.args), node) is node, node, "stands twice in the graph")
            continue
        row = OPS.get(node.op)
        _require(row is not None and len(node.args) == row.arity, node, "has an unknown operation or arity")
        for place, arg in enumerate(node.args):
            _require(arg.index < node.index, node, "has an argument younger than itself")
            # a comparison may only be the first argument of a select
            fits = (arg.op in COMPARISONS) == (node.op == "select" and place == 0) and arg.op != "loop"
            _require(fits, node, "mixes truth values and numbers")
        _require(seen.setdefault((node.op, node.args), node) is node, node, "stands twice in the graph")
    for output in graph.outputs:
        _require(len(output.nodes) == output.size, output, "does not fill its shape")
        for node in output.nodes:
            _require(node.op not in COMPARISONS and node.op != "loop", node, "is a truth value, not a number")
    return graph


def _verify_loop(node: Node) -> None:
    loop: Loop = node.value
    verify(loop.body)
    _require(loop.steps >= 1, node, "takes no step")
    _require(len(node.args) == loop.operands[-1].stop, node, "has a wrong number of operands")
    _require(loop.body.outputs[0].size == loop.state, node, "has another state after a step")
    for arg in node.args:
        _require(arg.index < node.index, node, "has an argument younger than itself")
        _require(arg.op not in COMPARISONS and arg.op != "loop", node, "has an operand that is not a number")
    if loop.solution is not None:
        last = loop.body.outputs[-1]
        _require(loop.solution <= loop.state and last.shape == (), node, "has no proper condition")
        _require(not loop.each and not loop.records, node, "has a condition, and inputs or records of each step")


def _verify_entry(node: Node) -> None:
    _require(len(node.args) == 1 and node.args[0].op == "loop", node, "is not an entry of a loop")
    _require(0 <= node.value < node.args[0].value.results[-1].stop, node, "is not among the results of its loop")


def _require(holds: bool, item: object, complaint: str) -> None:
    if not holds:
        raise GraphError(f"{item!r} {complaint}")
