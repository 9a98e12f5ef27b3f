"""A graph as SymPy expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy

from revolute.graph.graph import Graph
from revolute.graph.loop import unrolled
from revolute.graph.node import Node
from revolute.graph.ops import column

__all__ = ["expressions"]

CELLS = column(
    "sympy",
    {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "div": lambda x, y: x / y,
        "neg": lambda x: -x,
        "sqrt": sympy.sqrt,
        "sin": sympy.sin,
        "cos": sympy.cos,
        "tan": sympy.tan,
        "atan2": sympy.atan2,
        "exp": sympy.exp,
        "log": sympy.log,
        "tanh": sympy.tanh,
        "abs": sympy.Abs,
        "sign": sympy.sign,
        "min": sympy.Min,
        "max": sympy.Max,
        "lt": sympy.Lt,
        "le": sympy.Le,
        "select": lambda c, x, y: sympy.Piecewise((x, c), (y, True)),
    },
)


def expressions(graph: Graph, inputs: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The outputs of a graph, flat in C order, for SymPy expressions as inputs.

    Args:
        graph: function to evaluate.
        inputs: {input name: its scalars in C order}.
    """
    graph = unrolled(graph)
    values: dict[Node, Any] = {}
    for node in graph.nodes:
        if node.op == "const":
            # whole numbers are exact: a float would spread through the whole expression
            values[node] = sympy.Integer(int(node.value)) if node.value.is_integer() else sympy.Float(node.value, 17)
        elif node.op == "input":
            values[node] = inputs[node.value[0]][node.value[1]]
        else:
            values[node] = CELLS[node.op](*(values[arg] for arg in node.args))
    return {y.name: [values[node] for node in y.nodes] for y in graph.outputs}
