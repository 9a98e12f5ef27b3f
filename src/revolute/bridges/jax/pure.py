"""A graph in `jax.numpy`: for GPU and TPU, and for derivatives of any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from revolute.graph import Graph, unrolled
from revolute.graph.node import Node
from revolute.targets.numpy import NAMES

__all__ = ["pure_function"]


def pure_function(graph: Graph) -> Callable[..., Sequence[Any]]:
    """A function of arrays (..., *shape) with one batch shape and type that returns a list of such arrays."""
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
                values[node] = getattr(jnp, NAMES[node.op])(*[values[x] for x in node.args])
        results = []
        for y in straight.outputs:
            entries = [jnp.broadcast_to(values[node], batch) for node in y.nodes]
            stacked = jnp.stack(entries, axis=-1) if entries else jnp.zeros((*batch, 0), dtype)
            results.append(stacked.reshape(*batch, *y.shape))
        return results

    return function
