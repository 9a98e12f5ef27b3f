"""Code for single rows of long kernels, compiled in the background after the first call with a single row."""

import ctypes
import hashlib
import threading
from collections.abc import Callable, Sequence

from revolute.compiler.background import in_background, turns, wait
from revolute.compiler.stored import compile_stored, load_stored, quick_only
from revolute.targets.llvm import CompiledPart, Lanes, Loaded, assembles, compile_parts, host, load_object
from revolute.targets.llvm.call_form import NOT_ASKED_FOR, NOT_THERE
from revolute.targets.llvm.forks import hold

LONG, LONGEST = 1_000_000, 3_000_000
"""Characters of LLVM IR between which quickly compiled code comes first: final code takes a second. Quick code is twice
as large; beyond, it is hardly faster than the code for blocks, and the final code would come later."""

_asking = threading.RLock()
hold(_asking.acquire, _asking.release)


class RowCode:
    """Code for single rows of a kernel whose module has code only for blocks.

    Until this code is loaded, a single row runs as a block. Results are the same; only the time differs.
    """

    def __init__(self, loaded: Loaded, key: str, parts: Callable[[], Sequence[CompiledPart]]) -> None:
        """Keep `loaded`, the kernel's module, alive; `parts` prints the LLVM modules for single rows."""
        self._loaded = loaded
        self._key = hashlib.sha256(f"{key} row".encode()).hexdigest()
        self._parts = parts
        self._variable = ctypes.c_size_t.from_address(loaded.variable("row_code"))

    def ask(self) -> None:
        """Load the code from the disk cache, or compile it in a thread, unless it was requested before."""
        if self._variable.value != NOT_ASKED_FOR:
            return
        # one thread requests the code; meanwhile the other threads use the code for blocks
        with _asking:
            if self._variable.value != NOT_ASKED_FOR:  # another thread has requested the code first
                return
            self._variable.value = NOT_THERE
        try:
            if (stored := load_stored(self._key)) is not None:
                self._use(stored[0])
                return
            in_background(self._compile, "row code")
        except BaseException:  # Ctrl-C: the next call requests the code again
            self._variable.value = NOT_ASKED_FOR
            raise

    def wait(self) -> None:
        """Request the code, and wait until nothing is compiled in the background."""
        self.ask()
        wait()

    def _compile(self) -> None:
        parts = self._parts()
        with turns[0]:
            quickly = not assembles(host(), Lanes(1)) and not quick_only()
            if quickly and LONG < sum(len(part.text) for part in parts) < LONGEST:
                self._use(load_object(compile_parts(parts, host(), quick=True), host()))
            self._use(compile_stored(parts, self._key))

    def _use(self, row: Loaded) -> None:
        # hold a reference to the code before publishing its address to callers
        self._loaded.keep(row)
        self._variable.value = row.function("row")
