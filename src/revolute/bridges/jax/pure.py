"""A graph in `jax.numpy`: for GPU and TPU, and for derivatives of any order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from revolute.graph import Graph, unrolled
from revolute.graph.node import Node
from revolute.graph.ops import column

__all__ = ["pure_function"]

CELLS: Mapping[str, Callable[..., Any]] = column(
    "jax",
    {
        "add": lambda np, x, y: x + y,
        "sub": lambda np, x, y: x - y,
        "mul": lambda np, x, y: x * y,
        "div": lambda np, x, y: x / y,
        "neg": lambda np, x: -x,
        "sqrt": lambda np, x: np.sqrt(x),
        "sin": lambda np, x: np.sin(x),
        "cos": lambda np, x: np.cos(x),
        "tan": lambda np, x: np.tan(x),
        "atan2": lambda np, x, y: np.arctan2(x, y),
        "exp": lambda np, x: np.exp(x),
        "log": lambda np, x: np.log(x),
        "tanh": lambda np, x: np.tanh(x),
        "abs": lambda np, x: np.abs(x),
        "sign": lambda np, x: np.sign(x),
        "min": lambda np, x, y: np.minimum(x, y),
        "max": lambda np, x, y: np.maximum(x, y),
        "lt": lambda np, x, y: x < y,
        "le": lambda np, x, y: x <= y,
        "select": lambda np, c, x, y: np.where(c, x, y),
    },
)


def pure_function(graph: Graph) -> Callable[..., Sequence[Any]]:
    """A function of arrays (..., *shape) of one batch and one type, that returns a list of such arrays."""
    import jax.numpy as jnp

    straight = unrolled(graph)

    def function(*arrays: Any) -> list[Any]:
        batch = arrays[0].shape[: arrays[0].ndim - len(graph.inputs[0].shape)]
        flat = {x.name: a.reshape(*batch, x.size) for x, a in zip(graph.inputs, arrays, strict=True)}
        dtype = arrays[0].dtype
        values: dict[Node, Any] = {}
        for node in straight.nodes:
            if node.op == "const":
                values[node] = jnp.asarray(node.value, dtype)
            elif node.op == "input":
                values[node] = flat[node.value[0]][..., node.value[1]]
            else:
                values[node] = CELLS[node.op](jnp, *[values[x] for x in node.args])
        results = []
        for y in straight.outputs:
            entries = [jnp.broadcast_to(values[node], batch) for node in y.nodes]
            stacked = jnp.stack(entries, axis=-1) if entries else jnp.zeros((*batch, 0), dtype)
            results.append(stacked.reshape(*batch, *y.shape))
        return results

    return function
