"""Derivatives of graphs, as graphs: forward mode for many outputs, reverse mode for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revolute.graph.graph import reachable
from revolute.graph.node import Node
from revolute.graph.ops import OPS

__all__ = ["gradient", "jacobian"]


def jacobian(outputs: Sequence[Node], inputs: Sequence[Node]) -> list[dict[int, Node]]:
    """Partial derivatives by forward mode, sparse.

    Args:
        outputs: nodes to differentiate.
        inputs: input nodes to differentiate by.

    Returns:
        for each output, {place in `inputs`: derivative}; what is missing is zero.

    Example:
        >>> from revolute.graph import Builder, jacobian
        >>> x, y = Builder().input("x", 2)
        >>> jacobian([x * y], [x, y])[0][0] is y
        True
    """
    tangents: dict[Node, dict[int, Node]] = {}
    for node in reachable([*outputs, *inputs]):
        tangent: dict[int, Node] = {}
        for arg, partial in _partials(node):
            for k, rate in tangents[arg].items():
                term = rate * partial
                tangent[k] = tangent[k] + term if k in tangent else term
        tangents[node] = tangent
        for k, x in enumerate(inputs):
            if x is node:
                tangents[node] = {k: node.builder.const(1.0)}
    return [{k: rate for k, rate in tangents[y].items() if not _is_zero(rate)} for y in outputs]


def gradient(output: Node, inputs: Sequence[Node]) -> list[Node]:
    """Partial derivatives of one node by many, by reverse mode.

    Returns:
        for each input its derivative; zero nodes included.

    Example:
        >>> from revolute.graph import Builder, gradient
        >>> x, y = Builder().input("x", 2)
        >>> gradient(x * y, [x, y])[1] is x
        True
    """
    zero, one = output.builder.const(0.0), output.builder.const(1.0)
    adjoints: dict[Node, Node] = {output: one}
    for node in reversed(reachable([output])):
        adjoint = adjoints.get(node)
        if adjoint is None:
            continue
        for arg, partial in _partials(node):
            term = adjoint * partial
            adjoints[arg] = adjoints[arg] + term if arg in adjoints else term
    return [adjoints.get(x, zero) for x in inputs]


def _partials(node: Node) -> list[tuple[Node, Any]]:
    """(argument, derivative by it), for the arguments that have one."""
    if node.op not in OPS:
        return []
    partials = OPS[node.op].partials(*node.args, node)
    return [(arg, p) for arg, p in zip(node.args, partials, strict=True) if p is not None]


def _is_zero(node: Node) -> bool:
    return node.op == "const" and node.value == 0
