"""The JAX primitive that calls kernels: machine code on CPUs, by XLA's foreign functions; `jax.numpy` elsewhere.

Kernels are closed under differentiation: the derivative of a kernel is its tangent kernel, and tangent and adjoint
kernels are transposes of each other. So derivatives of any order, forward or reverse, are machine code.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from revolute.bridges.functions import Foreign
from revolute.bridges.source import BridgeSource
from revolute.graph import Graph, Loop, Node, evaluated
from revolute.targets.llvm import Loaded, compile_object, host, load_object
from revolute.targets.llvm.ffi_handler import handler
from revolute.targets.numpy import NAMES

_call = Primitive("revolute")
_call.multiple_results = True
_numbers = itertools.count()
_kept: list[tuple[Loaded, Any]] = []
"""Handlers registered with XLA, which are kept alive because XLA may call them until the process ends."""


def apply(source: BridgeSource, *arrays: Foreign) -> list[Any]:
    """Evaluate a function for arrays with the same dtype and batch shape."""
    results: list[Any] = _call.bind(*arrays, source=source)
    return results


@cache
def _jitted(source: BridgeSource) -> Any:
    return jax.jit(lambda *arrays: _call.bind(*arrays, source=source))


@_call.def_impl
def _evaluate(*arrays: Foreign, source: BridgeSource) -> Foreign:
    return _jitted(source)(*arrays)


@_call.def_abstract_eval
def _shapes(*arrays: Foreign, source: BridgeSource) -> list[Any]:
    first = source.form.inputs[0]
    batch = arrays[0].shape[: len(arrays[0].shape) - len(first.shape)]
    return [jax.core.ShapedArray((*batch, *shape), arrays[0].dtype) for _, shape in source.form.outputs]


# --- lowering --------------------------------------------------------------------------------


def _on_cpu(context: Any, *values: Foreign, source: BridgeSource) -> Foreign:
    target = _registered(source, np.dtype(context.avals_in[0].dtype))
    return jax.ffi.ffi_lowering(target)(context, *values)


def _anywhere(*arrays: Foreign, source: BridgeSource) -> Foreign:
    return pure_function(source.graph)(*arrays)


mlir.register_lowering(_call, _on_cpu, platform="cpu")
mlir.register_lowering(_call, mlir.lower_fun(_anywhere, multiple_results=True))


@cache
def _registered(source: BridgeSource, dtype: np.dtype[Any]) -> str:
    """Register a kernel as a foreign function of XLA; return its name."""
    kernel = source.float32 if dtype == np.float32 else source.float64
    name = f"revolute {next(_numbers)} {source.form.name}"
    shapes = ([x.shape for x in kernel.inputs], [shape for _, shape in kernel.outputs])
    text = handler(*shapes, dtype.itemsize, kernel.address)
    loaded = load_object(compile_object(text, host()), host())
    function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(loaded.function("handler"))
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(function), platform="cpu")
    _kept.append((loaded, kernel))
    return name


# --- transformations -------------------------------------------------------------------------


def _rates(primals: Any, tangents: Any, *, source: BridgeSource) -> tuple[Any, Any]:
    rates = [ad.instantiate_zeros(x) for x in tangents]
    results = _call.bind(*primals, source=source)
    return results, _call.bind(*primals, *rates, source=source.tangent)


def _transposed(weights: Foreign, *arrays: Foreign, source: BridgeSource) -> list[Any]:
    """The transpose of a tangent, linear in rates, is the adjoint; of an adjoint, linear in weights, the tangent."""
    base = source.base
    assert base is not None
    count = len(base.form.inputs)
    filled = [ad.instantiate_zeros(x) for x in weights]
    other = base.adjoint if source.role == "tangent" else base.tangent
    found = _call.bind(*arrays[:count], *filled, source=other)
    linear = [ad.is_undefined_primal(x) for x in arrays]
    assert not any(linear[:count])
    return [None] * count + [x if is_linear else None for x, is_linear in zip(found, linear[count:], strict=True)]


def _mapped(arrays: Any, axes: Any, *, source: BridgeSource) -> tuple[Any, Any]:
    (size,) = {a.shape[axis] for a, axis in zip(arrays, axes, strict=True) if axis is not None}
    moved = [
        jnp.broadcast_to(a, (size, *a.shape)) if axis is None else jnp.moveaxis(a, axis, 0)
        for a, axis in zip(arrays, axes, strict=True)
    ]
    return _call.bind(*moved, source=source), [0] * len(source.form.outputs)


ad.primitive_jvps[_call] = _rates
ad.primitive_transposes[_call] = _transposed
batching.primitive_batchers[_call] = _mapped


def pure_function(graph: Graph) -> Callable[..., Sequence[Any]]:
    """A function of arrays (..., *shape) with the same batch shape and dtype, which returns a list of such arrays."""

    def function(*arrays: Foreign) -> list[Any]:
        dtype, batch = arrays[0].dtype, arrays[0].shape[: arrays[0].ndim - len(graph.inputs[0].shape)]
        flat = [a.reshape(*batch, x.size) for x, a in zip(graph.inputs, arrays, strict=True)]
        scalars = [[a[..., k] for k in range(x.size)] for x, a in zip(graph.inputs, flat, strict=True)]
        found = _outputs(graph, scalars, batch, dtype)
        return [
            jnp.moveaxis(_stacked(values, batch, dtype), 0, -1).reshape(*batch, *y.shape)
            for y, values in zip(graph.outputs, found, strict=True)
        ]

    return function


def _outputs(graph: Graph, scalars: Sequence[Sequence[Any]], batch: tuple[int, ...], dtype: Any) -> list[list[Any]]:
    """The scalars of each output, from those of the inputs."""

    def operation(node: Node, args: list[Any]) -> Any:
        if node.op == "loop":
            return _looped(node.value, args, batch, dtype)
        return args[0][node.value] if node.op == "entry" else getattr(jnp, NAMES[node.op])(*args)

    inputs = {x.name: values for x, values in zip(graph.inputs, scalars, strict=True)}
    return evaluated(graph, inputs, partial(jnp.asarray, dtype=dtype), operation)


def _looped(loop: Loop, operands: Sequence[Any], batch: tuple[int, ...], dtype: Any) -> Any:
    """The results of a loop, along the first axis. Loops with a condition also make their maximum number of steps.

    In this way reverse derivatives exist, and XLA compiles the body once.
    """
    first, given, *each = [operands[part] for part in loop.operands]
    arrays = [_stacked(x, batch, dtype) for x in each]
    rows = [x.reshape(loop.steps, size, *batch) for x, size in zip(arrays, loop.each, strict=True)]

    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        state, going = carry
        following, *records = _outputs(loop.body, [list(state), given, *map(list, row)], batch, dtype)
        after = _stacked(following, batch, dtype)
        if loop.solution is None:
            return (after, going), [_stacked(x, batch, dtype) for x in records]
        ((again,),) = records
        # finished rows keep their state
        return (jnp.where(going > 0, after, state), jnp.where(going > 0, again, 0).astype(dtype)), []

    state = _stacked(first, batch, dtype)
    going = state[-1] if loop.waits else jnp.ones(batch, dtype)
    (state, _), columns = jax.lax.scan(step, (state, going), rows, loop.steps, reverse=loop.backward)
    return jnp.concatenate([state, *(x.reshape(-1, *batch) for x in columns)])


def _stacked(values: Sequence[Any], batch: tuple[int, ...], dtype: Any) -> Any:
    """Scalars along the first axis."""
    entries = [jnp.broadcast_to(x, batch).astype(dtype) for x in values]
    return jnp.stack(entries) if entries else jnp.zeros((0, *batch), dtype)
