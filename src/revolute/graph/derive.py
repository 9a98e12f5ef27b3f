"""Derivatives of graphs as graphs: forward mode for many outputs, reverse mode for one. See also `loop_derivatives`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from revolute.graph.graph import reachable
from revolute.graph.loop_derivatives import adjoint as adjoint_of_loop
from revolute.graph.loop_derivatives import tangents as tangents_of_loop
from revolute.graph.node import Node
from revolute.graph.ops import OPS


def jacobian(outputs: Sequence[Node], inputs: Sequence[Node]) -> list[dict[int, Node]]:
    """Sparse partial derivatives of all outputs, by forward mode.

    Returns:
        for each output, {index in `inputs`: derivative}; missing entries are zero.

    Example:
        >>> from revolute.graph import Builder, jacobian
        >>> x, y = Builder().input("x", 2)
        >>> jacobian([x * y], [x, y])[0][0] is y
        True
    """
    return pushforward(outputs, {x: {k: x.builder.const(1.0)} for k, x in enumerate(inputs)})


def pushforward(
    outputs: Sequence[Node], tangents: Mapping[Node, Mapping[int, Any]], wanted: Sequence[Iterable[int]] = ()
) -> list[dict[int, Any]]:
    """Sparse derivatives of all outputs along directions, by forward mode.

    Args:
        tangents: {node: {direction: tangent}}; a tangent is a node or a number, and inputs without one are constant.
        wanted: directions to compute, for each output; all by default.

    Returns:
        for each output, {direction: derivative}; missing entries are zero.

    Example:
        >>> from revolute.graph import Builder, pushforward
        >>> x, y = Builder().input("x", 2)
        >>> pushforward([x * y], {x: {0: y}})[0][0] is y * y
        True
    """
    derivatives: dict[Node, dict[int, Any]] = {}
    of_loops: dict[Node, list[dict[int, Any]]] = {}
    order = reachable(outputs)
    needed = _needed(order, outputs, wanted) if wanted else None
    for node in order:
        tangent = {k: rate for k, rate in tangents.get(node, {}).items() if not _is_zero(rate)}
        derivatives[node] = tangent
        # a node with a given tangent, zero included, is an independent variable; its arguments do not matter
        if node in tangents:
            continue
        # sets of directions are stored as bits of an integer; -1 means all directions
        bits = -1 if needed is None else needed[node]
        # one pass computes the derivatives of all results of a loop; each entry then selects its own derivative
        if node.op == "loop":
            rates = [{k: rate for k, rate in derivatives[arg].items() if bits >> k & 1} for arg in node.args]
            if any(rates):
                of_loops[node] = tangents_of_loop(node, rates, pushforward)
            continue
        if node.op == "entry":
            if node.args[0] in of_loops:
                derivatives[node] = of_loops[node.args[0]][node.value]
            continue
        # chain rule: a node's derivative is the sum of its partials times the derivatives of its arguments
        for arg, partial in _partials(node):
            once = type(partial) is float and partial == 1.0  # most partials are 1: x * 1 gives x without a look-up
            for k, rate in derivatives[arg].items():
                if bits >> k & 1:
                    term = rate if once else rate * partial
                    tangent[k] = tangent[k] + term if k in tangent else term
    return [{k: rate for k, rate in derivatives[y].items() if not _is_zero(rate)} for y in outputs]


def _needed(order: Sequence[Node], outputs: Sequence[Node], wanted: Sequence[Iterable[int]]) -> dict[Node, int]:
    """For each node, as a bit mask, the directions in which an output needs its derivative."""
    needed = dict.fromkeys(order, 0)
    for output, directions in zip(outputs, wanted, strict=True):
        for k in directions:
            needed[output] |= 1 << k
    # in a backward pass: a node needs derivatives in every direction in which one of its users needs them
    for node in reversed(order):
        for arg in node.args:
            needed[arg] |= needed[node]
    return needed


def gradient(output: Node, inputs: Sequence[Node]) -> list[Node]:
    """Partial derivatives of one node with respect to many, by reverse mode.

    Returns:
        the derivative with respect to each input, also if it is the constant zero.

    Example:
        >>> from revolute.graph import Builder, gradient
        >>> x, y = Builder().input("x", 2)
        >>> gradient(x * y, [x, y])[1] is x
        True
    """
    zero, one = output.builder.const(0.0), output.builder.const(1.0)
    adjoints: dict[Node, Node] = {output: one}
    of_loops: dict[Node, dict[int, Node]] = {}

    def add(node: Node, term: Node) -> None:
        adjoints[node] = adjoints[node] + term if node in adjoints else term

    # traverse the graph from the output: every user of a node precedes the node, so its adjoint is complete
    for node in reversed(reachable([output])):
        # all users of the loop's entries were processed before, so the adjoints of the entries are complete
        if node in of_loops:
            bars = [of_loops[node].get(k, zero) for k in range(node.value.results[-1].stop)]
            for arg, term in zip(node.args, adjoint_of_loop(node, bars, gradient, pushforward), strict=True):
                if not _is_zero(term):
                    add(arg, term)
            continue
        adjoint = adjoints.get(node)
        # no differentiable path leads from this node to the output, so its adjoint is zero
        if adjoint is None:
            continue
        if node.op == "entry":
            of_loops.setdefault(node.args[0], {})[node.value] = adjoint
        for arg, partial in _partials(node):
            add(arg, adjoint * partial)
    return [adjoints.get(x, zero) for x in inputs]


def _partials(node: Node) -> list[tuple[Node, Any]]:
    """(argument, derivative with respect to it), for the arguments that have one."""
    if node.op not in OPS:
        return []
    partials = OPS[node.op].partials(*node.args, node)
    return [(arg, p) for arg, p in zip(node.args, partials, strict=True) if p is not None]


def _is_zero(x: Any) -> bool:
    return bool(x.op == "const" and x.value == 0 if isinstance(x, Node) else x == 0)
