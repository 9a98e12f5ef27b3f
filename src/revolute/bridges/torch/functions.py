"""All functions of a machine for PyTorch."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from revolute.bridges.functions import BridgeFunction, Foreign, Functions
from revolute.bridges.source import BridgeSource
from revolute.errors import DtypeError


class TorchFunctions(Functions["TorchFunction"]):
    """Functions of one machine for PyTorch."""

    package, library = "torch", "PyTorch"

    def _make(self, function: str, **options: Any) -> TorchFunction:
        return TorchFunction(self._machine.source(function, options))


class TorchFunction(BridgeFunction):
    """A function of CPU tensors that returns one or several, with gradients of any order, `vmap` and `compile`.

    Leading axes broadcast. Results are float32 if all tensors are float32, otherwise float64, even for half precision.
    Memory is shared with NumPy. Derivatives are taken with respect to entries, such as components of a quaternion.
    """

    _library = "PyTorch"

    def __init__(self, source: BridgeSource) -> None:
        import torch

        from revolute.bridges.torch.operator import operator, plainly

        super().__init__(source.form)
        self._torch, self._operator, self._plain = torch, operator(source), partial(plainly, source)
        self._axes = [len(x.shape) for x in self.inputs]

    def _evaluate(self, *tensors: Foreign) -> Foreign:
        torch = self._torch
        if (results := self._plain(tensors)) is not None:
            return results
        given = self.checks.checked(tensors, self._tensor)
        single = all([x.dtype == torch.float32 for x in given])
        dtype = torch.float32 if single else torch.float64
        batches = [x.shape[: x.ndim - axes] for x, axes in zip(given, self._axes, strict=True)]
        if any([batch != batches[0] for batch in batches]):
            batch = torch.broadcast_shapes(*batches)
            given = [x.expand(*batch, *y.shape) for x, y in zip(given, self.inputs, strict=True)]
        return self._operator(*[x if x.dtype == dtype else x.to(dtype) for x in given])

    def _tensor(self, label: str, given: Foreign) -> Foreign:
        torch = self._torch
        x = given if isinstance(given, torch.Tensor) else self._new_tensor(label, given)
        if x.is_nested:
            raise DtypeError(
                f"{self.__name__}: {label} is a nested tensor, but all rows of a batch must have the same length: "
                f"{label}.unbind() gives its parts"
            )
        if x.device.type != "cpu":
            raise DtypeError(
                f"{self.__name__}: {label} is on the device {x.device}; Revolute computes on the CPU; use {label}.cpu()"
            )
        if x.layout != torch.strided:
            raise DtypeError(f"{self.__name__}: {label} is a sparse tensor; pass {label}.to_dense()")
        self.checks.require_real(label, x.dtype, not (x.dtype.is_complex or x.is_quantized))
        return x

    def _new_tensor(self, label: str, given: Foreign) -> Foreign:
        if self._torch.compiler.is_compiling():  # `torch.compile` can trace only few attributes of NumPy arrays
            return self._torch.as_tensor(np.asarray(given))
        return self._torch.as_tensor(self.checks.array(label, given))
