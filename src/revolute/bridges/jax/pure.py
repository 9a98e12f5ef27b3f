"""A graph in `jax.numpy`: for GPU and TPU, and for derivatives of any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from revolute.graph import Graph, evaluated, unrolled
from revolute.targets.numpy import NAMES

__all__ = ["pure_function"]


def pure_function(graph: Graph) -> Callable[..., Sequence[Any]]:
    """A function of arrays (..., *shape) with one batch shape and type that returns a list of such arrays."""
    import jax.numpy as jnp

    straight = unrolled(graph)

    def function(*arrays: Any) -> list[Any]:
        batch = arrays[0].shape[: arrays[0].ndim - len(graph.inputs[0].shape)]
        flat = [a.reshape(*batch, x.size) for x, a in zip(graph.inputs, arrays, strict=True)]
        scalars = {x.name: [a[..., k] for k in range(x.size)] for x, a in zip(graph.inputs, flat, strict=True)}
        dtype, results = arrays[0].dtype, []
        constant = partial(jnp.asarray, dtype=dtype)
        found = evaluated(straight, scalars, constant, lambda node, args: getattr(jnp, NAMES[node.op])(*args))
        for y, values in zip(straight.outputs, found, strict=True):
            entries = [jnp.broadcast_to(value, batch) for value in values]
            stacked = jnp.stack(entries, axis=-1) if entries else jnp.zeros((*batch, 0), dtype)
            results.append(stacked.reshape(*batch, *y.shape))
        return results

    return function
