"""Kernels in PyTorch: an autograd function for eager code and `torch.func`, a custom operator for `torch.compile`.

The gradient of a kernel is its adjoint, its forward derivative its tangent: kernels again, with derivatives of theirs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import torch
from torch.autograd import forward_ad

from revolute.bridges.source import Source
from revolute.errors import RevoluteError

__all__ = ["applied", "operator", "plainly"]

_numbers = itertools.count()
_operators: dict[Source, Any] = {}
"""They last as long as PyTorch: it cannot forget them."""


def applied(source: Source, *tensors: Any) -> Any:
    """Results of a function for CPU tensors of one type and batch."""
    if torch.compiler.is_compiling():
        return operator(source)(*tensors)
    found = plainly(source, tensors)
    return _Kernel.apply(source, *tensors) if found is None else found


def plainly(source: Source, tensors: Sequence[Any]) -> Any:
    """Results where nobody asks for derivatives; None where somebody may, or where an argument is no plain tensor."""
    try:
        if torch.compiler.is_compiling() or getattr(forward_ad, "_current_level", 0) >= 0:
            return None
        if torch.is_grad_enabled() and any([x.requires_grad for x in tensors]):
            return None
        return evaluated(source, *tensors)
    except (AttributeError, TypeError, RuntimeError, RevoluteError):  # lists, tensors elsewhere, those of `torch.func`
        return None


def evaluated(source: Source, *tensors: Any) -> Any:
    """Results, without a thought of derivatives."""
    wide = tensors[0].dtype is torch.float64 or any([x.dtype is not torch.float32 for x in tensors])
    results = (source.float64 if wide else source.float32)(*[x.numpy() for x in tensors])
    return tuple([torch.as_tensor(y) for y in results]) if type(results) is tuple else torch.as_tensor(results)


class _Kernel(torch.autograd.Function):
    """A kernel, for autograd and `torch.func`."""

    @staticmethod
    def forward(source: Source, *tensors: Any) -> Any:
        """Results, in new memory."""
        return evaluated(source, *[x.detach() for x in tensors])

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep the inputs for derivatives."""
        ctx.source = inputs[0]
        ctx.save_for_backward(*inputs[1:])
        ctx.save_for_forward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, *weights: Any) -> Any:
        """Gradients, by the adjoint."""
        found = applied(ctx.source.adjoint, *ctx.saved_tensors, *_filled(ctx.source, ctx.saved_tensors, weights))
        return (None, *found) if isinstance(found, tuple) else (None, found)

    @staticmethod
    def jvp(ctx: Any, _: Any, *rates: Any) -> Any:
        """Rates, by the tangent."""
        full = [torch.zeros_like(x) if rate is None else rate for x, rate in zip(ctx.saved_tensors, rates, strict=True)]
        return applied(ctx.source.tangent, *ctx.saved_tensors, *full)

    @staticmethod
    def vmap(info: Any, axes: Any, source: Source, *tensors: Any) -> Any:
        """One more leading axis."""
        results = applied(source, *_moved(info, axes[1:], tensors))
        return results, 0 if len(source.form.outputs) == 1 else _zeros(source)


def _batch(source: Source, tensors: Sequence[Any]) -> tuple[int, ...]:
    """Leading axes."""
    return tuple(tensors[0].shape[: tensors[0].ndim - len(source.form.inputs[0].shape)])


def _filled(source: Source, tensors: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
    """Weights of all results; those of results that nothing depends on are zero."""
    batch = _batch(source, tensors)
    return [
        tensors[0].new_zeros((*batch, *shape)) if weight is None else weight
        for weight, (_, shape) in zip(weights, source.form.outputs, strict=True)
    ]


def _moved(info: Any, axes: Sequence[Any], tensors: Sequence[Any]) -> list[Any]:
    """Tensors whose mapped axis comes first."""
    return [
        x.expand(info.batch_size, *x.shape) if axis is None else x.movedim(axis, 0)
        for x, axis in zip(tensors, axes, strict=True)
    ]


def _zeros(source: Source) -> tuple[int, ...]:
    return (0,) * len(source.form.outputs)


def operator(source: Source) -> Any:
    """The custom operator of a function: graphs of `torch.compile` hold it by its name."""
    if source not in _operators:
        _operators[source] = _new_operator(source)
    return _operators[source]


def _new_operator(source: Source) -> Any:
    count, outputs = len(source.form.inputs), source.form.outputs
    plain = "".join(x if x.isalnum() else "_" for x in source.form.name)
    given = ", ".join(f"Tensor x{k}" for k in range(count))
    results = "Tensor" if len(outputs) == 1 else f"({', '.join(['Tensor'] * len(outputs))})"

    def evaluate(*tensors: Any) -> Any:
        return evaluated(source, *[x.detach() for x in tensors])

    def fake(*tensors: Any) -> Any:
        new = [tensors[0].new_empty((*_batch(source, tensors), *shape)) for _, shape in outputs]
        return new[0] if len(new) == 1 else tuple(new)

    def save(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, *weights: Any) -> Any:
        tensors = ctx.saved_tensors
        return operator(source.adjoint)(*tensors, *_filled(source, tensors, weights))

    def mapped(info: Any, axes: Any, *tensors: Any) -> Any:
        return made(*_moved(info, axes, tensors)), 0 if len(outputs) == 1 else _zeros(source)

    made = torch.library.custom_op(
        f"revolute::f{next(_numbers)}_{plain}",
        evaluate,
        mutates_args=(),
        device_types="cpu",
        schema=f"({given}) -> {results}",
    )
    made.register_fake(fake)
    made.register_autograd(backward, setup_context=save)
    made.register_vmap(mapped)
    return made
