"""The reference target: a graph evaluated node by node on NumPy arrays. Slow and obvious."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from revolute.graph.graph import Graph
from revolute.graph.node import Node
from revolute.graph.ops import column

__all__ = ["evaluate"]

CELLS = column(
    "numpy",
    {
        "add": operator.add,  # of arrays as NumPy's functions, of numbers faster
        "sub": operator.sub,
        "mul": operator.mul,
        "div": operator.truediv,
        "neg": operator.neg,
        "sqrt": np.sqrt,
        "sin": np.sin,
        "cos": np.cos,
        "tan": np.tan,
        "atan2": np.arctan2,
        "exp": np.exp,
        "log": np.log,
        "tanh": np.tanh,
        "abs": np.abs,
        "sign": np.sign,
        "min": np.minimum,
        "max": np.maximum,
        "lt": np.less,
        "le": np.less_equal,
        "select": np.where,
    },
)


def evaluate(graph: Graph, inputs: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
    """The outputs of a graph for a batch.

    Args:
        graph: function to evaluate.
        inputs: {input name: (..., *shape) array}; leading axes broadcast.

    Returns:
        {output name: (..., *shape) array}.
    """
    arrays = {x.name: np.asarray(inputs[x.name], dtype=np.float64) for x in graph.inputs}
    batch = np.broadcast_shapes(*(arrays[x.name].shape[: arrays[x.name].ndim - len(x.shape)] for x in graph.inputs))
    flat = {x.name: np.broadcast_to(arrays[x.name], batch + x.shape).reshape(*batch, x.size) for x in graph.inputs}
    values: dict[Node, Any] = {}
    with np.errstate(all="ignore"):
        for node in graph.nodes:
            if node.op == "const":
                values[node] = np.float64(node.value)
            elif node.op == "input":
                values[node] = flat[node.value[0]][..., node.value[1]]
            else:
                values[node] = CELLS[node.op](*(values[arg] for arg in node.args))
    return {
        y.name: np.stack([np.broadcast_to(values[node], batch) for node in y.nodes], axis=-1).reshape(batch + y.shape)
        for y in graph.outputs
    }
