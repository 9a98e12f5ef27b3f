"""Functions of machines in JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

from revolute.bridges.functions import BridgeFunction, Foreign, Functions
from revolute.bridges.source import BridgeSource
from revolute.errors import DtypeError, InputError

__all__ = ["JaxFunction", "JaxFunctions"]


class JaxFunctions(Functions["JaxFunction"]):
    """Functions of one machine for JAX; `native=False` uses plain `jax.numpy` instead of machine code."""

    package, library = "jax", "JAX"

    def _make(self, function: str, *, native: bool = True, **options: Any) -> JaxFunction:
        if not isinstance(native, bool):
            raise InputError(f"jax: native must be True or False, not {native!r}")
        return JaxFunction(self._machine.source(function, options), native)


class JaxFunction(BridgeFunction):
    """A function of arrays that returns one or several, for `jax.jit`, `vmap`, `grad`, `jvp` and `scan`.

    Leading axes broadcast. Results are float64 if an array is float64, otherwise float32; JAX converts float64 to
    float32 unless `jax.config.update("jax_enable_x64", True)` was called. Derivatives are taken with respect to array
    entries, such as the four components of a quaternion.
    """

    _library = "JAX"

    def __init__(self, source: BridgeSource, native: bool) -> None:
        import jax
        import jax.numpy as jnp

        from revolute.bridges.jax.primitive import apply, pure_function

        super().__init__(source.form)
        self.native = native
        shapes = [x.shape for x in source.form.inputs]
        evaluate = partial(apply, source) if native else pure_function(source.graph)

        def run(*arrays: Foreign) -> Foreign:
            dtype = jnp.result_type(*arrays, jnp.float32)
            batch = jnp.broadcast_shapes(*(a.shape[: a.ndim - len(s)] for a, s in zip(arrays, shapes, strict=True)))
            full = [jnp.broadcast_to(a, (*batch, *s)).astype(dtype) for a, s in zip(arrays, shapes, strict=True)]
            results = evaluate(*full)
            return results[0] if len(results) == 1 else tuple(results)

        self._run = jax.jit(run)

    def _evaluate(self, *arrays: Foreign) -> Foreign:
        return self._run(*self.checks.checked(arrays, self._array))

    def _array(self, label: str, given: Foreign) -> Foreign:
        array = self.checks.array(label, given)
        if not hasattr(array.dtype, "kind"):
            kind = f"{type(array).__module__}.{type(array).__name__}"
            raise DtypeError(f"{self.__name__}: {label} must be an array of JAX or NumPy, not a {kind}")
        self.checks.require_real(label, array.dtype, array.dtype.kind in "fiub" and array.dtype.itemsize > 1)
        return array
