"""Graphs as text for people, and as DOT for Graphviz."""

from __future__ import annotations

from revolute.graph.graph import Graph
from revolute.graph.node import Node
from revolute.graph.ops import OPS

__all__ = ["dot", "text"]


def text(graph: Graph) -> str:
    """One line per operation, in order of evaluation: `t4 = q[1] * t3`."""
    names = _names(graph)
    inputs = ", ".join(f"{x.name}{list(x.shape)}" for x in graph.inputs)
    outputs = ", ".join(f"{x.name}{list(x.shape)}" for x in graph.outputs)
    lines = [f"{graph.name}({inputs}) -> {outputs}"]
    for node in graph.nodes:
        if node.op in OPS:
            lines.append(f"  {names[node]} = {OPS[node.op].text.format(*(names[arg] for arg in node.args))}")
    for output in graph.outputs:
        lines += [f"  {output.name}[{k}] = {names[node]}" for k, node in enumerate(output.nodes)]
    return "\n".join(lines)


def dot(graph: Graph) -> str:
    """The graph in the DOT language."""
    names = _names(graph)
    lines = [f'digraph "{graph.name}" {{', "  node [shape=box];"]
    for node in graph.nodes:
        lines.append(f'  n{node.index} [label="{node.op if node.op in OPS else names[node]}"];')
        lines += [f"  n{arg.index} -> n{node.index};" for arg in node.args]
    for output in graph.outputs:
        for k, node in enumerate(output.nodes):
            lines += [f'  "{output.name}[{k}]" [shape=ellipse];', f'  n{node.index} -> "{output.name}[{k}]";']
    return "\n".join([*lines, "}"])


def _names(graph: Graph) -> dict[Node, str]:
    names: dict[Node, str] = {}
    operations = 0
    for node in graph.nodes:
        if node.op == "const":
            names[node] = f"{node.value:.17g}"
        elif node.op == "input":
            names[node] = f"{node.value[0]}[{node.value[1]}]"
        else:
            names[node] = f"t{operations}"
            operations += 1
    return names
