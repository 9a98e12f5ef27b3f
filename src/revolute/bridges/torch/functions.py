"""All functions of a machine for PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from revolute.bridges.checks import Checks
from revolute.bridges.functions import Functions
from revolute.bridges.source import Source
from revolute.errors import DtypeError

__all__ = ["TorchFunction", "TorchFunctions"]


class TorchFunctions(Functions["TorchFunction"]):
    """Functions of one machine for PyTorch.

    Args:
        find: makes the source of a function by its name and options.
        names: of all functions.
        owner: name of the machine.
    """

    package, library = "torch", "PyTorch"

    def __init__(self, find: Callable[..., Source], names: Iterable[str], owner: str) -> None:
        super().__init__(names, owner)
        self._find = find

    def _make(self, function: str, **options: Any) -> TorchFunction:
        """See `__call__`."""
        return TorchFunction(self._find(function, options))


class TorchFunction:
    """A function of CPU tensors: a tensor, or a tuple of several; with gradients of any order, `vmap` and `compile`.

    Leading axes broadcast. It computes in float32 if all tensors are of it, else in float64. Memory is shared, not
    copied. Derivatives are by the numbers themselves: by a quaternion's four.
    """

    def __init__(self, source: Source) -> None:
        import torch

        from revolute.bridges.torch.operator import applied, operator, plainly

        self.__name__ = source.form.name
        self.inputs, self.outputs = source.form.inputs, source.form.outputs
        self._checks, self._apply, self._torch = Checks(source.form), partial(applied, source), torch
        self._axes, self._plain = [len(x.shape) for x in self.inputs], partial(plainly, source)
        operator(source)  # PyTorch must know it before it compiles a caller

    def __call__(self, *tensors: Any) -> Any:
        """Evaluate the function.

        Raises:
            InputError: another number of tensors.
            ShapeError: a tensor does not fit, or leading axes do not broadcast.
            DtypeError: a tensor does not hold real numbers, is sparse, or is not on the CPU.
        """
        torch = self._torch
        if (results := self._plain(tensors)) is not None:
            return results
        given = [self._tensor(x.name, a) for x, a in zip(self.inputs, self._checks.checked(tensors), strict=True)]
        single = all([x.dtype == torch.float32 for x in given])
        dtype = torch.float32 if single else torch.float64
        batches = [x.shape[: x.ndim - axes] for x, axes in zip(given, self._axes, strict=True)]
        if batches.count(batches[0]) != len(batches):
            batch = torch.broadcast_shapes(*batches)
            given = [x.expand(*batch, *y.shape) for x, y in zip(given, self.inputs, strict=True)]
        return self._apply(*[x if x.dtype == dtype else x.to(dtype) for x in given])

    def _tensor(self, label: str, given: Any) -> Any:
        torch = self._torch
        x = given if isinstance(given, torch.Tensor) else torch.as_tensor(given)
        if x.device.type != "cpu":
            raise DtypeError(
                f"{self.__name__}: {label} is on the device {x.device}, but Revolute computes on the CPU: {label}.cpu()"
            )
        if x.layout != torch.strided:
            raise DtypeError(f"{self.__name__}: {label} is a sparse tensor: {label}.to_dense()")
        self._checks.require_real(label, x.dtype, not x.dtype.is_complex)
        return x

    def __repr__(self) -> str:
        names = ", ".join(x.name for x in self.inputs)
        return f"<{self.__name__}({names}) for PyTorch>"
