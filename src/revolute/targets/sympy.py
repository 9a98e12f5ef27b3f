"""A graph as SymPy expressions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy

from revolute.graph import Graph, evaluated, unrolled
from revolute.graph.ops import column
from revolute.targets.numpy import OPERATORS

CELLS: dict[str, Callable[..., Any]] = column(
    "sympy",
    {
        **OPERATORS,
        **{name: getattr(sympy, name) for name in ("sqrt", "sin", "cos", "tan", "atan2", "exp", "log", "tanh", "sign")},
        **{name.lower(): getattr(sympy, name) for name in ("Abs", "Min", "Max", "Lt", "Le")},
        "select": lambda c, x, y: sympy.Piecewise((x, c), (y, True)),
    },
)


def expressions(graph: Graph, inputs: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The outputs of a graph as SymPy expressions; inputs and outputs are {name: expressions in C order}."""
    found = evaluated(unrolled(graph), inputs, constant, lambda node, args: CELLS[node.op](*args))
    return {y.name: scalars for y, scalars in zip(graph.outputs, found, strict=True)}


def constant(value: float) -> Any:
    """A number in an expression: integers are exact, because a float would spread through the whole expression."""
    return sympy.Integer(int(value)) if value.is_integer() else sympy.Float(value, 17)
