"""Errors for arrays of other libraries that NumPy cannot read, or should not read silently."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from revolute.errors import DtypeError

__all__ = ["require_plain", "require_plain_entries", "require_unmasked"]

_PLAIN = frozenset({np.ndarray, np.float64, float, int})
"""Types that need no check, which takes some microseconds: most arguments have these."""


def require_plain(what: str, x: object) -> None:
    """Raise `DtypeError` for arrays that NumPy cannot read, with the bridge for them.

    Such arrays are symbolic, masked, traced, lazy, on other devices, or under differentiation. `what` names the caller
    and the argument.
    """
    if type(x) in _PLAIN:
        return
    packages = [kind.__module__.partition(".")[0] for kind in type(x).__mro__]
    reason = next((_REASONS[package](x) for package in packages if package in _REASONS), "")
    if reason:
        raise DtypeError(f"{what} {reason}")


def require_plain_entries(what: str, x: object) -> None:
    """`require_plain` for all entries of a list or tuple, nested ones too."""
    if isinstance(x, (list, tuple)):
        for entry in x:
            if type(entry) not in _PLAIN:
                require_plain_entries(what, entry)
    else:
        require_plain(what, x)


def require_unmasked(what: str, x: object) -> None:
    """Raise `DtypeError` for a masked array, whose mask would be lost."""
    if reason := _numpy(x):
        raise DtypeError(f"{what} {reason}")


def _numpy(x: Any) -> str:
    if isinstance(x, np.ma.MaskedArray):
        return "is a masked array, and results have no mask: x.filled(np.nan) gives NaN there, x.data the numbers below"
    return ""


def _casadi(x: Any) -> str:
    if type(x).__name__ in ("SX", "MX"):
        return "is symbolic; the functions of robot.casadi take it: robot.casadi.inverse_dynamics and others"
    return ""


def _jax(x: Any) -> str:
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(x, jax.core.Tracer):
        return "is traced by JAX; the functions of robot.jax can be: robot.jax.inverse_dynamics and others"
    return ""


def _torch(x: Any) -> str:
    functions = "the functions of robot.torch do: robot.torch.inverse_dynamics and others"
    if getattr(x, "requires_grad", False):
        return f"needs a gradient, which NumPy does not give; {functions}. x.detach() needs none"
    device = getattr(getattr(x, "device", None), "type", "cpu")
    if device != "cpu":
        return f"is on the device {device}, but Revolute computes on the CPU: x.cpu()"
    if getattr(x, "is_nested", False):
        return "is a nested tensor, and a batch has rows of one length: x.unbind() gives its parts"
    if str(getattr(x, "layout", "torch.strided")) != "torch.strided":
        return "is a sparse tensor: x.to_dense()"
    try:
        x.data_ptr()
    except RuntimeError:
        return f"has no memory: torch.func or torch.compile traces it, which NumPy cannot take part in; {functions}"
    except AttributeError:  # not a tensor
        return ""
    if x.is_conj():
        return "must hold real numbers, not complex ones"
    if x.is_neg():
        return "is a view of numbers whose sign is yet to be changed: x.resolve_neg()"
    try:
        x.numpy()
    except (RuntimeError, TypeError) as error:  # bfloat16 and others that NumPy lacks
        return f"is of a type that NumPy cannot read: x.double(). PyTorch says: {error}"
    return ""


def _dask(x: Any) -> str:
    return (
        "is Dask's, and would be computed at once; the functions of robot.dask take it as it is: "
        "robot.dask.inverse_dynamics and others; and x.compute() gives numbers"
    )


def _xarray(x: Any) -> str:
    return _dask(x) if getattr(x, "chunks", None) else ""


_REASONS = {
    "casadi": _casadi,
    "dask": _dask,
    "jax": _jax,
    "jaxlib": _jax,
    "numpy": _numpy,
    "torch": _torch,
    "xarray": _xarray,
}
