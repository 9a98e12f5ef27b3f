"""A kernel evaluated on the blocks of Dask arrays, and created once per process, not once per task."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from revolute.bridges.functions import Foreign
from revolute.compiler.kernel import Kernel
from revolute.errors import InputError
from revolute.graph import Input

KEPT = 64  # maximum number of kernels that each Dask worker caches


def stands_for(x: Foreign, kind: str) -> bool:
    """Whether x is an object of the Dask or xarray class with this name, without importing Dask or xarray."""
    return any(c.__name__ == kind and c.__module__.partition(".")[0] in ("dask", "xarray") for c in type(x).__mro__)


def require_known(name: str, inputs: Sequence[Input], given: Sequence[Any]) -> None:
    """Raise `InputError` for chunks of unknown lengths, because rows of different arrays could not be matched."""
    for x, array in zip(inputs, given, strict=False):
        if any(size != size for size in getattr(array, "shape", ())):  # Dask marks unknown lengths with NaN
            raise InputError(
                f"{name}: {x.name} has chunks of unknown lengths; {x.name}.compute_chunk_sizes() finds them, or pass "
                f"the data frame: robot.dask.{name}(frame)"
            )


def lazy(
    kernel: RemoteKernel, name: str, inputs: Sequence[Input], outputs: Sequence[tuple[str, tuple[int, ...]]],
    dtype: np.dtype[Any], given: Sequence[Any],
) -> Any:
    """The results as Dask arrays, by `apply_gufunc`; raise `InputError` if core axes have several chunks."""
    import dask.array

    for x, array in zip(inputs, given, strict=True):
        _require_whole(name, x, array)
    before, after = _axes("x", [x.shape for x in inputs]), _axes("r", [shape for _, shape in outputs])
    shapes = [size for _, shape in outputs for size in shape]
    sizes = dict(zip([name for names in after for name in names], shapes, strict=True))
    types = [dtype] * len(outputs) if len(outputs) > 1 else dtype
    signature = f"{_signature(before)}->{_signature(after)}"
    arrays = _aligned(given, before)
    return dask.array.apply_gufunc(kernel, signature, *arrays, output_dtypes=types, output_sizes=sizes)


def _axes(prefix: str, shapes: Sequence[tuple[int, ...]]) -> list[list[str]]:
    """A name for every core axis."""
    return [[f"{prefix}{k}_{i}" for i in range(len(shape))] for k, shape in enumerate(shapes)]


def _aligned(given: Sequence[Any], core: Sequence[Sequence[str]]) -> list[Any]:
    """Rechunk the arrays to equal chunks along leading axes, as `apply_gufunc` requires."""
    import dask.array

    arrays = [dask.array.asarray(x) for x in given]
    numbered = [
        (x, (*range(len(names) - x.ndim, 0), *names)) for x, names in zip(arrays, core, strict=True)
    ]  # leading axes are numbered from the last axis, which is -1
    _, unified = dask.array.core.unify_chunks(*[x for pair in numbered for x in pair])
    return list(unified)


def _signature(axes: Sequence[Sequence[str]]) -> str:
    return ",".join(f"({','.join(names)})" for names in axes)


def _require_whole(name: str, x: Input, array: Foreign) -> None:
    chunks = getattr(array, "chunks", None)
    if not chunks or not x.shape:
        return
    parts = [len(c) for c in chunks[-len(x.shape) :]]
    if max(parts) > 1:
        whole = ", ".join(f"-{k}: -1" for k in range(len(x.shape), 0, -1))
        raise InputError(
            f"{name}: {x.name} has its core axes in {max(parts)} chunks, but each row must be in one chunk; use "
            f"{x.name}.rechunk({{{whole}}})"
        )


class RemoteKernel:
    """A kernel that is pickled as its machine and options. Workers with a common disk share cached machine code."""

    def __init__(self, kernel: Kernel) -> None:
        import cloudpickle  # a dependency of Dask, which can also pickle functions that a user's script defines

        self._pickle: bytes = cloudpickle.dumps(kernel)

    def __call__(self, *arrays: Foreign) -> Foreign:
        """Evaluate a batch on one thread, since Dask already runs one task per core."""
        return _kernel(self._pickle)(*arrays, threads=1)

    def __dask_tokenize__(self) -> str:
        """Return the same name for the same kernel, so that Dask recognises computed results."""
        return hashlib.sha256(self._pickle).hexdigest()


@lru_cache(KEPT)
def _kernel(pickled: bytes) -> Kernel:
    import cloudpickle

    kernel: Kernel = cloudpickle.loads(pickled)
    return kernel
