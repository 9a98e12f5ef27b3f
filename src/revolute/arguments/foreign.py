"""Errors for arrays of other libraries that NumPy cannot read, or should not read silently."""

import sys
from typing import Any

import numpy as np

from revolute.errors import DtypeError

_PLAIN = frozenset({np.ndarray, np.float64, float, int})
"""Types of arguments that skip the check, which takes some microseconds. Most arguments have one of these types."""


def require_plain(what: str, x: object, function: str = "inverse_dynamics") -> None:
    """Raise `DtypeError` for arrays that NumPy cannot or should not read; the message names a way out.

    These are symbolic, masked, traced or lazy arrays, arrays on other devices, and arrays being differentiated. `what`
    names the caller and the argument, `function` a function that other libraries' arrays can have instead.
    """
    if type(x) in _PLAIN:
        return
    packages = [kind.__module__.partition(".")[0] for kind in type(x).__mro__]
    if reason := next((_REASONS[package](x) for package in packages if package in _REASONS), ""):
        raise DtypeError(f"{what} {reason.replace('FUNCTION', function)}")


def require_plain_entries(what: str, x: object) -> None:
    """Apply `require_plain` to all entries of a list or tuple, including nested ones."""
    if isinstance(x, (list, tuple)):
        for entry in x:
            if type(entry) not in _PLAIN:
                require_plain_entries(what, entry)
    else:
        require_plain(what, x)


def require_unmasked(what: str, x: object) -> None:
    """Raise `DtypeError` for a masked array, because its mask would be lost."""
    if reason := _numpy(x):
        raise DtypeError(f"{what} {reason}")


def _numpy(x: Any) -> str:
    if isinstance(x, np.ma.MaskedArray):
        return "is a masked array, but results have no mask: pass x.filled(np.nan), or x.data to include masked numbers"
    return ""


def _casadi(x: Any) -> str:
    if type(x).__name__ in ("SX", "MX"):
        return "is symbolic; use the functions of robot.casadi, such as robot.casadi.FUNCTION"
    return ""


def _jax(x: Any) -> str:
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(x, jax.core.Tracer):
        return "is traced by JAX; use the functions of robot.jax, such as robot.jax.FUNCTION"
    return ""


def _torch(x: Any) -> str:
    functions = "use the functions of robot.torch, such as robot.torch.FUNCTION"
    if getattr(x, "requires_grad", False):
        return f"requires a gradient, which NumPy does not compute; {functions}; or pass x.detach()"
    device = getattr(getattr(x, "device", None), "type", "cpu")
    if device != "cpu":
        return f"is on the device {device}, but Revolute computes on the CPU: x.cpu()"
    if getattr(x, "is_nested", False):
        return "is a nested tensor, but the rows of a batch must have equal lengths: split it with x.unbind()"
    if str(getattr(x, "layout", "torch.strided")) != "torch.strided":
        return "is a sparse tensor; pass x.to_dense()"
    try:
        x.data_ptr()
    except RuntimeError:
        return f"has no memory: it is traced by torch.func or torch.compile, which NumPy does not support; {functions}"
    except AttributeError:  # not a tensor
        return ""
    if x.is_conj():
        return "must hold real numbers, not complex ones"
    if x.is_neg():
        return "is a view with its negative bit set: pass x.resolve_neg()"
    try:
        x.numpy()
    except (RuntimeError, TypeError) as error:  # NumPy lacks some tensor types, such as bfloat16
        return f"has a dtype that NumPy cannot read: pass x.double(). PyTorch reports: {error}"
    return ""


def _dask(x: Any) -> str:
    return (
        "is a Dask array, which would be computed at once; use the functions of robot.dask, such as "
        "robot.dask.inverse_dynamics, or pass x.compute()"
    )


def _xarray(x: Any) -> str:
    return _dask(x) if getattr(x, "chunks", None) else ""


_REASONS = {
    "casadi": _casadi, "dask": _dask, "jax": _jax, "jaxlib": _jax, "numpy": _numpy, "torch": _torch,
    "xarray": _xarray,
}
