"""Functions as PyTorch operators, one per function, for autograd, `torch.func`, `vmap` and `torch.compile`.

The backward pass calls the adjoint kernel, the forward derivative the tangent kernel. Both are operators, too.

As with PyTorch's own operators, the autograd kernel is called for one level of `torch.func` at a time.
`torch.library.custom_op` cannot be used: its operators have no forward derivative, and return zero instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._functorch.autograd_function import enable_single_level_autograd_function
from torch.autograd import forward_ad

from revolute.bridges.functions import Foreign
from revolute.bridges.source import BridgeSource
from revolute.errors import RevoluteError

_library = torch.library.Library("revolute", "FRAGMENT")
_operators: dict[str, Any] = {}
"""Operators by name. They are kept until the process ends, because PyTorch cannot unregister operators."""


def plainly(source: BridgeSource, tensors: Sequence[Any]) -> Foreign:
    """The kernel's results; None if derivatives may be requested, or an argument is not a plain tensor."""
    try:
        if torch.compiler.is_compiling() or getattr(forward_ad, "_current_level", 0) >= 0:
            return None
        if torch._C._len_torch_dispatch_stack() or torch._C._is_tracing():  # a mode records operators
            return None
        if torch.is_grad_enabled() and any([x.requires_grad for x in tensors]):
            return None
        return _evaluated(source, *tensors)
    except (AttributeError, TypeError, RuntimeError, RevoluteError):  # arguments such as lists or GPU tensors
        return None


def operator(source: BridgeSource) -> Any:
    """The operator of a function, for CPU tensors with the same dtype and batch shape.

    The name identifies the function in every process, because caches of compiled graphs contain this name.
    """
    plain = "".join(x if x.isalnum() else "_" for x in source.form.name)
    name = f"{plain}_{source.key[:16]}"
    if name not in _operators:
        _operators[name] = _new_operator(name, source)
    return _operators[name]


def _new_operator(name: str, source: BridgeSource) -> Any:
    count, outputs = len(source.form.inputs), source.form.outputs
    given = ", ".join(f"Tensor x{k}" for k in range(count))
    results = "Tensor" if len(outputs) == 1 else f"({', '.join(['Tensor'] * len(outputs))})"

    def evaluate(*tensors: Foreign) -> Foreign:
        return _evaluated(source, *[x.detach() for x in tensors])

    def differentiate(*tensors: Foreign) -> Foreign:
        with enable_single_level_autograd_function():
            return _Kernel.apply(source, *tensors)

    def fake(*tensors: Foreign) -> Foreign:
        axes = tensors[0].ndim - len(source.form.inputs[0].shape)
        new = [tensors[0].new_empty((*tensors[0].shape[:axes], *shape)) for _, shape in outputs]
        return new[0] if len(new) == 1 else tuple(new)

    def mapped(info: Any, axes: Sequence[Any], *tensors: Foreign) -> Foreign:
        moved = [
            x.expand(info.batch_size, *x.shape) if axis is None else x.movedim(axis, 0)
            for x, axis in zip(tensors, axes, strict=True)
        ]
        return operator(source)(*moved), 0 if len(outputs) == 1 else (0,) * len(outputs)

    _library.define(f"{name}({given}) -> {results}", tags=(torch.Tag.pt2_compliant_tag,))
    _library.impl(name, evaluate, "CPU")
    _library.impl(name, differentiate, "Autograd")
    torch.library.register_fake(f"revolute::{name}", fake, lib=_library)
    torch.library.register_vmap(f"revolute::{name}", mapped, lib=_library)
    return getattr(torch.ops.revolute, name).default


class _Kernel(torch.autograd.function._SingleLevelFunction):
    """Derivatives of an operator. `torch.autograd.Function` would leave PyTorch's current level."""

    @staticmethod
    def forward(ctx: Any, source: BridgeSource, *tensors: Foreign) -> Foreign:
        """Evaluate the operator; outer levels of `torch.func` differentiate the results."""
        ctx.source = source
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)
        with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True), torch._C._AutoDispatchBelowAutograd():
            return operator(source)(*tensors)

    @staticmethod
    def backward(ctx: Any, *weights: Foreign) -> Foreign:
        """Gradients by the adjoint kernel."""
        found = operator(ctx.source.adjoint)(*ctx.saved_tensors, *weights)
        return (None, *found) if isinstance(found, tuple) else (None, found)

    @staticmethod
    def jvp(ctx: Any, _: Any, *rates: Any) -> Any:
        """Tangents, by the tangent kernel."""
        full = [torch.zeros_like(x) if rate is None else rate for x, rate in zip(ctx.saved_tensors, rates, strict=True)]
        return operator(ctx.source.tangent)(*ctx.saved_tensors, *full)


def _evaluated(source: BridgeSource, *tensors: Foreign) -> Foreign:
    """Results of the kernel for tensors, without a derivative graph."""
    wide = tensors[0].dtype is torch.float64 or any([x.dtype is not torch.float32 for x in tensors])
    results = (source.float64 if wide else source.float32)(*[x.numpy() for x in tensors])
    return tuple([torch.as_tensor(y) for y in results]) if type(results) is tuple else torch.as_tensor(results)
