"""A kernel for workers: created once per process, not once per task."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

from revolute.compiler.kernel import Kernel

__all__ = ["RemoteKernel"]

KEPT = 64
"""Maximum number of kernels that a worker caches."""


class RemoteKernel:
    """A kernel, represented by the pickle of its machine. Workers with a common disk share its machine code.

    Args:
        kernel: the kernel.
    """

    def __init__(self, kernel: Kernel) -> None:
        import cloudpickle  # comes with Dask; it takes machines with functions of the user's script, too

        self._pickle: bytes = cloudpickle.dumps(kernel)

    def __call__(self, *arrays: Any) -> Any:
        """Evaluate a batch on one thread: Dask runs a task on each core."""
        return _kernel(self._pickle)(*arrays, threads=1)

    def __dask_tokenize__(self) -> str:
        """Return the same name for the same kernel, so that Dask recognises computed results."""
        return hashlib.sha256(self._pickle).hexdigest()


@lru_cache(KEPT)
def _kernel(pickled: bytes) -> Kernel:
    import cloudpickle

    kernel: Kernel = cloudpickle.loads(pickled)
    return kernel
