"""Code for single rows of long kernels, compiled in the background once such a call is made."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import threading
from collections.abc import Callable

from revolute.compiler import cache
from revolute.errors import RevoluteError
from revolute.targets.llvm import Loaded, compile_object, host, load_object
from revolute.targets.llvm.context import NOT_ASKED_FOR, NOT_THERE
from revolute.targets.llvm.forks import hold

__all__ = ["RowCode"]

_asking = threading.RLock()
hold(_asking)


class RowCode:
    """What single calls of a kernel run, if its module has code for blocks only.

    Until there is code for a row, they run a block. Nothing depends on which of both it is but their time.
    """

    def __init__(self, loaded: Loaded, key: str, text: Callable[[], str]) -> None:
        """Of a kernel.

        Args:
            loaded: its module, which is kept alive, and keeps the code for rows alive.
            key: of its machine code.
            text: makes the LLVM IR of the module that `targets.llvm.row` describes.
        """
        self._loaded = loaded
        self._key = hashlib.sha256(f"{key} row".encode()).hexdigest()
        self._text = text
        self._variable = ctypes.c_size_t.from_address(loaded.variable("row_code"))

    def ask(self) -> None:
        """Load the code from the disk cache, or compile it on a thread, unless that was asked for before."""
        if self._variable.value != NOT_ASKED_FOR:
            return
        with _asking:
            if self._variable.value != NOT_ASKED_FOR:  # another thread was faster
                return
            self._variable.value = NOT_THERE
        stored = cache.read(self._key)
        if stored is not None:
            with contextlib.suppress(RevoluteError):
                self._use(stored[0])
                return
        with contextlib.suppress(RuntimeError):  # no more threads: at exit, or at a limit of the system
            # at exit, Python waits for it: LLVM may not work while the process ends
            threading.Thread(target=self._compile, name="revolute row code", daemon=False).start()

    def _compile(self) -> None:
        with contextlib.suppress(RevoluteError, MemoryError):
            code = compile_object(self._text(), host())
            cache.write(self._key, code, {"operations": 0, "seconds": 0.0})
            self._use(code)

    def _use(self, code: bytes) -> None:
        row = load_object(code, host())
        self._loaded.keep(row)
        self._variable.value = row.function("row")
