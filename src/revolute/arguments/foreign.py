"""Arrays of other libraries that NumPy cannot take, or should not take silently: errors that say what to do."""

from __future__ import annotations

import sys
from typing import Any

from revolute.errors import DtypeError

__all__ = ["require_plain"]


def require_plain(what: str, x: Any) -> None:
    """Refuse an array that is being traced, that wants a gradient, that is elsewhere, or that is yet to be computed.

    Args:
        what: the caller and the argument, for messages.
        x: an argument that is no NumPy array.

    Raises:
        DtypeError: what it is, and the bridge for it.
    """
    package = type(x).__module__.partition(".")[0]
    reason = _REASONS[package](x) if package in _REASONS else ""
    if reason:
        raise DtypeError(f"{what} {reason}")


def _jax(x: Any) -> str:
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(x, jax.core.Tracer):
        return "is traced by JAX; the functions of robot.jax can be: robot.jax.inverse_dynamics and others"
    return ""


def _torch(x: Any) -> str:
    functions = "the functions of robot.torch do: robot.torch.inverse_dynamics and others"
    if getattr(x, "requires_grad", False):
        return f"wants a gradient, which NumPy does not give; {functions}. x.detach() wants none"
    device = getattr(getattr(x, "device", None), "type", "cpu")
    if device != "cpu":
        return f"is on the device {device}, but Revolute computes on the CPU: x.cpu()"
    try:
        x.data_ptr()
    except RuntimeError:
        return f"has no memory: torch.func or torch.compile works on it, which NumPy does not take part in; {functions}"
    return ""


def _dask(x: Any) -> str:
    return (
        "is Dask's, and would be computed here and now; the functions of robot.dask take it as it is: "
        "robot.dask.inverse_dynamics and others; and x.compute() gives numbers"
    )


def _xarray(x: Any) -> str:
    return _dask(x) if getattr(x, "chunks", None) else ""


_REASONS = {"jax": _jax, "jaxlib": _jax, "torch": _torch, "dask": _dask, "xarray": _xarray}
