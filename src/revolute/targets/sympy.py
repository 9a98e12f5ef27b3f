"""A graph as SymPy expressions."""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy

from revolute.graph.graph import Graph, evaluated
from revolute.graph.loop import unrolled
from revolute.graph.ops import column

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
    found = evaluated(unrolled(graph), inputs, constant, lambda node, args: CELLS[node.op](*args))
    return {y.name: scalars for y, scalars in zip(graph.outputs, found, strict=True)}


def constant(value: float) -> Any:
    """A number for expressions: whole ones are exact, as a float would propagate through the whole expression."""
    return sympy.Integer(int(value)) if value.is_integer() else sympy.Float(value, 17)
