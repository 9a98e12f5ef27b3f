"""All functions of a machine for JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from revolute.bridges.checks import Checks
from revolute.bridges.functions import Functions
from revolute.bridges.source import Source
from revolute.errors import DtypeError, InputError

__all__ = ["JaxFunction", "JaxFunctions"]


class JaxFunctions(Functions["JaxFunction"]):
    """Functions of one machine for JAX; `native=False` is plain `jax.numpy` in place of machine code.

    Args:
        find: makes the source of a function by its name and options.
        names: of all functions.
        owner: name of the machine.
    """

    package, library = "jax", "JAX"

    def __init__(self, find: Callable[..., Source], names: Iterable[str], owner: str) -> None:
        super().__init__(names, owner)
        self._find = find

    def _make(self, function: str, *, native: bool = True, **options: Any) -> JaxFunction:
        """See `__call__`."""
        if not isinstance(native, bool):
            raise InputError(f"jax: native must be True or False, not {native!r}")
        return JaxFunction(self._find(function, options), native)


class JaxFunction:
    """A function for `jax.jit`, `vmap`, `grad`, `jvp`, `scan`: arrays in, an array out, or a tuple of several.

    Leading axes broadcast. It computes in float64 if an array is of it, else in float32; JAX makes float64 float32
    unless `jax.config.update("jax_enable_x64", True)` was called. Derivatives are by the numbers themselves: by a
    quaternion's four.
    """

    def __init__(self, source: Source, native: bool) -> None:
        import jax
        import jax.numpy as jnp

        from revolute.bridges.jax.primitive import apply
        from revolute.bridges.jax.pure import pure_function

        self.__name__ = source.form.name
        self.inputs, self.outputs, self.native = source.form.inputs, source.form.outputs, native
        self._checks = Checks(source.form)
        shapes = [x.shape for x in source.form.inputs]
        evaluate = partial(apply, source) if native else pure_function(source.graph)

        def run(*arrays: Any) -> Any:
            dtype = jnp.result_type(*arrays, jnp.float32)
            batch = jnp.broadcast_shapes(*(a.shape[: a.ndim - len(s)] for a, s in zip(arrays, shapes, strict=True)))
            full = [jnp.broadcast_to(a, (*batch, *s)).astype(dtype) for a, s in zip(arrays, shapes, strict=True)]
            results = evaluate(*full)
            return results[0] if len(results) == 1 else tuple(results)

        self._run = jax.jit(run)

    def __call__(self, *arrays: Any) -> Any:
        given = self._checks.checked(arrays)
        for x, array in zip(self.inputs, given, strict=True):
            if not hasattr(array.dtype, "kind"):
                kind = f"{type(array).__module__}.{type(array).__name__}"
                raise DtypeError(f"{self.__name__}: {x.name} must be an array of JAX or NumPy, not a {kind}")
            self._checks.require_real(x.name, array.dtype, array.dtype.kind in "fiub" and array.dtype.itemsize > 1)
        return self._run(*given)

    def __repr__(self) -> str:
        names = ", ".join(x.name for x in self.inputs)
        return f"<{self.__name__}({names}) for JAX>"

