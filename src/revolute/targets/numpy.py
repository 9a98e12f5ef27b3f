"""The reference target: a graph evaluated node by node on NumPy arrays. It is slow, but easy to check."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.graph import Graph, Loop, Node, evaluated
from revolute.graph.ops import column

NAMES: dict[str, str] = column(
    "numpy",
    {
        **{name: name for name in ("add", "sqrt", "sin", "cos", "tan", "exp", "log", "tanh", "abs", "sign")},
        "sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative", "atan2": "arctan2",
        "min": "minimum", "max": "maximum", "lt": "less", "le": "less_equal", "select": "where",
    },
)  # fmt: skip
"""NumPy's function for each operation, by names that similar libraries also use."""

OPERATORS: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "neg")},
    "div": operator.truediv,
}
"""Operations for which Python's operators work with the numbers of any library."""

CELLS = {op: getattr(np, name) for op, name in NAMES.items()} | OPERATORS  # faster for single numbers


def evaluate(graph: Graph, inputs: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
    """The outputs of a graph for a batch: {output name: (..., *shape) array}.

    Inputs are {input name: (..., *shape) array}; leading axes broadcast.
    """
    arrays = {x.name: np.asarray(inputs[x.name], dtype=np.float64) for x in graph.inputs}
    batch = np.broadcast_shapes(*(arrays[x.name].shape[: arrays[x.name].ndim - len(x.shape)] for x in graph.inputs))
    flat = {x.name: np.broadcast_to(arrays[x.name], batch + x.shape).reshape(*batch, x.size) for x in graph.inputs}
    with np.errstate(all="ignore"):
        results = outputs_of(graph, {name: [x[..., k] for k in range(x.shape[-1])] for name, x in flat.items()})
    return {
        y.name: np.stack([np.broadcast_to(x, batch) for x in scalars], axis=-1).reshape(batch + y.shape)
        for y, scalars in zip(graph.outputs, results, strict=True)
    }


def outputs_of(graph: Graph, inputs: Mapping[str, Sequence[Any]]) -> list[list[Any]]:
    """The scalars of each output, from those of the inputs: numbers, or arrays over the batch."""

    def operation(node: Node, args: list[Any]) -> Any:
        if node.op == "loop":
            return _looped(node.value, args)
        return args[0][node.value] if node.op == "entry" else CELLS[node.op](*args)

    return evaluated(graph, inputs, np.float64, operation)


def _looped(loop: Loop, operands: Sequence[Any]) -> list[Any]:
    """The results of a loop, step by step. With a condition, the state of rows that have ended is constant."""
    arrays = [operands[part] for part in loop.operands]
    names, (state, given, *each) = [x.name for x in loop.body.inputs], arrays
    records: dict[int, list[list[Any]]] = {}
    going: Any = state[-1] > 0 if loop.waits else True
    for k in loop.order:
        rows = [x[k * size : (k + 1) * size] for x, size in zip(each, loop.each, strict=True)]
        following, *records[k] = outputs_of(loop.body, dict(zip(names, (state, given, *rows), strict=True)))
        if loop.solution is None:
            state = following
            continue
        ((again,),) = records.pop(k)
        # rows that have finished keep their state
        state = [np.where(going, new, old) for new, old in zip(following, state, strict=True)]
        going = going & (again > 0)
        if not np.any(going):
            break
    columns = zip(*(records[k] for k in sorted(records)), strict=True)
    return [*state, *(x for rows in columns for row in rows for x in row)]
